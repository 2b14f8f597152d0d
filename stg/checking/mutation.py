"""Mutations of a recap: one number, name or word changed at a time, so that a true sentence becomes a false one."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from modeling_stg.box_score import Entity
from modeling_stg.game import Game
from modeling_stg.nba import CITY_FORMS
from modeling_stg.numbers import LARGEST_WORD, has_word, read_number, to_word
from modeling_stg.schema import WEEKDAYS
from stg.checking.alignment import character_spans, recap_tokens
from stg.extraction.candidates import (
    THREE_POINT_WORDS,
    EntitySpan,
    Names,
    SentenceSpans,
    sentence_spans,
    team_forms,
)


KINDS = {
    "number": "a number changed",
    "order": "a score or record turned round",
    "player": "another player's name",
    "team": "the other team's name",
    "winner": "winner and loser confused",
    "place": "home and road confused",
    "leader": "led and trailed confused",
    "day": "another day of the week",
}
_STEPS = (-10, -3, -2, -1, 1, 2, 3, 10)
_LEAST_STEP_OF_PERCENTAGE = 2  # less may be rounding
_BOUNDS = re.compile(r"(at least|more than|fewer than|less than|no more than|over|under|nearly|almost|about|around)$")
_SWAPS: Mapping[str, Mapping[str, str]] = {
    "winner": {
        **dict.fromkeys(("beat", "defeated", "topped", "edged", "routed", "downed", "upset", "outlasted"), "lost to"),
        **dict.fromkeys(("held off", "slipped past", "cruised past", "rolled past"), "lost to"),
        **{"fell to": "beat", "lost to": "beat", "won": "lost", "lost": "won", "winners of": "losers of"},
        **{"win over": "loss to", "victory over": "loss to", "loss to": "win over", "defeat of": "loss to"},
        **{"winning streak": "losing streak", "losing streak": "winning streak", "losers of": "winners of"},
        **{"win": "loss", "loss": "win", "victory": "defeat", "defeat": "victory", "skid": "winning streak"},
    },
    "place": {
        **{"at home": "on the road", "on the road": "at home", "away from home": "at home"},
        **{"host": "visit", "hosts": "visits", "hosted": "visited", "visit": "host", "visits": "hosts"},
        **{"visited": "hosted", "home team": "road team", "road team": "home team"},
    },
    "leader": {
        **{"was ahead": "was behind", "were ahead": "were behind", "was behind": "was ahead"},
        **{"were behind": "were ahead", "led by": "trailed by", "trailed by": "led by"},
    },
}
_PATTERNS = {
    kind: re.compile(rf"\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b") for kind, words in _SWAPS.items()
}
_LEADS = re.compile(r"\b(led|trailed)(?= \d+-\d+)")


@dataclass(frozen=True)
class Mutation:
    """`text[start:end]` replaced by `new`, in the sentence `text[sentence[0]:sentence[1]]`."""

    kind: str
    start: int
    end: int
    new: str
    sentence: tuple[int, int]

    def apply(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]

    @property
    def growth(self) -> int:
        return len(self.new) - (self.end - self.start)


def mutations(text: str, game: Game, names: Names, seed: int = 0) -> Iterator[Mutation]:
    """All mutations of a recap, in reading order by kind; what replaces a number or a name is drawn at random.

    Args:
        text: plain text.
        game: the game it is about.
        names: of the extractor, by which names of players and teams are found.
        seed: another one draws other replacements.

    Example:
        >>> [mutation.apply(text) for mutation in mutations("The Bucks won 105-104.", game, extractor.names)]
    """
    generator = random.Random(f"{seed} {text}")
    tokens = recap_tokens(text)
    spans = character_spans(text, tokens)
    for sentence in sentence_spans(tokens, game, names):
        bounds = spans[sentence.start][0], spans[sentence.end - 1][1]
        parts = (
            *_numbers(tokens, sentence, generator),
            *_orders(tokens, sentence),
            *_names(game, sentence, generator),
            *_days(tokens, sentence, generator),
        )
        for kind, start, end, new in parts:
            yield Mutation(kind, spans[start][0], spans[end - 1][1], new, bounds)
        for kind, start, end, new in _words(text, *bounds):
            yield Mutation(kind, start, end, new, bounds)


_Part = tuple[str, int, int, str]  # kind, tokens[start:end], what replaces them


def _numbers(tokens: list[str], sentence: SentenceSpans, generator: random.Random) -> Iterator[_Part]:
    """Every number but "one", which is often a pronoun, the names of shots, and bounds such as "at least 20"."""
    position = sentence.start
    named = {at for entity in sentence.entities for at in range(entity.start, entity.end)}
    while position < sentence.end:
        read = read_number(tokens, position)
        if read is None or position in named:
            position += 1
            continue
        value, length = read
        start, end = position, position + length
        position = end
        after = [token.lower() for token in tokens[end : end + 2]]
        is_shot = value == 3 and bool(THREE_POINT_WORDS.intersection(after[1:] if after[:1] == ["-"] else after[:1]))
        is_bound = _BOUNDS.search(" ".join(tokens[max(start - 3, 0) : start]).lower())
        if tokens[start].lower() == "one" or is_shot or is_bound:
            continue
        least = _LEAST_STEP_OF_PERCENTAGE if after[:1] in (["percent"], ["%"]) else 1
        steps = [step for step in _STEPS if value + step > 0 and abs(step) >= least and abs(step) <= max(value, 3)]
        yield "number", start, end, _written(value + generator.choice(steps), tokens[start])


def _written(value: int, like: str) -> str:
    if like.isdecimal() or value > LARGEST_WORD or not has_word(value):
        return str(value)
    return to_word(value).capitalize() if like[0].isupper() else to_word(value)


def _orders(tokens: list[str], sentence: SentenceSpans) -> Iterator[_Part]:
    for at in range(sentence.start, sentence.end - 2):
        first, dash, second = tokens[at : at + 3]
        is_pair = dash == "-" and first.isdecimal() and second.isdecimal() and first != second
        if is_pair and tokens[at + 3 : at + 4] != ["-"] and tokens[at - 1 : at] != ["-"]:
            yield "order", at, at + 3, f"{second}-{first}"


def _names(game: Game, sentence: SentenceSpans, generator: random.Random) -> Iterator[_Part]:
    """Names in sentences that state a number; elsewhere a name often goes with nothing that anyone could check."""
    if not sentence.numbers:
        return
    named = {entity.index for entity in sentence.entities}
    for entity in sentence.entities:
        if entity.index is None:
            continue
        if entity.is_team:
            new = _other_team(game.entities[entity.index], game.entities[1 - entity.index], entity)
        else:
            new = _other_player(game, named, entity, generator)
        if new is not None and new != entity.text:
            yield "team" if entity.is_team else "player", entity.start, entity.end, new


def _other_team(team: Entity, other: Entity, written: EntitySpan) -> str | None:
    if written.text == team.full_name:
        return other.full_name
    city = team.text("TEAM-CITY")
    if written.text in (city, *CITY_FORMS.get(city, ())):
        return other.text("TEAM-CITY")
    return other.name if written.text in team_forms(team.name) else None


def _other_player(game: Game, named: set[int | None], written: EntitySpan, generator: random.Random) -> str | None:
    """A player who played, is not named in the sentence and has other points; by his last name if this one is."""
    player = game.entities[written.index or 0]
    is_last = written.text == player.text("SECOND_NAME")
    if not is_last and written.text != player.name:
        return None
    lasts = [other.text("SECOND_NAME") for other in game.players]
    others = [
        other
        for position, other in enumerate(game.players, 2)
        if position not in named
        and other.did_play
        and other.values["PTS"] != player.values["PTS"]
        and lasts.count(other.text("SECOND_NAME")) == 1
    ]
    if not others:
        return None
    other = generator.choice(others)
    return other.text("SECOND_NAME") if is_last else other.name


def _days(tokens: list[str], sentence: SentenceSpans, generator: random.Random) -> Iterator[_Part]:
    for at in range(sentence.start, sentence.end):
        if tokens[at] in WEEKDAYS:
            yield "day", at, at + 1, generator.choice([day for day in WEEKDAYS if day != tokens[at]])


def _words(text: str, start: int, end: int) -> Iterator[_Part]:
    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(text, start, end):
            yield kind, match.start(), match.end(), _SWAPS[kind][match.group()]
    for match in _LEADS.finditer(text, start, end):
        yield "leader", match.start(), match.end(), "trailed" if match.group() == "led" else "led"
