"""Checkpoints are atomic, rotated and verified, and resume bit-exactly; signals, full disks, damaged files."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from stg.training import checkpoint
from stg.training.checkpoint import Checkpoint, CheckpointError


TINY = [
    *("--documents", "24", "--epochs", "3", "--batch_size", "4", "--eval_documents", "4", "--save_steps", "1"),
    *("--max_length", "60", "--bleu_from_epoch", "0", "--max_new_tokens", "20", "--no-recap"),
    *("--model.hidden_size", "16", "--model.embedding_size", "8", "--model.context_size", "8"),
]


def command(root: Path, output: Path, *more: str) -> list[str]:
    return [sys.executable, str(root / "scripts" / "train.py"), *TINY, "--output_dir", str(output), *more]


@pytest.fixture
def environment(root) -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}


def make_checkpoint(step: int) -> Checkpoint:
    return Checkpoint({"w": torch.full((3,), float(step))}, {"w/exp_avg": torch.ones(3)}, {"step": step})


def test_checkpoint_round_trips(tmp_path):
    checkpoint.save(tmp_path, make_checkpoint(7), keep=2)
    loaded = checkpoint.load_latest(tmp_path)
    assert loaded.state == {"step": 7}
    assert torch.equal(loaded.model["w"], torch.full((3,), 7.0))
    assert list(loaded.optimizer) == ["w/exp_avg"]


def test_old_checkpoints_rotate(tmp_path):
    for step in (1, 2, 3, 10):
        checkpoint.save(tmp_path, make_checkpoint(step), keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step_00000003", "step_00000010"]


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["truncated", "altered", "missing"])
def test_damaged_checkpoint_is_quarantined_and_reported(tmp_path, name, damage):
    for step in (1, 2):
        checkpoint.save(tmp_path, make_checkpoint(step), keep=2)
    file = tmp_path / "step_00000002" / name
    content = file.read_bytes()
    if damage == "missing":
        file.unlink()
    else:
        middle = len(content) // 2
        altered = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        file.write_bytes(content[:middle] if damage == "truncated" else altered)
    printed = []
    checkpoint.quarantine_damaged(tmp_path, printed.append)
    assert checkpoint.load_latest(tmp_path).state["step"] == 1
    assert len(printed) == 1 and "step_00000002" in printed[0]
    assert "damaged" in printed[0] and "\n" not in printed[0]


def test_no_checkpoint_is_none(tmp_path):
    assert checkpoint.load_latest(tmp_path / "nowhere") is None


@pytest.mark.parametrize("call", range(1, 12))
def test_full_disk_at_any_write_keeps_the_last_checkpoint(tmp_path, monkeypatch, call):
    """The disk fills up at the first, second, ... operation of a save: the earlier checkpoint stays intact."""
    checkpoint.save(tmp_path, make_checkpoint(1), keep=2)
    calls = 0

    def failing(original):
        def wrapped(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == call:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return original(*args, **kwargs)

        return wrapped

    monkeypatch.setattr(checkpoint, "write_durably", failing(checkpoint.write_durably))
    monkeypatch.setattr(os, "fsync", failing(os.fsync))
    try:
        checkpoint.save(tmp_path, make_checkpoint(2), keep=2)
    except CheckpointError as error:
        assert "No space left" in str(error) and "\n" not in str(error)
        assert calls == call
    monkeypatch.undo()
    checkpoint.clean_up(tmp_path)
    assert checkpoint.load_latest(tmp_path).state["step"] in (1, 2)
    assert not list(tmp_path.glob(".*"))


def test_leftovers_of_a_killed_run_are_cleaned_up(tmp_path):
    (tmp_path / ".writing-best").mkdir()
    (tmp_path / ".replaced-best").mkdir()
    (tmp_path / ".replaced-best" / "config.json").write_text("{}")
    checkpoint.clean_up(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["best"]
    assert (tmp_path / "best" / "config.json").exists()


def test_checkpoints_have_no_pickle(tmp_path):
    path = checkpoint.save(tmp_path, make_checkpoint(1), keep=2)
    assert {file.suffix for file in path.iterdir()} == {".safetensors", ".json"}


def test_optimizer_state_round_trips_by_parameter_name():
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), amsgrad=True, fused=True)
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    tensors = checkpoint.optimizer_tensors(model, optimizer)
    assert set(tensors) == {
        f"{name}/{key}" for name in ("weight", "bias") for key in ("step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    }
    again = torch.optim.Adam(model.parameters(), amsgrad=True, fused=True)
    checkpoint.restore_optimizer(model, again, tensors)
    before, after = optimizer.state[model.weight], again.state[model.weight]
    assert all(torch.equal(before[key], after[key]) for key in before)


@pytest.mark.slow
def test_run_killed_three_times_ends_with_the_same_bits(root, tmp_path, environment):
    """After SIGKILLs at random moments and --resume, weights and optimiser equal those of an uninterrupted run."""
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "env": environment, "text": True}
    whole = subprocess.run(command(root, tmp_path / "whole"), **quiet, timeout=300)
    assert whole.returncode == 0, whole.stdout
    chance = random.Random(20240611)
    kills = 0
    while True:
        run = subprocess.Popen(command(root, tmp_path / "killed", "--resume"), **quiet)
        if kills == 3:
            output, _ = run.communicate(timeout=300)
            break
        wait_for_a_new_checkpoint(run, tmp_path / "killed" / "checkpoints")
        time.sleep(chance.uniform(0, 0.2))
        run.kill()
        run.communicate()
        kills += 1
    assert run.returncode == 0, output
    assert "resuming at epoch" in output
    for name in ("best/model.safetensors", "checkpoints/step_00000018/optimizer.safetensors"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "killed" / name).read_bytes(), name


def wait_for_a_new_checkpoint(run: subprocess.Popen, folder: Path) -> None:
    before = checkpoint.latest_path(folder)
    for _ in range(6000):
        if checkpoint.latest_path(folder) != before or run.poll() is not None:
            return
        time.sleep(0.01)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signal_saves_before_exit(root, tmp_path, environment, number, code):
    """Even without periodic checkpoints, a stopped run leaves one and says how to continue."""
    run = subprocess.Popen(
        command(root, tmp_path, "--save_steps", "100000", "--epochs", "100000"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        text=True,
    )
    for line in run.stdout:
        if line.startswith("epoch 1/"):
            break
    time.sleep(0.3)
    run.send_signal(number)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == code, output
    assert "--resume" in output and "Traceback" not in output
    assert checkpoint.load_latest(tmp_path / "checkpoints").state["step"] > 6
