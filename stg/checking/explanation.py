"""The smallest explanation of false findings: a line that is another player's has one wrong name, not five numbers.

Every name stands for the claims made of it: its numbers, the team that a player led, that he led it. If they fit
another player, or the other team, far better, the name is the mistake. What "far better" means was chosen on the
mistakes that people marked in the 60 texts of the accuracy task, by the best F1 over a grid of weights.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from modeling_stg.numbers import read_number
from modeling_stg.schema import column_of
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import EntitySpan, SentenceSpans, plain_last_name


_ROUNDED = frozenset("MIN FG_PCT FG3_PCT FT_PCT".split())
_LARGE = 10  # smaller numbers fit other players by chance


@dataclass(frozen=True)
class Weights:
    """What corrections cost, in false numbers of ten or more.

    Args:
        player: the name of a player.
        team: the name of a team.
        again: more, if the name put in its place is in the sentence already.
        small: a false number below ten.
    """

    player: float = 2.5
    team: float = 2.0
    again: float = 2.0
    small: float = 0.6


WEIGHTS = Weights()


class _Claim(NamedTuple):
    """A finding about the owner of a name, and the number that it says he has; None for other claims."""

    finding: Finding
    value: int | None


def smallest(recap: ParsedRecap, findings: Sequence[Finding], weights: Weights = WEIGHTS) -> list[Finding]:
    """The findings, with a false name in place of the false numbers that it explains."""
    changed: dict[Finding, Finding | None] = {}
    added: list[Finding] = []
    for span, claims in _by_name(recap, findings).items():
        if not any(claim.finding.verdict == FALSE for claim in claims):
            continue
        found = _better(recap, span, claims, findings, weights)
        if found is None:
            continue
        changed |= {claim.finding: _as_said_of(recap, claim, found) for claim in claims}
        if not _flagged(findings, span) and span.text not in recap.name(found):  # "Williams" may be Carter-Williams
            added.append(_wrong_name(recap, span, found))
    kept = [other for finding in findings if (other := changed.get(finding, finding)) is not None]
    at = {position for finding in added for position in range(finding.start, finding.end)}
    kept = [finding for finding in kept if not at.intersection(range(finding.start, finding.end))]
    return sorted([*kept, *added], key=lambda finding: finding.start)


def _by_name(recap: ParsedRecap, findings: Sequence[Finding]) -> dict[EntitySpan, list[_Claim]]:
    """The claims made of every name that stands in their own sentence."""
    groups: dict[EntitySpan, list[_Claim]] = {}
    for finding in findings:
        if finding.verdict == UNKNOWN or finding.fact is None or finding.fact.entity is None:
            continue
        value = None
        if finding.kind == "number":
            read = read_number(recap.words, finding.start)
            value = read[0] if read else 1 if recap.words[finding.start] in ("a", "an") else None
            if value is None:
                continue
        elif finding.fact.attribute != "TEAM_NAME":
            continue
        span = _owner(recap.sentence_at(finding.start), finding)
        if span is not None:
            groups.setdefault(span, []).append(_Claim(finding, value))
    return groups


def _owner(sentence: SentenceSpans, finding: Finding) -> EntitySpan | None:
    """The name that a claim is made of: the last one before it, else the first after it."""
    entity = finding.fact.entity if finding.fact is not None else None
    spans = [span for span in sentence.entities if span.index == entity]
    before = [span for span in spans if span.start < finding.start]
    return before[-1] if before else next(iter(spans), None)


def _better(
    recap: ParsedRecap, span: EntitySpan, claims: Sequence[_Claim], findings: Sequence[Finding], weights: Weights
) -> int | None:
    """The entity that the claims fit so much better that the name is wrong; None if there is no single one."""
    assert span.index is not None
    flagged = _flagged(findings, span)
    others = [1 - span.index] if span.is_team else [at for at in _players(recap) if at != span.index]
    price = 0.0 if flagged else weights.team if span.is_team else weights.player
    now = _cost(recap, span.index, claims, weights)
    costs = {
        other: _cost(recap, other, claims, weights) + price + weights.again * _is_near(recap, span, other)
        for other in others
    }
    best = min(costs.values(), default=now)
    winners = [other for other, cost in costs.items() if cost == best]
    return winners[0] if best < now and len(winners) == 1 else None


def _cost(recap: ParsedRecap, entity: int, claims: Sequence[_Claim], weights: Weights) -> float:
    return sum(
        0.0 if _fits(recap, entity, claim) else 1.0 if (claim.value or _LARGE) >= _LARGE else weights.small
        for claim in claims
    )


def _fits(recap: ParsedRecap, entity: int, claim: _Claim) -> bool:
    fact = claim.finding.fact
    assert fact is not None
    if claim.value is None:
        return _team_named(recap, claim) == recap.game.team_of(entity)
    if entity == fact.entity:
        return claim.finding.verdict == TRUE
    other = recap.facts.get(entity, fact.attribute)
    if other is None:
        return False
    tolerance = 1 if column_of(fact.attribute) in _ROUNDED or "." in other.value else 0
    return other.value.replace(".", "").isdecimal() and abs(float(other.value) - claim.value) <= tolerance


def _team_named(recap: ParsedRecap, claim: _Claim) -> int | None:
    """The team that a player is said to play for."""
    sentence = recap.sentence_at(claim.finding.start)
    return next((span.index for span in sentence.entities if span.start == claim.finding.start), None)


def _as_said_of(recap: ParsedRecap, claim: _Claim, entity: int) -> Finding | None:
    """A claim judged as if the right name stood there."""
    finding = claim.finding
    assert finding.fact is not None
    name = recap.name(entity)
    fact = recap.facts.get(entity, finding.fact.attribute)
    said = finding.claim.split(": ")[-1]
    if claim.value is None or fact is None:
        return decide("name", finding.start, finding.end, _fits(recap, entity, claim), f"{name}: {said}", None, fact)
    is_true = _fits(recap, entity, claim)
    return decide("number", finding.start, finding.end, is_true, f"{name}: {said}", fact.value, fact)


def _wrong_name(recap: ParsedRecap, span: EntitySpan, entity: int) -> Finding:
    if span.is_team:
        truth = recap.team_in_place_of(span, *recap.team_names(entity))
        fact = recap.facts.get(entity, "TEAM-NAME")
    else:
        name = recap.name(entity)
        truth = name if " " in span.text else plain_last_name(name) or name
        fact = recap.facts.get(entity, "PTS")
    return decide("name", span.start, span.end, False, f"{span.text}: of whom this is said", truth, fact)


def _flagged(findings: Sequence[Finding], span: EntitySpan) -> bool:
    """Whether a name is a mistake already."""
    return any(
        finding.kind == "name" and finding.verdict == FALSE and finding.start < span.end and span.start < finding.end
        for finding in findings
    )


def _is_near(recap: ParsedRecap, span: EntitySpan, entity: int) -> bool:
    return any(other.index == entity for other in recap.sentence_at(span.start).entities)


def _players(recap: ParsedRecap) -> Iterator[int]:
    return (at for at in range(2, len(recap.game.entities)) if recap.game.entities[at].did_play)
