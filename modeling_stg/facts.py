"""Derived records: what a box score implies but does not hold, such as who won. Beyond the paper, off by default.

They are further inputs of the encoder, in slots after the box score's own. Only the weekday of the game can be stated;
the others are never chosen, so every number of a recap is still a cell of the box score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .game import Game
from .schema import DOUBLE_COLUMNS, PLAYER_ATTRIBUTES, QUARTERS, TEAM_ATTRIBUTES, weekday


WEEKDAY = "TEAM-WEEKDAY"
_QUARTERS = tuple(quarter.removeprefix("TEAM-PTS_") for quarter in QUARTERS)
TEAM_DERIVED = (
    *("TEAM-RESULT", "TEAM-MARGIN", "TEAM-PTS_HALF", "TEAM-HALF", WEEKDAY),
    *(f"TEAM-{quarter}" for quarter in _QUARTERS),  # who won each quarter
)
PLAYER_DERIVED = ("RESULT", "TEAM_NAME", "RANK", "DOUBLES")
NEVER_STATED = frozenset((*TEAM_DERIVED, *PLAYER_DERIVED)) - {WEEKDAY}
_CLOSING = 3  # last sentences, which speak of the next game: the same weekday there is another day


def attribute_lists(derived: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of teams and of players, with or without the derived ones."""
    if not derived:
        return TEAM_ATTRIBUTES, PLAYER_ATTRIBUTES
    return TEAM_ATTRIBUTES + TEAM_DERIVED, PLAYER_ATTRIBUTES + PLAYER_DERIVED


def with_derived(game: Game) -> Game:
    """The game whose entities have the derived values too; None where the box score does not tell."""
    points, halves = [_total(team.values, ("TEAM-PTS",)) for team in game.entities[:2]], []
    for team in game.entities[:2]:
        halves.append(_total(team.values, QUARTERS[:2]))
    results = _compare(points, "won", "lost")
    at_half = _compare(halves, "ahead", "behind")
    quarters = {
        quarter: _compare([_total(team.values, (f"TEAM-PTS_{quarter}",)) for team in game.entities[:2]], "won", "lost")
        for quarter in _QUARTERS
    }
    margin = None if None in points else str(abs(points[0] - points[1]))
    derived: list[dict[str, str | None]] = [
        {
            "TEAM-RESULT": results[side],
            "TEAM-MARGIN": margin,
            "TEAM-PTS_HALF": None if halves[side] is None else str(halves[side]),
            "TEAM-HALF": at_half[side],
            WEEKDAY: weekday(game.date),
            **{f"TEAM-{quarter}": by_side[side] for quarter, by_side in quarters.items()},
        }
        for side in (0, 1)
    ]
    ranks = _ranks(game)
    for position, player in enumerate(game.players, 2):
        side = game.team_of(position)
        tens = [attribute for attribute in DOUBLE_COLUMNS if int(player.values[attribute] or 0) > 9]
        derived.append(
            {
                "RESULT": results[side],
                "TEAM_NAME": game.entities[side].name,
                "RANK": ranks.get(position),
                "DOUBLES": str(len(tens)) if player.did_play else None,
            }
        )
    entities = (
        replace(entity, values={**entity.values, **values})
        for entity, values in zip(game.entities, derived, strict=True)
    )
    return replace(game, entities=tuple(entities))


def weekday_mentions(game: Game, summary: Sequence[str], mentions: Sequence[Mapping]) -> list[dict]:
    """Where a summary states the weekday of the game, as mentions of the team spoken of last."""
    day = weekday(game.date)
    periods = [position for position, token in enumerate(summary) if token == "."]
    body = periods[-_CLOSING - 1] if len(periods) > _CLOSING else 0
    teams = {team.name for team in game.entities[:2]}
    found = []
    for position, token in enumerate(summary[: max(body, periods[0] if periods else len(summary))]):
        if token != day or any(0 <= position - mention["position"] < mention["length"] for mention in mentions):
            continue
        before = [mention for mention in mentions if mention["position"] < position and mention["entity"] in teams]
        last = max(before, key=lambda mention: mention["position"])["entity"] if before else game.home.name
        found.append({"position": position, "length": 1, "entity": last, "attribute": WEEKDAY, "form": "text"})
    return found


def _total(values: Mapping[str, str | None], attributes: Sequence[str]) -> int | None:
    numbers = [values[attribute] for attribute in attributes]
    return None if None in numbers else sum(map(int, numbers))


def _compare(pair: Sequence[int | None], more: str, less: str) -> tuple[str | None, str | None]:
    if None in pair or pair[0] == pair[1]:
        return None, None
    return (more, less) if pair[0] > pair[1] else (less, more)


def _ranks(game: Game) -> dict[int, str]:
    """Every player's rank by points among those of his team who played, the first being "1"."""
    ranks = {}
    for side in (0, 1):
        played = [
            position
            for position, player in enumerate(game.players, 2)
            if game.team_of(position) == side and player.values["PTS"] is not None
        ]
        played.sort(key=lambda position: -int(game.entities[position].values["PTS"]))
        ranks.update({position: str(rank) for rank, position in enumerate(played, 1)})
    return ranks
