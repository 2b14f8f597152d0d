"""The whole training loop against the bare step of bench_train.py: the paper's size, the same batches, in turns.

Run by `make bench`; alone:  python benchmarks/bench_loop.py

The loop is `training.loop.Trainer` on the sample league: batches made from encoded documents, seeds, the parts of the
loss, checks, progress, and its part of a checkpoint, which is written every `save_steps` steps.
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


STEPS, BATCH, WARM = 14, 16, 2


class Recorded:
    """An iterator that remembers what it gave last."""

    def __init__(self, batches):
        self.batches, self.last = batches, None

    def __next__(self):
        self.last = next(self.batches)
        return self.last


class TimedTrainer(Trainer):
    """After each step of the loop, the bare step on the same batch."""

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
    """Tokens per second of the loop and of the bare step, and the first as a share of the second."""
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
        trainer = TimedTrainer(settings, accelerator, build_task(settings, accelerator))
        trainer.run()
        accelerator.end_training()
    # Medians: a pause of the machine falls on one step of one of the two.
    tokens = trainer.tokens[WARM:]
    bare = median(taken / count for taken, count in zip(trainer.bare_seconds[WARM:], tokens, strict=True))
    loop = median(taken / count for taken, count in zip(trainer.loop_seconds[WARM:], tokens, strict=True))
    loop += min(trainer.save_seconds) / settings.save_steps / median(tokens)
    return {
        "tokens_per_second": 1 / loop,
        "bare_tokens_per_second": 1 / bare,
        "share_of_bare_step": bare / loop,
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
