"""Settings and the training loop, in this process; `test_learning.py` checks what a model learns."""

import argparse
import json
import shutil
from pathlib import Path

import pytest
import torch
import yaml
from accelerate import Accelerator
from safetensors.torch import load_file

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.phrases import phrase_hashes
from stg.dataset.card import FOLDER
from stg.training import checkpoint, data, model_task
from stg.training.loop import Trainer, start, train
from stg.training.optimization import learning_rate
from stg.training.ordering import order_numbers
from stg.training.settings import CONFIGS, Settings, add_options, merge, read_settings
from stg.training.state import State
from stg.training.tasks import build_task


SIZES = {"hidden_size": 16, "embedding_size": 8, "context_size": 8, "writer_size": 4, "num_lm_layers": 1}


def tiny(output: Path, **more) -> Settings:
    settings = {
        **{"documents": 20, "eval_documents": 4, "epochs": 1, "batch_size": 8, "max_length": 60, "bleu_from_epoch": 0},
        **{"max_new_tokens": 15, "recap": False, "output_dir": str(output), "warmup_steps": 0},
        "phrases": False,  # they change with the documents
    }
    sizes = SIZES | more.pop("model", {})
    return merge(CONFIGS / "default.yaml", settings | more, sizes)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "best" / "model.safetensors")


def parse(*arguments: str) -> Settings:
    options = argparse.ArgumentParser()
    add_options(options)
    return read_settings(options, arguments)


# settings


def test_command_line_overrides_the_file():
    settings = parse("--epochs", "3", "--no-writer", "--use", "extra,partial", "--model.hidden_size", "64")
    assert (settings.epochs, settings.writer, settings.use) == (3, False, ["extra", "partial"])
    assert settings.model["hidden_size"] == 64 and settings.model["embedding_size"] > 0
    assert settings.dataset == "sample", "not given, so as in configs/default.yaml"


def test_paper_config_has_the_published_settings():
    settings = parse("--config", str(CONFIGS / "paper.yaml"))
    assert (settings.optimizer, settings.learning_rate, settings.batch_size, settings.epochs) == (
        "amsgrad",
        2e-3,
        16,
        30,
    )
    assert settings.decay == 0.99 and settings.schedule == "exponential" and settings.bleu_from_epoch > 0
    assert settings.model["hidden_size"] == 512 and settings.dataset == "rotowire_modified"


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        ({"epochs": "many"}, "epochs"),
        ({"epochs": 0}, "epochs"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"optimizer": "magic"}, "optimizer"),
        ({"writer": "maybe"}, "writer"),
        ({"colour": "red"}, "'colour'"),
        ({"push_to_hub": True}, "hub_model_id"),
        ({"keep_checkpoints": 1}, "keep_checkpoints"),
        ({"finish_epochs": 99, "epochs": 3}, "finish_epochs"),
    ],
)
def test_invalid_setting_is_named_in_one_line(overrides, named):
    with pytest.raises(StgError) as error:
        merge(CONFIGS / "default.yaml", overrides)
    assert str(error.value).startswith(named) and "\n" not in str(error.value)


def test_unreadable_config_file_is_named(tmp_path):
    (tmp_path / "invalid.yaml").write_text("a: [1")
    for path in (tmp_path / "missing.yaml", tmp_path / "invalid.yaml"):
        with pytest.raises(StgError, match=path.name):
            merge(path, {})


@pytest.mark.parametrize("option", ["--unheard", "--model.hidden_size"])
def test_unknown_option_exits_with_usage(option):
    with pytest.raises(SystemExit) as stopped:
        parse(option)
    assert stopped.value.code == 2


def test_learning_rate_schedules():
    def rate(step=0, epoch=0, fraction=0.0, factor=1.0, **settings):
        return learning_rate(Settings(learning_rate=1.0, epochs=10, **settings), step, epoch, fraction, factor)

    assert rate(epoch=2, schedule="exponential", decay=0.9) == pytest.approx(0.81)
    assert rate(epoch=5, schedule="linear") == pytest.approx(0.5)
    assert rate(epoch=5, schedule="cosine") == pytest.approx(0.5)
    assert rate(epoch=9, fraction=1.0, schedule="cosine") == pytest.approx(0)
    assert rate(factor=0.25, schedule="plateau") == 0.25
    assert rate(step=0, schedule="plateau", warmup_steps=4) == 0.25


def test_state_tracks_best_epoch_stalls_and_early_stopping():
    state, settings = State(), Settings(patience=2, schedule="plateau", decay=0.5, epochs=10)
    assert state.record_scores({"bleu": 3.0}, [1.0, 3.0], settings, whole=True)
    assert not state.record_scores({"bleu": 2.0}, [1.0, 2.0], settings, whole=True)
    assert state.rate_factor == 0.5 and not state.finished
    assert not state.record_scores({"bleu": 3.0}, [1.0, 3.0], settings, whole=True)
    assert state.finished and state.best["bleu"] == 3.0 and state.best["epoch"] == 1


