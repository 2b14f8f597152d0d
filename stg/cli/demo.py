"""Shows the project at work on the sample league: a box score, its summary, and the records the summary states.

Examples:
  stg demo                                              # a game of the sample league
  stg demo --recap runs/demo.html                       # also the paper's game, written by the model, as a linked page
  stg demo --game 7                                     # another game
  stg demo --config default --split test --game 3       # RotoWire-Modified, once built
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import QUARTERS, WRITER_LABELS
from modeling_stg.season import Season
from modeling_stg.text import detokenize
from stg.cli.console import argument_parser, colour, command, write_atomically
from stg.dataset import open_dataset
from stg.dataset.reading import SPLITS, open_season
from stg.files import shipped


FORM_COLOURS = {"digits": ("bold", "green"), "word": ("bold", "magenta"), "text": ("cyan",), "free": ("yellow",)}
RECAP_WRITERS = ("wire", "story")
COLUMNS = ("MIN", "PTS", "FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "REB", "AST", "STL", "BLK", "TO")


def box_score_lines(game: Game) -> list[str]:
    """The line score of both teams, then each team's players who played."""
    lines = [colour(f"{'':32}{'W-L':>7}{'1':>5}{'2':>5}{'3':>5}{'4':>5}{'PTS':>6}", "dim")]
    for team in (game.visitor, game.home):
        values = {attribute: value or "-" for attribute, value in team.values.items()}
        record = f"{values['TEAM-WINS']}-{values['TEAM-LOSSES']}"
        quarters = "".join(f"{values[quarter]:>5}" for quarter in QUARTERS)
        points = colour(f"{values['TEAM-PTS']:>6}", "bold")
        lines.append(f"{team.full_name:32}{record:>7}{quarters}{points}")
    for team in (game.visitor, game.home):
        lines += ["", colour(f"{team.name:32}" + "".join(f"{column:>5}" for column in COLUMNS), "dim")]
        players = [player for player in game.players if player.is_home == team.is_home]
        for player in sorted(players, key=lambda player: -int(player.values["PTS"] or -1)):
            if player.did_play:
                lines.append(f"{player.name:32}" + "".join(f"{player.values[column] or '-':>5}" for column in COLUMNS))
        absent = [player.name for player in players if not player.did_play]
        if absent:
            lines.append(colour(f"did not play: {', '.join(absent)}", "dim"))
    return lines


def colour_summary(row: dict) -> str:
    """The summary as printable text, each mention in the colour of its form."""
    forms: list[str | None] = [None] * len(row["summary"])
    for mention in row["mentions"]:
        for position in range(mention["position"], mention["position"] + mention["length"]):
            forms[position] = mention["form"]
    return colour_tokens(detokenize(row["summary"]), zip(row["summary"], forms, strict=True))


def colour_tokens(text: str, tokens: Iterable[tuple[str, str | None]]) -> str:
    """Printable text with its tokens, which occur in order whatever the spacing, in the colour of their forms."""
    pieces, end = [], 0
    for token, form in tokens:
        start = text.find(token, end)
        if start >= 0:
            pieces += [text[end:start], colour(token, *FORM_COLOURS[form]) if form else token]
            end = start + len(token)
    return "".join(pieces) + text[end:]


def wrap(text: str, width: int = 100) -> str:
    """Wraps `text` at `width` characters, not counting colour codes."""
    lines: list[list[str]] = [[]]
    length = 0
    for word in text.split(" "):
        visible = len(re.sub(r"\x1b\[[0-9;]*m", "", word))
        if length + visible > width:
            lines.append([])
            length = 0
        lines[-1].append(word)
        length += visible + 1
    return "\n".join(" ".join(line) for line in lines)


def show(row: dict, season: Season) -> None:
    game = Game.from_json(row)
    facts = GameFacts(game, season)
    print(colour(f"{game.visitor.full_name} at {game.home.full_name}, {game.date:%A %d %B %Y}", "bold"))
    print("\n".join(["", *box_score_lines(game), ""]))
    print(colour(f"The summary, by writer {WRITER_LABELS[row['writer']]}", "bold"))
    print(f"\n{wrap(colour_summary(row))}\n")
    if not row["mentions"]:
        print("This summary has not been annotated; run `stg annotate`.")
        return
    print(colour(f"The {len(row['mentions'])} facts it states, in order", "bold"), end="\n\n")
    for mention in row["mentions"]:
        start, stop = mention["position"], mention["position"] + mention["length"]
        words = detokenize(row["summary"][start:stop])
        value = facts.value(game.position(mention["entity"]), mention["attribute"])
        record = f"{mention['entity']} · {mention['attribute']} = {value}"
        print(f"  {start:>4}  {colour(f'{words:18}', *FORM_COLOURS[mention['form']])} {record}")
    digits, number_words = colour("Digits", *FORM_COLOURS["digits"]), colour("number words", *FORM_COLOURS["word"])
    names = colour("names", *FORM_COLOURS["text"])
    print(f"\n{digits}, {number_words} and {names}: each is a fact of the game or its season.")


def show_recaps(page_file: Path) -> None:
    """Writes the paper's game in two styles, checked, and a page that links words to cells."""
    import torch

    from stg.app.page import recap_page
    from stg.loading import load_judge, load_model

    [game] = read_games(shipped("examples/bucks_at_knicks.json"))
    model, processor = load_model(str(shipped("modeling_stg")))
    games = [game] * len(RECAP_WRITERS)
    judge = load_judge(processor, model.generation_config.to_dict())(games)
    torch.manual_seed(0)
    sequences = model.generate(**processor(games, writers=RECAP_WRITERS), judge=judge)
    traces, texts = processor.trace(sequences, games), processor.batch_decode(sequences, games)
    print(
        colour(f"\nThe paper's game, {game.visitor.full_name} at {game.home.full_name}, written by the model", "bold")
    )
    for writer, text, trace in zip(RECAP_WRITERS, texts, traces, strict=True):
        print(colour(f"\nIn the style {writer!r}", "bold"), end="\n\n")
        print(wrap(colour_tokens(text, ((token["text"], token["form"]) for token in trace))), end="\n\n")
        for token in trace:
            if token["form"] in ("digits", "word"):
                record = f"{token['entity']} · {token['attribute']} = {token['value']}"
                shown = colour(token["text"].ljust(8), *FORM_COLOURS[token["form"]])
                print(f"  {shown} {record}")
    page_file.parent.mkdir(parents=True, exist_ok=True)
    results = [
        {"game_id": game.game_id, "writer": writer, "text": text, "tokens": trace}
        for writer, text, trace in zip(RECAP_WRITERS, texts, traces, strict=True)
    ]
    write_atomically(page_file, recap_page([GameFacts(game) for game in games], results))
    print(f"\nOpen {page_file} to see each copied number linked to its cell")


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("demo", __doc__)
    parser.add_argument("--config", default="sample", choices=list(SPLITS), help="dataset config")
    parser.add_argument("--split", default="test", help="dataset split")
    parser.add_argument("--game", type=int, default=5, metavar="N", help="row of the split")
    parser.add_argument(
        "--recap", type=Path, metavar="PAGE", help="also write the paper's game with the model, as an HTML page"
    )
    options = parser.parse_args(argv)

    import datasets

    datasets.disable_progress_bars()
    rows = open_dataset(config=options.config, split=options.split)
    if not 0 <= options.game < len(rows):
        raise StgError(f"--game {options.game}: {options.split} has games 0 to {len(rows) - 1}")
    show(rows[options.game], open_season("sample" if options.config == "sample" else None))
    if options.recap:
        show_recaps(options.recap)
