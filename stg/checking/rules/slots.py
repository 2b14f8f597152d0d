"""A number of this game in running prose: whose it is, and whether it is right.

A team's number that does not fit is false, unless the sentence may be about a part of the game or another one; of a
player only what fits, or was missed, is judged, since the extractor reads the rest better.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from modeling_stg.facts import Fact
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.subjects import NOBODY, Owners, named_beside, owners_at, possessor
from stg.extraction.candidates import NumberSpan, SentenceSpans


PARTS = frozenset(
    "quarter quarters half halftime period stretch minutes run overtime regulation span first second third fourth "
    "opening final break frame combined late early".split()
)
_OTHER_GAMES = frozenset(
    "season average averages averaged averaging per last past previous previously earlier prior straight row "
    "respectively".split()
)
_THRESHOLDS = frozenset("than over under eclipsed least nearly almost about around above below roughly".split())
_HOLDING = frozenset("held holding hold limited limiting limit keeping kept".split())
FILLERS = frozenset("only just the a an mere and".split())
_ASIDES = (["on"], ["for"], [",", "or"], [",", "a"], ["percent", "on"], ["for", "a"])  # between numbers of one owner
_ROUNDED = 1  # percentage points: writers round up or down


@dataclass(frozen=True)
class Slot:
    """A number and the columns it may count, likeliest first; `end` is where its own words end."""

    number: NumberSpan
    columns: tuple[str, ...]
    owners: Owners
    end: int


def sentences(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences that are not about coming games."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index):
            yield sentence


def owners_of(
    recap: ParsedRecap,
    sentence: SentenceSpans,
    number: NumberSpan,
    columns: tuple[str, ...],
    end: int,
    last: Slot | None,
) -> Owners:
    """Whose number it is: of the team named beside it, of the clause's subject, or of the other team after "to"."""
    subject = owners_at(recap, sentence, number.start)
    is_players = len(subject.entities) == 1 and subject.entities[0] > 1
    team = possessor(recap, sentence, number)
    if team is None and not is_players:
        team = named_beside(recap, sentence, number, end)
    if team is not None:
        return Owners((team,))
    before = recap.words[sentence.start : number.start]
    while before and before[-1] in FILLERS - {"and"}:
        before.pop()
    if last is not None and last.owners.is_sure and not last.owners.together:
        [owner] = last.owners.entities
        if recap.words[last.end : number.start] in _ASIDES:
            return last.owners  # "to 42 percent on 36 - of - 86"
        is_held = _HOLDING.intersection(before[-10:])
        if before[-1:] in (["to"], ["against"]) and owner < 2 and not is_held:
            if _is_alike(columns[0], last.columns[0]):
                return Owners((1 - owner,))
    if _HOLDING.intersection(before) and not is_players:
        if last is not None and last.columns[0].endswith("_PCT") and columns[0].endswith("_PCT"):
            if "and" in recap.words[last.end : number.start]:
                return last.owners  # "held Dallas to 39 percent from the field and 28 percent from deep"
        if re.search(r"\b(?:held|holding|limited|limiting) (?:\S+ ){1,4}to$", " ".join(before)) and subject.is_sure:
            return NOBODY if subject.together else Owners((1 - subject.entities[0],))
        return Owners((0, 1))
    if is_players and (before[-2:] == ["team", "'s"] or before[-2:] in (["of", "its"], ["of", "their"])):
        return Owners((team_of(recap, subject.entities[0]),))  # "eight of the team 's 22 turnovers"
    return subject


def _is_alike(column: str, other: str) -> bool:
    """Whether two numbers may be compared: the same column, both shots, or both percentages."""
    if column.endswith("_PCT") and other[-1] in "MA":
        return True
    return column == other or (column[-1] in "MA" and other[-1] in "MA") or column[-4:] == other[-4:] == "_PCT"


def judge(recap: ParsedRecap, sentence: SentenceSpans, slot: Slot) -> Iterator[Finding]:
    """True if the owners have the number; else false if nothing else can be meant."""
    number, owners = slot.number, slot.owners
    for column in slot.columns:
        fitting = [fact for entity in owners.entities if (fact := _fitting(recap, entity, column, number.value))]
        if len(fitting) == len(owners.entities) or (fitting and not owners.together):
            claim = f"{recap.name(fitting[0].entity or 0)}: {number.value} {fitting[0].attribute}"
            yield decide("number", number.start, number.end, True, claim, fact=fitting[0])
            return
    entity, column = owners.entities[0], slot.columns[0]
    fact = recap.facts.get(entity, attribute_of(column, entity))
    is_named = owners.is_sure or {"they", "it", "their", "its"}.intersection(
        recap.words[sentence.start : number.start]
    )
    near = recap.words[max(sentence.start, number.start - 3) : number.start]
    if _THRESHOLDS.intersection(near) and "ball" not in near:  # "turned the ball over 15 times"
        return
    is_taken = column == "FGA" and recap.word(number.end) in ("shots", "attempts")
    is_judged = column.endswith("MISSED") or is_taken if entity > 1 else is_named
    if fact is not None and is_judged and is_whole_game(recap, sentence):
        claim = f"{recap.name(entity)}: {number.value} {fact.attribute}"
        truth = fact.value if len(owners.entities) == 1 else None
        yield decide("number", number.start, number.end, False, claim, truth, fact)


def _fitting(recap: ParsedRecap, entity: int, column: str, value: int) -> Fact | None:
    fact = recap.facts.get(entity, attribute_of(column, entity))
    tolerance = _ROUNDED if column.endswith("_PCT") else 0
    return fact if fact is not None and abs(fact.number - value) <= tolerance else None


def is_whole_game(recap: ParsedRecap, sentence: SentenceSpans) -> bool:
    """Whether a sentence can only be about this game, and all of it."""
    words = recap.words[sentence.start : sentence.end]
    own = WEEKDAY_WORDS[recap.game.date.weekday()]
    is_third = any(span.is_team and span.index is None for span in sentence.entities)
    is_other_day = any(word in WEEKDAY_WORDS and word != own for word in words)
    return not ((PARTS | _OTHER_GAMES).intersection(words) or is_third or is_other_day)


def number_of(recap: ParsedRecap, entity: int, column: str) -> int | None:
    return recap.facts.number(entity, attribute_of(column, entity))


def attribute_of(column: str, entity: int) -> str:
    if entity > 1:
        return column
    return "TEAM-TOV" if column == "TO" else f"TEAM-{column}"


def team_of(recap: ParsedRecap, entity: int) -> int:
    return entity if entity < 2 else recap.game.team_of(entity)
