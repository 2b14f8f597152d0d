"""Builds RotoWire-Modified as Parquet, for load_dataset("rotowire_modified").

Examples:
  stg data                       # downloads RotoWire and the lookup tables from GitHub
  stg data --archive rotowire.tar.bz2 --lookup-dir rotowire-modified
  stg data --archive rotowire.tar.bz2 --lookup-dir rotowire-modified --allow-missing \\
      --extra extra_2017_2019.json.xz --partial train_partial.json.xz

The summaries belong to rotowire.com: the files stay on this machine, and --push_to_hub creates a private repository.
"""

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from stg.cli.console import argument_parser, command
from stg.dataset.archive import SOURCE, download_archive, download_lookups
from stg.dataset.card import BUILD_FOLDER


MAX_REMARKS = 3  # printed; BUILD.md has them all


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("data", __doc__)
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help="RotoWire: rotowire.tar.bz2, or a folder with {train,valid,test}.json",
    )
    parser.add_argument(
        "--lookup-dir", type=Path, metavar="DIR", help="folder with RotoWire-Modified's {train,valid,test}-lookup.txt"
    )
    parser.add_argument(
        "--extra", type=Path, nargs="+", default=[], metavar="FILE", help="additional games, for config `extra`"
    )
    parser.add_argument("--partial", type=Path, metavar="FILE", help="games with partial texts, for config `partial`")
    parser.add_argument("--allow-missing", action="store_true", help="skip rows that the archive lacks")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(os.path.relpath(BUILD_FOLDER)),
        metavar="DIR",
        help="dataset folder",
    )
    parser.add_argument("--push_to_hub", metavar="REPO", help="also upload to this private dataset repository")
    parser.add_argument("--source", default=SOURCE, metavar="URL", help="where to download from")
    return parser.parse_args(argv)


def print_record(record: Mapping) -> None:
    rows = ", ".join(f"{split} {count:,}" for split, count in record["rows"].items())
    print(f"{record['config']}: {rows}")
    for line in record["left_out"]:
        print(f"  left out: {line}")
    for line in record["remarks"][:MAX_REMARKS]:
        print(f"  remark: {line}")
    if len(record["remarks"]) > MAX_REMARKS:
        print(f"  remark: {len(record['remarks']) - MAX_REMARKS} more in BUILD.md")


def read_sources(options: argparse.Namespace) -> dict[str, Any]:
    """The sources of a build, downloaded where no local copy is named; raises early for files that do not exist."""
    for path in (options.archive, options.lookup_dir, options.partial, *options.extra):
        if path is not None and not path.exists():
            raise StgError(f"{path}: cannot be read (no such file or folder); check the path")
    return {
        "archive": str(options.archive or download_archive(options.source)),
        "lookup_dir": str(options.lookup_dir or download_lookups(options.source)),
        "extra": [str(path) for path in options.extra],
        "partial": options.partial and str(options.partial),
        "allow_missing": options.allow_missing,
    }


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)
    sources = read_sources(options)

    import datasets

    from stg.dataset.build import build_all, push

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # unwinds, so that the unfinished folder is removed
    output = options.output.resolve()
    configs = ["default", *(name for name in ("extra", "partial") if vars(options)[name])]
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    for record in build_all(configs, sources, output):
        print_record(record)
    print(f"Load it with: load_dataset({str(options.output)!r})")
    if options.push_to_hub:
        print(f"Pushed: {push(output, options.push_to_hub)}")
