"""Initialises the embeddings of numbers in order: 110 next to 111, far from 87.

To an embedding table "110" and "107" are unrelated symbols. Who won and who scored most are comparisons, which a few
hundred games are too few to learn from symbols. So each row starts as a smooth function of its number; training can
depart from it. Only the initialisation differs from the paper's.
"""

from collections.abc import Sequence

import torch


@torch.no_grad()
def order_numbers(table: torch.nn.Embedding, values: Sequence[str], first: int) -> None:
    """Element i of a number's row is a soft "exceeds limit i". `values` are the rows from `first` on."""
    limits = torch.logspace(-0.3, 2.2, table.embedding_dim)  # 0.5 to 158, denser for small numbers
    scale = 2 / table.embedding_dim**0.5  # twice the usual norm; more would saturate the records
    for row, value in enumerate(values, first):
        if value.isdigit():
            table.weight[row] = scale * torch.tanh(3 * (int(value) - limits) / (limits + 2)).to(table.weight)
