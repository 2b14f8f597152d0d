"""The comparison of a number with a fact, which most rules of numbers share."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan


def judge_number(
    recap: ParsedRecap, number: NumberSpan, entity: int, attribute: str, claim: str | None = None
) -> Iterator[Finding]:
    """Compares a number with the fact that it claims to be; says nothing where the fact is missing."""
    fact = recap.facts.get(entity, attribute)
    if fact is not None:
        claim = claim or f"{recap.name(entity)}: {number.value} {attribute}"
        yield decide("number", number.start, number.end, number.value == fact.number, claim, fact.value, fact)
