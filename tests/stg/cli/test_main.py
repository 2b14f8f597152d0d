"""The `stg` command: its subcommands, their help, and errors in one line."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from stg.cli import COMMANDS, main
from stg.converters.season_sources import SEASON_SOURCES


# Runs --help of every command in one process, which takes a second; a process each would take half a minute.
ALL_HELPS = """
import contextlib, io, json, runpy, sys
from stg.cli import COMMANDS, main

def captured(function, *arguments):
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        function(*arguments)
    return output.getvalue()

helps = {}
for command in COMMANDS:
    sys.argv = ["scripts/x.py", "--help"]
    script = f"scripts/{command.replace('-', '_')}.py"
    helps[command] = {
        "stg": captured(main, [command, "--help"]),
        "script": captured(lambda: runpy.run_path(script, run_name="__main__")),
        "torch": "torch" in sys.modules,
    }
print(json.dumps(helps))
"""


@pytest.fixture(scope="module")
def helps(root) -> dict[str, dict]:
    process = subprocess.run([sys.executable, "-c", ALL_HELPS], cwd=root, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        main(arguments)
        code = 0
    except SystemExit as exit:
        code = exit.code
    return code, *capsys.readouterr()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_and_needs_no_torch(helps, command):
    text = helps[command]["stg"]
    assert text.startswith(f"usage: stg {command} ") and not helps[command]["torch"]
    launch = "accelerate launch scripts/train.py" if command == "train" else f"stg {command}"
    assert re.search(rf"^Examples?:\n  {launch}\b", text, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_scripts_are_the_same_commands(helps, command):
    assert helps[command]["script"] == helps[command]["stg"] != ""


@pytest.mark.parametrize("command", ["generate", "check", "app", "facts", "score-checker"])
def test_help_says_what_season_may_name(helps, command):
    assert SEASON_SOURCES in " ".join(helps[command]["stg"].split())


def test_every_script_is_a_command_and_the_reverse(root):
    scripts = {path.stem.replace("_", "-") for path in (root / "scripts").glob("*.py")}
    assert scripts == set(COMMANDS) and len(COMMANDS) == len(scripts)


@pytest.mark.parametrize("arguments", [(), ("-h",), ("--help",)])
def test_help_lists_all_commands_by_group(capsys, arguments):
    code, out, err = run(capsys, *arguments)
    assert code == 0 and err == "" and out.startswith("usage: stg COMMAND")
    assert re.findall(r"^  ([a-z-]+)  ", out, re.MULTILINE) == COMMANDS
    titles = re.findall(r"^(\w.*):$", out, re.MULTILINE)
    assert titles == ["Write and check recaps", "Research", "Maintain"]


def test_stg_help_does_not_import_torch():
    program = "import sys; from stg.cli import main; main(['--help']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"stg {version('stg-data-to-text')}\n", "")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("genrate", "did you mean `stg generate`?"),
        ("score_sistem", "did you mean `stg score-system`?"),
        ("--games", "see `stg --help`"),
        ("xyzzy", "see `stg --help`"),
    ],
)
def test_unknown_commands_suggest_the_nearest(capsys, name, remedy):
    assert run(capsys, name) == (2, "", f"error: {name}: no such command; {remedy}\n")


def test_underscores_are_accepted(capsys):
    for name in ("push-to-hub", "push_to_hub"):
        code, out, _ = run(capsys, name, "--help")
        assert code == 0 and out.startswith("usage: stg push-to-hub ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generate"], "one of the arguments --games --dataset is required; see `stg generate --help`"),
        (["generate", "--games", "g.json", "--format", "pdf"], "argument --format: invalid choice: 'pdf'"),
        (["check", "--nonsense"], "see `stg check --help`"),
        (["train", "--epoch", "3"], "unrecognized arguments: --epoch; see `stg train --help`"),
        (["push-to-hub"], "nothing to push; give a folder with --hub_model_id, or --dataset USER/NAME"),
        (["generate", "--games", "nowhere.json"], "nowhere.json"),
    ],
)
def test_bad_options_are_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2 and out == "" and err.startswith("error: ") and message in err and err.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "score"])
def test_extractor_that_cannot_be_loaded_is_one_line(root, tmp_path, command):
    """Runs in a separate process, as a user sees it."""
    recap = tmp_path / "recap.txt"
    recap.write_text("The Bucks won.")
    arguments = {
        "check": ["--games", "examples/bucks_at_knicks.json", "--text", str(recap)],
        "score": ["--config", "sample", "--split", "test[:2]", "--also", "references"],
    }[command]
    program = f"from stg.cli import main; main({[command, *arguments, '--extractor', str(tmp_path)]!r})"
    environment = {**os.environ, "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=environment, capture_output=True, text=True
    )
    assert process.returncode == 2 and process.stdout == "", process.stderr
    assert process.stderr.startswith(f"error: extractor {tmp_path}: cannot be loaded")
    assert process.stderr.count("\n") == 1
