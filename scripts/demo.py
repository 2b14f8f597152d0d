"""Shows the project at work on the sample league: a box score, its summary, and the records that the summary states.

python scripts/demo.py                 # a game of the sample league
python scripts/demo.py --game 7        # another one
python scripts/demo.py --config default --split test --game 3      # RotoWire-Modified, once it is built
"""

import re

import datasets

from console import colour, exits_kindly, parser
from dataset_script import open_dataset
from dataset_script.reading import SPLITS
from dataset_script.schema import WRITERS
from modeling_stg.game_stg import Entity, Game, StgError
from modeling_stg.text_stg import detokenize


PAINT = {"digits": ("bold", "green"), "word": ("bold", "magenta"), "text": ("cyan",)}
QUARTERS = ("TEAM-PTS_QTR1", "TEAM-PTS_QTR2", "TEAM-PTS_QTR3", "TEAM-PTS_QTR4")
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
    painted = list(row["summary"])
    for mention in row["mentions"]:
        for position in range(mention["position"], mention["position"] + mention["length"]):
            painted[position] = colour(row["summary"][position], *PAINT[mention["form"]])
    text = detokenize(row["summary"])
    # The printable text holds the tokens in order, so that painting them one after another keeps its spacing.
    pieces, start = [], 0
    for token, paint in zip(row["summary"], painted, strict=True):
        found = text.find(token, start)
        if found >= 0:
            pieces += [text[start:found], paint]
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


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("--config", default="sample", choices=list(SPLITS), help="default: %(default)s")
    options.add_argument("--split", default="test", help="default: %(default)s")
    options.add_argument("--game", type=int, default=5, metavar="N", help="row of the split (default: %(default)s)")
    arguments = options.parse_args()
    datasets.disable_progress_bars()
    rows = open_dataset(config=arguments.config, split=arguments.split)
    if not 0 <= arguments.game < len(rows):
        raise StgError(f"--game {arguments.game}: {arguments.split} has the games 0 to {len(rows) - 1}")
    show(rows[arguments.game])


if __name__ == "__main__":
    main()
