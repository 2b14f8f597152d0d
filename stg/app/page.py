"""Self-contained HTML pages: every recap beside its box score, its words linked to the cells they state."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from modeling_stg.game_facts import GameFacts
from stg.app.box_score import box_score, computed_facts
from stg.app.links import Links
from stg.app.marks import marked_text, recap_marks, verdict


HINT = (
    "Point at a highlighted word, tap it, or step through them with the arrow keys: its cells light up in the box "
    "score, with the formula if it was computed. It works from the cells to the words, too."
)


def part(name: str) -> str:
    """One of the files of this folder that pages are made of."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def recap_page(games: Sequence[GameFacts], results: Sequence[Mapping]) -> str:
    """A page of generated recaps.

    Args:
        games: The games, with the season that the recaps were written with.
        results: One object for each game, as in the jsonl of `stg generate`.

    Returns:
        An HTML document without external resources.
    """
    notes = [f"Written in the style {result['writer']}" for result in results]
    return _document("Recaps and their box scores", games, results, notes)


def check_page(games: Sequence[GameFacts], results: Sequence[Mapping]) -> str:
    """A page of checked recaps; `results` holds one object for each game, as in the jsonl of `stg check`."""
    notes = [result["summary"] for result in results]
    return _document("Recaps checked against their box scores", games, results, notes)


def recap(links: Links, result: Mapping, is_whole: bool = True) -> str:
    """A recap as HTML: the marked text and, if it `is_whole`, the verdict and the facts that were computed for it."""
    marks = recap_marks(links, result)
    text = marked_text(links, result["text"], marks)
    return text + verdict(result, marks) + computed_facts(links, [mark.link for mark in marks]) if is_whole else text


def _document(title: str, games: Sequence[GameFacts], results: Sequence[Mapping], notes: Sequence[str]) -> str:
    sections = []
    for index, (facts, result, note) in enumerate(zip(games, results, notes, strict=True)):
        links = Links(index, facts)
        sections.append(
            f"<main><section class='card'><p class='note'>{escape(note)}</p>{recap(links, result)}</section>"
            f"<section class='box'>{box_score(links)}</section></main>"
        )
    style, script = part("facts.css"), part("facts.js")
    # The text of a recap comes from outside: only this style and this script work, and nothing is loaded.
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title><style>{style}</style></head>\n<body>"
        f"<header><h1>{title}</h1><p class='note'>{HINT}</p></header>\n"
        + "\n".join(sections)
        + f"\n<script>{script}</script></body></html>\n"
    )


def _hash(content: str) -> str:
    """The name of an inline style or script in a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
