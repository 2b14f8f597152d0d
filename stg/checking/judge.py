"""A judge for consensus decoding: counts the true, false and repeated claims of a text.

The extractor and the rules miss some claims and misread others, so the counts rank texts but prove nothing. Both
usually notice a false number, which then counts twice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from modeling_stg.consensus import Verdict
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.relations import Relation, count_repeats


# Default settings for checked texts, chosen on validation: results/ablations.md
CHECKED = {"consensus": 16, "temperature": 0.4, "rewrites": 3}


def verdict(words: Sequence[str], relations: Iterable[Relation], findings: Iterable[Finding]) -> Verdict:
    """Counts a text's repeated, false and true claims, and finds the first sentence that the checker refutes.

    A claim that only the extractor finds false counts as false, but the extractor errs too often to rewrite for it.
    """
    relations = [
        relation for relation in relations if relation.value not in ("a", "an")
    ]  # the metrics do not read "a steal"
    supported = {relation.key: relation.supported for relation in relations}
    refuted = [finding.start for finding in findings if finding.verdict == FALSE]
    sentence = words[: min(refuted)].count(".") if refuted else None
    true = sum(supported.values())
    return Verdict(count_repeats(relations), len(supported) - true + len(refuted), true, sentence)


class Judge:
    """The `judge` argument of `generate` for a batch of games. Without `outlook`, coming games do not count."""

    def __init__(self, checker: Checker, processor: Any, games: Sequence[Any], outlook: bool = True):
        self.checker, self.processor, self.games, self.outlook = checker, processor, games, outlook

    def __call__(self, sequences: Any, about: Sequence[int]) -> list[Verdict]:
        """The verdict on each text [N, T], given the index of the game it is about [N]."""
        games = [self.games[index] for index in about]
        recaps = self.checker.parse(self.processor.batch_tokens(sequences, games), games)
        return [verdict(recap.tokens, recap.relations, self._findings(recap)) for recap in recaps]

    def _findings(self, recap: ParsedRecap) -> list[Finding]:
        findings = self.checker.findings(recap)
        if self.outlook:
            return findings
        return [finding for finding in findings if not recap.looks_ahead(recap.sentence_index(finding.start))]
