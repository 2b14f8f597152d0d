"""Shared by all subcommands: errors without tracebacks, help with examples, atomic writes, colours."""

import argparse
import errno
import functools
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TextIO, get_type_hints

from modeling_stg.errors import StgError
from stg.converters.season_sources import SEASON_SOURCES
from stg.files import CHECKOUT, project_path
from stg.outputs import write_atomically as write_atomically  # for the commands


ROOT = CHECKOUT or Path()  # of the repository; commands that need one call `require_checkout`
COLOURS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
BUG = 70  # the exit code of a bug, EX_SOFTWARE of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# C0 and C1 controls but tab and newline, and the marks that reverse the direction of text
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
PLAN_OPTIONS = frozenset(["min_plan_length", "max_plan_length"])  # of baselines that write a content plan first
GAMES_HELP = "games in any format that `stg convert` reads (JSON, .jsonl, Parquet, CSV); - reads standard input"
BOOLEANS = {"true": True, "false": False}
TYPE_NAMES: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}


def command(main: Callable[..., int | None]) -> Callable[..., NoReturn]:
    """Decorates a subcommand's `main`, which may return an exit code.

    An error that the user can fix is one line on stderr and exit code 2. Any other exception is a bug: it keeps its
    traceback, and the exit code is 70, which no command uses for anything else.
    """

    @functools.wraps(main)
    def run(argv: Sequence[str] | None = None) -> NoReturn:
        sys.stdout = sys.stdout or open(os.devnull, "w")  # None if the caller closed it
        previous, warnings.formatwarning = warnings.formatwarning, lambda message, *_, **__: f"warning: {message}\n"
        try:
            code = main(argv)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (such as `head`) has closed the pipe; Python must not fail again when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except UnicodeEncodeError as error:
            character = error.object[error.start]
            _fail(f"stdout: cannot encode {character!a} as {error.encoding}; set PYTHONIOENCODING=utf-8")
        except StgError as error:
            _fail(str(error))
        except OSError as error:
            place = error.filename or ("standard output" if error.errno in _FULL else "a file or connection")
            _fail(f"{place}: {error.strerror or error}")
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            sys.exit(130)
        except Exception:
            traceback.print_exc()
            print("error: this is a bug of stg; please report it with the lines above", file=sys.stderr)
            sys.exit(BUG)
        finally:
            warnings.formatwarning = previous
        sys.exit(code or 0)

    return run


def _fail(message: str) -> NoReturn:
    """One line for each problem."""
    for line in message.splitlines() or [""]:
        print(f"error: {printable(' '.join(line.split()))}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:  # full; Python must not fail again when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(2)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Prints one line, like every other error; the usage of some commands fills a screen."""
        _fail(f"{message}; see `{self.prog} --help`")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def _get_help_string(self, action: argparse.Action) -> str | None:
        """Appends the default where it is a number, a word or a path that the help does not mention."""
        shown = isinstance(action.default, (str, int, float, Path)) and not isinstance(action.default, bool)
        if shown and action.default != argparse.SUPPRESS and "default: " not in (action.help or ""):
            return f"{action.help} (default: %(default)s)"
        return action.help


def argument_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser for `stg NAME` that prints `description`, a module's docstring, as it is written."""
    return _Parser(f"stg {name}", description=description, formatter_class=_HelpFormatter)


def add_games_options(parser: argparse.ArgumentParser, split: str, required: bool = True) -> None:
    """Adds `--games` or `--dataset` with `--config` and `--split`, whose default is `split`."""
    games = parser.add_mutually_exclusive_group(required=required)
    games.add_argument("--games", nargs="+", type=project_path, metavar="FILE", help=GAMES_HELP)
    games.add_argument("--dataset", metavar="NAME", help="rotowire_modified, or another folder or Hub dataset")
    parser.add_argument("--config", default="default", help="dataset config: default, sample, ...")
    parser.add_argument("--split", default=split, help="dataset split, such as validation[:20]")
    add_date_option(parser)


def add_date_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--date", metavar="DAY", help="only the games of --games on this day, such as 2025-01-15")


def report_skipped(errors: Sequence[StgError], total: int, is_allowed: bool) -> int:
    """Prints the errors of games that were left out; the exit code."""
    for error in errors:
        for line in str(error).splitlines():
            print(f"skipped {line}", file=sys.stderr)
    if errors:
        print(f"{len(errors)} of {total} games were skipped", file=sys.stderr)
    return int(bool(errors) and not is_allowed)


def add_model_option(parser: argparse.ArgumentParser) -> None:
    help = "model folder or Hub repository"
    parser.add_argument("--model", default="modeling_stg", type=project_path, metavar="DIR", help=help)


def add_season_option(parser: argparse.ArgumentParser, purpose: str, default: str | None = None) -> None:
    """Adds `--season`, which `load_season` opens; the help ends with what it is for."""
    parser.add_argument(
        "--season",
        metavar="NAME",
        type=project_path,
        nargs="?",
        const="nba",
        default=default,
        help=f"other games of the season ({SEASON_SOURCES}; without NAME: nba): {purpose}",
    )


def parse_generation_options(assignments: Sequence[str]) -> dict[str, bool | int | float]:
    """Parses the NAME=VALUE pairs of `--set` with the types of the model's generation settings."""
    from modeling_stg.settings import GenerationSettings

    types = {name: hint for name, hint in get_type_hints(GenerationSettings).items() if name != "num_return_sequences"}
    types |= dict.fromkeys(sorted(PLAN_OPTIONS), int)
    options = {}
    for assignment in assignments:
        name, _, value = assignment.partition("=")
        if name not in types:
            raise StgError(f"--set {assignment:.100}: no such option; options are {', '.join(types)}")
        try:
            options[name] = BOOLEANS[value.lower()] if types[name] is bool else types[name](value)
        except (KeyError, ValueError):
            raise StgError(f"--set {assignment:.100}: {value!r:.100} is not {TYPE_NAMES[types[name]]}") from None
    return options


def check_inputs(options: argparse.Namespace, *names: str) -> None:
    """Raises early, before slow imports, if a file or folder that these options name does not exist."""
    for name in names:
        given = vars(options)[name]
        for path in given if isinstance(given, list) else [given]:
            if path is not None and path != "-" and not Path(path).exists():
                option = name.replace("_", "-")
                raise StgError(f"--{option} {path}: cannot be read ({os.strerror(errno.ENOENT)}); check the path")
    if vars(options).get("season") is not None:
        from stg.dataset.reading import check_season

        check_season(options.season)


def check_output_path(output: str | None, option: str = "--output") -> None:
    """Raises early, before any work, if `write_atomically` could not write there."""
    if output is not None and Path(output).is_dir():
        raise StgError(f"{option} {output}: is a folder; name a file")
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise StgError(f"{option} {output}: its folder does not exist; create it first")
    if output is not None and not os.access(Path(output).absolute().parent, os.W_OK):
        raise StgError(f"{option} {output}: its folder cannot be written; name another")


def printable(text: str) -> str:
    """Text for a terminal: what would move the cursor, colour or reverse it is shown as its code ("\\x1b")."""
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def colour(text: str, *names: str, stream: TextIO | None = None) -> str:
    """`text` in colour on a terminal; NO_COLOR turns colours off, and FORCE_COLOR turns them on in pipes too."""
    if os.environ.get("NO_COLOR") or not names:
        return text
    if not (os.environ.get("FORCE_COLOR") or (stream or sys.stdout).isatty()):
        return text
    return f"\x1b[{';'.join(COLOURS[name] for name in names)}m{text}\x1b[0m"
