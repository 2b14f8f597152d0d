"""Section 6.4: the texts of all systems about one game, with true and false numbers in colour."""

from collections.abc import Mapping, Sequence
from html import escape

from modeling_stg.text import detokenize


STYLE = """
body { font: 16px/1.6 Georgia, serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; } .note { color: #666; font-size: .85rem; }
.true { background: #d5e8f7; } .false { background: #ffd9a8; font-weight: bold; border-radius: 3px; }
"""


def page(title: str, texts: Mapping[str, Sequence[str]], relations: Mapping[str, Sequence]) -> str:
    """An HTML page of every system's text, given its tokens and the extractor's relations."""
    sections = []
    for system, tokens in texts.items():
        numbers = verdicts(relations[system])
        wrong = sum(not supported for supported, _ in numbers.values())
        note = f"{len(numbers)} numbers read, {wrong} of them false"
        sections.append(
            f"<h2>{escape(system)}</h2>\n<p class='note'>{note}</p>\n<p>{marked(list(tokens), numbers)}</p>"
        )
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n"
        "<p class='note'>As the extractor reads them, true numbers are <span class='true'>blue</span> and false ones "
        "<span class='false'>orange</span>; point at one to see what was read. Other numbers were not read.</p>\n"
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def verdicts(relations: Sequence) -> dict[int, tuple[bool, str]]:
    """Maps a number's position to whether the box score supports any reading of it, and to that reading."""
    numbers: dict[int, tuple[bool, str]] = {}
    for relation in relations:
        if not numbers.get(relation.number_start, (False, ""))[0]:
            read = f"{relation.entity} · {relation.type} = {relation.number}"
            numbers[relation.number_start] = relation.supported, read
    return numbers


def marked(tokens: list[str], numbers: Mapping[int, tuple[bool, str]]) -> str:
    """Tokens as printable text in HTML, with numbers in spans."""
    text, pieces, start = detokenize(tokens), [], 0
    for position, token in enumerate(tokens):
        first = text.find(token, start)
        if first < 0:
            continue  # a quotation mark, whose printed form differs
        pieces.append(escape(text[start:first]))
        shown = escape(token)
        if position in numbers:
            supported, read = numbers[position]
            verdict = "true" if supported else "false"
            shown = f"<span class='{verdict}' title='{escape(read, quote=True)}'>{shown}</span>"
        pieces.append(shown)
        start = first + len(token)
    return "".join(pieces) + escape(text[start:])
