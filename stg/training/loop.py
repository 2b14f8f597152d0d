"""The training loop, for every task and any number of processes.

The loss of a step is the sum over all its documents, on all processes and in all accumulated passes, divided by their
number. So two processes with batches of 8 take exactly the steps of one with batches of 16, even for uneven batches.
"""

import contextlib
import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import send_to_device
from safetensors.torch import load_model
from transformers import PreTrainedModel

from modeling_stg.errors import StgError
from stg.outputs import sole_writer
from stg.training import checkpoint, data
from stg.training.averaging import WeightAverage
from stg.training.hub import Publisher
from stg.training.interrupts import Interrupts, Stop
from stg.training.memory import keep_freed_memory
from stg.training.optimization import build_optimizer, learning_rate
from stg.training.progress import Progress, format_duration, format_scores, mean_losses, trackers
from stg.training.release import write_release
from stg.training.settings import Settings
from stg.training.state import State, from_json, move_old_run, to_json
from stg.training.tasks import Task, build_task


def train(settings: Settings) -> int:
    """Trains, and returns the exit code: 0, or 128 + the number of the signal that stopped it."""
    accelerator = start(settings)
    with contextlib.ExitStack() as held:
        held.callback(accelerator.end_training)
        trainer = Trainer(settings, accelerator, build_task(settings, accelerator), held)
        held.callback(trainer.publisher.close, patience=0)  # nothing keeps a run alive that failed or was stopped
        return trainer.run()


