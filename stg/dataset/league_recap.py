"""Recap: expands sentence templates into tokens, and records a mention for every fact they state.

Template tokens are separated by spaces, as in RotoWire. Besides plain words there are

    {p}         the player in slot p: the full name at first, then the last name where it is unambiguous
    {p.PTS}     a fact, a number in the writer's number style: a cell, or computed ({W.LEAD_Q3}, {p.DOUBLE})
    {p.FGM#}    a number, always in digits
    {day}       the weekday, as a fact of the team named last
    {verb}      a slot that holds words or another template
    a(n)        the article that fits the next word
    rebound(s)  a noun that agrees with the number before it
    's          the possessive that fits the word before it
"""

import random
from collections.abc import Callable

from modeling_stg.fact_schema import WEEKDAY, is_number
from modeling_stg.game import Entity
from modeling_stg.game_facts import GameFacts
from modeling_stg.numbers import WORDS, article, to_word


Slot = Entity | str
TEAM_ALIASES = {"city": "TEAM-CITY", "name": "TEAM-NAME"}


class Recap:
    """Builds tokens and mentions together, so that mentions are exact by construction."""

    def __init__(self, facts: GameFacts, in_words: Callable[[str, int], bool], generator: random.Random) -> None:
        self.facts = facts
        self.game = game = facts.game
        self.in_words = in_words
        self.generator = generator
        self.tokens: list[str] = []
        self.mentions: list[dict] = []
        home, visitor = game.home, game.visitor
        home_won = number(home, "TEAM-PTS") > number(visitor, "TEAM-PTS")
        self.winner, self.loser = (home, visitor) if home_won else (visitor, home)
        self.slots: dict[str, Slot] = {"W": self.winner, "L": self.loser, "H": home, "V": visitor}
        self.slots["ot"] = "in overtime" if self.value(home, "OVERTIMES") else ""
        self._named: set[str] = set()
        self._last_number = ""
        self._last_team = home

    def say(self, *templates: str, **slots: Slot) -> None:
        """Appends one of `templates`, chosen at random."""
        self._expand(self.generator.choice(templates), self.slots | slots)

    def value(self, entity: Entity, attribute: str) -> str | None:
        """An entity's fact, of teams without the prefix "TEAM-"; None if it has none."""
        return self.facts.value(self.game.position(entity.name), _full(entity, attribute))

    def count(self, entity: Entity, attribute: str) -> int:
        """A number fact; 0 if there is none."""
        return int(self.value(entity, attribute) or 0)

    def opponent(self, team: Entity) -> Entity:
        return self.loser if team is self.winner else self.winner

    def chance(self, probability: float) -> bool:
        return self.generator.random() < probability

    def choice(self, *options: str) -> str:
        return self.generator.choice(options)

    def _expand(self, template: str, slots: dict[str, Slot]) -> None:
        for piece in template.split():
            if not piece.startswith("{"):
                self._word(piece)
                continue
            name, _, attribute = piece.strip("{}").partition(".")
            if name == "day":
                self._state(self._last_team, WEEKDAY)
                continue
            filler = slots[name]
            if isinstance(filler, str):
                self._expand(filler, slots)
            elif attribute:
                self._state(filler, attribute.removesuffix("#"), attribute.endswith("#"))
            else:
                self._name(filler)

    def _state(self, entity: Entity, attribute: str, digits: bool = False) -> None:
        """Appends a fact and its mention; no other method states a value."""
        attribute = _full(entity, attribute)
        value = self.value(entity, attribute)
        if value is None:
            raise ValueError(f"{entity.name} has no {attribute} to state")
        if attribute in TEAM_ALIASES.values():
            self._last_team = entity
        form, tokens = "text", value.split(" ")
        if is_number(attribute):
            self._last_number = value
            form = "word" if not digits and int(value) <= 20 and self.in_words(attribute, int(value)) else "digits"
            tokens = [to_word(int(value))] if form == "word" else [value]
        self._fit_article(tokens[0])
        span = {"position": len(self.tokens), "length": len(tokens)}
        self.mentions.append({**span, "entity": entity.name, "attribute": attribute, "form": form})
        self.tokens += tokens

    def _name(self, player: Entity) -> None:
        if player.name not in self._named or self._is_ambiguous(player):
            self._state(player, "FIRST_NAME")
            if player.values["SECOND_NAME"] is not None:
                self._state(player, "SECOND_NAME")
        else:
            self._state(player, "SECOND_NAME" if player.values["SECOND_NAME"] is not None else "FIRST_NAME")
        self._named.add(player.name)

    def _is_ambiguous(self, player: Entity) -> bool:
        """Whether another player shares a part of the last name: "Holt" could also be "Holt Jr."."""
        parts = set((player.values["SECOND_NAME"] or player.name).split())
        return any(parts & set(other.name.split()) for other in self.game.players if other is not player)

    def _word(self, word: str) -> None:
        if word.endswith("(s)"):
            word = word.removesuffix("(s)") + ("" if self._last_number == "1" else "s")
        elif word == "'s" and self.tokens[-1].endswith("s"):
            word = "'"
        self._fit_article(word)
        self.tokens.append(word)

    def _fit_article(self, following: str) -> None:
        if self.tokens and self.tokens[-1] in ("a(n)", "A(n)"):
            is_number = following.isdecimal() or following in WORDS
            spoken = article(WORDS.get(following) or int(following)) if is_number else ""
            vowel = spoken == "an" or (not is_number and following[0].lower() in "aeio")
            self.tokens[-1] = self.tokens[-1][0] + ("n" if vowel else "")


def _full(entity: Entity, attribute: str) -> str:
    """The attribute's name in the schema: a template leaves out a team's prefix."""
    if not entity.is_team or attribute.startswith("TEAM-"):
        return attribute
    return TEAM_ALIASES.get(attribute, f"TEAM-{attribute}")


def number(entity: Entity, attribute: str) -> int:
    """A record as a number; 0 for players who did not play."""
    return int(entity.values[attribute] or 0)


def listed(phrases: list[str]) -> str:
    """ "x", "x and y", "x , y and z"."""
    return " , ".join(phrases[:-1]) + " and " + phrases[-1] if len(phrases) > 1 else phrases[0]
