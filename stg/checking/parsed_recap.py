"""A recap as the rules see it: words, sentences, the entities they name, and the numbers stated about them."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property

from modeling_stg.facts import Fact
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.outlook import looks_ahead
from stg.extraction.candidates import EntitySpan, Names, NumberSpan, SentenceSpans, sentence_spans
from stg.extraction.relations import Relation


_PERIOD_NAMES = frozenset("quarter quarters period periods and but before".split())
_COMPARING = frozenset(  # before a player whom another one is compared with
    "matched matching match matches tied tying tie equaled equaling followed replaced replacing versus supported "
    "complemented complementing backed spelled guarding outplayed outdueled".split()
)
_COMPARED = ("made up for", "making up for", "teamed with", "alongside", "in place of", "ahead of")
_AFTER_A_PLACE = frozenset("on and as while to for in but with en against compared".split())
_EARLIER = frozenset("last had previous previously earlier prior".split())

_AS_HE = {"she": "he", "her": "his", "hers": "his", "herself": "himself"}


class ParsedRecap:
    """A recap in the dataset's tokens, with the facts of its game and the relations that the extractor read in it."""

    def __init__(self, tokens: Sequence[str], facts: GameFacts, names: Names, relations: Sequence[Relation]):
        self.tokens, self.facts, self.game, self.names = list(tokens), facts, facts.game, names
        self.words = [_AS_HE.get(token.lower(), token.lower()) for token in tokens]  # the rules know "he" alone
        self.relations = relations
        self._found: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        self.sentences = [
            _join_names(self._with_margins(self._without_periods(sentence)))
            for sentence in sentence_spans(self.tokens, self.game, names, implicit_one=True)
        ]

    # The text

    def _without_periods(self, sentence: SentenceSpans) -> SentenceSpans:
        """Leaves out the numbers of "after three quarters" and "through one", which name a break."""
        numbers = tuple(
            number
            for number in sentence.numbers
            if not self._is_the_arc(number)
            and not (
                self.word(number.start - 1) in ("after", "through")
                and number.value in (1, 3)
                and (self.word(number.end) in _PERIOD_NAMES or not self.word(number.end).isalnum())
            )
        )
        return replace(sentence, numbers=numbers)

    def _is_the_arc(self, number: NumberSpan) -> bool:
        """Whether "three" is a place: "33 percent from three", "5 - of - 9 from three on his way"."""
        is_from = self.word(number.start - 1) in ("from", "beyond")
        follows = self.word(number.end)
        return number.value == 3 and is_from and (follows in _AFTER_A_PLACE or not follows.isalnum())

    def _with_margins(self, sentence: SentenceSpans) -> SentenceSpans:
        """Reads "won by a point" and "within a single point" as 1."""
        ones = [
            NumberSpan(at, at + 1, self.tokens[at], 1)
            for at in range(sentence.start + 1, sentence.end)
            if self.word(at) == "a"
            and self.word(at - 1) in ("by", "within", "up", "down", "just", "only")
            and (self.word(at + 1) == "point" or self.phrase(at + 1, at + 3) == "single point")
        ]
        return replace(sentence, numbers=tuple(sorted({*sentence.numbers, *ones}, key=lambda number: number.start)))

    @cached_property
    def relations_at(self) -> dict[int, list[Relation]]:
        """Relations by the position of their number, surest first."""
        relations: dict[int, list[Relation]] = {}
        for relation in sorted(self.relations, key=lambda relation: -relation.confidence):
            relations.setdefault(relation.number_start, []).append(relation)
        return relations

    def word(self, position: int) -> str:
        """The word at a position, "" outside the text."""
        return self.words[position] if 0 <= position < len(self.words) else ""

    def phrase(self, start: int, end: int) -> str:
        return " ".join(self.words[start:end])

    def find(self, *phrases: str) -> list[tuple[int, int]]:
        """Spans (start, end) of the phrases, in any case; longer phrases win."""
        if phrases not in self._found:
            self._found[phrases] = list(self._find(_by_first_word(phrases)))
        return [*self._found[phrases]]

    def _find(self, phrases: Mapping[str, Sequence[list[str]]]) -> Iterator[tuple[int, int]]:
        free = 0
        for start in sorted(start for word in phrases for start in self._positions.get(word, ())):
            if start < free:
                continue
            for words in phrases[self.words[start]]:
                if self.words[start : start + len(words)] == words:
                    free = start + len(words)
                    yield start, free
                    break

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for position, word in enumerate(self.words):
            positions.setdefault(word, []).append(position)
        return positions

    @cached_property
    def _sentence_ends(self) -> list[int]:
        return [sentence.end for sentence in self.sentences]

    def sentence_index(self, position: int) -> int:
        """The sentence of a position; behind the text, the last one."""
        return min(bisect_right(self._sentence_ends, position), len(self.sentences) - 1)

    def sentence_at(self, position: int) -> SentenceSpans:
        return self.sentences[self.sentence_index(position)]

    def looks_ahead(self, index: int) -> bool:
        """Whether a sentence, other than the first, is about coming games."""
        return self._looks_ahead[index]

    @cached_property
    def _looks_ahead(self) -> list[bool]:
        words = [self.words[sentence.start : sentence.end] for sentence in self.sentences]
        return [index > 0 and looks_ahead(own) for index, own in enumerate(words)]

    def mentions_other_game(self, position: int) -> bool:
        """Whether a sentence is also about another game: a third team, another weekday, or a word such as "last"."""
        sentence = self.sentence_at(position)
        words = self.words[sentence.start : sentence.end]
        own = WEEKDAY_WORDS[self.game.date.weekday()]
        third = any(span.is_team and span.index is None for span in sentence.entities)
        return third or any(word in _EARLIER or (word in WEEKDAY_WORDS and word != own) for word in words)

    # The entities that it is about

    @cached_property
    def _running_subjects(self) -> list[tuple[int | None, int | None]]:
        """Before each sentence: the player and the team mentioned last."""
        subjects: list[tuple[int | None, int | None]] = []
        player: int | None = None
        team: int | None = None
        for sentence in self.sentences:
            subjects.append((player, team))
            players = [span.index for span in self._players_by_importance(sentence) if span.index is not None]
            player = players[0] if players else player
            teams = [span.index for span in sentence.entities if span.is_team and span.index is not None]
            if teams:
                team = teams[0]
            elif players:
                team = self.game.team_of(players[0])
        return subjects

    def _players_by_importance(self, sentence: SentenceSpans) -> list[EntitySpan]:
        """Players of a sentence, those with a number first."""
        players = [span for span in sentence.entities if not span.is_team]
        return sorted(players, key=lambda span: span.start not in self._with_number)

    @cached_property
    def _with_number(self) -> set[int]:
        """Where the names stand to which the extractor relates a number."""
        return {relation.start for relation in self.relations}

    def is_compared(self, span: EntitySpan) -> bool:
        """Whether a player is only compared with: "matched James 's 30 points", "replaced him", "ahead of"."""
        sentence = self.sentence_at(span.start)
        before = self.phrase(max(sentence.start, span.start - 3), span.start)
        is_object = self.word(span.start - 1) in _COMPARING and span.start - 1 > sentence.start
        return not span.is_team and (is_object or before.endswith(_COMPARED))

    def player_at(self, position: int) -> int | None:
        """The player that a word is about; None if he did not play in this game.

        This is the last one named before it in its sentence, else the first after it, else the running subject. One
        that is only compared with gives way to the subject.
        """
        index = self.sentence_index(position)
        players = [span for span in self.sentences[index].entities if not span.is_team]
        before = [span for span in players if span.start < position]
        subjects = [span for span in before if not self.is_compared(span)]
        if before and not subjects and self._running_subjects[index][0] is not None:
            players = []
        before = subjects or before
        player = (before[-1] if before else players[0]).index if players else self._running_subjects[index][0]
        return player if player is not None and self.game.entities[player].did_play else None

    def team_at(self, position: int) -> int | None:
        """The team that a word is about: the last one named before it in its sentence, else the running subject."""
        index = self.sentence_index(position)
        teams = [span for span in self.sentences[index].entities if span.is_team and span.index is not None]
        before = [span for span in teams if span.start < position]
        return before[-1].index if before else self._running_subjects[index][1]

    def previous_player(self, position: int) -> int | None:
        """The player that earlier sentences were about."""
        return self._running_subjects[self.sentence_index(position)][0]

    def players_named_before(self, position: int) -> set[int]:
        return {
            span.index
            for sentence in self.sentences
            for span in sentence.entities
            if span.index is not None and span.index > 1 and span.start < position
        }

    def team_names(self, team: int) -> tuple[str, str]:
        """The name and city of one of the game's teams."""
        entity = self.game.entities[team]
        return entity.text("TEAM-NAME"), entity.text("TEAM-CITY")

    def team_in_place_of(self, span: EntitySpan, name: str, city: str) -> str:
        """A team's city, name or both, whichever can replace a span."""
        if self.word(span.start - 1) not in ("the", "host", "visiting"):
            return city
        return f"{city} {name}" if span.end - span.start > 1 else name

    # The facts

    def name(self, entity: int) -> str:
        return self.game.entities[entity].name

    @property
    def winner(self) -> int | None:
        """The team that won; None if unknown."""
        return next((team for team in (0, 1) if self.facts.value(team, "TEAM-RESULT") == "won"), None)

    def holders(self, attribute: str, team: int | None = None) -> dict[int, Fact]:
        """The players of a team, or of both, who have a fact, such as a "team - high"."""
        players = [player for player in range(2, len(self.game.entities)) if team in (None, self.game.team_of(player))]
        return {player: fact for player in players if (fact := self.facts.get(player, attribute))}


def _join_names(sentence: SentenceSpans) -> SentenceSpans:
    """Joins "Portland" and "Trail Blazers", which the extractor keeps apart."""
    spans: list[EntitySpan] = []
    for span in sentence.entities:
        last = spans[-1] if spans else None
        if last and span.is_team and last.is_team and last.end == span.start:
            index = span.index if last.index in (None, span.index) else last.index
            spans[-1] = replace(last, end=span.end, text=f"{last.text} {span.text}", index=index)
        else:
            spans.append(span)
    return replace(sentence, entities=tuple(spans))


@cache  # rules ask for the same few hundred sets of phrases in every recap
def _by_first_word(phrases: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """The words of the phrases by their first word, the longest phrase first."""
    by_word: dict[str, list[list[str]]] = {}
    for words in sorted((phrase.split() for phrase in phrases), key=len, reverse=True):
        by_word.setdefault(words[0], []).append(words)
    return by_word
