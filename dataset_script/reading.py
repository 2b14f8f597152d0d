"""Opens the built dataset, or says how to build it."""

from pathlib import Path
from typing import Any

import datasets

from dataset_script.card import FOLDER
from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.season import Season
from stg.converters.hoopr import is_hoopr, read_hoopr
from stg.converters.season_sources import SEASON_SOURCES
from stg.converters.shipped import ShippedSeasons
from stg.converters.sources import read_season


SPLITS = {
    "default": ("train", "validation", "test"),
    "extra": ("train",),
    "partial": ("train",),
    "house": ("train", "validation"),
    "sample": ("train", "validation", "test"),
}
_BUILD_COMMANDS = {
    "default": "stg build [--archive rotowire.tar.bz2 --lookup-dir DIR]",
    "extra": "stg build --extra FILE.json.xz [...]",
    "partial": "stg build --partial FILE.json.xz [...]",
    "house": "git checkout rotowire_modified/house",
    "sample": "stg league",
}


class DatasetError(StgError):
    """The requested data is missing or unreadable."""


def open_dataset(
    name: str | Path = "rotowire_modified", config: str = "default", split: str | None = None, streaming: bool = False
) -> Any:
    """Opens a dataset like `load_dataset(name, config, split)`, with errors that say what to do.

    Folders are opened file by file, so that `datasets` notices when a file has changed since it was cached.

    Args:
        name: "rotowire_modified" for the project's own folder, another folder of the same layout, or a Hub dataset.
        config: "default", "extra", "partial", "house" or "sample".
        split: "train", "validation" or "test", with an optional slice ("train[:100]"); None for all splits.
        streaming: whether to stream instead of caching.

    Returns:
        A `datasets.Dataset`, or a `DatasetDict` of all splits.

    Example:
        >>> open_dataset(config="sample", split="test")[0]["game_id"]
    """
    folder = FOLDER if str(name) == "rotowire_modified" else Path(name)
    if not folder.is_dir():
        try:
            return datasets.load_dataset(str(name), config, split=split, streaming=streaming)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise DatasetError(f"{name}: neither a folder nor a dataset on the Hub ({reason})") from None
    if config not in SPLITS:
        raise DatasetError(f"config {config!r}: is not known; use one of {', '.join(SPLITS)}")
    if split is not None and split.split("[")[0] not in SPLITS[config]:
        raise DatasetError(f"split {split!r}: {config} has none; use one of {', '.join(SPLITS[config])}")
    files = {name: str(folder / config / f"{name}.parquet") for name in SPLITS[config]}
    if not all(Path(file).is_file() for file in files.values()):
        raise DatasetError(f"{folder.name}/{config} has not been built; build it with: {_BUILD_COMMANDS[config]}")
    try:
        return datasets.load_dataset("parquet", data_files=files, split=split, streaming=streaming)
    except (ValueError, datasets.exceptions.DatasetsError) as error:
        reason = " ".join(str(error).split())
        raise DatasetError(f"{folder.name}/{config}, {split}: cannot be read ({reason:.200})") from None


def open_season(name: str | None) -> Season:
    """Opens the games that season-dependent facts are computed from.

    Args:
        name: "nba" for the shipped seasons, a file of games or a folder of such files, a folder of hoopR's seasons,
            "rotowire_modified" for all built configs and splits, "sample" for the sample league, or None or "none" for
            no other games.

    Returns:
        The season; an empty one for None.

    Example:
        >>> facts = GameFacts(game, open_season("hoopr"))
    """
    if name in (None, "none"):
        return Season()
    if name == "nba":
        return ShippedSeasons()
    if is_hoopr(name):
        return read_hoopr(name)
    if name not in ("rotowire_modified", "sample"):
        if Path(name).is_dir():
            files = sorted(path for path in Path(name).iterdir() if path.suffix == ".json")
            if not files:
                raise DatasetError(
                    f"--season {name}: this folder has neither nba_schedule_YEAR.parquet nor games (.json); "
                    f"give {SEASON_SOURCES}"
                )
            return read_season(files)
        if not Path(name).exists():
            raise DatasetError(f"--season {name}: cannot be read (no such file or folder); give {SEASON_SOURCES}")
        return read_season(name)
    built = [
        (config, split)
        for config, splits in SPLITS.items()
        if (config == "sample") == (name == "sample") and (FOLDER / config).is_dir()
        for split in splits
    ]
    if not built:
        raise DatasetError(f"--season {name}: has not been built; run `stg build`, or give {SEASON_SOURCES}")
    return Season(Game.from_json(row) for config, split in built for row in open_dataset(config=config, split=split))
