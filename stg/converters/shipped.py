"""The seasons that come with the package: 2013-14 to 2018-19, from hoopR (CC BY 4.0); see data/seasons/README.md."""

from pathlib import Path

from modeling_stg.box_score import Entity
from modeling_stg.game import Game
from modeling_stg.nba import season_of
from modeling_stg.season import Before, Fixture, Season
from stg.converters.hoopr import hoopr_games


SHIPPED = Path(__file__).resolve().parents[1] / "data" / "seasons"
SHIPPED_YEARS = range(2014, 2020)  # in which the seasons end


class ShippedSeasons(Season):
    """The shipped season of any game; a season is read when the first of its games is asked about.

    A game is known by its day, its teams and its score. About others nothing is known: an invented game, or one of
    another league, never meets games of the NBA, although its teams and its day may be theirs.

    Example:
        >>> facts = GameFacts(game, ShippedSeasons())
    """

    def __init__(self) -> None:
        super().__init__()
        self._seasons: dict[int, tuple[Season, frozenset]] = {}  # by year: its games, and the keys of them

    def next(self, game: Game, team: int) -> Fixture | None:
        return self._of(game).next(game, team)

    def before(self, game: Game, team: int) -> Before:
        return self._of(game).before(game, team)

    def appearances(self, game: Game, player: Entity) -> list[tuple[Game, int]]:
        return self._of(game).appearances(game, player)

    def _of(self, game: Game) -> Season:
        year = season_of(game.date) + 1
        if year not in self._seasons:
            games, fixtures = hoopr_games(SHIPPED, {year}) if year in SHIPPED_YEARS else ([], [])
            self._seasons[year] = Season(games, fixtures), frozenset(map(_key, games))
        season, known = self._seasons[year]
        return season if _key(game) in known else _NOTHING


_NOTHING = Season()


def _key(game: Game) -> tuple[object, ...]:
    teams = (game.home, game.visitor)
    return game.date, *(team.name for team in teams), *(team.values["TEAM-PTS"] for team in teams)
