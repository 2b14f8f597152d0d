"""Periods and breaks: what a score, a margin or points in running text are of.

A score is of a period ("won the third quarter 35 - 21") or stood at a break ("led 87 - 73 after three quarters"). The
words after it, or else before it, or else the score before it say which.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from modeling_stg.schema import QUARTER_MINUTES, QUARTERS
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.extraction.candidates import SentenceSpans


_UNIT = "(?: - )?(?:quarter|period|frame)s?"
_AFTER = "(?:after|through|at the end of|by the end of|at the close of|following) (?:the )?"
_BEFORE = (
    "(?:into|entering|entered|to start|to open|to begin|before|starting|to|at the start of|at the beginning of|"
    "at the outset of) the "
)
# After an ordinal, these words make it count something other than a period.
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d+ (?:points|minutes)"
_COUNTED = (
    "half|time|times|of|unit|game|games|straight|consecutive|night|win|loss|victory|defeat|in a row|best|place|team|"
    f"player|man|road|home|meeting|matchup|nba|overtime|double|triple|option|scorer|- |{_NUMBERS}"
)
_BARE = rf"(?! (?:{_COUNTED}))"
# Without a noun, an ordinal names a period only after these words.
_SHORT = (
    "(?:" + "|".join(f"(?<={word})" for word in ("^", "the ", "that ", "point ", "even ", "big ", "a ", r"\d ")) + ")"
)
# Patterns of words -> the break or period they name. A break stands for the score so far, a period for its own points.
_BREAKS = {
    rf"{_AFTER}(?:first|opening|one)(?: {_UNIT}|{_BARE})|{_BEFORE}second {_UNIT}": "Q1",
    rf"half ?- ?time|halftime|(?:at|by|into|to) (?:the )?(?:half|break|intermission|locker room)|"
    rf"{_AFTER}(?:two|second)(?: {_UNIT}|{_BARE})|{_AFTER}first half|"
    rf"{_BEFORE}(?:third(?: {_UNIT}|{_BARE})|second half)": "H1",
    rf"{_AFTER}(?:three|third)(?: {_UNIT}|{_BARE})|{_BEFORE}(?:fourth|final|last)(?: {_UNIT}|{_BARE})|"
    r"with (?:a|one) quarter to|when the fourth (?:quarter )?(?:began|started|opened)": "Q3",
    rf"{_AFTER}regulation|(?:force|forced|forcing|to|into) overtime": "Q4",
}
_PERIODS = {
    rf"(?:first|opening) {_UNIT}|{_SHORT}first{_BARE}": "Q1",
    rf"second {_UNIT}|{_SHORT}second{_BARE}": "Q2",
    rf"third {_UNIT}|{_SHORT}third{_BARE}": "Q3",
    rf"(?:fourth|final|last) {_UNIT}|{_SHORT}fourth{_BARE}": "Q4",
    "first half": "H1",
    "second half": "H2",
    "overtime(?: period)?|extra (?:period|session)": "OT",
}
_WORDS = {f"break {name}": rf"\b(?:{pattern})\b" for pattern, name in _BREAKS.items()}
_WORDS |= {f"period {name}": rf"\b(?:{pattern})\b" for pattern, name in _PERIODS.items()}
_AT = {"Q1": QUARTERS[0], "H1": "TEAM-PTS_H1", "Q3": "TEAM-PTS_AFTER_Q3", "Q4": "TEAM-PTS_AFTER_Q4"}
_IN = dict(zip(("Q1", "Q2", "Q3", "Q4"), QUARTERS, strict=True))
_IN |= {"H1": "TEAM-PTS_H1", "H2": "TEAM-PTS_H2", "OT": "TEAM-PTS_OT"}
_END_OF = {"Q1": "Q1", "Q2": "H1", "H1": "H1", "Q3": "Q3", "Q4": "Q4", "H2": "Q4"}  # the break at a period's end
_FOLLOWS = {"Q1": "Q2", "H1": "Q3", "Q3": "Q4", "Q4": "OT"}  # the period after a break
PRECEDES = {"Q2": "Q1", "Q3": "H1", "Q4": "Q3", "OT": "Q4"}  # the break before a period
_NAMES = {
    **{"Q1": "the first quarter", "Q2": "the second quarter", "Q3": "the third quarter", "Q4": "the fourth quarter"},
    **{"H1": "the first half", "H2": "the second half", "OT": "overtime"},
}
_SEVERAL = re.compile(
    r"\b(?:first|second|third|middle|final|last) (?:and \S+|two|three) (?:quarters|periods|frames)\b|"
    r"\bthe two overtimes\b"
)
MOMENTS = frozenset("minutes seconds run remaining left mark early late midway middle peak".split())
# Words before a score that make it that of a period
_OF_PERIOD = re.compile(
    r"\b(?:out(?: - )?scor\w+(?: \S+){0,4}|(?:won|took|lost|take|win|winning|taking|way)"
    r"(?: it| (?:the|that)(?: last| final)? (?:period|quarter|frame|one))?(?: by \S+ \S+ \S+ at)?)$"
)
_AT_A_BREAK = frozenset("at after entering heading going through".split())
_THAT_PERIOD = re.compile(r"\bthat (?:last |final )?(?:period|quarter|frame)\b")
_CLAUSE = frozenset([",", "and", "but", "while", "."])
_REACH = 9  # words after a score that may name its period


@dataclass(frozen=True)
class Scope:
    """What a score is of; `is_break` if it stood at a break."""

    name: str
    is_break: bool

    @property
    def attribute(self) -> str:
        """The points that each team had."""
        return (_AT if self.is_break else _IN)[self.name]

    @property
    def words(self) -> str:
        return f"after {_NAMES[self.name]}" if self.is_break else f"in {_NAMES[self.name]}"

    @property
    def end(self) -> str | None:
        """The break that it is, or that ends it."""
        return self.name if self.is_break else _END_OF.get(self.name)


def scopes_at(recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int) -> list[Scope]:
    """What the score or margin at `start:end` may be of, likeliest first."""
    last_end = sentence.start
    last: Scope | None = None
    for first, second in dashed_pairs(recap, sentence):
        if second.end <= start:
            found = _scopes(recap, sentence, first.start, second.end, last_end, last)
            fitting = [scope for scope in found if fits(recap, (first.value, second.value), scope)]
            last_end, last = second.end, next(iter([*fitting, *found]), last)
    return _scopes(recap, sentence, start, end, last_end, last)


def fits(recap: ParsedRecap, pair: tuple[int, int], scope: Scope) -> bool:
    """Whether two numbers are the points of both teams, in either order."""
    points = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
    return sorted(pair) == sorted(point or 0 for point in points)


def _scopes(
    recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int, last_end: int, last: Scope | None
) -> list[Scope]:
    """The same, after a score that ends at `last_end` and is of `last`."""
    before = " ".join(recap.words[last_end:start])
    after = recap.words[end : min(sentence.end, end + _REACH)]
    is_apart = after[:1] == [","]
    if is_apart and after[1:2] and after[1] in _AT_A_BREAK:
        after = after[1:]  # "tied , 52 - 52 , at the half"
    if after[:3] == ["after", str(QUARTER_MINUTES), "minutes"]:
        return [Scope("Q1", is_break=True)]
    if _SEVERAL.search(before) or _SEVERAL.search(" ".join(after)) or re.search(r"\d+ minutes", " ".join(after)):
        return []
    mentioned = last_named(before)
    if mentioned and not mentioned[1].is_break and re.search(r"\beven(?: ,)? at$", before):
        return [mentioned[1]]  # "the second was even at 19 - 19 for a halftime lead"
    if mentioned and not mentioned[1].is_break and (mentioned[0] == 0 or before.endswith(" ,")):
        words = after[1:] if after[:1] == [","] else after
        direct = named(" ".join(_until_clause(words))) if is_apart and mentioned[0] else None
        if direct is not None and direct[0] <= 2:
            return [direct[1]]  # "led for the second half , as they outscored the Magic , 30 - 16 , in the third"
        return [mentioned[1]]  # "won the third quarter 35 - 21"
    if MOMENTS.intersection(_until_clause(after)[:4]) or "paint" in after[:4]:
        return []
    so_far = mentioned[1] if mentioned else last
    if after[:1] == ["quarter"] and {"opened", "started", "began"} & set(before.split()):
        return [Scope("Q1", is_break=False)]
    if after[:1] == ["by"] and after[1:2] in (["winning"], ["taking"]):
        period = named(" ".join(after), "period")  # "trimmed it to 78 - 73 by winning the third"
        return [Scope(_END_OF[period[1].name], is_break=True)] if period and period[1].name in _END_OF else []
    later = named(" ".join(_until_clause(after)))
    if later and not later[1].is_break:
        return [later[1]]
    if so_far is not None and so_far.is_break and (_OF_PERIOD.search(before) or after[:1] == ["quarter"]):
        return [Scope(_FOLLOWS[so_far.name], is_break=False)]  # "94 - 92 entering the fourth , which they won 32 - 20"
    if later:
        return [later[1]]
    if after[:1] == ["before"] and (period := named(" ".join(after), "period")) and period[1].name in PRECEDES:
        return [Scope(PRECEDES[period[1].name], is_break=True)]  # "up 88 - 86 before winning the fourth"
    if after[:1] in (["with"], ["after"]) and after[1:2] in (["a"], ["an"]):
        period = named(" ".join(after[2:]), "period")  # "to 81 - 70 with a 30 - 22 third quarter"
        return [Scope(_END_OF[period[1].name], is_break=True)] if period and period[1].name in _END_OF else []
    if mentioned is None:
        return _from_before(recap, sentence, before, last)
    scope = mentioned[1]
    if scope.is_break or scope.name not in _END_OF or _OF_PERIOD.search(before):
        return [scope]
    return [Scope(_END_OF[scope.name], is_break=True), scope]


def _from_before(recap: ParsedRecap, sentence: SentenceSpans, before: str, last: Scope | None) -> list[Scope]:
    """ "won the third 35 - 21 for an 87 - 73 lead", "won that period 31 - 17": of the score or sentence before."""
    if last is not None:
        is_chain = not last.is_break and last.name in _END_OF and before.strip()
        return [Scope(_END_OF[last.name], is_break=True)] if is_chain else []
    index = recap.sentence_index(sentence.start)
    if index == 0 or not _THAT_PERIOD.search(before):
        return []
    previous = recap.sentences[index - 1]
    mentioned = last_named(recap.phrase(previous.start, previous.end))
    if mentioned is None:
        return []
    scope = mentioned[1]
    if not scope.is_break:
        return [scope]
    own = [Scope("Q2" if scope.name == "H1" else scope.name, is_break=False)]
    return [Scope(_FOLLOWS[scope.name], is_break=False), *own]


def _until_clause(words: list[str]) -> list[str]:
    """The words of the clause that goes on after a score."""
    for at, word in enumerate(words):
        if word in _CLAUSE or word.isdecimal():
            return words[:at]
        is_break = words[at + 1 : at + 2] == ["the"] and words[at + 2 : at + 3] in (
            *(["fourth"], ["final"], ["last"], ["third"], ["second"]),
        )
        if word == "before" and not is_break:
            return words[:at]
    return words


@lru_cache(4096)
def named(text: str, kind: str = "") -> tuple[int, Scope] | None:
    """The first break or period that a text names, and the number of words before it; breaks win over periods."""
    found = [
        (match.start(), key.startswith("period"), -len(match[0]), key)
        for key, pattern in _WORDS.items()
        if key.startswith(kind)
        for match in [re.search(pattern, text)]
        if match
    ]
    if not found:
        return None
    start, _, _, key = min(found)
    kind, name = key.split()
    return len(text[:start].split()), Scope(name, kind == "break")


@lru_cache(4096)
def last_named(text: str) -> tuple[int, Scope] | None:
    """The last break or period that a text names, and the number of words after it."""
    spans = [
        (match.start(), match.end(), key) for key, pattern in _WORDS.items() for match in re.finditer(pattern, text)
    ]
    # "after the first quarter" names a break, although it contains the name of a period
    spans = [
        span
        for span in spans
        if not any(other[0] <= span[0] and span[1] <= other[1] and other[:2] != span[:2] for other in spans)
    ]
    if not spans:
        return None
    _, end, key = max(spans)
    kind, name = key.split()
    return len(text[end:].split()), Scope(name, kind == "break")
