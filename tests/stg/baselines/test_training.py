"""The neural baselines in training and in `stg generate`."""

import json
import shutil
import sys
from pathlib import Path

import pytest
import torch

from modeling_stg.errors import StgError
from stg.loading import load_model
from stg.training.loop import start, train
from stg.training.optimization import build_optimizer, learning_rate
from stg.training.settings import CONFIGS, Settings, merge
from stg.training.tasks import build_task
from tests.helpers import tiny_model


def tiny(name: str, output, **more) -> Settings:
    settings = {
        **{"dataset": "sample", "documents": 12, "eval_documents": 3, "batch_size": 6, "max_steps": 2, "epochs": 1},
        **{"max_length": 50, "max_new_tokens": 12, "bleu_from_epoch": 1, "recap": False, "output_dir": str(output)},
    }
    sizes = {"embedding_size": 6, "hidden_size": 8} | more.pop("model", {})
    return merge(CONFIGS / f"{name}.yaml", settings | more, sizes)


@pytest.mark.parametrize("name", ["conditional_copy", "ncp", "ncp_w1", "ncp_w2", "ncp_w12"])
def test_configs_have_the_published_settings(name):
    settings = merge(CONFIGS / f"{name}.yaml", {})
    assert settings.task == name.split("_w")[0] and settings.model["hidden_size"] == 600
    stages = {"ncp_w1": ["plan"], "ncp_w2": ["text"], "ncp_w12": ["plan", "text"]}.get(name, [])
    assert settings.model.get("writer_in", []) == stages and settings.writer == bool(stages)
    if settings.task == "ncp":
        assert (settings.batch_size, settings.epochs, settings.model["dropout"]) == (5, 25, 0.3)
        rates = [learning_rate(settings, 0, epoch, 0.0, 1.0) for epoch in range(6)]
        assert rates == pytest.approx([0.15] * 4 + [0.15 * 0.97, 0.15 * 0.97**2])
        weight = torch.nn.Linear(2, 1, bias=False)
        assert build_optimizer(settings, weight).state[weight.weight]["sum"].tolist() == [[pytest.approx(0.1)] * 2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name in ("conditional_copy", "ncp_w12"):
        assert train(tiny(name, folder / name)) == 0
    return folder


@pytest.mark.parametrize("name", ["conditional_copy", "ncp_w12"])
def test_baseline_trains_resumes_and_generates(name, runs, load_script, monkeypatch, capsys, tmp_path):
    best = runs / name / "best"
    history = json.loads((best / "training.json").read_text())["history"]
    assert history[-1]["step"] == 2 and {"bleu", "perplexity"} <= set(history[-1])
    assert "| hidden_size | 8 |" in (best / "README.md").read_text()
    assert train(tiny(name, runs / name, resume=True, max_steps=3, epochs=2)) == 0
    assert "resuming at epoch 2, after 2 steps" in capsys.readouterr().out

    script, games = load_script("generate"), tmp_path / "games.json"
    games.write_text(json.dumps(tiny_model.league()[:2]))

    def run(*arguments) -> tuple[int, str, str]:
        argv = ["generate.py", "--model", str(best), "--games", str(games), *arguments]
        monkeypatch.setattr(sys, "argv", argv)
        with pytest.raises(SystemExit) as stopped:
            script.main()
        return stopped.value.code, *capsys.readouterr()

    short = ("--set", "min_new_tokens=4", "max_new_tokens=9")
    for form in script.FORMATS:
        code, out, err = run("--format", form, *short)
        assert code == 0 and out, err
    lines = [json.loads(line) for line in run("--format", "jsonl", *short)[1].splitlines()]
    assert [line["writer"] == "unknown" for line in lines] == [name == "conditional_copy"] * 2
    assert all(4 <= len(line["tokens"]) <= 9 for line in lines)
    for refused in (
        *(("--avoid-repeats",), ("--grounded-only",), ("--must-mention", "Nobody"), ("--plan", str(games))),
        *(("--check",), ("--set", "z_threshold=0.4"), ("--set", "consensus=3"), ("--set", "do_sample=true")),
    ):
        code, out, err = run(*refused, "--output", str(tmp_path / "out.txt"))
        assert code == 2 and not out and not list(tmp_path.glob("out*"))
        option = refused[0] if refused[0] != "--set" else f"--set {refused[1].partition('=')[0]}"
        assert err.count("\n") == 1 and err.startswith(f"error: {option}: {best} is a baseline")
    if name == "ncp_w12":
        assert run("--set", "min_plan_length=3", "max_plan_length=4", *short)[0] == 0
    else:
        assert "--set min_plan_length: " in run("--set", "min_plan_length=3")[2]


def test_baseline_is_not_taken_for_the_model(runs, tmp_path):
    """Neither by init_from nor by `load_model`; a folder whose files do not match is refused in one line."""
    best = runs / "ncp_w12" / "best"
    with pytest.raises(StgError, match="^init_from .*: has a model of type 'ncp', not 'stg'"):
        settings = Settings(task="model", dataset="sample", init_from=str(best), documents=4, eval_documents=2)
        build_task(settings, start(settings))
    with pytest.raises(StgError, match="holds a model of type 'ncp', not 'stg'"):
        load_model(str(best))
    other = Path(shutil.copytree(best, tmp_path / "other"))
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"model_type": "conditional_copy"}))
    with pytest.raises(StgError, match="cannot be loaded") as error:
        load_model(str(other), ["conditional_copy"])
    assert "\n" not in str(error.value)


def test_published_generation_settings_are_defaults(runs, tmp_path):
    folder = Path(shutil.copytree(runs / "ncp_w12" / "best", tmp_path / "bare"))
    (folder / "generation_config.json").unlink()
    model, processor = load_model(str(folder), ["ncp"])
    with pytest.raises(StgError, match="min_new_tokens: 150 is not between 0 and max_new_tokens 6"):
        model.generate(**processor(tiny_model.league()[:1]), max_new_tokens=6)
    for option, most in (("num_beams", 100), ("max_plan_length", 2000)):
        with pytest.raises(StgError, match=f"{option}: 1000000 is above {most}"):
            model.generate(**processor(tiny_model.league()[:1]), **{option: 1_000_000})


def test_nan_weights_are_reported(runs):
    model, processor = load_model(str(runs / "conditional_copy" / "best"), ["conditional_copy"])
    torch.nn.init.constant_(model.decoder.output.weight, float("nan"))
    with pytest.raises(StgError, match="no score is a number"):
        model.generate(**processor(tiny_model.league()[:1]), max_new_tokens=5)


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("conditional_copy", {"writer": True}, "^writer: True; set it to false"),
        ("conditional_copy", {"model": {"writer_in": ["text"]}}, "^model.writer_in: no such size"),
        ("ncp", {"writer": True}, "^writer: True; name stages in model.writer_in"),
        ("ncp_w1", {"writer": False}, "^writer: False; leave model.writer_in empty"),
        ("ncp", {"facts": ["result"]}, "^facts: ncp reads"),
        ("ncp", {"init_from": "somewhere"}, "^init_from somewhere: "),
        ("ncp", {"model": {"hidden_size": 7}}, "hidden_size: 7 is odd"),
        ("ncp", {"model": {"context_size": 7}}, "^model.context_size: no such size"),
    ],
)
def test_invalid_setting_is_named(name, overrides, message, tmp_path):
    settings = tiny(name, tmp_path, **overrides)
    with pytest.raises(StgError, match=message) as error:
        build_task(settings, start(settings))
    assert "\n" not in str(error.value)
