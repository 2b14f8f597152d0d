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

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from modeling_stg.settings import DEFAULTS, GenerationSettings
from stg.training import checkpoint
from stg.training.settings import Settings
from stg.training.state import State
from stg.training.tasks import Task


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
    root, command = Path(__file__).resolve().parent, ["git", "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(command, cwd=root, capture_output=True, text=True).stdout.strip()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {os.cpu_count()} cores"
    return {"commit": commit or "not a git checkout", "hardware": f"{platform.machine()}, {device}"}


def ship(source: Path, target: Path, generation: Mapping[str, bool | int | float]) -> list[Path]:
    """A trained folder into the package: weights as float16, vocabularies, settings and card; the code is there.

    `generation` goes into generation_config.json. Everything is written beside first, then moved.
    """
    needed = ("config.json", "generation_config.json", "model.safetensors")
    if not all((source / name).is_file() for name in needed):
        raise StgError(f"{source}: holds no trained model; give a folder such as runs/best/best")
    if source.resolve() == target.resolve():
        raise StgError(f"{source}: is source and target at once; ship it into another folder")
    kind = read_json(source / "config.json").get("model_type")
    if kind != StgConfig.model_type:
        raise StgError(f"{source}: holds a model of type {kind!r}; only {StgConfig.model_type!r} is shipped")
    beside = target / f"{checkpoint.WRITING}ship"
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        _fill(beside, source, generation)
        files = []
        for file in sorted(beside.iterdir()):
            files.append(target / file.name)
            if not files[-1].is_file() or files[-1].read_bytes() != file.read_bytes():
                os.replace(file, files[-1])  # what has not changed keeps its date: nothing needs to be scored again
        return files
    except (OSError, KeyError, TypeError, ValueError, SafetensorError) as error:
        if isinstance(error, StgError):
            raise
        raise StgError(f"{source}: cannot be shipped ({' '.join(str(error).split())}); train it again") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(beside: Path, source: Path, generation: Mapping[str, bool | int | float]) -> None:
    for file in [*source.glob("*.json"), *source.glob("README.md")]:
        shutil.copyfile(file, beside / file.name)
    if (beside / "training.json").is_file():
        trained = json.loads((beside / "training.json").read_text(encoding="utf-8"))
        trained["settings"] = {name: value for name, value in trained["settings"].items() if name not in PATHS}
        (beside / "training.json").write_text(json.dumps(trained, indent=1), encoding="utf-8")
    settings = json.loads((source / "generation_config.json").read_text(encoding="utf-8"))
    # With `_from_model_config`, transformers would make the settings anew from config.json.
    kept = {name: value for name, value in settings.items() if name not in NOT_SETTINGS} | dict(generation)
    odd = [name for name in generation if name not in DEFAULTS]
    if odd:
        raise StgError(f"--set {odd[0]}: is no option of this model; options are {', '.join(DEFAULTS)}")
    GenerationSettings(**{name: value for name, value in kept.items() if name in DEFAULTS and value is not None})
    settings = json.dumps(kept, indent=2, sort_keys=True)
    (beside / "generation_config.json").write_text(f"{settings}\n", encoding="utf-8")
    weights = {name: tensor.half() for name, tensor in load_file(source / "model.safetensors").items()}
    save_file(weights, beside / "model.safetensors", metadata={"format": "pt"})
