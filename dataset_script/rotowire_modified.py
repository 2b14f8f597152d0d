"""RotoWire-Modified with writers, as a loading script for datasets < 4.

    load_dataset("dataset_script/rotowire_modified.py", archive=..., lookup_dir=..., trust_remote_code=True)

The builder itself is in `stg/dataset/rotowire_modified.py`. datasets >= 4 has no loading scripts: `stg data` writes
the folder that `load_dataset` reads.
"""

from stg.dataset.rotowire_modified import RotowireModified, RotowireModifiedConfig


__all__ = ["RotowireModified", "RotowireModifiedConfig"]
