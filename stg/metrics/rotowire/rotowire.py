"""RG, CS, CO and BLEU for summaries of basketball games, with the project's own relation extractor."""

import datasets
import evaluate

from modeling_stg.errors import StgError
from modeling_stg.text import tokenize
from stg.extraction.loading import load_extractor
from stg.metrics.scores import Scorer


_DESCRIPTION = """
Faithfulness to the box score (RG), content selection (CS) and content ordering (CO) against the human summary,
corpus BLEU, repetition and sanity checks. Definitions follow Puduppully et al. (2019) and Iso et al. (2019).
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: summaries, plain or tokenised text, or lists of tokens.
    references: the human summaries, in the same forms.
    games: box scores, in the same order: rows of load_dataset("rotowire_modified") or RotoWire's JSON.
    extractor: the relation extractor, or its folder or Hub name (default: the shipped one).
    variant: "puduppully" (default) deduplicates by strings, compares numbers and matches one to one, as Puduppully et
        al. and Iso et al. did; "wiseman" deduplicates by the matching rule, compares strings and matches many to one.
    order: "entity" (default) orders a sentence's relations entity by entity, as the published extractors do;
        "reading" orders them by position. Only co_dld changes.
    keep_duplicates: count a relation as often as it is stated (default: once).
    batch_size: summaries per batch; scores do not depend on it.
Returns:
    rg_number: supported relations per summary; rg_precision: their share of all relations (percent).
    cs_precision, cs_recall, cs_f1: relations against the reference's (percent, micro).
    co_dld: mean of 1 - normalised optimal string alignment distance of the two lists (percent).
    bleu, bleu_signature: sacrebleu, tokenize="none", on the dataset's tokens.
    duplicate_ratio: percent of summaries that state a relation twice.
    unexplained_numerals: numerals per summary that no cell explains.
    sanity_winner, sanity_credited, sanity_weekday (percent right), sanity_repeated, sanity_self (percent wrong).
Examples:
    >>> import evaluate
    >>> from datasets import load_dataset
    >>> rows = load_dataset("rotowire_modified", "sample", split="test")
    >>> metric = evaluate.load("stg/metrics/rotowire")
    >>> texts = [" ".join(tokens) for tokens in rows["summary"]]
    >>> scores = metric.compute(predictions=texts, references=texts, games=list(rows))
    >>> round(scores["cs_f1"])
    100
"""

_CITATION = """
@inproceedings{wiseman-etal-2017-challenges,
    title = "Challenges in Data-to-Document Generation",
    author = "Wiseman, Sam and Shieber, Stuart and Rush, Alexander",
    booktitle = "Proceedings of EMNLP",
    year = "2017",
}
"""


class Rotowire(evaluate.Metric):
    """The metric of `evaluate.load("stg/metrics/rotowire")`, a thin wrapper of `stg.metrics.scores.Scorer`."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        forms = (text, datasets.Sequence(text))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({"predictions": predicted, "references": reference})
                for predicted in forms
                for reference in forms
            ],
        )

    def _compute(
        self,
        predictions,
        references,
        games=None,
        extractor=None,
        variant="puduppully",
        order="entity",
        keep_duplicates=False,
        batch_size=64,
    ) -> dict:
        if games is None:
            raise StgError("games: missing; give the box scores in the order of the predictions")
        if extractor is None or isinstance(extractor, str):
            extractor = load_extractor(extractor)
        tokens = [_tokens(text) for text in references]
        scorer = Scorer(tokens, games, extractor, variant, order, batch_size, keep_duplicates=keep_duplicates)
        scored = scorer.score([_tokens(text) for text in predictions])
        return {**scored.scores, "bleu_signature": scored.bleu_signature}


def _tokens(text) -> list[str]:
    """The dataset's tokens; an item of a list may hold several ("Trail Blazers")."""
    return tokenize(text) if isinstance(text, str) else [word for token in text for word in token.split()]
