"""Data parallelism: two processes, or two accumulated passes, equal one process with twice the batch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file

from stg.training import data
from stg.training.loop import train
from tests.stg.training.test_training import parse


# 22 documents in steps of 8: one step has 6, three per process.
TINY = [
    *("--documents", "22", "--epochs", "2", "--eval_documents", "5", "--max_length", "60", "--bleu_from_epoch", "0"),
    *("--model.hidden_size", "16", "--model.embedding_size", "8", "--model.context_size", "8", "--no-recap"),
    *("--model.unknown_rate", "0", "--model.anonymous_rate", "0", "--model.dropout", "0"),
    *("--learning_rate", "0.01", "--warmup_steps", "0"),
]


def train_here(output: Path, *more: str) -> dict:
    """Trains in this process, which is faster than starting another; returns the history and the weights."""
    assert train(parse(*TINY, "--output_dir", str(output), *more)) == 0
    return outcome(output)


def outcome(output: Path) -> dict:
    history = json.loads((output / "best" / "training.json").read_text())["history"]
    return {"history": history, "weights": load_file(output / "best" / "model.safetensors")}


@pytest.fixture(scope="module")
def one_process(tmp_path_factory) -> dict:
    return train_here(tmp_path_factory.mktemp("one") / "run", "--batch_size", "8")


def assert_same_run(expected: dict, run: dict) -> None:
    assert [line["step"] for line in expected["history"]] == [line["step"] for line in run["history"]]
    for before, after in zip(expected["history"], run["history"], strict=True):
        assert after["loss"] == pytest.approx(before["loss"], rel=1e-5)
    for name, weight in expected["weights"].items():
        torch.testing.assert_close(run["weights"][name], weight, rtol=1e-4, atol=2e-6)


def test_accelerate_launch_with_two_processes_equals_one_with_twice_the_batch(root, tmp_path, one_process):
    config = root / "configs" / "accelerate" / "cpu.yaml"
    launch = ("-m", "accelerate.commands.launch", "--config_file", str(config), "--main_process_port", "0")
    command = [sys.executable, *launch, str(root / "scripts" / "train.py"), *TINY, "--batch_size", "4"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}
    done = subprocess.run(
        [*command, "--output_dir", str(tmp_path / "two")], capture_output=True, text=True, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("epoch 1/2") == 1, "only the main process prints"
    assert_same_run(one_process, outcome(tmp_path / "two"))


def test_two_accumulated_passes_equal_one_with_twice_the_batch(tmp_path, one_process):
    passes = ("--batch_size", "4", "--gradient_accumulation_steps", "2")
    assert_same_run(one_process, train_here(tmp_path / "passes", *passes))


@pytest.mark.parametrize(("documents", "processes", "passes"), [(8, 2, 1), (7, 2, 2), (1, 2, 1), (5, 4, 2), (3, 1, 2)])
def test_every_document_of_a_step_is_in_one_shard(documents, processes, passes):
    step = np.arange(100, 100 + documents)
    shards = [shard for rank in range(processes) for shard in data.shard_step(step, rank, processes, passes)]
    assert sorted(np.concatenate(shards)) == list(step)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


def test_epoch_has_every_document_once_in_batches_of_similar_length():
    lengths = np.random.default_rng(0).integers(50, 400, size=1001)
    plan = data.plan_epoch(lengths, np.ones(1001, dtype=bool), 16, seed=1, epoch=0)
    assert sorted(np.concatenate(plan)) == list(range(1001))
    assert sorted(len(step) for step in plan) == [9] + [16] * 62
    padded = sum(len(step) * lengths[step].max() for step in plan)
    assert padded < 1.1 * lengths.sum()


def test_order_is_a_function_of_seed_and_epoch():
    lengths, included = np.arange(40), np.ones(40, dtype=bool)
    plans = [
        np.concatenate(data.plan_epoch(lengths, included, 4, seed, epoch)).tolist()
        for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    ]
    assert plans[0] == plans[1] and plans[0] != plans[2] and plans[0] != plans[3]


def test_process_without_documents_gets_a_dummy_batch():
    class Task:
        examples = [{"labels": np.arange(3)}]

        def collate(self, examples):
            return {"labels": torch.tensor(examples[0]["labels"])}

    batch, counted = data.Batches(Task(), [np.array([], dtype=int)])[0]
    assert counted == 0 and len(batch["labels"]) == 3


@pytest.mark.parametrize("name", ["cpu", "one_gpu", "multi_gpu", "multi_machine"])
def test_accelerate_reads_the_shipped_configurations(root, name):
    from accelerate.commands.config.config_args import load_config_from_file

    path = root / "configs" / "accelerate" / f"{name}.yaml"
    config = load_config_from_file(str(path))
    assert config.num_processes == yaml.safe_load(path.read_text())["num_processes"]
