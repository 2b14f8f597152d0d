"""The checker: judges every number of a recap, and many names and words, by the box score and the season."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import as_game
from modeling_stg.game_facts import GameFacts, HasFacts, as_facts
from modeling_stg.season import Season
from stg.checking.alignment import recap_tokens
from stg.checking.explanation import smallest
from stg.checking.findings import Finding, resolve_overlaps
from stg.checking.not_checkable import with_reasons
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules import RULES
from stg.extraction.candidates import sentence_spans
from stg.extraction.modeling_extraction import RelationExtractor


_NAMED_RULES = [(f"{rule.__module__.rpartition('.')[2]}.{rule.__name__}", rule) for rule in RULES]
MAX_NUMBERS = 100  # of a sentence; rules compare each pair of numbers with all pairs before
MAX_PAIRS = 2500  # names times numbers of a sentence; text without full stops would take the network minutes


class Checker:
    """Checks recaps against their box scores.

    Args:
        extractor: reads which entity a number belongs to.
        season: other games; they decide streaks, next opponents and several-game averages. Without them, such claims
            are unknown or not judged.

    Example:
        >>> checker = Checker(load_extractor())
        >>> [finding] = checker.check("Carmelo Anthony had 31 points.", game)
        >>> finding.verdict, finding.truth
        ('false', '30')
    """

    def __init__(self, extractor: RelationExtractor, season: Season | None = None):
        self.extractor, self.season = extractor, season or Season()

    def check(self, text: str | Sequence[str], game: Any) -> list[Finding]:
        """Judges one recap.

        Args:
            text: plain text, or the dataset's tokens.
            game: the game it is about, the JSON of one, or a `GameFacts`, whose own season is then used.

        Returns:
            Findings in reading order; positions are of the dataset's tokens, `recap_tokens(text)`.
        """
        tokens = recap_tokens(text) if isinstance(text, str) else list(text)
        return self.check_batch([tokens], [game])[0]

    def check_batch(self, texts: Sequence[Sequence[str]], games: Sequence[Any]) -> list[list[Finding]]:
        """`check` of several recaps in the dataset's tokens; the network reads them at once."""
        facts = [self.facts(game) for game in games]
        for tokens, known in zip(texts, facts, strict=True):
            for sentence in sentence_spans(list(tokens), known.game, self.extractor.names, implicit_one=True):
                numbers = len(sentence.numbers)
                if numbers > MAX_NUMBERS or len(sentence.entities) * numbers > MAX_PAIRS:
                    raise StgError(
                        f"text: a sentence with {len(sentence.entities)} names and {numbers} numbers, "
                        f"from {' '.join(tokens[sentence.start : sentence.start + 5])!r} on; end sentences with a "
                        "full stop"
                    )
        return [self.findings(recap) for recap in self.parse(texts, facts)]

    def parse(self, texts: Sequence[Sequence[str]], games: Sequence[Any]) -> list[ParsedRecap]:
        """Reads the relations of recaps in the dataset's tokens."""
        facts = [self.facts(game) for game in games]
        relations = self.extractor.extract_batch(texts, [known.game for known in facts], implicit_one=True)
        return [
            ParsedRecap(tokens, known, self.extractor.names, read)
            for tokens, known, read in zip(texts, facts, relations, strict=True)
        ]

    def facts(self, game: Any) -> GameFacts:
        """The facts of a game, from its own season if it brings one."""
        if isinstance(game, HasFacts) and game.season is not None:
            return as_facts(game)
        return GameFacts(as_game(game), self.season)

    def findings(self, recap: ParsedRecap) -> list[Finding]:
        """Applies the rules to a recap; earlier rules take precedence."""
        return findings_of(recap)


def findings_of(recap: ParsedRecap) -> list[Finding]:
    """Applies the rules to a recap; earlier rules take precedence."""
    found = resolve_overlaps(replace(finding, rule=name) for name, rule in _NAMED_RULES for finding in rule(recap))
    return with_reasons(recap, smallest(recap, found))
