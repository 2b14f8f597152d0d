"""Builds a game in RotoWire's JSON from what a converter has read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling_stg.schema import NOT_AVAILABLE, PERCENTAGES, PLAYER_ATTRIBUTES, PLAYER_NUMBERS, QUARTERS, TEAM_NUMBERS
from modeling_stg.validation import is_absent


STARTER = "S"  # a starter whose position is not known
_POSITIONS = ("G", "F", "C")
_TEAM_SUMS = {"TEAM-PTS": "PTS", "TEAM-REB": "REB", "TEAM-AST": "AST", "TEAM-TOV": "TO"}


@dataclass
class PlayerLine:
    """A player: `numbers` by RotoWire's columns, in any form that the reader takes; none if he did not play."""

    name: str
    numbers: Mapping[str, Any]
    first: Any = None
    second: Any = None
    starts: bool | None = None
    position: Any = None


@dataclass
class TeamLine:
    """A team: `numbers` by RotoWire's columns; points of quarters (or halves) and overtimes in `periods`."""

    name: Any
    city: Any
    players: Sequence[PlayerLine] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    periods: Sequence[Any] = ()
    feed: Mapping[str, Any] = field(default_factory=dict)


def build_game(
    day: Any, home: TeamLine, visitor: TeamLine, feed: Mapping[str, Any], game_id: Any = None, regulation: int = 4
) -> dict[str, Any]:
    """A game in RotoWire's JSON.

    Args:
        day: the date in any form that the reader takes.
        home, visitor: the teams. What a team's numbers lack is added up from its players'.
        feed: the game's own fields of `feed`.
        game_id: the source's; by default day and teams.
        regulation: 4 if `periods` begin with quarters, 2 for halves.
    """
    told = {name: value for name, value in feed.items() if not is_absent(value)}
    overtimes = max(len(home.periods), len(visitor.periods)) - regulation
    if overtimes >= 0 and "overtimes" not in told:
        told["overtimes"] = overtimes
    data: dict[str, Any] = {"day": day}
    if not is_absent(game_id):
        data["game_id"] = str(game_id)
    for side, team in (("home", home), ("vis", visitor)):
        data |= {f"{side}_name": team.name, f"{side}_city": team.city, f"{side}_line": _line(team, regulation)}
        of_team = {name: value for name, value in team.feed.items() if not is_absent(value)}
        if regulation == 2 and len(team.periods) >= regulation:
            of_team["first_half"] = team.periods[0]
        if of_team:
            told[side] = of_team
    data["box_score"] = [_row(player, team) for team in (visitor, home) for player in _ordered(team.players)]
    return {**data, "feed": told} if told else data


def _line(team: TeamLine, regulation: int) -> dict[str, Any]:
    line = {"TEAM-NAME": team.name, "TEAM-CITY": team.city, **dict.fromkeys(TEAM_NUMBERS, NOT_AVAILABLE)}
    if regulation == len(QUARTERS) and len(team.periods) >= regulation:
        line |= dict(zip(QUARTERS, team.periods, strict=False))
    sums = {column: _sum(team.players, column) for column in PLAYER_NUMBERS}
    line |= {attribute: sums[column] for attribute, column in _TEAM_SUMS.items() if sums[column] is not None}
    for percentage, (made, tried) in PERCENTAGES.items():
        counts = [whole(team.numbers.get(column, sums[column])) for column in (made, tried)]
        if counts[0] is not None and counts[1] is not None:
            line[f"TEAM-{percentage}"] = percent(counts[0], counts[1])
    known = set(line)
    return line | {name: value for name, value in team.numbers.items() if name in known and not is_absent(value)}


def percent(made: int, tried: int) -> str:
    """A percentage, rounded half up; 0 without an attempt, as in RotoWire."""
    return str((200 * made + tried) // (2 * tried or 1))


def _sum(players: Sequence[PlayerLine], column: str) -> int | None:
    """The players' sum; None if one who played has no number, or none played."""
    values = [whole(player.numbers.get(column)) for player in players if player.numbers]
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def whole(value: Any) -> int | None:
    """A whole number in any form; None for anything else."""
    text = str(value).strip().removesuffix(".0")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _ordered(players: Sequence[PlayerLine]) -> list[PlayerLine]:
    """Starters first, then in the given order."""
    return sorted(players, key=lambda player: not player.starts)


def _row(player: PlayerLine, team: TeamLine) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(("PLAYER_NAME", *PLAYER_ATTRIBUTES), NOT_AVAILABLE)
    names = {"PLAYER_NAME": player.name, "FIRST_NAME": player.first, "SECOND_NAME": player.second}
    row |= {name: value for name, value in names.items() if not is_absent(value)}
    row |= {"TEAM_CITY": team.city, "START_POSITION": _position(player)}
    return row | {column: value for column, value in player.numbers.items() if column in row}


def _position(player: PlayerLine) -> str:
    """RotoWire's position of a starter: "G", "F" or "C", also for "PG" and "F-C"."""
    if not player.starts:
        return NOT_AVAILABLE
    text = "" if is_absent(player.position) else str(player.position).upper().split("-")[0]
    return text[-1] if text[-1:] in _POSITIONS else STARTER
