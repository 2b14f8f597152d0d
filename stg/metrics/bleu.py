"""Corpus BLEU on the dataset's tokens: sacrebleu with tokenize="none", equal to multi-bleu.perl."""

from collections import Counter
from collections.abc import Sequence

from sacrebleu.metrics import BLEU


ORDER = 4
# Matched n-grams by order, all n-grams by order, and the two lengths.
STATISTICS = 2 * ORDER + 2


def corpus_bleu(predictions: Sequence[list[str]], references: Sequence[list[str]]) -> tuple[float, str]:
    """BLEU in percent, and sacrebleu's signature."""
    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score([" ".join(tokens) for tokens in predictions], [[" ".join(t) for t in references]])
    return score.score, str(metric.get_signature())


def statistics(prediction: list[str], reference: list[str]) -> list[int]:
    """One document's contribution to corpus BLEU, so that resampling only sums."""
    matched, total = [], []
    for order in range(1, ORDER + 1):
        ours, theirs = ngrams(prediction, order), ngrams(reference, order)
        matched.append((ours & theirs).total())
        total.append(max(len(prediction) - order + 1, 0))
    return [*matched, *total, len(prediction), len(reference)]


def from_statistics(sums: Sequence[float]) -> float:
    """BLEU in percent from summed statistics."""
    matched, total = [int(n) for n in sums[:ORDER]], [int(n) for n in sums[ORDER : 2 * ORDER]]
    score = BLEU.compute_bleu(matched, total, sys_len=int(sums[-2]), ref_len=int(sums[-1]), smooth_method="exp")
    return score.score


def ngrams(tokens: list[str], order: int) -> Counter:
    """How often every n-gram of one order occurs."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
