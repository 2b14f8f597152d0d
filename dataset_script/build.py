"""Builds RotoWire-Modified as Parquet, for load_dataset("rotowire_modified"); `stg build` is the command."""

import json
import shutil
import tempfile
import time
import warnings
from pathlib import Path

import pyarrow.parquet as parquet
from datasets.exceptions import DatasetGenerationError

from dataset_script.archive import ArchiveError
from dataset_script.card import FOLDER, build_page, card, record_path, stamp_built
from dataset_script.rotowire_modified import RotowireModified
from modeling_stg.errors import GameWarning, StgError


KEPT = ("extra", "partial")  # configs that stay as they are where a build does not ask for them
STALE = 3600  # seconds after which what a killed build left behind is nobody's any more


def build(config: str, sources: dict, folder: Path) -> dict:
    """Writes one config's Parquet and its record into `folder` (a new one), and returns the record."""
    builder = RotowireModified(config_name=config, cache_dir=str(folder / "cache"), **sources)
    made = folder / "made"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", GameWarning)
        try:
            builder.download_and_prepare(str(made), file_format="parquet")
        except DatasetGenerationError as error:
            if isinstance(error.__cause__, StgError):
                raise error.__cause__ from None
            reason = " ".join(str(error.__cause__ or error).split())
            raise ArchiveError(f"{config}: cannot be built ({reason:.200})") from None
    remarks = sorted({str(warning.message) for warning in caught if issubclass(warning.category, GameWarning)})
    rows = {}
    (folder / config).mkdir()
    for split, info in builder.info.splits.items():
        [file] = made.glob(f"*-{split}.parquet")
        file.rename(folder / config / f"{split}.parquet")
        rows[split] = info.num_examples
    record = {"config": config, "rows": rows, "left_out": list(builder.left_out), "remarks": remarks}
    record_path(folder, config).write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
    return record


def put_in_place(new: Path, target: Path) -> None:
    """Exchanges folder `target` for `new`; what was there stays whole until the new one is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        new.rename(target)
        return
    old = new.with_name(f"{new.name}.old")
    try:
        target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


def refuse_overlap(default: Path, kept: list[Path]) -> None:
    """Configs that stay from an earlier build must not hold what is now a validation or test game."""
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
                    f"{folder.name}: from an earlier build, holds {len(shared)} games that are now of {split}, such "
                    f"as {shared[0]}; give --{folder.name} again, or delete {folder}"
                )


def refuse_foreign(configs: list[str], output: Path) -> None:
    """A build takes the place of an earlier one, of nothing else."""
    foreign = [output / config for config in configs if (output / config).exists()]
    foreign = [folder for folder in foreign if not record_path(output, folder.name).is_file()]
    if output != FOLDER and not any(output.glob("*/build.json")):
        foreign += [file for file in (output / "README.md", output / "BUILD.md") if file.exists()]
    if foreign:
        raise ArchiveError(f"--output {output}: {foreign[0].name} is there and of no build; name a folder of its own")


def build_all(configs: list[str], sources: dict, output: Path) -> list[dict]:
    """All configs or none: they are built beside the old ones, which go only when the last one is whole."""
    refuse_foreign(configs, output)
    output.mkdir(parents=True, exist_ok=True)
    for stale in output.glob(".building-*"):
        if time.time() - stale.stat().st_mtime > STALE:
            shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=output) as name:
        workplace = Path(name)
        records = []
        for config in configs:
            folder = workplace / f"of-{config}"
            folder.mkdir()
            records.append(build(config, sources, folder))
        refuse_overlap(workplace / "of-default" / "default", [output / name for name in KEPT if name not in configs])
        for config in configs:
            put_in_place(workplace / f"of-{config}" / config, output / config)
    (output / "BUILD.md").write_text(build_page(output), encoding="utf-8")
    if output != FOLDER:  # the project's own card is committed and stays as it is
        (output / "README.md").write_text(card(output), encoding="utf-8")
    stamp_built(output)
    return records


def push(output: Path, repo: str) -> str:
    """Uploads every config at hand, with the card that says how it was built, to a private dataset repository."""
    from huggingface_hub import CommitOperationAdd, HfApi, get_token

    files = sorted(output.glob("*/*.parquet"))
    operations = [CommitOperationAdd(str(file.relative_to(output)), str(file)) for file in files]
    operations.append(CommitOperationAdd("README.md", card(output).encode("utf-8")))
    api = HfApi()
    try:
        repo = api.create_repo(repo, repo_type="dataset", private=True, exist_ok=True).repo_id
        if not api.repo_info(repo, repo_type="dataset").private:
            raise ArchiveError(f"--push_to_hub {repo}: is public, and RotoWire's texts may not be; name another")
        return str(
            api.create_commit(repo, operations, repo_type="dataset", commit_message="RotoWire-Modified with writers")
        )
    except ArchiveError:
        raise
    except Exception as error:  # whatever the client raises: the network has a hundred ways to fail
        token = get_token()
        reason = str(error).replace(token, "***") if token else str(error)
        raise ArchiveError(
            f"--push_to_hub {repo}: {reason}; the data is built, so log in with `hf auth login` and push again"
        ) from None
