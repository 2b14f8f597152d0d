"""The folder that a user needs: code, weights, vocabularies, generation settings and card."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from modeling_stg.game_stg import StgError
from training import checkpoint
from training.settings import Settings
from training.state import State
from training.tasks import Task


NOT_SETTINGS = ("_from_model_config", "transformers_version", "output_attentions", "output_hidden_states")
PATHS = ("init_from", "gold_tuples")  # of the machine that trained


def write_release(folder: Path, task: Task, model, settings: Settings, state: State) -> Path:
    """`folder`/best, written beside and then renamed."""
    beside, target = folder / f"{checkpoint.WRITING}best", folder / "best"
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        task.save(model, beside)
        (beside / "README.md").write_text(task.card(state.best), encoding="utf-8")
        sizes = {"epochs": settings.epochs, "batch_size": settings.batch_size}
        summary = {"settings": settings.course() | sizes, **provenance(), "history": state.history}
        (beside / "training.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
        checkpoint.replace(beside, target)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(beside, ignore_errors=True)
        kept = checkpoint.latest_name(folder / "checkpoints") or "there is none yet"
        reason = " ".join(str(error).split())
        raise checkpoint.CheckpointError(f"{target}: cannot be written ({reason}); last checkpoint: {kept}") from None
    return target


def provenance() -> dict[str, str]:
    """Of which commit ("-dirty" with changes that are not in it), and on what machine."""
    root, command = Path(__file__).resolve().parent.parent, ["git", "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.strip()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {os.cpu_count()} cores"
    return {"commit": commit or "not a git checkout", "hardware": f"{platform.machine()}, {device}"}


def ship(source: Path, target: Path, generation: Mapping[str, bool | int | float]) -> list[Path]:
    """A trained folder into the package: weights as float16, vocabularies, settings and card; the code is there.

    `generation` goes into generation_config.json. Everything is written beside first, then moved.
    """
    if not (source / "config.json").is_file() or not (source / "model.safetensors").is_file():
        raise StgError(f"{source}: holds no trained model; give a folder such as runs/best/best")
    beside = target / f"{checkpoint.WRITING}ship"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for file in [*source.glob("*.json"), *source.glob("README.md")]:
        shutil.copyfile(file, beside / file.name)
    if (beside / "training.json").is_file():
        trained = json.loads((beside / "training.json").read_text(encoding="utf-8"))
        trained["settings"] = {name: value for name, value in trained["settings"].items() if name not in PATHS}
        (beside / "training.json").write_text(json.dumps(trained, indent=1), encoding="utf-8")
    settings = json.loads((source / "generation_config.json").read_text(encoding="utf-8"))
    # With `_from_model_config`, transformers would make the settings anew from config.json.
    kept = {name: value for name, value in settings.items() if name not in NOT_SETTINGS}
    settings = json.dumps(kept | dict(generation), indent=2, sort_keys=True)
    (beside / "generation_config.json").write_text(f"{settings}\n", encoding="utf-8")
    weights = {name: tensor.half() for name, tensor in load_file(source / "model.safetensors").items()}
    save_file(weights, beside / "model.safetensors", metadata={"format": "pt"})
    files = []
    for file in sorted(beside.iterdir()):
        files.append(target / file.name)
        if not files[-1].is_file() or files[-1].read_bytes() != file.read_bytes():
            os.replace(file, files[-1])  # what has not changed keeps its date: nothing needs to be scored again
    shutil.rmtree(beside)
    return files
