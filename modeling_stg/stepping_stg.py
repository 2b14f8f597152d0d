"""The language model one token at a time, for the documents that are being written.

Everything is [features, rows]: `weight @ [features, rows]` is a CPU's fastest product for one row and for many. y, h'
and the h of all layers lie in one buffer, one below the other, so that what a layer reads (y, h' and its own h, or the
h of the layer below and its own) is a slice of it, and nothing is ever copied together.
"""

import torch
from torch import nn


class LanguageSteps:
    def __init__(self, model: nn.Module, h_lm: torch.Tensor, c_lm: torch.Tensor):
        """h_lm and c_lm [L, R, H]: the state that the rows start from."""
        config = model.config
        self.size, self.context_size, self.hidden = config.embedding_size, config.context_size, config.hidden_size
        self.words, self.output, self.output_bias = model.words.weight, model.output.weight, model.output.bias[:, None]
        self.weights = [(layer.weight, layer.bias[:, None]) for layer in model.language.layers]
        inputs = h_lm.new_zeros(self.size + self.context_size, h_lm.shape[1])
        self._hold(torch.cat([inputs, *h_lm.transpose(1, 2)]), c_lm.transpose(1, 2).contiguous())

    def _hold(self, state: torch.Tensor, cells: torch.Tensor) -> None:
        """state [D + C + L * H, R], cells [L, H, R]; cuts the views that a step needs, once for as long as R stays."""
        self.state, self.cells = state, cells
        hidden, inputs, rows = self.hidden, self.size + self.context_size, state.shape[1]
        self.y, self.context, self.h_lm = state[: self.size], state[self.size : inputs], state[-hidden:]
        self.scores = state.new_empty(len(self.output), rows)
        self.shown = state.new_empty(hidden, rows)
        self.gates = state.new_empty(4 * hidden, rows)
        self.squashed, self.new = self.gates[: 3 * hidden], self.gates[3 * hidden :]
        self.out, self.enter, self.forget = self.squashed.split(hidden)
        stops = [inputs + layer * hidden for layer in range(1, len(cells) + 1)]
        self.reads = [state[stop - 2 * hidden if layer else 0 : stop] for layer, stop in enumerate(stops)]
        self.h = [state[stop - hidden : stop] for stop in stops]

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], over a memory that has the vocabulary first; good until the next call."""
        return torch.addmm(self.output_bias, self.output, self.context, out=self.scores).t()

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        self.y.copy_(self.words[words].t())
        for (weight, bias), reads, h, cell in zip(self.weights, self.reads, self.h, self.cells, strict=True):
            torch.addmm(bias, weight, reads, out=self.gates)
            self.squashed.sigmoid_()
            self.new.tanh_()
            cell.mul_(self.forget).addcmul_(self.enter, self.new)
            torch.tanh(cell, out=self.shown)
            torch.mul(self.out, self.shown, out=h)

    def keep(self, rows: torch.Tensor) -> None:
        self._hold(self.state[:, rows], self.cells[:, :, rows])
