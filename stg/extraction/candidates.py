"""Candidate relations of a summary: every entity span, paired with every number of its sentence.

Entities are matched longest first against the names of the game and of the training games: summaries also mention
other teams and absent players, whose numbers the box score never supports. As in the published extractors, a city
before a two-word name is an entity of its own ("Portland" and "Trail Blazers"), pronouns are skipped, and relations
do not cross sentences.
"""

import copy
import functools
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from modeling_stg.game import Game
from modeling_stg.nba import CITY_FORMS, SHORT_NAMES
from modeling_stg.numbers import read_number
from modeling_stg.schema import PLAYER_NUMBERS, TEAM_NUMBERS, relation_type
from modeling_stg.text import plain_letters, sentences


NONE = "NONE"
TYPES = (NONE, *TEAM_NUMBERS, *map(relation_type, PLAYER_NUMBERS))
_SUFFIXES = ("Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV")
MAX_SENTENCE = 800  # tokens; people write fewer than 100, only a looping model writes more
_MAX_NAME = 6  # tokens
THREE_POINT_WORDS = frozenset("point pointer pointers pt pter pters ball balls".split())  # after "three" or "3"
_COUNTED_ONCE = ("assist", "block", "rebound", "steal", "turnover")


@dataclass(frozen=True)
class EntitySpan:
    """`text` is `tokens[start:end]` as written; `index` is the position in `game.entities`, None for an outsider."""

    start: int
    end: int
    text: str
    is_team: bool
    index: int | None


@dataclass(frozen=True)
class NumberSpan:
    start: int
    end: int
    text: str
    value: int


@dataclass(frozen=True)
class Candidate:
    """A pair that a sentence, `tokens[sentence[0]:sentence[1]]`, might relate."""

    entity: EntitySpan
    number: NumberSpan
    sentence: tuple[int, int]


@dataclass(frozen=True)
class Names:
    """The names of the training games: full names of players, team names, cities."""

    players: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    cities: frozenset[str] = frozenset()

    @classmethod
    def collect(cls, games: Iterable[Game]) -> "Names":
        players: set[str] = set()
        teams: set[str] = set()
        cities: set[str] = set()
        for game in games:
            players.update(player.name for player in game.players)
            teams.update(team.text("TEAM-NAME") for team in game.entities[:2])
            cities.update(team.text("TEAM-CITY") for team in game.entities[:2])
        return cls(frozenset(players), frozenset(teams), frozenset(cities))

    @cached_property
    def team_forms(self) -> frozenset[str]:
        forms = {form for city in self.cities for form in (city, *CITY_FORMS.get(city, ()))}
        for name in self.teams:
            forms.update(team_forms(name))
            forms.update(f"{city} {name}" for city in self.cities if " " not in name)
        return frozenset(forms)

    @cached_property
    def player_parts(self) -> frozenset[str]:
        parts = {part for name in self.players for part in (name.split()[0], plain_last_name(name))}
        return frozenset(parts - self.team_forms - {""})

    @cached_property
    def starts(self) -> frozenset[str]:
        return frozenset(form.split()[0] for form in self.players | self.team_forms | self.player_parts)


_NO_NAMES = Names()


class _Same:
    """Something as the key of a cache that only asks whether it is the same object."""

    def __init__(self, value: Any):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


