"""Re-exports `stg.dataset`, which has the code: installed wheels take no generic name at the top level."""

from stg.dataset import open_dataset


__all__ = ["open_dataset"]
