"""Fixtures for all tests. They need neither the network nor, except `rotowire_dir`, the RotoWire files."""

import importlib
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("HF_DATASETS_CACHE", str(ROOT / ".pytest_cache" / "datasets"))  # not the user's cache


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root, from which `load_dataset("rotowire_modified")` works."""
    return ROOT


@pytest.fixture(scope="session")
def load_script(root) -> Callable[[str], ModuleType]:
    """Imports the module of an `stg` subcommand."""
    return lambda name: importlib.import_module(f"stg.cli.{name}")


@pytest.fixture(scope="session")
def rotowire_dir() -> Path:
    """The folder with the real RotoWire files; skips the test if there is none."""
    folder = Path(os.environ.get("STG_ROTOWIRE", ROOT.parent / "shared" / "data"))
    if not (folder / "rotowire.tar.bz2").is_file():
        pytest.skip(f"the real RotoWire files are not in {folder} (set STG_ROTOWIRE to their folder)")
    return folder.resolve()


@pytest.fixture(scope="session")
def modified_games(rotowire_dir) -> dict[str, list]:
    """The games of RotoWire-Modified by split, read from the archive; most of train is missing."""
    from stg.dataset.archive import read_archive, read_lookups
    from stg.dataset.join import join_default

    folder = rotowire_dir / "rotowire-modified"
    joined = join_default(read_archive(rotowire_dir / "rotowire.tar.bz2"), read_lookups(folder), allow_missing=True)
    from modeling_stg.errors import GameWarning
    from modeling_stg.game import Game

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        return {
            split: [Game.from_json(entry.data) for entry in of_split] for split, of_split in joined.entries.items()
        }


@pytest.fixture(scope="session")
def hoopr_dir(rotowire_dir) -> Path:
    """The folder with hoopR's seasons; skips the test if there is none."""
    from stg.converters.hoopr import is_hoopr

    folder = rotowire_dir / "feeds" / "hoopr"
    if not is_hoopr(folder):
        pytest.skip(f"hoopR's seasons are not in {folder}")
    return folder


@pytest.fixture(scope="session")
def paper(root) -> dict:
    """Bucks at Knicks, 4 January 2017: the paper's game."""
    return json.loads((root / "examples" / "bucks_at_knicks.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def model():
    """The tiny model that has memorised eight openings; test modules may override it."""
    from tests.helpers import tiny_model

    return tiny_model.trained_model()


@pytest.fixture(scope="session")
def processor():
    """The tiny model's processor."""
    from tests.helpers import tiny_model

    return tiny_model.processor()


@pytest.fixture(params=["C", "torch"])
def by_c_or_torch(request, monkeypatch) -> str:
    """Runs the test with the C kernels, and as if they had not been compiled."""
    from modeling_stg import kernels

    if request.param == "torch":
        monkeypatch.setattr(kernels, "native", None)
    elif kernels.native is None:
        pytest.skip("stg.native is not compiled: no C compiler, or an unsupported processor")
    return request.param
