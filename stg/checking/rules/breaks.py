"""Scores, leads and ties at a break: "a 64 - 52 lead into halftime", "led by seven after three quarters"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from modeling_stg.schema import QUARTER_MINUTES, QUARTERS
from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_margin, judge_number, sentences_of_this_game
from stg.extraction.candidates import SentenceSpans


_LEADS = frozenset("lead advantage edge cushion deficit".split())
_BEHIND = frozenset("deficit trailed trailing trail down behind".split())
_AHEAD = frozenset("led leading lead up ahead".split()) | _BEHIND
_TIED = frozenset("tied knotted even deadlocked".split())
_PERIOD = "(?:quarter|frame|period)"
_INTO = r"(?:(?:(?:heading|headed|going|went|goes) )?(?:into|to)|heading in|entering|entered|coming out of) (?:the )?"
_END = r"(?:after|at the end of|by the end of|through|finishing) (?:the )?"
_BREAKS = {
    rf"(?:{_INTO}|(?:at|by) (?:the )?)(?:halftime|half - time|half time|half|break|intermission|locker room)\b": "H1",
    rf"{_INTO}second {_PERIOD}\b": "Q1",
    rf"{_INTO}(?:third {_PERIOD}|third(?= [,.]|$)|second half)\b": "H1",
    rf"{_INTO}(?:fourth|final (?:{_PERIOD}|{QUARTER_MINUTES} minutes|{QUARTER_MINUTES}))\b": "Q3",
    rf"{_END}(?:first|opening) (?:{_PERIOD}|{QUARTER_MINUTES} minutes)\b": "Q1",
    rf"{_END}(?:one|1)(?: {_PERIOD})?(?= [,.]|$)": "Q1",
    rf"{_END}{QUARTER_MINUTES} minutes\b": "Q1",
    rf"{_END}(?:first half|second {_PERIOD})\b": "H1",
    rf"{_END}(?:third(?: {_PERIOD})?|three {_PERIOD}s|3 {_PERIOD}s)\b": "Q3",
    rf"{_END}(?:regulation|four quarters)\b": "Q4",
}
_WHEN = {
    **{"Q1": "after one quarter", "H1": "at halftime", "Q3": "after three quarters"},
    "Q4": "after regulation",
}
_SCORES = {"Q1": QUARTERS[0], "H1": "TEAM-PTS_H1", "Q3": "TEAM-PTS_AFTER_Q3", "Q4": "TEAM-PTS_AFTER_Q4"}
_REACH = 14  # words before a score that may name its break
_LARGEST_LEAD = 60  # "racked up 80 points by the half" is no lead
_MOMENTS = frozenset("minutes seconds run remaining left mark early late midway".split())


class _Break(NamedTuple):
    """A break; not direct if it is named elsewhere in the sentence, so that another moment may be meant."""

    name: str
    is_direct: bool


def score_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "to take a 64 - 52 lead into halftime", "trailed 30 - 25 after one": checks both numbers, not who led."""
    for sentence in sentences_of_this_game(recap):
        for first, second in dashed_pairs(recap, sentence):
            before = recap.words[max(sentence.start, first.start - 4) : first.start]
            is_lead = recap.word(second.end) in _LEADS or recap.word(second.end + 1) in _LEADS
            if not is_lead and not (_AHEAD | _TIED).intersection(before):
                continue
            at = _break(recap, sentence, first.start, second.end)
            if at is None:
                continue
            leader = next((team for team in (0, 1) if recap.facts.get(team, f"TEAM-LEAD_{at.name}")), 0)
            higher, lower = (first, second) if first.value >= second.value else (second, first)
            claims = [(higher, leader), (lower, 1 - leader)]
            fits = all(recap.facts.number(team, _SCORES[at.name]) == number.value for number, team in claims)
            for number, team in claims if fits or at.is_direct else ():
                claim = f"{number.value} points {_WHEN[at.name]}"
                yield from judge_number(recap, number, team, _SCORES[at.name], claim)


def lead_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a two - point lead into the fourth", "led by seven at the half": checks the margin, not who led."""
    for sentence in sentences_of_this_game(recap):
        for number in sentence.numbers:
            after = recap.words[number.end : number.end + 4]
            before = recap.words[max(sentence.start, number.start - 2) : number.start]
            lead = next((word for word in after[2:] if word in _LEADS), None)
            if after[:2] == ["-", "point"] and lead:
                end, is_behind = number.end + 2, lead in _BEHIND
            elif _AHEAD.intersection(before) and recap.word(number.end) != "-" and number.value < _LARGEST_LEAD:
                end, is_behind = number.end + (after[:1] == ["points"]), bool(_BEHIND.intersection(before))
            else:
                continue
            at = _break(recap, sentence, number.start, end)
            if at is not None:
                margins = (f"TEAM-{'DEFICIT' if is_behind else 'LEAD'}_{at.name}", f"TEAM-TIED_{at.name}")
                claim = f"a lead of {number.value} {_WHEN[at.name]}"
                found = judge_margin(recap, number, margins, claim)
                yield from (finding for finding in found if at.is_direct or finding.verdict == "true")


def tied_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "went into the break tied at 52"."""
    for sentence in sentences_of_this_game(recap):
        for number in sentence.numbers:
            before = recap.words[max(sentence.start, number.start - 2) : number.start]
            if not _TIED.intersection(before[:1]) or before[1:] != ["at"] or recap.word(number.end) == "-":
                continue
            at, team = _break(recap, sentence, number.start, number.end), recap.team_at(number.start) or 0
            if at is not None:
                claim = f"{number.value} points {_WHEN[at.name]}"
                found = judge_number(recap, number, team, _SCORES[at.name], claim)
                yield from (finding for finding in found if at.is_direct or finding.verdict == "true")


def _break(recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int) -> _Break | None:
    """The break that the words after a score name ("lead at halftime", "halftime lead"), else those before it."""
    after = recap.words[end : min(sentence.end, end + 10)]
    if after[:1] == ["halftime"] or after[:3] == ["half", "-", "time"] or after[:3] == ["first", "-", "half"]:
        return _Break("H1", is_direct=True)
    text = " ".join(after[1:] if after[:1] and after[0] in (*_LEADS, ",") else after)
    for pattern, name in _BREAKS.items():
        if re.match(pattern, text):
            return _Break(name, is_direct=True)
    if _MOMENTS.intersection(after[:5]):
        return None
    before = " ".join(recap.words[max(sentence.start, start - _REACH) : start])
    found = [(match.start(), name) for pattern, name in _BREAKS.items() for match in re.finditer(pattern, before)]
    return _Break(max(found)[1], is_direct=False) if found else None
