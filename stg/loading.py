"""Loads trained folders for the commands: a model with its processor, and the judge of sampled texts."""

import functools
import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import read_json
from stg.files import project_path
from stg.hub_client import limit_waiting, reason_without_token


TRAIN = "train one (see `stg train --help`), or name another folder or Hub repository with --model"
# Module and class of each model type.
MODELS = {
    "stg": ("modeling_stg.modeling_stg", "StgForDataToText"),
    "conditional_copy": ("stg.baselines.conditional_copy", "ConditionalCopy"),
    "ncp": ("stg.baselines.ncp", "NeuralContentPlanning"),
}
# Fields in which a model and its processor must agree.
SHARED_FIELDS = ("vocab_size", "num_entities", "num_values", "num_writers", "team_attributes", "player_attributes")


def check_model(name: str, model_types: Sequence[str] = ("stg",)) -> Path:
    """The path of a model, before slow imports; raises for a local folder without one of `model_types`."""
    path = Path(project_path(name))
    # A folder's name may look like a repository's; what begins with a folder that is here, or with the one that
    # training writes to, is never looked up.
    is_local = path.exists() or path.is_absolute() or Path(path.parts[0] if path.parts else ".").is_dir()
    if is_local or "/" not in name or path.parts[0] == "runs" or name[0] in ".~":
        if not path.is_dir():
            raise StgError(f"--model {name}: is not a folder; {TRAIN}")
        if not (path / "config.json").is_file() or not list(path.glob("*.safetensors")):
            raise StgError(f"--model {name}: holds no trained model (config.json and model.safetensors); {TRAIN}")
        _check_model_type(name, read_json(path / "config.json"), model_types)
    return path


def load_model(name: str, model_types: Sequence[str] = ("stg",)) -> tuple[Any, Any]:
    """Loads a model and its processor, with the code of this installation.

    Args:
        name: A folder, a Hub repository USER/NAME, or a folder within one, USER/NAME/FOLDER.
        model_types: The acceptable types, out of `MODELS`.

    Returns:
        The model, in evaluation mode, and its processor.

    Example:
        model, processor = load_model("modeling_stg")
    """
    path = check_model(name, model_types)
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import PretrainedConfig
    from transformers.utils import logging

    from modeling_stg.processing_stg import StgProcessor

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    repository, subfolder = str(path), ""
    if not path.exists():
        limit_waiting()
        user, repository, *folders = name.split("/")
        repository, subfolder = f"{user}/{repository}", "/".join(folders)
    damaged = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError)
    try:
        config, _ = PretrainedConfig.get_config_dict(repository, subfolder=subfolder)
        module, class_name = MODELS[_check_model_type(repository, config, model_types)]
        model_class = getattr(importlib.import_module(module), class_name)
        processor = StgProcessor.from_pretrained(repository, subfolder=subfolder, trust_remote_code=False)
        model = model_class.from_pretrained(repository, subfolder=subfolder).eval()
        if "language_model" in config and model.config.is_pretrained:
            _ = model.language.base  # loads it now, so that a missing one is reported before any work
    except StgError:
        raise
    except (*damaged, SafetensorError, StrictDataclassError) as error:
        raise StgError(f"--model {repository}: cannot be loaded ({reason_without_token(error)})") from None
    if not all(tensor.isfinite().all() for tensor in model.state_dict().values()):
        raise StgError(f"--model {repository}: its weights hold values that are not numbers; copy or train it again")
    for field in SHARED_FIELDS:
        if vars(processor.layout)[field] != vars(model.config)[field]:
            raise StgError(
                f"--model {repository}: processor and model differ in {field}; copy all files of the folder"
            )
    processor.fill_token_ids(model.config)
    return model, processor


def _check_model_type(name: str, config: Any, model_types: Sequence[str]) -> str:
    """Returns the `model_type` of a configuration; raises if it is not one of `model_types`."""
    model_type = config.get("model_type") if isinstance(config, dict) else None
    if model_type not in model_types:
        expected = " or ".join(map(repr, model_types))
        raise StgError(f"--model {name}: holds a model of type {model_type!r}, not {expected}; {TRAIN}")
    return str(model_type)


def load_season(name: str | None) -> Any:
    """Opens other games of a season, as `--season` names them, without warnings about their box scores."""
    from stg.dataset.reading import open_season

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        return open_season(name)


def load_checker() -> Any:
    """Loads the checker with the shipped extractor; seasons come with the games."""
    from stg.checking.checker import Checker
    from stg.extraction.loading import load_extractor

    return Checker(load_extractor())


def load_judge(processor, generation: Mapping[str, Any], outlook: bool = True) -> Callable[..., Any]:
    """Loads the checker as a judge of what is sampled.

    Args:
        processor: The model's processor.
        generation: The generation options; `sentence_candidates` asks for a judge of sentences, else of whole texts.
        outlook: Whether to count claims about upcoming games, as in `Judge`.

    Returns:
        A function that makes the `judge` argument of `generate` from a batch's games, which bring their season.
    """
    from stg.checking.judge import Judge
    from stg.checking.sentence_judge import SentenceJudge

    checker = load_checker()
    if generation.get("sentence_candidates"):
        return functools.partial(SentenceJudge, checker, processor)
    return functools.partial(Judge, checker, processor, outlook=outlook)
