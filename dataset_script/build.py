"""Builds RotoWire-Modified as Parquet, for load_dataset("rotowire_modified").

    python dataset_script/build.py                       # downloads RotoWire and the lookup tables from GitHub
    python dataset_script/build.py --archive rotowire.tar.bz2 --lookup-dir rotowire-modified
    python dataset_script/build.py --archive rotowire.tar.bz2 --lookup-dir rotowire-modified --allow-missing \\
        --extra extra_2017_2019.json.xz --partial train_partial.json.xz

The summaries belong to rotowire.com: the files stay on this machine, and a Hub repository made here is private.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path


ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # run as a file, so that this folder stands where the packages' root should

import datasets  # noqa: E402
import pyarrow.parquet as parquet  # noqa: E402
from datasets.exceptions import DatasetGenerationError  # noqa: E402

from dataset_script.archive import SOURCE, ArchiveError, download_archive, download_lookups  # noqa: E402
from dataset_script.card import FOLDER, build_page, card, record_path, stamp_built  # noqa: E402
from dataset_script.rotowire_modified import RotowireModified  # noqa: E402
from modeling_stg.game_stg import GameWarning, StgError  # noqa: E402
from scripts.console import exits_kindly, parser  # noqa: E402


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


def say(record: dict) -> None:
    rows = ", ".join(f"{split} {count:,}" for split, count in record["rows"].items())
    print(f"{record['config']}: {rows}")
    for line in record["left_out"]:
        print(f"  left out: {line}")
    for line in record["remarks"][:3]:
        print(f"  remark: {line}")
    if len(record["remarks"]) > 3:
        print(f"  remark: {len(record['remarks']) - 3} more in BUILD.md")


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
