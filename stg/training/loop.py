"""The training loop: one for every task, one process or many.

The loss of a step is the sum over all its documents, on all processes and in all accumulated passes, divided by their
number. So two processes with batches of 8 take the very steps of one with batches of 16, uneven last batches included.
"""

import contextlib
import math
import time
from dataclasses import asdict
from pathlib import Path

import torch
import transformers
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import send_to_device
from safetensors.torch import load_file

from modeling_stg.errors import StgError
from stg.training import checkpoint, data
from stg.training.hub import Publisher
from stg.training.interrupts import Interrupts, Stop
from stg.training.memory import keep_memory
from stg.training.optimization import build_optimizer, learning_rate
from stg.training.progress import Progress, describe, duration, per_decision, reporters
from stg.training.release import write_release
from stg.training.settings import Settings
from stg.training.state import State, from_json, set_aside, to_json
from stg.training.tasks import Task, build_task


def train(settings: Settings) -> int:
    """Trains, and returns the exit code: 0, or 128 + the signal that stopped it."""
    accelerator = start(settings)
    try:
        return Trainer(settings, accelerator, build_task(settings, accelerator)).run()
    finally:
        accelerator.end_training()


def start(settings: Settings) -> Accelerator:
    """Accelerate's own configuration decides on devices, processes, mixed precision and accumulation."""
    keep_memory()
    torch.use_deterministic_algorithms(settings.deterministic, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    transformers.logging.disable_progress_bar()
    accelerator = Accelerator(
        # Without this, several processes on a machine without GPU would each believe to be the only one.
        cpu=not torch.accelerator.is_available(),
        gradient_accumulation_steps=settings.gradient_accumulation_steps,
        log_with=reporters(settings) or None,
        project_dir=str(Path(settings.output_dir) / "logs"),
        # A batch may have no example for a head (no number that could be a word): its parameters then get no gradient.
        kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
    )
    torch.manual_seed(settings.seed)
    return accelerator


class Trainer:
    def __init__(self, settings: Settings, accelerator: Accelerator, task: Task):
        self.settings, self.accelerator, self.task = settings, accelerator, task
        self.folder = Path(settings.output_dir)
        self.checkpoints = self.folder / "checkpoints"
        self.model, self.optimizer = accelerator.prepare(task.model, build_optimizer(settings, task.model))
        self.passes = accelerator.gradient_accumulation_steps
        self.step_size = settings.batch_size * accelerator.num_processes * self.passes
        self.state = State()
        self.interrupts = Interrupts()
        self.publisher = Publisher(settings, accelerator.print)

    @property
    def bare_model(self):
        return self.accelerator.unwrap_model(self.model)

    def run(self) -> int:
        started = time.perf_counter()
        self._open_folder()
        self.open_progress()
        try:
            with self.interrupts:
                while self.state.epoch < self.settings.epochs and not self.state.finished:
                    self._epoch()
        except Stop:
            kept = checkpoint.latest_name(self.checkpoints)
            self.progress.say(f"stopped by a signal; all is saved in {kept}; --resume continues")
            return self.interrupts.exit_code
        finally:
            self.progress.close()
        self._finish(time.perf_counter() - started)
        return 0

    def open_progress(self) -> None:
        self.progress = Progress(self.accelerator, self.settings.epochs, self.state.epoch)

    def _open_folder(self) -> None:
        """A run to continue, or room for a new one."""
        say = self.accelerator.print
        if self.accelerator.is_main_process:
            checkpoint.tidy(self.checkpoints)
            checkpoint.tidy(self.folder)
            if self.settings.resume:
                checkpoint.set_damaged_aside(self.checkpoints, say)
            if not self.settings.resume or not checkpoint.latest_name(self.checkpoints):
                set_aside(self.folder, say)
            try:
                self.checkpoints.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StgError(f"output_dir {self.folder}: cannot be written ({error.strerror})") from None
        self.accelerator.wait_for_everyone()
        if self.settings.resume:
            self._restore(checkpoint.load_latest(self.checkpoints))
        if self.accelerator.log_with:
            settings = {name: str(value) for name, value in asdict(self.settings).items()}
            self.accelerator.init_trackers(self.folder.name, config=settings)

    def _restore(self, found: checkpoint.Checkpoint | None) -> None:
        if found is None:
            self.accelerator.print(f"{self.folder}: no checkpoint to resume from; starting at the beginning")
            return
        self.state = from_json(found.state, self._course(), self.settings)
        self.bare_model.load_state_dict(found.model)
        checkpoint.restore_optimizer(self.bare_model, self.optimizer.optimizer, found.optimizer)
        if self.accelerator.scaler and self.state.scaler:
            self.accelerator.scaler.load_state_dict(self.state.scaler)
        self._plan_epochs()
        self.accelerator.print(f"resuming at epoch {self.state.epoch + 1}, after {self.state.step} steps")

    def _plan_epochs(self) -> None:
        """More epochs, or fewer, may be asked for on the way, but not where that makes the running one another."""
        before, now, settings = self.state.epochs, self.settings.epochs, self.settings
        if before in (0, now):  # 0: of a checkpoint that is older than the field
            return
        if settings.finish_epochs and self.state.step_in_epoch:
            raise StgError(
                f"epochs: {now} now, {before} when epoch {self.state.epoch + 1} began, and finish_epochs counts from "
                f"the last; resume with {before}, or start another run with --output_dir"
            )
        if settings.schedule in ("linear", "cosine"):
            self.accelerator.print(
                f"epochs: {now} instead of {before}; the {settings.schedule} schedule is of {now} now"
            )

    def _course(self) -> dict:
        """What may not change on the way: settings, the number of examples, and what their ids mean."""
        examples, vocabularies = len(self.task.examples), self.task.vocabularies
        return self.settings.course() | {
            "step_size": self.step_size,
            "examples": examples,
            "vocabularies": vocabularies,
        }

    def _epoch(self) -> None:
        """The steps of an epoch that are left, then dev. What is done is saved before dev, which may be long."""
        state, settings = self.state, self.settings
        finishing = state.epoch >= settings.epochs - settings.finish_epochs
        chosen = self.task.finishing if finishing else self.task.finishing | True
        plan = data.plan_epoch(self.task.lengths, chosen, self.step_size, settings.seed, state.epoch)
        left = plan[state.step_in_epoch :]
        rank, processes = self.accelerator.process_index, self.accelerator.num_processes
        shares = [part for step in left for part in data.share(step, rank, processes, self.passes)]
        on_gpu = self.accelerator.device.type == "cuda"
        batches = data.load(data.Batches(self.task, shares), settings.workers, pin_memory=on_gpu)
        self.progress.start_epoch(state.epoch + 1, len(plan), state.step_in_epoch)
        self.model.train()
        for step in left:
            if settings.max_steps and state.step >= settings.max_steps:
                break
            stop = self._step(batches, len(step), len(plan))
            if stop or state.step % settings.save_steps == 0:
                self._save()
            if stop:
                self.accelerator.wait_for_everyone()
                raise Stop
        speed = self.progress.end_epoch()
        self._save()
        with self.interrupts.at_once():
            self._evaluate(speed, whole=state.step_in_epoch == len(plan))
        state.finished = state.finished or 0 < settings.max_steps <= state.step
        self._save()

    def _step(self, batches, documents: int, steps: int) -> bool:
        """One optimiser step over `documents` documents of all processes and passes; returns whether to stop."""
        state, accelerator = self.state, self.accelerator
        # Random numbers are a function of the step: neither resuming nor evaluating in between changes them.
        torch.manual_seed((self.settings.seed * 1_000_003 + state.step) * 4096 + accelerator.process_index)
        part = state.step_in_epoch / steps
        rate = learning_rate(self.settings, state.step, state.epoch, part, state.rate_factor)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        scale = accelerator.num_processes * self.passes / documents  # DDP averages processes, accelerate passes
        sums = {}
        for index in range(self.passes):
            batch, counted = next(batches)
            last = index == self.passes - 1
            with contextlib.nullcontext() if last else accelerator.no_sync(self.model):
                output = self.model(**send_to_device(batch, accelerator.device))
                accelerator.backward(output.loss * (scale if counted else 0.0))
            for kind, parts in (("loss", output.losses), ("count", output.counts)):
                for name, value in parts.items():
                    value = value.detach().double() * bool(counted)
                    sums[kind, name] = sums.get((kind, name), 0.0) + value
        # One exchange for all: the parts of the loss, their counts, and whether any process was told to stop.
        flag = torch.tensor(float(self.interrupts.pending), dtype=torch.float64, device=accelerator.device)
        *values, stop = accelerator.reduce(torch.stack([*sums.values(), flag]), "sum").tolist()
        self._update(dict(zip(sums, values, strict=True)))
        return stop > 0

    def _update(self, sums: dict[tuple[str, str], float]) -> None:
        """Clips and steps, unless the loss or its gradient is not a number."""
        state, settings, accelerator = self.state, self.settings, self.accelerator
        losses = {name: value for (kind, name), value in sums.items() if kind == "loss"}
        counts = {name: value for (kind, name), value in sums.items() if kind == "count"}
        norm = accelerator.clip_grad_norm_(self.model.parameters(), settings.clip or math.inf).item()
        # With fp16, accelerate's scaler skips steps of infinite gradient by itself.
        if not math.isfinite(sum(losses.values())) or not (math.isfinite(norm) or accelerator.scaler):
            raise StgError(
                f"loss: not a number at step {state.step + 1}, epoch {state.epoch + 1} ({describe(losses)}); "
                f"{self._remedy()}"
            )
        self.optimizer.step()
        self.optimizer.zero_grad()
        state.step += 1
        state.step_in_epoch += 1
        state.add(losses, counts)
        parts = per_decision(losses, counts)
        self.progress.step(parts, counts[self.task.unit])
        if accelerator.log_with:
            rate = self.optimizer.param_groups[0]["lr"]
            values = {f"train/{name}": value for name, value in parts.items()}
            accelerator.log({**values, "train/gradient": norm, "train/rate": rate}, step=state.step)

    def _remedy(self) -> str:
        """What helps where numbers are none: another run, for a checkpoint goes on with the rate it began with."""
        rate, clip = self.settings.learning_rate, self.settings.clip
        limit = f"clip below {clip:g}" if clip else "a clip, such as 5"
        kept = checkpoint.latest_name(self.checkpoints) or "there is none yet"
        return f"start another run with learning_rate below {rate:g} or {limit}; last checkpoint: {kept}"

    def _evaluate(self, speed: float, whole: bool) -> None:
        state, accelerator = self.state, self.accelerator
        parts = per_decision(state.losses, state.counts)
        self.model.eval()
        scores = self.task.evaluate(self.bare_model, accelerator, state.epoch + 1)
        odd = [name for name, value in scores.items() if not math.isfinite(value)]
        if odd:
            raise StgError(f"dev {odd[0]}: not a number after epoch {state.epoch + 1}; {self._remedy()}")
        if accelerator.log_with:
            accelerator.log({f"dev/{name}": value for name, value in scores.items()}, step=state.step)
        number = state.epoch + 1
        better = state.evaluated(scores, self.task.merit(scores), self.settings, whole)
        if whole:
            state.end_epoch()
        if better and accelerator.is_main_process:
            best = write_release(self.folder, self.task, self.bare_model, self.settings, state)
            self.publisher.publish(best, f"Epoch {number}")
        self.progress.say(
            f"epoch {number}/{self.settings.epochs}  train {describe(parts)}  "
            f"dev {describe(scores)}  {speed:,.0f} tok/s{'  best' if better else ''}"
        )
        self.progress.epochs.update()

    def _save(self) -> None:
        """A checkpoint; one that is already there for this step is replaced by the one that knows more."""
        if not self.accelerator.is_main_process:
            return
        self.state.epochs = self.settings.epochs
        if self.accelerator.scaler:
            self.state.scaler = self.accelerator.scaler.state_dict()
        model = {name: tensor.detach().cpu().contiguous() for name, tensor in self.bare_model.state_dict().items()}
        checkpoint.save(
            self.checkpoints,
            checkpoint.Checkpoint(
                model,
                checkpoint.optimizer_tensors(self.bare_model, self.optimizer.optimizer),
                to_json(self.state, self._course()),
            ),
            self.settings.keep_checkpoints,
        )

    def _finish(self, seconds: float) -> None:
        if not self.accelerator.is_main_process:
            return
        best = self.folder / "best"
        if not best.exists():
            best = write_release(self.folder, self.task, self.bare_model, self.settings, self.state)
        self.bare_model.load_state_dict(load_file(best / "model.safetensors"))
        self.publisher.publish(best, "The best epoch, training finished")
        if self.settings.recap:
            self.accelerator.print(f"\n{self.task.show(self.bare_model.eval())}\n")
        scores = f" (dev {describe(self.state.best)})" if self.state.best else ""
        self.accelerator.print(f"{duration(seconds)}; the best model{scores} is in {best}")
        self.publisher.close()
