"""Failures around a run (damaged files, changed data, invalid settings) are reported and lose nothing."""

import gzip
import json
import shutil
import tempfile
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from stg.dataset.archive import ArchiveError, read_games_file
from stg.dataset.build import refuse_overlap
from stg.training import checkpoint, hub
from stg.training.loop import Trainer, train
from stg.training.settings import SettingsError, merge
from tests.helpers import tiny_model
from tests.stg.training.test_training import own_data, parse, tiny, weights  # noqa: F401 - own_data is a fixture


def damage_checkpoints(folder: Path, *steps: int) -> None:
    for step in steps:
        (folder / "checkpoints" / f"step_{step:08d}" / "model.safetensors").write_bytes(b"cut off")


def checkpoint_names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "checkpoints").iterdir())


def test_damaged_checkpoints_do_not_displace_intact_ones(tmp_path):
    train(tiny(tmp_path, save_steps=1))  # three steps
    assert checkpoint_names(tmp_path) == ["step_00000002", "step_00000003"]
    damage_checkpoints(tmp_path, 3)
    train(tiny(tmp_path, save_steps=1, max_steps=3, resume=True))
    assert checkpoint_names(tmp_path) == ["damaged-step_00000003", "step_00000002", "step_00000003"]
    assert checkpoint.load_latest(tmp_path / "checkpoints").state["step"] == 3


def test_run_without_an_intact_checkpoint_is_renamed(tmp_path, capsys):
    run = tmp_path / "run"
    train(tiny(run, save_steps=1))
    before = weights(run)
    damage_checkpoints(run, 2, 3)
    train(tiny(run, resume=True, max_steps=1))
    assert "no checkpoint to resume from" in capsys.readouterr().out
    renamed = weights(tmp_path / "run.old1")
    assert all(torch.equal(before[name], renamed[name]) for name in before)
    assert checkpoint_names(run) == ["step_00000001"]


@pytest.mark.parametrize(("epochs", "steps"), [(2, 4), (2, 6), (1, 3)])
def test_raising_max_steps_equals_an_uninterrupted_run(epochs, steps, tmp_path):
    """An epoch has three steps; the first run stops within it."""
    train(tiny(tmp_path / "two", epochs=epochs, max_steps=2))
    assert checkpoint.load_latest(tmp_path / "two" / "checkpoints").state["history"][0]["step"] == 2
    train(tiny(tmp_path / "two", epochs=epochs, max_steps=steps, resume=True))
    train(tiny(tmp_path / "one", epochs=epochs, max_steps=steps))
    two, one = (checkpoint.load_latest(tmp_path / name / "checkpoints") for name in ("two", "one"))
    assert two.state["step"] == one.state["step"] == steps
    assert two.state["history"][-1] == one.state["history"][-1]
    assert all(torch.equal(two.model[name], one.model[name]) for name in one.model)


def test_stopping_within_an_epoch_is_not_a_stall(tmp_path, monkeypatch):
    """Dev never improves: the rate is halved after every complete epoch, however often the run was stopped."""
    monkeypatch.setattr(Trainer, "_evaluate", same_scores(Trainer._evaluate))
    common = {"epochs": 3, "schedule": "plateau", "decay": 0.5}
    for steps in (1, 2, 4, 9):
        train(tiny(tmp_path / "often", max_steps=steps, resume=True, **common))
    train(tiny(tmp_path / "once", max_steps=9, **common))
    often, once = (checkpoint.load_latest(tmp_path / name / "checkpoints") for name in ("often", "once"))
    assert often.state["rate_factor"] == once.state["rate_factor"] == 0.25
    assert often.state["stalled"] == once.state["stalled"] == 2
    assert all(torch.equal(often.model[name], once.model[name]) for name in once.model)


def same_scores(evaluate):
    def constant(trainer, speed, whole):
        trainer.task.evaluate, trainer.task.merit = lambda *_: {"bleu": 1.0}, lambda _: [1.0]
        evaluate(trainer, speed, whole)

    return constant


def test_epochs_may_change_on_resume_unless_finish_epochs_depends_on_it(tmp_path, own_data, capsys):  # noqa: F811
    common = {"dataset": str(own_data), "use": ["partial"], "finish_epochs": 1}
    train(tiny(tmp_path / "a", epochs=3, max_steps=1, **common))
    with pytest.raises(StgError, match="epochs: 2 now, 3 when epoch 1 began, and finish_epochs counts"):
        train(tiny(tmp_path / "a", epochs=2, resume=True, **common))
    train(tiny(tmp_path / "b", epochs=1, schedule="cosine"))
    capsys.readouterr()
    train(tiny(tmp_path / "b", epochs=2, schedule="cosine", resume=True, max_steps=4))
    assert "epochs: 2 instead of 1; the cosine schedule now spans 2" in capsys.readouterr().out


