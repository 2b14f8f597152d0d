"""Products of a few rows with the same weight again and again, which is what decoding spends its time on.

One product with so few rows leaves cores idle. A batch of them, one for each block of the weight's outputs, does not.
"""

import torch


MANY = 6  # rows from which turned copies pay
WIDTHS = {True: 32, False: 128}  # outputs of a block, at most: of a turned copy, of the weight as it lies
LANES = 8  # floats that a processor takes at once; blocks that are no multiple of it cost up to a quarter more
SHORT = 128  # inputs; up to here a turned copy saves more time than it costs, however few the rows


class Product:
    """x [R, K] -> x W^T + b, [R, N]; W [N, K] may be any view.

    Blocks are views of the weight or, `turned`, copies, [K, width] in one piece: a copy takes no longer than a product
    or two of 32 rows, and those then take half the time.
    """

    def __init__(
        self, weight: torch.Tensor, bias: torch.Tensor | None = None, width: int | None = None, turned: bool = True
    ):
        """`width`, of a block, at most."""
        self.outputs, self.inputs = weight.shape
        width = width or WIDTHS[turned]
        width = min(width, rounded_up(-(-self.outputs // -(-self.outputs // width)), LANES))
        missing = rounded_up(self.outputs, width) - self.outputs
        if missing:
            weight = torch.cat([weight, weight.new_zeros(missing, self.inputs)])
            bias = None if bias is None else torch.cat([bias, bias.new_zeros(missing)])
        self.weight = weight.unflatten(0, (-1, width)).transpose(1, 2)  # [blocks, K, width]
        if turned or self.inputs <= SHORT:
            self.weight = self.weight.contiguous()
        self.bias = None if bias is None else bias.view(-1, 1, width)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        x = self.for_blocks(x)
        blocks = torch.bmm(x, self.weight) if self.bias is None else torch.baddbmm(self.bias, x, self.weight)
        return blocks.transpose(0, 1).flatten(1)[:, : self.outputs]

    def for_blocks(self, x: torch.Tensor) -> torch.Tensor:
        """What every block reads, without a copy: [blocks, R, K]."""
        return x.expand(len(self.weight), -1, -1)


def rounded_up(number: int, step: int) -> int:
    return -(-number // step) * step
