"""The other games of a season, as far as they are known: what came before a game and what comes next.

A team's games are counted by its own record: after its n-th game, wins and losses add up to n. So a gap in what is
known is noticed, and the game after next is never taken for the next.
"""

from collections.abc import Iterable

from .game import Game
from .nba import LONGEST_BREAK


class Season:
    def __init__(self, games: Iterable[Game] = ()):
        self._games: dict[tuple[str, int], list[Game]] = {}
        for game in games:
            for team in (0, 1):
                key = self._key(game, team)
                if key is not None:
                    self._games.setdefault(key, []).append(game)

    def next(self, game: Game, team: int) -> Game | None:
        """The game after this one of its home (0) or visiting (1) team."""
        key = self._key(game, team)
        return None if key is None else self._near(game, (key[0], key[1] + 1), 1)

    def last(self, game: Game, team: int, number: int) -> list[Game] | None:
        """The last so many games of a team, this one first; None unless all are known."""
        key, found = self._key(game, team), [game]
        while key is not None and len(found) < number:
            key = (key[0], key[1] - 1)
            before = self._near(found[-1], key, -1)
            if before is None:
                return None
            found.append(before)
        return found if len(found) == number else None

    def _near(self, game: Game, key: tuple[str, int], direction: int) -> Game | None:
        """The game of that number in the days after or before: other seasons, and play-off series, count anew."""
        for other in self._games.get(key, ()):
            if 0 < direction * (other.date - game.date).days <= LONGEST_BREAK:
                return other
        return None

    @staticmethod
    def _key(game: Game, team: int) -> tuple[str, int] | None:
        values = game.entities[team].values
        wins, losses = values["TEAM-WINS"], values["TEAM-LOSSES"]
        return None if wins is None or losses is None else (values["TEAM-NAME"], int(wins) + int(losses))


def side(game: Game, name: str) -> int:
    """Whether the team of that name plays at home (0) or away (1)."""
    return 0 if game.home.values["TEAM-NAME"] == name else 1


def has_won(game: Game, team: int) -> bool:
    points = [int(each.values["TEAM-PTS"]) for each in game.entities[:2]]
    return points[team] > points[1 - team]
