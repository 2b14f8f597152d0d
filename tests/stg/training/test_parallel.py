"""Data parallelism: two processes, or two accumulated passes, are one process with twice the batch."""

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


# 22 documents in steps of 8: the last step has 6, dealt as 3 and 3; with steps of 7 one process goes empty-handed.
TINY = [
    *("--documents", "22", "--epochs", "2", "--eval_documents", "5", "--max_length", "60", "--bleu_from_epoch", "0"),
    *("--model.hidden_size", "16", "--model.embedding_size", "8", "--model.context_size", "8", "--no-recap"),
    *(
        "--model.unknown_rate",
        "0",
        "--model.anonymous_rate",
        "0",
        "--model.dropout",
        "0",
        "--learning_rate",
        "0.01",
        "--warmup_steps",
        "0",
    ),
]


def run(root: Path, output: Path, *more: str, launch: tuple[str, ...] = (), documents: str = "22") -> dict:
    """Trains and returns the history of dev scores and the weights."""
    command = [sys.executable, *launch, str(root / "scripts" / "train.py"), *TINY, "--documents", documents]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}
    done = subprocess.run(
        [*command, "--output_dir", str(output), *more], capture_output=True, text=True, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    history = json.loads((output / "best" / "training.json").read_text())["history"]
    return {"history": history, "weights": load_file(output / "best" / "model.safetensors"), "said": done.stdout}


@pytest.fixture(scope="module")
def one_process(root, tmp_path_factory) -> dict:
    return run(root, tmp_path_factory.mktemp("one") / "run", "--batch_size", "8")


def assert_same_course(one: dict, other: dict) -> None:
    assert [line["step"] for line in one["history"]] == [line["step"] for line in other["history"]]
    for before, after in zip(one["history"], other["history"], strict=True):
        assert after["loss"] == pytest.approx(before["loss"], rel=1e-5)
    for name, weight in one["weights"].items():
        torch.testing.assert_close(other["weights"][name], weight, rtol=1e-4, atol=2e-6)


def test_two_processes_are_one_with_twice_the_batch(root, tmp_path, one_process):
    config = root / "configs" / "accelerate" / "cpu.yaml"
    launch = ("-m", "accelerate.commands.launch", "--config_file", str(config), "--main_process_port", "0")
    two = run(root, tmp_path / "two", "--batch_size", "4", launch=launch)
    assert two["said"].count("epoch 1/2") == 1, "only the first process speaks"
    assert_same_course(one_process, two)


def test_two_accumulated_passes_are_one_with_twice_the_batch(root, tmp_path, one_process):
    passes = ("--batch_size", "4", "--gradient_accumulation_steps", "2")
    assert_same_course(one_process, run(root, tmp_path / "passes", *passes))


@pytest.mark.parametrize(("documents", "processes", "passes"), [(8, 2, 1), (7, 2, 2), (1, 2, 1), (5, 4, 2), (3, 1, 2)])
def test_every_document_of_a_step_is_dealt_once(documents, processes, passes):
    step = np.arange(100, 100 + documents)
    dealt = [data.share(step, rank, processes, passes) for rank in range(processes)]
    assert sorted(np.concatenate([part for parts in dealt for part in parts])) == list(step)
    sizes = [len(part) for parts in dealt for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_an_epoch_sees_every_document_once_in_batches_of_similar_length():
    lengths = np.random.default_rng(0).integers(50, 400, size=1001)
    plan = data.plan_epoch(lengths, np.ones(1001, dtype=bool), 16, seed=1, epoch=0)
    assert sorted(np.concatenate(plan)) == list(range(1001))
    assert sorted(len(step) for step in plan) == [9] + [16] * 62
    padded = sum(len(step) * lengths[step].max() for step in plan)
    assert padded < 1.1 * lengths.sum()


def test_the_order_is_a_function_of_seed_and_epoch():
    lengths, chosen = np.arange(40), np.ones(40, dtype=bool)
    plans = [
        np.concatenate(data.plan_epoch(lengths, chosen, 4, seed, epoch)).tolist()
        for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    ]
    assert plans[0] == plans[1] and plans[0] != plans[2] and plans[0] != plans[3]


def test_a_process_without_documents_still_takes_part():
    class Task:
        examples = [{"labels": np.arange(3)}]

        def collate(self, examples):
            return {"labels": torch.tensor(examples[0]["labels"])}

    batch, counted = data.Batches(Task(), [np.array([], dtype=int)])[0]
    assert counted == 0 and len(batch["labels"]) == 3


@pytest.mark.parametrize("name", ["cpu", "one_gpu", "multi_gpu", "multi_machine"])
def test_accelerate_reads_its_configurations(root, name):
    from accelerate.commands.config.config_args import load_config_from_file

    path = root / "configs" / "accelerate" / f"{name}.yaml"
    config = load_config_from_file(str(path))
    assert config.num_processes == yaml.safe_load(path.read_text())["num_processes"]
