"""Marks: the pieces of a recap that state something, where it comes from, and what the checker thinks of it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from modeling_stg.numbers import WORDS
from modeling_stg.text import sentences
from stg.app.links import Link, Links, has_cell
from stg.checking.alignment import character_spans, recap_tokens
from stg.checking.findings import FALSE, TRUE, UNKNOWN


# A number in digits, or in a word that is no article ("one of"); not of "after three quarters", which names a break.
_WORDS = "|".join(word for word, number in WORDS.items() if number > 1)
_NUMBER = re.compile(rf"(?<![\w.])(?:\d+(?:[.,]\d+)*|(?:{_WORDS})\b(?! quarters?\b| periods?\b))(?!\w)", re.IGNORECASE)
UNDECIDED = "nothing in the box score or the season decides this number"
# How marks look: their CSS classes, in the order of the legend, and what they are.
LOOKS = {
    "number": "from cells",
    "computed": "computed",
    "name": "names",
    "free": "free",
    "false": "refuted",
}


class Mark(NamedTuple):
    """`text[start:end]` of a recap: how it looks (a key of `LOOKS`), its label, and the right value if it is false."""

    start: int
    end: int
    look: str
    label: str
    link: Link = Link()
    truth: str | None = None


def recap_marks(links: Links, result: Mapping[str, Any]) -> list[Mark]:
    """The marks of a text in reading order, without overlap.

    Args:
        links: of the game that the text is about.
        result: `text` with the `tokens` of `stg generate`, the `findings` of `stg check`, or both. With tokens, which
            say where each word was copied from, only findings that add to them are marked: what is false, and numbers.
    """
    found = [_found(links, finding) for finding in result.get("findings") or ()]
    if "tokens" in result:
        kinds = [finding["kind"] == "number" for finding in result.get("findings") or ()]
        found = [mark for mark, is_number in zip(found, kinds, strict=True) if is_number or mark.look == "false"]
    refuted = [mark for mark in found if mark.look == "false"]
    others = [mark for mark in found if mark.look != "false"]
    marks: list[Mark] = []
    taken: set[int] = set()
    for mark in (*refuted, *_traced(links, result), *others, *_numbers(result["text"])):
        characters = range(mark.start, mark.end)
        if not taken.intersection(characters):
            taken.update(characters)
            marks.append(mark)
    return sorted(marks)


def marked_text(links: Links, text: str, marks: Sequence[Mark]) -> str:
    """The text as HTML; the right value follows what is false."""
    pieces, end = [], 0
    for mark in marks:
        attributes = f"class='{mark.look}'{links.attributes(mark.link)} data-label='{escape(mark.label, quote=True)}'"
        pieces.append(
            f"{escape(text[end : mark.start])}<mark {attributes}>{escape(text[mark.start : mark.end])}</mark>"
        )
        if mark.truth:
            pieces.append(f" <ins>{escape(mark.truth)}</ins>")
        end = mark.end
    return f"<p class='text' data-steps>{''.join(pieces)}{escape(text[end:])}</p>"


def verdict(result: Mapping[str, Any], marks: Sequence[Mark]) -> str:
    """One sentence on the whole text, and the legend with the number of marks of each look, as HTML."""
    counts = Counter(mark.look for mark in marks)
    is_checked = result.get("findings") is not None
    good, text = "good", "Nothing refuted, and every number is a fact." if is_checked else "Every number is a fact."
    if counts["free"]:
        good, text = "fair", f"{_count(counts['free'], 'number')} that nothing decides."
        text = f"Nothing refuted, but {text}" if is_checked else text.capitalize()
    if counts["false"]:
        free = f", {_count(counts['free'], 'number')} undecided" if counts["free"] else ""
        good, text = "bad", f"{_count(counts['false'], 'claim')} refuted{free}."
    unjudged = _unjudged_sentences(result) if is_checked else 0
    if unjudged:
        text += f" <small>The checker reads no claim in {_count(unjudged, 'sentence')}.</small>"
    looks = [look for look in LOOKS if counts[look] or look in ("number", "free") or (look == "false" and is_checked)]
    legend = "".join(f"<li><span class='{look}'>{counts[look]}</span> {LOOKS[look]}</li>" for look in looks)
    return f"<p class='verdict {good}'>{text}</p><ul class='legend' aria-label='Marked in the text'>{legend}</ul>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _traced(links: Links, result: Mapping[str, Any]) -> Iterator[Mark]:
    """What the writer copied; the tokens occur in the text in order."""
    text, end = result["text"], 0
    for token in result.get("tokens", ()):
        start, stop = find(text, token["text"], end)
        if start < 0:
            continue  # a quotation mark, whose token differs from its printed form
        end, link = stop, links.read(token)
        if link.fact is not None:
            look = "computed" if not has_cell(token["attribute"]) else "name" if token["form"] == "text" else "number"
            yield Mark(start, stop, look, links.label(link.fact), link)


def _found(links: Links, finding: Mapping[str, Any]) -> Mark:
    """What the checker found, with the fact that decides it."""
    link, label = links.read(finding), finding["claim"]
    if link.fact is not None and not has_cell(link.fact.attribute):
        label = f"{label} · {links.origin(link.fact)}"
    if finding["verdict"] == FALSE:
        truth = f" (should be: {finding['truth']})" if finding["truth"] else ""
        look, label = "false", f"false: {label}{truth}"
    elif finding["verdict"] == UNKNOWN:
        look, label = "free", f"{UNDECIDED} ({label})"
    elif finding["kind"] == "name":
        look = "name"
    else:
        look = "number" if link.fact is not None and has_cell(link.fact.attribute) else "computed"
    return Mark(finding["start"], finding["end"], look, label, link, finding["truth"])


def _numbers(text: str) -> Iterator[Mark]:
    """Every number; what is left of them after all other marks is free."""
    for match in _NUMBER.finditer(text):
        yield Mark(match.start(), match.end(), "free", UNDECIDED)


def _unjudged_sentences(result: Mapping[str, Any]) -> int:
    """The sentences of which the checker judged nothing."""
    tokens = recap_tokens(result["text"])
    spans = character_spans(result["text"], tokens)
    starts: Iterable[int] = (finding["start"] for finding in result["findings"] if finding["verdict"] in (TRUE, FALSE))
    judged = sorted(starts)
    return sum(
        not any(spans[start][0] <= position < spans[end - 1][1] for position in judged)
        for start, end in sentences(tokens)
    )


def find(text: str, value: str, start: int) -> tuple[int, int]:
    """The span of a value in printed text, which may omit its spaces ("A&M" for "A & M"); (-1, -1) if absent."""
    match = re.compile(r"\s*".join(map(re.escape, value.split(" ")))).search(text, start)
    return match.span() if match else (-1, -1)
