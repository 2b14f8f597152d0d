"""Checkpoints that survive anything: written beside and renamed, checked on reading, rotated; never a pickle.

A checkpoint is a folder `step_00000120`: model.safetensors, optimizer.safetensors, state.json, and manifest.json with
the size and SHA-256 of the others.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
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
    """Adds a checkpoint to `folder` and removes the oldest ones. A failed write leaves the others as they were."""
    target = folder / f"step_{checkpoint.state['step']:08d}"
    beside = folder / f"{WRITING}{target.name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        contents = {
            "model.safetensors": safetensors.torch.save(checkpoint.model),
            "optimizer.safetensors": safetensors.torch.save(checkpoint.optimizer),
            "state.json": json.dumps(checkpoint.state, indent=1).encode(),
        }
        manifest = {name: {"size": len(data), "sha256": _digest(data)} for name, data in contents.items()}
        for name, data in (*contents.items(), (MANIFEST, json.dumps(manifest, indent=1).encode())):
            write(beside / name, data)
        replace(beside, target)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        kept = latest_name(folder)
        remedy = f"{kept} is kept: make room, then --resume" if kept else "make room, then start again"
        raise CheckpointError(f"{target}: cannot be written ({error.strerror or error}); {remedy}") from None
    for old in sorted(folder.glob("step_*"))[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def set_damaged_aside(folder: Path, say=print) -> None:
    """Renames damaged checkpoints that are newer than the newest whole one, so that they crowd out no others."""
    for path in sorted(folder.glob("step_*"), reverse=True):
        try:
            read(path)
            return
        except CheckpointError as error:
            aside = path.with_name(f"{DAMAGED}{path.name}")
            shutil.rmtree(aside, ignore_errors=True)
            path.rename(aside)
            say(f"{error}; it is now {aside.name}, taking the one before it")


def load_latest(folder: Path) -> Checkpoint | None:
    """The newest checkpoint, if there is one."""
    newest = latest_name(folder)
    return read(Path(newest)) if newest else None


def read(path: Path) -> Checkpoint:
    """A checkpoint whose files are what its manifest says."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
        contents = {name: (path / name).read_bytes() for name in manifest}
        for name, data in contents.items():
            if len(data) != manifest[name]["size"]:
                raise CheckpointError(f"{path} is damaged: {name} has {len(data)} of {manifest[name]['size']} bytes")
            if _digest(data) != manifest[name]["sha256"]:
                raise CheckpointError(f"{path} is damaged: {name} is not what was written")
        return Checkpoint(
            safetensors.torch.load(contents["model.safetensors"]),
            safetensors.torch.load(contents["optimizer.safetensors"]),
            json.loads(contents["state.json"]),
        )
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} is damaged: {' '.join(str(error).split())}") from None


def latest_name(folder: Path) -> str | None:
    return max((str(path) for path in folder.glob("step_*")), default=None)


def tidy(folder: Path) -> None:
    """Removes what a kill left half-written, and puts back what it left half-replaced."""
    for path in folder.glob(f"{WRITING}*"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f"{REPLACED}*"):
        original = folder / path.name.removeprefix(REPLACED)
        if original.exists():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.rename(original)


def replace(beside: Path, target: Path) -> None:
    """Renames a finished folder into place; there is a whole one at every moment (see `tidy`)."""
    _sync(beside)
    old = target.with_name(f"{REPLACED}{target.name}")
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    beside.rename(target)
    _sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def write(path: Path, data: bytes) -> None:
    """Writes and waits until it is on the disk: a rename must never overtake its contents."""
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
    """The optimiser's state by the parameters' names: "words.weight/exp_avg"."""
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
    parameters = dict(model.named_parameters())
    optimizer.state.clear()
    for name, value in tensors.items():
        parameter, key = name.rsplit("/", 1)
        if parameter not in parameters:
            raise CheckpointError(f"optimizer.safetensors: {parameter} is not in this model; start without --resume")
        optimizer.state[parameters[parameter]][key] = value.to(parameters[parameter].device)
