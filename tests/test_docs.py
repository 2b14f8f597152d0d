"""The documentation: its Python runs, its links lead somewhere, its commands and options exist."""

import argparse
import functools
import importlib
import itertools
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from stg.cli import COMMANDS, check


TOP = Path(__file__).resolve().parent.parent
GUIDES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]  # every one needs an example that runs
CARDS = [TOP / name for name in ("modeling_stg/README.md", "modeling_stg/no_writer/README.md")]
PAGES = [
    *GUIDES,
    *(TOP / f"{name}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")),
    *sorted((TOP / "results").glob("*.md")),
    *(TOP / name / "README.md" for name in ("stg/extraction", "rotowire_modified")),
]
COMMAND_PAGES = [path for path in (*PAGES, *CARDS) if path.name != "CHANGELOG.md"]  # which names former commands
STORED = [*sorted((TOP / "results").glob("*/system.json")), *sorted((TOP / "figures").glob("*.json"))]
FENCE = re.compile(r"^(?:<!-- not run: ?(?P<reason>.*?) ?-->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?:|mailto:)(?P<target>[^)\s]+)\)")
INLINE = re.compile(r"(?<!`)`((?:[^`\n]|\n(?!\n))+)`(?!`)")
FOLDERS = (
    "benchmarks configs configuration_stg dataset_script docs examples figures modeling_stg results scripts stg tests"
)
PATH = re.compile(rf"(?:{FOLDERS.replace(' ', '|')})/[\w./-]*")
TARGET = re.compile(r"^([\w./%-]+)(?: [\w./%-]+)*:(?!=)", re.M)
PROGRAM = re.compile(r"(stg|make|python|accelerate) \S")
SHELL_WORDS = {"for", "do", "done", "in"}


class Block(NamedTuple):
    language: str
    code: str
    reason: str | None  # why it is not run
    line: int


def page_id(path: Path) -> str:
    return str(path.relative_to(TOP))


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    return [
        Block(match["language"], match["code"], match["reason"], text.count("\n", 0, match.start("code")) + 1)
        for match in FENCE.finditer(text)
    ]


