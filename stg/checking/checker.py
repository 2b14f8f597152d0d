"""The checker: a recap and its box score in, a verdict on every number and on many names and words out."""

from collections.abc import Iterable, Mapping, Sequence

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.season import Season
from stg.checking.counts import count_findings
from stg.checking.findings import Finding, settle
from stg.checking.line_score import line_score_findings
from stg.checking.names import name_findings
from stg.checking.numbers import number_findings
from stg.checking.outlook import outlook_findings
from stg.checking.places import words
from stg.checking.reading import Reading
from stg.checking.scorers import scorer_findings
from stg.checking.streaks import streak_findings
from stg.checking.team_shots import team_shot_findings
from stg.checking.words import word_findings
from stg.extraction.candidates import sentence_spans
from stg.extraction.modeling_extraction import RelationExtractor


MOST_PAIRS = 2500  # names times numbers of a sentence: what cannot be one takes the network minutes


class Checker:
    """`season`: other games, which decide on streaks, next opponents and their days; without, those go unchecked."""

    def __init__(self, extractor: RelationExtractor, season: Iterable[Game] = ()):
        self.extractor, self.season = extractor, Season(season)

    def check(self, text: str | Sequence[str], game: Game | Mapping) -> list[Finding]:
        """Findings in reading order, by positions of the dataset's tokens (`places.words(text)`)."""
        if isinstance(game, Mapping):
            game = Game.from_json(game)
        tokens = words(text) if isinstance(text, str) else list(text)
        for sentence in sentence_spans(tokens, game, self.extractor.vocabulary.names, implicit_one=True):
            if len(sentence.entities) * len(sentence.numbers) > MOST_PAIRS:
                raise StgError(
                    f"text: a sentence with {len(sentence.entities)} names and {len(sentence.numbers)} numbers, from "
                    f"{' '.join(tokens[sentence.start : sentence.start + 5])!r} on; end sentences with a full stop"
                )
        [reading] = self.read([tokens], [game])
        return self.findings(reading)

    def read(self, texts: Sequence[Sequence[str]], games: Sequence[Game | Mapping]) -> list[Reading]:
        """Texts in the dataset's tokens, with the relations that they tell."""
        games = [Game.from_json(game) if isinstance(game, Mapping) else game for game in games]
        relations = self.extractor.extract_batch(texts, games, implicit_one=True)
        names = self.extractor.vocabulary.names
        return [Reading(*each, names, told) for *each, told in zip(texts, games, relations, strict=True)]

    def findings(self, reading: Reading) -> list[Finding]:
        return settle(
            [
                *outlook_findings(reading, self.season),
                *name_findings(reading),
                *streak_findings(reading, self.season),
                *line_score_findings(reading),
                *team_shot_findings(reading),
                *count_findings(reading),
                *scorer_findings(reading),
                *number_findings(reading),
                *word_findings(reading),
            ]
        )
