"""A minute of hostile input. `make fuzz` runs the same with other seeds, and longer."""

import subprocess
import sys

import pytest


def fuzz(root, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "tests.fuzz", *arguments], cwd=root, capture_output=True, text=True)


@pytest.mark.slow
def test_a_minute_of_hostile_input_finds_nothing(root):
    done = fuzz(root, "--seconds", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tracebacks: 0, hangs: 0, memory: 0, files elsewhere: 0" in done.stdout


@pytest.mark.slow
def test_the_fuzzer_sees_what_it_looks_for(root, tmp_path):
    """A target that fails in each way is counted in each way."""
    code = f"""
import sys, time
from tests.fuzz import __main__ as fuzz
def hostile(rng, folder):
    kind = rng.randrange(4)
    if kind == 0:
        raise KeyError("a bug")
    if kind == 1:
        time.sleep(2)
    if kind == 2:
        open({str(tmp_path / "elsewhere")!r}, "w").close()
fuzz.TARGETS, fuzz.prepare, fuzz.HANG = {{hostile: 1}}, lambda: None, 1
sys.argv = ["fuzz", "--inputs", "12", "--seed", "1"]
sys.exit(fuzz.main())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    for kind in ("tracebacks", "hangs", "files elsewhere"):
        assert f"--- {kind}: python -m tests.fuzz --only hostile --seed 1" in done.stdout, done.stdout
