"""Reads and downloads the sources of RotoWire-Modified: RotoWire's archive, the lookup tables, further games.

Whatever a user can fix (a wrong path, a truncated download, an HTML page instead of an archive) raises `ArchiveError`
with a one-line message.
"""

import bz2
import gzip
import hashlib
import http.client
import json
import lzma
import os
import tarfile
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tqdm import tqdm

from modeling_stg.errors import StgError
from modeling_stg.schema import WRITERS
from stg.outputs import open_new


SPLITS = ("train", "valid", "test")  # RotoWire's names, numbered 0, 1, 2 in the lookup tables
SOURCE = "https://github.com"
# Revisions, not branches, which move.
ARCHIVE_PATH = "harvardnlp/boxscore-data/raw/1d9c8873b43c90200a285d8e135c19d88c603320/rotowire.tar.bz2"
LOOKUP_PATH = "aistairc/rotowire-modified/raw/9a3b7059940705e844c08acd5387008dc9e1ca85/script/{split}-lookup.txt"
# SHA-256 of the downloads. The archive's is not known to us; its compression has a checksum of its own.
HASHES = {
    "train-lookup.txt": "23622a856dba9fcd2343fb2051219dc75b6f380b3c947ee3f4335b3e7e495e1a",
    "valid-lookup.txt": "c2e8e3f79551a5fb3ab63342552384b20a04056ee584d381d2512b85e2976f02",
    "test-lookup.txt": "f3491727e2f628b6877c84fbeab37cee5b716d224071be8a4d2824f90aad001f",
}
LARGEST_DOWNLOAD = 100_000_000  # bytes; the archive has some 12 million
LARGEST_FILE = 100_000_000  # bytes of JSON, uncompressed; RotoWire's train.json has some 40 million
MOST_PARTS = 1_000_000  # objects and lists of a JSON file; a game has about 30
_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}


class ArchiveError(StgError):
    """A source file is missing, damaged or of the wrong kind."""


@dataclass(frozen=True)
class Lookup:
    """A row of RotoWire-Modified: the game of RotoWire, and the writer of its summary."""

    split: str
    index: int
    writer: int


def read_archive(path: str | Path) -> dict[str, list[Any]]:
    """Reads RotoWire's games by split, from its tar archive or a folder with train.json, valid.json and test.json."""
    path = Path(path)
    if path.is_dir():
        folder = path if (path / "train.json").exists() else path / "rotowire"
        return {split: read_games_file(folder / f"{split}.json") for split in SPLITS}
    games: dict[str, list[Any]] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                split = Path(member.name).name.removesuffix(".json")
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None and split in SPLITS and member.name.endswith(".json"):
                    games[split] = _read_games(file, f"{path}: {member.name}")
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such archive; check --archive, or leave it out to download it") from None
    except (tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError, zlib.error, RecursionError) as error:
        if isinstance(error, StgError):
            raise
        raise ArchiveError(f"{path}: cannot be read to its end ({_one_line(error)}); is it truncated?") from None
    for split in SPLITS:
        if split not in games:
            raise ArchiveError(f"{path}: has no {split}.json; RotoWire's archive has rotowire/{split}.json")
    return games


def read_games_file(path: str | Path) -> list[Any]:
    """Reads the list of games in a JSON file, which may be compressed (.xz, .bz2, .gz)."""
    path = Path(path)
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            return _read_games(file, str(path))
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; check the path") from None
    except (EOFError, OSError, ValueError, lzma.LZMAError, zlib.error, RecursionError) as error:
        if isinstance(error, StgError):
            raise
        raise ArchiveError(f"{path}: cannot be read to its end ({_one_line(error)}); is it truncated?") from None


