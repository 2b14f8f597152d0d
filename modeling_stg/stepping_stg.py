"""The language model one token at a time, for the documents that are being written.

Everything is [rows, features]. y, h' and the h of all layers lie in one buffer, side by side, so that what a layer
reads (y, h' and its own h, or the h of the layer below and its own) is a slice of it.
"""

import torch
from torch import nn

from .products_stg import Product


class LanguageSteps:
    def __init__(self, model: nn.Module, h_lm: torch.Tensor, c_lm: torch.Tensor):
        """h_lm and c_lm [L, R, H]: the state that the rows start from."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.words = model.words.weight
        self.layers = [Product(layer.weight, layer.bias) for layer in model.language.layers]
        self.output = Product(model.output.weight, model.output.bias)
        inputs = h_lm.new_zeros(h_lm.shape[1], self.size + self.context_size)
        self._hold(torch.cat([inputs, *h_lm], dim=1), c_lm)

    def _hold(self, state: torch.Tensor, cells: torch.Tensor) -> None:
        """state [R, D + C + L * H], cells [L, R, H]; cuts the views that a step needs, once for as long as R stays."""
        self.state, self.cells = state, cells
        hidden, inputs = self.hidden, self.size + self.context_size
        self.y, self.context, self.h_lm = state[:, : self.size], state[:, self.size : inputs], state[:, -hidden:]
        self.steps = []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            stop = inputs + (number + 1) * hidden
            reads = state[:, stop - layer.weight.shape[1] : stop]
            self.steps.append((layer, reads, state[:, stop - hidden : stop], cell))

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V]."""
        return self.output(self.context)

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        self.y.copy_(self.words.index_select(0, words))
        for layer, reads, h, cell in self.steps:
            gates = layer(reads)
            gates[:, : 3 * self.hidden].sigmoid_()
            out, enter, forget, new = gates.view(-1, 4, self.hidden).unbind(1)
            cell.mul_(forget).addcmul_(enter, new.tanh_())
            torch.mul(out, cell.tanh(), out=h)

    def keep(self, rows: torch.Tensor) -> None:
        self._hold(self.state[rows], self.cells[:, rows])
