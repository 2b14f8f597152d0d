"""Puts a tracker over a pretrained language model: sizes, spellings, and a tracker that has been trained before."""

from typing import Any

import torch

from modeling_stg.base_model import open_config
from modeling_stg.configuration_stg import LSTM
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor


# Modules that do not read the language model, and heads that read it beside h_Ent
WITHOUT_LANGUAGE = ("encoder", "tracker", "writer")
HEADS = ("transition", "attribute", "number")
TRACKER_SIZES = ("embedding_size", "hidden_size", "writer_size")
# What the configuration of a language model says about the file that it came from
_NOT_ARCHITECTURE = ("quantization_config", "transformers_version", "_name_or_path", "_model_name_or_path", "dtype")


def sizes_of(processor: StgProcessor) -> dict[str, Any]:
    """The fields of `StgConfig` that the processor's language model decides; none for the LSTM."""
    if processor.language_model == LSTM:
        return {}
    config = open_config(processor.language_model, processor.language_revision)
    settings = {name: value for name, value in config.to_dict().items() if name not in _NOT_ARCHITECTURE}
    return {
        "language_model": processor.language_model,
        "language_revision": processor.language_revision,
        "language_config": settings,
        "context_size": config.hidden_size,
        "spelling_width": processor.spell_vocabulary()[0].shape[2],
    }


def spell_words(model: StgForDataToText, processor: StgProcessor) -> None:
    """Gives a model with a pretrained language model the spellings of its words."""
    if model.config.is_pretrained:
        spelling, opening = processor.spell_vocabulary()
        model.language.spelling.copy_(spelling)
        model.language.opening.copy_(opening)


@torch.no_grad()
def take_tracker(model: StgForDataToText, trained: StgForDataToText) -> None:
    """Copies what does not read the language model from a trained model of the same vocabularies and sizes."""
    own, other = model.state_dict(), trained.state_dict()
    for name, tensor in own.items():
        if name.partition(".")[0] in WITHOUT_LANGUAGE:
            tensor.copy_(other[name])
    hidden = model.config.hidden_size
    for head in HEADS:
        own[f"{head}.weight"][:, -hidden:] = other[f"{head}.weight"][:, -hidden:]
        own[f"{head}.bias"].copy_(other[f"{head}.bias"])