def test_number_embeddings_start_in_order():
    table = torch.nn.Embedding(60, 16)
    order_numbers(table, ["Boston", *map(str, range(40, 90))], first=2)
    near, far = (table.weight[3] - table.weight[4]).norm(), (table.weight[3] - table.weight[52]).norm()
    steps = table.weight[4:53] - table.weight[3:52]
    assert (steps >= 0).all() and (steps.sum(1) > 0).all() and near < far


# the loop


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """Two epochs with BLEU, tensorboard and a final recap."""
    folder = tmp_path_factory.mktemp("run") / "all"
    assert train(tiny(folder, epochs=2, bleu_from_epoch=2, report_to="tensorboard", recap=True, max_length=30)) == 0
    return folder


def test_run_writes_model_history_and_logs(run):
    history = json.loads((run / "best" / "training.json").read_text())["history"]
    assert "bleu" not in history[0] and "bleu" in history[1]
    assert history[1]["epoch"] == 2, "an epoch with BLEU beats any without"
    assert list((run / "logs").rglob("events.out.tfevents*"))
    assert not list(run.rglob("*.pt")) + list(run.rglob("*.bin")) + list(run.rglob("*.pkl"))


def test_long_documents_are_truncated_and_counted(tmp_path, capsys):
    task = build_task(tiny(tmp_path, max_length=30), start(tiny(tmp_path)))
    printed = capsys.readouterr().out
    assert "20 of 20 training documents were cut to max_length 30" in printed
    assert max(len(example["labels"]) for example in task.examples) == 30


def test_weights_are_a_function_of_the_seed(tmp_path):
    for name, seed in (("one", 5), ("same", 5), ("other", 6)):
        train(tiny(tmp_path / name, seed=seed))
    one, same, other = (weights(tmp_path / name) for name in ("one", "same", "other"))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["output.weight"], other["output.weight"])


def test_init_from_keeps_weights_adds_a_head_and_drops_writers(tmp_path, run, capsys):
    sizes = {"dropout": 0.4, "use_teammates": True}
    train(tiny(tmp_path / "more", init_from=str(run / "best"), learning_rate=1e-9, documents=4, model=sizes))
    assert StgConfig.from_pretrained(tmp_path / "more" / "best").dropout == 0.4
    before, after = weights(run), weights(tmp_path / "more")
    assert set(after) - set(before) == {"teammates.weight", "teammates.bias"}
    generation = json.loads((tmp_path / "more" / "best" / "generation_config.json").read_text())
    assert not {"dropout", "use_teammates", "use_writer"}.intersection(generation)
    assert all(torch.allclose(before[name], after[name], atol=1e-5) for name in before)
    part = {"init_from": str(tmp_path / "more" / "best"), "only": ["teammates"], "documents": 4}
    train(tiny(tmp_path / "part", **part))
    part_after = weights(tmp_path / "part")
    changed = {name for name in after if not torch.equal(after[name], part_after[name])}
    assert changed == {"teammates.weight", "teammates.bias"}
    with pytest.raises(StgError, match="only: the model has no mates; its modules are .*teammates"):
        train(tiny(tmp_path / "refused", **(part | {"only": ["mates"]})))
    train(tiny(tmp_path / "bare", init_from=str(run / "best"), writer=False, learning_rate=1e-9, documents=4))
    bare = weights(tmp_path / "bare")
    assert set(before) - set(bare) == {"writer.weight", "from_writer.weight"}
    assert all(torch.allclose(before[name], bare[name], atol=1e-5) for name in bare)
    assert "drops its writers" in capsys.readouterr().out
    with pytest.raises(StgError, match="was trained with --no-writer"):
        train(tiny(tmp_path / "refused", init_from=str(tmp_path / "bare" / "best")))
    with pytest.raises(StgError, match="init_from .*nowhere"):
        train(tiny(tmp_path / "refused", init_from=str(tmp_path / "nowhere")))


def test_model_without_writer_has_no_writer_weights(tmp_path):
    train(tiny(tmp_path, writer=False))
    assert not [name for name in weights(tmp_path) if "writer" in name]


def test_earlier_run_is_renamed(tmp_path, capsys):
    (tmp_path / "run" / "checkpoints" / "step_00000001").mkdir(parents=True)
    train(tiny(tmp_path / "run", documents=4))
    assert (tmp_path / "run.old1" / "checkpoints" / "step_00000001").is_dir() and "run.old1" in capsys.readouterr().out


def test_nan_loss_stops_and_keeps_the_checkpoint(tmp_path, monkeypatch):
    train(tiny(tmp_path))
    before = checkpoint.load_latest(tmp_path / "checkpoints").state["step"]
    restore = Trainer._restore

    def restore_and_spoil(trainer, saved):
        restore(trainer, saved)
        with torch.no_grad():
            trainer.bare_model.output.weight.fill_(float("nan"))

    monkeypatch.setattr(Trainer, "_restore", restore_and_spoil)
    with pytest.raises(StgError, match="^loss: not a number at step") as error:
        train(tiny(tmp_path, resume=True, epochs=2))
    assert "\n" not in str(error.value) and "last checkpoint" in str(error.value)
    assert checkpoint.load_latest(tmp_path / "checkpoints").state["step"] == before