def prose(path: Path) -> str:
    """The page without its fenced blocks."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", GUIDES, ids=page_id)
def test_python_blocks_run(path, monkeypatch):
    monkeypatch.chdir(TOP)
    python = [block for block in blocks(path) if block.language == "python"]
    assert [block for block in python if block.reason is None], f"{page_id(path)}: needs an example that runs"
    for block in python:
        if block.reason is None:  # blank lines keep the page's line numbers in a traceback
            code = compile("\n" * (block.line - 1) + block.code, str(path), "exec")
            exec(code, {"__name__": f"docs:{page_id(path)}"})  # a block runs alone, as a reader pastes it
        else:
            assert block.reason, f"{page_id(path)}, line {block.line}: say why it is not run"
            compile(block.code, str(path), "exec")


def slug(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#{1,6} (.+)$", prose(path), flags=re.M)}


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_links_exist(path):
    for match in LINK.finditer(prose(path)):
        name, _, anchor = match["target"].partition("#")
        target = path.parent / name if name else path
        assert target.exists(), f"{page_id(path)}: {match['target']} does not exist"
        if anchor:
            assert anchor in anchors(target), f"{page_id(path)}: {match['target']}: no such heading"


@pytest.mark.parametrize("path", COMMAND_PAGES, ids=page_id)
def test_named_files_exist(path):
    """Files of the repository that a page names as code, in prose or in a command; NAME is a placeholder."""
    code = [*INLINE.findall(prose(path)), *(block.code for block in blocks(path) if block.language == "bash")]
    names = [word for words in code for word in words.split() if PATH.fullmatch(word) and "NAME" not in word]
    missing = [name for name in names if not (TOP / name).exists()]
    assert not missing, f"{page_id(path)}: {missing} do not exist"


class ParserBuilt(BaseException):  # not an Exception, which commands report as a bug
    """Carries the parser of a command out of its `main`."""


@functools.cache
def parser_of(command: str) -> argparse.ArgumentParser:
    """The argument parser of `stg COMMAND`, as its `main` builds it."""

    def stop(self, *args, **kwargs):
        raise ParserBuilt(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_known_args", stop)
        with pytest.raises(ParserBuilt) as caught:
            importlib.import_module(f"stg.cli.{command.replace('-', '_')}").main([])
    return caught.value.args[0]


def commands(path: Path) -> Iterator[list[str]]:
    """The words of every command on a page: lines of bash blocks, and inline code that looks like one."""
    lines = []
    for block in blocks(path):
        if block.language == "bash":
            quoted = re.sub(r'"[^"]*"', lambda text: text[0].replace("\n", " "), block.code)
            lines += re.sub(r"(\\|\|)\n", r"\1 ", quoted).replace("\\ ", " ").splitlines()
    lines += [code.replace("\n", " ") for code in INLINE.findall(prose(path)) if PROGRAM.match(code)]
    for line in lines:
        for command in re.split(r" \|(?: |$)", line):
            words = shlex.split(command.replace("...", ""), comments=True)
            while words and (words[0] in SHELL_WORDS or re.match(r"[A-Z_]+=", words[0])):
                words.pop(0)
            if words:
                yield words


def check_stg(command: str, words: list[str], page: str) -> None:
    assert command in COMMANDS, f"{page}: stg {command}: no such command"
    parser = parser_of(command)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words and not words[0].startswith("-"):
            assert words[0] in action.choices, f"{page}: stg {command} {words[0]}: no such action"
            parser = action.choices[words[0]]
    known = parser._option_string_actions
    for word in words:
        option = word.partition("=")[0].strip("[];")
        if option.startswith("--") and not (command == "train" and option.startswith("--model.")):
            assert option in {*known, "--help"}, f"{page}: stg {command} {option}: no such option"


def check_words(words: list[str], page: str) -> None:
    program, rest = words[0], words[1:]
    scripts = [number for number, word in enumerate(words) if re.fullmatch(r"scripts/\w+\.py", word)]
    if program == "stg":
        if rest and rest[0] != "COMMAND" and not rest[0].startswith("-"):
            check_stg(rest[0], rest[1:], page)
    elif scripts:
        assert (TOP / words[scripts[0]]).is_file(), f"{page}: {words[scripts[0]]} does not exist"
        check_stg(Path(words[scripts[0]]).stem.replace("_", "-"), words[scripts[0] + 1 :], page)
    elif words[:2] == ["python", "-m"]:
        module = words[2].replace(".", "/")
        assert words[2] == "pytest" or (TOP / f"{module}.py").is_file(), f"{page}: {words[2]}: no such module"
    elif program == "make":
        targets = TARGET.findall((TOP / "Makefile").read_text(encoding="utf-8"))
        for target in rest:
            pattern = any(re.fullmatch(re.escape(known).replace("%", ".+"), target) for known in targets)
            assert "=" in target or pattern, f"{page}: make {target}: no such target"


@pytest.mark.parametrize("path", COMMAND_PAGES, ids=page_id)
def test_commands_and_options_exist(path):
    for words in commands(path):
        check_words(words, page_id(path))


def test_readme_shows_what_the_checker_prints(tmp_path, capsys, monkeypatch):
    code, shown = next(
        (block.code, after.code)
        for block, after in itertools.pairwise(blocks(TOP / "README.md"))
        if "stg check" in block.code and after.language == ""
    )
    recap = tmp_path / "recap.txt"
    recap.write_text(shlex.split(code)[1], encoding="utf-8")
    monkeypatch.chdir(TOP)
    with pytest.raises(SystemExit):
        check.main([str(recap) if word == "-" else word for word in shlex.split(code.partition("stg check")[2])])
    assert shown in capsys.readouterr().out


def test_reading_page_shows_what_the_tally_prints(capsys):
    [(code, shown)] = [
        (block.code, after.code)
        for block, after in itertools.pairwise(blocks(TOP / "docs" / "reading.md"))
        if block.language == "python"
    ]
    exec(code, {})
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("path", STORED, ids=page_id)
def test_stored_commands_still_exist(path):
    """The commands that made results and figures can be run again."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    made_by = stored.get("made_by") or []
    lines = [*([made_by] if isinstance(made_by, str) else made_by), *stored.get("commands", {}).values()]
    assert lines
    for line in lines:
        check_words(shlex.split(line), page_id(path))


def test_every_command_is_documented():
    named = {words[1] for path in PAGES for words in commands(path) if words[0] == "stg" and len(words) > 1}
    assert set(COMMANDS) <= named, f"no page shows {sorted(set(COMMANDS) - named)}"


def test_architecture_names_every_module_of_the_hub_folder():
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (TOP / "modeling_stg").glob("*.py")} - {"__init__"}
    assert not [name for name in sorted(modules) if f"`{name}`" not in text]


def test_readme_is_short():
    assert len((TOP / "README.md").read_text(encoding="utf-8").splitlines()) < 220
