"""Assembles the extractor's Hub folder: its weights and the code that `trust_remote_code` loads.

In the repository the extractor imports the core from `modeling_stg`. The Hub's loader only finds files in the same
folder, so every module is copied there with its imports made relative.
"""

import re
import shutil
from pathlib import Path

import modeling_stg


HERE = Path(__file__).resolve().parent
SOURCES = {"stg.extraction": HERE, "modeling_stg": Path(modeling_stg.__file__).parent}
START = ("stg.extraction", "modeling_extraction")
FILES = ("README.md", "config.json", "model.safetensors", "vocabulary.json")
_IMPORT = re.compile(r"^from (stg\.extraction|modeling_stg)\.(\w+) import", re.MULTILINE)
_RELATIVE_IMPORT = re.compile(r"^\s*from \.(\w+) import", re.MULTILINE)  # modeling_stg is flat already


def write_code(folder: str | Path) -> None:
    """Writes the module of `RelationExtractor` and everything it imports from this project."""
    waiting, written = [START], set()
    while waiting:
        package, name = waiting.pop()
        if name in written:
            continue
        written.add(name)
        code = (SOURCES[package] / f"{name}.py").read_text(encoding="utf-8")
        waiting += _IMPORT.findall(code) + [(package, module) for module in _RELATIVE_IMPORT.findall(code)]
        (Path(folder) / f"{name}.py").write_text(_IMPORT.sub(r"from .\2 import", code), encoding="utf-8")


def assemble(folder: str | Path, source: str | Path = HERE) -> Path:
    """Copies weights from `source` (default: the shipped extractor) and the code into `folder`, creating it."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(Path(source) / name, target / name)
    write_code(target)
    return target
