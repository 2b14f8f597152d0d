"""The machine's own matrix-product peak, measured in the same run as whatever is compared with it."""

import time

import torch


SIZE = 2048


def matmul_peak(repeats: int = 5) -> float:
    """Floating-point operations per second of the best of several large products."""
    left, right = torch.randn(SIZE, SIZE), torch.randn(SIZE, SIZE)
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - started)
    return 2 * SIZE**3 / best
