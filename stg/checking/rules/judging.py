"""What rules of numbers share: the comparison with a fact, and which sentences are about this game."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan, SentenceSpans


def judge_number(
    recap: ParsedRecap, number: NumberSpan, entity: int, attribute: str, claim: str | None = None
) -> Iterator[Finding]:
    """Compares a number with the fact that it claims to be; says nothing where the fact is missing."""
    fact = recap.facts.get(entity, attribute)
    if fact is not None:
        claim = claim or f"{recap.name(entity)}: {number.value} {attribute}"
        yield decide("number", number.start, number.end, number.value == fact.number, claim, fact.value, fact)


def judge_margin(recap: ParsedRecap, number: NumberSpan, attributes: tuple[str, str], claim: str) -> Iterator[Finding]:
    """Compares a number with a margin, whichever team has it; the second attribute is that of a tie."""
    margin, tied = (recap.facts.get(0, attribute) or recap.facts.get(1, attribute) for attribute in attributes)
    fact, truth = (margin, margin.number) if margin else (tied, 0)
    if fact is not None:
        yield decide("number", number.start, number.end, number.value == truth, claim, str(truth), fact)


def sentences_of_this_game(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences about this game alone."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index) and not recap.mentions_other_game(sentence.start):
            yield sentence
