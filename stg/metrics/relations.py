"""RG, CS and CO: three scores computed from the relations that an extractor reads in summaries.

A relation is what one number says, such as ("Hawks", "five", "TEAM-WINS"). Relations come in the extractor's order.
The published scripts differ; `variant` chooses:

`puduppully` (ratishsp/data2text-1; used by Puduppully et al. 2019 and Iso et al. 2019; our default)
    Relations of a document are deduplicated by their three strings. Two match if their types are equal, their values
    are equal as integers ("five" = "5") and their entities are the same: one string contains the other, or, for teams
    and cities, both are part of one team's full name ("Hawks", "Atlanta"). In CS every relation of the reference
    matches at most once.
`wiseman` (harvardnlp/data2text; Wiseman et al. 2017)
    Relations are deduplicated by the matching rule itself ("Horford" and "Al Horford" become one), values must be
    equal as strings, and in CS one relation of the reference may match several of the prediction.

Some ports do not deduplicate (`keep_duplicates`), so RG # rewards repetition.

CO depends on the order: extractors give a sentence's relations entity by entity (all numbers of the Hawks, then all
of the Magic); `order="reading"` sorts them by position instead, as some ports do.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rapidfuzz.distance import OSA

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.nba import FULL_CITY, TEAMS
from modeling_stg.numbers import read_number
from stg.extraction.candidates import Names
from stg.extraction.relations import Relation, stated_relation


VARIANTS = ("puduppully", "wiseman")
ORDERS = ("entity", "reading")
Match = Callable[[Relation, Relation], bool]

# All teams, so that a third team in a sentence is recognised.
NBA_NAMES = Names(
    teams=frozenset(name[len(city) + 1 :] for name, city in TEAMS.items()),
    cities=frozenset(TEAMS.values()),
)


class Teams:
    """Which strings name the same team: the NBA's thirty and the two of the game."""

    def __init__(self, game: Game | None = None) -> None:
        full_names = dict(TEAMS)
        for team in game.entities[:2] if game else ():
            city = FULL_CITY.get(team.text("TEAM-CITY"), team.text("TEAM-CITY"))
            full_names[f"{city} {team.name}"] = city
        self.full_names = tuple(full_names)
        self.parts = set(full_names.values()) | {name[len(city) + 1 :] for name, city in full_names.items()}

    def same(self, one: str, other: str) -> bool:
        """Whether two strings name the same team or player; box scores say "LA" where texts say "Los Angeles".

        As in the official scorer, short forms ("Cavs", "Sixers", "OKC") are names of their own: "Sixers" does not
        match "76ers".
        """
        one, other = _long_city(one), _long_city(other)
        if one == other:
            return True
        if one in self.parts or other in self.parts:
            return any(one in name and other in name for name in self.full_names)
        return one in other or other in one


def matcher(teams: Teams, variant: str = "puduppully") -> Match:
    """The rule by which two relations are the same."""
    if variant not in VARIANTS:
        raise StgError(f"variant: {variant!r} is not known; use one of {', '.join(VARIANTS)}")
    by_string = variant == "wiseman"

    def match(one: Relation, other: Relation) -> bool:
        same_value = one.value == other.value if by_string else one.number == other.number
        return one.type == other.type and same_value and teams.same(one.entity, other.entity)

    return match


def deduplicate(relations: Iterable[Relation], match: Match | None = None) -> list[Relation]:
    """The first of all relations with equal strings, or that are equal by `match` (variant `wiseman`)."""
    kept: list[Relation] = []
    seen = set()
    for relation in relations:
        key = (relation.entity, relation.value, relation.type)
        if key in seen or (match and any(match(relation, earlier) for earlier in kept)):
            continue
        seen.add(key)
        kept.append(relation)
    return kept


def count_matches(predicted: Sequence[Relation], gold: Sequence[Relation], match: Match, once: bool = True) -> int:
    """Predicted relations that the reference also states; with `once`, a relation of the reference matches once."""
    unmatched = list(gold)
    matched = 0
    for relation in predicted:
        for position, candidate in enumerate(unmatched):
            if match(relation, candidate):
                matched += 1
                if once:
                    del unmatched[position]
                break
    return matched


def ordering(predicted: Sequence[Relation], gold: Sequence[Relation], match: Match) -> float:
    """CO of one document: 1 - d / max(lengths), d = optimal string alignment distance over matching relations.

    Two empty lists score 1; an empty one against any other scores 0.
    """
    if not predicted and not gold:
        return 1.0
    symbols: list[int] = []
    for position, relation in enumerate(predicted):
        earlier = (symbol for before, symbol in zip(predicted, symbols, strict=False) if match(before, relation))
        symbols.append(next(earlier, position))
    reference = []
    for position, relation in enumerate(gold):
        same = (symbol for before, symbol in zip(predicted, symbols, strict=True) if match(relation, before))
        reference.append(next(same, len(predicted) + position))
    return OSA.normalized_similarity(symbols, reference)


def _long_city(entity: str) -> str:
    city, space, name = entity.partition(" ")
    return f"{FULL_CITY.get(city, city)}{space}{name}"


def read_tuples(path: str | Path) -> list[list[Relation]]:
    """Reads a published tuple file: `entity|value|type` lines, a blank line before each document, even if empty."""
    documents: list[list[Relation]] = []
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise StgError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            documents.append([])
            continue
        fields = line.strip().split("|")
        read = read_number(fields[1].split(), 0) if len(fields) == 3 and fields[1].strip() else None
        if read is None or not documents:
            raise StgError(
                f"{path}:{number}: {line!r:.60} is not entity|value|type after a blank line; check the file"
            )
        entity, value, type = fields
        documents[-1].append(stated_relation(entity, value, read[0], type))
    return documents
