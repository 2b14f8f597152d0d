"""The Auto classes load saved folders in a new process, without the package, from any path."""

import json
import shutil
import subprocess
import sys

import pytest
import torch
from datasets import load_dataset
from safetensors.torch import load_file, save_file

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from stg.training.release import ship


LOAD = """
import json, sys, torch
from transformers import AutoConfig, AutoModel, AutoProcessor, AutoTokenizer
folder, again, subfolder = sys.argv[1:]
place = {"subfolder": subfolder, "trust_remote_code": True} if subfolder else {"trust_remote_code": True}
config = AutoConfig.from_pretrained(folder, **place)
model = AutoModel.from_pretrained(folder, **place)
processor = AutoProcessor.from_pretrained(folder, **place)
tokenizer = AutoTokenizer.from_pretrained(folder, **place)
row = json.load(open("row.json"))
batch = processor([row], [row["summary"]], [row["mentions"]], [row["writer"]])
with torch.no_grad():
    loss = model.eval()(**batch).loss.item()
model.save_pretrained(again)
processor.save_pretrained(again)
assert len(processor.tokenizer) == len(tokenizer) == config.vocab_size == model.config.vocab_size
longest = model.generation_config.max_new_tokens
print(json.dumps([config.model_type, loss, len(tokenizer), "modeling_stg" in sys.modules, config.use_writer, longest]))
"""


@pytest.fixture(scope="module")
def rows(root):
    return load_dataset(str(root / "rotowire_modified"), "sample", split="train").select(range(20)).to_list()


@pytest.fixture(scope="module")
def saved(rows, tmp_path_factory):
    """A small saved model, its processor, and its loss on the first row."""
    torch.manual_seed(0)
    processor = StgProcessor.from_dataset(rows)
    sizes = {"embedding_size": 8, "hidden_size": 16, "context_size": 8, "writer_size": 8}
    model = StgForDataToText(processor.config(**sizes)).eval()
    folder = tmp_path_factory.mktemp("saved") / "stg"
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    with torch.no_grad():
        row = rows[0]
        loss = model(**processor([row], [row["summary"]], [row["mentions"]], [row["writer"]])).loss.item()
    return folder, model, processor, loss


def load_elsewhere(folder, row, tmp_path, subfolder=""):
    """Loads a folder in a process that does not import this repository, and saves it again."""
    (tmp_path / "row.json").write_text(json.dumps(row))
    again = tmp_path / "again"
    run = subprocess.run(
        [sys.executable, "-I", "-c", LOAD, str(folder), str(again), subfolder],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.strip().splitlines()[-1]), again


SHIPPED = """
import json, sys
from transformers import AutoModel, AutoProcessor
model = AutoModel.from_pretrained("modeling_stg", trust_remote_code=True)
processor = AutoProcessor.from_pretrained("modeling_stg", trust_remote_code=True)
game = json.load(open("examples/bucks_at_knicks.json"))
assert "modeling_stg" not in sys.modules
print(processor.batch_decode(model.generate(**processor(game), max_new_tokens=25), game)[0])
"""


def test_shipped_model_loads_from_the_root_with_remote_code(root, tmp_path):
    """`AutoModel.from_pretrained("modeling_stg", trust_remote_code=True)`, as the README has it."""
    environment = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-I", "-c", SHIPPED], cwd=root, capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr
    assert "Milwaukee Bucks" in run.stdout and "New York Knicks" in run.stdout


def test_auto_classes_load_a_copied_folder_and_save_it_again(saved, rows, tmp_path):
    folder, _, processor, loss = saved
    copy = shutil.copytree(folder, tmp_path / "copy")
    (model_type, first, words, imported, *_), again = load_elsewhere(copy, rows[0], tmp_path)
    assert (model_type, words, imported) == ("stg", len(processor.tokenizer), False)
    assert first == pytest.approx(loss, rel=1e-6)
    (_, second, *_), _ = load_elsewhere(again, rows[0], tmp_path)
    assert second == first