def _read_games(file: IO[bytes], place: str) -> list[Any]:
    """Reads a JSON list. What a few compressed bytes can grow to is limited: in bytes, and in memory when parsed."""
    content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ArchiveError(f"{place}: has more than {LARGEST_FILE:,} bytes; is it a RotoWire file?")
    if content.count(b"{") + content.count(b"[") > MOST_PARTS:
        raise ArchiveError(f"{place}: has more than {MOST_PARTS:,} objects and lists; is it a RotoWire file?")
    data = json.loads(content.decode("utf-8"))
    if not isinstance(data, list):
        raise ArchiveError(f"{place}: is not a list of games; is it a RotoWire file?")
    return data


def read_lookups(folder: str | Path) -> dict[str, tuple[Lookup, ...]]:
    """Reads RotoWire-Modified's rows by split, in the order of the lookup tables."""
    return {split: tuple(_read_lookup(Path(folder) / f"{split}-lookup.txt")) for split in SPLITS}


def _read_lookup(path: Path) -> Iterator[Lookup]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; check --lookup-dir, or leave it out to download it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{path}: cannot be read ({_one_line(error)})") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != 3 or not all(field.isascii() and field.isdecimal() and len(field) < 9 for field in fields):
            raise ArchiveError(f"{path}:{number}: {line[:60]!r} is not `split,index,writer`; is it a lookup table?")
        split, index, writer = map(int, fields)
        if split >= len(SPLITS):
            raise ArchiveError(f"{path}:{number}: split {split} is not 0 (train), 1 (valid) or 2 (test)")
        if writer >= len(WRITERS):
            raise ArchiveError(f"{path}:{number}: writer {writer} is not one of 0 to {len(WRITERS) - 1}")
        yield Lookup(SPLITS[split], index, writer)


def download_archive(source: str = SOURCE) -> Path:
    """Downloads RotoWire's archive once into the user's cache."""
    return _download(f"{source}/{ARCHIVE_PATH}", _cache() / "rotowire.tar.bz2", magic=b"BZh")


def download_lookups(source: str = SOURCE) -> Path:
    """Downloads the lookup tables once into the user's cache, and returns their folder."""
    for split in SPLITS:
        _download(f"{source}/{LOOKUP_PATH.format(split=split)}", _cache() / f"{split}-lookup.txt")
    return _cache()


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "stg-data-to-text"


def _download(url: str, target: Path, magic: bytes = b"") -> Path:
    """Downloads `url` to `target` atomically, unless it exists; the file must begin with `magic`."""
    if target.is_file() and _is_known(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    remedy = "try again, or download it by hand and give --archive and --lookup-dir"
    try:
        with urllib.request.urlopen(url, timeout=60) as response, open_new(part) as file:
            size = _size(response.headers)
            with tqdm(total=size, unit="B", unit_scale=True, desc=target.name) as progress:
                while block := response.read(1 << 16):
                    progress.update(len(block))
                    if progress.n > LARGEST_DOWNLOAD:
                        raise ArchiveError(f"{url}: has more than {LARGEST_DOWNLOAD:,} bytes; {remedy}")
                    file.write(block)
        received = part.stat().st_size
        if received == 0 or size not in (None, received):
            raise ArchiveError(f"{url}: received {received:,} bytes instead of {size or 'some'}; {remedy}")
        with part.open("rb") as file:
            if file.read(len(magic)) != magic:
                raise ArchiveError(f"{url}: is not the archive (a web page?); {remedy}")
        if not _is_known(part, target.name):
            raise ArchiveError(f"{url}: is not the file that we know (SHA-256; a web page?); {remedy}")
        part.replace(target)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if isinstance(error, StgError):
            raise
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise ArchiveError(f"{url}: cannot be downloaded ({_one_line(reason)}); {remedy}") from None
    finally:
        part.unlink(missing_ok=True)
    return target


def _is_known(path: Path, name: str | None = None) -> bool:
    """Whether a download has the known hash; true for files whose hash is not known."""
    expected = HASHES.get(name or path.name)
    return expected is None or hashlib.sha256(path.read_bytes()).hexdigest() == expected


def _size(headers: Mapping[str, str]) -> int | None:
    length = headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else None


def _one_line(error: Any) -> str:
    return " ".join(str(error).split())
