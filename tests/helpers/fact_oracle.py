"""Recomputes the value of a fact from its cells alone: one rule for each family of attributes."""

import datetime
import re
from collections.abc import Callable

from modeling_stg.arenas import arenas
from modeling_stg.facts import Fact
from modeling_stg.game import Game


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NTH = "first second third fourth fifth sixth seventh eighth ninth tenth 11th 12th 13th 14th 15th".split()


class Cells:
    """The cells of one fact, by whose they are and of which game."""

    def __init__(self, fact: Fact, game: Game):
        self.fact, self.game = fact, game
        self.cells = list(dict.fromkeys(fact.cells()))
        self.name = game.entities[fact.entity].name
        self.numbers = [cell.number for cell in self.cells if cell.value.isdecimal()]

    def is_own(self, cell: Fact) -> bool:
        if cell.other_game is not None:
            return cell.other_game.name == self.name
        return self.game.team_of(cell.entity) == self.fact.entity

    def difference(self) -> int:
        """Own minus the other team's; quarters count against a final score."""
        final = any(cell.attribute == "TEAM-PTS" for cell in self.cells)
        total = 0
        for cell in self.cells:
            sign = (1 if self.is_own(cell) else -1) * (-1 if final and "QTR" in cell.attribute else 1)
            total += sign * cell.number
        return total

    def dates(self) -> list[str]:
        own = self.game.date.isoformat()
        return [own if cell.other_game is None else cell.other_game.date for cell in self.cells]

    def by_day(self) -> dict[str, list[Fact]]:
        games: dict[str, list[Fact]] = {}
        for day, cell in zip(self.dates(), self.cells, strict=True):
            games.setdefault(day, []).append(cell)
        return games

    def results(self) -> list[bool]:
        """Whether the team won each of the games."""
        won = []
        for pair in self.by_day().values():
            [own], [other] = ([cell.number for cell in pair if self.is_own(cell) is side] for side in (True, False))
            won.append(own > other)
        return won

    def other_date(self) -> datetime.date:
        return datetime.date.fromisoformat(self.cells[0].other_game.date)


def _doubles(cells: Cells, least: int = 2) -> int:
    days = cells.by_day().values()
    assert all(sum(cell.number >= 10 for cell in day) >= least for day in days)
    return len(days)


