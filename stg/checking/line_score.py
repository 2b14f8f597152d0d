"""What the points of each quarter decide: leads and margins at a break, quarters won by so many, overtime."""

import re
from collections.abc import Iterator

from modeling_stg.schema import QUARTERS
from stg.checking.findings import Finding, judged
from stg.checking.outlook import is_outlook
from stg.checking.reading import Reading
from stg.extraction.candidates import NumberSpan, SentenceSpans


_LEADS = frozenset("lead advantage edge cushion deficit".split())
_AHEAD = frozenset("led leading trailed trailing up down ahead behind".split())
_ORDINALS = {"first": 1, "opening": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
_INTO = r"(?:(?:heading|headed|going) )?(?:into|to|entering) (?:the )?"
_END = r"(?:after|at the end of|by the end of|through) (?:the )?"
# words that follow a lead, and after how many quarters that is
_BREAKS = {
    rf"(?:{_INTO}|(?:at|by) (?:the )?)(?:halftime|half|break|intermission|locker room)\b": 2,
    rf"{_INTO}second (?:quarter|frame|period)\b": 1,
    rf"{_INTO}(?:third|second half)\b": 2,
    rf"{_INTO}(?:fourth|final (?:quarter|frame|period|12 minutes|12))\b": 3,
    rf"{_END}(?:first|opening) (?:quarter|frame|period|12 minutes)\b": 1,
    rf"{_END}(?:one|1)(?: quarter)?(?= [,.]|$)": 1,
    rf"{_END}(?:first half|second quarter)\b": 2,
    rf"{_END}(?:third(?: quarter| frame| period)?|three quarters|3 quarters)\b": 3,
}
_QUARTER = re.compile(rf"in the ({'|'.join(_ORDINALS)}) (?:quarter|frame|period)\b")
_WON = re.compile(rf"won the ({'|'.join(_ORDINALS)}) (?:quarter|frame|period) by (?:a )?$")


def line_score_findings(reading: Reading) -> Iterator[Finding]:
    if not all(map(reading.has, (*QUARTERS, "TEAM-PTS"))):
        return
    for number, sentence in enumerate(reading.sentences):
        if is_outlook(reading, number) or reading.is_elsewhere(sentence.start):
            continue
        yield from _scores(reading, sentence)
        yield from _margins(reading, sentence)
        yield from _quarters(reading, sentence)
    yield from _overtime(reading)


def _points(reading: Reading, quarters: tuple[str, ...]) -> list[int]:
    """Of both teams, the higher first."""
    return sorted((sum(reading.value(team, quarter) for quarter in quarters) for team in (0, 1)), reverse=True)


def _after(reading: Reading, sentence: SentenceSpans, place: int) -> str:
    return " ".join(reading.words[place : min(sentence.end, place + 8)])


def _quarters_played(text: str) -> int | None:
    """At which break something stands, that goes on with this text."""
    return next((played for pattern, played in _BREAKS.items() if re.match(pattern, text)), None)


def _scores(reading: Reading, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "to take a 64 - 52 lead into halftime": both numbers, whoever led."""
    for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
        joined = reading.words[first.end : second.start] == ["-"] and reading.word(second.end) in _LEADS
        played = _quarters_played(_after(reading, sentence, second.end + 1)) if joined else None
        if played is not None:
            told = sorted((first, second), key=lambda each: -each.value)
            for number, points in zip(told, _points(reading, QUARTERS[:played]), strict=True):
                yield _judged(number, points, f"{number.value} points {_when(played)}")


def _margins(reading: Reading, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "a two - point lead into the fourth", "led by seven at the half": how much it was, whoever led."""
    for number in sentence.numbers:
        after = reading.words[number.end : number.end + 3]
        end = None
        if after[:2] == ["-", "point"] and after[2:] and after[2] in _LEADS:
            end = number.end + 3
        elif _AHEAD.intersection(reading.words[max(sentence.start, number.start - 2) : number.start]):
            end = number.end + (after[:1] == ["points"])
        played = None if end is None else _quarters_played(_after(reading, sentence, end))
        if played is not None:
            higher, lower = _points(reading, QUARTERS[:played])
            yield _judged(number, higher - lower, f"a lead of {number.value} {_when(played)}")


def _quarters(reading: Reading, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "outscored the Hawks by ten in the fourth quarter", "won the third quarter by a 10 - point margin"."""
    for number in sentence.numbers:
        before = " ".join(reading.words[sentence.start : number.start])
        end = number.end + (reading.word(number.end) == "points")
        match = re.search(r"\boutscor\w+ (?:\S+ ){0,4}by$", before) and _QUARTER.match(_after(reading, sentence, end))
        match = match or _WON.search(f"{before} ")
        if match:
            higher, lower = _points(reading, QUARTERS[_ORDINALS[match[1]] - 1 :][:1])
            yield _judged(number, higher - lower, f"the {match[1]} quarter by {number.value}")


def _overtime(reading: Reading) -> Iterator[Finding]:
    """ "defeated the Bucks 101 - 96 in overtime"."""
    first = reading.sentences[0] if reading.sentences else None
    told = [end for start, end in reading.find("in overtime", "in double overtime") if first and start < first.end]
    if told:
        place = told[0] - 1
        regular = all(
            sum(reading.value(team, quarter) for quarter in QUARTERS) == reading.value(team, "TEAM-PTS")
            for team in (0, 1)
        )
        yield judged("word", place, place + 1, not regular, "overtime: was played")


def _judged(number: NumberSpan, truth: int, claim: str) -> Finding:
    return judged("number", number.start, number.end, number.value == truth, claim, str(truth))


def _when(played: int) -> str:
    return {1: "after one quarter", 2: "at halftime", 3: "after three quarters"}[played]
