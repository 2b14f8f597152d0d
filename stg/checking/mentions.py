"""Mentions of computed facts for training: the claims of a summary that the checker finds true, word for word."""

from collections.abc import Iterator, Sequence

from modeling_stg.fact_schema import FACT_KINDS, is_number, is_stated
from modeling_stg.facts import Fact, Mention
from stg.checking.findings import TRUE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.annotation import number_form


_BESIDE = {"TEAM-NEXT_OPPONENT": "TEAM-NEXT_CITY"}  # "the Atlanta Hawks" is one finding but states two facts


def fact_mentions(recap: ParsedRecap, findings: Sequence[Finding]) -> list[Mention]:
    """The true findings on facts that are not cells, where the text holds the fact's value as a model would write it.

    Args:
        recap: the summary that was checked.
        findings: `checker.findings(recap)`.

    Returns:
        Mentions in reading order, without overlap. A number is one token, in digits or a word up to twenty; a text
        stands word for word within the finding.
    """
    mentions = [mention for finding in findings for mention in _mentions(recap, finding)]
    return sorted(mentions, key=lambda mention: mention.position)


def _mentions(recap: ParsedRecap, finding: Finding) -> Iterator[Mention]:
    fact = finding.fact
    if finding.verdict != TRUE or fact is None or fact.attribute not in FACT_KINDS or not is_stated(fact.attribute):
        return
    written = recap.tokens[finding.start : finding.end]
    if is_number(fact.attribute):
        form = number_form(written[0], fact.number) if len(written) == 1 else None
        if form is not None:
            yield Mention(finding.start, 1, fact, form)
        return
    assert fact.entity is not None  # findings are about entities of the game
    beside = recap.facts.get(fact.entity, _BESIDE[fact.attribute]) if fact.attribute in _BESIDE else None
    for stated in (fact, beside):
        at = None if stated is None else _find(written, stated)
        if stated is not None and at is not None:
            yield Mention(finding.start + at, len(stated.value.split()), stated, "text")


def _find(written: list[str], fact: Fact) -> int | None:
    """Where a text fact's value begins in the written tokens."""
    words = fact.value.split()
    return next((at for at in range(len(written)) if written[at : at + len(words)] == words), None)
