"""Facts about a game's entities. A box-score cell is a fact; so is what the cells imply ("derived").

Derived facts are further inputs of the encoder, in slots after the box score's own. They go beyond the paper and are
off by default. Only the weekday of the game can be stated, so every number of a recap is still a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .box_score import Entity
from .schema import DOUBLE_COLUMNS, DOUBLE_FIGURES, PLAYER_ATTRIBUTES, QUARTERS, TEAM_ATTRIBUTES, weekday


if TYPE_CHECKING:  # game.py imports this module
    from .game import Game


@dataclass(frozen=True)
class Fact:
    """An entity's attribute has this value.

    Args:
        entity: position in `Game.entities`; None for a player or team that is not in the game.
        attribute: a column of the schema ("PTS", "TEAM-PTS") or a derived attribute ("TEAM-RESULT").
        value: as in the box score.
        sources: the facts it was computed from; empty for a cell.
    """

    entity: int | None
    attribute: str
    value: str
    sources: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Mention:
    """A span `tokens[position : position + length]` that states a fact, in the form "digits", "word" or "text"."""

    position: int
    length: int
    fact: Fact
    form: str

    def to_json(self, game: Game) -> dict[str, Any]:
        """The dataset's format, with the entity's name."""
        assert self.fact.entity is not None  # only facts of the game are mentioned
        return {
            "position": self.position,
            "length": self.length,
            "entity": game.entities[self.fact.entity].name,
            "attribute": self.fact.attribute,
            "form": self.form,
        }


@dataclass(frozen=True)
class Token:
    """A token of a generated text and, if it was copied, the fact that it states and the form it is written in."""

    text: str
    fact: Fact | None = None
    form: str | None = None

    def to_json(self, game: Game) -> dict[str, str | None]:
        """The format of `processor.trace` and of `stg generate --format jsonl`, with the entity's name."""
        fact, entity = self.fact, None
        if fact is not None and fact.entity is not None:
            entity = game.entities[fact.entity].name
        attribute, value = (None, None) if fact is None else (fact.attribute, fact.value)
        return {"text": self.text, "entity": entity, "attribute": attribute, "value": value, "form": self.form}


WEEKDAY = "TEAM-WEEKDAY"
_QUARTER_NAMES = tuple(quarter.removeprefix("TEAM-PTS_") for quarter in QUARTERS)
TEAM_DERIVED = (
    *("TEAM-RESULT", "TEAM-MARGIN", "TEAM-PTS_HALF", "TEAM-HALF", WEEKDAY),
    *(f"TEAM-{quarter}" for quarter in _QUARTER_NAMES),  # who won each quarter
)
PLAYER_DERIVED = ("RESULT", "TEAM_NAME", "RANK", "DOUBLES")
NEVER_STATED = frozenset((*TEAM_DERIVED, *PLAYER_DERIVED)) - {WEEKDAY}
_CLOSING = 3  # number of sentences at the end that look ahead: a weekday there is the next game's


def attribute_lists(derived: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes of teams and of players, with or without derived ones."""
    if not derived:
        return TEAM_ATTRIBUTES, PLAYER_ATTRIBUTES
    return TEAM_ATTRIBUTES + TEAM_DERIVED, PLAYER_ATTRIBUTES + PLAYER_DERIVED


def derived_facts(game: Game) -> list[Fact]:
    """What the box score implies. A fact whose cells are missing, or that is a tie, is left out."""
    teams = game.entities[:2]
    points = [team.number("TEAM-PTS") for team in teams]
    halves = [_sum([team.number(quarter) for quarter in QUARTERS[:2]]) for team in teams]
    results = _compare(points, "won", "lost")
    leads = _compare(halves, "ahead", "behind")
    quarters = {
        f"TEAM-{name}": _compare([team.number(quarter) for team in teams], "won", "lost")
        for name, quarter in zip(_QUARTER_NAMES, QUARTERS, strict=True)
    }
    margin = None if points[0] is None or points[1] is None else abs(points[0] - points[1])
    values: list[dict[str, str | int | None]] = [
        {
            "TEAM-RESULT": results[side],
            "TEAM-MARGIN": margin,
            "TEAM-PTS_HALF": halves[side],
            "TEAM-HALF": leads[side],
            WEEKDAY: weekday(game.date),
            **{attribute: by_side[side] for attribute, by_side in quarters.items()},
        }
        for side in (0, 1)
    ]
    ranks = _scoring_ranks(game)
    for position, player in enumerate(game.players, 2):
        side = game.team_of(position)
        values.append(
            {
                "RESULT": results[side],
                "TEAM_NAME": game.entities[side].name,
                "RANK": ranks.get(position),
                "DOUBLES": count_doubles(player) if player.did_play else None,
            }
        )
    return [
        Fact(position, attribute, str(value))
        for position, of_entity in enumerate(values)
        for attribute, value in of_entity.items()
        if value is not None
    ]


def count_doubles(player: Entity) -> int:
    """The number of columns in which a player reached double figures: two make a double-double."""
    return sum((player.number(column) or 0) >= DOUBLE_FIGURES for column in DOUBLE_COLUMNS)


def with_derived_facts(game: Game) -> Game:
    """The game with derived values beside the box score's; None where a fact cannot be derived."""
    values: list[dict[str, str | None]] = [
        {**entity.values, **dict.fromkeys(TEAM_DERIVED if entity.is_team else PLAYER_DERIVED)}
        for entity in game.entities
    ]
    for fact in derived_facts(game):
        assert fact.entity is not None
        values[fact.entity][fact.attribute] = fact.value
    entities = (replace(entity, values=of_entity) for entity, of_entity in zip(game.entities, values, strict=True))
    return replace(game, entities=tuple(entities))


def weekday_mentions(
    game: Game, summary: Sequence[str], mentions: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Finds where a summary states the weekday of the game, as mentions of the team named last."""
    day = weekday(game.date)
    periods = [position for position, token in enumerate(summary) if token == "."]
    body = periods[-_CLOSING - 1] if len(periods) > _CLOSING else 0
    teams = {team.name for team in game.entities[:2]}
    stated = []
    for position, token in enumerate(summary[: max(body, periods[0] if periods else len(summary))]):
        if token != day or any(0 <= position - mention["position"] < mention["length"] for mention in mentions):
            continue
        before = [mention for mention in mentions if mention["position"] < position and mention["entity"] in teams]
        last = max(before, key=lambda mention: mention["position"])["entity"] if before else game.home.name
        mention = Mention(position, 1, Fact(game.position(last), WEEKDAY, day), "text")
        stated.append(mention.to_json(game))
    return stated


def _sum(numbers: Sequence[int | None]) -> int | None:
    """The sum; None if a number is missing."""
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _compare(pair: Sequence[int | None], more: str, less: str) -> tuple[str | None, str | None]:
    home, visitor = pair
    if home is None or visitor is None or home == visitor:
        return None, None
    return (more, less) if home > visitor else (less, more)


def _scoring_ranks(game: Game) -> dict[int, int]:
    """Every player's rank by points among those of his team who played, from 1."""
    ranks: dict[int, int] = {}
    for side in (0, 1):
        points = {
            position: player.number("PTS") or 0
            for position, player in enumerate(game.players, 2)
            if game.team_of(position) == side and player.values["PTS"] is not None
        }
        ranks.update({position: rank for rank, position in enumerate(sorted(points, key=lambda at: -points[at]), 1)})
    return ranks
