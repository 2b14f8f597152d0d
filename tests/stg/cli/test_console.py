"""Shared behaviour of all commands: exit codes, help, colours, atomic writes."""

import os
import subprocess
import sys

import pytest

from modeling_stg.errors import StgError
from stg.cli.console import argument_parser, colour, command, write_atomically


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
    assert exit_of(capsys, StgError("day: 'x'  is no date")) == (2, "error: day: 'x' is no date\n")
    assert exit_of(capsys, StgError("a: wrong\nb: wrong")) == (2, "error: a: wrong\nerror: b: wrong\n")
    assert exit_of(capsys, FileNotFoundError(2, "No such file", "a.json")) == (2, "error: a.json: No such file\n")
    assert exit_of(capsys, KeyboardInterrupt()) == (130, "interrupted\n")


def test_bugs_keep_their_traceback_and_have_their_own_exit_code(capsys):
    code, shown = exit_of(capsys, KeyError("a bug"))
    assert code == 70 and "KeyError: 'a bug'" in shown and shown.splitlines()[-1].startswith("error: this is a bug")


def test_errors_do_not_control_the_terminal(capsys):
    assert exit_of(capsys, StgError("x: '\x1b[2J\u202e' is bad")) == (2, "error: x: '\\x1b[2J\\u202e' is bad\n")


def test_a_full_disk_names_the_place(capsys):
    assert exit_of(capsys, OSError(28, "No space left")) == (2, "error: standard output: No space left\n")


def test_help_shows_defaults_once():
    parser = argument_parser("x", "Does x.")
    parser.add_argument("--count", type=int, default=3, help="how many")
    parser.add_argument("--output", default="-", help="file (default: standard output)")
    parser.add_argument("--flag", action="store_true", help="a flag")
    parser.add_argument("--names", nargs="+", default=[], help="names")
    shown = [line.strip() for line in parser.format_help().splitlines() if "default" in line]
    assert len(shown) == 2
    assert shown[0].endswith("how many (default: 3)") and shown[1].endswith("file (default: standard output)")


def test_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert colour("x", "bold", "red") == "\x1b[1;31mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert colour("x", "red") == "x"


def test_failed_write_leaves_the_file_unchanged(tmp_path, monkeypatch):
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
    assert "facts it states" in shown.stdout and "\x1b" not in shown.stdout
    failed = run("--game", "999")
    assert (failed.returncode, failed.stderr) == (2, "error: --game 999: test has games 0 to 59\n")