def test_resume_refuses_changed_settings(tmp_path):
    train(tiny(tmp_path, documents=4))
    for changed, named in (({"learning_rate": 0.5}, "learning_rate"), ({"batch_size": 2}, "step_size")):
        with pytest.raises(StgError, match=f"^{named}: .* when the run began"):
            train(tiny(tmp_path, documents=4, resume=True, epochs=2, **changed))


@pytest.fixture
def own_data(tmp_path) -> Path:
    """A dataset folder whose `default` and `partial` are the sample league."""
    folder = tmp_path / "own"
    configs = []
    for config, splits in (("default", ("train", "validation", "test")), ("partial", ("train",))):
        (folder / config).mkdir(parents=True)
        for split in splits:
            shutil.copyfile(FOLDER / "sample" / f"{split}.parquet", folder / config / f"{split}.parquet")
        files = [{"split": split, "path": f"{config}/{split}.parquet"} for split in splits]
        configs.append({"config_name": config, "data_files": files})
    (folder / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': configs})}---\n")
    return folder


def test_excerpts_do_not_train_number_forms(tmp_path, own_data):
    settings = tiny(tmp_path, dataset=str(own_data), use="partial", documents=6)
    task = build_task(settings, start(settings))
    assert [bool(example["form_known"]) for example in task.examples] == [True] * 6 + [False] * 6
    assert task.in_final_epochs.tolist() == [True] * 6 + [False] * 6
    counts = task.model(**task.collate(task.examples[6:])).counts
    assert counts["n"] == 0 and counts["z"] > 0


def test_unreadable_dataset_is_one_line(tmp_path, own_data):
    with pytest.raises(StgError, match="extra"):
        train(tiny(tmp_path, dataset=str(own_data), use="extra"))
    file = own_data / "default" / "train.parquet"
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(StgError, match="train: cannot be read") as error:
        train(tiny(tmp_path, dataset=str(own_data)))
    assert "\n" not in str(error.value)


def test_sample_league_has_no_other_configs(tmp_path):
    with pytest.raises(StgError, match="use: dataset sample has no config 'extra'"):
        train(tiny(tmp_path, use="extra"))


def test_rows_without_mentions_are_refused(tmp_path, monkeypatch):
    read = data.read_rows
    monkeypatch.setattr(data, "read_rows", lambda *arguments: [row | {"mentions": []} for row in read(*arguments)])
    with pytest.raises(StgError, match="no row has mentions"):
        train(tiny(tmp_path))


def test_full_disk_stops_with_one_line(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    train(tiny(tmp_path, documents=4))
    monkeypatch.setattr(checkpoint, "write_durably", full)
    with pytest.raises(StgError, match="No space left on device.*step_00000001 is kept") as error:
        train(tiny(tmp_path, documents=4, epochs=2, resume=True))
    assert "\n" not in str(error.value)
    assert checkpoint.load_latest(tmp_path / "checkpoints").state["step"] == 1


def test_unknown_tracker_and_task_are_named(tmp_path):
    with pytest.raises(StgError, match="report_to: 'paper' is not known"):
        train(tiny(tmp_path, report_to="paper"))
    with pytest.raises(StgError, match="task: 'dance' is not known"):
        train(tiny(tmp_path, task="dance"))


def test_phrases_of_the_training_texts_are_kept_with_the_weights(tmp_path):
    """Of the texts as they are trained on: cut to `max_length`, so the last sentence may be missing."""
    settings = tiny(tmp_path, phrases=True)
    task = build_task(settings, Accelerator())
    expected = phrase_hashes([example["labels"].tolist() for example in task.examples], task.model.config)
    assert torch.equal(task.model.phrases, expected) and len(expected) > 100
    train(settings)
    assert torch.equal(weights(tmp_path)["phrases"], expected)
    again = build_task(tiny(tmp_path / "more", init_from=str(tmp_path / "best")), Accelerator())
    assert torch.equal(again.model.phrases, expected)  # kept unless trained with --phrases again
    more = tiny(tmp_path / "more", init_from=str(tmp_path / "best"), phrases=True, documents=3)
    fewer = build_task(more, Accelerator()).model
    assert 0 < fewer.config.num_phrases == len(fewer.phrases) < len(expected)


def test_grounded_training_forgets_the_season_of_every_third_text(tmp_path, monkeypatch):
    monkeypatch.setattr(model_task, "groundable_words", lambda rows: None)  # twenty texts have no common words
    options = {"max_length": 1000, "season": "sample", "facts": ["season"], "grounded": True}
    task = build_task(tiny(tmp_path, **options), Accelerator())
    assert [row.get("has_season", True) for row in task.dev] == [index % 3 > 0 for index in range(len(task.dev))]
    config, with_season = task.model.config, 0
    of_season = {name for name, kind in FACT_KINDS.items() if kind.group == "season"}
    slots = [slot for slot, name in enumerate(config.team_attributes) if name in of_season]
    for index, example in enumerate(task.examples):
        known = bool(example["record_mask"][:2, slots].any())
        assert index % 3 or not known
        with_season += known
    assert with_season > 5
