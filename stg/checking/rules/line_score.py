"""The line score: leads and scores at a break, quarters and halves won, overtime."""

import re
from collections.abc import Iterator

from modeling_stg.facts import Fact
from modeling_stg.schema import QUARTER_MINUTES, QUARTER_WORDS, QUARTERS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs, outdoing_team
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_LEADS = frozenset("lead advantage edge cushion deficit".split())
_BEHIND = frozenset("deficit trailed trailing down behind".split())
_AHEAD = frozenset("led leading up ahead".split()) | _BEHIND
_PERIOD = "(?:quarter|frame|period)"
_INTO = r"(?:(?:heading|headed|going) )?(?:into|to|entering) (?:the )?"
_END = r"(?:after|at the end of|by the end of|through) (?:the )?"
_BREAKS = {  # by the words after a lead
    rf"(?:{_INTO}|(?:at|by) (?:the )?)(?:halftime|half|break|intermission|locker room)\b": "H1",
    rf"{_INTO}second {_PERIOD}\b": "Q1",
    rf"{_INTO}(?:third|second half)\b": "H1",
    rf"{_INTO}(?:fourth|final (?:{_PERIOD}|{QUARTER_MINUTES} minutes|{QUARTER_MINUTES}))\b": "Q3",
    rf"{_END}(?:first|opening) (?:{_PERIOD}|{QUARTER_MINUTES} minutes)\b": "Q1",
    rf"{_END}(?:one|1)(?: quarter)?(?= [,.]|$)": "Q1",
    rf"{_END}(?:first half|second quarter)\b": "H1",
    rf"{_END}(?:third(?: quarter| frame| period)?|three quarters|3 quarters)\b": "Q3",
}
_WHEN = {"Q1": "after one quarter", "H1": "at halftime", "Q3": "after three quarters"}
_SCORES = {"Q1": QUARTERS[0], "H1": "TEAM-PTS_H1", "Q3": "TEAM-PTS_AFTER_Q3"}
_IN_QUARTER = re.compile(rf"in the ({'|'.join(QUARTER_WORDS)}) {_PERIOD}\b")
_WON_QUARTER = re.compile(rf"won the ({'|'.join(QUARTER_WORDS)}) {_PERIOD} by (?:a )?$")
_HALVES = {
    "first half": "TEAM-PTS_H1",
    "second half": "TEAM-PTS_H2",
    f"final {QUARTER_MINUTES} minutes": QUARTERS[3],
}
_NOT_A_HALF = frozenset("quarter minutes period lead run".split())
_OUTSCORED = frozenset("outscored outscoring outscore scored scoring score won winning".split())


def score_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "to take a 64 - 52 lead into halftime": checks both numbers, not who led."""
    for sentence in _sentences(recap):
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            is_lead = recap.words[first.end : second.start] == ["-"] and recap.word(second.end) in _LEADS
            name = _break(_text_after(recap, sentence, second.end + 1)) if is_lead else None
            if name is not None:
                leader = next((team for team in (0, 1) if recap.facts.get(team, f"TEAM-LEAD_{name}")), 0)
                higher, lower = (first, second) if first.value >= second.value else (second, first)
                for number, team in ((higher, leader), (lower, 1 - leader)):
                    claim = f"{number.value} points {_WHEN[name]}"
                    yield from judge_number(recap, number, team, _SCORES[name], claim)


def lead_at_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a two - point lead into the fourth", "led by seven at the half": checks the margin, not who led."""
    for sentence in _sentences(recap):
        for number in sentence.numbers:
            after = recap.words[number.end : number.end + 3]
            before = recap.words[max(sentence.start, number.start - 2) : number.start]
            if after[:2] == ["-", "point"] and after[2:] and after[2] in _LEADS:
                end, is_behind = number.end + 3, after[2] in _BEHIND
            elif _AHEAD.intersection(before):
                end, is_behind = number.end + (after[:1] == ["points"]), bool(_BEHIND.intersection(before))
            else:
                continue
            name = _break(_text_after(recap, sentence, end))
            if name is not None:
                margins = (f"TEAM-{'DEFICIT' if is_behind else 'LEAD'}_{name}", f"TEAM-TIED_{name}")
                yield from _margin(recap, number, margins, f"a lead of {number.value} {_WHEN[name]}")


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
                quarter = f"Q{QUARTER_WORDS[match[1]]}"
                margins = (f"TEAM-WON_BY_{quarter}", f"TEAM-TIED_IN_{quarter}")
                if quarter == "Q1":  # its margin is the lead after it
                    margins = ("TEAM-LEAD_Q1", "TEAM-TIED_Q1")
                yield from _margin(recap, number, margins, f"the {match[1]} quarter by {number.value}")


def half_score(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outscored the Magic 31 - 19 in the first half": the first number is the outscoring team's."""
    spans = recap.find(*_HALVES)
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
                claim = f"{recap.name(owner)}: {number.value} points in the {half}"
                yield from judge_number(recap, number, owner, _HALVES[half], claim)


def overtime(recap: ParsedRecap) -> Iterator[Finding]:
    """ "defeated the Bucks 101 - 96 in overtime"."""
    ends = [end for start, end in recap.find("in overtime", "in double overtime") if recap.sentence_index(start) == 0]
    for end in ends[:1]:
        fact = recap.facts.get(recap.team_at(end - 1) or 0, "TEAM-ENDED_IN")
        if fact is not None:
            yield decide("word", end - 1, end, fact.value == "overtime", "overtime was played", fact=fact)


def _sentences(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences about this game alone."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index) and not recap.mentions_other_game(sentence.start):
            yield sentence


def _margin(recap: ParsedRecap, number: NumberSpan, attributes: tuple[str, str], claim: str) -> Iterator[Finding]:
    """Judges a margin, whichever team has it; the second attribute is that of a tie."""
    margin, tied = (_of_either_team(recap, attribute) for attribute in attributes)
    fact, truth = (margin, margin.number) if margin else (tied, 0)
    if fact is not None:
        yield decide("number", number.start, number.end, number.value == truth, claim, str(truth), fact)


def _of_either_team(recap: ParsedRecap, attribute: str) -> Fact | None:
    return recap.facts.get(0, attribute) or recap.facts.get(1, attribute)


def _text_after(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> str:
    return " ".join(recap.words[position : min(sentence.end, position + 8)])


def _break(text: str) -> str | None:
    """The break that this text begins with; None if it does not begin with one."""
    return next((name for pattern, name in _BREAKS.items() if re.match(pattern, text)), None)