def test_missing_column_is_named(tmp_path, own_data):  # noqa: F811
    for file in (own_data / "default").glob("*.parquet"):
        parquet.write_table(parquet.read_table(file).drop_columns(["mentions"]), file)
    with pytest.raises(StgError, match="default, train: has no column 'mentions'; it needs box_score,"):
        train(tiny(tmp_path / "run", dataset=str(own_data)))


def test_run_killed_during_evaluation_evaluates_again(tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def kill(*_, **__):
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Trainer, "_evaluate", kill)
        train(tiny(tmp_path, max_steps=2))
    train(tiny(tmp_path, max_steps=2, resume=True))
    state = checkpoint.load_latest(tmp_path / "checkpoints").state
    assert (state["step"], len(state["history"]), state["finished"]) == (2, 1, True)


def test_resume_refuses_changed_vocabularies(tmp_path, own_data):  # noqa: F811
    run = tmp_path / "run"
    train(tiny(run, dataset=str(own_data)))
    file = own_data / "default" / "train.parquet"
    table = parquet.read_table(file)
    summaries = [["THE" if word == "the" else word for word in words] for words in table["summary"].to_pylist()]
    column = table.schema.get_field_index("summary")
    parquet.write_table(table.set_column(column, table.schema.field(column), [summaries]), file)
    with pytest.raises(StgError, match="^vocabularies: .* when the run began"):
        train(tiny(run, dataset=str(own_data), resume=True, epochs=2))


def test_nan_dev_score_is_never_the_best(tmp_path, monkeypatch):
    def spoilt(trainer, *args, **kwargs):
        with torch.no_grad():
            trainer.bare_model.output.weight.fill_(float("nan"))
        return evaluate(trainer, *args, **kwargs)

    evaluate = Trainer._evaluate
    monkeypatch.setattr(Trainer, "_evaluate", spoilt)
    with pytest.raises(StgError, match="^dev .*: not a number after epoch 1; start another run"):
        train(tiny(tmp_path))
    assert not (tmp_path / "best").exists()


def test_unwritable_output_dir_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StgError, match="output_dir .*: cannot be written"):
        train(tiny(tmp_path / "file" / "run"))


# init_from


@pytest.fixture(scope="module")
def half(tmp_path_factory) -> Path:
    """A trained model in float16."""
    folder = tmp_path_factory.mktemp("first")
    train(tiny(folder))
    StgForDataToText.from_pretrained(folder / "best").half().save_pretrained(folder / "best")
    return folder / "best"


def test_init_from_float16_trains_in_float32(half, tmp_path):
    assert next(iter(weights(half.parent).values())).dtype == torch.float16
    train(tiny(tmp_path, init_from=str(half)))
    assert {tensor.dtype for tensor in weights(tmp_path).values()} == {torch.float32}


def test_sizes_that_init_from_decides_are_reported(half, tmp_path, capsys):
    train(tiny(tmp_path, init_from=str(half), max_steps=1, model={"hidden_size": 64, "dropout": 0.25}))
    assert "keeps its own sizes: hidden_size 16" in capsys.readouterr().out
    assert json.loads((tmp_path / "best" / "config.json").read_text())["dropout"] == 0.25


@pytest.mark.parametrize("sizes", [{"hidden_sise": 64}, {"use_teammates": "maybe"}, {"dropout": "abc"}])
def test_invalid_size_is_refused_with_init_from(sizes, half, tmp_path):
    with pytest.raises(StgError, match=f"model.*{next(iter(sizes))}"):
        train(tiny(tmp_path, init_from=str(half), model=sizes))


@pytest.mark.parametrize("damage", ["cut", "other size"])
def test_damaged_init_from_is_refused(damage, half, tmp_path):
    copy = shutil.copytree(half, tmp_path / "copy")
    if damage == "cut":
        (copy / "model.safetensors").write_bytes((copy / "model.safetensors").read_bytes()[:1000])
    else:
        config = json.loads((copy / "config.json").read_text())
        (copy / "config.json").write_text(json.dumps(config | {"hidden_size": 2 * config["hidden_size"]}))
    with pytest.raises(SettingsError, match="init_from .*: cannot be loaded"):
        train(tiny(tmp_path / "run", init_from=str(copy)))


def test_init_from_inside_output_dir_is_refused(half):
    with pytest.raises(SettingsError, match="output_dir: .* contains init_from"):
        tiny(half.parent, init_from=str(half))
    assert tiny(half.parent, init_from=str(half), resume=True)


# settings


@pytest.mark.parametrize(
    "setting",
    [
        *({"clip": -1}, {"warmup_steps": -5}, {"seed": -1}, {"weight_decay": -1}, {"workers": -1}, {"decay": -1}),
        *({"decay": "nan"}, {"max_steps": -1}, {"patience": -1}, {"dev_precision": "nan"}, {"documents": -5}),
        *({"epochs": "inf"}, {"seed": 2**31}, {"output_dir": "."}, {"output_dir": ""}),
    ],
    ids=str,
)
def test_out_of_range_settings_are_refused(setting, tmp_path):
    with pytest.raises(SettingsError, match=f"^{next(iter(setting))}: "):
        tiny(tmp_path, **setting)


