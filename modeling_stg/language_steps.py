"""The language model one token at a time, for the documents that are being written.

Everything is [rows, features], but gates and cells stay in the blocks that a `Product` is made of: [blocks, rows,
width]. y, h' and the h of all layers lie in one buffer, side by side, so that what a layer reads (y, h' and its own h,
or the h of the layer below and its own) is a slice of it.
"""

import torch
from torch import nn

from .kernels import WIDTH, Product, lstm


NARROW = 16  # blocks below this are slower than a single one


class LanguageSteps:
    def __init__(self, model: nn.Module, h_lm: torch.Tensor, c_lm: torch.Tensor):
        """h_lm and c_lm [L, R, H]: the state that the rows start from."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.words = model.words.weight
        # of a block: the widest that divides a gate, so that none has parts of two
        widest = max(width for width in range(1, WIDTH + 1) if self.hidden % width == 0)
        self.width = widest if widest >= NARROW else self.hidden
        self.layers = [Product(layer.weight, layer.bias, self.width) for layer in model.language.layers]
        self.output = Product(model.output.weight, model.output.bias)
        inputs = h_lm.new_zeros(h_lm.shape[1], self.size + self.context_size)
        self._hold(torch.cat([inputs, *h_lm], dim=1), self._in_blocks(c_lm).contiguous())

    def _in_blocks(self, tensor: torch.Tensor) -> torch.Tensor:
        """[..., R, H] -> [..., blocks, R, width]."""
        return tensor.unflatten(-1, (-1, self.width)).transpose(-3, -2)

    def _hold(self, state: torch.Tensor, cells: torch.Tensor) -> None:
        """state [R, D + C + L * H], cells [L, blocks, R, width]; makes what steps need for as long as R stays."""
        self.state, self.cells = state, cells
        hidden, inputs = self.hidden, self.size + self.context_size
        self.y, self.context, self.h_lm = state[:, : self.size], state[:, self.size : inputs], state[:, -hidden:]
        gates, self.steps = cells.new_empty(4, *cells.shape[1:]), []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            stop = inputs + (number + 1) * hidden
            reads, h = state[:, stop - layer.inputs : stop], self._in_blocks(state[:, stop - hidden : stop])
            self.steps.append(lstm(layer, reads, gates, cell, h))
        # the scores' own memory: to ask the system for so much at every step takes longer than to fill it
        self.scores = state.new_empty(len(state), self.output.bias.numel())

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], until they are asked for again."""
        return self.output(self.context, out=self.scores)

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        self.y.copy_(self.words.index_select(0, words))
        for step in self.steps:
            step()

    def keep(self, rows: torch.Tensor) -> None:
        state, cells = self.state[rows], self.cells[:, :, rows]
        if len(state) != len(self.state):
            self._hold(state, cells)
        else:  # beams in another order: what was made for their number still does
            self.state.copy_(state)
            self.cells.copy_(cells)