class _Lexicon:
    """Maps written forms to entities. "Orlando" is the team, not Orlando Johnson: teams precede name parts."""

    def __init__(self, game: Game, names: Names):
        self.game, self.names = game, names
        self.teams: dict[str, int | None] = {}
        self.full: dict[str, int] = {}
        self.last: dict[str, list[int]] = {}
        self.first: dict[str, list[int]] = {}
        self.recent: dict[str, int] = {}
        # A form both teams share ("Los Angeles") goes to the team whose cell holds it, else to neither.
        forms = [team_forms(team.text("TEAM-NAME"), team.text("TEAM-CITY")) for team in game.entities[:2]]
        cities = [team.text("TEAM-CITY") for team in game.entities[:2]]
        for index, own in enumerate(forms):
            for form in own:
                if form not in forms[1 - index] or (form == cities[index] and form != cities[1 - index]):
                    self.teams[form] = index
                else:
                    self.teams.setdefault(form, None)
        for index, player in enumerate(game.players, 2):
            for form in (f"{player.name.split()[0]} {plain_last_name(player.name)}".strip(), player.name):
                self.full[_undotted(form)] = index
                self.full.setdefault(plain_letters(_undotted(form)), index)
            for form in _with_plain({player.text("SECOND_NAME"), plain_last_name(player.name)} - {""}):
                if not self._is_team(form):
                    self.last.setdefault(form, []).append(index)
            for form in _with_plain({player.text("FIRST_NAME")}):
                if not self._is_team(form):
                    self.first.setdefault(form, []).append(index)
        own = (*self.teams, *self.full, *self.last, *self.first)
        self.starts = {form.split()[0] for form in own if form}

    def _is_team(self, form: str) -> bool:
        return form in self.teams or form in self.names.team_forms

    def may_start(self, token: str) -> bool:
        forms = (token, _undotted(token), plain_letters(_undotted(token)))
        return token in self.names.starts or any(form in self.starts for form in forms)

    def resolve(self, form: str) -> tuple[bool, int | None] | None:
        """(is a team, position in the game's entities) of a form, with or without accents; None if it is no name."""
        resolved = self._resolve(form)
        if form.isascii() or (resolved and resolved[1] is not None):
            return resolved
        return self._resolve(plain_letters(form)) or resolved

    def _resolve(self, form: str) -> tuple[bool, int | None] | None:
        names = self.names
        if _undotted(form) in self.full or form in names.players:
            index = self.full.get(_undotted(form))
            if index is not None:
                self.recent[plain_last_name(form)] = self.recent[form.split()[0]] = index
            return False, index
        if self._is_team(form):
            return True, self.teams.get(form)
        if form in self.last:
            owners = self.last[form]
            if self.recent.get(form) in owners:
                return False, self.recent[form]
            return False, next((index for index in owners if self.game.entities[index].did_play), owners[0])
        if form in self.first:
            owners = self.first[form]
            if len(owners) == 1:
                return False, owners[0]
            return False, self.recent[form] if self.recent.get(form) in owners else None
        return (False, None) if form in names.player_parts else None


@functools.lru_cache(maxsize=64)
def _lexicon(game: _Same, names: _Same) -> _Lexicon:
    return _Lexicon(game.value, names.value)


def team_forms(name: str, city: str | None = None) -> list[str]:
    """The written forms of a team: "Clippers", "LA Clippers", "LA", "Blazers", "Sixers"."""
    short = [name, *SHORT_NAMES.get(name, ())]
    if city is None:
        return short
    cities = [city, *CITY_FORMS.get(city, ())]
    joined = [f"{city_form} {form}" for city_form in cities for form in short if " " not in form]
    return short + joined + cities


def _undotted(name: str) -> str:
    """One form for "TJ Warren" and "T.J. Warren", and for both apostrophes of "De'Aaron"."""
    return name.replace(".", "").replace("’", "'")


def _with_plain(forms: set[str]) -> list[str]:
    """The forms, and those without accents."""
    return sorted(forms | {plain_letters(form) for form in forms})


def plain_last_name(name: str) -> str:
    """ "Nance" for "Larry Nance Jr.": without the first word and the suffix."""
    return " ".join(word for word in name.split()[1:] if word not in _SUFFIXES)


def entity_spans(tokens: list[str], game: Game, names: Names | None = None) -> list[EntitySpan]:
    """Entities of a whole summary. A shared last name means the player last named in full."""
    lexicon = copy.copy(_lexicon(_Same(game), _Same(names or _NO_NAMES)))
    lexicon.recent = {}  # of this text
    spans: list[EntitySpan] = []
    position = 0
    while position < len(tokens):
        span = _longest(tokens, position, lexicon)
        if span:
            spans.append(span)
        position = span.end if span else position + 1
    return spans


def _longest(tokens: list[str], position: int, lexicon: _Lexicon) -> EntitySpan | None:
    if not lexicon.may_start(_without_possessive(tokens[position])) and not lexicon.may_start(tokens[position]):
        return None
    for length in range(min(_MAX_NAME, len(tokens) - position), 0, -1):
        written = " ".join(tokens[position : position + length])
        for form in (written, _without_possessive(written)):
            resolved = lexicon.resolve(form)
            if resolved:
                return EntitySpan(position, position + length, form, *resolved)
    return None


