"""Self-contained HTML pages: every recap beside its box score, its words linked to the cells they state."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from modeling_stg.fact_schema import WEEKDAY
from modeling_stg.game import Game
from modeling_stg.schema import PLAYER_NUMBERS, TEAM_NUMBERS


STYLE = """
body { font: 16px/1.6 Georgia, serif; margin: 2rem auto; max-width: 100rem; padding: 0 1rem; color: #222; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
article { display: grid; grid-template-columns: minmax(20rem, 2fr) 3fr; gap: 2rem; align-items: start; }
@media (max-width: 60rem) { article { grid-template-columns: 1fr; } }
.recap { position: sticky; top: 1rem; } .box { overflow-x: auto; }
table { border-collapse: collapse; font: 12px/1.4 ui-monospace, monospace; margin-bottom: 1rem; }
th, td { padding: 1px 6px; text-align: right; white-space: nowrap; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; } th { color: #666; font-weight: normal; }
[data-cell] { cursor: default; border-radius: 3px; }
.recap [data-cell], .stated { background: #e8f1fb; } .recap .number { background: #d5f0d9; font-weight: bold; }
[data-cell].lit { background: #ffd34d !important; outline: 1px solid #b88a00; }
.note { color: #666; font-size: .85rem; }
.recap .true { background: #d5f0d9; } .recap .false { background: #ffc9c2; font-weight: bold; }
.recap .unknown { border-bottom: 2px dotted #b88a00; } .recap ins { color: #8a1c0c; font-size: .8rem; }
"""
SCRIPT = """
for (const [event, lit] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]])
  document.addEventListener(event, ({target}) => {
    const cell = target.closest("[data-cell]");
    if (cell) for (const other of document.querySelectorAll(`[data-cell="${CSS.escape(cell.dataset.cell)}"]`))
      other.classList.toggle("lit", lit);
  });
"""


def recap_page(games: Sequence[Game], results: Sequence[Mapping]) -> str:
    """A page of generated recaps.

    Args:
        games: The games.
        results: One object for each game, as in the jsonl of `stg generate`.

    Returns:
        An HTML document without external resources.
    """
    sections = [recap_section(index, *pair) for index, pair in enumerate(zip(games, results, strict=True))]
    return _document("Recaps and their box scores", sections)


def check_page(games: Sequence[Game], results: Sequence[Mapping]) -> str:
    """A page of checked recaps; `results` holds one object for each game, as in the jsonl of `stg check`."""
    sections = [check_section(index, *pair) for index, pair in enumerate(zip(games, results, strict=True))]
    return _document("Recaps checked against their box scores", sections)


def recap_section(index: int, game: Game, result: Mapping) -> str:
    """The section of one game in `recap_page`; `index` keeps its cell ids distinct from other games'."""
    positions = {entity.name: position for position, entity in enumerate(game.entities)}
    cells = {(positions[token["entity"]], token["attribute"]) for token in result["tokens"] if token["entity"]}
    note = f"writer {result['writer']}, game {game.game_id}"
    return _section(index, game, note, _linked_text(index, positions, result), cells)


def check_section(index: int, game: Game, result: Mapping) -> str:
    """The section of one game in `check_page`."""
    positions = {entity.name: position for position, entity in enumerate(game.entities)}
    cells = {
        (positions[finding["entity"]], finding["attribute"]) for finding in result["findings"] if finding["entity"]
    }
    return _section(index, game, result["summary"], _checked_text(index, positions, result), cells)


def _document(title: str, sections: Sequence[str]) -> str:
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title>"
        f"<style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        "<p class='note'>Point at a highlighted word to see its cell, or at a cell to see where it is stated.</p>\n"
        + "\n".join(sections)
        + f"\n<script>{SCRIPT}</script></body></html>\n"
    )


def _section(index: int, game: Game, note: str, recap: str, stated: set[tuple[int, str]]) -> str:
    """The recap, already HTML, beside the box score, in which the `stated` cells are highlighted."""

    def cell(entity: int, attribute: str, tag: str = "td") -> str:
        value = game.entities[entity].values[attribute]
        if value is None:
            return f"<{tag}>–</{tag}>"
        highlight = " class='stated' tabindex='0'" if (entity, attribute) in stated else ""
        return f"<{tag} data-cell='{_cell_id(index, entity, attribute)}'{highlight}>{escape(value)}</{tag}>"

    title = f"{game.visitor.full_name} at {game.home.full_name}"
    day = f"<span data-cell='{_cell_id(index, 0, WEEKDAY)}'>{game.date:%A}</span> {game.date:%d %B %Y}"
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
    return (
        f"<h2>{escape(title)}, {day}</h2>\n<p class='note'>{escape(note)}</p>\n"
        f"<article><div class='recap'>{recap}</div>"
        f"<div class='box'>{''.join(tables)}</div></article>"
    )


def _linked_text(index: int, positions: Mapping[str, int], result: Mapping) -> str:
    """The text with each stated record in a span; the tokens occur in the text in order."""
    text, pieces, end = result["text"], [], 0
    for token in result["tokens"]:
        start, stop = _find(text, token["text"], end)
        if start < 0:
            continue  # a quotation mark, whose token differs from its printed form
        if token["entity"] is not None:
            cell = _cell_id(index, positions[token["entity"]], token["attribute"])
            css_class = "name" if token["form"] == "text" else "number"
            label = escape(f"{token['entity']} · {token['attribute']} = {token['value']}", quote=True)
            pieces.append(escape(text[end:start]))
            pieces.append(f"<span class='{css_class}' tabindex='0' data-cell='{cell}' title='{label}'>")
            pieces.append(f"{escape(text[start:stop])}</span>")
        else:
            pieces.append(escape(text[end:stop]))
        end = stop
    return f"<p>{''.join(pieces)}{escape(text[end:])}</p>"


def _checked_text(index: int, positions: Mapping[str, int], result: Mapping) -> str:
    """The text with its verdicts; the right value follows each false claim."""
    text, pieces, start = result["text"], [], 0
    for finding in result["findings"]:
        first, last = finding["start"], finding["end"]
        cell = ""
        if finding["entity"]:
            cell = f" data-cell='{_cell_id(index, positions[finding['entity']], finding['attribute'])}'"
        label = escape(finding["claim"], quote=True)
        pieces.append(escape(text[start:first]))
        pieces.append(f"<span class='{finding['verdict']}' tabindex='0'{cell} title='{label}'>")
        pieces.append(f"{escape(text[first:last])}</span>")
        if finding["truth"]:
            pieces.append(f" <ins>[{escape(finding['truth'])}]</ins>")
        start = last
    return f"<p>{''.join(pieces)}{escape(text[start:])}</p>"


def _find(text: str, value: str, start: int) -> tuple[int, int]:
    """The span of a value in printed text, which may omit its spaces ("A&M" for "A & M"); (-1, -1) if absent."""
    match = re.compile(r"\s*".join(map(re.escape, value.split(" ")))).search(text, start)
    return match.span() if match else (-1, -1)


def _cell_id(index: int, entity: int, attribute: str) -> str:
    """The id of a cell. The weekday is one cell, in the heading, for both teams."""
    return f"{index}-{0 if attribute == WEEKDAY else entity}-{attribute}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = "".join(f"<th>{escape(column)}</th>" for column in head)
    return f"<table><tr>{columns}</tr>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows) + "</table>\n"
