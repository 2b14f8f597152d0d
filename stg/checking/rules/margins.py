"""Margins by period and at the end: "led by 14 entering the fourth", "won the third by 14", "fell two points short".

At a break named beside it a margin that does not fit is false; in a period it may be of any moment ("a 21 - point lead
in the first half"), so there only one that fits its end is judged.
"""

import re
from collections.abc import Iterator

from stg.checking.findings import FALSE, Finding, decide, unknown
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject, dashed_pairs
from stg.checking.rules.judging import is_other_game, judge_number
from stg.checking.rules.periods import MOMENTS, Scope, last_named, named, scopes_at
from stg.checking.rules.scores import CLOSING_IN
from stg.extraction.candidates import NumberSpan, SentenceSpans


_BEHIND = frozenset("trailed trail trailing down behind deficit hole within".split())
_AHEAD = frozenset("up ahead led lead leading front".split())
_NOUNS = frozenset("lead advantage edge cushion deficit hole margin gap".split())
_FILLERS = frozenset("only just still a mere".split())
_NOT_UP = frozenset(
    "put putting made making racked piled gave come came".split()
)  # "put up 41 points", "came up short"
_OF_NOUN = re.compile(  # "the lead was still 10 points", "stretched the lead to 10", "kept the margin at nine"
    r"\b(lead|advantage|cushion|deficit|margin|gap)(?: (?:was|stood|grew|growing|up|down|back|out|still))*"
    r"(?: to| at)?$"
)
_WON_BY = re.compile(
    r"\b(won|win|winning|took|take|taking|lost|losing|outdid|out(?: - )?scor\w+|better of)\b(?: \S+){0,6} by$"
)
_PASSIVE = re.compile(r"\b(?:was|were|been|being|got) out")
_SHORT = re.compile(
    r"\b(?:fell|fall|falling|came up|come|coming up|came|finished|finish|left (?:\S+ ){0,3}?\S+)(?: only| just)?$"
)
_HELD_ON = re.compile(r"\b(?:held|hold|holding|hung|hang) on by(?: only| just)?$")
_FINAL = re.compile(r"\bfinal margin(?: to| of| at| was)?$|\bfinished with an?$")


