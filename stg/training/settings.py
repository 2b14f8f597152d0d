"""Settings of a run: the defaults below, overridden by a YAML file, overridden by the command line."""

import argparse
import contextlib
import math
import types
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from huggingface_hub.errors import StrictDataclassError

from modeling_stg.errors import StgError
from modeling_stg.fact_schema import GROUPS
from modeling_stg.validation import show
from stg.converters.season_sources import SEASON_SOURCES
from stg.files import project_path, shipped
from stg.training.plain_yaml import NotYaml, load_yaml


LARGEST_SIZE = 8_192  # of the model, beyond what trains on any machine; larger ones reach the allocator
CONFIGS = shipped("configs")
OPTIMIZERS = ("amsgrad", "adam", "adamw", "sgd", "adagrad")
SCHEDULES = ("exponential", "linear", "cosine", "plateau")
# A resumed run must agree with its checkpoint in these; otherwise it would be a different run.
FIXED_ON_RESUME = (
    *("task", "dataset", "use", "writer", "init_from", "seed", "model", "min_count", "max_length", "documents"),
    *("gold_tuples", "facts", "season", "grounded", "ordered_numbers", "tracker_from", "only", "finish_epochs"),
    *("optimizer", "learning_rate", "schedule", "decay", "decay_after", "warmup_steps", "weight_decay", "clip"),
    "weight_average",
)


class SettingsError(StgError):
    """A setting that cannot be used."""


@contextlib.contextmanager
def model_setting_errors() -> Iterator[None]:
    """Turns a refused configuration field into a `SettingsError`."""
    try:
        yield
    except StrictDataclassError as error:
        raise SettingsError(f"model: {' '.join(str(error).split())}") from None


def _option(default: Any, help: str) -> Any:
    factory = {"default_factory": lambda: type(default)(default)} if isinstance(default, (list, dict)) else None
    return field(**(factory or {"default": default}), metadata={"help": help})


