"""Comparisons of both teams, which several rules read: "105 - 104", "outscored the Magic"."""

from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan, SentenceSpans


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
