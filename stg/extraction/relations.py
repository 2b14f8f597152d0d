"""Relations: the numbers that a summary states about entities, and what they count."""

from collections.abc import Iterable
from dataclasses import dataclass

from modeling_stg.facts import Fact
from modeling_stg.game import Game
from modeling_stg.schema import attribute_of_type, relation_type
from stg.extraction.candidates import Candidate, labels


@dataclass(frozen=True)
class Relation:
    """A number stated about an entity. Published tuples and templates have neither spans nor a confidence.

    Args:
        entity: as written: "James", "Toronto Raptors".
        value: as written: "five", "24".
        number: the value as an int.
        fact: what is stated; its entity is None for an outsider, who is not in the game.
        start, end: the entity's tokens.
        number_start, number_end: the number's tokens.
        confidence: the extractor's probability of the type.
        supported: whether the box score holds this fact.
    """

    entity: str
    value: str
    number: int
    fact: Fact
    start: int = -1
    end: int = -1
    number_start: int = -1
    number_end: int = -1
    confidence: float = 1.0
    supported: bool = True

    @property
    def type(self) -> str:
        """The published relation type: "TEAM-PTS", "PLAYER-REB"."""
        return relation_type(self.fact.attribute)

    @property
    def key(self) -> tuple[Fact, str | None]:
        """Equal for relations that state the same fact, however worded; an outsider is identified by name."""
        return self.fact, self.entity if self.fact.entity is None else None


def stated_relation(entity: str, value: str, number: int, type: str) -> Relation:
    """A relation known without a text or a game: a published tuple `entity|value|type`."""
    return Relation(entity, value, number, Fact(None, attribute_of_type(type), str(number)))


def candidate_relation(pair: Candidate, type: str, confidence: float, game: Game) -> Relation:
    """The relation that a candidate pair states if its type is `type`."""
    entity, number = pair.entity, pair.number
    return Relation(
        entity=entity.text,
        value=number.text,
        number=number.value,
        fact=Fact(entity.index, attribute_of_type(type), str(number.value)),
        start=entity.start,
        end=entity.end,
        number_start=number.start,
        number_end=number.end,
        confidence=confidence,
        supported=type in labels(pair, game),
    )


def count_repeats(relations: Iterable[Relation]) -> int:
    """The count of numbers that restate a fact. One number beside two names of a team states it once."""
    stated = {(relation.key, relation.number_start) for relation in relations}
    return len(stated) - len({key for key, _ in stated})
