"""Resumes an interrupted `stg generate --output FILE`: FILE.part keeps the finished games."""

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from modeling_stg.errors import StgError
from stg.cli.console import write_atomically


class PartialOutput:
    """FILE.part: a line with the run's fingerprint, then a line for each finished game.

    Args:
        output: FILE, which `finish` writes.
        fingerprint: See `run_fingerprint`.
    """

    def __init__(self, output: str, fingerprint: str):
        self.output, self.fingerprint = output, fingerprint
        self.path = Path(f"{output}.part")
        self._finished: list[dict] = []
        self._file: TextIO | None = None

    def read(self, multiple_of: int = 1) -> list[dict]:
        """Reads the results of an interrupted run: complete lines only, and a multiple of `multiple_of` of them."""
        entries, lines = [], self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except ValueError:  # including UnicodeDecodeError: the rest was lost
                break
        if lines and entries[:1] != [{"run": self.fingerprint}]:
            raise StgError(f"{self.path}: is from a run with other games, model or options; delete it to start over")
        finished = entries[1:]
        self._finished = finished[: len(finished) // multiple_of * multiple_of]
        return list(self._finished)

    def append(self, results: Sequence[Mapping]) -> None:
        """Saves results. The first call creates the file, so that a run that fails earlier leaves nothing behind."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", encoding="utf-8")
            self._write([{"run": self.fingerprint}, *self._finished])
        self._write(results)
        self._file.flush()

    def _write(self, entries: Sequence[Mapping]) -> None:
        assert self._file is not None
        self._file.writelines(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)

    def finish(self, text: str) -> None:
        """Writes FILE and removes FILE.part."""
        if self._file is not None:
            self._file.close()
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
