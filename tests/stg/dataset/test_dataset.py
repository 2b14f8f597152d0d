"""The dataset builder on a small synthetic archive, its checks, and the real archive where it is available."""

import bz2
import io
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import datasets
import pytest

from modeling_stg.errors import GameError, StgError
from modeling_stg.game import Game, read_games
from modeling_stg.schema import STYLES
from stg.dataset import archive, build, join, open_dataset
from stg.dataset.archive import ArchiveError, Lookup, read_archive, read_games_file, read_lookups
from stg.dataset.card import FOLDER, digest
from stg.dataset.reading import DatasetError
from stg.dataset.rotowire_modified import RotowireModified
from stg.dataset.schema import FEATURES, WRITER_LABELS
from tests.stg.dataset.test_downloads import served


GAMES = {"train": 30, "valid": 8, "test": 8}
ROWS = {"train": 20, "valid": 6, "test": 5}


@pytest.fixture(autouse=True)
def quiet():
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture(scope="module")
def games() -> dict[str, list[dict]]:
    """Games of the sample league in RotoWire's format, under its split names."""
    rows = open_dataset(config="sample", split="train").select(range(sum(GAMES.values()) + 10))
    games = [Game.from_json(row).to_json() | {"summary": row["summary"]} for row in rows]
    for game in games:
        del game["game_id"]
    iterator = iter(games)
    return {split: [next(iterator) for _ in range(count)] for split, count in GAMES.items()} | {"more": list(iterator)}


@pytest.fixture
def sources(tmp_path, games, monkeypatch) -> dict:
    """A small archive in RotoWire's layout, lookup tables, extra and partial games."""
    monkeypatch.setattr(join, "SOURCE_GAMES", GAMES)
    monkeypatch.setattr(join, "JOINED_ROWS", ROWS)
    write_archive(tmp_path / "rotowire.tar.bz2", games)
    tables = {
        "train": [(0, index, index % 32) for index in range(29, 11, -1)] + [(1, 7, 3), (2, 7, 4)],
        "valid": [(1, index, 22) for index in range(5)] + [(2, 6, 1)],
        "test": [(2, index, 31) for index in range(5)],
    }
    for split, rows in tables.items():
        (tmp_path / f"{split}-lookup.txt").write_text("".join(f"{a},{b},{c}\n" for a, b, c in rows))
    # One extra game is also a validation game. One partial game is a test game, one has its whole text in default.
    extra = [*games["more"], games["valid"][0]]
    partial = [{**game, "train_index": index} for index, game in ((3, games["more"][0]), (4, games["test"][1]))]
    partial.append({**games["train"][15], "train_index": 15})
    for name, data in (("extra", extra), ("partial", partial)):
        with lzma.open(tmp_path / f"{name}.json.xz", "wt", encoding="utf-8") as file:
            json.dump(data, file)
    return {
        "archive": str(tmp_path / "rotowire.tar.bz2"),
        "lookup_dir": str(tmp_path),
        "extra": [str(tmp_path / "extra.json.xz")],
        "partial": str(tmp_path / "partial.json.xz"),
        "allow_missing": False,
    }


