"""The language model one token at a time.

Tensors are [rows, features], but gates and cells stay in the blocks of a `Product`: [blocks, rows, width]. y, h' and
the h of all layers are adjacent in one buffer, so that the input of a layer (y, h' and its own h, or the h of the
layer below and its own) is a slice of it.
"""

import copy
from typing import Any

import torch

from .kernels import WIDTH, Product, lstm


MIN_WIDTH = 16  # narrower blocks are slower than a single one


class LmDecoder:
    """The state and the steps of the language model for R rows."""

    def __init__(self, model: Any, h_lm: torch.Tensor, c_lm: torch.Tensor):
        """Starts from the state h_lm and c_lm [L, R, H]."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.embeddings, self.reads = model.words.weight, model.language.from_lm.weight
        # the widest blocks that divide a gate, so that none spans two
        widest = max(width for width in range(1, WIDTH + 1) if self.hidden % width == 0)
        self.width = widest if widest >= MIN_WIDTH else self.hidden
        self.layers = [Product(layer.weight, layer.bias, self.width) for layer in model.language.layers]
        self.output = Product(model.output.weight, model.output.bias)
        inputs = h_lm.new_zeros(h_lm.shape[1], self.size + self.context_size)
        self._set_state(torch.cat([inputs, *h_lm], dim=1), self._in_blocks(c_lm).contiguous())

    def _in_blocks(self, tensor: torch.Tensor) -> torch.Tensor:
        """Splits units into blocks: [..., R, H] -> [..., blocks, R, width]."""
        return tensor.unflatten(-1, (-1, self.width)).transpose(-3, -2)

    def _set_state(self, state: torch.Tensor, cells: torch.Tensor) -> None:
        """Sets state [R, D + C + L * H] and cells [L, blocks, R, width], and allocates what steps need for this R."""
        self.state, self.cells = state, cells
        hidden, inputs = self.hidden, self.size + self.context_size
        self.y, self.context, self.h_lm = state[:, : self.size], state[:, self.size : inputs], state[:, -hidden:]
        gates, self.steps = cells.new_empty(4, *cells.shape[1:]), []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            stop = inputs + (number + 1) * hidden
            reads, h = state[:, stop - layer.inputs : stop], self._in_blocks(state[:, stop - hidden : stop])
            self.steps.append(lstm(layer, reads, gates, cell, h))
        # allocating the scores at every step takes longer than filling them
        self.scores = state.new_empty(len(state), self.output.bias.numel())

    def set_context(self, by_lm: torch.Tensor, by_ent: torch.Tensor, rows: torch.Tensor | None = None) -> torch.Tensor:
        """Sets h' of all rows or of `rows` [K]; returns the logits of Z and N, and h' before its tanh, [K, 2 + C]."""
        sums = by_lm + by_ent
        if rows is None:
            torch.tanh(sums[:, 2:], out=self.context)
        else:
            self.context.index_copy_(0, rows, sums[:, 2:].tanh())
        return sums

    def word_logits(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], valid until the next call."""
        return self.output(self.context, out=self.scores)

    def feed(self, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R], values as words too) and h'_t."""
        self.y.copy_(self.embeddings.index_select(0, words))
        for step in self.steps:
            step()

    def keep(self, rows: torch.Tensor) -> None:
        state, cells = self.state[rows], self.cells[:, :, rows]
        if len(state) != len(self.state):
            self._set_state(state, cells)
        else:  # reordered beams: the buffers still fit
            self.state.copy_(state)
            self.cells.copy_(cells)

    def lend(self) -> "LmDecoder":
        """A decoder of the same rows that may give rows back by `take_rows`; call `keep` before it writes."""
        return copy.copy(self)

    def take_rows(self, other: "LmDecoder", rows: torch.Tensor, into: torch.Tensor) -> None:
        """Copies `rows` of another decoder to the rows `into`."""
        self.state.index_copy_(0, into, other.state.index_select(0, rows))
        self.cells.index_copy_(2, into, other.cells.index_select(2, rows))
