"""Scores by period: "led 28 - 22 after one", "won the third 35 - 21 for an 87 - 73 lead", "tied at 52 at halftime".

Which period or break a score is of, `periods` reads; "led 28 - 22" also says which team was ahead.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from stg.checking.findings import FALSE, NOT_CHECKABLE, Finding, decide, unknown
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject, dashed_pairs
from stg.checking.rules.judging import is_other_game, judge_number
from stg.checking.rules.periods import Scope, fits, scopes_at
from stg.extraction.candidates import NumberSpan, SentenceSpans


_LEADING = frozenset("led lead leads leading up ahead front advantage edge cushion".split())
_WINNING = frozenset("won win wins winning took take takes taking outscored outscoring outscore".split())
_AHEAD = _LEADING | _WINNING
_TRAILING = frozenset("trailed trail trailing trails down behind deficit hole within".split())
_BEHIND = _TRAILING | frozenset("lost lose losing".split())
CLOSING_IN = frozenset("cut trimmed narrowed closed closer sliced shaved whittled".split())
_SCORED = frozenset("score scored scoring scores".split())
_NOUNS = frozenset("lead advantage edge cushion deficit hole".split())
_OTHER_COUNTS = frozenset(
    "rebounds rebounding boards glass turnovers assists bench reserves paint shots run record season series last "
    "road home streak percent field steals blocks line minutes left remaining fg fgs ft 3pt 3-pt 3p campaign".split()
)
_VERBS_OF_RECORDS = frozenset(
    "improve improved improving dropping fell fall moved dropped slipped climbed rose".split()
)
_TIED = frozenset("tied level even knotted deadlocked".split())
_TYING = frozenset("tie tied ties tying knot knotted overtime".split())
_CLAUSE = frozenset([",", "and", "but", "while", "."])
_LISTING = frozenset(  # words between two scores that one "led" is said of
    ", and after at by the a through first second third opening one two three quarter quarters period halftime half "
    "then break into".split()
)
_LEAST, _MOST = 8, 160  # points; other pairs are shots, games of a series or years, unless they fit


def scores(recap: ParsedRecap) -> Iterator[Finding]:
    """Scores of periods and at breaks, both numbers and who was ahead."""
    final = sorted(recap.facts.number(team, "TEAM-PTS") or 0 for team in (0, 1))
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index):
            continue
        claim: _Claim | None = None  # of the score before
        last_end = sentence.start
        for first, second in dashed_pairs(recap, sentence):
            pair = (first.value, second.value)
            goes_on = claim is not None and _LISTING.issuperset(recap.words[last_end : first.start])
            claim, before, last_end = None, claim if goes_on else None, second.end
            found = scopes_at(recap, sentence, first.start, second.end)
            fitting = [scope for scope in found if fits(recap, pair, scope)]
            if not found or _is_other(recap, sentence, first, second):
                continue
            if not fitting:
                is_final = sorted(pair) == final or (index == 0 and min(pair) > 60)
                is_points = max(pair) >= _LEAST and max(pair) <= _MOST
                is_moment = not found[0].is_break and _is_lead(recap, sentence, first, second)
                is_elsewhere = is_moment or is_other_game(recap, sentence)
                if is_final or is_elsewhere or not (is_points or found[0].name == "OT"):
                    continue
            scope = (fitting or found)[0]
            # "led 28 - 22 after one and 52 - 50 at halftime": the second lead is the first one's team's
            claim = _claim(recap, sentence, first, second, scope) or (before and replace(before, position=first.end))
            yield from _judge_score(recap, first, second, scope, claim)


def tied(recap: ParsedRecap) -> Iterator[Finding]:
    """ "tied at 52 at halftime", "won the second 27 - 25 to tie the game at 52", "to force overtime at 110"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            before = recap.words[max(sentence.start, number.start - 5) : number.start]
            if before[-1:] != ["at"] or recap.word(number.end) in ("-", "points"):
                continue
            is_tied = before[-2:-1] and before[-2] in _TIED
            is_tying = _TYING.intersection(before[-4:-1])
            is_again = before[-2:] == ["and", "at"] and "tied" in recap.words[sentence.start : number.start]
            if not (is_tied or is_tying or is_again):
                continue
            scopes = scopes_at(recap, sentence, number.start, number.end)
            is_during = scopes and not scopes[0].is_break and "in" in recap.words[number.end : number.end + 2]
            at = scopes[0].end if scopes and not is_during else None
            if at is not None:
                yield from _judge_tie(recap, number, Scope(at, is_break=True))


