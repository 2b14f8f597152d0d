"""The folder that a user needs: code, weights, vocabularies, generation settings and card."""

import json
import shutil
from pathlib import Path

from safetensors import SafetensorError

from training import checkpoint
from training.settings import Settings
from training.state import State
from training.tasks import Task


def write_release(folder: Path, task: Task, model, settings: Settings, state: State) -> Path:
    """`folder`/best, written beside and then renamed."""
    beside, target = folder / f"{checkpoint.WRITING}best", folder / "best"
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        task.save(model, beside)
        (beside / "README.md").write_text(task.card(state.best), encoding="utf-8")
        summary = {"settings": settings.course(), "history": state.history}
        (beside / "training.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
        checkpoint.replace(beside, target)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(beside, ignore_errors=True)
        kept = checkpoint.latest_name(folder / "checkpoints") or "there is none yet"
        reason = " ".join(str(error).split())
        raise checkpoint.CheckpointError(f"{target}: cannot be written ({reason}); last checkpoint: {kept}") from None
    return target
