"""What does not add up within a box score: totals, shots, percentages, rebounds, minutes.

Such a game is used, with a warning, but its doubtful cells are never told.
"""

from collections.abc import Sequence

from .box_score import Entity
from .nba import game_minutes
from .schema import ATTEMPTS, PERCENTAGES, QUARTERS, SHOT_POINTS


_REBOUNDS = ("REB", "OREB", "DREB")
_POINTS = ("PTS", *SHOT_POINTS)
_ROUNDING = 1  # percentage points; some sources round down
_OVERTIME_MINUTES = 5
_MINUTES_OFF = 10  # by which a team's whole minutes may differ from those of its game: each player's are rounded


def disagreements(home: Entity, visitor: Entity, players: Sequence[Entity], overtimes: int | None) -> list[str]:
    """One line for each thing that does not add up; `overtimes` is None if unknown."""
    complaints = []
    for team in (home, visitor):
        complaints += _team_points(team, _of_team(team, players))
    complaints += _quarters(home, visitor, overtimes)
    for player in players:
        complaints += [f"{player.name}: {complaint}" for complaint, _ in _doubts(player)]
    for team in (home, visitor):
        complaints += _minutes(team, _of_team(team, players), overtimes)
    return complaints


def doubtful_cells(entities: Sequence[Entity]) -> frozenset[tuple[int, str]]:
    """(position, column) of players' cells that contradict each other; which of them is wrong is not known.

    Points that add up to the team's are right: then it is the shots that are wrong.
    """
    doubtful = set()
    for team in entities[:2]:
        players = [(position, player) for position, player in enumerate(entities) if _plays_for(player, team)]
        adds_up = not _team_points(team, [player for _, player in players])
        for position, player in players:
            columns = {column for _, cells in _doubts(player) for column in cells}
            doubtful |= {(position, column) for column in columns - ({"PTS"} if adds_up else set())}
    return frozenset(doubtful)


def _plays_for(player: Entity, team: Entity) -> bool:
    return not player.is_team and player.is_home == team.is_home


def _of_team(team: Entity, players: Sequence[Entity]) -> list[Entity]:
    return [player for player in players if player.is_home == team.is_home]


def _doubts(player: Entity) -> list[tuple[str, tuple[str, ...]]]:
    """What contradicts what in a player's line: a sentence, and the columns."""
    numbers = {column: int(value) for column, value in player.values.items() if value and value.isdecimal()}
    doubts: list[tuple[str, tuple[str, ...]]] = []
    for made, tried in ATTEMPTS.items():
        if made in numbers and tried in numbers and numbers[made] > numbers[tried]:
            complaint = f"{made} {numbers[made]} is more than {tried} {numbers[tried]}"
            doubts.append((complaint, (made, tried, f"{made[:-1]}_PCT")))
    for whole, part in (("FGM", "FG3M"), ("FGA", "FG3A")):
        if whole in numbers and part in numbers and numbers[part] > numbers[whole]:
            doubts.append((f"{part} {numbers[part]} is more than {whole} {numbers[whole]}", (whole, part)))
    for percentage, (made, tried) in PERCENTAGES.items():
        if numbers.get(tried) and made in numbers and percentage in numbers and numbers[made] <= numbers[tried]:
            true = 100 * numbers[made] / numbers[tried]
            if abs(true - numbers[percentage]) > _ROUNDING:
                shots = f"{made} {numbers[made]} of {tried} {numbers[tried]} are {true:.0f} percent"
                doubts.append((f"{percentage} {numbers[percentage]}, but {shots}", (percentage,)))
    if all(column in numbers for column in _REBOUNDS) and numbers["REB"] != numbers["OREB"] + numbers["DREB"]:
        complaint = f"REB {numbers['REB']}, but OREB {numbers['OREB']} and DREB {numbers['DREB']}"
        doubts.append((complaint, _REBOUNDS))
    if all(column in numbers for column in _POINTS):
        scored = sum(points * numbers[column] for column, points in SHOT_POINTS.items())
        if numbers["PTS"] != scored:
            doubts.append((f"PTS {numbers['PTS']}, but the shots made are worth {scored}", _POINTS))
    return doubts


def _team_points(team: Entity, players: Sequence[Entity]) -> list[str]:
    total = team.number("TEAM-PTS")
    scored = [player.number("PTS") or 0 for player in players]
    if total is None or not scored or sum(scored) == total:
        return []
    return [f"{_field(team)}.TEAM-PTS: {total}, but the players' PTS add up to {sum(scored)}"]


def _quarters(home: Entity, visitor: Entity, overtimes: int | None) -> list[str]:
    teams = (home, visitor)
    finals = [team.number("TEAM-PTS") for team in teams]
    quarters = [[team.number(quarter) for quarter in QUARTERS] for team in teams]
    if None in finals or any(None in row for row in quarters):
        return []
    sums = [sum(points or 0 for points in row) for row in quarters]
    is_longer = sums[0] == sums[1] and all((final or 0) > total for final, total in zip(finals, sums, strict=True))
    return [
        f"{_field(team)}.TEAM-PTS: {final}, but the quarters add up to {total}"
        for team, final, total in zip(teams, finals, sums, strict=True)
        if final != total and not (is_longer and overtimes != 0)
    ]


def _minutes(team: Entity, players: Sequence[Entity], overtimes: int | None) -> list[str]:
    """A player's minutes against the game's, and a team's against five players'."""
    regulation = game_minutes(team.full_name)
    known = {player.name: player.number("MIN") for player in players if player.did_play}
    complaints = []
    if overtimes is not None:
        longest = regulation + _OVERTIME_MINUTES * overtimes
        complaints = [
            f"{name}: MIN {minutes}, but the game lasted {longest}"
            for name, minutes in known.items()
            if minutes is not None and minutes > longest
        ]
    if known and None not in known.values() and regulation:
        total = sum(minutes or 0 for minutes in known.values())
        beyond = total - 5 * regulation
        over = beyond % (5 * _OVERTIME_MINUTES)
        if beyond < -_MINUTES_OFF or min(over, 5 * _OVERTIME_MINUTES - over) > _MINUTES_OFF:
            complaints.append(f"{_field(team)}: the players' MIN add up to {total}, not to {5 * regulation}")
    return complaints


def _field(team: Entity) -> str:
    return "home_line" if team.is_home else "vis_line"
