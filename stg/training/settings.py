"""Settings of a run: the fields below, a YAML file over them, the command line over both."""

import argparse
import math
import types
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import yaml

from modeling_stg.errors import StgError


CONFIGS = Path(__file__).resolve().parent.parent.parent / "configs"
OPTIMIZERS = ("amsgrad", "adam", "adamw", "sgd", "adagrad")
SCHEDULES = ("exponential", "linear", "cosine", "plateau")
# What decides the course of a run: a resumed run must agree with its checkpoint in these, or it would be another run.
COURSE = (
    *("task", "dataset", "use", "writer", "init_from", "seed", "model", "min_count", "max_length", "documents"),
    *("gold_tuples", "derived", "ordered_numbers", "only", "finish_epochs"),
    *("optimizer", "learning_rate", "schedule", "decay", "decay_after", "warmup_steps", "weight_decay", "clip"),
)


class SettingsError(StgError):
    """A setting that cannot be used."""


def _(default: Any, help: str) -> Any:
    factory = {"default_factory": lambda: type(default)(default)} if isinstance(default, (list, dict)) else None
    return field(**(factory or {"default": default}), metadata={"help": help})


@dataclass
class Settings:
    # what
    task: str = _("model", "what is trained: model, extractor, conditional_copy or ncp")
    dataset: str = _("sample", "sample, rotowire_modified, a folder of the same layout, or a dataset on the Hub")
    use: list[str] = _([], "further training sets, such as extra,partial")
    documents: int = _(0, "train on the first so many documents only; 0: all")
    writer: bool = _(True, "whether the model knows who writes")
    init_from: str | None = _(None, "start from the weights and vocabularies of this folder")
    only: list[str] = _(
        [], "train these parts of the model alone, such as teammates; the others stay as init_from has them"
    )
    model: dict = _({}, "sizes of the model; on the command line as --model.hidden_size 256")
    derived: bool = _(
        False, "derived records as further inputs: result, margin, half-time, weekday, rank; not the paper's"
    )
    ordered_numbers: bool = _(True, "value embeddings of numbers start in order, see training/ordering.py")
    min_count: int = _(2, "words, names and values met less often are unknown")
    gold_tuples: str | None = _(None, "extractor: folder of the official extractor's puduppully-*.txt, to learn from")
    max_length: int = _(1000, "longer documents are cut to so many tokens, and counted")
    seed: int = _(0, "same seed, same machine: same weights")
    # how
    batch_size: int = _(16, "documents per process and backward pass")
    gradient_accumulation_steps: int = _(1, "backward passes per step; ACCELERATE_GRADIENT_ACCUMULATION_STEPS wins")
    epochs: int = _(30, "times that every document is seen")
    finish_epochs: int = _(0, "last epochs without the sets of --use")
    max_steps: int = _(0, "stop after so many steps; 0: when the epochs are over")
    optimizer: str = _("amsgrad", " | ".join(OPTIMIZERS))
    learning_rate: float = _(2e-3, "at its highest")
    schedule: str = _("exponential", " | ".join(SCHEDULES) + "; plateau multiplies by `decay` when dev stalls")
    decay: float = _(0.99, "factor per epoch (exponential) or per stall (plateau)")
    decay_after: int = _(1, "epochs before the factor per epoch begins")
    warmup_steps: int = _(0, "steps over which the learning rate grows to its highest")
    weight_decay: float = _(0.0, "L2 of the optimiser")
    clip: float = _(5.0, "largest norm of the gradient of the loss per document; 0: any")
    deterministic: bool = _(True, "only operations that give the same bits twice")
    workers: int = _(0, "processes that make batches; 0: the training process itself, enough on a CPU")
    # how well
    eval_batch_size: int = _(32, "documents per batch on dev")
    eval_documents: int = _(0, "dev documents used; 0: all")
    bleu_from_epoch: int = _(1, "first epoch with dev BLEU by generation; 0: never")
    dev_precision: float = _(0.943, "extractor: its threshold is the lowest that has this precision on dev")
    max_new_tokens: int = _(850, "longest text on dev")
    patience: int = _(0, "stop after so many epochs without a better dev score; 0: never")
    # where
    output_dir: str = _("runs/sample", "checkpoints, logs and the best model")
    resume: bool = _(False, "continue from the last checkpoint of output_dir")
    save_steps: int = _(200, "steps between checkpoints; one is also written at every epoch's end")
    keep_checkpoints: int = _(2, "checkpoints kept")
    recap: bool = _(True, "show what the best model writes when training is over")
    report_to: str | None = _(None, "tensorboard, trackio, or both with a comma")
    push_to_hub: bool = _(False, "upload the best model to the Hub")
    hub_model_id: str | None = _(None, "USER/NAME on the Hub")
    hub_private: bool = _(False, "create the repository as a private one")

    def check(self) -> "Settings":
        for name, known in (("optimizer", OPTIMIZERS), ("schedule", SCHEDULES)):
            if asdict(self)[name] not in known:
                raise SettingsError(f"{name}: {asdict(self)[name]!r} is not known; use one of {', '.join(known)}")
        for name in (
            "batch_size",
            "gradient_accumulation_steps",
            "eval_batch_size",
            "epochs",
            "max_length",
            "save_steps",
            "max_new_tokens",
        ):
            if asdict(self)[name] < 1:
                raise SettingsError(f"{name}: {asdict(self)[name]} is too small; it must be at least 1")
        for each in fields(self):
            value = asdict(self)[each.name]
            if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
                raise SettingsError(f"{each.name}: {value} is not a number from 0 on")
        if self.keep_checkpoints < 2:
            raise SettingsError(f"keep_checkpoints: {self.keep_checkpoints}; keep 2 or more, one may be damaged")
        if self.seed >= 2**31:
            raise SettingsError(f"seed: {self.seed} is too large; it must be below 2**31")
        if not Path(self.output_dir).name:
            raise SettingsError(
                f"output_dir: {self.output_dir!r} has no name of its own; name a folder such as runs/try"
            )
        if not self.learning_rate > 0:
            raise SettingsError(f"learning_rate: {self.learning_rate} must be above 0")
        if not 0 <= self.finish_epochs <= self.epochs:
            raise SettingsError(f"finish_epochs: {self.finish_epochs} must lie within 0 and epochs {self.epochs}")
        if self.init_from and not self.resume and Path(self.init_from).is_dir():
            if Path(self.init_from).resolve().is_relative_to(Path(self.output_dir).resolve()):
                raise SettingsError(f"output_dir: {self.output_dir} holds init_from {self.init_from}; name another")
        if self.only and self.init_from is None:
            raise SettingsError(f"only: {', '.join(self.only)} needs a trained model around it; give --init_from DIR")
        if self.push_to_hub and not self.hub_model_id:
            raise SettingsError("hub_model_id: missing; say where to push, as --hub_model_id USER/NAME")
        return self

    def course(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name in COURSE}