def write_archive(path: Path, games: dict[str, list]) -> None:
    with tarfile.open(path, "w:bz2") as tar:
        for split in ("train", "valid", "test"):
            data = json.dumps(games[split]).encode()
            member = tarfile.TarInfo(f"rotowire/{split}.json")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_build_and_load(sources, tmp_path, games, monkeypatch):
    output = tmp_path / "rotowire_modified"
    records = build.build_all(["default", "extra", "partial"], sources, output)
    assert records[0]["rows"] == {"train": 20, "validation": 6, "test": 5} and records[0]["left_out"] == []
    assert records[1]["rows"] == {"train": 10}
    assert records[1]["left_out"] == ["1 games that default has in validation"]
    assert records[2]["rows"] == {"train": 1}
    assert records[2]["left_out"] == [
        "1 games that default has in test",
        "1 games whose whole text is in default train",
    ]
    monkeypatch.chdir(tmp_path)
    data = datasets.load_dataset("rotowire_modified")
    assert {split: len(rows) for split, rows in data.items()} == {"train": 20, "validation": 6, "test": 5}
    assert data["train"].features == FEATURES == datasets.load_dataset("rotowire_modified", "extra")["train"].features
    first = data["train"][0]
    assert (first["source_split"], first["source_index"], WRITER_LABELS[first["writer"]]) == ("train", 29, "29")
    assert first["summary"] == games["train"][29]["summary"] and first["mentions"] == []
    expected = Game.from_json(games["train"][29])
    assert Game.from_json(first) == expected and first["game_id"] == expected.game_id
    assert [row["source_split"] for row in data["train"]][-2:] == ["valid", "test"]
    streamed = datasets.load_dataset("rotowire_modified", streaming=True)
    assert list(streamed["validation"]) == list(data["validation"])
    writers = {config: set(open_dataset(output, config, "train")["writer"]) for config in ("extra", "partial")}
    assert writers == {"extra": {WRITER_LABELS.index("unknown")}, "partial": {WRITER_LABELS.index("unknown")}}
    assert "1 games that default has in test" in (output / "BUILD.md").read_text()


def test_builder_works_without_the_command(sources, tmp_path):
    builder = RotowireModified(config_name="default", cache_dir=str(tmp_path / "cache"), **sources)
    builder.download_and_prepare()
    assert len(builder.as_dataset("validation")) == 6
    assert builder.info.features["writer"].names == [*map(str, range(32)), "unknown", *STYLES]


def test_archive_may_be_a_folder(sources, tmp_path, games):
    for folder in (tmp_path / "flat", tmp_path / "deep" / "rotowire"):
        folder.mkdir(parents=True)
        for split in GAMES:
            (folder / f"{split}.json").write_text(json.dumps(games[split]))
    expected = read_archive(sources["archive"])
    assert read_archive(tmp_path / "flat") == read_archive(tmp_path / "deep") == expected


def test_incomplete_archive_needs_allow_missing(sources, tmp_path, games):
    write_archive(Path(sources["archive"]), games | {"train": games["train"][:20], "test": games["test"][:7]})
    with pytest.raises(ArchiveError) as caught:
        build.build_all(["default"], sources, tmp_path / "out")
    assert str(caught.value) == (
        "the archive is incomplete: train.json holds 20 of 30 games; test.json holds 7 of 8 games; "
        "train has 9 of 20 rows; 11 missing: train 20-29; test 7; "
        "get the whole one, or add --allow-missing to skip them"
    )
    assert list((tmp_path / "out").iterdir()) == []
    build.build_all(["default"], {**sources, "allow_missing": True}, tmp_path / "out")
    assert "train has 9 of 20 rows; 11 missing: train 20-29; test 7" in (tmp_path / "out" / "BUILD.md").read_text()
    assert "11 missing: train 20-29; test 7" in (tmp_path / "out" / "README.md").read_text()
    assert len(open_dataset(tmp_path / "out", "default", "train")) == 9


def test_missing_indices_are_abbreviated():
    missing = [Lookup("train", index, 0) for index in range(0, 40, 2)]
    assert join._index_ranges(missing) == "train 0, 2, 4, 6, 8, ... 38 (20 ranges)"


def test_wrong_number_of_games_or_rows_is_refused(sources, tmp_path, games):
    with pytest.raises(ArchiveError, match="train.json: 31 games instead of 30; this is not RotoWire"):
        join.join_default(games | {"train": games["train"] + games["more"][:1]}, read_lookups(tmp_path))
    lookups = read_lookups(tmp_path)
    with pytest.raises(ArchiveError, match="test-lookup.txt: 4 rows instead of 5"):
        join.join_default(games, lookups | {"test": lookups["test"][:-1]}, allow_missing=True)


