"""Loads the relation extractor: the one shipped with the project, or another."""

from pathlib import Path

from safetensors import SafetensorError

from modeling_stg.errors import StgError
from stg.extraction.modeling_extraction import RelationExtractor


EXTRACTOR = Path(__file__).resolve().parent


def load_extractor(folder: str | Path | None = None) -> RelationExtractor:
    """Loads the extractor of a folder or a Hub repository; the shipped one by default."""
    try:
        return RelationExtractor.from_pretrained(folder or EXTRACTOR).eval()
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, SafetensorError) as error:
        reason = " ".join(str(error).split())
        raise StgError(f"extractor {folder or 'stg/extraction'}: cannot be loaded ({reason:.200})") from None
