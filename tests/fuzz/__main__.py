"""Fuzzes the project in one process and counts what went wrong.

python -m tests.fuzz                          # a minute
python -m tests.fuzz --seconds 600 --seed 7
python -m tests.fuzz --only recaps --seed 7 --first 1234 --inputs 1    # one input again
"""

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from modeling_stg.errors import StgError
from tests.fuzz.targets import TARGETS, prepare


HANG = 10  # seconds
MEMORY = 2 * 2**30  # bytes
SHOWN = 20  # failures


class Hang(BaseException):
    """An input took too long."""


class Watch:
    """An audit hook that notes files opened for writing outside the folder of the input."""

    def __init__(self) -> None:
        self.folder = ""
        self.elsewhere: list[str] = []
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple) -> None:
        if event == "open" and self.folder and isinstance(arguments[0], (str, bytes)):
            path, mode, flags = arguments
            path = path.decode(errors="replace") if isinstance(path, bytes) else path
            writes = any(letter in (mode or "") for letter in "wax+") or bool(flags and flags & 0o3)
            if writes and not path.startswith((self.folder, "/dev/")):
                self.elsewhere.append(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="default: of the clock, printed")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--inputs", type=int, default=None, help="stop after this many")
    parser.add_argument("--only", choices=[target.__name__ for target in TARGETS])
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    targets = {target: share for target, share in TARGETS.items() if options.only in (None, target.__name__)}
    prepare()
    watch, tried, refused, spent, failures = Watch(), *(Counter() for _ in range(4))
    signal.signal(signal.SIGALRM, _raise_hang)
    end, number = time.monotonic() + options.seconds, options.first
    while time.monotonic() < end and (options.inputs is None or number < options.first + options.inputs):
        rng = random.Random(f"{seed} {number}")
        [target] = rng.choices(list(targets), list(targets.values()))
        place = f"--only {target.__name__} --seed {seed} --first {number} --inputs 1"
        tried[target.__name__] += 1
        with tempfile.TemporaryDirectory(prefix="stg-fuzz-") as folder:
            watch.folder, watch.elsewhere = folder, []
            signal.alarm(HANG)
            started = time.perf_counter()
            try:
                target(random.Random(f"{seed} {number} {target.__name__}"), Path(folder))
            except StgError as error:
                refused[target.__name__] += 1
                if len(str(error)) > 5000:
                    _report(failures, "long messages", place, f"{len(str(error))} characters: {str(error)[:100]}")
            except Hang:
                _report(failures, "hangs", place, "".join(traceback.format_exc()[-1500:]))
            except Exception:
                _report(failures, "tracebacks", place, traceback.format_exc()[-1500:])
            finally:
                signal.alarm(0)
                spent[target.__name__] += time.perf_counter() - started
                watch.folder = ""
        if watch.elsewhere:
            _report(failures, "files elsewhere", place, ", ".join(watch.elsewhere[:5]))
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > MEMORY and not failures["memory"]:
            _report(failures, "memory", place, "over 2 GB")
        number += 1
    by_target = ", ".join(f"{name} {count:,} ({refused[name]:,} refused)" for name, count in sorted(tried.items()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    slow = ", ".join(f"{name} {1000 * spent[name] / tried[name]:.0f}" for name in sorted(tried))
    print(f"milliseconds each: {slow}")
    print(f"seed {seed}: {tried.total():,} inputs; {by_target}; peak memory {peak:.2f} GB")
    kinds = ("tracebacks", "hangs", "memory", "files elsewhere", "long messages")
    print(", ".join(f"{kind}: {failures[kind]}" for kind in kinds))
    return int(failures.total() > 0)


def _raise_hang(*_) -> None:
    raise Hang


def _report(failures: Counter, kind: str, place: str, detail: str) -> None:
    failures[kind] += 1
    if failures.total() <= SHOWN:
        print(f"--- {kind}: python -m tests.fuzz {place}\n{detail}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
