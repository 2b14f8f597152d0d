"""A moving average of the weights, which is evaluated and released instead of the last weights."""

import contextlib
from collections.abc import Iterator

import torch


AVERAGE = "average"  # the key in the optimiser's state, which checkpoints save and restore


class WeightAverage:
    """average <- decay * average + (1 - decay) * weights after every step; a decay of 0 does nothing.

    The first steps average over fewer weights, (step + 1) / (step + 10), so that the random start is soon forgotten.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, decay: float):
        self.optimizer, self.decay = optimizer, decay

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Takes in the weights after `step` steps, counted from 1."""
        if not self.decay:
            return
        for parameter, state in self._updated():
            state.setdefault(AVERAGE, parameter.detach().clone())
        weights, averages = self._tensors()
        torch._foreach_lerp_(averages, weights, 1 - min(self.decay, step / (step + 9)))

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        """Within the block, the model has the averaged weights."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def _swap(self) -> None:
        if self.decay:
            weights, averages = self._tensors()
            kept = [weight.clone() for weight in weights]
            torch._foreach_copy_(weights, averages)
            torch._foreach_copy_(averages, kept)

    def _tensors(self) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        pairs = [(parameter.detach(), state[AVERAGE]) for parameter, state in self._updated()]
        return [weight for weight, _ in pairs], [average for _, average in pairs]

    def _updated(self) -> Iterator[tuple[torch.nn.Parameter, dict[str, torch.Tensor]]]:
        """The parameters that the optimiser has changed, with its state; all others are their own average."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                if self.optimizer.state[parameter]:
                    yield parameter, self.optimizer.state[parameter]