@dataclass
class Settings:
    """All settings of a run; each is also an option of `stg train` and a key of configs/*.yaml."""

    # what to train
    task: str = _option("model", "model, extractor, conditional_copy or ncp")
    dataset: str = _option("sample", "sample, house, rotowire_modified, a folder of the same layout, or a Hub dataset")
    use: list[str] = _option([], "additional training configs, such as extra,partial")
    documents: int = _option(0, "train on the first N documents only; 0: all")
    writer: bool = _option(True, "condition the model on the writer")
    init_from: str | None = _option(None, "start from the weights and vocabularies of this folder")
    tracker_from: str | None = _option(
        None, "start encoder and tracker from this trained model, and use its vocabularies"
    )
    only: list[str] = _option([], "train only these modules, such as teammates, and freeze the rest; needs init_from")
    grounded: bool = _option(False, "keep only the sentences that facts explain; annotate with the season first")
    phrases: bool = _option(
        False, "keep the phrases of the training texts: `generate` then writes sentence by sentence in them"
    )
    model: dict = _option({}, "sizes of the model; on the command line as --model.hidden_size 256")
    facts: list[str] = _option([], f"groups of facts to add to the paper's inputs: {','.join(GROUPS)}")
    season: str | None = _option(None, f"other games, for facts of the season: {SEASON_SOURCES}")
    ordered_numbers: bool = _option(True, "initialise the embeddings of numbers in numeric order (ordering.py)")
    min_count: int = _option(2, "words, names and values that occur less often are unknown")
    gold_tuples: str | None = _option(None, "extractor: folder with the official extractor's puduppully-*.txt")
    max_length: int = _option(1000, "truncate longer documents to this many tokens")
    seed: int = _option(0, "on the same machine, the same seed gives the same weights")
    # how to train
    batch_size: int = _option(16, "documents per process and backward pass")
    gradient_accumulation_steps: int = _option(
        1, "backward passes per step; ACCELERATE_GRADIENT_ACCUMULATION_STEPS takes precedence"
    )
    epochs: int = _option(30, "passes over the training set")
    finish_epochs: int = _option(0, "train the last N epochs without the configs of --use")
    max_steps: int = _option(0, "stop after this many steps; 0: after the last epoch")
    optimizer: str = _option("amsgrad", " | ".join(OPTIMIZERS))
    learning_rate: float = _option(2e-3, "peak learning rate")
    schedule: str = _option("exponential", " | ".join(SCHEDULES) + "; plateau multiplies by decay when dev stalls")
    decay: float = _option(0.99, "factor per epoch (exponential) or per stall (plateau)")
    decay_after: int = _option(1, "exponential: epochs before the decay begins")
    warmup_steps: int = _option(0, "steps of linear warm-up")
    weight_decay: float = _option(0.0, "weight decay of the optimiser")
    weight_average: float = _option(0.0, "decay of a moving average of the weights, which is what is kept; 0: none")
    clip: float = _option(5.0, "maximum gradient norm of the loss per document; 0: no clipping")
    deterministic: bool = _option(True, "use deterministic operations only")
    workers: int = _option(0, "processes that prepare batches; 0: the training process, which is enough on a CPU")
    # how to evaluate
    eval_batch_size: int = _option(32, "documents per batch on dev")
    eval_documents: int = _option(0, "evaluate on the first N dev documents only; 0: all")
    bleu_from_epoch: int = _option(1, "first epoch in which dev texts are generated for BLEU; 0: never")
    dev_precision: float = _option(0.943, "extractor: use the lowest threshold that reaches this precision on dev")
    max_new_tokens: int = _option(850, "maximum length of texts generated on dev")
    patience: int = _option(0, "stop after this many epochs without a better dev score; 0: never")
    # where to save
    output_dir: str = _option("runs/sample", "folder for checkpoints, logs and the best model")
    resume: bool = _option(False, "continue from the last checkpoint in output_dir")
    save_steps: int = _option(200, "steps between checkpoints; the end of an epoch always writes one")
    keep_checkpoints: int = _option(2, "number of checkpoints to keep")
    recap: bool = _option(True, "print a text by the best model at the end")
    report_to: str | None = _option(None, "trackers of accelerate, such as tensorboard,trackio,wandb")
    push_to_hub: bool = _option(False, "upload the best model to the Hub")
    hub_model_id: str | None = _option(None, "Hub repository, USER/NAME")
    hub_private: bool = _option(False, "create the Hub repository as private")

    def check(self) -> "Settings":
        """Returns itself; raises `SettingsError` for the first setting that is out of range."""
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
        for setting in fields(self):
            value = asdict(self)[setting.name]
            if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
                raise SettingsError(f"{setting.name}: {value} is not a finite number of at least 0")
        if self.keep_checkpoints < 2:
            raise SettingsError(
                f"keep_checkpoints: {self.keep_checkpoints} is too small; keep at least 2, as one may be damaged"
            )
        for setting in fields(self):
            value = asdict(self)[setting.name]
            if isinstance(value, int) and value >= 2**31:
                raise SettingsError(f"{setting.name}: {show(value)} is too large; it must be below 2**31")
        for name, size in self.model.items():
            if not isinstance(name, str):
                raise SettingsError(f"model: {show(name)} is not the name of a size")
            if isinstance(size, int) and abs(size) > LARGEST_SIZE:
                raise SettingsError(f"model.{name}: {show(size)} is too large; it must be at most {LARGEST_SIZE:,}")
        if not Path(self.output_dir).name:
            raise SettingsError(
                f"output_dir: {self.output_dir!r} is not a folder name; give a folder such as runs/try"
            )
        if not self.learning_rate > 0:
            raise SettingsError(f"learning_rate: {self.learning_rate} must be above 0")
        if self.weight_average >= 1:
            raise SettingsError(f"weight_average: {self.weight_average} is not a decay; it must be below 1")
        if self.weight_average and self.optimizer == "sgd":
            raise SettingsError(
                "weight_average: is kept with the state of the optimizer, and sgd has none; use another"
            )
        if not 0 <= self.finish_epochs <= self.epochs:
            raise SettingsError(f"finish_epochs: {self.finish_epochs} is not between 0 and epochs {self.epochs}")
        if self.init_from and not self.resume and Path(self.init_from).is_dir():
            if Path(self.init_from).resolve().is_relative_to(Path(self.output_dir).resolve()):
                raise SettingsError(
                    f"output_dir: {self.output_dir} contains init_from {self.init_from}; give another folder"
                )
        for group in self.facts:
            if group not in GROUPS:
                raise SettingsError(f"facts: {group!r} is not a group of facts; use some of {', '.join(GROUPS)}")
        if "season" in self.facts and self.season is None:
            raise SettingsError(f"facts: season needs other games; give --season, {SEASON_SOURCES}")
        if self.only and self.init_from is None:
            raise SettingsError(f"only: {', '.join(self.only)} needs a trained model; give --init_from DIR")
        if self.push_to_hub and not self.hub_model_id:
            raise SettingsError("hub_model_id: missing; give the repository to push to, --hub_model_id USER/NAME")
        return self

    def fixed_on_resume(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name in FIXED_ON_RESUME}