@pytest.mark.parametrize("arguments", [("--model", "hidden_size=64"), ("--model.FIELD", "3"), ("--mod", "3")])
def test_size_without_a_name_is_refused(arguments):
    with pytest.raises(SystemExit):
        parse(*arguments)


def test_invalid_size_values_are_refused(tmp_path):
    with pytest.raises(SettingsError, match="model.hidden_size"):
        parse("--model.hidden_size", "[1")
    file = tmp_path / "invalid.yaml"
    for text in ("model: 5", "model: [a]"):
        file.write_text(text)
        with pytest.raises(SettingsError, match="^model: "):
            merge(file, {})
    for name in ("hyphen_token_id", "number_token_ids"):
        with pytest.raises(SettingsError, match=f"model.{name}: no such size"):
            train(tiny(tmp_path / "run", model={name: 5}))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"init_from": "/nowhere"}, "^init_from: an extractor is trained from scratch"),
        ({"model": {"foo": 3}}, "^model.foo: no such size; sizes are word_size"),
        ({"model": {"dropout": "abc"}}, "^model.dropout: 'abc' is not a valid value"),
        ({"model": {"filters": 0}}, "^model.filters: 0 is not a valid value"),
        ({"model": {"dropout": 5}}, "^model.dropout: 5 is not between 0 and 1"),
    ],
)
def test_invalid_extractor_settings_are_named(overrides, message, tmp_path):
    common = {"task": "extractor", "documents": 4, "eval_documents": 2, "output_dir": str(tmp_path), "min_count": 1}
    sizes = overrides.pop("model", {})
    file = tmp_path / "empty.yaml"
    file.write_text("{}")
    with pytest.raises(SettingsError, match=message):
        train(merge(file, common | overrides, sizes))


# data


@pytest.mark.parametrize(
    ("position", "length"), [(0, 0), (-1, 1), (2, 2), (9, 1)], ids=["nothing", "before", "beyond", "far beyond"]
)
def test_mentions_outside_the_text_are_refused(position, length, processor):
    row = tiny_model.league()[0]
    mention = {**row["mentions"][0], "position": position, "length": length}
    with pytest.raises(StgError, match=f"mentions: position {position}, length {length} is outside the 3 tokens"):
        processor([row], [["a", "b", "c"]], [[mention]])


def test_overlapping_mentions_are_refused(processor):
    row = tiny_model.league()[0]
    mentions = [{**row["mentions"][0], "position": start, "length": 2} for start in (0, 1)]
    with pytest.raises(StgError, match="position 1, length 2 .* within another mention"):
        processor([row], [["a", "b", "c"]], [mentions])


def test_summary_must_be_tokens(processor):
    with pytest.raises(StgError, match="summary: is a string; give the list of its tokens"):
        processor([tiny_model.league()[0]], ["Hi there ."])


def test_damaged_gzip_is_one_line(tmp_path):
    file = tmp_path / "bad.json.gz"
    data = bytearray(gzip.compress(json.dumps(list(range(9999))).encode()))
    data[200:260] = bytes(60)
    file.write_bytes(data)
    with pytest.raises(ArchiveError, match="cannot be read to its end"):
        read_games_file(file)


def test_configs_of_an_earlier_build_must_not_have_held_out_games(tmp_path, own_data):  # noqa: F811
    refuse_overlap(own_data / "default", [own_data / "partial", own_data / "extra"])
    (own_data / "partial" / "train.parquet").write_bytes((own_data / "default" / "test.parquet").read_bytes())
    with pytest.raises(ArchiveError, match="partial: .* has 60 games that are now in test, such as .*--partial again"):
        refuse_overlap(own_data / "default", [own_data / "partial"])


# the Hub


def test_failed_copy_for_upload_does_not_stop_training(tmp_path, monkeypatch):
    printed = []
    publisher = hub.Publisher(tiny(tmp_path, push_to_hub=True, hub_model_id="a/b"), printed.append)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    (tmp_path / "best").mkdir()
    publisher.publish(tmp_path / "best", "one")
    publisher.close()
    assert len(printed) == 1 and "cannot be copied for the upload" in printed[0] and "push later" in printed[0]


def test_superseded_upload_leaves_no_files(tmp_path, monkeypatch):
    import threading

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "best").mkdir()
    go = threading.Event()
    monkeypatch.setattr(hub, "upload", lambda *_, **__: go.wait(20))
    publisher = hub.Publisher(tiny(tmp_path, push_to_hub=True, hub_model_id="a/b"), lambda _: None)
    for number in range(4):
        publisher.publish(tmp_path / "best", str(number))
    go.set()
    publisher.close()
    assert list((tmp_path / "tmp").iterdir()) == []
