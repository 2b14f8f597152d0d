"""The language model one token at a time, for the documents that are being written.

Everything is [features, rows]: `weight @ [features, rows]` is a CPU's fastest product for one row and for many. y, h'
and the h of all layers lie in one buffer, one below the other, so that what a layer reads (y, h' and its own h, or the
h of the layer below and its own) is a slice of it, and nothing is ever copied together.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from .language_stg import in_blocks


MANY = 16  # rows from which on a product is taken in blocks of the weight's rows, which keeps all cores busy


def product(weight: torch.Tensor, x: torch.Tensor, bias: torch.Tensor, out: torch.Tensor) -> Callable:
    """What leaves weight @ x + bias [N, 1] in `out` [N, R] whenever it is called, with every view cut beforehand."""
    if x.shape[1] < MANY:
        return partial(torch.addmm, bias, weight, x, out=out)
    blocks = in_blocks(weight)
    return partial(torch.baddbmm, in_blocks(bias), blocks, x.expand(len(blocks), -1, -1), out=in_blocks(out))


class LanguageSteps:
    def __init__(self, model: nn.Module, h_lm: torch.Tensor, c_lm: torch.Tensor):
        """h_lm and c_lm [L, R, H]: the state that the rows start from."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.words, self.layers = model.words.weight, model.language.layers
        self.output, self.output_bias = model.output.weight, model.output.bias[:, None]
        inputs = h_lm.new_zeros(self.size + self.context_size, h_lm.shape[1])
        self._hold(torch.cat([inputs, *h_lm.transpose(1, 2)]), c_lm.transpose(1, 2).contiguous())

    def _hold(self, state: torch.Tensor, cells: torch.Tensor) -> None:
        """state [D + C + L * H, R], cells [L, H, R]; cuts the views that a step needs, once for as long as R stays."""
        self.state, self.cells = state, cells
        hidden, inputs, rows = self.hidden, self.size + self.context_size, state.shape[1]
        self.y, self.context, self.h_lm = state[: self.size], state[self.size : inputs], state[-hidden:]
        self.scores = state.new_empty(len(self.output), rows)
        self.score = product(self.output, self.context, self.output_bias, self.scores)
        self.shown = state.new_empty(hidden, rows)
        gates = state.new_empty(4 * hidden, rows)
        self.squashed, self.new = gates[: 3 * hidden], gates[3 * hidden :]
        self.out, self.enter, self.forget = self.squashed.split(hidden)
        self.steps = []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            stop = inputs + (number + 1) * hidden
            reads = state[stop - layer.weight.shape[1] : stop]
            fill_gates = product(layer.weight, reads, layer.bias[:, None], gates)
            self.steps.append((fill_gates, state[stop - hidden : stop], cell))

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], over a memory that has the vocabulary first; good until the next call."""
        self.score()
        return self.scores.t()

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        self.y.copy_(self.words.index_select(0, words).t())
        for fill_gates, h, cell in self.steps:
            fill_gates()
            self.squashed.sigmoid_()
            self.new.tanh_()
            cell.mul_(self.forget).addcmul_(self.enter, self.new)
            torch.mul(self.out, torch.tanh(cell, out=self.shown), out=h)

    def keep(self, rows: torch.Tensor) -> None:
        self._hold(self.state[:, rows], self.cells[:, :, rows])
