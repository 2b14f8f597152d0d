"""Release folders: code, weights, vocabularies, generation settings and card."""

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
from stg.files import CHECKOUT
from stg.training import checkpoint
from stg.training.settings import Settings
from stg.training.state import State
from stg.training.tasks import Task


NOT_SETTINGS = ("_from_model_config", "transformers_version", "output_attentions", "output_hidden_states")
PATHS = ("init_from", "tracker_from", "gold_tuples", "season")  # on the training machine; not published


def write_release(folder: Path, task: Task, model, settings: Settings, state: State) -> Path:
    """Writes `folder`/best, atomically."""
    draft, target = folder / f"{checkpoint.WRITING}best", folder / "best"
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        task.save(model, draft)
        (draft / "README.md").write_text(task.card(state.best), encoding="utf-8")
        sizes = {"epochs": settings.epochs, "batch_size": settings.batch_size}
        summary = {"settings": settings.fixed_on_resume() | sizes, **provenance(), "history": state.history}
        (draft / "training.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
        checkpoint.swap_in(draft, target)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(draft, ignore_errors=True)
        saved = checkpoint.latest_path(folder / "checkpoints") or "none yet"
        reason = " ".join(str(error).split())
        raise checkpoint.CheckpointError(f"{target}: cannot be written ({reason}); last checkpoint: {saved}") from None
    return target


def provenance() -> dict[str, str]:
    """The commit ("-dirty" with uncommitted changes) and the hardware."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40"]
    commit = ""
    if CHECKOUT and shutil.which("git"):  # elsewhere, git would find whatever repository the environment lies in
        commit = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True).stdout.strip()
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {os.cpu_count()} cores"
    return {"commit": commit or "unknown: no git checkout, or no git", "hardware": f"{platform.machine()}, {device}"}


def ship(source: Path, target: Path, generation: Mapping[str, bool | int | float]) -> list[Path]:
    """Copies a trained model into the package: float16 weights, vocabularies, settings and card, but no code.

    `generation` overrides settings of generation_config.json. Returns the files, which appear only when all are ready.
    """
    needed = ("config.json", "generation_config.json", "model.safetensors")
    if not all((source / name).is_file() for name in needed):
        raise StgError(f"{source}: has no trained model; give a folder such as runs/best/best")
    if source.resolve() == target.resolve():
        raise StgError(f"{source}: is both source and target; ship it into another folder")
    model_type = read_json(source / "config.json").get("model_type")
    if model_type != StgConfig.model_type:
        raise StgError(f"{source}: has a model of type {model_type!r}; only {StgConfig.model_type!r} can be shipped")
    draft = target / f"{checkpoint.WRITING}ship"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir(parents=True)
        _fill(draft, source, generation)
        files = []
        for file in sorted(draft.iterdir()):
            files.append(target / file.name)
            if not files[-1].is_file() or files[-1].read_bytes() != file.read_bytes():
                os.replace(file, files[-1])  # unchanged files keep their date, so their scores stay valid
        return files
    except (OSError, KeyError, TypeError, ValueError, SafetensorError) as error:
        if isinstance(error, StgError):
            raise
        raise StgError(f"{source}: cannot be shipped ({' '.join(str(error).split())}); train it again") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(draft: Path, source: Path, generation: Mapping[str, bool | int | float]) -> None:
    for file in [*source.glob("*.json"), *source.glob("README.md")]:
        shutil.copyfile(file, draft / file.name)
    if (draft / "training.json").is_file():
        trained = json.loads((draft / "training.json").read_text(encoding="utf-8"))
        trained["settings"] = {name: value for name, value in trained["settings"].items() if name not in PATHS}
        (draft / "training.json").write_text(json.dumps(trained, indent=1), encoding="utf-8")
    settings = json.loads((source / "generation_config.json").read_text(encoding="utf-8"))
    # With `_from_model_config`, transformers would derive the settings from config.json again.
    kept = {name: value for name, value in settings.items() if name not in NOT_SETTINGS} | dict(generation)
    unknown = [name for name in generation if name not in DEFAULTS]
    if unknown:
        raise StgError(f"--set {unknown[0]}: is not an option of this model; options are {', '.join(DEFAULTS)}")
    GenerationSettings(**{name: value for name, value in kept.items() if name in DEFAULTS and value is not None})
    settings = json.dumps(kept, indent=2, sort_keys=True)
    (draft / "generation_config.json").write_text(f"{settings}\n", encoding="utf-8")
    weights = load_file(source / "model.safetensors")
    weights = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
    save_file(weights, draft / "model.safetensors", metadata={"format": "pt"})
