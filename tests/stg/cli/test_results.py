"""`stg results` and `stg score-system`: pages agree with results/, and every row has its files and commands."""

import json
import os
import re
import shlex
import shutil
import time
from pathlib import Path

import pytest


PAGES = ("README.md", "docs/results.md")
SPLITS = {"validation": 532, "test": 497}
SCORES = ("rg_number", "rg_precision", "cs_precision", "cs_recall", "cs_f1", "co_dld", "bleu", "duplicate_ratio")
SANITY = ("sanity_winner", "sanity_credited", "sanity_weekday", "sanity_repeated", "sanity_self")


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("results")


@pytest.fixture
def copy(script, root, tmp_path, monkeypatch):
    """A copy of results/ and of both pages that a test may change."""
    shutil.copytree(root / "results", tmp_path / "results")
    (tmp_path / "docs").mkdir()
    for page in PAGES:
        shutil.copyfile(root / page, tmp_path / page)
    for folder in ("modeling_stg/rotowire", "modeling_stg/no_writer"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "model.safetensors").write_bytes(bytes(2_000_000))
        stored = {"end_penalty": 4.5, "pad_token_id": 0, "transformers_version": "5", "_from_model_config": True}
        (tmp_path / folder / "generation_config.json").write_text(json.dumps(stored))
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "RESULTS", tmp_path / "results")
    return tmp_path


@pytest.fixture
def run(script, capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            script.main(arguments)
        return ended.value.code, capsys.readouterr().err

    return run


def test_pages_are_up_to_date(run):
    assert run("--check") == (0, "")


def test_rows_have_files_and_commands(script, root):
    assert script.systems()
    for name, system in script.systems().items():
        folder = root / "results" / name
        assert folder.name == system["name"] and system["title"] and system["trained_on"] and system["commit"]
        splits = [split for split in SPLITS if (folder / f"scores_{split}.json").is_file()]
        assert "validation" in splits, "choices are made on validation"
        for split in splits:
            lines = (folder / f"predictions_{split}.txt").read_text(encoding="utf-8").splitlines()
            assert len(lines) == SPLITS[split] and all(lines)
            data = json.loads((folder / f"scores_{split}.json").read_text())
            [item] = data["systems"].values()
            assert (data["split"], item["games"]) == (split, SPLITS[split]) and set(SCORES + SANITY) <= set(
                item["scores"]
            )
            assert set(item.get("intervals", {})) >= set(SCORES) or "without intervals" in system["note"]
            for file in (f"predictions_{split}.txt", f"scores_{split}.json"):
                words = shlex.split(system["commands"][file])
                assert words[0] == "python" and (root / words[1]).is_file()
        if name != "templates":
            assert system["made_by"] and system["hours"] > 0 and system["generation"] and "seed" in system
            assert (folder / "training_log.txt").is_file() or "training log" in system["note"]
            assert (folder / "sample.txt").read_text(encoding="utf-8").strip()


def test_published_f1_follows_from_p_and_r(root):
    """Rounding and micro-averaging allow for a difference of 0.1."""
    rows = json.loads((root / "results" / "published.json").read_text())["rows"]
    assert len(rows) == 9 + 9
    for row in rows:
        scores = row["scores"]
        if "cs_precision" in scores:
            p, r = scores["cs_precision"], scores["cs_recall"]
            assert scores["cs_f1"] == pytest.approx(2 * p * r / (p + r), abs=0.1), row


def test_new_scores_reach_both_pages(script, copy, run):
    folder = copy / "results" / "best"
    system = json.loads((folder / "system.json").read_text()) | {"name": "best", "title": "the new one", "note": ""}
    (folder / "system.json").write_text(json.dumps(system))
    data = json.loads((folder / "scores_validation.json").read_text())
    [item] = data["systems"].values()
    item["scores"] |= {"rg_precision": 93.5, "bleu": 20.75, "duplicate_ratio": 3.25}
    item["intervals"] = {name: [1.5, 2.25] for name in item["scores"]}
    (folder / "scores_test.json").write_text(json.dumps(data))
    code, err = run("--check")
    assert code == 2 and err == "error: README.md: out of date with results/; run stg results\n"
    assert run()[0] == 0 and run("--check") == (0, "")
    page = (copy / "docs" / "results.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| the new one | ") and "93.50" in line)
    assert system["trained_on"] in row and "20.75" in row and "3.2" in row and "**" not in row
    assert "the new one, at least: RG P 93.50 (target 94: 0.50 short)" in page
    assert "BLEU 20.75 (target 20.6: reached); duplicates 3.25 (at most 1: 2.25 short)" in page
    assert "| the new one | test | 1.50 to 2.25 |" in page and "2 MB" in page
    assert " | `end_penalty=4.5` | " in page, "the settings that the folder stores, and no others"
    readme = (copy / "README.md").read_text(encoding="utf-8")
    short = next(line for line in readme.splitlines() if line.startswith("| the new one | "))
    assert "93.50" in short and "20.75" in short and "3.25" in short


