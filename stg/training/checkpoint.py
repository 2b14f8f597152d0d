"""Crash-safe checkpoints: written to a draft folder and renamed, verified on loading, rotated; no pickle.

A checkpoint is a folder `step_00000120` with model.safetensors, optimizer.safetensors, state.json, and manifest.json,
which has the size and SHA-256 of the other files.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError

from modeling_stg.errors import StgError


MANIFEST = "manifest.json"
WRITING = ".writing-"
REPLACED = ".replaced-"
DAMAGED = "damaged-"


class CheckpointError(StgError):
    """A checkpoint that cannot be written or read."""


@dataclass
class Checkpoint:
    model: dict[str, torch.Tensor]
    optimizer: dict[str, torch.Tensor]
    state: dict[str, Any]


def save(folder: Path, checkpoint: Checkpoint, keep: int) -> Path:
    """Adds a checkpoint to `folder` and removes all but the last `keep`. A failed write leaves the others alone."""
    target = folder / f"step_{checkpoint.state['step']:08d}"
    draft = folder / f"{WRITING}{target.name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        contents = {
            "model.safetensors": safetensors.torch.save(checkpoint.model),
            "optimizer.safetensors": safetensors.torch.save(checkpoint.optimizer),
            "state.json": json.dumps(checkpoint.state, indent=1).encode(),
        }
        manifest = {name: {"size": len(data), "sha256": _digest(data)} for name, data in contents.items()}
        for name, data in (*contents.items(), (MANIFEST, json.dumps(manifest, indent=1).encode())):
            write_durably(draft / name, data)
        swap_in(draft, target)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        kept = latest_path(folder)
        remedy = f"{kept} is kept: free some space, then --resume" if kept else "free some space, then start again"
        raise CheckpointError(f"{target}: cannot be written ({error.strerror or error}); {remedy}") from None
    for old in sorted(folder.glob("step_*"))[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def quarantine_damaged(folder: Path, print_line: Callable[[str], None] = print) -> None:
    """Renames damaged checkpoints newer than the newest intact one, so that rotation does not remove intact ones."""
    for path in sorted(folder.glob("step_*"), reverse=True):
        try:
            load(path)
            return
        except CheckpointError as error:
            renamed = path.with_name(f"{DAMAGED}{path.name}")
            shutil.rmtree(renamed, ignore_errors=True)
            path.rename(renamed)
            print_line(f"{error}; renamed to {renamed.name}, trying the one before")


def load_latest(folder: Path) -> Checkpoint | None:
    """The newest checkpoint, or None."""
    newest = latest_path(folder)
    return load(Path(newest)) if newest else None


def load(path: Path) -> Checkpoint:
    """Loads a checkpoint after verifying its files against the manifest."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        contents = {name: (path / name).read_bytes() for name in manifest}
        for name, data in contents.items():
            if len(data) != manifest[name]["size"]:
                raise CheckpointError(f"{path} is damaged: {name} has {len(data)} of {manifest[name]['size']} bytes")
            if _digest(data) != manifest[name]["sha256"]:
                raise CheckpointError(f"{path} is damaged: {name} has the wrong checksum")
        return Checkpoint(
            safetensors.torch.load(contents["model.safetensors"]),
            safetensors.torch.load(contents["optimizer.safetensors"]),
            json.loads(contents["state.json"]),
        )
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} is damaged: {' '.join(str(error).split())}") from None


def latest_path(folder: Path) -> str | None:
    return max((str(path) for path in folder.glob("step_*")), default=None)


def clean_up(folder: Path) -> None:
    """Removes the drafts of a killed run, and puts back a folder that it was replacing."""
    for path in folder.glob(f"{WRITING}*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f"{REPLACED}*"):
        original = folder / path.name.removeprefix(REPLACED)
        if original.exists():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.rename(original)


def swap_in(draft: Path, target: Path) -> None:
    """Renames a finished draft to `target`; after a crash at any point, `clean_up` finds a complete folder."""
    _sync(draft)
    old = target.with_name(f"{REPLACED}{target.name}")
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    draft.rename(target)
    _sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def write_durably(path: Path, data: bytes) -> None:
    """Writes and syncs, so that the later rename cannot reach the disk before the contents."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def optimizer_tensors(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The optimiser's state, keyed by parameter: "words.weight/exp_avg"."""
    names = {parameter: name for name, parameter in model.named_parameters()}
    return {
        f"{names[parameter]}/{key}": value.detach().cpu().contiguous()
        for parameter, state in optimizer.state.items()
        for key, value in state.items()
        if isinstance(value, torch.Tensor)
    }


def restore_optimizer(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]
) -> None:
    """The inverse of `optimizer_tensors`."""
    parameters = dict(model.named_parameters())
    optimizer.state.clear()
    for name, value in tensors.items():
        parameter, _, key = name.rpartition("/")
        if parameter not in parameters or value.shape not in (parameters[parameter].shape, torch.Size()):
            raise CheckpointError(f"optimizer.safetensors: {name} is not of this model; start without --resume")
        optimizer.state[parameters[parameter]][key] = value.to(parameters[parameter].device)
