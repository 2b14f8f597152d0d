"""Copies a trained model into the package, as float16 and without a second copy of the code.

Examples:
  stg ship runs/best/best modeling_stg --set avoid_repeats=true z_threshold=0.6
  stg ship runs/best_no_writer/best modeling_stg/no_writer      # load it with subfolder="no_writer"

--set writes generation options, chosen on validation, into the shipped generation_config.json.
"""

from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from stg.cli.console import argument_parser, command, parse_generation_options


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("ship", __doc__)
    parser.add_argument("source", type=Path, help="folder of a trained model, such as runs/best/best")
    parser.add_argument("target", type=Path, help="modeling_stg, or a folder within it")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="generation options, as in `stg generate`",
    )
    options = parser.parse_args(argv)
    if not (options.source / "config.json").is_file():
        raise StgError(f"{options.source}: has no trained model; give a folder such as runs/best/best")

    from stg.training.release import ship

    files = ship(options.source, options.target, parse_generation_options(options.set))
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, in {options.target}")
