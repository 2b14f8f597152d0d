"""Overhead of the training loop: its steps and the bare steps of bench_train alternate on the same batches.

    python -m benchmarks.bench_loop

The loop is `stg.training.loop.Trainer` at the paper's size on the sample league: collating, seeding, reducing losses,
checks, progress, and a share of the checkpoint written every `save_steps` steps.
"""

import contextlib
import json
import sys
import tempfile
from statistics import median

import torch

from benchmarks.peak import clock
from stg.training.loop import Trainer, start
from stg.training.settings import Settings
from stg.training.tasks import build_task


STEPS, BATCH, WARMUP = 14, 16, 2


class Recorded:
    """An iterator that remembers its last item."""

    def __init__(self, batches):
        self.batches, self.last = batches, None

    def __next__(self):
        self.last = next(self.batches)
        return self.last


class TimedTrainer(Trainer):
    """Runs the bare step after each step of the loop, on the same batch."""

    def run(self) -> int:
        self.loop_seconds, self.bare_seconds, self.tokens, self.save_seconds = [], [], [], []
        return super().run()

    def _step(self, batches, documents: int, steps: int) -> bool:
        recorded = Recorded(batches)
        started = clock()
        stop = super()._step(recorded, documents, steps)
        self.loop_seconds.append(clock() - started)
        batch, _ = recorded.last
        self.tokens.append(int((batch["labels"] != -100).sum()))
        torch.use_deterministic_algorithms(False)
        started = clock()
        self._bare_step(batch, documents)
        self.bare_seconds.append(clock() - started)
        torch.use_deterministic_algorithms(self.settings.deterministic, warn_only=True)
        return stop

    def _bare_step(self, batch, documents: int) -> None:
        self.optimizer.optimizer.zero_grad()
        (self.bare_model(**batch).loss / documents).backward()
        torch.nn.utils.clip_grad_norm_(self.bare_model.parameters(), self.settings.clip, foreach=True)
        self.optimizer.optimizer.step()
        self.optimizer.optimizer.zero_grad()

    def _save(self) -> None:
        started = clock()
        super()._save()
        self.save_seconds.append(clock() - started)


def measure() -> dict[str, float]:
    """Tokens per second of the loop and of the bare step, and their ratio."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        settings = Settings(
            batch_size=BATCH,
            documents=STEPS * BATCH,
            epochs=1,
            max_steps=STEPS,
            eval_documents=1,
            bleu_from_epoch=0,
            recap=False,
            output_dir=folder,
        )
        accelerator = start(settings)
        trainer = TimedTrainer(settings, accelerator, build_task(settings, accelerator), contextlib.ExitStack())
        trainer.run()
        accelerator.end_training()
    # medians, because a hiccup of the machine affects a single step
    tokens = trainer.tokens[WARMUP:]
    bare = median(seconds / count for seconds, count in zip(trainer.bare_seconds[WARMUP:], tokens, strict=True))
    loop = median(seconds / count for seconds, count in zip(trainer.loop_seconds[WARMUP:], tokens, strict=True))
    loop += min(trainer.save_seconds) / settings.save_steps / median(tokens)
    return {
        "tokens_per_second": 1 / loop,
        "bare_tokens_per_second": 1 / bare,
        "share_of_bare_step": bare / loop,
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
