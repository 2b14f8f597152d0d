"""What rules of numbers share: the comparison with a fact, and which sentences are about this game."""

import re
from collections.abc import Iterator

from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan, SentenceSpans


_EARLIER = re.compile(r"\blast (?:week|month|year|season|game|meeting|time|night)\b|\b(?:previous|earlier this)\b")


def judge_number(
    recap: ParsedRecap, number: NumberSpan, entity: int, attribute: str, claim: str | None = None
) -> Iterator[Finding]:
    """Compares a number with the fact that it claims to be; says nothing where the fact is missing."""
    fact = recap.facts.get(entity, attribute)
    if fact is not None:
        claim = claim or f"{recap.name(entity)}: {number.value} {attribute}"
        yield decide("number", number.start, number.end, number.value == fact.number, claim, fact.value, fact)


def is_other_game(recap: ParsedRecap, sentence: SentenceSpans) -> bool:
    """Whether a sentence names a third team, another weekday or an earlier game: "last week"."""
    words = recap.words[sentence.start : sentence.end]
    own = WEEKDAY_WORDS[recap.game.date.weekday()]
    is_third = any(span.is_team and span.index is None for span in sentence.entities)
    is_other_day = any(word in WEEKDAY_WORDS and word != own for word in words)
    return is_third or is_other_day or bool(_EARLIER.search(" ".join(words)))


def sentences_of_this_game(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences about this game alone."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index) and not recap.mentions_other_game(sentence.start):
            yield sentence
