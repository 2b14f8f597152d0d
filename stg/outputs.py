"""Files that no kill, full disk, second run or planted link can spoil: written whole, renamed into place, locked."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from modeling_stg.errors import StgError


try:
    import fcntl
except ImportError:  # Windows: two runs on one output are not told apart
    fcntl = None  # type: ignore[assignment]


class FileError(StgError):
    """A file that cannot be written; what was there before is whole."""


@contextlib.contextmanager
def named_errors(path: str | Path) -> Iterator[None]:
    """Turns an OSError into an error that names the file: a full disk's does not."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise FileError(f"{path}: cannot be written ({reason}); what was there before is whole") from None


def open_new(path: Path) -> BinaryIO:
    """Opens a new file in place of any of that name; a symbolic link planted there is removed, not followed."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content replaces `path` when the block ends; if it fails, the old file stays as it was."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with named_errors(path):
        try:
            with open_new(draft) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())  # otherwise the name may reach the disk before the content
            os.replace(draft, path)
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)


def write_atomically(path: str | Path, text: str) -> None:
    """Writes a complete file or none. Follows a symbolic link at `path`; writes to devices and pipes directly."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with named_errors(path):
            target.write_text(text, encoding="utf-8", newline="")
        return
    with replacing(target) as stream:
        stream.write(text.encode("utf-8"))


@contextlib.contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Holds a folder or an existing file for this process; raises if another one does. A kill releases it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StgError(
                    f"{path}: another run is writing it; wait until that has ended, or name another output"
                ) from None
        yield
    finally:
        os.close(descriptor)
