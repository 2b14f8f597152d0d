"""Reads what RotoWire-Modified is made of: RotoWire's archive, the lookup tables, further games.

Everything that a user can mend (a wrong path, a truncated download, a page of HTML in place of an archive)
raises `ArchiveError` in one line.
"""

import bz2
import gzip
import http.client
import json
import lzma
import os
import tarfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from modeling_stg.errors import StgError


SPLITS = ("train", "valid", "test")  # RotoWire's names, in the order that the lookup tables number them
WRITERS = 32
SOURCE = "https://github.com"
ARCHIVE_PATH = "harvardnlp/boxscore-data/raw/master/rotowire.tar.bz2"
LOOKUP_PATH = "aistairc/rotowire-modified/raw/master/script/{split}-lookup.txt"
_OPENERS = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}


class ArchiveError(StgError):
    """A source file is missing, broken or not what it should be."""


@dataclass(frozen=True)
class Lookup:
    """One row of RotoWire-Modified: which game of RotoWire it is, and who wrote its summary."""

    split: str
    index: int
    writer: int


def read_archive(path: str | Path) -> dict[str, list[Any]]:
    """RotoWire's games by split, from its tar archive or from a folder of train.json, valid.json and test.json."""
    path = Path(path)
    if path.is_dir():
        folder = path if (path / "train.json").exists() else path / "rotowire"
        return {split: read_games_file(folder / f"{split}.json") for split in SPLITS}
    games: dict[str, list[Any]] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                split = Path(member.name).name.removesuffix(".json")
                if member.isfile() and split in SPLITS and member.name.endswith(".json"):
                    games[split] = _games(json.load(archive.extractfile(member)), f"{path}: {member.name}")
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such archive; check --archive, or leave it out to download it") from None
    except (tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError, zlib.error, RecursionError) as error:
        if isinstance(error, StgError):
            raise
        raise ArchiveError(f"{path}: cannot be read to its end ({_line(error)}); is it truncated?") from None
    for split in SPLITS:
        if split not in games:
            raise ArchiveError(f"{path}: holds no {split}.json; RotoWire's archive has rotowire/{split}.json")
    return games


def read_games_file(path: str | Path) -> list[Any]:
    """The list of games in a JSON file, which may be compressed (.xz, .bz2, .gz)."""
    path = Path(path)
    try:
        with _OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8") as file:
            return _games(json.load(file), str(path))
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; check the path") from None
    except (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error, RecursionError) as error:
        if isinstance(error, StgError):
            raise
        raise ArchiveError(f"{path}: cannot be read to its end ({_line(error)}); is it truncated?") from None


def _games(data: Any, place: str) -> list[Any]:
    if not isinstance(data, list):
        raise ArchiveError(f"{place}: does not hold a list of games; is it a RotoWire file?")
    return data


def read_lookups(folder: str | Path) -> dict[str, tuple[Lookup, ...]]:
    """RotoWire-Modified's rows by split, in the order of the lookup tables."""
    return {split: tuple(_lookup(Path(folder) / f"{split}-lookup.txt")) for split in SPLITS}


def _lookup(path: Path) -> Iterator[Lookup]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; check --lookup-dir, or leave it out to download it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{path}: cannot be read ({_line(error)})") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != 3 or not all(field.isascii() and field.isdecimal() and len(field) < 9 for field in fields):
            raise ArchiveError(f"{path}:{number}: {line[:60]!r} is not `split,index,writer`; is it a lookup table?")
        split, index, writer = map(int, fields)
        if split >= len(SPLITS):
            raise ArchiveError(f"{path}:{number}: split {split} is not 0 (train), 1 (valid) or 2 (test)")
        if writer >= WRITERS:
            raise ArchiveError(f"{path}:{number}: writer {writer} is not one of 0 to {WRITERS - 1}")
        yield Lookup(SPLITS[split], index, writer)


def download_archive(source: str = SOURCE) -> Path:
    return _download(f"{source}/{ARCHIVE_PATH}", _cache() / "rotowire.tar.bz2", opening=b"BZh")


def download_lookups(source: str = SOURCE) -> Path:
    for split in SPLITS:
        _download(f"{source}/{LOOKUP_PATH.format(split=split)}", _cache() / f"{split}-lookup.txt")
    return _cache()


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "stg-data-to-text"


def _download(url: str, target: Path, opening: bytes = b"") -> Path:
    """`url` as the file `target`, which comes into being only when whole; a second call finds it there."""
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    remedy = "try again, or download it by hand and give --archive and --lookup-dir"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer, part.open("wb") as file:
            size = _size(answer.headers)
            with tqdm(total=size, unit="B", unit_scale=True, desc=target.name) as progress:
                while block := answer.read(1 << 16):
                    file.write(block)
                    progress.update(len(block))
        received = part.stat().st_size
        if received == 0 or size not in (None, received):
            raise ArchiveError(f"{url}: {received:,} bytes came instead of {size or 'some'}; {remedy}")
        with part.open("rb") as file:
            if not file.read(len(opening)) == opening:
                raise ArchiveError(f"{url}: what came is not the archive (a web page?); {remedy}")
        part.replace(target)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, StgError):
            raise
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise ArchiveError(f"{url}: cannot be downloaded ({_line(reason)}); {remedy}") from None
    finally:
        part.unlink(missing_ok=True)
    return target


def _size(headers: Mapping[str, str]) -> int | None:
    length = headers.get("Content-Length", "")
    return int(length) if length.isdecimal() else None


def _line(error: Any) -> str:
    return " ".join(str(error).split())
