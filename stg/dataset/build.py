"""Builds RotoWire-Modified as Parquet for load_dataset("rotowire_modified"). The command is `stg data`."""

import contextlib
import json
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
from datasets.exceptions import DatasetGenerationError

from modeling_stg.errors import GameWarning, StgError
from stg.dataset.archive import ArchiveError
from stg.dataset.card import FOLDER, build_page, card, record_path, stamp_built
from stg.dataset.rotowire_modified import RotowireModified
from stg.outputs import sole_writer, write_atomically


OPTIONAL = ("extra", "partial")  # configs that a build keeps from an earlier one unless it rebuilds them
SWAPPING = ".swapping"  # folder of finished configs on their way into place


def build(config: str, sources: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Writes the Parquet files of one config and its build record into the new `folder`, and returns the record."""
    builder = RotowireModified(config_name=config, cache_dir=str(folder / "cache"), **sources)
    prepared = folder / "prepared"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GameWarning)
        try:
            builder.download_and_prepare(str(prepared), file_format="parquet")
        except DatasetGenerationError as error:
            if isinstance(error.__cause__, StgError):
                raise error.__cause__ from None
            reason = " ".join(str(error.__cause__ or error).split())
            raise ArchiveError(f"{config}: cannot be built ({reason:.200})") from None
    remarks = sorted({str(warning.message) for warning in caught if issubclass(warning.category, GameWarning)})
    rows = {}
    (folder / config).mkdir()
    for split, info in builder.info.splits.items():
        [file] = prepared.glob(f"*-{split}.parquet")
        file.rename(folder / config / f"{split}.parquet")
        rows[split] = info.num_examples
    record = {"config": config, "rows": rows, "left_out": list(builder.left_out), "remarks": remarks}
    record_path(folder, config).write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
    return record


def finish_swap(output: Path) -> None:
    """Moves finished configs into place, all or, if one cannot be moved, none; completes what a killed build began."""
    swapping = output / SWAPPING
    if not swapping.is_dir():
        return
    moved: list[Path] = []
    try:
        for new in sorted(path for path in swapping.iterdir() if not path.name.startswith(".")):
            target, old = output / new.name, swapping / f".{new.name}"
            if target.exists():
                target.rename(old)
            moved.append(target)
            new.rename(target)
    except OSError:
        for target in moved:
            if (swapping / f".{target.name}").exists():
                if target.exists():
                    target.rename(swapping / target.name)
                (swapping / f".{target.name}").rename(target)
        shutil.rmtree(swapping, ignore_errors=True)
        raise
    write_atomically(output / "BUILD.md", build_page(output))
    if output != FOLDER:  # the project's own card is committed
        write_atomically(output / "README.md", card(output))
    stamp_built(output)
    shutil.rmtree(swapping)


def refuse_overlap(default: Path, kept: Sequence[Path]) -> None:
    """Refuses configs of an earlier build that hold a game which is now in validation or test."""
    for folder in kept:
        file = folder / "train.parquet"
        if not file.is_file():
            continue
        ids = set(parquet.read_table(file, columns=["game_id"])["game_id"].to_pylist())
        for split in ("validation", "test"):
            held_out = parquet.read_table(default / f"{split}.parquet", columns=["game_id"])["game_id"].to_pylist()
            shared = sorted(ids & set(held_out))
            if shared:
                raise ArchiveError(
                    f"{folder.name}: from an earlier build, has {len(shared)} games that are now in {split}, such "
                    f"as {shared[0]}; give --{folder.name} again, or delete {folder}"
                )


def refuse_foreign(configs: Sequence[str], output: Path) -> None:
    """Refuses to overwrite anything but an earlier build."""
    foreign = [output / config for config in configs if (output / config).exists()]
    foreign = [folder for folder in foreign if not record_path(output, folder.name).is_file()]
    if output != FOLDER and not any(output.glob("*/build.json")):
        foreign += [file for file in (output / "README.md", output / "BUILD.md") if file.exists()]
    if foreign:
        raise ArchiveError(f"--output {output}: {foreign[0].name} exists and is not from a build; give a new folder")


def build_all(configs: Sequence[str], sources: dict[str, Any], output: Path) -> list[dict[str, Any]]:
    """Builds all configs or none: the old ones are replaced only when every new one is complete."""
    refuse_foreign(configs, output)
    output.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        for folder in (output, *(output / config for config in configs)):
            if folder.is_dir():
                held.enter_context(sole_writer(folder))
        return _build_locked(configs, sources, output)


def _build_locked(configs: Sequence[str], sources: dict[str, Any], output: Path) -> list[dict[str, Any]]:
    finish_swap(output)
    for stale in output.glob(".building-*"):  # of a killed build: this one has the folder for itself
        shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=output) as name:
        work = Path(name)
        records = []
        for config in configs:
            folder = work / f"of-{config}"
            folder.mkdir()
            records.append(build(config, sources, folder))
        refuse_overlap(work / "of-default" / "default", [output / name for name in OPTIONAL if name not in configs])
        finished = work / "finished"
        finished.mkdir()
        for config in configs:
            (work / f"of-{config}" / config).rename(finished / config)
        finished.rename(output / SWAPPING)  # from here on, a killed build is completed by the next start
    finish_swap(output)
    return records


def push(output: Path, repo: str) -> str:
    """Uploads all built configs, with a card that says how they were built, to a private dataset repository."""
    from huggingface_hub import CommitOperationAdd, HfApi

    from stg.hub_client import limit_waiting, reason_without_token

    files = sorted(output.glob("*/*.parquet"))
    operations = [CommitOperationAdd(str(file.relative_to(output)), str(file)) for file in files]
    operations.append(CommitOperationAdd("README.md", card(output).encode("utf-8")))
    limit_waiting()
    api = HfApi()
    try:
        repo = api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True).repo_id
        if not api.repo_info(repo, repo_type="dataset").private:
            raise ArchiveError(f"--push_to_hub {repo}: is public; RotoWire's texts need a private repository")
        return str(
            api.create_commit(repo, operations, repo_type="dataset", commit_message="RotoWire-Modified with writers")
        )
    except ArchiveError:
        raise
    except Exception as error:  # the client raises many types of error
        raise ArchiveError(
            f"--push_to_hub {repo}: {reason_without_token(error)}; the data is built: log in with `hf auth login` "
            "and push again"
        ) from None
