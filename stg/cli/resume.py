"""Resumes an interrupted `stg generate --output FILE`: FILE.part keeps the finished games."""

import argparse
import contextlib
import hashlib
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from modeling_stg.errors import StgError
from stg.outputs import named_errors, sole_writer, write_atomically


class PartialOutput:
    """FILE.part: a line with the run's fingerprint, then a line for each finished game, with its row.

    Args:
        output: FILE, which `finish` writes.
        fingerprint: See `run_fingerprint`.
        rows: What identifies each game of the run, in order.
    """

    def __init__(self, output: str, fingerprint: str, rows: Sequence[list]):
        self.output, self.fingerprint, self.rows = output, fingerprint, rows
        self.path = Path(f"{output}.part")
        self._file: BinaryIO | None = None
        self._saved = self._end = 0  # results in the file, and its length with them

    @contextlib.contextmanager
    def written_by_this_run(self) -> Iterator[None]:
        """Opens the file for `append`; a second run on the same output is refused. An empty one is removed."""
        existed = self.path.exists()
        if self.path.is_symlink():
            raise StgError(f"{self.path}: is a symbolic link; delete it")
        with named_errors(self.path):
            self._file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        with self._file, sole_writer(self.path):
            if not (self.path.exists() and os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())):
                raise StgError(f"{self.output}: another run has just finished it; repeat the command to start over")
            try:
                yield
            finally:
                if not existed and self.path.exists() and self.path.stat().st_size == 0:
                    self.path.unlink()

    def read(self, multiple_of: int = 1) -> list[dict]:
        """Reads the results of an interrupted run: complete lines of the right games, a multiple of `multiple_of`."""
        entries, lines = [], self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except (ValueError, RecursionError):  # including UnicodeDecodeError: the rest was lost
                break
        if lines and entries[:1] != [{"run": self.fingerprint}]:
            raise StgError(f"{self.path}: is from a run with other games, model or options; delete it to start over")
        finished: list[dict] = []
        ends = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
        for entry, row in zip(entries[1:], self.rows, strict=False):
            if not (isinstance(entry, dict) and entry.get("row") == row and isinstance(entry.get("result"), dict)):
                break
            finished.append(entry["result"])
        self._saved = len(finished) // multiple_of * multiple_of
        self._end = ends[self._saved + 1] if lines else 0
        return finished[: self._saved]

    def append(self, results: Sequence[Mapping]) -> None:
        """Saves results behind those that `read` returned."""
        assert self._file is not None
        entries: list[Mapping] = [] if self._end else [{"run": self.fingerprint}]
        rows = self.rows[self._saved : self._saved + len(results)]
        entries += [{"row": row, "result": result} for row, result in zip(rows, results, strict=True)]
        text = "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries).encode()
        with named_errors(self.path):
            self._file.truncate(self._end)  # without what an interrupted run wrote in part
            self._file.seek(self._end)
            self._file.write(text)
            self._file.flush()
        self._saved, self._end = self._saved + len(results), self._end + len(text)

    def finish(self, text: str) -> None:
        """Writes FILE and removes FILE.part."""
        write_atomically(self.output, text)
        self.path.unlink(missing_ok=True)


def run_fingerprint(options: argparse.Namespace, rows: Sequence[Any], sampled_together: int) -> str:
    """A hash of what determines the texts: games, plan, season, model files, options and games sampled together."""
    relevant = {name: value for name, value in vars(options).items() if name not in ("batch_size", "output", "format")}
    relevant["sampled_together"] = sampled_together
    files = sorted(Path(options.model).glob("*.json")) + sorted(Path(options.model).glob("*.safetensors"))
    files += _season_files(options.season)
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    inputs = [Path(name) for name in (options.plan, options.season) if name]
    contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in inputs if path.is_file()]
    state = json.dumps([relevant, rows, contents, stats], sort_keys=True, default=str)
    return hashlib.sha256(state.encode()).hexdigest()


def _season_files(season: str | None) -> list[Path]:
    """The Parquet files of a season that is a folder of hoopR or a built dataset."""
    if season is None:
        return []
    from stg.dataset.card import BUILD_FOLDER, FOLDER

    folders = {BUILD_FOLDER, FOLDER} if season in ("rotowire_modified", "sample") else {Path(season)}
    return sorted(file for folder in folders for file in folder.rglob("*.parquet"))
