"""Facts about a player's game: double-doubles, team and game highs, starter or reserve."""

from .fact_schema import HIGH_COLUMNS, ORDINALS
from .fact_table import FactTable


_DOUBLES = {2: "double - double", 3: "triple - double"}
_MOST_DOUBLES = max(_DOUBLES)


def add_players(table: FactTable) -> None:
    """The group `players`."""
    teams = [table.players_of(team) for team in (0, 1)]
    for players in teams:
        knows_starters = any(table.cell(player, "START_POSITION") for player in players)
        for player in players:
            doubled = [table.cell(player, column) for column in table.game.entities[player].doubles()]
            table.add(player, "DOUBLE", _DOUBLES.get(min(len(doubled), _MOST_DOUBLES)), doubled)
            if knows_starters:
                position = table.cell(player, "START_POSITION")
                table.add(player, "ROLE", "starter" if position else "bench", (position,) if position else ())
        if knows_starters:
            reserves = [player for player in players if table.cell(player, "START_POSITION") is None]
            _add_highs(table, "BENCH", reserves, "PTS")
            _add_highs(table, "STARTER", [player for player in players if player not in reserves], "PTS")
        _add_places(table, players)
    for column in HIGH_COLUMNS:
        _add_highs(table, "TEAM", teams[0], column)
        _add_highs(table, "TEAM", teams[1], column)
        _add_highs(table, "GAME", [*teams[0], *teams[1]], column)


def _add_places(table: FactTable, players: list[int]) -> None:
    """A team's players by points: "first", "second", "second", "fourth", ...; a missing cell might hold more."""
    cells = [table.cell(player, "PTS") for player in players]
    numbers = [cell.number for cell in cells if cell]
    if len(numbers) < len(cells):
        return
    for player, number in zip(players, numbers, strict=True):
        place = sum(other > number for other in numbers)
        table.add(player, "PTS_NTH", ORDINALS[place] if place < len(ORDINALS) else None, cells)


def _add_highs(table: FactTable, scope: str, players: list[int], column: str) -> None:
    """ "team - high" or "game - high" for whoever has the most; a missing cell might hold more."""
    cells = [table.cell(player, column) for player in players]
    numbers = [cell.number for cell in cells if cell]
    if len(numbers) < len(cells):
        return
    for player, number in zip(players, numbers, strict=True):
        if number and number == max(numbers):
            table.add(player, f"{scope}_HIGH_{column}", f"{scope.lower()} - high", cells)
