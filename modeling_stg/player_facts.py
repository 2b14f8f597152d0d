"""Facts about a player's game: double-doubles, team and game highs, starter or reserve."""

from .fact_schema import HIGH_COLUMNS, ORDINALS, missed
from .fact_table import FactTable, numbers_of
from .schema import DOUBLE_COLUMNS, DOUBLE_FIGURES, SHOTS


_DOUBLES = {2: "double - double", 3: "triple - double"}
_MOST_DOUBLES = max(_DOUBLES)


def add_players(table: FactTable) -> None:
    """The group `players`."""
    teams = [table.players_of(team) for team in (0, 1)]
    for team, players in enumerate(teams):
        starters = table.starters_of(team)
        for player in players:
            cells = [table.cell(player, column) for column in DOUBLE_COLUMNS]
            doubled = [cell for cell in cells if cell and cell.number >= DOUBLE_FIGURES]
            if numbers_of(cells):
                table.add(player, "DOUBLE", _DOUBLES.get(min(len(doubled), _MOST_DOUBLES)), doubled)
            for shot in SHOTS:
                taken, made = (table.cell(player, f"{shot}{suffix}") for suffix in "AM")
                table.add_difference(player, missed(shot), (taken, made))
            if starters:
                role, started = ("starter", [player]) if player in starters else ("bench", starters)
                table.add(player, "ROLE", role, [table.cell(position, "START_POSITION") for position in started])
        if starters:
            _add_highs(table, "BENCH", [player for player in players if player not in starters], "PTS")
            _add_highs(table, "STARTER", starters, "PTS")
        _add_places(table, players)
    for column in HIGH_COLUMNS:
        _add_highs(table, "TEAM", teams[0], column)
        _add_highs(table, "TEAM", teams[1], column)
        _add_highs(table, "GAME", [*teams[0], *teams[1]], column)


def _add_places(table: FactTable, players: list[int]) -> None:
    """A team's players by points: "first", "second", "second", "fourth", ...; a missing cell might hold more."""
    cells = [table.cell(player, "PTS") for player in players]
    numbers = numbers_of(cells)
    for player, number in zip(players, numbers, strict=False):  # no numbers if one is missing
        place = sum(other > number for other in numbers)
        table.add(player, "PTS_NTH", ORDINALS[place] if place < len(ORDINALS) else None, cells)


def _add_highs(table: FactTable, scope: str, players: list[int], column: str) -> None:
    """ "team - high" or "game - high" for whoever has the most; a missing cell might hold more."""
    cells = [table.cell(player, column) for player in players]
    best = max(numbers_of(cells), default=0)
    for player, cell in zip(players, cells, strict=True):
        if best and cell and cell.number == best:
            table.add(player, f"{scope}_HIGH_{column}", f"{scope.lower()} - high", cells)
