"""The Templates baseline: the score, the six top scorers with eight statistics each, and a fixed closing sentence.

The content follows Wiseman et al. (2017), the wording is ours. Every number is copied, so the relations are known
without an extractor: RG precision is 100 by construction, and scoring the known relations tests the metrics.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modeling_stg.facts import Fact, Token
from modeling_stg.game import Game, as_game
from stg.extraction.relations import Relation


SCORERS = 6
_PLAYER = (
    "{FIRST_NAME} {SECOND_NAME} scored {PTS} points ( {FGM} - {FGA} FG , {FG3M} - {FG3A} 3Pt , {FTM} - {FTA} FT ) "
    "to go with {REB} rebounds ."
)
_TEAM = "the {TEAM-CITY} {TEAM-NAME} ( {TEAM-WINS} - {TEAM-LOSSES} )"
_CLOSING = "Both teams will look to build on this one when they take the floor again ."


class Recap(NamedTuple):
    """A recap by the baseline. Relations come entity by entity within a sentence, as from an extractor."""

    tokens: list[Token]
    relations: list[Relation]

    @property
    def words(self) -> list[str]:
        return [token.text for token in self.tokens]


def write(game: Game | Mapping[str, Any]) -> Recap:
    """Writes the recap of one game."""
    game = as_game(game)
    winner, loser = sorted((0, 1), key=lambda team: -_number(game, team, "TEAM-PTS"))
    tokens = [*_fill(_TEAM, game, winner), Token("defeated"), *_fill(_TEAM, game, loser)]
    tokens += [*_fill("{TEAM-PTS} -", game, winner), *_fill("{TEAM-PTS} .", game, loser)]
    tokens[0] = Token("The")
    relations = [relation for team in (winner, loser) for relation in _relations(tokens, game, team)]
    players = range(2, len(game.entities))
    scorers = sorted(players, key=lambda player: -_number(game, player, "PTS"))[:SCORERS]
    for player in scorers:
        if game.entities[player].did_play:
            sentence = list(_fill(_PLAYER, game, player))
            tokens += sentence
            relations += _relations(sentence, game, player)
    return Recap(tokens + [Token(word) for word in _CLOSING.split()], relations)


def _fill(template: str, game: Game, entity: int) -> Iterator[Token]:
    for word in template.split():
        if not word.startswith("{"):
            yield Token(word)
            continue
        attribute = word.strip("{}")
        value = game.entities[entity].text(attribute)
        for part in value.split():
            yield Token(part, Fact(entity, attribute, value))


def _relations(tokens: list[Token], game: Game, entity: int) -> list[Relation]:
    subject = game.entities[entity]
    return [
        Relation(subject.full_name, token.text, int(token.text), token.fact)
        for token in tokens
        if token.fact is not None and token.fact.entity == entity and token.text.isdecimal()
    ]


def _number(game: Game, entity: int, attribute: str) -> int:
    value = game.entities[entity].number(attribute)
    return -1 if value is None else value
