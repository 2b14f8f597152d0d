"""The types for facts: what is true of a game's entities, where a text states it, and what it was computed from.

A box-score cell is a fact. So is what the cells and the season imply; `game_facts.py` computes those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .numbers import is_numeral


FREE = "free"  # the form of a number that states no fact

if TYPE_CHECKING:  # game.py imports this module
    from .game import Game


@dataclass(frozen=True)
class OtherGame:
    """Whose cell it is, if it is not of the game that a recap is about: the entity's name, the day, the opponent."""

    name: str
    date: str  # 2017-01-04
    opponent: str


@dataclass(frozen=True)
class Fact:
    """An entity's attribute has this value.

    Args:
        entity: position in `Game.entities`; None for a player or team that is not in the game, or of another game.
        attribute: a column of the schema ("PTS", "TEAM-PTS") or of `fact_schema.py` ("TEAM-LEAD_Q3").
        value: as in the box score; a text as a recap would write it, in the dataset's tokens ("double - double").
        sources: the facts it was computed from; empty for a cell.
        other_game: set for a cell of another game.
    """

    entity: int | None
    attribute: str
    value: str
    sources: tuple[Fact, ...] = ()
    other_game: OtherGame | None = None

    @property
    def number(self) -> int:
        return int(self.value)

    def cells(self) -> Iterator[Fact]:
        """The cells that it was computed from; nothing for a cell."""
        for source in self.sources:
            if source.sources:
                yield from source.cells()
            else:
                yield source

    def to_json(self, game: Game) -> dict[str, str | None]:
        """As in the lists `from` of a trace: with the entity's name, and date and opponent if of another game."""
        if self.other_game is not None:
            other = self.other_game
            where = {"date": other.date, "opponent": other.opponent}
            return {"entity": other.name, "attribute": self.attribute, "value": self.value, **where}
        entity = None if self.entity is None else game.entities[self.entity].name
        return {"entity": entity, "attribute": self.attribute, "value": self.value}


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

    def to_json(self, game: Game) -> dict[str, Any]:
        """The format of `processor.trace` and of `stg generate --format jsonl`.

        `from` lists the cells that the fact was computed from; it is empty for a cell, and None for a plain word. A
        number that states no fact has the form "free".
        """
        fact = self.fact
        if fact is None:
            stated: dict[str, Any] = dict.fromkeys(("entity", "attribute", "value"))
            return {"text": self.text, **stated, "form": FREE if is_numeral(self.text) else None, "from": None}
        sources = [cell.to_json(game) for cell in dict.fromkeys(fact.cells())]
        return {"text": self.text, **fact.to_json(game), "form": self.form, "from": sources}
