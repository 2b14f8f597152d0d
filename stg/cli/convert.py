"""Converts box scores of other sources into a games file, and whole seasons into a season file.

Examples:
  stg convert espn_summary.json --output game.json
  stg convert boxscoretraditionalv3.json scoreboardv3.json --output game.json
  stg convert players.csv --date 2025-01-15                      # print the games instead
  stg convert player_box_2025.parquet team_box_2025.parquet nba_schedule_2025.parquet \\
      --output games.json --date 2025-01-15 --season season.json

Sources, recognised by their content: hoopR's and wehoop's tables (Parquet or CSV), ESPN's summary, the NBA's live box
score, its BoxScoreTraditional (V2 or V3) with the summary or the scoreboard, tables with one row per player (CSV,
Parquet or JSON), RotoWire's JSON and JSON Lines; - reads standard input. All other commands take the same files as
--games. Whatever does not add up is printed as a warning.

The season file holds all games, whatever --date says, and the schedule where the source has one: give it as --season.

Exit code: 0, 1 if games were skipped (unless --skip-bad), 2 if nothing could be converted.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from modeling_stg.errors import GameError, GameErrors
from modeling_stg.game import Game
from stg.cli.console import argument_parser, check_output_path, command, report_skipped, write_atomically
from stg.converters.season_file import season_json
from stg.converters.sources import of_day, read_sources


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("convert", __doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="files of one source, or a folder of hoopR's seasons")
    parser.add_argument("--date", metavar="DAY", help="only games of this day; the day of games whose file names none")
    parser.add_argument("--output", metavar="FILE", help="games file, .json or .jsonl (default: standard output)")
    parser.add_argument("--season", metavar="FILE", help="season file to write, too")
    parser.add_argument("--skip-bad", action="store_true", help="exit with 0 although games were skipped")
    return parser.parse_args(argv)


def read_valid(rows: Iterable[Any], source: str) -> tuple[list[Game], list[GameError]]:
    """The games, and the errors of those that cannot be used."""
    games, errors = [], []
    for index, row in enumerate(rows):
        try:
            if isinstance(row, GameError):
                raise row
            games.append(row if isinstance(row, Game) else Game.from_json(row, f"{source}: games[{index}]."))
        except GameError as error:
            errors.append(error)
    return games, errors


def render(games: Sequence[Game], as_lines: bool) -> str:
    if as_lines:
        return "".join(json.dumps(game.to_json(), ensure_ascii=False) + "\n" for game in games)
    return json.dumps([game.to_json() for game in games], ensure_ascii=False, indent=1) + "\n"


@command
def main(argv: Sequence[str] | None = None) -> int:
    options = parse_arguments(argv)
    check_output_path(options.output)
    check_output_path(options.season, "--season")
    sources = read_sources(options.files, options.date if options.season is None else None)
    games, errors = read_valid(sources.games, ", ".join(options.files))
    if not games:
        raise GameErrors(map(str, errors))
    chosen = games if options.date is None else of_day(games, options.date)
    if options.season:
        text = json.dumps(season_json(games, sources.fixtures), ensure_ascii=False, separators=(",", ":"))
        write_atomically(options.season, text + "\n")
        print(f"{len(games)} games of the season: {options.season}", file=sys.stderr)
    text = render(chosen, str(options.output).endswith(".jsonl"))
    if options.output:
        write_atomically(options.output, text)
        print(f"{len(chosen)} games: {options.output}", file=sys.stderr)
    else:
        sys.stdout.write(text)
    return report_skipped(errors, len(errors) + len(games), options.skip_bad)
