"""Fixtures for all tests. They need neither the network nor, except `rotowire_dir`, the RotoWire files."""

import importlib
import json
import os
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
