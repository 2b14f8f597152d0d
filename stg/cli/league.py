"""Regenerates the sample league: a fictional season of games and recaps, config `sample` of the dataset.

Examples:
  stg league
  stg league --seed 7 --output my_league
"""

from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from stg.cli.console import argument_parser, command
from stg.dataset.card import stamp_committed
from stg.dataset.league import OUTPUT, SEED, league, save


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("league", __doc__)
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help="random seed of the league")
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT,
        metavar="DIR",
        help="folder for the Parquet files (default: rotowire_modified/sample)",
    )
    options = parser.parse_args(argv)
    splits = league(options.seed, progress=True)
    try:
        save(splits, options.output)
    except OSError as error:
        raise StgError(
            f"--output {options.output}: cannot be written ({error.strerror}); choose another folder"
        ) from None
    if options.output.resolve() == OUTPUT:
        stamp_committed()
    print(", ".join(f"{split} {len(rows)}" for split, rows in splits.items()), f"-> {options.output}")
