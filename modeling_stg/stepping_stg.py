"""The language model one token at a time, for the documents that are being written.

Everything is [rows, features], but gates and cells stay in the blocks that a `Product` is made of: [blocks, rows,
width]. y, h' and the h of all layers lie in one buffer, side by side, so that what a layer reads (y, h' and its own h,
or the h of the layer below and its own) is a slice of it. W_Y reads h' and a 1, which takes the place of its bias.
"""

import torch
from torch import nn

from .products_stg import WIDTHS, Product


NARROW = 16  # blocks below this are slower than a single one


class LanguageSteps:
    def __init__(self, model: nn.Module, h_lm: torch.Tensor, c_lm: torch.Tensor, turned: bool):
        """h_lm and c_lm [L, R, H]: the state that the rows start from; `turned`: of the layers' weights."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.words = model.words.weight
        # of a block: the widest that divides a gate, so that none has parts of two
        widest = max(width for width in range(1, WIDTHS[turned] + 1) if self.hidden % width == 0)
        self.width = widest if widest >= NARROW else self.hidden
        self.layers = [Product(layer.weight, layer.bias, self.width, turned) for layer in model.language.layers]
        self.output = torch.cat([model.output.weight.t(), model.output.bias[None]])  # [C + 1, V]
        inputs = h_lm.new_zeros(h_lm.shape[1], self.size + self.context_size)
        context_and_one = h_lm.new_ones(h_lm.shape[1], self.context_size + 1)
        self._hold(torch.cat([inputs, *h_lm], dim=1), self._in_blocks(c_lm).contiguous(), context_and_one)

    def _in_blocks(self, tensor: torch.Tensor) -> torch.Tensor:
        """[..., R, H] -> [..., blocks, R, width]."""
        return tensor.unflatten(-1, (-1, self.width)).transpose(-3, -2)

    def _hold(self, state: torch.Tensor, cells: torch.Tensor, context_and_one: torch.Tensor) -> None:
        """state [R, D + C + L * H], cells [L, blocks, R, width], context_and_one [R, C + 1]; makes what steps need for
        as long as R stays."""
        self.state, self.cells, self.context_and_one = state, cells, context_and_one
        self.context = context_and_one[:, :-1]  # h'_t until `write` reads it
        hidden, inputs = self.hidden, self.size + self.context_size
        self.y, self.read_context, self.h_lm = state[:, : self.size], state[:, self.size : inputs], state[:, -hidden:]
        gates = cells.new_empty(4, *cells.shape[1:])
        views = gates.flatten(0, 1), gates[:3], *gates, torch.empty_like(cells[0])
        self.steps = []
        for number, (layer, cell) in enumerate(zip(self.layers, cells, strict=True)):
            stop = inputs + (number + 1) * hidden
            reads = layer.for_blocks(state[:, stop - layer.inputs : stop])
            h = self._in_blocks(state[:, stop - hidden : stop])
            self.steps.append((layer.bias, layer.weight, reads, *views, cell, h))
        # the scores' own memory: to ask the system for so much at every step takes longer than to fill it
        self.scores = state.new_empty(len(state), self.output.shape[1])

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], until they are asked for again."""
        return torch.mm(self.context_and_one, self.output, out=self.scores)

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        self.y.copy_(self.words.index_select(0, words))
        self.read_context.copy_(self.context)
        for bias, weight, reads, gates, squash, out, enter, forget, new, shown, cell, h in self.steps:
            torch.baddbmm(bias, reads, weight, out=gates)
            squash.sigmoid_()
            cell.mul_(forget).addcmul_(enter, new.tanh_())
            torch.mul(out, torch.tanh(cell, out=shown), out=h)

    def keep(self, rows: torch.Tensor) -> None:
        state, cells, context_and_one = self.state[rows], self.cells[:, :, rows], self.context_and_one[rows]
        if len(state) != len(self.state):
            self._hold(state, cells, context_and_one)
        else:  # beams in another order: what was made for their number still does
            self.state.copy_(state)
            self.cells.copy_(cells)
            self.context_and_one.copy_(context_and_one)
