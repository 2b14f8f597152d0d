"""malloc settings: every training step allocates and frees the same gigabyte."""

import ctypes
import platform


TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of malloc.h


def keep_freed_memory() -> None:
    """Makes glibc keep freed blocks instead of returning them to the system, which costs a page fault per 4 KB.

    Does nothing with another C library.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(MMAP_THRESHOLD, 2**30)
        libc.mallopt(TRIM_THRESHOLD, 2**31 - 1)
