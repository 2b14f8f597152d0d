"""Short runs of the commands in this folder, and full disks at the writers."""

import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest


def run(root: Path, *arguments: str, limit: int | None = None) -> subprocess.CompletedProcess:
    """`stg ARGUMENTS`; no file may grow beyond `limit` bytes, as on a full disk."""

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code = "from stg.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        preexec_fn=full if limit else None,
    )


@pytest.mark.slow
@pytest.mark.parametrize("module", ["sanitize", "memory", "kills"])
def test_the_commands_of_this_folder(root, module):
    arguments = {
        "sanitize": ["--calls", "300"],
        "memory": ["--games", "500"],
        "kills": ["--kills", "2", "--only", "generate"],
    }
    if module == "sanitize" and shutil.which("gcc") is None:
        pytest.skip("no gcc")
    command = [sys.executable, "-m", f"tests.robustness.{module}", *arguments[module]]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


WRITERS = {
    "check": ["check", "--text", "{text}", "--format", "html", "--output", "{output}"],
    "generate": [
        "generate",
        "--model",
        "modeling_stg/no_writer",
        "--set",
        "max_new_tokens=60",
        "--output",
        "{output}",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_keeps_the_old_file(root, tmp_path, name):
    text, output = tmp_path / "text", tmp_path / "out"
    text.write_text("Giannis Antetokounmpo scored 27 points.")
    output.write_text("old")
    places = {"text": text, "output": output}
    arguments = [word.format(**places) for word in WRITERS[name]]
    done = run(root, *arguments, "--games", "examples/bucks_at_knicks.json", limit=200)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith(f"error: {output}"), done.stderr
    assert "cannot be written (File too large)" in done.stderr and "Traceback" not in done.stderr
    assert output.read_text() == "old"


@pytest.mark.slow
def test_a_full_disk_keeps_the_data_that_is_annotated(root, tmp_path):
    (tmp_path / "default").mkdir()
    file = tmp_path / "default" / "train.parquet"
    pq.write_table(pq.read_table(root / "rotowire_modified" / "house" / "train.parquet").slice(0, 64), file)
    before = file.read_bytes()
    command = ("annotate", "--dataset", str(tmp_path), "--config", "default", "--no-extractor")
    done = run(root, *command, limit=2000)
    assert done.returncode == 2 and "cannot be written (File too large)" in done.stderr, done.stderr
    assert file.read_bytes() == before
    assert run(root, *command).returncode == 0
    assert [path.name for path in (tmp_path / "default").iterdir()] == ["train.parquet"]
