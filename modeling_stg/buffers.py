"""Large buffers that are used again: on a CPU, fresh memory costs a page fault for every 4 KB, batch after batch."""

import math
import weakref

import torch


class Loan:
    """A tensor of any content, until this object is gone: then the next loan may have its memory.

    Only for what never leaves its borrower. One unused buffer is kept for each purpose, dtype and device.
    """

    unused: dict[tuple, torch.Tensor] = {}

    def __init__(self, purpose: str, like: torch.Tensor, *shape: int):
        key, size = (purpose, like.dtype, like.device), math.prod(shape)
        memory = self.unused.pop(key, None)
        if memory is None or len(memory) < size:
            with torch.inference_mode(False):  # what dev allocates must do for training
                memory = torch.empty(size, dtype=like.dtype, device=like.device)
        self.tensor = memory[:size].view(shape)
        weakref.finalize(self, self.unused.__setitem__, key, memory)
