"""Downloads and compressed files: verified, limited, and never cached when they are not what they should be."""

import bz2
import contextlib
import functools
import http.server
import threading
from pathlib import Path

import pytest

from stg.dataset import archive
from stg.dataset.archive import SPLITS, ArchiveError


@contextlib.contextmanager
def served(folder: Path):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_failed_download_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "site" / archive.ARCHIVE_PATH).parent.mkdir(parents=True)
    (tmp_path / "site" / archive.ARCHIVE_PATH).write_text("<html>a page</html>")
    with served(tmp_path / "site") as source:
        with pytest.raises(ArchiveError, match=r"is not the archive \(a web page\?\)"):
            archive.download_archive(source)
        with pytest.raises(ArchiveError, match="cannot be downloaded"):
            archive.download_lookups(source)
    with pytest.raises(ArchiveError, match="cannot be downloaded .* give --archive and --lookup-dir"):
        archive.download_archive(source)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_login_page_is_not_a_lookup_table(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for split in SPLITS:
        path = tmp_path / "site" / archive.LOOKUP_PATH.format(split=split)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<html>log in</html>")
    with served(tmp_path / "site") as source:
        with pytest.raises(ArchiveError, match="is not the file that we know"):
            archive.download_lookups(source)
        monkeypatch.setattr(archive, "LARGEST_DOWNLOAD", 10)
        with pytest.raises(ArchiveError, match="has more than 10 bytes"):
            archive.download_lookups(source)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_small_archive_cannot_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_FILE", 1000)
    bomb = tmp_path / "games.json.bz2"
    bomb.write_bytes(bz2.compress(b"[" + b" " * 10_000 + b"]"))
    with pytest.raises(ArchiveError, match="has more than 1,000 bytes"):
        archive.read_games_file(bomb)
    monkeypatch.setattr(archive, "MOST_PARTS", 10)
    bomb.write_bytes(bz2.compress(b"[" + b"{}," * 20 + b"{}]"))
    with pytest.raises(ArchiveError, match="more than 10 objects"):
        archive.read_games_file(bomb)
