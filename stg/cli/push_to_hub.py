"""Uploads a finished model folder, or the dataset's card with the sample league, to the Hub.

python scripts/push_to_hub.py runs/sample/best --hub_model_id USER/NAME [--hub_private]
python scripts/push_to_hub.py --dataset USER/NAME          # card and sample league; RotoWire's texts stay here

Log in first with `hf auth login`, or set HF_TOKEN.
"""

import shutil
import tempfile
from pathlib import Path

from dataset_script.card import card
from dataset_script.reading import FOLDER, SPLITS
from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from stg.cli.console import exits_kindly, parser
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.hub_folder import write_code
from stg.training.hub import upload


NEEDED = ("config.json", "model.safetensors", "README.md")


def push_model(folder: Path, repo: str, private: bool) -> str:
    for name in NEEDED:
        if not (folder / name).is_file():
            raise StgError(f"{folder}: has no {name}; give the folder of a finished model, such as runs/sample/best")
    config = read_json(folder / "config.json")
    is_extractor = isinstance(config, dict) and config.get("model_type") == ExtractionConfig.model_type
    named = config.get("auto_map") if isinstance(config, dict) else None
    for reference in named.values() if isinstance(named, dict) else ():
        if not isinstance(reference, str):
            raise StgError(f"{folder}/config.json: {reference!r} in auto_map names no code; train or ship it again")
        code = f"{reference.split('--')[-1].split('.')[0]}.py"
        if not (folder / code).is_file():
            raise StgError(f"{folder}: has no {code}, which its config.json names; push the folder around it instead")
    with tempfile.TemporaryDirectory(prefix="stg-model-") as place:
        copy = shutil.copytree(folder, Path(place) / "model")
        if is_extractor:
            write_code(copy)
        card = (copy / "README.md").read_text(encoding="utf-8")
        # A card that was written before its repository was known calls the model by the folder's name.
        for name in ("modeling_stg", "USER/NAME"):
            card = card.replace(f'from_pretrained("{name}"', f'from_pretrained("{repo}"')
            card = card.replace(f"# {name}\n", f"# {repo}\n").replace(f"name: {name}\n", f"name: {repo}\n")
        (copy / "README.md").write_text(card, encoding="utf-8")
        return upload(copy, repo, private=private, message="Upload model")


def push_dataset(repo: str, private: bool) -> str:
    """The card and what is ours to publish: RotoWire's texts are not."""
    with tempfile.TemporaryDirectory(prefix="stg-dataset-") as place:
        folder = Path(place)
        (folder / "sample").mkdir()
        for split in SPLITS["sample"]:
            shutil.copyfile(FOLDER / "sample" / f"{split}.parquet", folder / "sample" / f"{split}.parquet")
        (folder / "README.md").write_text(card(folder), encoding="utf-8")
        return upload(folder, repo, private, "Upload dataset", "dataset", ["README.md", "sample/*.parquet"])


@exits_kindly
def main() -> None:
    options = parser()
    options.add_argument("folder", nargs="?", type=Path, help="folder of a finished model")
    options.add_argument("--hub_model_id", metavar="USER/NAME", help="where the model goes")
    options.add_argument("--dataset", metavar="USER/NAME", help="where the dataset's card and sample go")
    options.add_argument("--hub_private", action="store_true", help="create a private repository")
    arguments = options.parse_args()
    if bool(arguments.folder) != bool(arguments.hub_model_id):
        raise StgError("folder and --hub_model_id: give both, as in: runs/sample/best --hub_model_id USER/NAME")
    if not arguments.folder and not arguments.dataset:
        raise StgError("nothing to push; give a folder with --hub_model_id, or --dataset USER/NAME")
    if arguments.folder:
        print(f"uploaded to {push_model(arguments.folder, arguments.hub_model_id, arguments.hub_private)}")
    if arguments.dataset:
        print(f"uploaded to {push_dataset(arguments.dataset, arguments.hub_private)}")


if __name__ == "__main__":
    main()