def margins(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a nine - point lead at halftime", "trailed by four entering the fourth", "to get within two after three"."""
    for sentence, number in _numbers(recap):
        is_behind = _is_behind(recap, sentence, number)
        if is_behind is None:
            continue
        end = number.end + 2 if recap.phrase(number.end, number.end + 2) == "- point" else number.end
        end += recap.word(end) == "points"
        scopes = scopes_at(recap, sentence, number.start, end)
        at = scopes[0].end if scopes else None
        after = recap.words[end : end + 3]
        is_during = scopes and not scopes[0].is_break and "in" in after and not _NOUNS.intersection(after)
        if at is not None and at != "Q4" and not is_during:
            found = _judge_lead(recap, sentence, number, at, is_behind)
            is_sure = _is_sure(recap, sentence, number, end) and not is_other_game(recap, sentence)
            yield from (finding for finding in found if is_sure or finding.verdict == "true")


def period_margins(recap: ParsedRecap) -> Iterator[Finding]:
    """ "won the fourth by five", "outscored the Hawks by ten in the fourth quarter", "took that period by two"."""
    for sentence, number in _numbers(recap):
        before = _plain(recap.words[sentence.start : number.start])
        match = _WON_BY.search(before)
        is_score = recap.word(number.end) == "-" and recap.word(number.end + 1) != "point"
        is_game = (
            match
            and re.fullmatch(r"(?!out)\w+ by", match[0])
            and not re.search(r"\b(?:which|that)(?: \S+){1,3} \w+ by$", before)
        )
        if not match or is_score or is_game:  # "won by ten"
            continue
        end = number.end + 2 if recap.phrase(number.end, number.end + 2) == "- point" else number.end
        scopes = [scope for scope in scopes_at(recap, sentence, number.start, end) if not scope.is_break]
        beside = last_named(match[0])
        period = beside[1] if beside and not beside[1].is_break else scopes[0] if scopes else None
        if period is None or {"paint", "boards"}.intersection(recap.words[number.end : number.end + 4]):
            continue
        team, is_explicit = clause_subject(recap, sentence, number.start)
        is_lost = match[1] in ("lost", "losing") or bool(_PASSIVE.search(before[max(0, match.start() - 10) :]))
        yield from _judge_period(recap, number, period, team if is_explicit else None, is_lost)


def compared_margins(recap: ParsedRecap) -> Iterator[Finding]:
    """ "had nine points more than the Hawks in the third quarter"."""
    for sentence, number in _numbers(recap):
        compared = re.match(r"points? (more|fewer) than\b", recap.phrase(number.end, number.end + 3))
        scopes = [scope for scope in scopes_at(recap, sentence, number.start, number.end + 3) if not scope.is_break]
        team, is_explicit = clause_subject(recap, sentence, number.start)
        if compared and scopes and is_explicit:
            yield from _judge_period(recap, number, scopes[0], team, compared[1] == "fewer")


def final_margin(recap: ParsedRecap) -> Iterator[Finding]:
    """ "fell two points short", "held on by three", "made the final margin seven"."""
    winner = recap.winner
    if winner is None:
        return
    for sentence, number in _numbers(recap):
        before = " ".join(recap.words[max(sentence.start, number.start - 7) : number.start])
        after = recap.phrase(number.end, number.end + 3)
        is_short = bool(re.match(r"(?:points? )?short\b", after) and _SHORT.search(before))
        is_margin = bool(_FINAL.search(before)) and ("- point margin" in after or "final margin" in before)
        if not is_short and not _HELD_ON.search(before) and not is_margin:
            continue
        team, is_explicit = clause_subject(recap, sentence, number.start)
        owner, attribute = (1 - winner, "TEAM-LOST_BY") if is_short else (winner, "TEAM-WON_BY")
        claim = f"{'lost' if is_short else 'won'} by {number.value}"
        if is_explicit and team != owner and not is_margin and "left" not in before:
            fact = recap.facts.get(owner, attribute)
            yield Finding(number.start, number.end, "number", FALSE, f"{recap.name(1 - owner)}: {claim}", None, fact)
        else:
            yield from judge_number(recap, number, owner, attribute, claim)


def _numbers(recap: ParsedRecap) -> Iterator[tuple[SentenceSpans, NumberSpan]]:
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index):
            for number in sentence.numbers:
                yield sentence, number


def _plain(words: list[str]) -> str:
    """Words before a number without those that only stress it: "by only", "by a"."""
    while words and words[-1] in _FILLERS:
        words = words[:-1]
    return " ".join(words)


