"""`FactTable`: the facts of one game by entity and attribute, which the modules of each group fill."""

from collections.abc import Iterable, Iterator, Sequence

from .facts import Fact
from .game import Game
from .schema import STARTERS


class FactTable:
    """Cells and computed facts. A fact without a value is left out."""

    def __init__(self, game: Game):
        self.game = game
        self._computed: dict[tuple[int, str], Fact] = {}

    def cell(self, entity: int, attribute: str) -> Fact | None:
        """A cell of the box score as a fact; None for "N/A"."""
        value = self.game.entities[entity].values[attribute]
        return None if value is None else Fact(entity, attribute, value)

    def computed(self, entity: int, attribute: str) -> Fact | None:
        return self._computed.get((entity, attribute))

    def add(
        self, entity: int, attribute: str, value: str | int | None, sources: Iterable[Fact | None] = ()
    ) -> Fact | None:
        """Adds a fact unless it has no value, or one of its sources is missing."""
        terms = tuple(sources)
        known = tuple(term for term in terms if term is not None)
        if value is None or len(known) < len(terms):
            return None
        fact = Fact(entity, attribute, str(value), known)
        self._computed[entity, attribute] = fact
        return fact

    def add_sum(self, entity: int, attribute: str, terms: Sequence[Fact | None]) -> Fact | None:
        """Adds the sum of number facts, if there are any and none is missing."""
        numbers = numbers_of(terms)
        return self.add(entity, attribute, sum(numbers), terms) if numbers else None

    def add_difference(self, entity: int, attribute: str, pair: Sequence[Fact | None]) -> Fact | None:
        """Adds how much more the first of two number facts is; nothing if it is not more."""
        first, second = pair
        if first is None or second is None or first.number <= second.number:
            return None
        return self.add(entity, attribute, first.number - second.number, pair)

    def starters_of(self, team: int) -> list[int]:
        """Positions of a team's starters; empty if the box score does not name all five."""
        starters = [player for player in self.players_of(team) if self.cell(player, "START_POSITION")]
        return starters if len(starters) == STARTERS else []

    def players_of(self, team: int) -> list[int]:
        """Positions of a team's players who played."""
        return [
            position
            for position, player in enumerate(self.game.players, 2)
            if player.did_play and self.game.team_of(position) == team
        ]

    def __iter__(self) -> Iterator[Fact]:
        """The facts computed so far."""
        return iter(self._computed.values())


def numbers_of(terms: Sequence[Fact | None]) -> list[int]:
    """The values of number facts; empty if one is missing."""
    numbers = [term.number for term in terms if term is not None]
    return numbers if len(numbers) == len(terms) else []
