"""`GameFacts`: every fact about a game, each with the facts it was computed from. All else reads truth from here.

Encoder and decoder take the records of their configured groups, annotation finds statements of facts in texts, the
checker compares claims with them, and pages show how they were computed.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, runtime_checkable

from .fact_schema import FACT_KINDS, OF_SEASON, PLAYER_FACTS, TEAM_FACTS
from .fact_table import FactTable
from .facts import Fact
from .game import Game, as_game
from .line_score_facts import add_line_score, add_result
from .player_facts import add_players
from .schema import NAME_ATTRIBUTES
from .season import Season
from .season_facts import add_recent_of_player, add_season_of_player, add_season_of_teams
from .total_facts import add_totals


_SHOWN_SOURCES = 8  # of a formula; a season's average has 82


@runtime_checkable
class HasFacts(Protocol):
    """A `GameFacts` of any copy of this module: code loaded from the Hub brings its own."""

    game: Any
    season: Any


class GameFacts:
    """The facts of one game, computed when first asked for.

    Wherever a game is expected (processor, checker, annotation), a `GameFacts` may be given: it brings its season.

    Args:
        game: the game, or the JSON of one.
        season: other games; without them there are no facts of the group `season`.

    Example:
        >>> facts = GameFacts(game, Season(read_games("season.json")))
        >>> facts.value(0, "TEAM-LEAD_Q3"), facts.formula(facts.get(0, "TEAM-LEAD_Q3"))
        ('14', 'lead after three quarters: 87 - 73')
    """

    def __init__(self, game: Any, season: Season | None = None):
        self.game: Game = as_game(game)
        self.season = season
        self._table = FactTable(self.game)
        self._done: set[Callable] = set()
        self._of_season: set[int] = set()  # players whose season has been added up
        self._complete: dict[int, bool] = {}
        self._recent: set[int] = set()  # players whose last games have been

    def get(self, entity: int, attribute: str) -> Fact | None:
        """An entity's fact, cell or computed; None if it has none."""
        if attribute in self.game.entities[entity].values:
            return self._table.cell(entity, attribute)
        kind = (TEAM_FACTS if entity < 2 else PLAYER_FACTS).get(attribute)
        if kind is None:
            return None
        if kind.group in OF_SEASON and entity >= 2:
            self._add_season_of(entity)
            if kind.group == "season" and not kind.is_record:
                self._add_recent_of(entity)
        else:
            self._compute(kind.group, entity < 2)
        return self._table.computed(entity, attribute)

    def value(self, entity: int, attribute: str) -> str | None:
        fact = self.get(entity, attribute)
        return None if fact is None else fact.value

    def number(self, entity: int, attribute: str) -> int | None:
        """A number fact as an int."""
        fact = self.get(entity, attribute)
        return None if fact is None else fact.number

    def __iter__(self) -> Iterator[Fact]:
        """All facts: cells entity by entity, then computed ones."""
        for kinds, is_team in ((TEAM_FACTS, True), (PLAYER_FACTS, False)):
            for kind in kinds.values():
                self._compute(kind.group, is_team)
        for player in range(2, len(self.game.entities)):
            self._add_recent_of(player)
        yield from self.game.facts()
        yield from self._table

    def formula(self, fact: Fact) -> str:
        """How a fact was computed, for people: "lead after three quarters: 87 - 73"; a cell is "PTS: 27"."""
        kind = FACT_KINDS.get(fact.attribute)
        if kind is None:
            return f"{fact.attribute}: {fact.value}"
        if not fact.sources:
            return f"{kind.meaning}: {fact.value}"
        terms = [self._term(source, kind.symbol) for source in fact.sources[:_SHOWN_SOURCES]]
        more = len(fact.sources) - len(terms)
        return f"{kind.meaning}: {kind.symbol.join(terms)}" + (f" and {more} more" if more else "")

    def _term(self, source: Fact, symbol: str) -> str:
        """A source in a formula: the bare value in arithmetic, else whose and what it is."""
        if symbol != ", ":
            return source.value
        where = source.to_json(self.game)
        day = f" on {where['date']}" if "date" in where else ""
        column = "" if source.attribute in NAME_ATTRIBUTES else f" {source.attribute.removeprefix('TEAM-')}"
        owner = "" if source.value == where["entity"] else f"{where['entity']} "
        return f"{owner}{source.value}{column}{day}"

    def _compute(self, group: str, is_team: bool) -> None:
        if group in OF_SEASON:
            if self.season is not None and is_team:
                self._once(add_season_of_teams, self._table, self.season)
            for player in () if is_team else (*self._table.players_of(0), *self._table.players_of(1)):
                self._add_season_of(player)
        elif group == "feed":
            self._once(_add_feed, self._table)
        else:
            self._once(_COMPUTE[group], self._table)

    def _add_season_of(self, player: int) -> None:
        if self.season is not None and player not in self._of_season and self.game.entities[player].did_play:
            self._of_season.add(player)
            if self._is_complete(self.game.team_of(player)):
                add_season_of_player(self._table, self.season, player)

    def _is_complete(self, team: int) -> bool:
        """Whether all earlier games of a team are known."""
        if team not in self._complete:
            self._complete[team] = self.season is not None and self.season.before(self.game, team).is_complete
        return self._complete[team]

    def _add_recent_of(self, player: int) -> None:
        if self.season is not None and player not in self._recent and self.game.entities[player].did_play:
            self._recent.add(player)
            add_recent_of_player(self._table, self.season, player)

    def _once(self, compute: Callable[..., None], *arguments: Any) -> None:
        if compute not in self._done:
            self._done.add(compute)
            compute(*arguments)


def _add_feed(table: FactTable) -> None:
    """What richer feeds add to a box score: cells of their own, without sources."""
    for team in (0, 1):
        for attribute, value in table.game.feed[team].items():
            if FACT_KINDS[attribute].group == "feed":  # the other groups read theirs themselves
                table.add(team, attribute, value)


_COMPUTE: dict[str, Callable[[FactTable], None]] = {
    "result": add_result,
    "line_score": add_line_score,
    "totals": add_totals,
    "players": add_players,
}


def as_facts(game: Any) -> GameFacts:
    """The facts of a game in any form; a `GameFacts`, also of another copy of this module, keeps its season."""
    if isinstance(game, GameFacts):
        return game
    if isinstance(game, HasFacts):
        return GameFacts(game.game, game.season)
    return GameFacts(game)
