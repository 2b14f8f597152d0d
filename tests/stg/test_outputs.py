"""Files are written whole or not at all, by one run at a time, and never through a planted link."""

import os
import subprocess
import sys

import pytest

from modeling_stg.errors import StgError
from stg.outputs import FileError, replacing, sole_writer, write_atomically


def test_planted_links_are_not_followed(tmp_path):
    victim, output = tmp_path / "victim", tmp_path / "out.txt"
    victim.write_text("keep me")
    (tmp_path / f"out.txt.{os.getpid()}.tmp").symlink_to(victim)
    write_atomically(output, "new")
    assert (victim.read_text(), output.read_text()) == ("keep me", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.txt", "victim"]


def test_a_link_at_the_output_keeps_being_one(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink() and real.read_text() == "new"


def test_a_full_disk_names_the_file_and_keeps_the_old_one(tmp_path):
    output = tmp_path / "out.txt"
    output.write_text("old")
    code = f"""
import resource, signal
from stg.outputs import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
write_atomically({str(output)!r}, "x" * 10000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"FileError: {output}: cannot be written (File too large)" in done.stderr
    assert output.read_text() == "old" and list(tmp_path.iterdir()) == [output]


def test_a_failure_while_writing_keeps_the_old_file(tmp_path):
    output = tmp_path / "out.txt"
    output.write_text("old")
    with pytest.raises(FileError, match=r"out\.txt: cannot be written \(gone\)"):
        with replacing(output) as stream:
            stream.write(b"half")
            raise OSError("gone")
    assert output.read_text() == "old" and list(tmp_path.iterdir()) == [output]


def test_a_second_writer_is_refused_until_the_first_ends(tmp_path):
    with sole_writer(tmp_path):
        with pytest.raises(StgError, match="another run is writing it"):
            with sole_writer(tmp_path):
                pass
    with sole_writer(tmp_path):
        pass