def test_game_in_two_splits_is_refused(sources, tmp_path, games):
    twice = games | {"test": [games["train"][20], *games["test"][1:]]}
    with pytest.raises(ArchiveError, match=r"test.json\[0\]: game .* is in both test and train"):
        join.join_default(twice, read_lookups(tmp_path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0,1", "train-lookup.txt:21: '0,1' is not `split,index,writer`"),
        ("0,x,1", "is not `split,index,writer`"),
        ("0,-1,1", "is not `split,index,writer`"),
        ("3,1,1", "train-lookup.txt:21: split 3 is not 0"),
        ("0,1,32", "train-lookup.txt:21: writer 32 is not one of 0 to 31"),
    ],
)
def test_invalid_lookup_lines_are_named(sources, tmp_path, line, message):
    with (tmp_path / "train-lookup.txt").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(ArchiveError, match="lookup") as caught:
        read_lookups(tmp_path)
    assert message in str(caught.value)


def test_damaged_or_missing_files_are_named(tmp_path, sources):
    whole = Path(sources["archive"]).read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"<html>not found</html>", bz2.compress(b"x" * 2000)):
        (tmp_path / "broken.tar.bz2").write_bytes(content)
        with pytest.raises(ArchiveError, match="broken.tar.bz2: "):
            read_archive(tmp_path / "broken.tar.bz2")
    whole = Path(sources["partial"]).read_bytes()
    for content in (whole[:-100], b"[]", lzma.compress(b"{}"), lzma.compress(b"[")):
        (tmp_path / "broken.json.xz").write_bytes(content)
        with pytest.raises(ArchiveError, match="broken.json.xz: "):
            read_games_file(tmp_path / "broken.json.xz")
    for missing in ("no.tar.bz2", "folder"):
        with pytest.raises(ArchiveError, match="no such"):
            read_archive(tmp_path / missing)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ArchiveError, match="train.json: no such file"):
        read_archive(tmp_path / "folder")
    with pytest.raises(ArchiveError, match="check --lookup-dir"):
        read_lookups(tmp_path / "folder")


def test_partial_games_need_a_train_index(sources, tmp_path, games):
    lookups = read_lookups(tmp_path)
    default = join.join_default(games, lookups)
    for wrong in (None, True, "3", -1, 30):
        with pytest.raises(GameError, match=r"partial\[0\].train_index"):
            join.join_partial([{**games["more"][0], "train_index": wrong}], lookups, default)


