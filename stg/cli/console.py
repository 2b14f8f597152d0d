"""What every script shares at the terminal: kind errors, help that keeps its examples, colours.

Used as `from console import exits_kindly, parser` by scripts that run as `python scripts/x.py`.
"""

import argparse
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from modeling_stg.errors import StgError


ROOT = Path(__file__).resolve().parent.parent.parent


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
PLANNING = frozenset(["min_plan_length", "max_plan_length"])  # options of a baseline that plans
TRUTH = {"true": True, "false": False}


def exits_kindly(main: Callable[..., int | None]) -> Callable[..., None]:
    """What a user can mend becomes one line on stderr and exit code 2; anything else is a bug and keeps its trace."""

    @functools.wraps(main)
    def wrapped(*args, **kwargs) -> None:
        sys.stdout = sys.stdout or open(os.devnull, "w")  # closed by whoever started us: nobody wants to read
        usual, warnings.formatwarning = warnings.formatwarning, lambda message, *_, **__: f"warning: {message}\n"
        try:
            code = main(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (such as `head`) has seen enough; a closed stdout must not complain again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            print(
                f"error: {letter!a} cannot be written as {error.encoding}; set PYTHONIOENCODING=utf-8", file=sys.stderr
            )
            sys.exit(2)
        except (StgError, OSError) as error:
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
            sys.exit(2)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            sys.exit(130)
        finally:
            warnings.formatwarning = usual
        sys.exit(code or 0)

    return wrapped


def parser(description: str | None = None) -> argparse.ArgumentParser:
    """An ArgumentParser that prints the calling module's docstring (with its launch command) as it is written."""
    if description is None:
        frame = inspect.currentframe().f_back
        description = frame.f_globals["__doc__"]
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def wishes(given: Sequence[str]) -> dict[str, bool | int | float]:
    """Generation options written as NAME=VALUE, with the types of the model's own settings."""
    from modeling_stg.settings import GenerationSettings

    kinds = {field.name: field.type for field in fields(GenerationSettings) if field.name != "num_return_sequences"}
    kinds |= dict.fromkeys(sorted(PLANNING), int)
    wished = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in kinds:
            raise StgError(f"--set {each}: no such option; options are {', '.join(kinds)}")
        try:
            wished[name] = TRUTH[value.lower()] if kinds[name] is bool else kinds[name](value)
        except (KeyError, ValueError):
            kind = {bool: "true or false", int: "a whole number", float: "a number"}[kinds[name]]
            raise StgError(f"--set {each}: {value!r} is not {kind}") from None
    return wished


def check_output(output: str | None, option: str = "--output") -> None:
    """Before any work: whether `put` will be able to write there."""
    if output is not None and Path(output).is_dir():
        raise StgError(f"{option} {output}: is a folder; name a file")
    if output is not None and not Path(output).absolute().parent.is_dir():
        raise StgError(f"{option} {output}: its folder does not exist; create it first")


def put(output: str, text: str) -> None:
    """A file appears in one move, whole or not at all; a link stays one, a device or a pipe is written to."""
    target = Path(os.path.realpath(output))
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8", newline="")
        return
    whole = target.with_name(f"{target.name}.whole")
    try:
        whole.write_text(text, encoding="utf-8", newline="")
        os.replace(whole, target)
    finally:
        whole.unlink(missing_ok=True)


def colour(text: str, *names: str, stream=None) -> str:
    """`text` in colours on a terminal; NO_COLOR switches them off everywhere, FORCE_COLOR on in pipes too."""
    if os.environ.get("NO_COLOR"):
        return text
    stream = stream or sys.stdout
    if not (os.environ.get("FORCE_COLOR") or stream.isatty()):
        return text
    return f"\x1b[{';'.join(COLOURS[name] for name in names)}m{text}\x1b[0m"
