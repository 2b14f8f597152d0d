"""Builds RotoWire-Modified as Parquet, for load_dataset("rotowire_modified").

    stg build                       # downloads RotoWire and the lookup tables from GitHub
    stg build --archive rotowire.tar.bz2 --lookup-dir rotowire-modified
    stg build --archive rotowire.tar.bz2 --lookup-dir rotowire-modified --allow-missing \\
        --extra extra_2017_2019.json.xz --partial train_partial.json.xz

The summaries belong to rotowire.com: the files stay on this machine, and a Hub repository made here is private.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

import datasets

from dataset_script.archive import SOURCE, download_archive, download_lookups
from dataset_script.build import build_all, push
from dataset_script.card import FOLDER
from stg.cli.console import exits_kindly, parser


def say(record: dict) -> None:
    rows = ", ".join(f"{split} {count:,}" for split, count in record["rows"].items())
    print(f"{record['config']}: {rows}")
    for line in record["left_out"]:
        print(f"  left out: {line}")
    for line in record["remarks"][:3]:
        print(f"  remark: {line}")
    if len(record["remarks"]) > 3:
        print(f"  remark: {len(record['remarks']) - 3} more in BUILD.md")


@exits_kindly
def main() -> None:
    arguments = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the unfinished folder goes with the process
    output = arguments.output.resolve()
    configs = ["default", *(name for name in ("extra", "partial") if vars(arguments)[name])]
    sources = {
        "archive": str(arguments.archive or download_archive(arguments.source)),
        "lookup_dir": str(arguments.lookup_dir or download_lookups(arguments.source)),
        "extra": [str(path) for path in arguments.extra],
        "partial": arguments.partial and str(arguments.partial),
        "allow_missing": arguments.allow_missing,
    }
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    for record in build_all(configs, sources, output):
        say(record)
    print(f"Read it with: load_dataset({str(arguments.output)!r})")
    if arguments.push_to_hub:
        print(f"Pushed: {push(output, arguments.push_to_hub)}")


def parse() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument(
        "--archive", type=Path, help="RotoWire: rotowire.tar.bz2, or a folder of {train,valid,test}.json"
    )
    options.add_argument("--lookup-dir", type=Path, help="folder of RotoWire-Modified's {train,valid,test}-lookup.txt")
    options.add_argument(
        "--extra", type=Path, nargs="+", default=[], metavar="FILE", help="further games: config `extra`"
    )
    options.add_argument("--partial", type=Path, metavar="FILE", help="games with partial texts: config `partial`")
    options.add_argument("--allow-missing", action="store_true", help="leave out rows that the archive lacks")
    options.add_argument("--output", type=Path, default=Path(os.path.relpath(FOLDER)), help="default: %(default)s")
    options.add_argument("--push_to_hub", metavar="REPO", help="upload to this (private) dataset repository as well")
    options.add_argument("--source", default=SOURCE, help="where the downloads come from (default: %(default)s)")
    return options.parse_args()


if __name__ == "__main__":
    main()