def _is_behind(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool | None:
    """Whether the subject of a margin is behind; None if the number is no margin."""
    after = recap.words[number.end : number.end + 5]
    text = _plain(recap.words[max(sentence.start, number.start - 8) : number.start])
    before = text.split()
    closing = bool(CLOSING_IN.intersection(before[-6:]))
    if after[:2] == ["-", "point"]:
        noun = next((word for word in after[2:] if word in _NOUNS), None)
        is_other = (
            after[3:5] == ["of", "victory"]
            or before[-1:] == ["by"]
            or (after[3:4] == ["into"] and after[4:5] in (["a"], ["an"]))
        )
        return None if noun is None or is_other else noun in _BEHIND or closing
    if after[:1] in (["-"], ["of"]) or recap.word(number.start - 1) == "-":
        return None
    if after[:1] == ["points"] and after[1:2] and after[1] in ("up", "down", "ahead", "behind"):
        return after[1] in _BEHIND
    if before[-2:-1] and before[-2] in _NOT_UP:
        return None
    if "final margin" in text:
        return None  # "trimmed the final margin to 18"
    noun_before = _OF_NOUN.search(text)
    if noun_before:
        return noun_before[1] == "deficit" or closing
    is_led_again = before[-2:] == ["and", "by"] and {"led", "trailed"}.intersection(
        recap.words[sentence.start : number.start]
    )
    if is_led_again:  # "led 25 - 22 after one and by 10 at halftime"
        return "trailed" in recap.words[sentence.start : number.start]
    near = before[-2:] if before[-1:] == ["by"] else before[-1:]
    if before[-1:] == ["to"]:
        return True if closing and _NOUNS.intersection(before) else None
    for word in reversed(near):
        if word in _BEHIND:
            return True
        if word in _AHEAD:
            return closing
    return None


def _is_sure(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, end: int) -> bool:
    """Whether a margin can only have stood at the break that is read for it."""
    after = recap.words[end : min(sentence.end, end + 7)]
    for at, word in enumerate(after):
        if word in (",", ".", "and", "but", "as", "before", "while") and at:
            after = after[:at]
            break
    later = named(" ".join(after))
    if later is not None:
        return later[1].is_break
    before = recap.words[sentence.start : number.start]
    is_chain = any(0 < number.start - second.end < 8 for _, second in dashed_pairs(recap, sentence))
    mentioned = last_named(" ".join(before))
    is_break = mentioned is not None and mentioned[1].is_break and mentioned[0] <= 6
    return (is_chain or is_break) and not MOMENTS.intersection([*before, *after]) and "which" not in after


def _judge_lead(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, name: str, is_behind: bool
) -> Iterator[Finding]:
    team, is_explicit = clause_subject(recap, sentence, number.start)
    lead, deficit = f"TEAM-LEAD_{name}", f"TEAM-DEFICIT_{name}"
    margin = next((fact for side in (0, 1) if (fact := recap.facts.get(side, lead))), None)
    tie = recap.facts.get(0, f"TEAM-TIED_{name}")
    claim = f"{'behind' if is_behind else 'ahead'} by {number.value} {Scope(name, True).words}"
    if margin is None or margin.number != number.value:
        if margin is not None or tie is not None:
            truth = "0" if margin is None else margin.value
            yield decide("number", number.start, number.end, False, claim, truth, margin or tie)
        return
    text = _plain(recap.words[max(sentence.start, number.start - 8) : number.start])
    fact = None if team is None else recap.facts.get(team, deficit if is_behind else lead)
    if team is None or (fact is None and _OF_NOUN.search(text) and not is_behind):
        yield decide("number", number.start, number.end, True, claim, fact=margin)  # "the lead was still ten"
    elif fact is not None:
        yield decide("number", number.start, number.end, True, f"{recap.name(team)}: {claim}", fact=fact)
    elif is_explicit:
        yield Finding(number.start, number.end, "number", FALSE, f"{recap.name(team)}: {claim}", None, margin)
    else:
        yield unknown(number.start, number.end, f"{recap.name(team)}: {claim}")


def _judge_period(
    recap: ParsedRecap, number: NumberSpan, period: Scope, team: int | None, is_lost: bool
) -> Iterator[Finding]:
    is_first = period.name in ("Q1", "H1")  # its margin is the lead after it
    won, lost = (f"TEAM-{word}_{period.name}" for word in (("LEAD", "DEFICIT") if is_first else ("WON_BY", "LOST_BY")))
    tie = recap.facts.get(0, f"TEAM-TIED_{'' if is_first else 'IN_'}{period.name}")
    margin = recap.facts.get(0, won) or recap.facts.get(1, won)
    fact = margin if team is None else recap.facts.get(team, lost if is_lost else won)
    claim = f"{'lost' if is_lost else 'won'} by {number.value} {period.words}"
    if fact is not None or (margin is None and tie is not None):
        known = fact or tie
        assert known is not None
        truth = "0" if fact is None else fact.value
        is_true = fact is not None and fact.number == number.value
        yield decide("number", number.start, number.end, is_true, claim, truth, known)
    elif margin is not None:  # the other team won it
        other = None if margin.number == number.value else margin.value
        yield decide("number", number.start, number.end, False, claim, other, margin)
