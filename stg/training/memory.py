"""What malloc does with memory that is given back: a training step asks for the same gigabyte again and again."""

import ctypes
import platform


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # as malloc.h numbers them


def keep_memory() -> None:
    """Large blocks go back to this process instead of to the system, which charges a page fault for every 4 KB of a
    new one. Nothing happens where malloc is not glibc's."""
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(MMAP_THRESHOLD, 2**30)
        libc.mallopt(TRIM_THRESHOLD, 2**31 - 1)
