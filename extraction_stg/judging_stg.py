"""A judge for consensus decoding: what the box score bears out of a text, and what it says again.

The extractor misses some relations and misreads others, so its judgement is a preference among texts and no proof.
"""

from collections.abc import Sequence

from .extraction_stg import Relation, said_again
from .game_stg import Game
from .modeling_extraction_stg import RelationExtractor


def verdict(relations: list[Relation]) -> tuple[int, int, int]:
    """How many of a text's relations are said again, how many different ones are false, how many true."""
    told = {relation.fact: relation.supported for relation in relations}
    return said_again(relations), len(told) - sum(told.values()), sum(told.values())


class Judge:
    """`generate(judge=...)` for a batch of games: reads all samples, as many for each game."""

    def __init__(self, extractor: RelationExtractor, processor, games: Sequence[Game]):
        self.extractor, self.processor, self.games = extractor, processor, games

    def __call__(self, sequences) -> list[tuple[int, int, int]]:
        """The verdict on each text, [games * each, T]."""
        each = len(sequences) // len(self.games)
        games = [game for game in self.games for _ in range(each)]
        texts = self.processor.batch_tokens(sequences, games)
        return [verdict(relations) for relations in self.extractor.extract_batch(texts, games)]
