"""Loading the extractor that reads relations for the metrics."""

from pathlib import Path

from safetensors import SafetensorError

from extraction_stg.modeling_extraction_stg import RelationExtractor
from metrics.relations import MetricError


EXTRACTOR = Path(__file__).resolve().parent.parent / "extraction_stg"


def load_extractor(folder: str | Path | None = None) -> RelationExtractor:
    """The extractor in a folder or on the Hub; the project's own by default."""
    try:
        return RelationExtractor.from_pretrained(folder or EXTRACTOR).eval()
    except (OSError, ValueError, LookupError, TypeError, RuntimeError, SafetensorError) as error:
        reason = " ".join(str(error).split())
        raise MetricError(f"extractor {folder or EXTRACTOR.name}: cannot be loaded ({reason:.200})") from None
