"""The other games of a season: what came before a game and what comes next."""

import bisect
import datetime
import functools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .box_score import Entity
from .facts import Fact, OtherGame
from .game import Game
from .nba import LONGEST_BREAK, MOST_PLAYOFF_GAMES, OTHER_NAMES, season_of


_SUFFIXES = frozenset("jr sr ii iii iv".split())
_PUNCTUATION = str.maketrans({".": "", ",": "", "'": "", "-": " "})


@dataclass(frozen=True)
class Fixture:
    """A game of the schedule, played or not: the day, and the name and city of both teams, the home team first."""

    date: datetime.date
    names: tuple[str, str]
    cities: tuple[str, str]

    @classmethod
    def of(cls, game: Game) -> "Fixture":
        home, visitor = game.entities[:2]
        return cls(game.date, (home.name, visitor.name), (home.text("TEAM-CITY"), visitor.text("TEAM-CITY")))


class Before(NamedTuple):
    """A team's games before a game, the latest first.

    They are consecutive, and `is_complete` if they reach back to the season's first game.
    """

    games: tuple[Game, ...]
    is_complete: bool


class Season:
    """Finds a team's and a player's previous games, and a team's next one.

    A team's games are numbered by its record: after its n-th game, wins and losses add up to n. An unknown
    game therefore leaves a gap and is never confused with the one after it.

    Args:
        games: other games of the season, in any order; may include the game asked about and other seasons. Of two
            games of the same day and home team, the first counts.
        fixtures: the schedule, if known; whole for each team in it. Without it, the next game is looked up in `games`.

    Example:
        >>> season = Season(read_games("season.json"))
        >>> season.next(game, team=0)  # the home team's next game, or None
    """

    def __init__(self, games: Iterable[Game] = (), fixtures: Iterable[Fixture] = ()):
        self._games: dict[tuple[str, int], list[Game]] = {}  # by team and number, latest first
        self._appearances: dict[tuple[str, int], list[tuple[Game, int]]] = {}  # by player and season, latest first
        self._cells: dict[tuple[int, int, str], Fact | None] = {}
        self._fixtures: dict[str, list[Fixture]] = {}
        distinct: dict[tuple[datetime.date, str], Game] = {}
        for game in games:
            distinct.setdefault((game.date, game.home.name), game)
        for game in sorted(distinct.values(), key=lambda game: game.date, reverse=True):
            season = season_of(game.date)
            for team in (0, 1):
                key = _numbered(game, team)
                if key is not None:
                    self._games.setdefault(key, []).append(game)
            for position, player in enumerate(game.players, 2):
                if player.did_play:
                    self._appearances.setdefault((player_key(player.name), season), []).append((game, position))
        for fixture in sorted(fixtures, key=lambda fixture: fixture.date):
            for name in fixture.names:
                self._fixtures.setdefault(name, []).append(fixture)

    def next(self, game: Game, team: int) -> Fixture | None:
        """The next game of this game's home (0) or visiting (1) team; None if unknown."""
        schedule = self._fixtures.get(game.entities[team].name, ())
        if any(fixture.date == game.date for fixture in schedule):
            later = next((fixture for fixture in schedule if fixture.date > game.date), None)
            return later if later and (later.date - game.date).days <= LONGEST_BREAK else None
        key = _numbered(game, team)
        found = None if key is None else self._find(game, (key[0], key[1] + 1), 1)
        return None if found is None else Fixture.of(found)

    def before(self, game: Game, team: int) -> Before:
        """The team's games before this one, as far as they are known without a gap.

        If the schedule is known, the latest is the schedule's: a game that does not count for the record has none.
        """
        key, games = _numbered(game, team), [game]
        while key is not None and key[1] > 1:
            key = (key[0], key[1] - 1)
            previous = self._find(games[-1], key, -1)
            if previous is None or (len(games) == 1 and not self._is_previous(game, team, previous)):
                return Before(tuple(games[1:]), False)
            games.append(previous)
        return Before(tuple(games[1:]), key is not None and not is_playoff(game))

    def appearances(self, game: Game, player: Entity) -> list[tuple[Game, int]]:
        """The earlier games of the season in which he played, for any team, and his position there; latest first."""
        found = self._appearances.get((player_key(player.name), season_of(game.date)), ())
        return [(other, position) for other, position in found if other.date < game.date]

    def cell(self, game: Game, position: int, attribute: str) -> Fact | None:
        """A cell of one of this season's games as a source of facts about another one; None for "N/A"."""
        key = (id(game), position, attribute)
        if key not in self._cells:
            entity = game.entities[position]
            opponent = game.entities[1 - game.team_of(position)].name
            value = entity.values[attribute]
            other = OtherGame(entity.name, game.date.isoformat(), opponent)
            self._cells[key] = None if value is None else Fact(None, attribute, value, other_game=other)
        return self._cells[key]

    def fixture_cells(self, fixture: Fixture, team: int) -> list[Fact]:
        """A team's name and city in a fixture, as sources of facts about another game."""
        other = OtherGame(fixture.names[team], fixture.date.isoformat(), fixture.names[1 - team])
        values = {"TEAM-NAME": fixture.names[team], "TEAM-CITY": fixture.cities[team]}
        return [Fact(None, attribute, value, other_game=other) for attribute, value in values.items()]

    def _find(self, game: Game, key: tuple[str, int], direction: int) -> Game | None:
        """The game with this number within days after (1) or before (-1): other seasons and play-offs restart at 1.

        Every play-off series does, so there it must be of the same teams.
        """
        for other in self._games.get(key, ())[::-direction]:
            is_near = 0 < direction * (other.date - game.date).days <= LONGEST_BREAK
            if is_near and (not is_playoff(game) or _team_names(other) == _team_names(game)):
                return other
        return None

    def _is_previous(self, game: Game, team: int, previous: Game) -> bool:
        """Whether no game of the team is scheduled between the two; True if the schedule is unknown."""
        schedule = self._fixtures.get(game.entities[team].name, [])
        earlier = bisect.bisect_left(schedule, game.date, key=lambda fixture: fixture.date)
        return earlier == 0 or schedule[earlier - 1].date <= previous.date


