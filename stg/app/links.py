"""Links words to cells: ids of stated facts on a page, the cells they were computed from, and labels for people."""

from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

from modeling_stg.fact_schema import FACT_KINDS, WEEKDAY
from modeling_stg.facts import Fact
from modeling_stg.game_facts import GameFacts
from modeling_stg.text import detokenize


CELL_MEANINGS = {  # of cells, without the prefix of teams
    **{"PTS": "points", "REB": "rebounds", "AST": "assists", "STL": "steals", "BLK": "blocks", "MIN": "minutes"},
    **{"FGM": "field goals made", "FGA": "field goals attempted", "FG_PCT": "percent from the field"},
    **{"FG3M": "threes made", "FG3A": "threes attempted", "FG3_PCT": "percent from three"},
    **{"FTM": "free throws made", "FTA": "free throws attempted", "FT_PCT": "percent from the line"},
    **{"OREB": "offensive rebounds", "DREB": "defensive rebounds", "TO": "turnovers", "TOV": "turnovers"},
    **{"PF": "fouls", "WINS": "wins", "LOSSES": "losses", "START_POSITION": "starting position"},
    **{f"PTS_QTR{quarter}": f"points in quarter {quarter}" for quarter in (1, 2, 3, 4)},
}


class Link(NamedTuple):
    """What a piece of text states.

    Args:
        fact: the fact; None if the page knows only the cells that decide a claim.
        cells: position and attribute of the cells of this game that the fact was computed from.
    """

    fact: Fact | None = None
    cells: tuple[tuple[int, str], ...] = ()


class Links:
    """The links of one game's section.

    Args:
        index: keeps the ids distinct from those of other games on the page.
        facts: the game, with its season if the text was written or checked with one.
    """

    def __init__(self, index: int, facts: GameFacts):
        self.index, self.facts = index, facts
        self._positions = {entity.name: position for position, entity in enumerate(facts.game.entities)}

    def read(self, item: Mapping[str, Any]) -> Link:
        """The link of a trace's token or a report's finding; one without `from` gets it from the game's facts."""
        fact = self.facts.get(self._positions[item["entity"]], item["attribute"]) if item["entity"] else None
        sources = item.get("from")
        if sources is None:
            sources = [] if fact is None else [cell.to_json(self.facts.game) for cell in fact.cells()]
        cells = [
            (self._positions[source["entity"]], source["attribute"])
            for source in sources
            if "date" not in source and source["entity"] in self._positions
        ]
        return Link(fact, tuple(dict.fromkeys(cells)))

    def attributes(self, link: Link) -> str:
        """The HTML attributes that the page's script follows: `data-cell`, the fact itself, and `data-from`."""
        own = f" data-cell='{self.id(*place(link.fact))}'" if link.fact else ""
        sources = " ".join(self.id(*cell) for cell in link.cells)
        return own + (f" data-from='{sources}'" if sources else "")

    def id(self, entity: int, attribute: str) -> str:
        """The id of a fact. A page shows the weekday once for both teams, and a city once for all its players."""
        if attribute == WEEKDAY:
            entity = 0
        elif attribute == "TEAM_CITY":
            entity, attribute = self.facts.game.team_of(entity), "TEAM-CITY"
        return escape(f"{self.index}-{entity}-{attribute}", quote=True)

    def label(self, fact: Fact) -> str:
        """What a fact is, for people: "Bucks · points: 105", "Knicks · lead after three quarters: 87 - 73"."""
        owner = self.facts.game.entities[place(fact)[0]].name
        if fact.attribute in FACT_KINDS and fact.attribute != WEEKDAY:
            return f"{owner} · {self.origin(fact)}"
        meaning = CELL_MEANINGS.get(fact.attribute.removeprefix("TEAM-"))
        return f"{owner} · {meaning}: {fact.value}" if meaning else owner if fact.attribute != WEEKDAY else fact.value

    def origin(self, fact: Fact) -> str:
        """How a fact was computed: "lead after three quarters: 85 - 78", with the other games that it comes from."""
        kind, formula = FACT_KINDS[fact.attribute], self.facts.formula(fact)
        if kind.group == "feed":
            return f"{formula}, from the game's feed"
        if kind.symbol == ", ":
            return formula  # names each cell with its day; arithmetic has bare numbers
        others = {cell.other_game.date: cell.other_game for cell in fact.cells() if cell.other_game is not None}
        games = "; ".join(f"{other.date}, {other.name} against {other.opponent}" for other in others.values())
        return f"{formula} ({games})" if games else formula


def place(fact: Fact) -> tuple[int, str]:
    """Position and attribute of a fact of this game."""
    assert fact.entity is not None
    return fact.entity, fact.attribute


def has_cell(attribute: str) -> bool:
    """Whether an attribute is a cell of the box score, or the day of the game, and not computed."""
    return attribute == WEEKDAY or attribute not in FACT_KINDS


def printed(fact: Fact) -> str:
    """A fact's value as a text prints it: "double-double"."""
    return detokenize(fact.value.split(" "))
