"""Reuses large buffers between batches: on a CPU, fresh memory costs a page fault for every 4 KB."""

import math
import weakref

import torch


class Loan:
    """An uninitialised tensor; when this object is freed, the next loan may get its memory.

    Only for tensors that never leave the borrower. Keeps one unused buffer per purpose, dtype and device.
    """

    unused: dict[tuple, torch.Tensor] = {}

    def __init__(self, purpose: str, like: torch.Tensor, *shape: int):
        key, size = (purpose, like.dtype, like.device), math.prod(shape)
        memory = self.unused.pop(key, None)
        if memory is None or len(memory) < size:
            with torch.inference_mode(False):  # a buffer allocated by evaluation must be usable in training
                memory = torch.empty(size, dtype=like.dtype, device=like.device)
        self.tensor = memory[:size].view(shape)
        weakref.finalize(self, self.unused.__setitem__, key, memory)
