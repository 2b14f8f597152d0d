"""Pairs of both teams' numbers: "outrebounded the Hawks 45 - 36", "a 50 - 17 edge in bench points"."""

import re
from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.slots import PARTS, attribute_of, is_whole_game, sentences, team_of
from stg.checking.rules.subjects import named_beside, owners_at
from stg.extraction.candidates import NumberSpan, SentenceSpans


_PAIRED = {  # what a pair of both teams' numbers compares, by the words around it
    "OREB": re.compile(r"\boffensive (?:rebound\w*|boards|glass)"),
    "REB": re.compile(r"\b(?:out - )?(?:out)?rebound\w*|\bboards\b|\bglass\b"),
    "PTS_BENCH": re.compile(r"(?<!off the )\bbench(?:es)?\b|\breserves\b"),
    "AST": re.compile(r"\bassists\b"),
    "TO": re.compile(r"\bturnovers\b|\bgiveaways\b"),
    "STL": re.compile(r"\bsteals\b"),
    "BLK": re.compile(r"\bblocks\b|\bblocked\b"),
    "FG3M": re.compile(r"\bthrees\b|\bthree - pointers\b|\bfrom (?:deep|long range|three - point range)\b"),
    "FTM": re.compile(r"\bfree throws\b"),
}
_PARTIAL = frozenset("defensive paint fast".split())  # of pairs
_BEHIND = frozenset("lost trailed deficit trailing losing".split())
_SCORE = 80  # points; no pair of both teams' counts is so high
_LONGEST_CLAUSE = 14  # words before a pair that may say what it compares
_AFTER_SHOTS = frozenset("from shooting fg ft 3pt 3-pt 3p fgs".split())  # "7 - 14 FG" is no pair of both teams
_BEFORE_SHOTS = frozenset("( shot shoot shooting went going to is are".split())  # or a record


def comparisons(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outrebounded the Hawks 45 - 36", "a 50 - 17 edge in bench points", "fewer turnovers , 16 to 18"."""
    for sentence in sentences(recap):
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            link = recap.words[first.end : second.start]
            if link not in (["-"], ["to"]) or recap.word(first.start - 1) == "(" or recap.word(second.end) == "-":
                continue
            is_shots = recap.word(second.end) in _AFTER_SHOTS or recap.word(first.start - 1) in _BEFORE_SHOTS
            if max(first.value, second.value) >= _SCORE or is_shots:
                continue
            column = _compared(recap, sentence, first, second)
            if column in ("FG3M", "FTM") and link == ["-"]:
                continue  # "11 - 15 free throws"
            if column is not None:
                yield from _judge_pair(recap, sentence, (first, second), column, is_dashed=link == ["-"])


def _compared(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan) -> str | None:
    """The column that a pair compares; None if it is a score or a record."""
    after = []
    for at in range(second.end, min(sentence.end, second.end + 9)):
        word = recap.word(at)
        if word in (",", ".", "and", "but", "while", ";") or word[:1].isdigit():
            break
        after.append(word)
    text = " ".join(after)
    start = max(sentence.start, first.start - _LONGEST_CLAUSE)
    before = recap.words[start : first.start]
    for at in range(len(before) - 1, -1, -1):  # back to the clause's start or the number before
        is_number = before[at][:1].isdigit()
        if is_number or (before[at] in ("while", ";", "but") or (before[at] == "and" and at < len(before) - 1)):
            before = before[at + 1 :]
            break
    clause = " ".join(before)
    if (PARTS | _PARTIAL).intersection([*after, *before]):
        return None
    for column, pattern in _PAIRED.items():
        if pattern.search(text):
            return column
    if text.startswith("overall") and "offensive" in recap.words[sentence.start : first.start]:
        return "REB"
    found = [(match.start(), column) for column, pattern in _PAIRED.items() for match in pattern.finditer(clause)]
    if not found:
        return None
    column = max(found)[1]
    return "OREB" if column == "REB" and "offensive" in before[-4:] else column


def _judge_pair(
    recap: ParsedRecap, sentence: SentenceSpans, pair: tuple[NumberSpan, NumberSpan], column: str, is_dashed: bool
) -> Iterator[Finding]:
    first, second = pair
    attribute = attribute_of(column, 0)
    values = [recap.facts.number(team, attribute) for team in (0, 1)]
    if None in values:
        return
    beside = re.match(r"(?:for|in favor of|to) ", recap.phrase(second.end, second.end + 4) + " ")
    subject = named_beside(recap, sentence, second, second.end) if beside else None
    if subject is None:
        subject = _pair_subject(recap, sentence, first)
    before = recap.words[max(sentence.start, first.start - _LONGEST_CLAUSE) : first.start]
    after = recap.words[second.end : second.end + 4]
    if subject is None:
        team = 0 if [first.value, second.value] == values else 1
    elif is_dashed and not {"fewer", "more"}.intersection(before[-4:]):
        is_passive = re.search(
            r"\b(?:were|was|being|got|been) (?:\S+ )?(?:out - )?(?:out)?(?:rebound|scor|shot|beat)", " ".join(before)
        )
        is_behind = bool(is_passive) or bool(_BEHIND.intersection([*before[-5:], *after]))
        leader = 1 - subject if is_behind else subject
        team = leader if first.value >= second.value else 1 - leader
    else:
        team = subject
    findings = []
    for number, owner in ((first, team), (second, 1 - team)):
        fact = recap.facts.get(owner, attribute)
        assert fact is not None  # both values are known
        claim = f"{recap.name(owner)}: {number.value} {attribute}"
        findings.append(
            decide("number", number.start, number.end, number.value == fact.number, claim, fact.value, fact)
        )
    if all(finding.verdict == "true" for finding in findings) or is_whole_game(recap, sentence):
        yield from findings


def _pair_subject(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan) -> int | None:
    """The team that a pair is said of; None if either order is right: "turnovers were close at 14 to 13"."""
    near = recap.phrase(max(sentence.start, first.start - 6), first.start)
    is_named = any(first.start - 4 <= span.start < first.start for span in sentence.entities)
    counted = r"\b(?:turnovers|rebounds|boards|assists|benches|rebounding|steals|blocks) (?:was|were)\b"
    if re.search(counted, near) and not is_named:
        return None
    owners = owners_at(recap, sentence, first.start)
    if len(owners.entities) != 1:
        return None
    return team_of(recap, owners.entities[0])