def _without_possessive(form: str) -> str:
    for ending in ("'s", "’s", "'", "’"):
        if form.endswith(ending):
            return form[: -len(ending)]
    return form


def number_spans(tokens: list[str], implicit_one: bool = False) -> list[NumberSpan]:
    """Numbers in digits or words, but not "three" in "three - pointers". `implicit_one` reads "a steal" as 1."""
    spans = []
    position = 0
    while position < len(tokens):
        number = read_number(tokens, position)
        if number and not _is_shot(tokens, position, *number):
            value, length = number
            spans.append(
                NumberSpan(position, position + length, " ".join(tokens[position : position + length]), value)
            )
        elif implicit_one and tokens[position] in ("a", "an") and tokens[position + 1 : position + 2]:
            if tokens[position + 1] in _COUNTED_ONCE:
                spans.append(NumberSpan(position, position + 1, tokens[position], 1))
        position += number[1] if number else 1
    return spans


def _is_shot(tokens: list[str], position: int, value: int, length: int) -> bool:
    if value != 3:
        return False
    rest = [token.lower() for token in tokens[position + length : position + length + 2]]
    if rest[:1] == ["-"]:
        rest = rest[1:]
    return bool(rest) and rest[0] in THREE_POINT_WORDS


@dataclass(frozen=True)
class SentenceSpans:
    """The entities and numbers of one sentence, `tokens[start:end]`."""

    start: int
    end: int
    entities: tuple[EntitySpan, ...]
    numbers: tuple[NumberSpan, ...]

    @property
    def pairs(self) -> list[Candidate]:
        """Candidates by entity, then by number: the order that CO scores."""
        span = (self.start, self.end)
        return [Candidate(entity, number, span) for entity in self.entities for number in self.numbers]


def sentence_spans(
    tokens: list[str], game: Game, names: Names | None = None, implicit_one: bool = False
) -> list[SentenceSpans]:
    """Entities and numbers by sentence; digits inside a name ("76ers") are not numbers."""
    return [*_sentence_spans(tuple(tokens), _Same(game), _Same(names), implicit_one)]


@functools.lru_cache(maxsize=64)  # extractor, annotation and rules ask about the same recap one after another
def _sentence_spans(
    words: tuple[str, ...], same_game: _Same, same_names: _Same, implicit_one: bool
) -> list[SentenceSpans]:
    tokens, game, names = list(words), same_game.value, same_names.value
    entities = entity_spans(tokens, game, names)
    named = {position for entity in entities for position in range(entity.start, entity.end)}
    numbers = [number for number in number_spans(tokens, implicit_one) if number.start not in named]
    return [
        SentenceSpans(
            start,
            end,
            tuple(_starting(entities, start, end)),
            tuple(_starting(numbers, start, end)),
        )
        for start, end in _bounded(sentences(tokens))
    ]


_Span = TypeVar("_Span", EntitySpan, NumberSpan)


def _starting(spans: list[_Span], start: int, end: int) -> list[_Span]:
    """The spans, which are in reading order, that begin within `start:end`."""
    first, last = (bisect_left(spans, position, key=lambda span: span.start) for position in (start, end))
    return spans[first:last]


def _bounded(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Cuts overlong sentences: memory grows with the square of a sentence's length."""
    for start, end in spans:
        for cut in range(start, end, MAX_SENTENCE):
            yield cut, min(cut + MAX_SENTENCE, end)


def candidates(
    tokens: list[str], game: Game, names: Names | None = None, implicit_one: bool = False
) -> list[Candidate]:
    """All candidates of a summary, sentence by sentence."""
    return [pair for sentence in sentence_spans(tokens, game, names, implicit_one) for pair in sentence.pairs]


def labels(candidate: Candidate, game: Game) -> tuple[str, ...]:
    """Every relation type for which the entity has this number; (NONE,) if there is none."""
    if candidate.entity.index is None:
        return (NONE,)
    entity = game.entities[candidate.entity.index]
    value = str(candidate.number.value)
    attributes = TEAM_NUMBERS if entity.is_team else PLAYER_NUMBERS
    fitting = tuple(relation_type(attribute) for attribute in attributes if entity.values[attribute] == value)
    return fitting or (NONE,)
