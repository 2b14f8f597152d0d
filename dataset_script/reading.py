"""Opens what has been built, or says in one line how to build it."""

from pathlib import Path

import datasets

from dataset_script.card import FOLDER
from modeling_stg.errors import StgError
from modeling_stg.game import Game, read_games


SPLITS = {
    "default": ("train", "validation", "test"),
    "extra": ("train",),
    "partial": ("train",),
    "sample": ("train", "validation", "test"),
}
_HOW = {
    "default": "stg build [--archive rotowire.tar.bz2 --lookup-dir DIR]",
    "extra": "stg build --extra FILE.json.xz [...]",
    "partial": "stg build --partial FILE.json.xz [...]",
    "sample": "stg league",
}


class DatasetError(StgError):
    """The data that was asked for is not there."""


def open_dataset(
    name: str | Path = "rotowire_modified", config: str = "default", split: str | None = None, streaming: bool = False
):
    """`load_dataset(name, config, split)`, where `name` is the project's folder, another one or a Hub repository.

    Folders are opened file by file: `datasets` then sees when a file has changed since it was cached.
    """
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
    files = {needed: str(folder / config / f"{needed}.parquet") for needed in SPLITS[config]}
    if not all(Path(file).is_file() for file in files.values()):
        raise DatasetError(f"{folder.name}/{config} has not been built; build it with: {_HOW[config]}")
    try:
        return datasets.load_dataset("parquet", data_files=files, split=split, streaming=streaming)
    except (ValueError, datasets.exceptions.DatasetsError) as error:
        reason = " ".join(str(error).split())
        raise DatasetError(f"{folder.name}/{config}, {split}: cannot be read ({reason:.200})") from None


def open_season(name: str | None) -> list[Game]:
    """The games of a file, or of the built dataset ("rotowire_modified"); none for None."""
    if name is None:
        return []
    if name != "rotowire_modified":
        return read_games(name)
    built = [
        (config, split)
        for config, splits in SPLITS.items()
        if config != "sample" and (FOLDER / config).is_dir()
        for split in splits
    ]
    if not built:
        raise DatasetError("season rotowire_modified: is not built; run `stg build`, or give a file")
    return [Game.from_json(row) for config, split in built for row in open_dataset(config=config, split=split)]
