"""Products of a few rows with the same weight again and again, which is what decoding spends its time on.

For two to a hundred rows a CPU takes as long to lay a weight out for its product as for the product itself. MKL can do
that once, for a fixed number of rows; fewer are filled up to it. A single row needs no such layout.
"""

import torch
from torch import nn


FEWEST = 8


def filled_up(rows: int) -> int:
    """The number of rows that a weight is laid out for: at most a third more than there are, or FEWEST."""
    step = max(FEWEST, 2 ** (rows.bit_length() - 3))
    return -(-rows // step) * step


class Product:
    """x [R, K] -> x W^T + b, [R, N].

    `least`: rows that the weight is laid out for at least. Where their number changes from call to call, one layout
    for all of them stays in the cache, and several would not.
    """

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None, least: int = 1):
        self.weight, self.bias, self.least = weight.contiguous(), bias, least
        self.can_pack = weight.is_cpu and weight.dtype == torch.float32 and torch.backends.mkl.is_available()
        self.packed: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        rows, least = x.shape[0], max(x.shape[0], self.least)
        if least == 1 or not self.can_pack:
            return nn.functional.linear(x, self.weight, self.bias)
        size = filled_up(least)
        packed, room = self.packed.get(size) or self._pack(size)
        if size > rows:
            room[:rows] = x
            x = room
        product = torch.ops.mkl._mkl_linear(x, packed, self.weight, self.bias, size)
        return product[:rows] if size > rows else product

    def _pack(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        packed = torch.ops.mkl._mkl_reorder_linear_weight(self.weight, size)
        self.packed[size] = packed, self.weight.new_zeros(size, self.weight.shape[1])
        return self.packed[size]
