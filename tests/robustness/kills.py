"""Kills commands with SIGKILL at random moments, resumes them, and compares with runs that nobody disturbed.

  python -m tests.robustness.kills --kills 20 --only generate train

A command is killed until its share of the kills is used up, then runs to its end. Its output must equal, byte by byte
or tensor by tensor, that of an undisturbed run, and nothing else may lie beside it.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from safetensors.numpy import load_file

from tests.helpers.hub_server import HubServer


ROOT = Path(__file__).resolve().parents[2]
STG = [sys.executable, "-c", "from stg.cli import main; main()"]
TRAIN = (
    "train --documents 24 --epochs 3 --batch_size 4 --eval_documents 4 --bleu_from_epoch 0 --max_length 40 "
    "--save_steps 1 --model.hidden_size 16 --model.embedding_size 8 --model.context_size 8 --max_new_tokens 20 "
    "--no-recap --resume"
).split()


@dataclass
class Command:
    """A command that writes into a folder, and what is compared of that folder."""

    arguments: Callable[[Path], list[str]]
    prepare: Callable[[Path], None]
    content: Callable[[Path], object]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def tables(folder: Path) -> dict[str, list]:
    """The rows of the Parquet files, and the names of all other files."""
    return {
        name: pq.read_table(folder / name).to_pylist() if name.endswith(".parquet") else [] for name in files(folder)
    }


def weights(folder: Path) -> dict[str, bytes]:
    tensors = load_file(folder / "run" / "best" / "model.safetensors")
    assert not list(folder.rglob(".writing-*")) and not list(folder.rglob(".replaced-*"))
    return {name: value.tobytes() for name, value in tensors.items()}


def prepare_texts(folder: Path) -> None:
    (folder / "default").mkdir(parents=True)
    rows = pq.read_table(ROOT / "rotowire_modified" / "house" / "train.parquet").slice(0, 192)
    pq.write_table(rows, folder / "default" / "train.parquet")


def prepare_nothing(folder: Path) -> None:
    folder.mkdir(parents=True)


def commands(hub: HubServer) -> dict[str, Command]:
    examples = ROOT / "examples"

    def pushed(folder: Path) -> object:
        head = hub.repositories[f"models/U/{folder.name}"].head
        return {name: data for name, data in head.files.items() if name != "README.md"}

    return {
        "generate": Command(
            lambda folder: [
                *("generate", "--dataset", "rotowire_modified", "--config", "sample", "--split", "test[:12]"),
                *(
                    "--model",
                    "modeling_stg/no_writer",
                    "--batch-size",
                    "1",
                    "--no-check",
                    "--set",
                    "max_new_tokens=40",
                ),
                *("min_new_tokens=0", "--output", str(folder / "out.txt")),
            ],
            prepare_nothing,
            files,
        ),
        "annotate": Command(
            lambda folder: ["annotate", "--dataset", str(folder), "--config", "default", "--no-extractor"],
            prepare_texts,
            tables,
        ),
        "train": Command(lambda folder: [*TRAIN, "--output_dir", str(folder / "run")], prepare_nothing, weights),
        "push": Command(
            lambda folder: [
                *("push-to-hub", str(examples.parent / "modeling_stg"), "--hub_model_id", f"U/{folder.name}"),
            ],
            prepare_nothing,
            pushed,
        ),
    }


def run(arguments: list[str], environment: dict[str, str], kill_after: float | None = None) -> bool:
    """Runs to the end, or kills after some seconds; returns whether it was killed."""
    process = subprocess.Popen(
        [*STG, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    assert process.returncode == 0, output.decode(errors="replace")[-2000:]
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=["generate", "annotate", "train", "push"])
    options = parser.parse_args()
    rng, hub, wrong = random.Random(options.seed), HubServer(), 0
    with tempfile.TemporaryDirectory(prefix="stg-kills-") as name:
        place = Path(name)
        environment = os.environ | hub.environment(place / "home") | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        for title, command in commands(hub).items():
            if options.only and title not in options.only:
                continue
            expected, killed = place / f"{title}_expected", place / f"{title}_killed"
            for folder in (expected, killed):
                command.prepare(folder)
            started = time.monotonic()
            run(command.arguments(expected), environment)
            duration, kills = time.monotonic() - started, 0
            for _ in range(options.kills):
                # Most of a short run is its start, so kills are drawn towards the end.
                if not run(command.arguments(killed), environment, duration * rng.uniform(0.3, 1.0)):
                    shutil.rmtree(killed)  # it had ended: begin another one
                    command.prepare(killed)
                else:
                    kills += 1
            run(command.arguments(killed), environment)
            same = command.content(killed) == command.content(expected)
            wrong += not same
            print(f"{title}: {kills} kills, {'equal' if same else 'DIFFERENT'}", flush=True)
    hub.close()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
