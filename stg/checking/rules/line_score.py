"""The line score: leads and scores at a break, quarters and halves won, overtime."""

import re
from collections.abc import Iterator

from modeling_stg.schema import QUARTER_MINUTES, QUARTER_WORDS, QUARTERS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs, outdoing_team
from stg.extraction.candidates import NumberSpan, SentenceSpans


_LEADS = frozenset("lead advantage edge cushion deficit".split())
_AHEAD = frozenset("led leading trailed trailing up down ahead behind".split())
_PERIOD = "(?:quarter|frame|period)"
_INTO = r"(?:(?:heading|headed|going) )?(?:into|to|entering) (?:the )?"
_END = r"(?:after|at the end of|by the end of|through) (?:the )?"
_QUARTERS_PLAYED = {  # by the words after a lead
    rf"(?:{_INTO}|(?:at|by) (?:the )?)(?:halftime|half|break|intermission|locker room)\b": 2,
    rf"{_INTO}second {_PERIOD}\b": 1,
    rf"{_INTO}(?:third|second half)\b": 2,
    rf"{_INTO}(?:fourth|final (?:{_PERIOD}|{QUARTER_MINUTES} minutes|{QUARTER_MINUTES}))\b": 3,
    rf"{_END}(?:first|opening) (?:{_PERIOD}|{QUARTER_MINUTES} minutes)\b": 1,
    rf"{_END}(?:one|1)(?: quarter)?(?= [,.]|$)": 1,
    rf"{_END}(?:first half|second quarter)\b": 2,
    rf"{_END}(?:third(?: quarter| frame| period)?|three quarters|3 quarters)\b": 3,
}
_WHEN = {1: "after one quarter", 2: "at halftime", 3: "after three quarters"}
_IN_QUARTER = re.compile(rf"in the ({'|'.join(QUARTER_WORDS)}) {_PERIOD}\b")
_WON_QUARTER = re.compile(rf"won the ({'|'.join(QUARTER_WORDS)}) {_PERIOD} by (?:a )?$")
_HALVES = {  # phrase -> quarters
    "first half": QUARTERS[:2],
    "second half": QUARTERS[2:],
    f"final {QUARTER_MINUTES} minutes": QUARTERS[3:],
}
_NOT_A_HALF = frozenset("quarter minutes period lead run".split())
_OUTSCORED = frozenset("outscored outscoring outscore scored scoring score won winning".split())


def score_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "to take a 64 - 52 lead into halftime": checks both numbers, not who led."""
    for sentence in _sentences(recap):
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            is_lead = recap.words[first.end : second.start] == ["-"] and recap.word(second.end) in _LEADS
            played = _quarters_played(_text_after(recap, sentence, second.end + 1)) if is_lead else None
            if played is not None:
                numbers = sorted((first, second), key=lambda number: -number.value)
                for number, points in zip(numbers, _points(recap, QUARTERS[:played]), strict=True):
                    yield _decide(number, points, f"{number.value} points {_WHEN[played]}")


def lead_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a two - point lead into the fourth", "led by seven at the half": checks the margin, not who led."""
    for sentence in _sentences(recap):
        for number in sentence.numbers:
            after = recap.words[number.end : number.end + 3]
            if after[:2] == ["-", "point"] and after[2:] and after[2] in _LEADS:
                end = number.end + 3
            elif _AHEAD.intersection(recap.words[max(sentence.start, number.start - 2) : number.start]):
                end = number.end + (after[:1] == ["points"])
            else:
                continue
            played = _quarters_played(_text_after(recap, sentence, end))
            if played is not None:
                higher, lower = _points(recap, QUARTERS[:played])
                yield _decide(number, higher - lower, f"a lead of {number.value} {_WHEN[played]}")


def quarter_margin(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outscored the Hawks by ten in the fourth quarter", "won the third quarter by a 10 - point margin"."""
    for sentence in _sentences(recap):
        for number in sentence.numbers:
            before = " ".join(recap.words[sentence.start : number.start])
            end = number.end + (recap.word(number.end) == "points")
            match = re.search(r"\boutscor\w+ (?:\S+ ){0,4}by$", before) and _IN_QUARTER.match(
                _text_after(recap, sentence, end)
            )
            match = match or _WON_QUARTER.search(f"{before} ")
            if match:
                higher, lower = _points(recap, QUARTERS[QUARTER_WORDS[match[1]] - 1 :][:1])
                yield _decide(number, higher - lower, f"the {match[1]} quarter by {number.value}")


def half_score(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outscored the Magic 31 - 19 in the first half": the first number is the outscoring team's."""
    spans = recap.find(*_HALVES) if recap.both_have(QUARTERS[-1]) else []
    for sentence in recap.sentences:
        halves = [(start, end) for start, end in spans if sentence.start <= start < sentence.end]
        for first, second in dashed_pairs(recap, sentence) if halves else ():
            start, end = next((half for half in halves if half[0] >= second.end), halves[-1])
            team = outdoing_team(recap, sentence, first.start, _OUTSCORED)
            between = recap.words[second.end : start if start > second.end else second.end + 8]
            if team is None or not -12 < start - second.end < 8 or _NOT_A_HALF.intersection(between):
                continue
            half = recap.phrase(start, end)
            for number, owner in ((first, team), (second, 1 - team)):
                points = sum(recap.number(owner, quarter) for quarter in _HALVES[half])
                yield _decide(number, points, f"{recap.name(owner)}: {number.value} points in the {half}")


def overtime(recap: ParsedRecap) -> Iterator[Finding]:
    """ "defeated the Bucks 101 - 96 in overtime"."""
    if not _is_complete(recap) or not recap.sentences:
        return
    ends = [end for start, end in recap.find("in overtime", "in double overtime") if start < recap.sentences[0].end]
    if ends:
        ended_in_regulation = all(
            sum(recap.number(team, quarter) for quarter in QUARTERS) == recap.number(team, "TEAM-PTS")
            for team in (0, 1)
        )
        yield decide("word", ends[0] - 1, ends[0], not ended_in_regulation, "overtime was played")


def _is_complete(recap: ParsedRecap) -> bool:
    return all(map(recap.both_have, (*QUARTERS, "TEAM-PTS")))


def _sentences(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences about this game alone, if its line score is complete."""
    if _is_complete(recap):
        for index, sentence in enumerate(recap.sentences):
            if not recap.looks_ahead(index) and not recap.mentions_other_game(sentence.start):
                yield sentence


def _points(recap: ParsedRecap, quarters: tuple[str, ...]) -> list[int]:
    """Both teams' points in these quarters, the higher first."""
    return sorted((sum(recap.number(team, quarter) for quarter in quarters) for team in (0, 1)), reverse=True)


def _text_after(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> str:
    return " ".join(recap.words[position : min(sentence.end, position + 8)])


def _quarters_played(text: str) -> int | None:
    """Quarters played at the break that this text begins with; None if it does not begin with one."""
    return next((played for pattern, played in _QUARTERS_PLAYED.items() if re.match(pattern, text)), None)


def _decide(number: NumberSpan, truth: int, claim: str) -> Finding:
    return decide("number", number.start, number.end, number.value == truth, claim, str(truth))
