"""Scores summaries. Everything is computed from counts per document, so scores, intervals and per-game rows agree.

Scores (percent unless stated otherwise), as Iso et al. (2019) used them; `stg.metrics.relations` has the variants:
    rg_number             supported relations per document (deduplicated)
    rg_precision          share of relations that the box score supports
    cs_precision, cs_recall, cs_f1
                          relations against those of the reference, summed over documents
    co_dld                mean over documents of 1 - (edit distance of the two lists of relations) / (longer length)
    bleu                  corpus BLEU on the dataset's tokens, see `stg.metrics.bleu`
    duplicate_ratio       share of summaries that state a fact with two different numbers
    unexplained_numerals  numerals per document (digits or words, except "one") without a supported relation
    sanity_winner         share of summaries whose first sentence names the right winner
    sanity_credited       share of "led by" phrases that give a player his own team
    sanity_weekday        share of weekdays in first sentences that are the game's
    sanity_repeated       share of summaries that repeat a sentence
    sanity_self           share of summaries in which a team plays itself
A summary without relations scores 0. A share of nothing (no weekday named) is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from tqdm import tqdm

from modeling_stg.errors import StgError
from modeling_stg.game import Game, as_game
from stg.extraction.candidates import number_spans
from stg.extraction.relations import Relation, count_repeats
from stg.metrics.bleu import STATISTICS, corpus_bleu, from_statistics, statistics
from stg.metrics.relations import (
    NBA_NAMES,
    ORDERS,
    VARIANTS,
    Teams,
    count_matches,
    deduplicate,
    matcher,
    ordering,
)
from stg.metrics.sanity import Sanity, sanity


_RELATION_COUNTS = ("stated", "supported", "reference", "matched", "ordering")
_TEXT_COUNTS = ("duplicated", "numerals", "unexplained")
COUNTS = ("documents", *_RELATION_COUNTS, *_TEXT_COUNTS, *Sanity._fields)
SCORES = (
    *("rg_number", "rg_precision", "cs_precision", "cs_recall", "cs_f1", "co_dld", "bleu"),
    *("duplicate_ratio", "unexplained_numerals"),
    *("sanity_winner", "sanity_credited", "sanity_weekday", "sanity_repeated", "sanity_self"),
)
LOWER_IS_BETTER = frozenset(["duplicate_ratio", "unexplained_numerals", "sanity_repeated", "sanity_self"])


class Extractor(Protocol):
    """Reads relations in texts, as `RelationExtractor` does."""

    def extract_batch(
        self, texts: list[list[str]], games: list[Game], batch_size: int = 32
    ) -> list[list[Relation]]: ...


@dataclass
class Scored:
    """The scores of one system.

    Args:
        scores: by name; None for a share of nothing.
        counts: per document, [documents, len(COUNTS) + STATISTICS], to resample.
        games: positions of the games that the system wrote about.
        relations: those that the extractor read, per document.
        bleu_signature: the signature of sacrebleu.
    """

    scores: dict[str, float | None]
    counts: np.ndarray
    games: list[int]
    relations: list[list[Relation]]
    bleu_signature: str

    def per_game(self) -> list[dict[str, float | None]]:
        """Counts and scores of each document."""
        rows = []
        for counts in self.counts:
            named = {name: _tidy(count) for name, count in zip(COUNTS, counts, strict=False)}
            rows.append(named | from_counts(counts))
        return rows


class Scorer:
    """Scores systems against the same references, whose relations are read once.

    Args:
        references: human summaries in the dataset's tokens.
        games: a `Game`, or the JSON of one, for each reference.
        extractor: reads relations.
        variant: the definitions to use, "puduppully" or "wiseman"; see `stg.metrics.relations`.
        order: the order of relations in CO, "entity" or "reading".
        batch_size: summaries per batch; scores do not depend on it.
        progress: show a progress bar.
        keep_duplicates: count a relation every time it is stated.

    Example:
        >>> scorer = Scorer(references, games, load_extractor())
        >>> scorer.score(predictions).scores["rg_precision"]
    """

    def __init__(
        self,
        references: Sequence[list[str]],
        games: Sequence[Game | Mapping],
        extractor: Extractor,
        variant: str = VARIANTS[0],
        order: str = ORDERS[0],
        batch_size: int = 64,
        progress: bool = False,
        keep_duplicates: bool = False,
    ) -> None:
        if order not in ORDERS:
            raise StgError(f"order: {order!r} is not known; use one of {', '.join(ORDERS)}")
        if len(references) != len(games):
            raise StgError(f"references: {len(references)} for {len(games)} games; give one for each")
        if not games:
            raise StgError("references: none; there is nothing to score against")
        self.references = [list(tokens) for tokens in references]
        self.games = [as_game(game) for game in games]
        self.extractor = extractor
        self.variant, self.order = variant, order
        self.batch_size, self.progress, self.keep_duplicates = batch_size, progress, keep_duplicates
        self.matchers = [matcher(Teams(game), variant) for game in self.games]
        self.gold = self._read(self.references, "reading references", self.games)

    def score(self, predictions: Sequence[list[str] | None], name: str = "predictions") -> Scored:
        """Scores one system.

        Args:
            predictions: a summary in the dataset's tokens for each game, in order; None leaves a game out.
            name: the system's name, for errors and the progress bar.

        Returns:
            Scores in percent, with counts per document.
        """
        if len(predictions) != len(self.games):
            raise StgError(f"{name}: {len(predictions)} summaries for {len(self.games)} games; give one for each")
        chosen = [index for index, tokens in enumerate(predictions) if tokens is not None]
        if not chosen:
            raise StgError(f"{name}: has no summary of these games; there is nothing to score")
        texts = [list(predictions[index]) for index in chosen]
        relations = self._read(texts, f"reading {name}", [self.games[index] for index in chosen])
        rows = [self._count(*document) for document in zip(chosen, texts, relations, strict=True)]
        counts = np.array(rows, dtype=float)
        scores = from_counts(counts.sum(0))
        scores["bleu"], signature = corpus_bleu(texts, [self.references[index] for index in chosen])
        return Scored(scores, counts, chosen, relations, signature)

    def _read(self, texts: list[list[str]], label: str, games: list[Game]) -> list[list[Relation]]:
        relations: list[list[Relation]] = []
        starts = range(0, len(texts), self.batch_size)
        for start in tqdm(starts, desc=label, unit="batch", disable=None if self.progress else True):
            stop = start + self.batch_size
            relations += self.extractor.extract_batch(texts[start:stop], games[start:stop], self.batch_size)
        if self.order == "reading":
            for document in relations:
                document.sort(key=lambda relation: (relation.number_start, relation.start))
        return relations

    def _count(self, index: int, tokens: list[str], relations: list[Relation]) -> list[float]:
        game, match = self.games[index], self.matchers[index]
        once = self.variant != "wiseman"
        stated, gold = relations, self.gold[index]
        if not self.keep_duplicates:
            stated, gold = (deduplicate(document, None if once else match) for document in (stated, gold))
        numerals = [span for span in number_spans(tokens) if span.text.lower() != "one"]
        explained = {relation.number_start for relation in relations if relation.supported}
        counts = {
            "documents": 1,
            "stated": len(stated),
            "supported": sum(relation.supported for relation in stated),
            "reference": len(gold),
            "matched": count_matches(stated, gold, match, once),
            "ordering": ordering(stated, gold, match),
            "duplicated": count_repeats(relations) > 0,
            "numerals": len(numerals),
            "unexplained": sum(span.start not in explained for span in numerals),
            **sanity(tokens, game, NBA_NAMES)._asdict(),
        }
        counts["repeated_sentences"] = min(counts["repeated_sentences"], 1)
        counts["meets_itself"] = min(counts["meets_itself"], 1)
        return [*(counts[name] for name in COUNTS), *statistics(tokens, self.references[index])]


def from_counts(sums: np.ndarray) -> dict[str, float | None]:
    """Scores from the summed counts of a document, a corpus or a resampled one."""
    count = dict(zip(COUNTS, sums, strict=False))
    precision = _percent(count["matched"], count["stated"]) or 0.0
    recall = _percent(count["matched"], count["reference"]) or 0.0
    documents = count["documents"]
    return {
        "rg_number": float(count["supported"] / documents),
        "rg_precision": _percent(count["supported"], count["stated"]) or 0.0,
        "cs_precision": precision,
        "cs_recall": recall,
        "cs_f1": 2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        "co_dld": _percent(count["ordering"], documents),
        "bleu": from_statistics(sums[-STATISTICS:]),
        "duplicate_ratio": _percent(count["duplicated"], documents),
        "unexplained_numerals": float(count["unexplained"] / documents),
        "sanity_winner": _percent(count["winner_right"], documents),
        "sanity_credited": _percent(count["credited_right"], count["credited"]),
        "sanity_weekday": _percent(count["weekday_right"], count["weekday_named"]),
        "sanity_repeated": _percent(count["repeated_sentences"], documents),
        "sanity_self": _percent(count["meets_itself"], documents),
    }


def _percent(part: float, whole: float) -> float | None:
    return float(100 * part / whole) if whole else None


def _tidy(count: float) -> float | int:
    return int(count) if float(count).is_integer() else round(float(count), 4)
