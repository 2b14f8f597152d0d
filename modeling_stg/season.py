"""The other known games of a season: what came before a game and what comes next."""

from collections.abc import Iterable

from .game import Game
from .nba import LONGEST_BREAK


class Season:
    """Finds a team's previous and next games.

    A team's games are numbered by its record: after its n-th game, wins and losses add up to n. An unknown
    game therefore leaves a gap and is never confused with the one after it.

    Args:
        games: other games of the season, in any order; may include the game asked about and other seasons.

    Example:
        >>> season = Season(read_games("season.json"))
        >>> season.next(game, team=0)  # the home team's next game, or None
    """

    def __init__(self, games: Iterable[Game] = ()):
        self._games: dict[tuple[str, int], list[Game]] = {}
        for game in games:
            for team in (0, 1):
                key = self._key(game, team)
                if key is not None:
                    self._games.setdefault(key, []).append(game)

    def next(self, game: Game, team: int) -> Game | None:
        """The next game of this game's home (0) or visiting (1) team; None if unknown."""
        key = self._key(game, team)
        return None if key is None else self._find(game, (key[0], key[1] + 1), 1)

    def last(self, game: Game, team: int, number: int) -> list[Game] | None:
        """A team's last `number` games, this one first; None unless all are known."""
        key, games = self._key(game, team), [game]
        while key is not None and len(games) < number:
            key = (key[0], key[1] - 1)
            previous = self._find(games[-1], key, -1)
            if previous is None:
                return None
            games.append(previous)
        return games if len(games) == number else None

    def _find(self, game: Game, key: tuple[str, int], direction: int) -> Game | None:
        """The game with this number within days after (1) or before (-1): other seasons and play-offs restart at 1."""
        for other in self._games.get(key, ()):
            if 0 < direction * (other.date - game.date).days <= LONGEST_BREAK:
                return other
        return None

    @staticmethod
    def _key(game: Game, team: int) -> tuple[str, int] | None:
        entity = game.entities[team]
        wins, losses = entity.number("TEAM-WINS"), entity.number("TEAM-LOSSES")
        return None if wins is None or losses is None else (entity.name, wins + losses)


def side(game: Game, name: str) -> int:
    """0 if the team of that name plays at home, else 1."""
    return 0 if game.home.name == name else 1


def has_won(game: Game, team: int) -> bool:
    """Whether the home (0) or visiting (1) team won. Missing points count as 0."""
    points = [entity.number("TEAM-PTS") or 0 for entity in game.entities[:2]]
    return points[team] > points[1 - team]
