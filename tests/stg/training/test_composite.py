"""Training a tracker over a tiny pretrained language model, as `stg train` does."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file

from modeling_stg.base_model import BASE_MODEL
from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from stg.loading import load_model
from stg.training.composite import HEADS
from stg.training.loop import train
from stg.training.release import ship
from stg.training.settings import Settings
from tests.helpers.tiny_language import folder
from tests.helpers.tiny_model import SIZES, league


def settings(output, language=None, **changes) -> Settings:
    sizes = SIZES if language is None else SIZES | {"language_model": language, "adapter_rank": 2, "adapted_layers": 1}
    sizes = {name: size for name, size in sizes.items() if language is None or name != "context_size"}
    common = {
        "documents": 12,
        "eval_documents": 2,
        "batch_size": 4,
        "epochs": 2,
        "bleu_from_epoch": 0,
        "max_length": 60,
    }
    more = {
        "max_length": 60,
        "optimizer": "adam",
        "recap": False,
        "save_steps": 100,
        "model": sizes,
        "output_dir": str(output),
    }
    return Settings(**(common | more | changes)).check()


def weights(path) -> dict[str, torch.Tensor]:
    return load_file(path / "best" / "model.safetensors")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """An LSTM model, and one over a language model that starts from its tracker."""
    runs = tmp_path_factory.mktemp("runs")
    assert train(settings(runs / "lstm", epochs=1)) == 0
    tracker = str(runs / "lstm" / "best")
    assert train(settings(runs / "composite", folder("llama"), tracker_from=tracker)) == 0
    return runs


def test_it_saves_what_was_trained_and_nothing_of_the_language_model(trained):
    saved = weights(trained / "composite")
    config = json.loads((trained / "composite" / "best" / "config.json").read_text())
    assert config["language_model"] == folder("llama") and config["context_size"] == 32
    assert any(name.startswith("language.adapters") for name in saved)
    assert not any("embed_tokens" in name or "lm_head" in name for name in saved)
    assert saved["language.adapters.2_self_attn_q_proj.up.weight"].abs().sum() > 0


def test_it_starts_from_the_tracker(trained, tmp_path):
    """With a learning rate of next to nothing, what it saves is the tracker it started from."""
    tracker = str(trained / "lstm" / "best")
    train(settings(tmp_path, folder("llama"), tracker_from=tracker, epochs=1, learning_rate=1e-12))
    own, other = weights(tmp_path), weights(trained / "lstm")
    for name in ("encoder.value.weight", "tracker.gru_a.weight_hh", "writer.weight"):
        torch.testing.assert_close(own[name], other[name])
    for head in HEADS:
        torch.testing.assert_close(own[f"{head}.weight"][:, -48:], other[f"{head}.weight"][:, -48:])


def test_a_resumed_run_ends_where_an_uninterrupted_one_does(trained, tmp_path):
    tracker = str(trained / "lstm" / "best")
    for changes in ({"max_steps": 2}, {"resume": True}):
        train(settings(tmp_path, folder("llama"), tracker_from=tracker, **changes))
    whole, resumed = weights(trained / "composite"), weights(tmp_path)
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


def test_it_is_shipped_and_loaded(trained, tmp_path):
    ship(trained / "composite" / "best", tmp_path, {"max_new_tokens": 20})
    model, processor = load_model(str(tmp_path))
    assert model.language.base.config.model_type == "llama"
    text = processor.batch_decode(model.generate(**processor(league()[:1])), league()[:1])[0]
    assert text


def test_a_missing_language_model_is_one_line_with_a_remedy(trained, tmp_path, monkeypatch):
    monkeypatch.setenv(BASE_MODEL, str(tmp_path / "nowhere"))
    with pytest.raises(StgError, match=r"language_model .*nowhere: cannot be loaded .*STG_BASE_MODEL.*base-model"):
        load_model(str(trained / "composite" / "best"))


def test_a_folder_can_stand_in_for_the_hub(trained, tmp_path, monkeypatch):
    """STG_BASE_MODEL takes precedence over the name in the configuration."""
    copied = shutil.copytree(folder("llama"), tmp_path / "copy")
    best = shutil.copytree(trained / "composite" / "best", tmp_path / "best")
    for file in ("config.json", "processor_config.json"):
        text = (best / file).read_text().replace(json.dumps(folder("llama")), '"nobody/nothing"')
        (best / file).write_text(text)
    monkeypatch.setenv(BASE_MODEL, str(copied))
    first, second = (StgForDataToText.from_pretrained(trained / "composite" / "best"), load_model(str(best))[0])
    row = league()[0]
    batch = StgProcessor.from_pretrained(best)([row], [row["summary"]], [row["mentions"]])
    with torch.no_grad():
        assert first.eval()(**batch).loss == second(**batch).loss
