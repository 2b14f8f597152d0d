"""What decoding computes at every step, each by C (`stg.native`) where that was compiled, by torch elsewhere.

A step multiplies a few rows with the same weights as the step before. One large product of torch's leaves cores idle
then, or waiting for weights; a batch of products, one for each block of the weight's outputs, does better, and C that
fetches the next block while it works on this one twice as well again (README, "The model").
"""

from collections.abc import Callable

import torch
from torch import nn


try:
    from stg import native
except ImportError:  # no compiler, another processor, or a model from the Hub without the project
    native = None
if native is not None and native.VERSION != 1:  # the project's is another than this file was written for
    native = None

WIDTH = 32  # outputs of a block


def is_native(tensor: torch.Tensor) -> bool:
    return native is not None and tensor.is_cpu and tensor.dtype == torch.float32


class Product:
    """x [R, K] -> x W^T + b, [R, N]; W [N, K] may be any view. No gradient passes.

    The weight is copied into blocks, [K, width] in one piece: that takes no longer than a product or two of 32 rows.
    """

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None, width: int = WIDTH):
        self.outputs, self.inputs = weight.shape
        bias = weight.new_zeros(self.outputs) if bias is None else bias
        missing = -self.outputs % width
        if missing:
            weight, bias = nn.functional.pad(weight, (0, 0, 0, missing)), nn.functional.pad(bias, (0, missing))
        self.weight = weight.unflatten(0, (-1, width)).transpose(1, 2).contiguous()  # [blocks, K, width]
        self.bias = bias.contiguous().view(-1, 1, width)
        self.native = is_native(weight) and width == native.WIDTH

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """`out` [R, blocks * width], if given, is what is filled."""
        blocks, _, width = self.weight.shape
        if out is None:
            out = x.new_empty(len(x), blocks * width)
        if self.native and x.dtype == torch.float32:
            native.product(x, self.weight, self.bias, out)
        else:
            by_block = torch.baddbmm(self.bias, self.for_blocks(x), self.weight)
            out.unflatten(1, (blocks, width)).copy_(by_block.transpose(0, 1))
        return out[:, : self.outputs]

    def for_blocks(self, x: torch.Tensor) -> torch.Tensor:
        """What every block reads, without a copy: [blocks, R, K]."""
        return x.expand(len(self.weight), -1, -1)


def lstm(layer: Product, reads, gates, cells, h) -> Callable[[], None]:
    """What moves a layer's cells [units, R, width] and h (the same, a view of [R, H]) on, again and again.

    By what it `reads` then, [R, K], its own h included. gates [4, units, R, width] are scratch: output, input, forget,
    new.
    """
    if layer.native:
        return native.lstm(reads, layer.weight, layer.bias, gates, cells, h)
    reads, by_block, squash, shown = layer.for_blocks(reads), gates.flatten(0, 1), gates[:3], torch.empty_like(cells)
    out, enter, forget, new = gates

    def step() -> None:
        torch.baddbmm(layer.bias, reads, layer.weight, out=by_block)
        squash.sigmoid_()
        cells.mul_(forget).addcmul_(enter, new.tanh_())
        torch.mul(out, torch.tanh(cells, out=shown), out=h)

    return step


class Gru:
    """A GRU cell, in its two halves: what it reads, and what it recalls of its own h."""

    def __init__(self, cell: nn.GRUCell):
        self.read, self.recall = Product(cell.weight_ih, cell.bias_ih), Product(cell.weight_hh, cell.bias_hh)
        self.native = self.read.native and cell.hidden_size % WIDTH == 0

    def __call__(self, x: torch.Tensor, h: torch.Tensor, rows: torch.Tensor, stays=None) -> torch.Tensor:
        """The next h [K, H] of `rows` [K] of h [R, H], which read x [K, I]; those that stay [K] keep theirs."""
        if self.native and x.dtype == torch.float32:
            weights = ((half.weight, half.bias) for half in (self.read, self.recall))
            return native.gru(x, *weights, h, rows, stays)
        before = h.index_select(0, rows)
        if stays is not None and stays.all():
            return before
        after = gru_gates(self.read(x), self.recall(before), before)
        return after if stays is None else torch.where(stays.unsqueeze(1), before, after)


def gru_gates(from_input: torch.Tensor, from_h: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    size = h.shape[-1]
    squashed = (from_input[..., : 2 * size] + from_h[..., : 2 * size]).sigmoid_()
    new = torch.addcmul(from_input[..., 2 * size :], squashed[..., :size], from_h[..., 2 * size :]).tanh_()
    return torch.lerp(new, h, squashed[..., size:])


def attend(query: torch.Tensor, keys: torch.Tensor, bias: torch.Tensor, names: torch.Tensor) -> torch.Tensor:
    """Scores [K, M] of each query [K, D] with the keys of the group that it names [K]: keys [G, M, D], bias [G, M]."""
    if is_native(query):
        return native.attend(query, keys, bias, names)
    keys, bias = keys.index_select(0, names), bias.index_select(0, names)
    return torch.baddbmm(bias.unsqueeze(2), keys, query.unsqueeze(2)).squeeze(2)


def best(scores: torch.Tensor) -> torch.Tensor:
    """The index of the largest of each row of scores [K, N]."""
    return native.best(scores) if is_native(scores) else scores.argmax(1)
