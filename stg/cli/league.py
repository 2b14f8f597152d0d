"""Makes the sample league anew: a fictional season of games and recaps, the config `sample` of the dataset.

stg league --seed 7 --output rotowire_modified/sample
"""

from pathlib import Path

from dataset_script.card import stamp_sample
from dataset_script.league import OUTPUT, SEED, league, save
from modeling_stg.errors import StgError
from stg.cli.console import exits_kindly, parser


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("--seed", type=int, default=SEED, help="another seed, another league (default: %(default)s)")
    options.add_argument(
        "--output", type=Path, default=OUTPUT, help="folder for the Parquet (default: the sample's own)"
    )
    arguments = options.parse_args()
    splits = league(arguments.seed, progress=True)
    try:
        save(splits, arguments.output)
    except OSError as error:
        raise StgError(
            f"--output {arguments.output}: cannot be written ({error.strerror}); choose another folder"
        ) from None
    if arguments.output.resolve() == OUTPUT:
        stamp_sample()
    print(", ".join(f"{split} {len(rows)}" for split, rows in splits.items()), f"-> {arguments.output}")


if __name__ == "__main__":
    main()
