"""Facts about teams from their players: totals, the bench, players in double figures, leaders, advantages."""

from .fact_schema import EDGES, SUMMED, SUMMED_EDGES, edge, missed
from .fact_table import FactTable, numbers_of
from .facts import Fact
from .schema import DOUBLE_FIGURES, SHOTS, TEAM_NUMBERS


_LEADERS = {"SCORER": "PTS", "REBOUNDER": "REB", "ASSISTER": "AST"}


def add_totals(table: FactTable) -> None:
    """The group `totals`: only for teams whose players' points add up to the team's, that is, with nobody missing."""
    for team in (0, 1):
        players = table.players_of(team)
        points = [table.cell(player, "PTS") for player in players]
        total = table.cell(team, "TEAM-PTS")
        if total is None or not numbers_of(points) or sum(numbers_of(points)) != total.number:
            continue
        for column in SUMMED:
            table.add_sum(team, f"TEAM-{column}", [table.cell(player, column) for player in players])
        for shot in SHOTS:
            taken, made = (table.computed(team, f"TEAM-{shot}{suffix}") for suffix in "AM")
            table.add_difference(team, f"TEAM-{missed(shot)}", (taken, made))
        starters = table.starters_of(team)
        if starters:
            reserves = [player for player in players if player not in starters]
            table.add_sum(team, "TEAM-PTS_STARTERS", [table.cell(player, "PTS") for player in starters])
            table.add_sum(team, "TEAM-PTS_BENCH", [table.cell(player, "PTS") for player in reserves])
            _add_double_figures(table, team, "TEAM-DOUBLE_FIGURES_STARTERS", starters)
            _add_double_figures(table, team, "TEAM-DOUBLE_FIGURES_RESERVES", reserves)
        _add_double_figures(table, team, "TEAM-DOUBLE_FIGURES", players)
        for name, column in _LEADERS.items():
            _add_leader(table, team, f"TEAM-TOP_{name}", [table.cell(player, column) for player in players])
    for team in (0, 1):
        for attribute in (*EDGES, *SUMMED_EDGES):
            own, other = (_team_number(table, side, attribute) for side in (team, 1 - team))
            pair = (other, own) if attribute == "TEAM-TOV" else (own, other)
            table.add_difference(team, edge(attribute), pair)


def _add_double_figures(table: FactTable, team: int, attribute: str, players: list[int]) -> None:
    """How many of the players scored ten points or more; their points are its sources."""
    tens = [cell for player in players if (cell := table.cell(player, "PTS")) and cell.number >= DOUBLE_FIGURES]
    table.add(team, attribute, len(tens) or None, tens)


def _add_leader(table: FactTable, team: int, attribute: str, cells: list[Fact | None]) -> None:
    """The player with the most, if there is one alone."""
    best = max(numbers_of(cells), default=0)
    leaders = [cell for cell in cells if cell and cell.number == best]
    if len(leaders) == 1 and best:
        [leader] = leaders
        assert leader.entity is not None
        table.add(team, attribute, table.game.entities[leader.entity].name, cells)


def _team_number(table: FactTable, team: int, attribute: str) -> Fact | None:
    return table.cell(team, attribute) if attribute in TEAM_NUMBERS else table.computed(team, attribute)
