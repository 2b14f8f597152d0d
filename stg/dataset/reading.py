"""Opens the built dataset, or says how to build it."""

from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.season import Season
from stg.converters.hoopr import is_hoopr, read_hoopr
from stg.converters.season_sources import SEASON_SOURCES
from stg.converters.shipped import ShippedSeasons
from stg.converters.sources import read_season
from stg.dataset.card import config_folder


SPLITS = {
    "default": ("train", "validation", "test"),
    "extra": ("train",),
    "partial": ("train",),
    "house": ("train", "validation"),
    "sample": ("train", "validation", "test"),
}
BUILT_SEASONS = ("rotowire_modified", "sample")
_BUILD_COMMANDS = {
    "default": "stg data [--archive rotowire.tar.bz2 --lookup-dir DIR]",
    "extra": "stg data --extra FILE.json.xz [...]",
    "partial": "stg data --partial FILE.json.xz [...]",
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
    is_ours = str(name) == "rotowire_modified"
    if (config_folder(config).parent if is_ours else Path(name)).joinpath(".swapping").is_dir():
        raise DatasetError(f"{name}: a build was interrupted while it put its files in place; run `stg data` again")
    if not is_ours and not Path(name).is_dir():
        import datasets  # imports torch, so only once it is needed

        try:
            return datasets.load_dataset(str(name), config, split=split, streaming=streaming)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise DatasetError(f"{name}: neither a folder nor a dataset on the Hub ({reason})") from None
    if config not in SPLITS:
        raise DatasetError(f"config {config!r}: is not known; use one of {', '.join(SPLITS)}")
    if split is not None and split.split("[")[0] not in SPLITS[config]:
        raise DatasetError(f"split {split!r}: {config} has none; use one of {', '.join(SPLITS[config])}")
    folder = config_folder(config) if is_ours else Path(name) / config
    files = {name: str(folder / f"{name}.parquet") for name in SPLITS[config]}
    if not all(Path(file).is_file() for file in files.values()):
        raise DatasetError(f"{Path(name).name}/{config} has not been built; build it with: {_BUILD_COMMANDS[config]}")
    import datasets

    try:
        return datasets.load_dataset("parquet", data_files=files, split=split, streaming=streaming)
    except (ValueError, datasets.exceptions.DatasetsError) as error:
        reason = " ".join(str(error).split())
        raise DatasetError(f"{Path(name).name}/{config}, {split}: cannot be read ({reason:.200})") from None


def check_season(name: str) -> None:
    """Raises if `open_season` would not find a file or folder; reads nothing."""
    if name in (*BUILT_SEASONS, "nba", "none") or is_hoopr(name):
        return
    if Path(name).is_dir() and not any(Path(name).glob("*.json")):
        raise DatasetError(
            f"--season {name}: this folder has neither nba_schedule_YEAR.parquet nor games (.json); "
            f"give {SEASON_SOURCES}"
        )
    if not Path(name).exists():
        raise DatasetError(f"--season {name}: cannot be read (no such file or folder); give {SEASON_SOURCES}")


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
    check_season(name)
    if is_hoopr(name):
        return read_hoopr(name)
    if name not in BUILT_SEASONS:
        path = Path(name)
        return read_season(sorted(path.glob("*.json")) if path.is_dir() else name)
    built = [
        (config, split)
        for config, splits in SPLITS.items()
        if (config == "sample") == (name == "sample") and config_folder(config).is_dir()
        for split in splits
    ]
    if not built:
        raise DatasetError(f"--season {name}: has not been built; run `stg data`, or give {SEASON_SOURCES}")
    return Season(Game.from_json(row) for config, split in built for row in open_dataset(config=config, split=split))
