"""A box score as HTML: the line score, then each team's players, what people look at first in the first columns."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from modeling_stg.fact_schema import FACT_KINDS, WEEKDAY
from modeling_stg.schema import QUARTERS, number_attribute
from stg.app.links import CELL_MEANINGS, Link, Links, has_cell, place, printed


class Column(NamedTuple):
    """A column: its heading, what that means, and the attributes it shows, two as "10-18"."""

    head: str
    meaning: str
    attributes: tuple[str, ...]


COLUMNS = (
    *(Column(name, CELL_MEANINGS[name], (name,)) for name in ("PTS", "REB", "AST", "STL", "BLK", "MIN")),
    Column("FG", "field goals, made and attempted", ("FGM", "FGA")),
    Column("3P", "threes, made and attempted", ("FG3M", "FG3A")),
    Column("FT", "free throws, made and attempted", ("FTM", "FTA")),
    *(Column(name, CELL_MEANINGS[name], (name,)) for name in ("TO", "PF")),
    Column("OR", "offensive rebounds", ("OREB",)),
    Column("DR", "defensive rebounds", ("DREB",)),
    *(
        Column(head, CELL_MEANINGS[name], (name,))
        for head, name in (("FG%", "FG_PCT"), ("3P%", "FG3_PCT"), ("FT%", "FT_PCT"))
    ),
)


def box_score(links: Links) -> str:
    """The box score of a game."""
    facts, game = links.facts, links.facts.game
    title = escape(f"{game.visitor.full_name} at {game.home.full_name}")
    day = f"<span data-cell='{links.id(0, WEEKDAY)}'>{game.date:%A}</span>, {game.date.day} {game.date:%B %Y}"
    arena = f" · {_cell(links, 0, 'TEAM-ARENA')}" if facts.get(0, "TEAM-ARENA") else ""
    tables = "".join(_team_table(links, team) for team in (1, 0))
    return f"<h2>{title}</h2><p class='day'>{day}{arena}</p><div data-steps>{_line_score(links)}{tables}</div>"


def computed_facts(links: Links, stated: Iterable[Link]) -> str:
    """A list of the facts that have no cell in the box score, each with its formula; nothing if there are none."""
    rows: dict[tuple[int, str], str] = {}
    for link in stated:
        fact = link.fact
        if fact is not None and not has_cell(fact.attribute):
            owner = links.facts.game.entities[place(fact)[0]].name
            meaning = FACT_KINDS[fact.attribute].meaning
            formula = links.origin(fact).removeprefix(f"{meaning}: ")
            texts = [f"<td>{escape(text)}</td>" for text in (owner, meaning, formula)]
            value = f"<td class='computed'{links.attributes(link)}>{escape(printed(fact))}</td>"
            rows[place(fact)] = f"<tr>{texts[0]}{texts[1]}{value}{texts[2]}</tr>"
    if not rows:
        return ""
    head = _head(("Of", "Fact", "Value", "Computed from"))
    title = f"{len(rows)} computed fact" + "s" * (len(rows) > 1)
    table = f"<table class='facts'>{head}<tbody>{''.join(rows.values())}</tbody></table>"
    return f"<details><summary>{title}, with formulas</summary>{table}</details>"


def _line_score(links: Links) -> str:
    """Quarters, overtimes together, and the final score."""
    facts, game = links.facts, links.facts.game
    periods, heads = [*QUARTERS], ["1", "2", "3", "4"]
    if facts.get(0, "TEAM-PTS_OT"):
        overtimes = facts.number(0, "TEAM-OVERTIMES") or 1
        periods.append("TEAM-PTS_OT")
        heads.append("OT" if overtimes == 1 else f"{overtimes}OT")
    rows = []
    for team in (1, 0):
        names = f"{_cell(links, team, 'TEAM-CITY')} {_cell(links, team, 'TEAM-NAME')}"
        record = f"{_cell(links, team, 'TEAM-WINS')}-{_cell(links, team, 'TEAM-LOSSES')}"
        known = game.entities[team].values["TEAM-WINS"] is not None
        points = "".join(f"<td>{_cell(links, team, period)}</td>" for period in periods)
        total = f"<td class='total'>{_cell(links, team, 'TEAM-PTS')}</td>"
        rows.append(
            f"<tr><th scope='row'>{names}{f' <small>({record})</small>' if known else ''}</th>{points}{total}</tr>"
        )
    return f"<table class='line'>{_head(('Final', *heads, 'T'))}<tbody>{''.join(rows)}</tbody></table>"


def _team_table(links: Links, team: int) -> str:
    """A team's players who played, starters first, its totals, and who did not play."""
    game = links.facts.game
    players = [player for player in range(2, len(game.entities)) if game.team_of(player) == team]
    played = [player for player in players if game.entities[player].did_play]
    rows = []
    for player in played:
        position = game.entities[player].values["START_POSITION"]
        start = f" <small>{_cell(links, player, 'START_POSITION')}</small>" if position else ""
        cells = "".join(_player_cell(links, player, column) for column in COLUMNS)
        rows.append(f"<tr><th scope='row'>{_name(links, player)}{start}</th>{cells}</tr>")
    totals = "".join(_team_cell(links, team, column) for column in COLUMNS)
    absent = ", ".join(_name(links, player) for player in players if player not in played)
    heads = "".join(f"<th scope='col'><abbr title='{column.meaning}'>{column.head}</abbr></th>" for column in COLUMNS)
    return (
        "<div class='scroll' tabindex='0' role='region' "
        f"aria-label='Players of the {escape(game.entities[team].name, quote=True)}'><table class='players'>"
        f"<thead><tr><th scope='col'>{escape(game.entities[team].name)}</th>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody><tfoot><tr><th scope='row'>Team</th>{totals}</tr></tfoot></table></div>"
        + (f"<p class='absent'>Did not play: {absent}</p>" if absent else "")
    )


def _name(links: Links, player: int) -> str:
    first, last = (_cell(links, player, name) for name in ("FIRST_NAME", "SECOND_NAME"))
    return f"<span class='first'>{first}</span> {last}"


def _player_cell(links: Links, player: int, column: Column) -> str:
    values = [links.facts.game.entities[player].values[attribute] for attribute in column.attributes]
    look = " class='nil'" if values[0] in (None, "0") and values[-1] in (None, "0") else ""
    return f"<td{look}>{'-'.join(_cell(links, player, attribute) for attribute in column.attributes)}</td>"


def _team_cell(links: Links, team: int, column: Column) -> str:
    """A team's total: a cell of the box score, or the sum of its players'."""
    attributes = [number_attribute(attribute, True) or f"TEAM-{attribute}" for attribute in column.attributes]
    known = [attribute for attribute in attributes if links.facts.get(team, attribute)]
    return f"<td>{'-'.join(_cell(links, team, attribute) for attribute in known)}</td>"


def _cell(links: Links, entity: int, attribute: str) -> str:
    """A value that words lead to; a computed one says how it was computed."""
    fact = links.facts.get(entity, attribute)
    if fact is None:
        return "–"
    label = "" if has_cell(attribute) else f" data-label='{escape(links.label(fact), quote=True)}'"
    return f"<span data-cell='{links.id(entity, attribute)}'{label}>{escape(printed(fact))}</span>"


def _head(titles: Sequence[str]) -> str:
    cells = "".join(f"<th scope='col'>{escape(title)}</th>" for title in titles)
    return f"<thead><tr>{cells}</tr></thead>"
