"""`stg generate` with bad plans, lines, partial files, links, models and splits."""

import json
import os
import shutil
import subprocess

import pytest

from tests.stg.cli.test_generate import error_line, file, folder, games, run  # noqa: F401 - fixtures


# ruff: noqa: F811 - tests name their fixtures


def test_bad_game_with_a_plan_is_skipped(run, file, games, tmp_path):
    bad = {**games[1], "day": "x"}
    file.write_text(json.dumps([games[0], bad]), encoding="utf-8")
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({games[0]["game_id"]: [games[0]["home_name"]], games[1]["game_id"]: ["Nobody"]}))
    code, out, err = run("--games", file, "--plan", plan)
    assert code == 1 and len(out.splitlines()) == 1 and "skipped" in err


def test_impossible_plans_are_refused_before_anything_is_written(run, file, games, tmp_path):
    plan, output = tmp_path / "plan.json", tmp_path / "out.txt"
    twice = f"{games[3]['home_name']}:TEAM-PTS"
    plan.write_text(json.dumps({games[3]["game_id"]: [twice, twice]}))
    arguments = ("--games", file, "--plan", plan, "--batch-size", 1)
    line = error_line(run(*arguments, "--avoid-repeats"))
    assert games[3]["game_id"] in line and f"states {games[3]['home_name']}'s TEAM-PTS twice" in line
    line = error_line(run(*arguments, "--set", "max_new_tokens=2", "--output", output))
    assert "max_new_tokens: 2 leaves no room for the 2 tokens" in line and games[3]["game_id"] in line
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("out")] == []


def test_jsonl_lines_that_are_not_json_are_bad_games(run, games, tmp_path):
    """Unicode line separators, which JSON allows within strings, do not end a line."""
    path = tmp_path / "games.jsonl"
    first = json.dumps({**games[0], "note": "a\u2028b\u0085"}, ensure_ascii=False)
    path.write_text("\n".join([first, "{not JSON", "[" * 100_000, json.dumps(games[1]), ""]), encoding="utf-8")
    code, out, err = run("--games", path)
    assert code == 1 and len(out.splitlines()) == 2 and "games[1]" in err and "line 2: is not JSON" in err
    path.write_bytes(first.encode("latin-1", "replace") + b"\xe4")
    assert "is not UTF-8" in error_line(run("--games", path))


def test_truncated_partial_file_is_resumed(run, file, tmp_path):
    output = tmp_path / "out.jsonl"
    arguments = ("--games", file, "--format", "jsonl", "--output", output, "--batch-size", 1)
    run(*arguments)
    whole = output.read_bytes()
    part = tmp_path / "out.jsonl.part"
    for lost in (b'{"game_id": "\xc3', b"\0\0\0\0\n", b"{\n"):
        output.unlink()
        kept = _interrupted(run, arguments, part)
        part.write_bytes(kept + lost)
        assert run(*arguments)[0] == 0 and output.read_bytes() == whole and not part.exists()
    output.unlink()
    part.write_bytes(b'{"run": "ab')
    assert run(*arguments)[0] == 0 and output.read_bytes() == whole
    part.write_bytes(b"not of ours\n")
    assert "delete it to start over" in error_line(run(*arguments))


def _interrupted(run, arguments, part) -> bytes:
    """OUTPUT.part as left by a run that stopped after two games."""
    kept = []

    class Stop(BaseException):
        pass

    def replace(*_):
        kept.append(b"".join(part.read_bytes().splitlines(keepends=True)[:3]))
        raise Stop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.replace", replace)
        with pytest.raises(Stop):
            run(*arguments)
    return kept[0]


def test_links_and_pipes_are_kept(run, file, tmp_path):
    link, real, pipe = tmp_path / "link.txt", tmp_path / "real.txt", tmp_path / "pipe"
    link.symlink_to(real)
    assert run("--games", file, "--output", link)[0] == 0
    assert link.is_symlink() and len(real.read_text(encoding="utf-8").splitlines()) == 5
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert run("--games", file, "--output", pipe)[0] == 0
    assert reader.communicate(timeout=60)[0] == real.read_text(encoding="utf-8") and pipe.is_fifo()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "model.safetensors").write_bytes(b"1234"), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("[]"), "holds a model of type None"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "processor_config.json").unlink(), "processor and model differ in"),
    ],
)
def test_damaged_model_is_named_in_the_error(damage, message, run, file, folder, tmp_path):
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    damage(copy)
    line = error_line(run("--games", file, model=copy))
    assert f"--model {copy}: " in line and message in line


@pytest.mark.parametrize("split", ["test[:0]", "test[", "test[:x]", "test[100:200]"])
def test_impossible_split_is_an_error(split, run):
    assert split in error_line(run("--dataset", "rotowire_modified", "--config", "sample", "--split", split))


def test_negative_seed_is_an_error(run, file):
    assert "--seed: -1 is not between 0" in error_line(run("--games", file, "--seed", "-1"))
