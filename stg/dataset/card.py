"""The dataset card: what a build left out, and the digests that keep `load_dataset` from serving stale data.

`datasets` caches a folder of Parquet by the text of its YAML, not by the files' content, so a rebuilt folder or a
second clone would get the first one's cached data. A digest of the content in the YAML prevents that: in README.md
for the committed `sample` and `house` (`stg league` and `stg annotate` update it), in the untracked
`.huggingface.yaml` for what is built locally.
"""

import hashlib
import json
import re
from pathlib import Path

import yaml

from stg.files import CHECKOUT, shipped
from stg.outputs import write_atomically


FOLDER = shipped("rotowire_modified")
# Where data is built: an installed wheel is never written to.
BUILD_FOLDER = FOLDER if CHECKOUT else Path("rotowire_modified")
BUILT = ("default", "extra", "partial")
COMMITTED = ("sample", "house")


def config_folder(config: str) -> Path:
    """The folder that holds a config of the project's dataset, or would hold it once built."""
    return (FOLDER if config in COMMITTED and not (BUILD_FOLDER / config).is_dir() else BUILD_FOLDER) / config


def record_path(folder: Path, config: str) -> Path:
    """The file in which a build records what it wrote and left out."""
    return folder / config / "build.json"


def card(folder: Path) -> str:
    """The dataset card, restricted to the configs in `folder`, with their build records."""
    _, header, body = (FOLDER / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    settings = yaml.safe_load(header)
    settings["configs"] = [config for config in settings["configs"] if (folder / config["config_name"]).is_dir()]
    return f"---\n{yaml.safe_dump(settings, sort_keys=False)}---\n{body.rstrip()}\n\n{build_page(folder)}"


def build_page(folder: Path) -> str:
    """What the builds in `folder` wrote and left out."""
    lines = ["## How this copy was built", ""]
    for config in BUILT:
        path = record_path(folder, config)
        if not path.is_file():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = ", ".join(f"{split} {count:,}" for split, count in record["rows"].items())
        lines.append(f"- `{config}`: {rows}.")
        lines += [f"  - Left out: {line}." for line in record["left_out"]]
        lines += [f"  - Remark: {line}." for line in record["remarks"]]
    return "\n".join(lines) + "\n"


def digest(folder: Path, config: str) -> str:
    """A digest of the names and contents of a config's Parquet files."""
    content = hashlib.sha256()
    for path in sorted((folder / config).glob("*.parquet")):
        content.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()[:16]


def stamp_built(folder: Path) -> None:
    """Writes the digests of the built configs into the YAML file that `datasets` reads beside the card."""
    built = [config for config in BUILT if (folder / config).is_dir()]
    infos = [{"config_name": config, "description": f"content {digest(folder, config)}"} for config in built]
    _write(folder / ".huggingface.yaml", yaml.safe_dump({"dataset_info": infos}, sort_keys=False))


def stamp_committed(folder: Path = FOLDER) -> None:
    """Writes the digests of the committed configs into the card's YAML."""
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8")
    for config in COMMITTED:
        stamp = rf"(?<=- config_name: {config}\n  description: content )\w+"
        text = re.sub(stamp, digest(folder, config), text)
    _write(path, text)


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        write_atomically(path, text)
