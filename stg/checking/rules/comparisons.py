"""Comparisons of both teams, which several rules read: "105 - 104", "outscored the Magic"."""

from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan, SentenceSpans


# What follows is an object.
_OBJECT_AFTER = frozenset(
    "outscored outscoring outscore outrebounded outrebounding outshot outshooting scored outdid doubled beat beating "
    "defeated routed edged crushed topped over past against held holding holds to of from than by on".split()
)
_SPLIT = frozenset("score scored scores scoring rebounded rebounding shot shooting".split())  # after "out -"
_RELATIVE = frozenset("who which".split())
_BY_PLACE = {"hosts": 0, "visitors": 1}
_NOT_TOTALS = frozenset("led trailed tied late trailing".split())


def dashed_pairs(recap: ParsedRecap, sentence: SentenceSpans) -> list[tuple[NumberSpan, NumberSpan]]:
    """Numbers joined by a hyphen, "105 - 104", but not a record in brackets."""
    return [
        (first, second)
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False)
        if recap.words[first.end : second.start] == ["-"] and recap.word(first.start - 1) != "("
    ]


def outdoing_team(recap: ParsedRecap, sentence: SentenceSpans, position: int, verbs: frozenset[str]) -> int | None:
    """The team that outdoes the other by one of the verbs before a position; None if it is passive or missing."""
    words = recap.words[sentence.start : position]
    positions = [sentence.start + at for at, word in enumerate(words) if word in verbs]
    if not positions or _NOT_TOTALS.intersection(words) or recap.word(positions[-1] + 1) == "by":
        return None
    verb = positions[-1]
    if {"were", "was", "being"}.intersection(recap.words[max(0, verb - 3) : verb]):
        return None
    teams = [(span.start, span.index) for span in sentence.entities if span.is_team and span.start < position]
    objects = [index for start, index in teams if index is not None and start > verb]
    subjects = [index for start, index in teams if index is not None and start < verb]
    if objects:
        return 1 - objects[-1]
    return subjects[-1] if subjects else None


def clause_subject(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> tuple[int | None, bool]:
    """The team that a clause is about, and whether the sentence names it."""
    teams = [span for span in sentence.entities if span.is_team and span.index is not None]
    for at in range(
        position - 1, max([sentence.start, *(span.end for span in teams if span.end <= position)]) - 1, -1
    ):
        is_after = recap.word(at - 1) == "the" and recap.word(at - 2) in _OBJECT_AFTER
        if recap.word(at) in _BY_PLACE and not is_after:
            return _BY_PLACE[recap.word(at)], True
    for span in reversed([span for span in teams if span.start < position]):
        before = recap.words[max(sentence.start, span.start - 3) : span.start]
        before = before[:-1] if before[-1:] == ["the"] else before
        is_relative = recap.word(span.end + (recap.word(span.end) == ",")) in _RELATIVE  # "of Cleveland , who trailed"
        is_owner = recap.word(span.end) in ("'s", "'") and before[-1:] != ["doubled"]
        is_split = before[-2:-1] == ["-"] and before[-1] in _SPLIT  # "out - scoring the Hawks"
        is_object = (is_split or bool(_OBJECT_AFTER.intersection(before[-1:]))) and not is_relative and not is_owner
        is_only = not any(other.start < span.start for other in teams)
        is_beside = before[-1:] == ["for"] and before[-2:-1] != ["only"] and not is_only and not is_relative
        if not is_object and not is_beside:
            return span.index, True
        if is_only:
            assert span.index is not None
            return 1 - span.index, True
    first = recap.word(sentence.start)
    later = [span for span in teams if span.start > position]
    if later and (first.endswith("ing") or first in ("down", "up", "ahead", "behind", "after", "tied")):
        return later[0].index, True  # "Trailing 73 - 69 after three , the Magic won the fourth"
    return recap.team_at(position), False
