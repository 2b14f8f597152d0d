"""Annotates summaries: the facts that their tokens state, and the sentences that no fact explains.

Cells are found by `stg.extraction.annotation`; computed facts are the claims that the checker reads and finds true.
"""

from collections.abc import Sequence
from typing import Any

from modeling_stg.facts import Mention
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.checking.checker import findings_of
from stg.checking.mentions import fact_mentions
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.unexplained import Unexplained, unexplained
from stg.extraction.annotation import annotate
from stg.extraction.candidates import Names
from stg.extraction.modeling_extraction import RelationExtractor
from stg.extraction.relations import Relation


class Annotator:
    """Annotates summaries of games.

    Args:
        extractor: reads which entity a number belongs to; None to use rules alone.
        season: other games, for facts of the season.

    Example:
        >>> annotator = Annotator(load_extractor(), open_season("hoopr"))
        >>> annotator.annotate_rows([row])[0]["mentions"][0]
        {'position': 1, 'length': 1, 'entity': 'Bucks', 'attribute': 'TEAM-CITY', 'form': 'text'}
    """

    def __init__(self, extractor: RelationExtractor | None, season: Season):
        self.extractor, self.season = extractor, season

    @property
    def identity(self) -> str:
        """Differs for different extractors."""
        if self.extractor is None:
            return ""
        return str(sum(float(weight.detach().sum()) for weight in self.extractor.parameters()))

    def annotate_rows(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, list[dict]]]:
        """The columns `mentions` and `unexplained` of dataset rows."""
        facts = [GameFacts(row, self.season) for row in rows]
        texts = [row["summary"] for row in rows]
        names = Names()
        relations: Sequence[Sequence[Relation]] = [[] for _ in rows]
        if self.extractor is not None:
            names = self.extractor.names
            relations = self.extractor.extract_batch(texts, [known.game for known in facts], implicit_one=True)
        annotated = [
            self._annotate(text, known, names, read) for text, known, read in zip(texts, facts, relations, strict=True)
        ]
        return [
            {
                "mentions": [mention.to_json(known.game) for mention in mentions],
                "unexplained": [sentence.to_json() for sentence in marked],
            }
            for (mentions, marked), known in zip(annotated, facts, strict=True)
        ]

    @staticmethod
    def _annotate(
        tokens: list[str], facts: GameFacts, names: Names, relations: Sequence[Relation]
    ) -> tuple[list[Mention], list[Unexplained]]:
        recap = ParsedRecap(tokens, facts, names, relations)
        findings = findings_of(recap)
        computed = fact_mentions(recap, findings)
        taken = {at for mention in computed for at in range(mention.position, mention.position + mention.length)}
        cells = [
            mention
            for mention in annotate(tokens, facts.game, list(relations), names)
            if not taken.intersection(range(mention.position, mention.position + mention.length))
        ]
        mentions = sorted([*cells, *computed], key=lambda mention: mention.position)
        return mentions, unexplained(recap, findings, mentions)
