"""What all commands share at the terminal."""

import os
import subprocess
import sys

import pytest

from modeling_stg.errors import StgError
from stg.cli.console import colour, command, write_atomically


def exit_of(capsys, error: BaseException | None = None, value=None) -> tuple[int, str]:
    @command
    def main(argv):
        if error:
            raise error
        return value

    with pytest.raises(SystemExit) as exit:
        main()
    return exit.value.code, capsys.readouterr().err


def test_exit_codes(capsys):
    assert exit_of(capsys) == (0, "") and exit_of(capsys, value=3) == (3, "")
    assert exit_of(capsys, StgError("day: 'x' is\nno date")) == (2, "error: day: 'x' is no date\n")
    assert exit_of(capsys, FileNotFoundError(2, "No such file", "a.json"))[0] == 2
    assert exit_of(capsys, KeyboardInterrupt()) == (130, "interrupted\n")


def test_bugs_keep_their_traceback():
    @command
    def main(argv):
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        main()


def test_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert colour("x", "bold", "red") == "\x1b[1;31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert colour("x", "red") == "x"


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "file.txt"
    write_atomically(str(file), "before")
    monkeypatch.setattr(os, "replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_atomically(str(file), "after")
    assert file.read_text() == "before" and list(tmp_path.iterdir()) == [file]


def test_demo(root):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "scripts/demo.py", *arguments], cwd=root, capture_output=True, text=True
        )

    shown = run()
    assert shown.returncode == 0, shown.stderr
    assert "records it states" in shown.stdout and "\x1b" not in shown.stdout
    failed = run("--game", "999")
    assert (failed.returncode, failed.stderr) == (2, "error: --game 999: test has games 0 to 59\n")
