"""An installed wheel: what it contains, that it works in an empty folder, and that it is never written to."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from stg.dataset.card import COMMITTED
from stg.files import SHIPPED, project_path, shipped


TOP_LEVEL = {"stg", "modeling_stg", "configuration_stg"}


@pytest.fixture(scope="module")
def site_packages(root, tmp_path_factory) -> Path:
    """A folder into which the wheel of this checkout is unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(root)], check=True)
    [wheel] = folder.glob("*.whl")
    assert "-py3-none-" in wheel.name, "one wheel a platform serves all versions of Python"
    zipfile.ZipFile(wheel).extractall(folder / "site-packages")
    return folder / "site-packages"


@pytest.fixture
def run(site_packages, tmp_path):
    """Runs `stg` of the wheel in an empty folder."""

    def run(*arguments: str, program: str = "from stg.cli import main; main()") -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": str(site_packages), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", program, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


def contents(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_wheel_works_in_an_empty_folder_and_is_never_written_to(run, site_packages, tmp_path, root):
    before = contents(site_packages)
    assert {name.split("/")[0] for name in before} - TOP_LEVEL == {
        next(path.name for path in site_packages.glob("*.dist-info"))
    }
    assert not [name for name in before if "default/" in name or "extra/" in name], "RotoWire's texts are not ours"
    tracked = subprocess.run(["git", "ls-files", *TOP_LEVEL], cwd=root, capture_output=True, text=True).stdout.split()
    assert not set(tracked) - set(before), "these files are missing from the wheel"
    located = run(program="import stg, modeling_stg; print(stg.__file__, modeling_stg.__file__)")
    assert located.stdout.count(str(site_packages)) == 2, located.stdout
    recap = run("generate", "--games", "examples/bucks_at_knicks.json", "--set", "sentence_candidates=4")
    assert recap.returncode == 0 and "105-104" in recap.stdout, recap.stderr
    (tmp_path / "recap.txt").write_text(recap.stdout)
    checked = run("check", "--games", "examples/bucks_at_knicks.json", "--text", "recap.txt")
    assert checked.returncode == 0 and " 0 false" in checked.stdout, checked.stderr
    assert run("demo", "--game", "3").returncode == 0
    small = ["--model.hidden_size", "8", "--documents", "16", "--eval_documents", "2", "--max_steps", "1"]
    trained = run("train", "--config", "configs/default.yaml", *small, "--bleu_from_epoch", "0", "--no-recap")
    assert trained.returncode == 0 and (tmp_path / "runs/sample/best/model.safetensors").is_file(), trained.stderr
    unbuilt = run("score", "--also", "references")
    assert unbuilt.returncode == 2 and "has not been built; build it with: stg data" in unbuilt.stderr
    refused = run("results")
    assert refused.returncode == 2 and "checkout" in refused.stderr and refused.stderr.count("\n") == 1
    assert contents(site_packages) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recap.txt", "runs"]


def test_commands_name_the_projects_files_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = "examples/bucks_at_knicks.json"
    assert json.loads(Path(project_path(example)).read_text())["home_name"] == "Knicks"
    (tmp_path / "examples").mkdir()
    (tmp_path / example).write_text("{}")
    assert project_path(example) == example, "a user's own file comes first"
    for own in ("examples/none.json", "none.json", "", "stg/files.py", "/examples/bucks_at_knicks.json"):
        assert project_path(own) == own


def test_all_that_is_shipped_exists():
    assert all(shipped(name).is_dir() for name in (*SHIPPED, "modeling_stg"))
    assert all((shipped("rotowire_modified") / config).is_dir() for config in COMMITTED)


# In one process, because starting thirty takes long; it stops at the first command that imports torch.
REFUSALS = """
import contextlib, io, json, sys
from stg.cli import main

refused = {}
for arguments in json.loads(sys.argv[1]):
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            main(arguments)
        except SystemExit as exit:
            code = exit.code
    refused[" ".join(arguments)] = [code, errors.getvalue(), "torch" in sys.modules]
    if "torch" in sys.modules:
        break
print(json.dumps(refused))
"""
GAME = "examples/bucks_at_knicks.json"
BAD = [
    ["generate", "--games", "none.json"],
    ["generate", "--games", GAME, "--plan", "none.json"],
    ["generate", "--games", GAME, "--season", "none.json"],
    ["generate", "--games", GAME, "--model", "none"],
    ["generate", "--games", GAME, "--model", "examples"],
    ["generate", "--games", GAME, "--set", "warmth=1"],
    ["generate", "--games", GAME, "--seed", "-1"],
    ["generate", "--games", GAME, "--format", "pdf"],
    ["generate", "--games", GAME, "--output", "examples"],
    ["check", "--games", GAME, "--text", "none.txt"],
    ["check", "--games", GAME, "--recaps", "none.jsonl"],
    ["check", "--games", "none.json", "--text", "README.md"],
    ["check", "--games", GAME, "--text", "README.md", "--season", "none.json"],
    ["check", "--games", GAME, "--text", "README.md", "--extractor", "examples"],
    ["facts", "--games", "none.json"],
    ["facts", "--games", GAME, "--season", "nowhere"],
    ["score", "--predictions", "none.txt"],
    ["score", "--also", "references", "--config", "none"],
    ["train", "--config", "none.yaml"],
    ["train", "--optimizer", "sdg"],
    ["train", "--epochs", "many"],
    ["data", "--archive", "none.tar.bz2"],
    ["annotate", "--dataset", "none"],
    ["annotate", "--gold-tuples", "none.txt"],
    ["app", "--model", "none"],
    ["app", "--port", "99999"],
    ["app", "--season", "none.json"],
    ["demo", "--config", "none"],
    ["push-to-hub", "none", "--hub_model_id", "a/b"],
    ["ship", "none", "none"],
    ["score-checker", "--annotated", "none", "--archive", "none"],
]


@pytest.fixture(scope="module")
def refusals(root) -> dict[str, list]:
    process = subprocess.run(
        [sys.executable, "-c", REFUSALS, json.dumps(BAD)], cwd=root, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_paths_and_options_are_refused_before_torch_is_imported(refusals, arguments):
    assert " ".join(arguments) in refusals, "an earlier command has imported torch"
    code, errors, torch = refusals[" ".join(arguments)]
    assert code == 2 and errors.startswith("error: ") and errors.count("\n") == 1 and not torch, errors