def _team_names(game: Game) -> set[str]:
    return {game.home.name, game.visitor.name}


def _numbered(game: Game, team: int) -> tuple[str, int] | None:
    """A team's name and the number of this game among its games; None if its record is unknown."""
    entity = game.entities[team]
    wins, losses = entity.number("TEAM-WINS"), entity.number("TEAM-LOSSES")
    return None if wins is None or losses is None else (entity.name, wins + losses)


def is_playoff(game: Game) -> bool:
    """Whether the records are those of a play-off series: few games, in spring."""
    played = [_numbered(game, team) for team in (0, 1)]
    is_spring = 4 <= game.date.month <= 7
    return is_spring and all(number is not None and number[1] <= MOST_PLAYOFF_GAMES for number in played)


@functools.cache  # a season asks for the same few hundred players over and over
def player_key(name: str) -> str:
    """One key for "T.J. Warren" and "TJ Warren", "Dončić" and "Doncic", with or without "Jr.", and other names."""
    name = OTHER_NAMES.get(name, name)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = plain.translate(_PUNCTUATION).split()
    return " ".join(word for word in words if word not in _SUFFIXES) or plain


def side(game: Game, name: str) -> int:
    """0 if the team of that name plays at home, else 1."""
    return 0 if game.home.name == name else 1


def has_won(game: Game, team: int) -> bool:
    """Whether the home (0) or visiting (1) team won. Missing points count as 0."""
    points = [entity.number("TEAM-PTS") or 0 for entity in game.entities[:2]]
    return points[team] > points[1 - team]
