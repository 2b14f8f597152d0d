"""Two runs on one output, planted links, missing models: refused at once, and nothing is mixed or lost."""

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file, save_file

from modeling_stg.errors import StgError
from stg.cli.annotate import Progress
from stg.cli.resume import PartialOutput
from stg.loading import load_model
from stg.outputs import sole_writer
from stg.training import release


ROWS = [[index, f"game{index}"] for index in range(5)]
RESULTS = [{"game_id": f"game{index}", "text": f"text {index}"} for index in range(5)]


def partial(tmp_path: Path) -> PartialOutput:
    return PartialOutput(str(tmp_path / "out.txt"), "run", ROWS)


def test_a_second_run_on_one_output_is_refused(tmp_path):
    first, second = partial(tmp_path), partial(tmp_path)
    with first.written_by_this_run():
        first.read()
        first.append(RESULTS[:2])
        with pytest.raises(StgError, match="another run is writing it"):
            with second.written_by_this_run():
                pass
        first.append(RESULTS[2:3])
    assert partial(tmp_path).read() == RESULTS[:3]


def test_lines_of_other_rows_are_not_taken_for_these(tmp_path):
    """As two runs at once left them before: doubled, and missing."""
    run = partial(tmp_path)
    with run.written_by_this_run():
        run.read()
        run.append(RESULTS[:3])
    lines = run.path.read_text().splitlines(keepends=True)
    for order, kept in (((0, 1, 2, 2, 3), 2), ((0, 1, 3), 1), ((0, 2), 0)):
        run.path.write_text("".join(lines[number] for number in order))
        resumed = partial(tmp_path)
        assert resumed.read() == RESULTS[:kept]
        with resumed.written_by_this_run():
            resumed.read()
            resumed.append(RESULTS[kept:])
        assert partial(tmp_path).read() == RESULTS


def test_a_run_that_fails_early_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        with partial(tmp_path).written_by_this_run():
            raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_planted_link_is_not_written_through(tmp_path):
    (tmp_path / "victim").write_text("keep me")
    (tmp_path / "out.txt.part").symlink_to(tmp_path / "victim")
    with pytest.raises(StgError, match=r"out\.txt\.part: is a symbolic link"):
        with partial(tmp_path).written_by_this_run():
            pass
    assert (tmp_path / "victim").read_text() == "keep me"


def test_annotation_keeps_only_lines_of_the_right_summaries(tmp_path):
    class Annotator:
        identity = "x"

    table = pa.table({"summary": [[f"word{index}"] for index in range(4)]})
    done = [{"mentions": [index], "unexplained": []} for index in range(4)]
    progress = Progress(tmp_path / "train.parquet", table, Annotator(), None)
    progress.add(done[:3])
    progress.close()
    lines = progress.path.read_text().splitlines(keepends=True)
    for order, kept in (((0, 1, 2, 3), 3), ((0, 1, 3), 1), ((0, 1, 1, 2), 1), ((0, 2), 0)):
        progress.path.write_text("".join(lines[number] for number in order))
        assert Progress(tmp_path / "train.parquet", table, Annotator(), None).done == done[:kept]


def test_annotating_a_locked_folder_is_refused(root, tmp_path, capsys):
    from stg.cli import annotate

    folder = tmp_path / "data" / "house"
    folder.mkdir(parents=True)
    rows = pq.read_table(root / "rotowire_modified" / "house" / "validation.parquet").slice(0, 2)
    pq.write_table(rows, folder / "train.parquet")
    before = (folder / "train.parquet").read_bytes()
    with sole_writer(folder), pytest.raises(SystemExit) as stopped:
        annotate.main(["--dataset", str(tmp_path / "data"), "--config", "house", "--no-extractor"])
    assert stopped.value.code == 2 and "another run is writing it" in capsys.readouterr().err
    assert (folder / "train.parquet").read_bytes() == before and len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("name", ["runs/nowhere/best", "stg/nowhere", "./user/name", "nowhere", "/nowhere/at/all"])
def test_a_missing_local_model_is_not_looked_up(name, root, monkeypatch):
    monkeypatch.chdir(root)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    started = time.monotonic()
    with pytest.raises(StgError, match=f"--model {name}: is not a folder; train one"):
        load_model(name)
    assert time.monotonic() - started < 2


def test_weights_that_are_not_numbers_are_refused(root, tmp_path):
    folder = Path(shutil.copytree(root / "modeling_stg" / "no_writer", tmp_path / "model"))
    weights = load_file(folder / "model.safetensors")
    name = min(weights)
    weights[name] = np.full_like(weights[name], np.nan)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(StgError, match="its weights hold values that are not numbers"):
        load_model(str(folder))


def test_a_release_needs_no_git(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert release.provenance()["commit"] == "unknown: no git checkout, or no git"


def test_generate_creates_no_folder(root, tmp_path, capsys):
    from stg.cli import generate

    with pytest.raises(SystemExit) as stopped:
        generate.main(["--games", str(root / "examples" / "bucks_at_knicks.json"), "--output", f"{tmp_path}/no/x.txt"])
    assert stopped.value.code == 2 and "its folder does not exist; create it first" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
