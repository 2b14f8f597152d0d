"""A judge for consensus decoding: what the box score bears out of a text, what it refutes, and what is said again.

The extractor and the checker's rules miss some claims and misread others, so this is a preference among texts and no
proof. A false number is mostly told by both, and weighs twice.
"""

from collections.abc import Iterable, Mapping, Sequence

from checking.checker import Checker
from checking.findings import FALSE, Finding
from extraction_stg.extraction_stg import Relation, said_again
from modeling_stg.game_stg import Game


def verdict(relations: Iterable[Relation], findings: Iterable[Finding]) -> tuple[int, int, int]:
    """How many of a text's relations are said again; how many claims are false; how many relations are true."""
    relations = [relation for relation in relations if relation.value not in ("a", "an")]  # as the metrics read them
    told = {relation.fact: relation.supported for relation in relations}
    refuted = sum(finding.verdict == FALSE for finding in findings)
    return said_again(relations), len(told) - sum(told.values()) + refuted, sum(told.values())


class Judge:
    """`generate(judge=...)` for a batch of games: reads all samples, as many for each game."""

    def __init__(self, checker: Checker, processor, games: Sequence[Game | Mapping]):
        self.checker, self.processor, self.games = checker, processor, games

    def __call__(self, sequences) -> list[tuple[int, int, int]]:
        """The verdict on each text, [games * each, T]."""
        each = len(sequences) // len(self.games)
        games = [game for game in self.games for _ in range(each)]
        readings = self.checker.read(self.processor.batch_tokens(sequences, games), games)
        return [verdict(reading.relations, self.checker.findings(reading)) for reading in readings]
