"""Trained folders as the scripts open them: the model with its processor, and the judge of what it samples."""

import functools
import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import read_json


TRAIN = "train one with `python scripts/train.py --help`, or name another folder or Hub repository by --model"
# the models that can be loaded, by their type
MODELS = {
    "stg": ("modeling_stg.modeling_stg", "StgForDataToText"),
    "conditional_copy": ("stg.baselines.conditional_copy", "ConditionalCopy"),
    "ncp": ("stg.baselines.ncp", "NeuralContentPlanning"),
}
# in which a processor and its model agree
FITTING = ("vocab_size", "num_entities", "num_values", "num_writers", "team_attributes", "player_attributes")


def load(folder: str, kinds: Sequence[str] = ("stg",)):
    """The model and its processor: a folder, a Hub repository USER/NAME or a folder in one, USER/NAME/FOLDER.

    `kinds`: the types of model that will do, out of `MODELS`.
    """
    path = Path(folder)
    if path.exists() or "/" not in folder or path.is_absolute():
        if not path.is_dir():
            raise StgError(f"--model {folder}: is no folder; {TRAIN}")
        if not (path / "config.json").is_file() or not list(path.glob("*.safetensors")):
            raise StgError(f"--model {folder}: holds no trained model (no config.json and model.safetensors); {TRAIN}")
        _check_kind(folder, read_json(path / "config.json"), kinds)
    from huggingface_hub.errors import StrictDataclassError
    from safetensors import SafetensorError
    from transformers import PretrainedConfig
    from transformers.utils import logging

    from modeling_stg.processing_stg import StgProcessor

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    subfolder = ""
    if not path.exists():
        user, name, *inside = folder.split("/")
        folder, subfolder = f"{user}/{name}", "/".join(inside)
    damaged = (OSError, ValueError, TypeError, LookupError, AttributeError, RuntimeError)
    try:  # the code that is here, unasked
        config, _ = PretrainedConfig.get_config_dict(folder, subfolder=subfolder)
        module, name = MODELS[_check_kind(folder, config, kinds)]
        model_class = getattr(importlib.import_module(module), name)
        processor = StgProcessor.from_pretrained(folder, subfolder=subfolder, trust_remote_code=False)
        model = model_class.from_pretrained(folder, subfolder=subfolder).eval()
    except StgError:
        raise
    except (*damaged, SafetensorError, StrictDataclassError) as error:
        raise StgError(f"--model {folder}: cannot be loaded ({' '.join(str(error).split()):.200})") from None
    for name in FITTING:
        if vars(processor.layout)[name] != vars(model.config)[name]:
            raise StgError(f"--model {folder}: processor and model differ in {name}; copy all files of the folder")
    processor.fill_token_ids(model.config)
    return model, processor


def _check_kind(folder: str, config: Any, kinds: Sequence[str]) -> str:
    """The type of a model by its configuration, if it is one of `kinds`."""
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in kinds:
        wanted = " or ".join(map(repr, kinds))
        raise StgError(f"--model {folder}: holds a model of type {kind!r}, not {wanted}; {TRAIN}")
    return kind


def load_judge(processor, season: str | None, outlook: bool):
    """Of a batch's games, the judge of what is sampled about them; `season` as in check.py, `outlook` as in Judge."""
    from dataset_script.reading import open_season
    from stg.checking.checker import Checker
    from stg.checking.judging import Judge
    from stg.extraction.loading import load_extractor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)  # of other games
        checker = Checker(load_extractor(), open_season(season))
    return functools.partial(Judge, checker, processor, outlook=outlook)
