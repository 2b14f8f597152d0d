"""Numbers start out in order: 110 beside 111, far from 87.

The value table knows nothing of arithmetic: to it, "110" and "107" are names. Who won and who scored most are
comparisons, and a few hundred games are too few to learn them from names alone. So the rows of numbers begin as smooth
functions of the number, from which training departs where it pays. Only the start differs from the paper's.
"""

from collections.abc import Sequence

import torch


@torch.no_grad()
def order_numbers(table: torch.nn.Embedding, values: Sequence[str], first: int) -> None:
    """Each element of a number's row asks softly whether it exceeds a limit; `values` stand in rows `first` and on."""
    limits = torch.logspace(-0.3, 2.2, table.embedding_dim)  # 0.5 to 158: close together where small numbers are
    length = 2 / table.embedding_dim**0.5  # twice a common row's: longer ones saturate the records
    for row, value in enumerate(values, first):
        if value.isdigit():
            table.weight[row] = length * torch.tanh(3 * (int(value) - limits) / (limits + 2)).to(table.weight)