def start(settings: Settings) -> Accelerator:
    """Sets up torch and accelerate; accelerate's configuration decides on devices, processes and mixed precision."""
    keep_freed_memory()
    torch.use_deterministic_algorithms(settings.deterministic, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    transformers.logging.disable_progress_bar()
    accelerator = Accelerator(
        # Otherwise, on a machine without a GPU, each of several processes considers itself the only one.
        cpu=not torch.accelerator.is_available(),
        gradient_accumulation_steps=settings.gradient_accumulation_steps,
        log_with=trackers(settings) or None,
        project_dir=str(Path(settings.output_dir) / "logs"),
        # A head without examples in a batch (no number that could be a word) gets no gradient.
        kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
    )
    torch.manual_seed(settings.seed)
    return accelerator


class Trainer:
    """Trains one task; `run` does everything from opening the folder to publishing the best model.

    The folder stays locked until `held` is closed.
    """

    def __init__(self, settings: Settings, accelerator: Accelerator, task: Task, held: contextlib.ExitStack):
        self.settings, self.accelerator, self.task, self.held = settings, accelerator, task, held
        self.folder = Path(settings.output_dir)
        self.checkpoints = self.folder / "checkpoints"
        self.model, self.optimizer = accelerator.prepare(task.model, build_optimizer(settings, task.model))
        self.average = WeightAverage(self.optimizer.optimizer, settings.weight_average)
        self.passes = accelerator.gradient_accumulation_steps
        self.step_size = settings.batch_size * accelerator.num_processes * self.passes
        self.state = State()
        self.interrupts = Interrupts()
        self.publisher = Publisher(settings, accelerator.print)

    @property
    def bare_model(self) -> PreTrainedModel:
        """The model without its data-parallel wrapper."""
        return self.accelerator.unwrap_model(self.model)

    def run(self) -> int:
        """Trains until finished or stopped; returns the exit code."""
        started = time.perf_counter()
        self._open_folder()
        self.progress = Progress(self.accelerator, self.settings.epochs, self.state.epoch)
        try:
            with self.interrupts:
                while self.state.epoch < self.settings.epochs and not self.state.finished:
                    self._epoch()
        except Stop:
            saved = checkpoint.latest_path(self.checkpoints)
            self.progress.print_line(f"stopped by a signal; everything is saved in {saved}; continue with --resume")
            return self.interrupts.exit_code
        finally:
            self.progress.close()
        self._finish(time.perf_counter() - started)
        return 0

    def _open_folder(self) -> None:
        """Restores the run to resume, or makes room for a new one."""
        print_line = self.accelerator.print
        if self.accelerator.is_main_process:
            self._hold_folder()
            checkpoint.clean_up(self.checkpoints)
            checkpoint.clean_up(self.folder)
            if self.settings.resume:
                checkpoint.quarantine_damaged(self.checkpoints, print_line)
            if not self.settings.resume or not checkpoint.latest_path(self.checkpoints):
                if move_old_run(self.folder, print_line):
                    self._hold_folder()
            self.checkpoints.mkdir(exist_ok=True)
        self.accelerator.wait_for_everyone()
        if self.settings.resume:
            self._restore(checkpoint.load_latest(self.checkpoints))
        if self.accelerator.log_with:
            settings = {name: str(value) for name, value in asdict(self.settings).items()}
            self.accelerator.init_trackers(self.folder.name, config=settings)

    def _hold_folder(self) -> None:
        """Creates the folder and locks it: two runs in one folder would destroy each other's checkpoints."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.held.enter_context(sole_writer(self.folder))
        except OSError as error:
            raise StgError(f"output_dir {self.folder}: cannot be written ({error.strerror})") from None

    def _restore(self, saved: checkpoint.Checkpoint | None) -> None:
        if saved is None:
            self.accelerator.print(f"{self.folder}: no checkpoint to resume from; starting at the beginning")
            return
        self.state = from_json(saved.state, self._fixed_on_resume(), self.settings)
        try:
            self.bare_model.load_state_dict(saved.model)
        except RuntimeError:
            raise StgError(
                f"{self.checkpoints}: model.safetensors does not fit this model; start another run with --output_dir"
            ) from None
        checkpoint.restore_optimizer(self.bare_model, self.optimizer.optimizer, saved.optimizer)
        if self.accelerator.scaler and self.state.scaler:
            self.accelerator.scaler.load_state_dict(self.state.scaler)
        self._check_epochs()
        self.accelerator.print(f"resuming at epoch {self.state.epoch + 1}, after {self.state.step} steps")

    def _check_epochs(self) -> None:
        """Refuses a change of `epochs` on resuming that would change the documents of the current epoch."""
        before, now, settings = self.state.epochs, self.settings.epochs, self.settings
        if before in (0, now):  # 0: a checkpoint from before the field existed
            return
        if settings.finish_epochs and self.state.step_in_epoch:
            raise StgError(
                f"epochs: {now} now, {before} when epoch {self.state.epoch + 1} began, and finish_epochs counts from "
                f"the last; resume with {before}, or start another run with --output_dir"
            )
        if settings.schedule in ("linear", "cosine"):
            self.accelerator.print(
                f"epochs: {now} instead of {before}; the {settings.schedule} schedule now spans {now}"
            )

    def _fixed_on_resume(self) -> dict[str, Any]:
        """What a resumed run must have in common: settings, the number of examples, and what their ids mean."""
        return self.settings.fixed_on_resume() | {
            "step_size": self.step_size,
            "examples": len(self.task.examples),
            "vocabularies": self.task.vocabulary_digest,
        }

    def _epoch(self) -> None:
        """Trains the remaining steps of an epoch, saves, and evaluates on dev."""
        state, settings = self.state, self.settings
        is_final = state.epoch >= settings.epochs - settings.finish_epochs
        included = self.task.in_final_epochs if is_final else self.task.in_final_epochs | True
        plan = data.plan_epoch(self.task.lengths, included, self.step_size, settings.seed, state.epoch)
        if state.step_in_epoch > len(plan):
            raise StgError(
                f"state.json: step_in_epoch {state.step_in_epoch}, but an epoch has {len(plan)} steps; delete this "
                "checkpoint, or start without --resume"
            )
        remaining = plan[state.step_in_epoch :]
        rank, processes = self.accelerator.process_index, self.accelerator.num_processes
        shards = [shard for step in remaining for shard in data.shard_step(step, rank, processes, self.passes)]
        on_gpu = self.accelerator.device.type == "cuda"
        batches = data.iterate(data.Batches(self.task, shards), settings.workers, pin_memory=on_gpu)
        self.progress.start_epoch(state.epoch + 1, len(plan), state.step_in_epoch)
        self.model.train()
        for step in remaining:
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
        with self.interrupts.immediate(), self.average.applied():
            self._evaluate(speed, whole=state.step_in_epoch == len(plan))
        state.finished = state.finished or 0 < settings.max_steps <= state.step
        self._save()

    def _step(self, batches, documents: int, steps: int) -> bool:
        """One optimiser step over `documents` documents on all processes and passes; returns whether to stop."""
        state, accelerator = self.state, self.accelerator
        # Seeding by step makes random numbers independent of resuming and of evaluations in between.
        torch.manual_seed((self.settings.seed * 1_000_003 + state.step) * 4096 + accelerator.process_index)
        fraction = state.step_in_epoch / steps
        rate = learning_rate(self.settings, state.step, state.epoch, fraction, state.rate_factor)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        # DDP averages over processes and accelerate over passes; the loss is a mean over documents.
        scale = accelerator.num_processes * self.passes / documents
        sums = {}
        for index in range(self.passes):
            batch, size = next(batches)
            last = index == self.passes - 1
            with contextlib.nullcontext() if last else accelerator.no_sync(self.model):
                output = self.model(**send_to_device(batch, accelerator.device))
                accelerator.backward(output.loss * (scale if size else 0.0))
            for kind, values_by_head in (("loss", output.losses), ("count", output.counts)):
                for name, value in values_by_head.items():
                    value = value.detach().double() * bool(size)
                    sums[kind, name] = sums.get((kind, name), 0.0) + value
        # One reduction for everything: losses, counts, and whether any process received a signal.
        flag = torch.tensor(float(self.interrupts.pending), dtype=torch.float64, device=accelerator.device)
        *values, stop = accelerator.reduce(torch.stack([*sums.values(), flag]), "sum").tolist()
        self._update(dict(zip(sums, values, strict=True)))
        return stop > 0

    def _update(self, sums: dict[tuple[str, str], float]) -> None:
        """Clips and steps; raises if the loss or its gradient is not finite."""
        state, settings, accelerator = self.state, self.settings, self.accelerator
        losses = {name: value for (kind, name), value in sums.items() if kind == "loss"}
        counts = {name: value for (kind, name), value in sums.items() if kind == "count"}
        norm = accelerator.clip_grad_norm_(self.model.parameters(), settings.clip or math.inf).item()
        # With fp16, accelerate's scaler skips steps with infinite gradients.
        if not math.isfinite(sum(losses.values())) or not (math.isfinite(norm) or accelerator.scaler):
            raise StgError(
                f"loss: not a number at step {state.step + 1}, epoch {state.epoch + 1} ({format_scores(losses)}); "
                f"{self._remedy()}"
            )
        self.optimizer.step()
        self.optimizer.zero_grad()
        state.step += 1
        state.step_in_epoch += 1
        self.average.update(state.step)
        state.add_losses(losses, counts)
        means = mean_losses(losses, counts)
        self.progress.step(means, counts[self.task.unit])
        if accelerator.log_with:
            rate = self.optimizer.param_groups[0]["lr"]
            values = {f"train/{name}": value for name, value in means.items()}
            accelerator.log({**values, "train/gradient": norm, "train/rate": rate}, step=state.step)

    def _remedy(self) -> str:
        """The remedy for a loss that is not a number: another run, because resuming cannot change these settings."""
        rate, clip = self.settings.learning_rate, self.settings.clip
        clipping = f"clip below {clip:g}" if clip else "a clip, such as 5"
        saved = checkpoint.latest_path(self.checkpoints) or "none yet"
        return f"start another run with learning_rate below {rate:g} or {clipping}; last checkpoint: {saved}"

    def _evaluate(self, speed: float, whole: bool) -> None:
        state, accelerator = self.state, self.accelerator
        losses = mean_losses(state.losses, state.counts)
        self.model.eval()
        scores = self.task.evaluate(self.bare_model, accelerator, state.epoch + 1)
        invalid = [name for name, value in scores.items() if not math.isfinite(value)]
        if invalid:
            raise StgError(f"dev {invalid[0]}: not a number after epoch {state.epoch + 1}; {self._remedy()}")
        if accelerator.log_with:
            accelerator.log({f"dev/{name}": value for name, value in scores.items()}, step=state.step)
        number = state.epoch + 1
        better = state.record_scores(scores, self.task.merit(scores), self.settings, whole)
        if whole:
            state.end_epoch()
        if better and accelerator.is_main_process:
            best = write_release(self.folder, self.task, self.bare_model, self.settings, state)
            self.publisher.publish(best, f"Epoch {number}")
        self.progress.print_line(
            f"epoch {number}/{self.settings.epochs}  train {format_scores(losses)}  "
            f"dev {format_scores(scores)}  {speed:,.0f} tok/s{'  best' if better else ''}"
        )
        self.progress.epochs.update()

    def _save(self) -> None:
        """Writes a checkpoint, replacing one of the same step."""
        if not self.accelerator.is_main_process:
            return
        self.state.epochs = self.settings.epochs
        if self.accelerator.scaler:
            self.state.scaler = self.accelerator.scaler.state_dict()
        model = {name: tensor.detach().cpu().clone() for name, tensor in self.bare_model.state_dict().items()}
        checkpoint.save(
            self.checkpoints,
            checkpoint.Checkpoint(
                model,
                checkpoint.optimizer_tensors(self.bare_model, self.optimizer.optimizer),
                to_json(self.state, self._fixed_on_resume()),
            ),
            self.settings.keep_checkpoints,
        )

    def _finish(self, seconds: float) -> None:
        """Publishes the best model, and prints one of its texts and its folder."""
        if not self.accelerator.is_main_process:
            return
        best = self.folder / "best"
        if not best.exists():
            with self.average.applied():
                best = write_release(self.folder, self.task, self.bare_model, self.settings, self.state)
        load_model(self.bare_model, best / "model.safetensors")
        self.publisher.publish(best, "Best epoch, training finished")
        if self.settings.recap:
            self.accelerator.print(f"\n{self.task.sample_output(self.bare_model.eval())}\n")
        scores = f" (dev {format_scores(self.state.best)})" if self.state.best else ""
        self.accelerator.print(f"{format_duration(seconds)}; the best model{scores} is in {best}")
        self.publisher.close()
