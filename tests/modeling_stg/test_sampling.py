"""Sampling from scores, with top_k and top_p."""

import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.sampling import Sampler, draw
from modeling_stg.settings import GenerationSettings


def sampling(**options) -> Sampler:
    return Sampler(GenerationSettings(do_sample=True, **options))


def test_top_k_and_top_p():
    scores = torch.tensor([0.4, 0.3, 0.2, 0.1]).log().expand(4000, -1)
    torch.manual_seed(0)
    for narrowed, kept in (
        ({"top_k": 2}, {0, 1}),
        ({"top_p": 0.65}, {0, 1}),
        ({"top_p": 0.75}, {0, 1, 2}),
        ({}, {0, 1, 2, 3}),
    ):
        drawn = sampling(**narrowed).index(scores)
        assert set(drawn.tolist()) == kept
        share = (drawn == 0).float().mean().item()
        assert abs(share - 0.4 / sum([0.4, 0.3, 0.2, 0.1][index] for index in kept)) < 0.04


def test_samples_follow_their_probabilities():
    """top_k and top_p reorder the scores; indices must still refer to the original order."""
    torch.manual_seed(0)
    shares = torch.tensor([0.05, 0.0, 0.6, 0.15, 0.0, 0.2])
    for narrowed, kept in (
        ({"top_k": 2}, [2, 5]),
        ({"top_p": 0.7}, [2, 5]),
        ({"top_k": 3, "top_p": 0.85}, [2, 3, 5]),
        ({}, [0, 2, 3, 5]),
    ):
        drawn = sampling(**narrowed).index(shares.log().expand(20_000, -1))
        observed = torch.bincount(drawn, minlength=6) / len(drawn)
        expected = torch.zeros(6).index_copy(0, torch.tensor(kept), shares[kept] / shares[kept].sum())
        torch.testing.assert_close(observed, expected, atol=0.015, rtol=0)
        assert observed[expected == 0].sum() == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_random_numbers_never_draw_a_weight_of_zero(dtype, monkeypatch):
    torch.manual_seed(0)
    weights = torch.rand(500, 40, dtype=dtype)
    weights[:, [0, 1, 7, 38, 39]] = 0
    for chance, index in ((0.0, 2), (1 - torch.finfo(dtype).eps / 2, 37)):
        monkeypatch.setattr(torch, "rand_like", lambda like, chance=chance: torch.full_like(like, chance))
        assert set(draw(weights).flatten().tolist()) == {index}


def test_unusable_scores_are_reported():
    for scores in (torch.full((2, 5), -torch.inf), torch.full((2, 5), torch.nan)):
        with pytest.raises(StgError, match="do_sample: no score is a number"):
            sampling().index(scores)