def test_subfolder_model_uses_the_code_of_its_parent(saved, rows, tmp_path):
    """As modeling_stg/no_writer: code from the folder, everything else from the subfolder.

    The path is relative: for an absolute one, transformers 5.22 reads the parent's generation_config.json.
    """
    folder, _, processor, _ = saved
    copy = shutil.copytree(folder, tmp_path / "copy")
    row, own = rows[0], StgProcessor.from_dataset(rows[:10])
    torch.manual_seed(1)
    sizes = {"embedding_size": 8, "hidden_size": 24, "context_size": 8}
    model = StgForDataToText(own.config(use_writer=False, **sizes)).eval()
    model.save_pretrained(tmp_path / "trained")
    own.save_pretrained(tmp_path / "trained")
    files = ship(tmp_path / "trained", copy / "no_writer", {"max_new_tokens": 77, "avoid_repeats": True})
    assert not [file for file in (copy / "no_writer").iterdir() if file not in files or file.suffix == ".py"]
    assert load_file(copy / "no_writer" / "model.safetensors")["output.weight"].dtype == torch.float16
    assert len(own.tokenizer) != len(processor.tokenizer)
    (_, loss, words, imported, writer, longest), again = load_elsewhere(copy.name, row, tmp_path, "no_writer")
    assert (words, imported, writer, longest) == (len(own.tokenizer), False, False, 77)
    with torch.no_grad():
        expected = model(**own([row], [row["summary"]], [row["mentions"]], [row["writer"]])).loss.item()
    assert loss == pytest.approx(expected, rel=1e-3)
    (_, second, _, _, writer, longest), _ = load_elsewhere(again, row, tmp_path)
    assert (second, writer, longest) == (loss, False, 77), "the saved copy is self-contained"


def test_ship_refuses_what_it_cannot_ship(saved, tmp_path):
    with pytest.raises(StgError, match="has no trained model"):
        ship(tmp_path, tmp_path / "target", {})
    assert not (tmp_path / "target").exists()
    source = saved[0]
    with pytest.raises(StgError, match="is both source and target"):
        ship(source, source, {})
    for settings, message in (
        ({"z_threshold": 7}, "z_threshold: 7 is not"),
        ({"min_plan_length": 3}, "is not an option of this"),
    ):
        with pytest.raises(StgError, match=message):
            ship(source, tmp_path / "target", settings)
    for name, message in (
        ("model.safetensors", "cannot be shipped"),
        ("config.json", "is not valid JSON"),
        ("generation_config.json", "cannot be shipped"),
    ):
        cut = shutil.copytree(source, tmp_path / f"cut {name}")
        (cut / name).write_bytes((cut / name).read_bytes()[:40])
        with pytest.raises(StgError, match=message):
            ship(cut, tmp_path / "target", {})
        assert not (tmp_path / "target").exists() or not list((tmp_path / "target").iterdir())
    other = shutil.copytree(source, tmp_path / "other")
    (other / "config.json").write_text('{"model_type": "ncp"}')
    with pytest.raises(StgError, match="has a model of type 'ncp'"):
        ship(other, tmp_path / "target", {})


def test_shipped_models_are_small_and_share_code(root):
    """Each is below 60 MB, and only the first has code."""
    for folder in (root / "modeling_stg", root / "modeling_stg" / "no_writer"):
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        assert size < 60e6 and (folder / "model.safetensors").is_file()
        config = StgConfig.from_pretrained(folder)
        assert config.use_writer == (folder.name == "modeling_stg")
        assert (folder.name == "modeling_stg") == bool(list(folder.glob("*.py")))


def test_weights_round_trip_as_safetensors(saved):
    folder, model, _, _ = saved
    assert not [file for file in folder.iterdir() if file.suffix in {".bin", ".pt", ".pkl"}]
    loaded = StgForDataToText.from_pretrained(folder)
    for name, tensor in model.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor), name


def test_missing_weights_are_initialised(saved, tmp_path):
    """Models are created on the meta device: weights missing from the file must not be uninitialised memory."""
    folder, model, _, _ = saved
    bare = shutil.copytree(folder, tmp_path / "bare")
    save_file(
        {"output.bias": model.output.bias.detach().clone()}, bare / "model.safetensors", metadata={"format": "pt"}
    )
    loaded = StgForDataToText.from_pretrained(bare)
    for name, tensor in loaded.state_dict().items():
        assert torch.isfinite(tensor).all() and tensor.abs().max() <= 1, name
        assert name.endswith("bias") or name.endswith("bias_ih") or name.endswith("bias_hh") or tensor.std() > 0, name
    forget = loaded.language.layers[0].bias.view(4, -1)[2]
    assert torch.equal(forget, torch.ones_like(forget))


def test_float16_weights_load_as_float32(saved, tmp_path):
    folder, model, _, _ = saved
    half = shutil.copytree(folder, tmp_path / "half")
    weights = {name: tensor.half() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(weights, half / "model.safetensors", metadata={"format": "pt"})
    loaded = StgForDataToText.from_pretrained(half)
    assert loaded.dtype == torch.float32
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], tensor, atol=1e-3, rtol=1e-3)


def test_processor_round_trips(saved, rows):
    folder, _, processor, _ = saved
    loaded = StgProcessor.from_pretrained(folder)
    assert (loaded.entities, loaded.values, loaded.writers) == (
        processor.entities,
        processor.values,
        processor.writers,
    )
    row = rows[1]
    before = processor([row], [row["summary"]], [row["mentions"]], [2])
    after = loaded([row], [row["summary"]], [row["mentions"]], [2])
    assert all(torch.equal(before[name], after[name]) for name in before)
