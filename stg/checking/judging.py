"""A judge for consensus decoding: what the box score bears out of a text, what it refutes, and what is said again.

The extractor and the checker's rules miss some claims and misread others, so this is a preference among texts and no
proof. A false number is mostly told by both, and weighs twice.
"""

from collections.abc import Iterable, Mapping, Sequence

from modeling_stg.consensus import Verdict
from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, Finding
from stg.checking.outlook import is_outlook
from stg.checking.reading import Reading
from stg.extraction.relations import Relation, count_repeats


# how checked texts are written, where nothing else is asked for (chosen on validation: results/ablations.md)
CHECKED = {"consensus": 16, "temperature": 0.4, "rewrites": 3}


def verdict(words: Sequence[str], relations: Iterable[Relation], findings: Iterable[Finding]) -> Verdict:
    """Of a text's relations, how many are said again and how many are true; how many claims are false; the sentence of
    the first that the checker refutes (what the extractor alone finds false counts, but is misread too often)."""
    relations = [relation for relation in relations if relation.value not in ("a", "an")]  # as the metrics read them
    told = {relation.key: relation.supported for relation in relations}
    refuted = [finding.start for finding in findings if finding.verdict == FALSE]
    sentence = words[: min(refuted)].count(".") if refuted else None
    return Verdict(
        count_repeats(relations), len(told) - sum(told.values()) + len(refuted), sum(told.values()), sentence
    )


class Judge:
    """`generate(judge=...)` for a batch of games."""

    def __init__(self, checker: Checker, processor, games: Sequence[Game | Mapping], outlook: bool = True):
        """Without `outlook`, what is said of games to come does not count: it will be left out."""
        self.checker, self.processor, self.games, self.outlook = checker, processor, games, outlook

    def __call__(self, sequences, about: Sequence[int]) -> list[Verdict]:
        """The verdict on each text, [N, T], by the number of the game that it is about, [N]."""
        games = [self.games[number] for number in about]
        readings = self.checker.read(self.processor.batch_tokens(sequences, games), games)
        return [verdict(reading.tokens, reading.relations, self._findings(reading)) for reading in readings]

    def _findings(self, reading: Reading) -> list[Finding]:
        findings = self.checker.findings(reading)
        if self.outlook:
            return findings
        ahead = [part for number, part in enumerate(reading.sentences) if is_outlook(reading, number)]
        return [each for each in findings if not any(part.start <= each.start < part.end for part in ahead)]