def uneven_ties(recap: ParsedRecap) -> Iterator[Finding]:
    """ "tied 27 - 25", "level at 52 - 50": no tie."""
    for sentence in recap.sentences:
        for first, second in dashed_pairs(recap, sentence):
            at = first.start - 1 - (recap.word(first.start - 1) in ("at", ","))
            if recap.word(at) in _TIED and first.value != second.value:
                yield Finding(at, at + 1, "word", FALSE, f"{recap.word(at)} {first.value} - {second.value}")


def _judge_tie(recap: ParsedRecap, number: NumberSpan, scope: Scope) -> Iterator[Finding]:
    both = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
    fact = recap.facts.get(0, scope.attribute)
    if fact is None and scope.name == "Q4":  # no overtime: no tie after the fourth quarter
        fact = recap.facts.get(0, "TEAM-PTS")
    if fact is not None:
        claim = f"{number.value} all {scope.words}"
        truth = fact.value if both[0] is not None and both[0] == both[1] else None
        is_true = both[0] == both[1] == number.value
        yield decide("number", number.start, number.end, is_true, claim, truth, fact)


def _is_other(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan) -> bool:
    """A record ("are 3 - 4", "fell to 3 - 5"), shots ("1 - 4 3Pt") or a count of something else."""
    before = recap.words[max(sentence.start, first.start - 2) : first.start]
    after = recap.words[second.end : second.end + 3]
    is_record = before[-1:] in (["are"], ["is"], ["now"]) or (before[-1:] == ["to"] and before[0] in _VERBS_OF_RECORDS)
    return is_record or bool(_OTHER_COUNTS.intersection(after[: 1 + (after[:1] == ["in"])]))


def _is_lead(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan) -> bool:
    """Whether a score is a lead, which may be of any moment of a period: "led 95 - 90 in the fourth quarter"."""
    before = recap.words[max(sentence.start, first.start - 3) : first.start]
    return bool((_LEADING | _TRAILING).intersection([*before, *recap.words[second.end : second.end + 2]]))


@dataclass(frozen=True)
class _Claim:
    """Which team a score puts ahead or behind, by the word at a position; `is_explicit` if the sentence names it."""

    position: int
    is_behind: bool
    team: int
    is_explicit: bool


def _claim(
    recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan, scope: Scope
) -> _Claim | None:
    side = _side(recap, sentence, first.start, second.end, scope)
    team, is_explicit = clause_subject(recap, sentence, first.start)
    if side is not None and side[0] >= second.end:  # "a 104 - 78 Toronto lead"
        owners = [span.index for span in sentence.entities if span.is_team and second.end <= span.start < side[0]]
        team, is_explicit = (owners[0], True) if owners else (team, is_explicit)
    return None if side is None or team is None else _Claim(*side, team, is_explicit)


def _judge_score(
    recap: ParsedRecap, first: NumberSpan, second: NumberSpan, scope: Scope, claimed: _Claim | None
) -> Iterator[Finding]:
    known = [recap.facts.number(team, scope.attribute) for team in (0, 1)]
    points = [number for number in known if number is not None]
    has_several = scope.name == "OT" and (recap.facts.number(0, "TEAM-OVERTIMES") or 0) > 1
    if len(points) < 2 or has_several:  # the points of single overtimes are not known
        if scope.name == "Q4":  # no overtime: the score after the fourth quarter is the final one
            return
        for number in (first, second):
            yield unknown(number.start, number.end, f"{number.value} points {scope.words}", NOT_CHECKABLE)
        return
    written = [first.value, second.value]
    if sorted(written) == sorted(points):
        yield from _judge_leader(recap, first, written, points, scope, claimed)
        is_ahead = claimed is not None and not claimed.is_behind and points[claimed.team] > points[1 - claimed.team]
        is_own = claimed is None and not scope.is_break and recap.word(first.start - 1) in ("a", "an")
        if written[0] < written[1] and ((is_ahead and claimed and claimed.is_explicit) or is_own):
            points = points[::-1]  # "outscored the Knicks 17 - 32": the winner's number comes first
    elif claimed is not None and claimed.is_explicit and points[0] != points[1]:
        margin = points[claimed.team] - points[1 - claimed.team]
        if margin > 0 if claimed.is_behind else margin < 0:  # neither who was ahead nor the numbers are right
            yield _leader_finding(recap, scope, claimed, is_true=False)
    home_first = points[0] == max(points) if written[0] >= written[1] else points[0] == min(points)
    order = (0, 1) if home_first else (1, 0)
    for number, owner in zip((first, second), order, strict=True):
        claim = f"{recap.name(owner)}: {number.value} points {scope.words}"
        yield from judge_number(recap, number, owner, scope.attribute, claim)