def add_options(options: argparse.ArgumentParser) -> None:
    """One option per field; a yes or no is --field / --no-field."""
    options.add_argument("--config", metavar="YAML", help="settings file (default: configs/default.yaml)")
    for each in fields(Settings):
        if each.name == "model":
            continue
        kind = {"action": argparse.BooleanOptionalAction} if each.type is bool else {"metavar": "X"}
        options.add_argument(f"--{each.name}", help=each.metadata["help"], default=argparse.SUPPRESS, **kind)
    options.allow_abbrev = False
    options.add_argument("--model.FIELD", metavar="X", dest="_model", help="a size of the model, such as hidden_size")


def read_settings(options: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> Settings:
    """The settings that `options` (see `add_options`) finds on the command line and in its YAML file."""
    known, rest = options.parse_known_args(arguments)
    given = {name: value for name, value in vars(known).items() if name not in ("config", "_model")}
    model = {}
    if known._model is not None:
        options.error("--model.FIELD: put the name of a size for FIELD, such as --model.hidden_size 256")
    rest = [part for word in rest for part in (word.split("=", 1) if word.startswith("--model.") else [word])]
    while rest:
        name = rest.pop(0)
        if not name.startswith("--model.") or not rest:
            options.error(f"unrecognized arguments: {name}")
        value = rest.pop(0)
        try:
            model[name.removeprefix("--model.")] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise SettingsError(f"{name.removeprefix('--')}: {value!r} is not a value for it") from None
    return merge(known.config or CONFIGS / "default.yaml", given, model)


def merge(path: str | Path, given: dict[str, Any], model: dict[str, Any] | None = None) -> Settings:
    """A YAML file with `given` over it."""
    settings = _read_yaml(Path(path))
    settings.update(given)
    hints = get_type_hints(Settings)
    settings["model"] = {**_convert("model", settings.get("model") or {}, dict), **(model or {})}
    for name, value in settings.items():
        if name not in hints:
            raise SettingsError(f"{name}: no such setting; settings are {', '.join(hints)}")
        settings[name] = _convert(name, value, hints[name])
    return Settings(**settings).check()


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise SettingsError(f"--config {path}: cannot be read ({error.strerror}); check the path") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"--config {path}: is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(read, dict):
        raise SettingsError(f"--config {path}: holds a {type(read).__name__}; it must be lines of `setting: value`")
    return read


def _convert(name: str, value: Any, hint: Any) -> Any:
    """`value` as the field's type: the command line gives strings, YAML takes 2e-3 for one."""
    if get_origin(hint) in (types.UnionType,):
        if value is None or value in ("none", "null", ""):
            return None
        hint = get_args(hint)[0]
    try:
        if hint == list[str]:
            return [part for part in value.split(",") if part] if isinstance(value, str) else list(value)
        if hint is bool or hint is dict:
            if not isinstance(value, hint):
                raise ValueError
            return value
        if hint is int and float(value) != int(float(value)):
            raise ValueError
        return hint(float(value)) if hint is int else hint(value)
    except (TypeError, ValueError, OverflowError):
        kind = "list" if hint == list[str] else hint.__name__
        raise SettingsError(f"{name}: {value!r} is not a value for it; give a {kind}") from None
