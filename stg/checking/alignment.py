"""Aligns the dataset's tokens with the text they come from."""

import re
from collections.abc import Sequence

from modeling_stg.text import tokenize


_TYPOGRAPHY = str.maketrans("’‘“”−‐‑", "''\"\"---")
_GAP = re.compile(r"\s+")
_VARIANTS = {"``": '(?:``|")', "''": "(?:''|\")", "-": "[-–‒‑]"}


def recap_tokens(text: str) -> list[str]:
    """The dataset's tokens of a text, with plain quotation marks and apostrophes."""
    return tokenize(text.translate(_TYPOGRAPHY))


def character_spans(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Each token's characters, text[start:end]; an empty span if the text writes it differently."""
    plain, spans, position = text.translate(_TYPOGRAPHY), [], 0
    for token in tokens:
        gap = _GAP.match(plain, position)
        start = gap.end() if gap else position
        if token not in _VARIANTS and plain.startswith(token, start):
            spans.append((start, start + len(token)))
        else:
            pattern = _VARIANTS.get(token) or r"\s*".join(map(re.escape, token))
            near = re.compile(rf"\s*({pattern})").match(plain, position)
            match = near or re.compile(f"({pattern})").search(plain, position)
            spans.append(match.span(1) if match else (position, position))
        position = spans[-1][1]
    return spans
