"""Numbers start out in order: 110 beside 111, far from 87.

The value table knows nothing of arithmetic: to it, "110" and "107" are names. Who won and who scored most are
comparisons, and a few hundred games are too few to learn them from names alone. So the rows of numbers begin as smooth
functions of the number, from which training departs where it pays. Only the start differs from the paper's.
"""

from collections.abc import Sequence

import torch


@torch.no_grad()
def order_numbers(table: torch.nn.Embedding, values: Sequence[str], first: int) -> None:
    """Half of a number's row becomes the number itself and waves of it; `values` stand in rows `first` and on."""
    size = table.embedding_dim // 2
    waves = torch.logspace(2.5, 0.7, size // 2)  # wavelengths from about 300 to 5
    for row, value in enumerate(values, first):
        if value.isdigit():
            angle = 2 * torch.pi * int(value) / waves
            smooth = torch.cat([angle.sin(), angle.cos()])
            smooth[0] = int(value) / 50 - 1
            table.weight[row, : len(smooth)] = smooth.to(table.weight)
