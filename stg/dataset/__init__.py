"""RotoWire-Modified with writers: its schema, its builder, and the sample league."""

from stg.dataset.reading import open_dataset


__all__ = ["open_dataset"]
