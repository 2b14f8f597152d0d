"""The machine's matmul peak, measured in the same run as what is compared with it."""

import time

import torch


SIZE = 2048


def clock() -> float:
    """Seconds; with one thread, CPU time of this process, which other programs do not affect."""
    return time.process_time() if torch.get_num_threads() == 1 else time.perf_counter()


def matmul_peak(repeats: int = 5) -> float:
    """Floating-point operations per second: the best of several large products."""
    left, right = torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE)
    best = float("inf")
    for _ in range(repeats):
        started = clock()
        left @ right
        best = min(best, clock() - started)
    return 2 * SIZE**3 / best
