"""Makes a decision from its scores: the most likely choice, or a sample."""

import torch

from .errors import StgError
from .kernels import best
from .settings import GenerationSettings


class Sampler:
    """Decides E, A, Y (an index) and Z, N (yes or no)."""

    def __init__(self, settings: GenerationSettings):
        self.settings = settings

    def index(self, scores: torch.Tensor) -> torch.Tensor:
        """One index for each row of scores [K, N]."""
        settings = self.settings
        if not settings.do_sample:
            return best(scores)
        scores, choices = scores / settings.temperature, None
        if settings.top_k and settings.top_k < scores.shape[1]:
            scores, choices = scores.topk(settings.top_k, dim=1)
        probabilities = scores.softmax(1, dtype=torch.promote_types(scores.dtype, torch.float32))
        if settings.top_p < 1:
            if choices is None:
                probabilities, choices = probabilities.sort(dim=1, descending=True)
            before = probabilities.cumsum(1) - probabilities
            probabilities = probabilities.masked_fill(before >= settings.top_p, 0)  # always keeps the first
        drawn = draw(probabilities)
        return (drawn if choices is None else choices.gather(1, drawn)).squeeze(1)

    def yes(self, logits: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
        """Whether each binary decision with these logits [K] is 1."""
        if not self.settings.do_sample:
            return logits >= threshold
        return torch.rand_like(logits) < ((logits - threshold) / self.settings.temperature).sigmoid()


def draw(weights: torch.Tensor) -> torch.Tensor:
    """Draws an index per row of weights [K, N] in proportion to them; [K, 1].

    Takes one random number per row. `torch.multinomial` takes one per weight, which is slower than a whole step.
    """
    cumulative = weights.cumsum(1)
    # strictly below the sum, so that `right=True` skips weights of 0, trailing ones too
    target = torch.rand_like(cumulative[:, :1]) * cumulative[:, -1:]
    drawn = torch.searchsorted(cumulative, target, right=True)
    if (drawn == weights.shape[1]).any():
        raise StgError("do_sample: no score is a number; everything is forbidden, or the weights are not usable")
    return drawn
