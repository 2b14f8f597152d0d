"""The Templates baseline: the score, the six top scorers with eight statistics each, a fixed closing sentence.

Content as Wiseman et al. (2017) describe it, wording our own. Every number is copied, so that its relations are known
without any extractor: RG precision is 100 by construction, and scoring the known relations checks the metrics.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modeling_stg.game import Entity, Game
from modeling_stg.schema import relation_type


SCORERS = 6
_PLAYER = (
    "{FIRST_NAME} {SECOND_NAME} scored {PTS} points ( {FGM} - {FGA} FG , {FG3M} - {FG3A} 3Pt , {FTM} - {FTA} FT ) "
    "to go with {REB} rebounds ."
)
_TEAM = "the {TEAM-CITY} {TEAM-NAME} ( {TEAM-WINS} - {TEAM-LOSSES} )"
_CLOSING = "Both teams will look to build on this one when they take the floor again ."


class Token(NamedTuple):
    """A token and, where it was copied, the record that it states: entity's position in the game, attribute."""

    text: str
    entity: int | None = None
    attribute: str | None = None


class Fact(NamedTuple):
    """A relation that the text is known to state."""

    entity: str
    value: str
    type: str


class Recap(NamedTuple):
    """What the baseline writes; `facts` come entity by entity within a sentence, as an extractor gives them."""

    tokens: list[Token]
    facts: list[Fact]

    @property
    def words(self) -> list[str]:
        return [token.text for token in self.tokens]


def write(game: Game | Mapping[str, Any]) -> Recap:
    """The baseline's recap of one game."""
    if isinstance(game, Mapping):
        game = Game.from_json(game)
    winner, loser = sorted((0, 1), key=lambda team: -_number(game.entities[team], "TEAM-PTS"))
    tokens = [*_fill(_TEAM, game, winner), Token("defeated"), *_fill(_TEAM, game, loser)]
    tokens += [*_fill("{TEAM-PTS} -", game, winner), *_fill("{TEAM-PTS} .", game, loser)]
    tokens[0] = Token("The")
    facts = [fact for team in (winner, loser) for fact in _facts(tokens, game, team)]
    players = range(2, len(game.entities))
    scorers = sorted(players, key=lambda player: -_number(game.entities[player], "PTS"))[:SCORERS]
    for player in scorers:
        if game.entities[player].did_play:
            sentence = list(_fill(_PLAYER, game, player))
            tokens += sentence
            facts += _facts(sentence, game, player)
    return Recap(tokens + [Token(word) for word in _CLOSING.split()], facts)


def _fill(template: str, game: Game, entity: int) -> Iterator[Token]:
    for word in template.split():
        if not word.startswith("{"):
            yield Token(word)
            continue
        attribute = word.strip("{}")
        value = game.entities[entity].values[attribute]
        for part in (value or "").split():
            yield Token(part, entity, attribute)


def _facts(tokens: list[Token], game: Game, entity: int) -> list[Fact]:
    subject = game.entities[entity]
    name = f"{subject.values['TEAM-CITY']} {subject.name}" if subject.is_team else subject.name
    return [
        Fact(name, token.text, relation_type(token.attribute))
        for token in tokens
        if token.entity == entity and token.text.isdecimal()
    ]


def _number(entity: Entity, attribute: str) -> int:
    value = entity.values[attribute]
    return -1 if value is None else int(value)
