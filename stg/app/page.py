"""Self-contained HTML pages: every recap beside its box score, its words linked to the cells they state."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from modeling_stg.fact_schema import FACT_KINDS, WEEKDAY
from modeling_stg.facts import Fact
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import PLAYER_NUMBERS, TEAM_NUMBERS
from modeling_stg.text import detokenize
from stg.app.links import Link, Links, has_cell, place, stated_cells


STYLE = """
body { font: 16px/1.6 Georgia, serif; margin: 2rem auto; max-width: 100rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
article { display: grid; grid-template-columns: minmax(20rem, 2fr) 3fr; gap: 2rem; align-items: start; }
@media (max-width: 60rem) { article { grid-template-columns: 1fr; } }
.recap { position: sticky; top: 1rem; } .box { overflow-x: auto; }
table { border-collapse: collapse; font: 12px/1.4 ui-monospace, monospace; margin-bottom: 1rem; }
th, td { padding: 1px 6px; text-align: right; white-space: nowrap; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; } th { color: #666; font-weight: normal; }
.facts td, .facts th { text-align: left; white-space: normal; }
[data-cell], [data-from] { cursor: default; border-radius: 3px; }
.name, .stated { background: #e8f1fb; } .number { background: #d5f0d9; font-weight: bold; }
.computed { background: #ece2f9; font-weight: bold; } span.computed { border-bottom: 1px dashed #6b3fa0; }
.true { background: #d5f0d9; } .false { background: #ffc9c2; font-weight: bold; }
.unknown { border-bottom: 2px dotted #b88a00; } .recap ins { color: #8a1c0c; font-size: .8rem; }
.lit { background: #ffd34d; outline: 1px solid #b88a00; }
.note { color: #666; font-size: .85rem; }
.recap [title]:focus::after { content: attr(title); position: absolute; left: 0; right: 0; margin-top: 1.8em; }
.recap [title]:focus::after { z-index: 1; padding: .3rem .6rem; pointer-events: none; }
.recap [title]:focus::after { background: #222; color: #fff; font: 13px/1.4 system-ui, sans-serif; }
"""
# A fact lights its cell, the cells it was computed from, and what was computed from it.
SCRIPT = """
for (const [event, lit] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]])
  document.addEventListener(event, ({target}) => {
    const pointed = target.closest("[data-cell], [data-from]");
    if (!pointed) return;
    const {cell, from} = pointed.dataset, cells = [cell, ...(from || "").split(" ")].filter(Boolean);
    const linked = cells.map(id => `[data-cell="${CSS.escape(id)}"]`);
    if (cell) linked.push(`[data-from~="${CSS.escape(cell)}"]`);
    for (const other of [pointed, ...document.querySelectorAll(linked.join())]) other.classList.toggle("lit", lit);
  });
"""
_POINT = "Point at a highlighted word to see its cells, or at a cell to see where it is stated."
RECAP_NOTE = (
    f"{_POINT} <span class='number'>Green</span> is a number of the box score, <span class='name'>blue</span> a name, "
    "<span class='computed'>violet</span> a fact computed from the box score or from other games."
)
CHECK_NOTE = (
    f"{_POINT} <span class='true'>Green</span> is true, <span class='false'>red</span> is false, followed by the "
    "right value, and a <span class='unknown'>dotted line</span> marks what nothing decides. "
    "<span class='computed true'>A dashed line</span> marks what a fact decides that was computed from the box "
    "score or from other games."
)


def recap_page(games: Sequence[GameFacts], results: Sequence[Mapping]) -> str:
    """A page of generated recaps.

    Args:
        games: The games, with the season that the recaps were written with.
        results: One object for each game, as in the jsonl of `stg generate`.

    Returns:
        An HTML document without external resources.
    """
    sections = [recap_section(index, *pair) for index, pair in enumerate(zip(games, results, strict=True))]
    return _document("Recaps and their box scores", RECAP_NOTE, sections)


def check_page(games: Sequence[GameFacts], results: Sequence[Mapping]) -> str:
    """A page of checked recaps; `results` holds one object for each game, as in the jsonl of `stg check`."""
    sections = [check_section(index, *pair) for index, pair in enumerate(zip(games, results, strict=True))]
    return _document("Recaps checked against their box scores", CHECK_NOTE, sections)


def recap_section(index: int, facts: GameFacts, result: Mapping) -> str:
    """The section of one game in `recap_page`; `index` keeps its ids distinct from other games'."""
    links = Links(index, facts)
    note = f"writer {result['writer']}, game {facts.game.game_id}"
    return _section(links, note, _linked_text(links, result), [links.read(token) for token in result["tokens"]])


def check_section(index: int, facts: GameFacts, result: Mapping) -> str:
    """The section of one game in `check_page`."""
    links = Links(index, facts)
    found = [links.read(finding) for finding in result["findings"]]
    return _section(links, result["summary"], _checked_text(links, result), found)


def _document(title: str, note: str, sections: Sequence[str]) -> str:
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title>"
        f"<style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        f"<p class='note'>{note}</p>\n" + "\n".join(sections) + f"\n<script>{SCRIPT}</script></body></html>\n"
    )


def _section(links: Links, note: str, recap: str, found: Sequence[Link]) -> str:
    """The recap, already HTML, beside the box score, in which the cells that were `found` in it are highlighted."""
    game, stated = links.facts.game, stated_cells(found)

    def cell(entity: int, attribute: str, tag: str = "td") -> str:
        value = game.entities[entity].values[attribute]
        if value is None:
            return f"<{tag}>–</{tag}>"
        highlight = " class='stated' tabindex='0'" if (entity, attribute) in stated else ""
        return f"<{tag} data-cell='{links.id(entity, attribute)}'{highlight}>{escape(value)}</{tag}>"

    title = f"{game.visitor.full_name} at {game.home.full_name}"
    day = f"<span data-cell='{links.id(0, WEEKDAY)}'>{game.date:%A}</span> {game.date:%d %B %Y}"
    teams = _table(
        ["", *(attribute.removeprefix("TEAM-") for attribute in TEAM_NUMBERS)],
        [
            [f"<td>{cell(team, 'TEAM-CITY', 'span')} {cell(team, 'TEAM-NAME', 'span')}</td>"]
            + [cell(team, attribute) for attribute in TEAM_NUMBERS]
            for team in (1, 0)
        ],
    )
    tables = [teams]
    for team in (1, 0):
        rows = [
            [f"<td>{cell(player, 'FIRST_NAME', 'span')} {cell(player, 'SECOND_NAME', 'span')}</td>"]
            + [cell(player, attribute) for attribute in ("TEAM_CITY", "START_POSITION", *PLAYER_NUMBERS)]
            for player in range(2, len(game.entities))
            if game.team_of(player) == team
        ]
        tables.append(_table([game.entities[team].name, "TEAM_CITY", "START", *PLAYER_NUMBERS], rows))
    tables.append(_computed_facts(links, found))
    return (
        f"<h2>{escape(title)}, {day}</h2>\n<p class='note'>{escape(note)}</p>\n"
        f"<article><div class='recap'>{recap}</div>"
        f"<div class='box'>{''.join(tables)}</div></article>"
    )


def _computed_facts(links: Links, found: Sequence[Link]) -> str:
    """A table of the facts that have no cell in the box score; nothing if there are none."""
    rows: dict[tuple[int, str], list[str]] = {}
    for link in found:
        fact = link.fact
        if fact is None or has_cell(fact.attribute):
            continue
        meaning = FACT_KINDS[fact.attribute].meaning
        formula = links.origin(fact).removeprefix(f"{meaning}: ")
        value = f"<td class='computed' tabindex='0'{links.attributes(link)}>{escape(_printed(fact))}</td>"
        entity, _ = place(fact)
        owner = links.facts.game.entities[entity].name
        texts = [f"<td>{escape(text)}</td>" for text in (owner, meaning, formula)]
        rows[place(fact)] = [*texts[:2], value, texts[2]]
    head = ["Computed facts", "meaning", "value", "formula"]
    return _table(head, list(rows.values()), "facts") if rows else ""


def _linked_text(links: Links, result: Mapping) -> str:
    """The text with each stated fact in a span; the tokens occur in the text in order."""
    text, pieces, end = result["text"], [], 0
    for token in result["tokens"]:
        start, stop = _find(text, token["text"], end)
        if start < 0:
            continue  # a quotation mark, whose token differs from its printed form
        link = links.read(token)
        if link.fact is not None:
            css_class = "name" if token["form"] == "text" else "number"
            label = f"{token['entity']} · {token['attribute']} = {token['value']}"
            if not has_cell(token["attribute"]):
                css_class, label = "computed", f"{token['entity']} · {links.origin(link.fact)}"
            pieces.append(escape(text[end:start]))
            pieces.append(_span(css_class, links.attributes(link), label, text[start:stop]))
        else:
            pieces.append(escape(text[end:stop]))
        end = stop
    return f"<p>{''.join(pieces)}{escape(text[end:])}</p>"


def _checked_text(links: Links, result: Mapping) -> str:
    """The text with its verdicts; the right value follows each false claim."""
    text, pieces, start = result["text"], [], 0
    for finding in result["findings"]:
        first, last = finding["start"], finding["end"]
        link = links.read(finding)
        css_class, label = finding["verdict"], finding["claim"]
        if link.fact is not None and not has_cell(link.fact.attribute):
            css_class, label = f"computed {css_class}", f"{label} · {links.origin(link.fact)}"
        pieces.append(escape(text[start:first]))
        pieces.append(_span(css_class, links.attributes(link), label, text[first:last]))
        if finding["truth"]:
            pieces.append(f" <ins>[{escape(finding['truth'])}]</ins>")
        start = last
    return f"<p>{''.join(pieces)}{escape(text[start:])}</p>"


def _span(css_class: str, attributes: str, label: str, text: str) -> str:
    title = escape(label, quote=True)
    return f"<span class='{css_class}' tabindex='0'{attributes} title='{title}'>{escape(text)}</span>"


def _printed(fact: Fact) -> str:
    """A fact's value as a text prints it: "double-double"."""
    return detokenize(fact.value.split(" "))


def _find(text: str, value: str, start: int) -> tuple[int, int]:
    """The span of a value in printed text, which may omit its spaces ("A&M" for "A & M"); (-1, -1) if absent."""
    match = re.compile(r"\s*".join(map(re.escape, value.split(" ")))).search(text, start)
    return match.span() if match else (-1, -1)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], css_class: str = "box-score") -> str:
    columns = "".join(f"<th>{escape(column)}</th>" for column in head)
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table class='{css_class}'><tr>{columns}</tr>{lines}</table>\n"
