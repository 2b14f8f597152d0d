"""The kernels of a decoding step: in C (`stg.native`) where that is compiled, otherwise in torch.

A step multiplies a few rows by the same weights as the step before. For so few rows one large product in torch leaves
cores idle or waiting for memory. A batch of products, one per block of the weight's outputs, is faster; C that
prefetches the next block is twice as fast again.
"""

from collections.abc import Callable

import torch
from torch import nn


try:
    from stg import native
except ImportError:  # no compiler, another processor, or a model from the Hub without the project
    native = None  # type: ignore[assignment]
if native is not None and native.VERSION != 1:  # the installed project has another version
    native = None  # type: ignore[assignment]

WIDTH = 32  # outputs of a block


def is_native(tensor: torch.Tensor) -> bool:
    return native is not None and tensor.is_cpu and tensor.dtype == torch.float32


class Product:
    """Computes x [R, K] -> x W^T + b, [R, N], without gradients; W [N, K] may be any view.

    The weight is copied into contiguous blocks [K, width], which takes as long as one or two products of 32 rows.
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
        """Writes into `out` [R, blocks * width], if given."""
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
        """The input of every block without a copy: [blocks, R, K]."""
        return x.expand(len(self.weight), -1, -1)


def lstm_cell(
    out: torch.Tensor, enter: torch.Tensor, forget: torch.Tensor, new: torch.Tensor, c: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The next h and c, with gradients, from squashed gates and c.

    Not `lstm_cell_`, which has no gradient and whose fused multiply-add rounds differently. Callers squash the gates:
    torch's vector and scalar loops round differently too, and slicing decides which elements take which loop.
    """
    c = forget * c + enter * new
    return out * c.tanh(), c


def lstm_cell_(
    squash: torch.Tensor,
    out: torch.Tensor,
    enter: torch.Tensor,
    forget: torch.Tensor,
    new: torch.Tensor,
    c_before: torch.Tensor,
    c: torch.Tensor,
    h: torch.Tensor,
    scratch: torch.Tensor,
) -> None:
    """Fills c and h, in place and without gradients; c may be c_before.

    out, enter, forget and new are the four gates, `squash` the first three in one view, and scratch is shaped like c.
    The gates are left squashed, for the backward pass. Callers cut all views before their loop.
    """
    squash.sigmoid_()
    new.tanh_()
    torch.mul(forget, c_before, out=c).addcmul_(enter, new)
    torch.mul(out, torch.tanh(c, out=scratch), out=h)


def lstm(
    layer: Product, reads: torch.Tensor, gates: torch.Tensor, cells: torch.Tensor, h: torch.Tensor
) -> Callable[[], None]:
    """A function that advances cells [units, R, width] and h (the same, a view of [R, H]) by one step when called.

    It reads [R, K], which includes h. gates [4, units, R, width] are scratch: output, input, forget, new.
    """
    if layer.native:
        return native.lstm(reads, layer.weight, layer.bias, gates, cells, h)
    reads, by_block = layer.for_blocks(reads), gates.flatten(0, 1)
    views = gates[:3], *gates, cells, cells, h, torch.empty_like(cells)

    def step() -> None:
        torch.baddbmm(layer.bias, reads, layer.weight, out=by_block)
        lstm_cell_(*views)

    return step


class Gru:
    """A GRU cell as two products: of its input, and of its own h."""

    def __init__(self, cell: nn.GRUCell):
        self.from_input = Product(cell.weight_ih, cell.bias_ih)
        self.from_hidden = Product(cell.weight_hh, cell.bias_hh)
        self.native = self.from_input.native and cell.hidden_size % WIDTH == 0

    def __call__(
        self, x: torch.Tensor, h: torch.Tensor, rows: torch.Tensor, stays: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The next h [K, H] of `rows` [K] of h [R, H] with input x [K, I]; rows where `stays` [K] keep theirs."""
        if self.native and x.dtype == torch.float32:
            from_input, from_hidden = ((half.weight, half.bias) for half in (self.from_input, self.from_hidden))
            return native.gru(x, from_input, from_hidden, h, rows, stays)
        before = h.index_select(0, rows)
        if stays is not None and stays.all():
            return before
        after = gru_gates(self.from_input(x), self.from_hidden(before), before)
        return after if stays is None else torch.where(stays.unsqueeze(1), before, after)


def gru_gates(from_input: torch.Tensor, from_hidden: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    size = h.shape[-1]
    squashed = (from_input[..., : 2 * size] + from_hidden[..., : 2 * size]).sigmoid_()
    new = torch.addcmul(from_input[..., 2 * size :], squashed[..., :size], from_hidden[..., 2 * size :]).tanh_()
    return torch.lerp(new, h, squashed[..., size:])


def attend(query: torch.Tensor, keys: torch.Tensor, bias: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
    """Scores [K, M] of each query [K, D] with the keys of its group [K]: keys [G, M, D], bias [G, M]."""
    if is_native(query):
        return native.attend(query, keys, bias, groups)
    keys, bias = keys.index_select(0, groups), bias.index_select(0, groups)
    return torch.baddbmm(bias.unsqueeze(2), keys, query.unsqueeze(2)).squeeze(2)


def best(scores: torch.Tensor) -> torch.Tensor:
    """The index of the largest score in each row of scores [K, N]."""
    return native.best(scores) if is_native(scores) else scores.argmax(1)
