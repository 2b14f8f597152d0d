"""A team's points in a period: "scored 39 in the first quarter to 30 for the Hawks", "a 36 - point second"."""

import re
from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject
from stg.checking.rules.judging import judge_number
from stg.checking.rules.periods import Scope, last_named, named
from stg.checking.rules.subjects import named_beside, possessor
from stg.extraction.candidates import NumberSpan, SentenceSpans


_SCORED = re.compile(
    r"\b(?:scored|scoring|score|had|got|managed|managing|posted|totaled|totaling|notched|tallied|mustered|produced|"
    r"added|adding|exploded for|erupted for|(?:put|putting|racked|racking|piled|piling) (?:up|in)|poured in|went for|"
    r"dropped|with)(?: \S+)?$"
)
_ALLOWED = re.compile(r"\b(?:allowed|allowing|gave up|giving up|surrendered|surrendering|conceded)(?: \S+)?$")
_HELD = re.compile(r"\b(?:held|holding|hold|limited|limiting|restricted|kept)(?P<object>(?: \S+){0,4}) to(?: \S+)?$")
_IN = re.compile(r"(?:more )?(?:points )?(?:more )?(?:in|during) |points (?=of)")
_BOTH = re.compile(r"\b(?:both teams|both sides|each team|each side|the teams|the two teams)\b")
_EVEN = re.compile(r"\b(?:(?:even|split|traded|tied)\b.* at|was even at)$")
_PRONOUN = frozenset("them it".split())
_HE = frozenset("he his him himself".split())
_STOPS = frozenset([",", ".", "and", "but", "while"])
_LEAST = 8  # points of a team in a quarter; fewer are perhaps a margin or a player's


def period_points(recap: ParsedRecap) -> Iterator[Finding]:
    """Points of a period, and those of the other team compared with them."""
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index):
            continue
        last: tuple[int, Scope] | None = None
        for number in sentence.numbers:
            if recap.word(number.end) == "-" and recap.word(number.end + 1) != "point":
                last = None
                continue
            if recap.word(number.start - 1) == "-":
                continue
            scope = _period(recap, sentence, number)
            if scope is not None and _is_of_both(recap, sentence, number):
                yield from _judge_both(recap, number, scope)
            elif scope is not None and recap.word(number.end) == "-":
                yield from _judge_any(recap, sentence, number, scope)
            elif scope is not None:
                is_next = recap.word(number.start - 1) == "and"  # "27 in the first and 25 in the second"
                team = last[0] if last is not None and is_next else _owner(recap, sentence, number)
                rival = _rival(recap, sentence, number)
                team = team if rival is None else 1 - rival
                if team is not None:
                    yield from _judge(recap, number, team, scope)
                    last = (team, scope)
            elif last is not None:
                other = _compared(recap, sentence, number, last[0])
                if other is not None:
                    yield from _judge(recap, number, other, last[1])


def _period(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> Scope | None:
    """The period that words beside a number name: "17 points in the fourth", "a 36 - point second"."""
    text = recap.phrase(number.end, min(sentence.end, number.end + 8))
    if text.startswith("- point "):
        found = named(text.removeprefix("- point "), "period")
        return found[1] if found and found[0] <= 2 else None
    match = _IN.match(text)
    found = named(text[match.end() :], "period") if match else None
    if found and found[0] <= 2 and "minutes" not in text:
        return found[1]
    before = recap.phrase(sentence.start, number.start)
    if _EVEN.search(before):  # "an even fourth at 23 points"
        mentioned = last_named(" ".join(before.split()[-9:]))
        return mentioned[1] if mentioned and not mentioned[1].is_break else None
    return None


def _is_of_both(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool:
    before = recap.phrase(sentence.start, number.start)
    clause = re.split(r" , | but | while ", before)[-1]
    return bool(_EVEN.search(clause) or (_BOTH.search(clause) and not re.search(r"\bcombined\b", clause)))


def _owner(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> int | None:
    """The team that scored the points; None if a player did, or if the number is no score."""
    before = recap.phrase(sentence.start, number.start)
    spans = [span for span in sentence.entities if span.start < number.start]
    team, is_explicit = clause_subject(recap, sentence, number.start)
    is_players = (spans and not spans[-1].is_team) or _HE.intersection(before.split())
    if team is None or is_players or not is_explicit:
        return None
    if held := _HELD.search(before):
        objects = [span.index for span in spans if span.start >= number.start - len(held[0].split())]
        if objects:
            return objects[-1]
        return 1 - team if _PRONOUN.intersection(held["object"].split()) else team
    if _ALLOWED.search(before):
        return 1 - team
    return team if _SCORED.search(before) else None


def _rival(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> int | None:
    """The team compared with: "scored 31 in the fourth to 27 for the Kings"."""
    later = next((other for other in sentence.numbers if number.end < other.start <= number.end + 7), None)
    if later is None or recap.word(later.start - 1) != "to":
        return None
    return named_beside(recap, sentence, later, later.end)


def _compared(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, team: int) -> int | None:
    """The team of a number that follows another: "to 30 for the Hawks", "and allowed 13"."""
    before = recap.phrase(sentence.start, number.start)
    if recap.word(number.end) not in _STOPS | {"for", "points", "of"}:
        return None
    owner = possessor(recap, sentence, number)
    if owner is None and re.search(r"\b(?:to|against)(?: only| just)?$", before):
        owner = named_beside(recap, sentence, number, number.end)
    if owner is not None:
        return owner
    if _ALLOWED.search(before) or re.search(r"\banswered with$", before):
        return 1 - team
    return None


def _judge(recap: ParsedRecap, number: NumberSpan, team: int, scope: Scope) -> Iterator[Finding]:
    fact = recap.facts.get(team, scope.attribute)
    if fact is not None and (number.value >= _LEAST or fact.number == number.value):
        yield from judge_number(recap, number, team, scope.attribute)


def _judge_both(recap: ParsedRecap, number: NumberSpan, scope: Scope) -> Iterator[Finding]:
    facts = [fact for team in (0, 1) if (fact := recap.facts.get(team, scope.attribute))]
    if len(facts) == 2:
        is_true = all(fact.number == number.value for fact in facts)
        truth = facts[0].value if facts[0].number == facts[1].number else None
        yield decide(
            *("number", number.start, number.end, is_true, f"{number.value} each {scope.words}", truth, facts[0])
        )


def _judge_any(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, scope: Scope) -> Iterator[Finding]:
    """ "a 37 - point fourth from the Bucks": of the team named beside it, else of either."""
    if any(not span.is_team for span in sentence.entities if span.start < number.start):
        return
    named_team = named_beside(recap, sentence, number, number.end + 3)
    teams = [named_team] if named_team is not None else [0, 1]
    facts = [fact for team in teams if (fact := recap.facts.get(team, scope.attribute))]
    fitting = [fact for fact in facts if fact.number == number.value]
    if facts:
        claim = f"{number.value} points {scope.words}"
        truth = facts[0].value if len(facts) == 1 else None
        fact = (fitting or facts)[0]
        yield decide("number", number.start, number.end, bool(fitting), claim, truth, fact)
