"""Where the dataset's tokens stand in the text as its writer wrote it."""

import re
from collections.abc import Sequence

from modeling_stg.text import tokenize


_TYPOGRAPHY = str.maketrans("’‘“”−", "''\"\"-")
_SAME = {"``": '(?:``|")', "''": "(?:''|\")", "-": "[-–‒‑]"}


def words(text: str) -> list[str]:
    """The dataset's tokens of a text, its typographer's quotation marks and apostrophes made plain."""
    return tokenize(text.translate(_TYPOGRAPHY))


def places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Of each token its characters text[start:end]; an empty span where the text has it in another form."""
    plain, found, position = text.translate(_TYPOGRAPHY), [], 0
    for token in tokens:
        pattern = _SAME.get(token) or r"\s*".join(map(re.escape, token))
        near = re.compile(rf"\s*({pattern})").match(plain, position)
        match = near or re.compile(f"({pattern})").search(plain, position)
        found.append(match.span(1) if match else (position, position))
        position = found[-1][1]
    return found