def _judge_leader(
    recap: ParsedRecap, first: NumberSpan, written: list[int], points: list[int], scope: Scope, claimed: _Claim | None
) -> Iterator[Finding]:
    """Whether the team that "led 28 - 22" was ahead."""
    if claimed is None:
        if written[0] < written[1]:
            yield unknown(first.end, first.end + 1, "the smaller number of a score comes first", kind="word")
        return
    margin = points[claimed.team] - points[1 - claimed.team]
    is_true = margin < 0 if claimed.is_behind else margin > 0
    if is_true or claimed.is_explicit:
        yield _leader_finding(recap, scope, claimed, is_true)
    else:
        claim = f"{recap.name(claimed.team)} {'behind' if claimed.is_behind else 'ahead'} {scope.words}"
        yield unknown(claimed.position, claimed.position + 1, claim, kind="word")


def _leader_finding(recap: ParsedRecap, scope: Scope, claimed: _Claim, is_true: bool) -> Finding:
    claim = f"{recap.name(claimed.team)} {'behind' if claimed.is_behind else 'ahead'} {scope.words}"
    end = claimed.position + (3 if recap.phrase(claimed.position, claimed.position + 2) == "out -" else 1)
    fact = recap.facts.get(claimed.team, scope.attribute)
    return decide("word", claimed.position, end, is_true, claim, None, fact)


def _side(recap: ParsedRecap, sentence: SentenceSpans, start: int, end: int, scope: Scope) -> tuple[int, bool] | None:
    """The word that says which team was ahead, and whether its subject was behind."""
    has_noun = bool(_NOUNS.intersection(recap.words[end : end + 2]))
    if not scope.is_break and recap.word(start - 1) in ("a", "an") and not has_noun:
        return None  # "survived a 31 - 26 fourth"
    in_names = {at for span in sentence.entities for at in range(span.start, span.end)}  # "Trail Blazers"
    for at in range(start - 1, max(sentence.start, start - 8) - 1, -1):
        word = recap.word(at)
        if word in _SCORED and recap.phrase(at - 2, at) == "out -":
            is_passive = {"were", "was", "be", "being", "been"} & set(recap.words[at - 4 : at - 2])
            return at - 2, bool(is_passive)
        is_turned = word == "into" and _NOUNS.intersection(recap.words[at - 1 : at])
        if word.isdecimal() or word in _CLAUSE or is_turned:  # "turned the deficit into an 83 - 77 lead"
            break
        if word in CLOSING_IN:
            return None if "saw" in recap.words[max(sentence.start, at - 4) : at] else (at, True)
        if word in _AHEAD | _BEHIND and at not in in_names:
            if recap.word(at + 1) == "to" and word == "down":
                return None  # "the lead was down to 60 - 57"
            if word != "winning" and CLOSING_IN.intersection(recap.words[max(sentence.start, at - 5) : at]):
                return at, True
            passive = {"were", "was", "be", "being", "been"}.intersection(recap.words[at - 2 : at])
            return at, word in _BEHIND or (word == "outscored" and bool(passive))
    for at in range(end, min(sentence.end, end + 4)):
        if recap.word(at) in _NOUNS:
            return at, recap.word(at) in _BEHIND
        if recap.word(at) in _CLAUSE:
            break
    return None
