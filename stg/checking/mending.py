"""The text with what is false replaced by what is true, wherever one thing can stand in the other's place."""

import re
from collections.abc import Sequence

from modeling_stg.numbers import article, has_word, read_number, to_word
from stg.checking.findings import FALSE, Finding


_ARTICLE = re.compile(r"(?<=\b[Aa])n?(?= $)")
_UNIT = re.compile(r"( (?:point|rebound|board|assist|dime|steal|block|turnover|minute))s?\b(?!-)")
_LARGEST_WORD = 20  # above it writers use digits


def replacement(finding: Finding, said: str) -> str | None:
    """What can stand in the place of `said`: numbers in their own form, and names; None where a sentence would have to
    be written anew ("led", "a double-double", "a steal" of one who had none)."""
    if finding.verdict != FALSE or finding.truth is None or finding.kind == "word":
        return None
    if finding.kind == "name":
        return finding.truth
    if not finding.truth.isdecimal() or read_number(said.split(), 0) is None:
        return None
    number = int(finding.truth)
    in_words = not said.isdecimal() and number <= _LARGEST_WORD and has_word(number)
    word = to_word(number) if in_words else str(number)
    return word.capitalize() if said[0].isupper() else word


def mend(text: str, placed: Sequence[tuple[int, int, Finding]]) -> str:
    """The text with all replacements; `placed` are findings with their characters, text[start:end]."""
    pieces, position = [], 0
    for start, end, finding in placed:
        mended = replacement(finding, text[start:end])
        if mended is None:
            continue
        before = text[position:start]
        if finding.kind == "number":
            number, unit = int(finding.truth), _UNIT.match(text, end)
            was_one = text[start:end].lower() in ("1", "one")
            if _ARTICLE.search(before):
                before = _ARTICLE.sub(article(number)[1:], before)
            elif unit and was_one != (number == 1):
                mended, end = f"{mended}{unit[1]}{'s' if number != 1 else ''}", unit.end()
        pieces += [before, mended]
        position = end
    return "".join([*pieces, text[position:]])
