"""Checks many recaps, on several cores if asked to."""

import gc
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

import torch


T = TypeVar("T")
_work: Callable[[int], Any]  # of a worker process


def in_processes(work: Callable[[int], T], jobs: int, processes: int) -> Iterator[T]:
    """`work(0)`, `work(1)`, ..., in order.

    The processes are forks of this one, so they share its games and its network, and only results are copied. Where
    the system cannot fork, the work is done here.
    """
    if jobs < 2:
        yield from map(work, range(jobs))
        return
    gc.collect()
    gc.freeze()  # else the collector goes through a season's games again and again, and copies them into each process
    try:
        if processes < 2 or "fork" not in multiprocessing.get_all_start_methods():
            yield from map(work, range(jobs))
            return
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(min(processes, jobs), context, _start, (work,)) as pool:
            yield from pool.map(_run, range(jobs))
    finally:
        gc.unfreeze()


def _start(work: Callable[[int], Any]) -> None:
    global _work
    _work = work
    torch.set_num_threads(1)


def _run(job: int) -> Any:
    return _work(job)
