"""Loads the relation extractor: the one shipped with the project, or another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeling_stg.errors import StgError


if TYPE_CHECKING:
    from stg.extraction.modeling_extraction import RelationExtractor


EXTRACTOR = Path(__file__).resolve().parent


def check_extractor(folder: str | Path | None) -> None:
    """Raises early, before slow imports, for a folder without an extractor."""
    if folder is not None and Path(folder).is_dir() and not (Path(folder) / "config.json").is_file():
        raise StgError(f"extractor {folder}: cannot be loaded (no config.json); give the folder of a trained one")


def load_extractor(folder: str | Path | None = None) -> RelationExtractor:
    """Loads the extractor of a folder or a Hub repository; the shipped one by default."""
    check_extractor(folder)
    from safetensors import SafetensorError

    from stg.extraction.modeling_extraction import RelationExtractor

    try:
        return RelationExtractor.from_pretrained(folder or EXTRACTOR).eval()
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, SafetensorError) as error:
        reason = " ".join(str(error).split())
        raise StgError(f"extractor {folder or 'stg/extraction'}: cannot be loaded ({reason:.200})") from None
