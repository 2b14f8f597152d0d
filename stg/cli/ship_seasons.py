"""Writes the seasons that come with the package, stg/data/seasons, from hoopR's files.

Example:
  stg ship-seasons hoopr

The folder holds player_box_YEAR.parquet, team_box_YEAR.parquet and nba_schedule_YEAR.parquet of sportsdataverse's
hoopR-nba-data (CC BY 4.0) for 2014 to 2019. Only the columns that `--season` needs are kept.
"""

from collections.abc import Sequence

from stg.cli.console import argument_parser, command
from stg.converters.hoopr import ship_hoopr
from stg.converters.shipped import SHIPPED, SHIPPED_YEARS


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("ship-seasons", __doc__)
    parser.add_argument("folder", metavar="FOLDER", help="hoopR's files")
    options = parser.parse_args(argv)
    ship_hoopr(options.folder, SHIPPED, SHIPPED_YEARS)
    size = sum(path.stat().st_size for path in SHIPPED.glob("*.parquet"))
    print(f"{len(SHIPPED_YEARS)} seasons, {size / 1e6:.1f} MB")
