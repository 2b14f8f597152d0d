"""Where the dataset's tokens stand in the text as its writer wrote it."""

import re
from collections.abc import Sequence


_SAME = {"``": '"', "''": '"', "-": "[-–‒‑]"}


def places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Of each token its characters text[start:end]; an empty span where the text has it in another form."""
    found, position = [], 0
    for token in tokens:
        pattern = _SAME.get(token) or r"\s*".join(map(re.escape, token))
        match = re.compile(rf"\s*({pattern})").match(text, position) or re.compile(f"({pattern})").search(
            text, position
        )
        found.append(match.span(1) if match else (position, position))
        position = found[-1][1]
    return found
