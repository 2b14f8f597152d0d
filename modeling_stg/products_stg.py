"""Products of a few rows with the same weight again and again, which is what decoding spends its time on.

One product with so few rows leaves cores idle. A batch of them, one for each block of the weight's outputs, does not,
and reads the weight where it lies.
"""

import torch


WIDTH = 128  # outputs of a block, at most: wide enough for full speed, narrow enough for every core to have several


class Product:
    """x [R, K] -> x W^T + b, [R, N]; W [N, K] may be a transposed view."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None, width: int = WIDTH):
        self.outputs, self.inputs = weight.shape
        blocks = -(-self.outputs // width)
        width = -(-self.outputs // blocks)
        missing = blocks * width - self.outputs
        if missing:
            weight = torch.cat([weight, weight.new_zeros(missing, self.inputs)])
            bias = None if bias is None else torch.cat([bias, bias.new_zeros(missing)])
        self.weight = weight.unflatten(0, (blocks, width)).transpose(1, 2)  # [blocks, K, width]
        if self.inputs <= WIDTH:  # such short rows are read faster turned, by more than it takes to turn them
            self.weight = self.weight.contiguous()
        self.bias = None if bias is None else bias.view(blocks, 1, width)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        x = self.for_blocks(x)
        blocks = torch.bmm(x, self.weight) if self.bias is None else torch.baddbmm(self.bias, x, self.weight)
        return blocks.transpose(0, 1).flatten(1)[:, : self.outputs]

    def for_blocks(self, x: torch.Tensor) -> torch.Tensor:
        """What every block reads, without a copy: [blocks, R, K]."""
        return x.expand(len(self.weight), -1, -1)
