"""Whose number it is: the grammatical subjects of a sentence, and the owners that words beside a number name."""

from collections.abc import Iterator
from typing import NamedTuple

from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import EntitySpan, NumberSpan, SentenceSpans


_BEFORE_A_NAME = frozenset(
    "the host visiting a an guard forward center reserve rookie starter teammate backup also then only , --".split()
)
_BEFORE_A_SUBJECT = frozenset(
    "and but while as with where when because so though although that if since before after which ; . : yet whereas "
    "until".split()
)
_BENCH = frozenset("bench reserves".split())
_RELATIVE = frozenset("which who whose".split())
_POSSESSIVE = frozenset(["'s", "'"])
_FILLERS = frozenset("only just the a an mere".split())
_THEY = frozenset("they it their its".split())
_HE = frozenset("he his him".split())
_OF_A_PLAYER = _HE | frozenset("center guard forward star rookie backcourt frontcourt starters duo".split())
_ROLES = {  # nouns for a team by its place, after "the"
    **dict.fromkeys(("hosts", "home team"), 0),
    **dict.fromkeys(("visitors", "visiting team", "road team"), 1),
}
_BOTH = ("both teams", "the teams", "each team", "both sides", "each side", "the two teams")
_MARKERS = frozenset("for by from".split())
_ENDS = frozenset(", ; . while but to against in with on as that who of".split())


class Owners(NamedTuple):
    """The entities that a number may belong to; `together` if all of them have it, else one of them."""

    entities: tuple[int, ...]
    together: bool = False

    @property
    def is_sure(self) -> bool:
        return len(self.entities) == 1 or self.together


NOBODY = Owners(())


class _Subject(NamedTuple):
    start: int
    owners: Owners


def team_spans(recap: ParsedRecap, sentence: SentenceSpans) -> list[EntitySpan]:
    """The names of a sentence, and "the visitors", "the home team"."""
    spans = list(sentence.entities)
    for start, end in recap.find(*_ROLES):
        if sentence.start <= start < sentence.end and recap.word(start - 1) == "the":
            spans.append(EntitySpan(start, end, recap.phrase(start, end), True, _ROLES[recap.phrase(start, end)]))
    return sorted(spans, key=lambda span: span.start)


def owners_at(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> Owners:
    """The subject of the clause around a position: named in the sentence, else the running subject."""
    subjects = [subject for subject in _subjects(recap, sentence) if subject.start < position]
    if subjects:
        start, owners = subjects[-1]
        words = recap.words[start:position]
        is_his = _OF_A_PLAYER.intersection(words) and all(entity < 2 for entity in owners.entities)
        return NOBODY if is_his else owners
    words = recap.words[sentence.start : position]
    if _HE.intersection(words):
        player = recap.player_at(position)
        return NOBODY if player is None else Owners((player,))
    pronoun = max((at for at, word in enumerate(words, sentence.start) if word in _THEY), default=None)
    objects = {
        span.index
        for span in team_spans(recap, sentence)
        if span.is_team and pronoun is not None and pronoun < span.start < position + 8
    }
    if len(objects) == 1:
        [other] = objects
        return NOBODY if other is None else Owners((1 - other,))  # "They outrebounded the Hawks"
    return Owners((0, 1))


def _subjects(recap: ParsedRecap, sentence: SentenceSpans) -> Iterator[_Subject]:
    """The subjects of a sentence's clauses in order."""
    found = [
        _Subject(start, Owners((0, 1), together=True))
        for start, _ in recap.find(*_BOTH)
        if sentence.start <= start < sentence.end
    ]
    for span in team_spans(recap, sentence):
        if _is_subject(recap, sentence, span):
            found.append(_Subject(span.start, NOBODY if span.index is None else Owners((span.index,))))
    yield from sorted(found)


def _is_subject(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> bool:
    if not span.is_team:
        return True
    if owned_number(recap, sentence, span) is not None:
        return False
    after = recap.words[span.end : span.end + 3]
    if after[:1] and after[0] in _POSSESSIVE:
        after = after[1:]
        if span.start > sentence.start + 1 and not (after and after[0] in _BENCH):
            return False  # "struggled with the Blazers ' bigs"
    if after[:1] and after[0] in _RELATIVE:
        return True
    if after[:1] == [","] and after[1:2] and after[1] in _RELATIVE:
        return True
    position = span.start - 1
    while position >= sentence.start and recap.word(position) in _BEFORE_A_NAME:
        position -= 1
    is_as_a_team = recap.phrase(position - 2, position + 1) == "as a team"
    if position < sentence.start or recap.word(position) in _BEFORE_A_SUBJECT or is_as_a_team:
        return True
    if after[:1] and after[0] in _BENCH and after[1:2] and after[1] in ("that", *_RELATIVE):
        return True
    return "," in recap.words[position + 1 : span.start]


def owned_number(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> NumberSpan | None:
    """The number right after a possessive: "to Indiana 's four", "the Hornets ' 6 - of - 23"."""
    if recap.word(span.end) not in _POSSESSIVE:
        return None
    position = span.end + 1
    while recap.word(position) in _FILLERS:
        position += 1
    return next((number for number in sentence.numbers if number.start == position), None)


def possessor(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> int | None:
    """The team that a possessive right before a number names."""
    for span in team_spans(recap, sentence):
        owned = owned_number(recap, sentence, span)
        if owned is not None and owned.start == number.start and span.is_team:
            return span.index
    return None


def named_beside(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, end: int) -> int | None:
    """The team that "for", "by", "from" and "of" after a number name: "13 - of - 20 for the 76ers".

    Args:
        recap: the recap.
        sentence: its sentence.
        number: the number.
        end: where the words that belong to the number end.
    """
    spans = team_spans(recap, sentence)
    for position in range(number.end, min(sentence.end, end + 10)):
        word = recap.word(position)
        if word in _MARKERS or (word == "of" and position == end):
            start = position + 1 + (recap.word(position + 1) in ("the", "a"))
            span = next((span for span in spans if span.start == start), None)
            if span is not None and span.is_team:
                return span.index
        if position >= end and word in _ENDS and recap.word(position - 1) != "-":
            return None
    return None
