"""Opens what has been built, or says in one line how to build it."""

import json
from pathlib import Path

import datasets

from modeling_stg.game_stg import StgError


FOLDER = Path(__file__).resolve().parent.parent / "rotowire_modified"
SPLITS = {
    "default": ("train", "validation", "test"),
    "extra": ("train",),
    "partial": ("train",),
    "sample": ("train", "validation", "test"),
}
_HOW = {
    "default": "python dataset_script/build.py [--archive rotowire.tar.bz2 --lookup-dir DIR]",
    "extra": "python dataset_script/build.py --extra FILE.json.xz [...]",
    "partial": "python dataset_script/build.py --partial FILE.json.xz [...]",
    "sample": "python dataset_script/league.py",
}


class DatasetError(StgError):
    """The data that was asked for is not there."""


def open_dataset(
    name: str | Path = "rotowire_modified", config: str = "default", split: str | None = None, streaming: bool = False
):
    """`load_dataset(name, config, split)`, where `name` is the project's folder, another one or a Hub repository."""
    folder = FOLDER if str(name) == "rotowire_modified" else Path(name)
    if not folder.is_dir():
        try:
            return datasets.load_dataset(str(name), config, split=split, streaming=streaming)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise DatasetError(f"{name}: neither a folder nor a dataset that the Hub gives ({reason})") from None
    if config not in SPLITS:
        raise DatasetError(f"config {config!r}: there is none of this name; use one of {', '.join(SPLITS)}")
    if split is not None and split.split("[")[0] not in SPLITS[config]:
        raise DatasetError(f"split {split!r}: {config} has none of this name; use one of {', '.join(SPLITS[config])}")
    for needed in SPLITS[config]:
        if not (folder / config / f"{needed}.parquet").is_file():
            raise DatasetError(f"{folder.name}/{config} has not been built; build it with: {_HOW[config]}")
    return datasets.load_dataset(str(folder), config, split=split, streaming=streaming)


def record_path(folder: Path, config: str) -> Path:
    """Where a build notes what it read, wrote and left out."""
    return folder / config / "build.json"


def card(folder: Path, head: bool = True) -> str:
    """The dataset card: the general one, followed by what the builds in `folder` left out."""
    lines = [(folder / "README.md").read_text(encoding="utf-8").rstrip(), ""] if head else []
    lines += ["## How this copy was built", ""]
    for config in SPLITS:
        path = record_path(folder, config)
        if not path.is_file():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = ", ".join(f"{split} {count:,}" for split, count in record["rows"].items())
        lines.append(f"- `{config}`: {rows}.")
        lines += [f"  - Left out: {line}." for line in record["left_out"]]
        lines += [f"  - Remark: {line}." for line in record["remarks"]]
    return "\n".join(lines) + "\n"