@pytest.mark.parametrize("page, marker", [("README.md", "summary"), ("docs/results.md", "test")])
def test_missing_markers_are_reported(copy, run, page, marker):
    file = copy / page
    file.write_text(file.read_text(encoding="utf-8").replace(f"<!-- end of {marker} -->", ""), encoding="utf-8")
    code, err = run()
    assert code == 2 and re.match(f"error: {page}: the comments .*{marker}.* are missing; put them back\n", err)


@pytest.fixture
def scoring(load_script, root, tmp_path, monkeypatch):
    """`stg score-system` in another repository, with its subprocesses recorded and replaced by empty files."""
    module = load_script("score_system")
    trained = {"settings": {"seed": 7, "init_from": "/elsewhere"}, "commit": "abc", "hardware": "a toaster"}
    written = {"config": {"use_writer": True}, "generation_config": {"pad_token_id": 0, "z_threshold": 0.4}}
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.safetensors").write_bytes(b"")
    for name, data in {**written, "training": trained}.items():
        (tmp_path / "model" / f"{name}.json").write_text(json.dumps(data))
    started = []

    def run(command):
        started.append(command)
        if "--output" in command:
            (tmp_path / command[-1]).write_text("{}")
        return "A recap.\n"

    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "run", run)

    def score(*arguments):
        started.clear()
        with pytest.raises(SystemExit) as ended:
            module.main(arguments)
        record = tmp_path / "results" / "x" / "system.json"
        done = [Path(command[0]).stem for command in started if "--output" in command]
        return ended.value.code, done, json.loads(record.read_text()) if record.exists() else None

    return score


def test_system_is_scored_again_only_when_something_changed(scoring, tmp_path):
    log = tmp_path / "train.log"
    log.write_text("epoch 1/1  train z 0.2\n90 min 0 s; the best model is in runs/x\n", encoding="utf-8")
    about = ("--title", "X", "--trained-on", "games", "--made-by", "python scripts/train.py", "--log", str(log))
    code, done, system = scoring("x", "--model", "model", "--set", "avoid_repeats=true", *about)
    assert code == 0 and done == ["generate", "score"] * 2
    assert (system["title"], system["hours"], system["seed"], system["writer"]) == ("X", 1.5, 7, True)
    assert system["settings"] == {"seed": 7} and system["trained_at"] == {"commit": "abc", "hardware": "a toaster"}
    assert system["generation"]["z_threshold"] == 0.4 and system["generation"]["avoid_repeats"] is True
    assert "--set avoid_repeats=true" in system["commands"]["predictions_test.txt"] and system["commit"]
    assert (tmp_path / "results" / "x" / "sample.txt").read_text() == "A recap.\n"
    again = scoring("x", "--model", "model", "--set", "avoid_repeats=true")
    assert again[1] == [] and again[2]["title"] == "X" and again[2]["hours"] == 1.5
    (tmp_path / "results" / "x" / "scores_test.json").unlink()
    assert scoring("x", "--model", "model", "--set", "avoid_repeats=true")[1] == ["score"]
    assert scoring("x", "--model", "model", "--splits", "test")[1] == ["generate", "score"], (
        "other options, other texts"
    )
    checked = scoring("x", "--model", "model", "--splits", "test", "--check")
    assert checked[1] == ["generate", "score"] and checked[2]["generation"]["check"] is True
    assert " --check " in checked[2]["commands"]["predictions_test.txt"]
    later = time.time() + 60
    os.utime(tmp_path / "model" / "model.safetensors", (later, later))
    assert scoring("x", "--model", "model", "--splits", "validation")[1] == ["generate", "score"]
    assert scoring("x", "--model", "nowhere")[0] == 2


def test_training_log_keeps_epochs_and_drops_paths(load_script, tmp_path):
    module = load_script("score_system")
    log = tmp_path / "log"
    epoch, end = "epoch 1/2  train z 0.2  dev bleu 3.1  best", "62 min 6 s; the best model (dev bleu 3)"
    log.write_text(f"7 of 9 dev\n{epoch}\nThe Bucks beat\n{end} is in /a/b\n", encoding="utf-8")
    kept = module.training_log([log, log])
    assert kept.splitlines() == ["7 of 9 dev", epoch, end] * 2
    assert len(module.DURATION.findall(kept)) == 2