def _nth(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return NTH[number - 1] if number <= len(NTH) else f"{number}{endings.get(number % 10, 'th')}"


def _won(cells: Cells) -> str:
    return "won" if cells.difference() > 0 else "lost"


def _top(cells: Cells) -> str:
    return cells.game.entities[max(cells.cells, key=lambda cell: cell.number).entity].name


def _high(cells: Cells) -> str:
    [own] = [cell.number for cell in cells.cells if cell.entity == cells.fact.entity]
    return f"{cells.fact.attribute.split('_HIGH')[0].lower()} - high" if own == max(cells.numbers) else "no"


def _rank(cells: Cells) -> int:
    return 1 + [cell.entity for cell in cells.cells].index(cells.fact.entity)


def _place(cells: Cells) -> str:
    [own] = [cell.number for cell in cells.cells if cell.entity == cells.fact.entity]
    return NTH[sum(number > own for number in cells.numbers)]


def _ended_in(cells: Cells) -> str:
    quarters = sum(cell.number for cell in cells.cells if "QTR" in cell.attribute)
    [final] = [cell.number for cell in cells.cells if cell.attribute == "TEAM-PTS"]
    return "regulation" if quarters == final else "overtime"


def _overtimes(cells: Cells) -> int:
    minutes = sum(cell.number for cell in cells.cells if cell.attribute == "MIN")
    return round((minutes - 480) / 50)


def _overtime_points(cells: Cells) -> int:
    return sum(cell.number * (-1 if "QTR" in cell.attribute else 1) for cell in cells.cells)


def _summed_edge(cells: Cells) -> int:
    own = cells.fact.entity
    return sum(cell.number * (1 if cells.game.team_of(cell.entity) == own else -1) for cell in cells.cells)


def _misses(cells: Cells) -> int:
    return sum(cell.number * (1 if cell.attribute.endswith("A") else -1) for cell in cells.cells)


def _mean(cells: Cells) -> int:
    return int(sum(cells.numbers) / len(cells.numbers) + 0.5)


def _streak(cells: Cells) -> int:
    assert len(set(cells.results())) == 1
    return len(cells.results())


def _role(cells: Cells) -> str:
    return "starter" if [cell.entity for cell in cells.cells] == [cells.fact.entity] else "bench"


RULES: dict[str, Callable[[Cells], object]] = {
    "TEAM-RESULT|TEAM-QTR.": _won,
    "TEAM-HALF": lambda cells: "ahead" if cells.difference() > 0 else "behind",
    "TEAM-MARGIN|TEAM-(WON|LOST)_BY.*|TEAM-(LEAD|DEFICIT)_[QH].": lambda cells: abs(cells.difference()),
    "TEAM-(REB|AST|TOV|F.*_PCT|PTS_BENCH)_EDGE": lambda cells: abs(cells.difference()),
    "TEAM-PTS_(HALF|H1|H2|AFTER_Q.|BENCH|STARTERS)|TEAM-(F[^_]*|OREB|STL|BLK)": lambda cells: sum(cells.numbers),
    "TEAM-(F[^_]*|OREB|STL|BLK)_EDGE": _summed_edge,
    "(TEAM-)?F[^_]*_MISSED": _misses,
    "TEAM-PTS_OT": _overtime_points,
    "TEAM-OVERTIMES": _overtimes,
    "TEAM-(NEXT_)?PLACE": lambda cells: ("road", "home")[[cell.value for cell in cells.cells].index(cells.name)],
    "TEAM-WEEKDAY": lambda cells: DAYS[cells.game.date.weekday()],
    "TEAM-BEST_QTR": lambda cells: NTH[cells.numbers.index(max(cells.numbers))],
    "TEAM-ENDED_IN": _ended_in,
    "TEAM-ARENA": lambda cells: arenas(cells.cells[0].value, cells.game.date)[0],
    "TEAM-TIED_.*": lambda cells: "no" if cells.difference() else "tied",
    "TEAM-DOUBLE_FIGURES.*": lambda cells: sum(number >= 10 for number in cells.numbers),
    "TEAM-TOP_.*": _top,
    "TEAM-(WIN|LOSS)_STREAK(_BEFORE)?": _streak,
    "TEAM-(WIN|LOSS)_NTH": lambda cells: NTH[_streak(cells) - 1],
    "TEAM-WINS_LAST.*|TEAM-SERIES_WINS|TEAM-(HOME|ROAD)_WINS": lambda cells: sum(cells.results()),
    "TEAM-LOSSES_LAST.*|TEAM-SERIES_LOSSES|TEAM-(HOME|ROAD)_LOSSES": lambda cells: cells.results().count(False),
    "TEAM-GAMES_LAST.*": lambda cells: len(cells.results()),
    "TEAM-AVG_PTS|AVG_.*": _mean,
    "TOTAL_.*": lambda cells: sum(cells.numbers),
    "TEAM-MEETING_PTS": lambda cells: cells.numbers[0],
    "TEAM-(MEETING|LAST)_RESULT": lambda cells: "won" if cells.results()[0] else "lost",
    "TEAM-(LAST|NEXT)_(OPPONENT|CITY)": lambda cells: cells.cells[0].value,
    "TEAM-(LAST|NEXT)_WEEKDAY": lambda cells: DAYS[cells.other_date().weekday()],
    "TEAM-NEXT_REST_DAYS": lambda cells: (cells.other_date() - cells.game.date).days - 1,
    "TEAM-REST_DAYS": lambda cells: (cells.game.date - cells.other_date()).days - 1,
    "RESULT": lambda cells: "won" if cells.numbers[0] > cells.numbers[1] else "lost",
    "TEAM_NAME": lambda cells: cells.cells[0].value,
    "RANK": _rank,
    "DOUBLES": lambda cells: sum(number >= 10 for number in cells.numbers),
    "DOUBLE": lambda cells: {2: "double - double"}.get(len(cells.numbers), "triple - double"),
    "ROLE": _role,
    "(TEAM|GAME|BENCH|STARTER)_HIGH_.*": _high,
    "PTS_NTH": _place,
    "MEAN_.*": lambda cells: f"{sum(cells.numbers) / len(cells.numbers):.1f}",
    "SEASON_MOST_.*": lambda cells: max(cells.numbers),
    "SEASON_HIGH_.*": lambda cells: "season - high" if cells.numbers[0] > max(cells.numbers[1:]) else "no",
    "DOUBLE_STREAK|DOUBLE_COUNT": _doubles,
    "DOUBLE_NTH|DOUBLE_STREAK_NTH": lambda cells: _nth(_doubles(cells)),
    "TRIPLE_NTH": lambda cells: _nth(_doubles(cells, least=3)),
    "TWENTY_STREAK": lambda cells: sum(number >= 20 for number in cells.numbers),
    "TWENTY_STREAK_NTH": lambda cells: _nth(sum(number >= 20 for number in cells.numbers)),
    "TEAM-SERIES_GAMES|TEAM-(HOME|ROAD)_GAMES": lambda cells: len(cells.results()),
}


def recompute(fact: Fact, game: Game) -> str:
    """The value by the one rule whose pattern is the attribute's."""
    [rule] = [rule for pattern, rule in RULES.items() if re.fullmatch(pattern, fact.attribute)]
    return str(rule(Cells(fact, game)))
