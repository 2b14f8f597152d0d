"""Scores and leads by period: "led 28 - 22 after one", "won the third 35 - 21 for an 87 - 73 lead", "down nine at halftime".

Every score is of a period ("won the third quarter 35 - 21") or stood at a break ("led 87 - 73 after three quarters"). The
words after it, or else before it, say which; "led 28 - 22" also says which team was ahead.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from modeling_stg.schema import QUARTERS
from stg.checking.findings import FALSE, UNKNOWN, Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject, dashed_pairs
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_UNIT = "(?: - )?(?:quarter|period|frame)s?"
_AFTER = "(?:after|through|at the end of|by the end of|at the close of|following) (?:the )?"
_BEFORE = "(?:into|entering|to start|to open|to begin|before|starting|to) the "
# Patterns of words -> the break or period they name. A break stands for the score so far, a period for its own points.
_BREAKS = {
    rf"{_AFTER}(?:first|opening|one)(?: {_UNIT})?|{_BEFORE}second {_UNIT}": "Q1",
    rf"half ?- ?time|halftime|(?:at|by|into|to) (?:the )?(?:half|break|intermission|locker room)|{_AFTER}(?:two|second)"
    rf"(?: {_UNIT})?|{_AFTER}first half|{_BEFORE}(?:third(?: {_UNIT})?|second half)": "H1",
    rf"{_AFTER}(?:three|third)(?: {_UNIT})?|{_BEFORE}(?:fourth|final)(?: {_UNIT})?|with (?:a|one) quarter to|"
    r"when the fourth (?:quarter )?(?:began|started|opened)": "Q3",
    rf"{_AFTER}regulation|(?:force|forced|forcing|to|into) overtime": "Q4",
}
# After an ordinal, these words make it count something other than a period.
_COUNTED = "half|time|times|of|unit|game|games|straight|consecutive|night|win|loss|victory|defeat|in a row|three|two|best|place"
_BARE = rf"(?! (?:{_COUNTED}|double|triple|option|scorer|- ))"
_PERIODS = {
    rf"(?:first|opening) {_UNIT}|first{_BARE}": "Q1",
    rf"second {_UNIT}|second{_BARE}": "Q2",
    rf"third {_UNIT}|third{_BARE}": "Q3",
    rf"(?:fourth|final) {_UNIT}|fourth{_BARE}": "Q4",
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
_PRECEDES = {"Q2": "Q1", "Q3": "H1", "Q4": "Q3", "OT": "Q4"}  # the break before a period

_AHEAD = frozenset(
    "led lead leads leading up ahead front advantage edge cushion won win wins winning took take takes taking "
    "outscored outscoring outscore".split()
)
_BEHIND = frozenset("trailed trail trailing trails down behind deficit hole within lost lose losing".split())
_CLOSING_IN = frozenset("cut trimmed narrowed closed closer sliced shaved whittled".split())
_MOMENTS = frozenset("minutes seconds run remaining left mark early late midway".split())
_NOUNS = frozenset("lead advantage edge cushion deficit hole margin".split())
_OTHER_COUNTS = frozenset(
    "rebounds rebounding boards glass turnovers assists bench reserves paint shots run record season series last "
    "road home streak percent field steals blocks line minutes left remaining".split()
)
# Words before a score that make it that of a period
_OF_PERIOD = re.compile(
    r"\b(?:out(?: - )?scor\w+(?: \S+){0,4}|(?:won|took|lost|take|win|winning|taking|way)"
    r"(?: it| (?:the|that) (?:period|quarter|frame|one))?(?: by \S+ \S+ \S+ at)?)$"
)
_VERBS_OF_RECORDS = frozenset(
    "improve improved improving dropping fell fall moved dropped slipped climbed rose".split()
)
_CLAUSE = frozenset([",", "and", "but", "while", "."])
_REACH = 9  # words after a score that may name its period


@dataclass(frozen=True)
class _Scope:
    """What a score is of; `is_break` if it stood at a break."""

    name: str
    is_break: bool

    @property
    def attribute(self) -> str:
        return (_AT if self.is_break else _IN)[self.name]

    @property
    def words(self) -> str:
        names = {"Q1": "the first quarter", "Q2": "the second quarter", "Q3": "the third quarter"}
        names |= {"Q4": "the fourth quarter", "H1": "the first half", "H2": "the second half", "OT": "overtime"}
        return f"after {names[self.name]}" if self.is_break else f"in {names[self.name]}"


def scores(recap: ParsedRecap) -> Iterator[Finding]:
    """Scores of periods and at breaks, both numbers and who was ahead."""
    final = sorted(recap.facts.number(team, "TEAM-PTS") or 0 for team in (0, 1))
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index):
            continue
        previous: tuple[int, _Scope | None] = (sentence.start, None)
        for first, second in dashed_pairs(recap, sentence):
            found = _scopes(recap, sentence, first.start, second.end, *previous)
            fitting = [scope for scope in found if _fits(recap, first, second, scope)]
            scope = (fitting or found or [None])[0]
            previous = (second.end, scope or previous[1])
            is_final = sorted((first.value, second.value)) == final or (
                index == 0 and min(first.value, second.value) > 60
            )
            after = recap.words[second.end : second.end + 3]
            if scope is None or (is_final and not fitting):
                continue
            if not _OTHER_COUNTS.intersection(after[: 1 + (after[:1] == ["in"])]) and not _is_record(
                recap, first.start
            ):
                yield from _judge_score(recap, sentence, first, second, scope)


def _is_record(recap: ParsedRecap, start: int) -> bool:
    """ "are 3 - 4", "fell to 3 - 5"."""
    before = recap.words[max(0, start - 2) : start]
    return before[-1:] in (["are"], ["is"], ["now"]) or (before[-1:] == ["to"] and before[0] in _VERBS_OF_RECORDS)


def _fits(recap: ParsedRecap, first: NumberSpan, second: NumberSpan, scope: _Scope) -> bool:
    points = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
    return sorted((first.value, second.value)) == sorted(point or 0 for point in points)


def margins(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a nine - point lead at halftime", "trailed by four entering the fourth", "to get within two after three"."""
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index):
            continue
        pairs = dashed_pairs(recap, sentence)
        for number in sentence.numbers:
            side = _margin_side(recap, sentence, number)
            if side is None:
                continue
            previous: tuple[int, _Scope | None] = (sentence.start, None)
            for first, second in pairs:
                if second.end <= number.start:
                    found = _scopes(recap, sentence, first.start, second.end, *previous)
                    previous = (second.end, found[0] if found else previous[1])
            end = number.end + 2 if recap.phrase(number.end, number.end + 2) == "- point" else number.end
            scopes = _scopes(recap, sentence, number.start, end, *previous)
            at = _break(scopes)
            after = recap.words[end : end + 3]
            is_during = not scopes[0].is_break and "in" in after and "lead" not in after if scopes else False
            if at is not None and at != "Q4" and not is_during:
                yield from _judge_margin(recap, sentence, number, at, side[1])


