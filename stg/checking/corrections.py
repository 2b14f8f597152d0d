"""Corrects false numbers and names that can be replaced without rewriting the sentence."""

import re
from collections.abc import Sequence

from modeling_stg.numbers import LARGEST_WORD, article, has_word, read_number, to_word
from stg.checking.findings import FALSE, Finding


_ARTICLE = re.compile(r"(?<=\b[Aa])n?(?= $)")
_UNIT = re.compile(r"( (?:point|rebound|board|assist|dime|steal|block|turnover|minute))s?\b(?!-)")


def replacement(finding: Finding, written: str) -> str | None:
    """The replacement for `written`: a name, or a number in the same form.

    None where the sentence would have to be rewritten: "led", "a double-double", "a steal" of a player who had none.
    """
    if finding.verdict != FALSE or finding.truth is None or finding.kind == "word":
        return None
    if finding.kind == "name":
        return finding.truth
    if not finding.truth.isdecimal() or read_number(written.split(), 0) is None:
        return None
    number = int(finding.truth)
    in_words = not written.isdecimal() and number <= LARGEST_WORD and has_word(number)
    word = to_word(number) if in_words else str(number)
    return word.capitalize() if written[0].isupper() else word


def correct(text: str, placed: Sequence[tuple[int, int, Finding]]) -> str:
    """The text with all replacements made. `placed` holds findings with their characters, text[start:end]."""
    pieces, position = [], 0
    for start, end, finding in placed:
        new = replacement(finding, text[start:end])
        if new is None:
            continue
        before = text[position:start]
        if finding.kind == "number":
            number, unit = int(finding.truth or 0), _UNIT.match(text, end)
            was_one = text[start:end].lower() in ("1", "one")
            if _ARTICLE.search(before):
                before = _ARTICLE.sub(article(number)[1:], before)
            elif unit and was_one != (number == 1):
                new, end = f"{new}{unit[1]}{'s' if number != 1 else ''}", unit.end()
        pieces += [before, new]
        position = end
    return "".join([*pieces, text[position:]])