def test_failed_build_changes_nothing(sources, tmp_path, games, monkeypatch):
    output = tmp_path / "out"
    build.build_all(["default", "extra"], sources, output)
    before = snapshot(output)
    changed = {split: list(rows) for split, rows in games.items()}
    changed["test"][4] = {**changed["test"][4], "summary": "a string"}
    write_archive(Path(sources["archive"]), changed)
    with pytest.raises(GameError, match=r"^test\[4\]\.summary: is not a list of words"):
        build.build_all(["default", "extra"], sources, output)
    assert snapshot(output) == before
    write_archive(Path(sources["archive"]), games)
    whole_row = join.Entry.row

    def interrupted(entry):
        if entry.source_split == "extra" and entry.source_index == 5:
            raise KeyboardInterrupt
        return whole_row(entry)

    monkeypatch.setattr(join.Entry, "row", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build.build_all(["default", "extra"], sources, output)
    assert snapshot(output) == before


def test_terminated_build_changes_nothing(sources, tmp_path, root):
    """Terminates a build while it reads its last source from a pipe that never ends."""
    output = tmp_path / "out"
    build.build_all(["default"], sources, output)
    before = snapshot(output)
    os.mkfifo(tmp_path / "endless.json")
    program = (
        "import sys; from stg.dataset import join; from stg.cli import data; "
        f"join.SOURCE_GAMES, join.JOINED_ROWS = {GAMES!r}, {ROWS!r}; "
        f"sys.argv[1:] = ['--archive', {sources['archive']!r}, '--lookup-dir', {sources['lookup_dir']!r}, "
        f"'--extra', {str(tmp_path / 'endless.json')!r}, '--output', {str(output)!r}]; data.main()"
    )
    process = subprocess.Popen([sys.executable, "-c", program], cwd=root, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not list(output.glob(".building-*/of-default/default/build.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert list(output.glob(".building-*")), "the build was not far enough to be interrupted"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
    finally:
        process.kill()
    assert snapshot(output) == before


def test_sources_are_downloaded_once(sources, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(archive, "HASHES", {})
    site = tmp_path / "site"
    for path, file in (
        (archive.ARCHIVE_PATH, sources["archive"]),
        *((archive.LOOKUP_PATH.format(split=split), tmp_path / f"{split}-lookup.txt") for split in GAMES),
    ):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, site / path)
    with served(site) as source:
        records = build.build_all(["default"], {"source": source}, tmp_path / "out")
        assert records[0]["rows"] == {"train": 20, "validation": 6, "test": 5}
    assert archive.download_archive("http://127.0.0.1:9").is_file()  # from the cache


def test_push_to_hub_is_private_and_carries_the_card(sources, tmp_path, monkeypatch):
    import huggingface_hub

    calls = {}

    class Api:
        def create_repo(self, repo, **options):
            calls["repo"] = options
            return huggingface_hub.RepoUrl(f"https://huggingface.co/datasets/{repo}")

        def repo_info(self, repo, repo_type):
            return huggingface_hub.hf_api.DatasetInfo(id=repo, private=repo != "someone/public")

        def create_commit(self, repo, operations, **options):
            calls["files"] = {operation.path_in_repo: operation.path_or_fileobj for operation in operations}
            return f"https://huggingface.co/datasets/{repo}"

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    build.build_all(["default", "extra"], sources, tmp_path / "out")
    assert build.push(tmp_path / "out", "someone/rotowire").endswith("someone/rotowire")
    assert calls["repo"] == {"repo_type": "dataset", "private": True, "exist_ok": True}
    assert set(calls["files"]) == {
        "README.md",
        *(f"default/{split}.parquet" for split in ("train", "validation", "test")),
        "extra/train.parquet",
    }
    card = calls["files"]["README.md"].decode()
    assert card.startswith("---\n") and "games that default has in validation" in card
    calls.clear()
    with pytest.raises(StgError, match="someone/public: is public; RotoWire's texts need a private repository"):
        build.push(tmp_path / "out", "someone/public")
    assert "files" not in calls


def test_rebuilt_folder_is_not_served_from_the_cache(sources, tmp_path, games):
    output = tmp_path / "rotowire_modified"
    build.build_all(["default"], sources, output)
    first = datasets.load_dataset(str(output))["test"]
    again = open_dataset(output, "default", "test")
    changed = {split: list(rows) for split, rows in games.items()}
    changed["test"][0] = {**changed["test"][0], "summary": ["another", "text", "."]}
    write_archive(Path(sources["archive"]), changed)
    build.build_all(["default"], sources, output)
    assert first[0]["summary"] == again[0]["summary"] == games["test"][0]["summary"]
    assert datasets.load_dataset(str(output))["test"][0]["summary"] == ["another", "text", "."]
    assert open_dataset(output, "default", "test")[0]["summary"] == ["another", "text", "."]


def test_card_has_the_digest_of_the_sample(root):
    remedy = "run `stg league` after changing the sample league"
    assert f"description: content {digest(FOLDER, 'sample')}" in (FOLDER / "README.md").read_text(), remedy


def test_missing_config_or_split_says_how_to_get_it(tmp_path):
    with pytest.raises(DatasetError) as caught:
        open_dataset(tmp_path, "default")
    assert "has not been built; build it with: stg data" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(DatasetError, match="use one of default, extra, partial, house, sample"):
        open_dataset(config="defualt")
    with pytest.raises(DatasetError, match="use one of train, validation, test"):
        open_dataset(config="sample", split="valid")


def test_load_dataset_loads_the_sample_from_the_root(root, monkeypatch):
    monkeypatch.chdir(root)
    sample = datasets.load_dataset("rotowire_modified", "sample")
    assert {split: len(rows) for split, rows in sample.items()} == {"train": 400, "validation": 60, "test": 60}
    assert sample["train"].features == FEATURES
    streamed = datasets.load_dataset("rotowire_modified", "sample", split="test", streaming=True)
    assert next(iter(streamed)) == sample["test"][0]


def test_example_is_a_game_of_the_sample_league(root):
    [example] = read_games(root / "examples" / "sample_league.json")
    assert example in [Game.from_json(row) for row in open_dataset(config="sample", split="test")]


def test_build_command_reports_errors_and_help(root, tmp_path):
    def run(*arguments):
        command = [sys.executable, "scripts/data.py", *arguments]
        return subprocess.run(command, cwd=root, capture_output=True, text=True)

    failed = run("--archive", "no.tar.bz2", "--lookup-dir", str(tmp_path), "--output", str(tmp_path / "out"))
    assert failed.returncode == 2 and failed.stderr.startswith("error: ") and failed.stderr.count("\n") == 1
    helped = run("--help")
    assert helped.returncode == 0 and "stg data --archive rotowire.tar.bz2" in helped.stdout
    assert run("--nonsense").returncode == 2


@pytest.mark.rotowire
@pytest.mark.filterwarnings("ignore::modeling_stg.game.GameWarning")
def test_real_archive_has_the_published_counts(rotowire_dir, tmp_path):
    sources = {
        "archive": str(rotowire_dir / "rotowire.tar.bz2"),
        "lookup_dir": str(rotowire_dir / "rotowire-modified"),
        "partial": str(rotowire_dir / "train_partial.json.xz"),
        "extra": [str(rotowire_dir / "extra_2017_2019.json.xz")],
    }
    lookups = read_lookups(sources["lookup_dir"])
    games = read_archive(sources["archive"])
    default = join.join_default(games, lookups, allow_missing=True)
    assert {split: len(rows) for split, rows in default.entries.items()} == {
        "train": 890,
        "validation": 532,
        "test": 497,
    }
    with pytest.raises(ArchiveError, match="train has 890 of 2,705 rows; 1,815 missing: train 1009-1017, .*3397"):
        join.join_default(games, lookups)
    extra = join.join_extra(read_games_file(sources["extra"][0]), default)
    assert len(extra.entries["train"]) == 2124 and extra.left_out == []
    partial = join.join_partial(read_games_file(sources["partial"]), lookups, default)
    assert len(partial.entries["train"]) == 2311 - 48 - 34
    assert sum(entry.writer != "unknown" for entry in partial.entries["train"]) == 1806
    rows = [entry.row() for entry in default.entries["test"]]
    assert len({row["game_id"] for row in rows}) == 497
    assert {row["writer"] for row in rows} <= set(WRITER_LABELS[:32])


def test_only_our_own_texts_are_committed(root):
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "rotowire_modified"], cwd=root, capture_output=True, text=True).stdout
    files = set(listed.split())
    assert files == {
        "rotowire_modified/.gitignore",
        "rotowire_modified/README.md",
        "rotowire_modified/HOUSE.md",
        *(f"rotowire_modified/house/{split}.parquet" for split in ("train", "validation")),
        *(f"rotowire_modified/sample/{split}.parquet" for split in ("train", "validation", "test")),
    }
    assert (
        sum(os.path.getsize(FOLDER / "sample" / f"{split}.parquet") for split in ("train", "validation", "test")) < 2e6
    )