def _break(scopes: list[_Scope]) -> str | None:
    """The break at which a lead or tie stood; a period stands for its end."""
    if not scopes:
        return None
    return scopes[0].name if scopes[0].is_break else _END_OF.get(scopes[0].name)


def period_points(recap: ParsedRecap) -> Iterator[Finding]:
    """ "scored 39 points in the first quarter", "held the Knicks to 11 points in the fourth"."""
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index):
            continue
        for number in sentence.numbers:
            if recap.word(number.end) == "-" or recap.word(number.start - 1) in ("-", "by", "of"):
                continue
            text = " ".join(recap.words[number.end : number.end + 6])
            match = re.match(r"(?:points )?(?:in|during) ", text) or re.match(r"points (?=of)", text)
            scope = _named(text[match.end() :], "period") if match else None
            team = _named_before(recap, sentence, number.start)
            if scope is None or scope[0] > 4 or team is None:
                continue
            words = recap.words[sentence.start : number.start]
            if {"allowed", "allowing", "gave"}.intersection(words[-4:]):
                team = 1 - team
            yield from judge_number(recap, number, team, scope[1].attribute)


def tied(recap: ParsedRecap) -> Iterator[Finding]:
    """ "tied at 52 at halftime", "level at 87 after three quarters"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            before = recap.words[max(sentence.start, number.start - 2) : number.start]
            if before[1:] != ["at"] or before[0] not in ("tied", "level", "even", "knotted", "deadlocked"):
                continue
            at = _break(_scopes(recap, sentence, number.start, number.end, sentence.start, None))
            if at is not None:
                scope = _Scope(at, is_break=True)
                both = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
                fact = recap.facts.get(0, scope.attribute)
                claim = f"{number.value} all {scope.words}"
                is_true = both[0] == both[1] == number.value
                truth = fact.value if fact is not None and both[0] == both[1] else None
                yield decide("number", number.start, number.end, is_true, claim, truth, fact)


def _scopes(
    recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int, last_end: int, last: _Scope | None
) -> list[_Scope]:
    """What the score at `start:end` may be of, likeliest first; the one before it ends at `last_end` and is of `last`."""
    before = " ".join(recap.words[last_end:start])
    mentioned = _last_named(before)
    if mentioned and not mentioned[1].is_break and (mentioned[0] == 0 or before.endswith(" ,")):
        return [mentioned[1]]  # "won the third quarter 35 - 21"
    after = recap.words[end : min(sentence.end, end + _REACH)]
    if _MOMENTS.intersection(_until_clause(after)[:4]) or "paint" in after[:4]:
        return []
    so_far = mentioned[1] if mentioned else last
    if after[:1] == ["quarter"] and {"opened", "started", "began"} & set(before.split()):
        return [_Scope("Q1", is_break=False)]
    named = _named(" ".join(_until_clause(after)))
    if named and not named[1].is_break:
        return [named[1]]
    if so_far is not None and so_far.is_break and (_OF_PERIOD.search(before) or after[:1] == ["quarter"]):
        return [
            _Scope(_FOLLOWS[so_far.name], is_break=False)
        ]  # "up 94 - 92 entering the fourth , which they won 32 - 20"
    if named:
        return [named[1]]
    if after[:1] == ["before"] and (later := _named(" ".join(after), "period")) and later[1].name in _PRECEDES:
        return [_Scope(_PRECEDES[later[1].name], is_break=True)]  # "up 88 - 86 before winning the fourth"
    if after[:2] in (["with", "a"], ["with", "an"]) and (later := _named(" ".join(after[2:]), "period")):
        return [_Scope(_END_OF[later[1].name], is_break=True)] if later[1].name in _END_OF else []
    if mentioned is None:  # "won the third 35 - 21 for an 87 - 73 lead"
        is_chain = last is not None and not last.is_break and last.name in _END_OF and before.strip()
        return [_Scope(_END_OF[last.name], is_break=True)] if last is not None and is_chain else []
    scope = mentioned[1]
    if scope.is_break or scope.name not in _END_OF or _OF_PERIOD.search(before):
        return [scope]
    return [_Scope(_END_OF[scope.name], is_break=True), scope]


def _until_clause(words: list[str]) -> list[str]:
    """The words of the clause that goes on after a score."""
    for at, word in enumerate(words):
        is_before_verb = word == "before" and words[at + 1 : at + 2] != ["the"]
        if (
            word in _CLAUSE
            or word.isdecimal()
            or is_before_verb
            or (word == "before" and words[at + 2 : at + 3][:1] not in (["fourth"], ["final"], ["third"], ["second"]))
        ):
            return words[:at]
    return words


@lru_cache(4096)
def _named(text: str, kind: str = "") -> tuple[int, _Scope] | None:
    """The first break or period that a text names, and the number of words before it; breaks win over periods."""
    found = [
        (match.start(), key != f"break {key.split()[1]}", -len(match[0]), key)
        for key, pattern in _WORDS.items()
        if key.startswith(kind)
        for match in [re.search(pattern, text)]
        if match
    ]
    if not found:
        return None
    start, _, _, key = min(found)
    kind, name = key.split()
    return len(text[:start].split()), _Scope(name, kind == "break")


@lru_cache(4096)
def _last_named(text: str) -> tuple[int, _Scope] | None:
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
    return len(text[end:].split()), _Scope(name, kind == "break")


def _judge_score(
    recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan, scope: _Scope
) -> Iterator[Finding]:
    points = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
    has_several = scope.name == "OT" and (recap.facts.number(0, "TEAM-OVERTIMES") or 0) > 1
    if None in points or has_several:  # the points of single overtimes are not known
        if scope.name == "Q4":  # no overtime: the score after the fourth quarter is the final one
            return
        for number in (first, second):
            yield Finding(number.start, number.end, "number", UNKNOWN, f"{number.value} points {scope.words}")
        return
    written = [first.value, second.value]
    fits = sorted(written) == sorted(points)
    side = _side(recap, sentence, first.start, second.end, scope) if fits else None
    team, is_explicit = clause_subject(recap, sentence, first.start)
    if side is not None and team is not None:
        position, is_behind = side
        claim = f"{recap.name(team)} {'behind' if is_behind else 'ahead'} {scope.words}"
        fact = recap.facts.get(team, scope.attribute)
        is_true = points[team] < points[1 - team] if is_behind else points[team] > points[1 - team]
        if is_true:
            yield decide("word", position, position + 1, True, claim, fact=fact)
        elif is_explicit:
            yield Finding(position, position + 1, "word", FALSE, claim, None, fact)
        else:
            yield Finding(position, position + 1, "word", UNKNOWN, claim)
        if is_explicit and not is_behind and written[0] < written[1] and points[team] > points[1 - team]:
            points = points[::-1]  # "outscored the Knicks 17 - 32": the winner's number comes first
    elif fits and not scope.is_break and recap.word(first.start - 1) in ("a", "an") and written[0] < written[1]:
        points = points[::-1]  # "answered with a 17 - 32 quarter"
    elif fits and written[0] < written[1]:
        yield Finding(first.end, first.end + 1, "word", UNKNOWN, "the smaller number of a score comes first")
    home_first = points[0] == max(points) if written[0] >= written[1] else points[0] == min(points)
    order = (0, 1) if home_first else (1, 0)
    for number, owner in zip((first, second), order, strict=True):
        claim = f"{recap.name(owner)}: {number.value} points {scope.words}"
        yield from judge_number(recap, number, owner, scope.attribute, claim)


def _side(recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int, scope: _Scope) -> tuple[int, bool] | None:
    """The word that says which team was ahead, and whether its subject was behind."""
    if not scope.is_break and recap.word(start - 1) in ("a", "an"):
        return None  # "survived a 31 - 26 fourth"
    before = range(start - 1, max(sentence.start, start - 8) - 1, -1)
    named = {at for span in sentence.entities for at in range(span.start, span.end)}  # "Trail Blazers"
    for at in before:
        word = recap.word(at)
        if word.isdecimal() or word in _CLAUSE:
            break
        if word in _CLOSING_IN:
            return None if "saw" in recap.words[max(sentence.start, at - 4) : at] else (at, True)
        if (word in _AHEAD or word in _BEHIND) and at not in named:
            if recap.word(at + 1) == "to" and word == "down":
                return None  # "the lead was down to 60 - 57"
            if word != "winning" and _CLOSING_IN.intersection(recap.words[max(sentence.start, at - 5) : at]):
                return at, True
            is_passive = word == "outscored" and {"were", "was", "be", "being", "been"} & set(recap.words[at - 2 : at])
            return at, word in _BEHIND or bool(is_passive)
    for at in range(end, min(sentence.end, end + 3)):
        if recap.word(at) in _NOUNS - {"margin"}:
            return at, recap.word(at) in _BEHIND
    return None


def _margin_side(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> tuple[int, bool] | None:
    """The word that makes a number a margin, and whether its subject is behind; None if it is no margin."""
    after = recap.words[number.end : number.end + 5]
    before = recap.words[max(sentence.start, number.start - 6) : number.start]
    closing = bool(_CLOSING_IN.intersection(before))
    if after[:2] == ["-", "point"]:
        for at, word in enumerate(after[2:], number.end + 2):
            if word in _NOUNS:
                return at, word in _BEHIND or closing
        return None
    if after[:1] == ["-"] or after[:1] == ["of"] or recap.word(number.start - 1) == "-":
        return None
    if after[:1] == ["points"] and after[1:2] and after[1] in ("up", "down", "ahead", "behind"):
        return number.end + 1, after[1] in _BEHIND
    if before[-2:-1] and before[-2] in ("put", "putting", "made", "making", "racked", "piled", "gave"):
        return None  # "put up 41 points"
    near = before[-2:] if before[-1:] in (["by"], ["to"]) else before[-1:]
    if before[-1:] == ["to"]:
        return (number.start - 1, True) if closing and _NOUNS.intersection(before) else None
    for offset, word in enumerate(reversed(near), 1):
        if word in ("within", "down", "behind", "trailed", "trailing", "trail"):
            return number.start - offset, True
        if word in ("up", "ahead", "led", "lead", "leading"):
            return number.start - offset, closing
    return None


def _judge_margin(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, name: str, is_behind: bool
) -> Iterator[Finding]:
    team, is_explicit = clause_subject(recap, sentence, number.start)
    lead, deficit = f"TEAM-LEAD_{name}", f"TEAM-DEFICIT_{name}"
    margin = next((fact for side in (0, 1) if (fact := recap.facts.get(side, lead))), None)
    is_tied = recap.facts.get(0, f"TEAM-TIED_{name}") is not None
    if margin is None and not is_tied:
        return
    claim = f"{'behind' if is_behind else 'ahead'} by {number.value} {_Scope(name, True).words}"
    if margin is None or margin.number != number.value:
        truth = "0" if margin is None else margin.value
        tied = recap.facts.get(0, f"TEAM-TIED_{name}")
        yield decide("number", number.start, number.end, False, claim, truth, margin or tied)
        return
    fact = None if team is None else recap.facts.get(team, deficit if is_behind else lead)
    if team is None:
        yield decide("number", number.start, number.end, True, claim, fact=margin)
    elif fact is not None:
        yield decide("number", number.start, number.end, True, f"{recap.name(team)}: {claim}", fact=fact)
    elif is_explicit:
        yield Finding(number.start, number.end, "number", FALSE, f"{recap.name(team)}: {claim}", None, margin)
    else:
        yield Finding(number.start, number.end, "number", UNKNOWN, f"{recap.name(team)}: {claim}")


def _named_before(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> int | None:
    """The last team named before a position, unless a player stands between them."""
    spans = [span for span in sentence.entities if span.start < position]
    if not spans:
        return None
    return spans[-1].index if spans[-1].is_team else None