def add_options(options: argparse.ArgumentParser) -> None:
    """Adds an option per setting; booleans are --setting / --no-setting."""
    help = "settings file (default: configs/default.yaml)"
    options.add_argument("--config", type=project_path, metavar="YAML", help=help)
    small = _read_yaml(CONFIGS / "default.yaml")
    for setting in fields(Settings):
        if setting.name == "model":
            continue
        help = setting.metadata["help"] + _default_text(setting, small)
        argument: dict[str, Any] = {"metavar": "X"}
        if setting.type is bool:
            argument = {"action": argparse.BooleanOptionalAction}
        options.add_argument(f"--{setting.name}", help=help, default=argparse.SUPPRESS, **argument)
    options.allow_abbrev = False
    options.add_argument("--model.FIELD", metavar="X", dest="_model", help="a size of the model, such as hidden_size")


def _default_text(setting: Field, small: dict[str, Any]) -> str:
    """The default of a setting and, where it differs, its value in configs/default.yaml, which is used by default."""

    def shown(value: Any) -> str:
        if isinstance(value, list):
            value = ",".join(value) or None
        return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    default = setting.default if setting.default_factory is MISSING else setting.default_factory()
    own = small.get(setting.name, default)
    return f" (default: {shown(default)}{f'; in configs/default.yaml: {shown(own)}' if own != default else ''})"


def read_settings(options: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> Settings:
    """Reads the settings of a command line and its YAML file; `options` come from `add_options`."""
    known, rest = options.parse_known_args(arguments)
    overrides = {name: value for name, value in vars(known).items() if name not in ("config", "_model")}
    sizes = {}
    if known._model is not None:
        options.error("--model.FIELD: replace FIELD by the name of a size, such as --model.hidden_size 256")
    rest = [part for word in rest for part in (word.split("=", 1) if word.startswith("--model.") else [word])]
    while rest:
        name = rest.pop(0)
        if not name.startswith("--model.") or not rest:
            options.error(f"unrecognized arguments: {name}")
        value = rest.pop(0)
        try:
            sizes[name.removeprefix("--model.")] = load_yaml(value)
        except NotYaml:
            raise SettingsError(f"{name.removeprefix('--')}: {show(value)} is not a valid value") from None
    return merge(known.config or CONFIGS / "default.yaml", overrides, sizes)


def merge(path: str | Path, overrides: dict[str, Any], sizes: dict[str, Any] | None = None) -> Settings:
    """The settings of a YAML file, with `overrides` for settings and `sizes` for the model's sizes."""
    settings = _read_yaml(Path(path))
    settings.update(overrides)
    hints = get_type_hints(Settings)
    settings["model"] = {**_convert("model", settings.get("model") or {}, dict), **(sizes or {})}
    for name, value in settings.items():
        if name not in hints:
            raise SettingsError(f"{show(name)}: no such setting; settings are {', '.join(hints)}")
        settings[name] = _convert(name, value, hints[name])
    return Settings(**settings).check()


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        content = load_yaml(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise SettingsError(f"--config {path}: cannot be read ({error.strerror}); check the path") from None
    except (NotYaml, UnicodeDecodeError) as error:
        raise SettingsError(f"--config {path}: is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, dict):
        raise SettingsError(f"--config {path}: is a {type(content).__name__}; it must be lines of `setting: value`")
    return content


def _convert(name: str, value: Any, hint: Any) -> Any:
    """Converts a value to the setting's type: the command line gives strings, and so does YAML for 2e-3."""
    if get_origin(hint) in (types.UnionType,):
        if value is None or value in ("none", "null", ""):
            return None
        hint = get_args(hint)[0]
    try:
        if hint == list[str]:
            words = [part for part in value.split(",") if part] if isinstance(value, str) else value
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise ValueError
            return words
        if hint is bool or hint is dict:
            if not isinstance(value, hint):
                raise ValueError
            return value
        if isinstance(value, (bool, list, dict)) or not isinstance(value, (str, int, float)):
            raise ValueError  # a date, say, which has a text
        if hint is str and (not value or "\0" in str(value)):
            raise ValueError
        if hint is int and float(value) != int(float(value)):
            raise ValueError
        return hint(float(value)) if hint is int else hint(value)
    except (TypeError, ValueError, OverflowError):
        type_name = "list" if hint == list[str] else hint.__name__
        raise SettingsError(f"{name}: {show(value)} is not a valid value; give a {type_name}") from None
