"""Copies a trained model into the package, as float16 and without a second copy of the code.

python scripts/ship.py runs/best/best modeling_stg --set avoid_repeats=true z_threshold=0.6
python scripts/ship.py runs/best_no_writer/best modeling_stg/no_writer        # subfolder="no_writer"

--set writes generation options, chosen on validation, into the shipped generation_config.json.
"""

from pathlib import Path

from stg.cli.console import exits_kindly, parser, wishes
from stg.training.release import ship


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("source", type=Path, help="folder of a trained model, such as runs/best/best")
    options.add_argument("target", type=Path, help="modeling_stg, or a folder within it")
    options.add_argument("--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="see generate.py")
    given = options.parse_args()
    files = ship(given.source, given.target, wishes(given.set))
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, in {given.target}")


if __name__ == "__main__":
    main()
