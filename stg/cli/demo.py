"""Shows the project at work on the sample league: a box score, its summary, and the records that the summary states.

python scripts/demo.py                 # a game of the sample league
python scripts/demo.py --recap runs/demo.html     # then the paper's own game by the model, and the page with its links
python scripts/demo.py --game 7        # another one
python scripts/demo.py --config default --split test --game 3      # RotoWire-Modified, once it is built
"""

import re
from collections.abc import Iterable
from pathlib import Path

import datasets

from dataset_script import open_dataset
from dataset_script.reading import SPLITS
from dataset_script.schema import WRITERS
from modeling_stg.errors import StgError
from modeling_stg.game import Entity, Game, read_games
from modeling_stg.schema import QUARTERS
from modeling_stg.text import detokenize
from stg.cli.console import ROOT, colour, exits_kindly, parser


PAINT = {"digits": ("bold", "green"), "word": ("bold", "magenta"), "text": ("cyan",)}
RECAP_WRITERS = ("3", "10")
COLUMNS = ("MIN", "PTS", "FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "REB", "AST", "STL", "BLK", "TO")


def table(game: Game) -> list[str]:
    """The box score as lines: both teams by quarters, then each team's players who played."""
    lines = [colour(f"{'':32}{'W-L':>7}{'1':>5}{'2':>5}{'3':>5}{'4':>5}{'PTS':>6}", "dim")]
    for team in (game.visitor, game.home):
        values = {attribute: value or "-" for attribute, value in team.values.items()}
        record = f"{values['TEAM-WINS']}-{values['TEAM-LOSSES']}"
        quarters = "".join(f"{values[quarter]:>5}" for quarter in QUARTERS)
        points = colour(f"{values['TEAM-PTS']:>6}", "bold")
        lines.append(f"{full_name(team):32}{record:>7}{quarters}{points}")
    for team in (game.visitor, game.home):
        lines += ["", colour(f"{team.name:32}" + "".join(f"{column:>5}" for column in COLUMNS), "dim")]
        players = [player for player in game.players if player.is_home == team.is_home]
        for player in sorted(players, key=lambda player: -int(player.values["PTS"] or -1)):
            if player.did_play:
                lines.append(f"{player.name:32}" + "".join(f"{player.values[column] or '-':>5}" for column in COLUMNS))
        idle = [player.name for player in players if not player.did_play]
        if idle:
            lines.append(colour(f"did not play: {', '.join(idle)}", "dim"))
    return lines


def full_name(team: Entity) -> str:
    return f"{team.values['TEAM-CITY']} {team.name}"


def coloured(row: dict) -> str:
    """The summary as printable text, each mention in the colour of its form."""
    forms = [None] * len(row["summary"])
    for mention in row["mentions"]:
        for position in range(mention["position"], mention["position"] + mention["length"]):
            forms[position] = mention["form"]
    return painted(detokenize(row["summary"]), zip(row["summary"], forms, strict=True))


def painted(text: str, tokens: Iterable[tuple[str, str | None]]) -> str:
    """Printable text with its tokens in the colour of their forms: it holds them in order, whatever its spacing."""
    pieces, start = [], 0
    for token, form in tokens:
        found = text.find(token, start)
        if found >= 0:
            pieces += [text[start:found], colour(token, *PAINT[form]) if form else token]
            start = found + len(token)
    return "".join(pieces) + text[start:]


def folded(text: str, width: int = 100) -> str:
    """`text` in lines of about `width` characters, colour codes not counted."""
    lines, length = [[]], 0
    for word in text.split(" "):
        visible = len(re.sub(r"\x1b\[[0-9;]*m", "", word))
        if length + visible > width:
            lines.append([])
            length = 0
        lines[-1].append(word)
        length += visible + 1
    return "\n".join(" ".join(line) for line in lines)


def show(row: dict) -> None:
    game = Game.from_json(row)
    print(colour(f"{full_name(game.visitor)} at {full_name(game.home)}, {game.date:%A %d %B %Y}", "bold"))
    print("\n".join(["", *table(game), ""]))
    print(colour(f"What writer {WRITERS[row['writer']]} made of it", "bold"))
    print(f"\n{folded(coloured(row))}\n")
    if not row["mentions"]:
        print("The mentions of this text have not been annotated.")
        return
    print(colour(f"The {len(row['mentions'])} records that it states, in its order", "bold"), end="\n\n")
    for mention in row["mentions"]:
        start, stop = mention["position"], mention["position"] + mention["length"]
        words = detokenize(row["summary"][start:stop])
        value = game.entities[game.position(mention["entity"])].values[mention["attribute"]]
        record = f"{mention['entity']} · {mention['attribute']} = {value}"
        print(f"  {start:>4}  {colour(f'{words:18}', *PAINT[mention['form']])} {record}")
    print(
        f"\n{colour('green', 'bold', 'green')} digits, {colour('magenta', 'bold', 'magenta')} number words, ", end=""
    )
    print(f"{colour('cyan', 'cyan')} names: every one is a record of the box score.")


def recaps(page_file: Path) -> None:
    """The paper's own game by the shipped model, in the manner of two writers; the page ties words to cells."""
    from stg.app.page import page
    from stg.loading import load

    [game] = read_games(ROOT / "examples" / "bucks_at_knicks.json")
    model, processor = load(str(ROOT / "modeling_stg"))
    games = [game] * len(RECAP_WRITERS)
    sequences = model.generate(**processor(games, writers=RECAP_WRITERS))
    traces, texts = processor.trace(sequences, games), processor.batch_decode(sequences, games)
    print(colour(f"\nThe paper's own game, {full_name(game.visitor)} at {full_name(game.home)}, by the model", "bold"))
    for writer, text, trace in zip(RECAP_WRITERS, texts, traces, strict=True):
        print(colour(f"\nin the manner of writer {writer}", "bold"), end="\n\n")
        print(folded(painted(text, ((token["text"], token["form"]) for token in trace))), end="\n\n")
        for token in trace:
            if token["form"] in ("digits", "word"):
                record = f"{token['entity']} · {token['attribute']} = {token['value']}"
                shown = colour(token["text"].ljust(8), *PAINT[token["form"]])
                print(f"  {shown} {record}")
    page_file.parent.mkdir(parents=True, exist_ok=True)
    results = [
        {"game_id": game.game_id, "writer": writer, "text": text, "tokens": trace}
        for writer, text, trace in zip(RECAP_WRITERS, texts, traces, strict=True)
    ]
    page_file.write_text(page(games, results), encoding="utf-8")
    print(f"\nEvery number linked to its cell: open {page_file}")


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("--config", default="sample", choices=list(SPLITS), help="default: %(default)s")
    options.add_argument("--split", default="test", help="default: %(default)s")
    options.add_argument("--game", type=int, default=5, metavar="N", help="row of the split (default: %(default)s)")
    options.add_argument("--recap", type=Path, metavar="PAGE", help="also the paper's game by the model; writes PAGE")
    arguments = options.parse_args()
    datasets.disable_progress_bars()
    rows = open_dataset(config=arguments.config, split=arguments.split)
    if not 0 <= arguments.game < len(rows):
        raise StgError(f"--game {arguments.game}: {arguments.split} has the games 0 to {len(rows) - 1}")
    show(rows[arguments.game])
    if arguments.recap:
        recaps(arguments.recap)


if __name__ == "__main__":
    main()
