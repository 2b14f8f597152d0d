"""Uploads a finished model folder, or the dataset's card with the sample league, to the Hub.

Examples:
  stg push-to-hub runs/sample/best --hub_model_id USER/NAME --hub_private
  stg push-to-hub --dataset USER/NAME          # card and sample league only; RotoWire's texts are not ours to publish

Log in first with `hf auth login`, or set HF_TOKEN.
"""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from stg.cli.console import argument_parser, command
from stg.dataset.card import card, config_folder
from stg.dataset.reading import SPLITS
from stg.files import shipped


REQUIRED_FILES = ("config.json", "model.safetensors", "README.md")


def push_model(folder: Path, repo: str, private: bool) -> str:
    for name in REQUIRED_FILES:
        if not (folder / name).is_file():
            raise StgError(f"{folder}: has no {name}; give the folder of a finished model, such as runs/sample/best")

    from stg.extraction.configuration_extraction import ExtractionConfig
    from stg.extraction.hub_folder import write_code
    from stg.training.hub import upload

    config = read_json(folder / "config.json")
    is_extractor = isinstance(config, dict) and config.get("model_type") == ExtractionConfig.model_type
    auto_map = config.get("auto_map") if isinstance(config, dict) else None
    for reference in auto_map.values() if isinstance(auto_map, dict) else ():
        if not isinstance(reference, str):
            raise StgError(f"{folder}/config.json: auto_map: {reference!r} names no code; train or ship it again")
        code = f"{reference.split('--')[-1].split('.')[0]}.py"
        if not (folder / code).is_file():
            raise StgError(f"{folder}: has no {code}, which its config.json names; push its parent folder instead")
    with tempfile.TemporaryDirectory(prefix="stg-model-") as temporary:
        copy = shutil.copytree(folder, Path(temporary) / "model")
        if is_extractor:
            write_code(copy)
        else:
            shutil.copyfile(shipped("examples/bucks_at_knicks.json"), copy / "game.json")  # of the card's example
        text = (copy / "README.md").read_text(encoding="utf-8")
        # A card written before the repository was known uses a placeholder or the folder's name.
        for name in ("modeling_stg", "USER/NAME"):
            for call in ("from_pretrained(", "hf_hub_download(", "model=", "RecapWriter("):
                text = text.replace(f'{call}"{name}"', f'{call}"{repo}"')
            text = text.replace(f"# {name}\n", f"# {repo}\n").replace(f"name: {name}\n", f"name: {repo}\n")
        (copy / "README.md").write_text(text, encoding="utf-8")
        return upload(copy, repo, private=private, message="Upload model")


def push_dataset(repo: str, private: bool) -> str:
    """Uploads the card and the sample league; RotoWire's texts are not ours to publish."""
    from stg.training.hub import upload

    with tempfile.TemporaryDirectory(prefix="stg-dataset-") as temporary:
        folder = Path(temporary)
        (folder / "sample").mkdir()
        for split in SPLITS["sample"]:
            shutil.copyfile(config_folder("sample") / f"{split}.parquet", folder / "sample" / f"{split}.parquet")
        (folder / "README.md").write_text(card(folder), encoding="utf-8")
        return upload(folder, repo, private, "Upload dataset", "dataset", ["README.md", "sample/*.parquet"])


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("push-to-hub", __doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of a finished model")
    parser.add_argument("--hub_model_id", metavar="USER/NAME", help="model repository to upload the folder to")
    parser.add_argument("--dataset", metavar="USER/NAME", help="dataset repository for the card and the sample league")
    parser.add_argument("--hub_private", action="store_true", help="create a private repository")
    options = parser.parse_args(argv)
    if bool(options.folder) != bool(options.hub_model_id):
        raise StgError("folder and --hub_model_id: give both, as in: runs/sample/best --hub_model_id USER/NAME")
    if not options.folder and not options.dataset:
        raise StgError("nothing to push; give a folder with --hub_model_id, or --dataset USER/NAME")
    if options.folder:
        print(f"uploaded to {push_model(options.folder, options.hub_model_id, options.hub_private)}")
    if options.dataset:
        print(f"uploaded to {push_dataset(options.dataset, options.hub_private)}")
