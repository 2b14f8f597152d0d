"""Which record every word of a summary states: the annotation of Z, E, A and N that the model is trained on.

Names and cities are the game's own, where the text holds the record's value word for word. A number is read by the
words around it (roles_stg) and given to the subject whose record has that very value: the nearest one before it,
the one that "by" or "for" names after it, another of the sentence, then the running subject of the sentences before
("He added ..."). The extractor's confidence breaks ties and finds numbers that the words do not explain.
Nothing is left to chance, and nothing is annotated whose value is not the stated one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from modeling_stg.game import Game
from modeling_stg.numbers import WORDS
from modeling_stg.schema import NUMBER_ATTRIBUTES, PLAYER_FULL_NAME, TEAM_FULL_NAME, attribute_of_type
from stg.extraction.candidates import EntitySpan, Names, NumberSpan, SentenceSpans, sentence_spans
from stg.extraction.relations import Relation
from stg.extraction.roles import Reading, Statement, statements


_OF_PLAYER = frozenset("he his him she her hers".split())
_OF_TEAM = frozenset("they their them its it".split())
_LARGEST_WORD = 20
_TEAM_COLUMNS = {"TO": "TEAM-TOV"}
_GIVERS = ("by", "from", "for")
_FAR = 10.0


@dataclass(frozen=True)
class _Told:
    """What a number was found to state."""

    number: NumberSpan
    entity: int
    attribute: str


def annotate(
    tokens: list[str], game: Game, relations: "Iterable[Relation] | object | None" = None, names: Names | None = None
) -> list[dict]:
    """Mentions `{position, length, entity, attribute, form}` in reading order, never overlapping.

    `relations` are the extractor's of this summary, or the extractor itself, or None to do without;
    `names` (an extractor brings its own) tells other teams and players from those of the game.
    """
    if isinstance(game, Mapping):
        game = Game.from_json(game)
    if relations is not None and not isinstance(relations, (list, tuple)):
        names = names or relations.vocabulary.names
        relations = relations.extract(tokens, game)
    confident: dict[tuple[int, int, str], float] = {}
    for told in relations or ():
        if told.supported:
            key = (told.number_start, told.entity_index, attribute_of_type(told.type))
            confident[key] = max(confident.get(key, 0.0), told.confidence)
    spans = sentence_spans(tokens, game, names)
    mentions = [mention for sentence in spans for span in sentence.entities for mention in _named(tokens, span, game)]
    running = _Running(game)
    for sentence in spans:
        found = _numbers(tokens, sentence, game, running, confident)
        running.note(sentence, found)
        mentions += [mention for told in found for mention in _counted(told, game)]
    return sorted(mentions, key=lambda mention: mention["position"])


def _named(tokens: list[str], span: EntitySpan, game: Game) -> list[dict]:
    """The parts of a name that are, word for word, values of its entity."""
    if span.index is None:
        return []
    entity = game.entities[span.index]
    attributes = TEAM_FULL_NAME if entity.is_team else PLAYER_FULL_NAME
    mentions = []
    position = span.start
    for attribute in attributes:
        words = (entity.values[attribute] or "").split()
        at = next((at for at in range(position, span.end) if words and tokens[at : at + len(words)] == words), None)
        if at is not None:
            mentions.append(_mention(at, len(words), entity.name, attribute, "text"))
            position = at + len(words)
    return mentions


def _counted(told: _Told, game: Game) -> list[dict]:
    """One token in digits, or in words up to twenty, the largest that the model writes as a word."""
    number = told.number
    if number.end - number.start != 1 or told.attribute not in NUMBER_ATTRIBUTES:
        return []
    is_word = number.text.lower() in WORDS
    if is_word and number.value > _LARGEST_WORD:
        return []
    form = "word" if is_word else "digits"
    if form == "digits" and number.text != str(number.value):
        return []
    return [_mention(number.start, 1, game.entities[told.entity].name, told.attribute, form)]


def _mention(position: int, length: int, entity: str, attribute: str, form: str) -> dict:
    return {"position": position, "length": length, "entity": entity, "attribute": attribute, "form": form}


class _Running:
    """Whom the sentences before were about, the latest first: antecedents of "he" and "they"."""

    def __init__(self, game: Game):
        self.game = game
        self.players: list[int] = []
        self.teams: list[int] = []

    def note(self, sentence: SentenceSpans, found: list[_Told]) -> None:
        """A sentence's subject is who was told about first, else who was named first; the others come after."""
        told = [one.entity for one in found]
        named = [span.index for span in sentence.entities if span.index is not None]
        for is_team, known in ((False, self.players), (True, self.teams)):
            new = [entity for entity in (*told, *named) if self.game.entities[entity].is_team == is_team]
            known[:] = list(dict.fromkeys([*new, *known]))[:4]


def _numbers(
    tokens: list[str],
    sentence: SentenceSpans,
    game: Game,
    running: _Running,
    confident: dict[tuple[int, int, str], float],
) -> list[_Told]:
    found: list[_Told] = []
    numbers = list(sentence.numbers)
    for statement in statements(tokens, sentence.start, sentence.end, numbers):
        subjects = _subjects(tokens, sentence, statement, game, running, found)
        found += _settle(statement, subjects, game, confident)
    settled = {told.number.start for told in found}
    for number in numbers:
        if number.start not in settled:
            told = [(score, key) for key, score in confident.items() if key[0] == number.start]
            if told:
                _, (_, entity, attribute) = max(told)
                found.append(_Told(number, entity, attribute))
    return sorted(found, key=lambda told: told.number.start)


def _subjects(
    tokens: list[str],
    sentence: SentenceSpans,
    statement: Statement,
    game: Game,
    running: _Running,
    found: list[_Told],
) -> dict[int, float]:
    """Whom a number may be said of, each with a cost: how far he is to seek."""
    costs: dict[int, float] = {}

    def offer(entity: int | None, cost: float) -> None:
        if entity is not None and cost < costs.get(entity, _FAR):
            costs[entity] = cost

    before = [span for span in sentence.entities if span.start < statement.start]
    after = [span for span in sentence.entities if span.start >= statement.start]
    for steps, span in enumerate(reversed(before)):
        offer(span.index, float(steps))
    for steps, span in enumerate(after):
        offer(span.index, 2.5 + steps)
    words = {token.lower() for token in tokens[sentence.start : statement.start]}
    if after and tokens[statement.start - 1] == "against":
        offer(after[0].index, -0.5)  # "against 45 percent and 41 percent for Lake Marrow"
    giver = statement.end
    if after and tokens[giver : giver + 1] and tokens[giver] in _GIVERS:
        near = after[0].start - giver <= 2
        if near and (statement.elliptic or tokens[giver] != "for" or after[0].is_team):
            offer(after[0].index, -0.5)
    has_player = any(not span.is_team for span in sentence.entities)
    has_team = any(span.is_team and span.index is not None for span in sentence.entities)
    speaks_of_teams = has_team or words & {"they", "their"}
    if words & _OF_PLAYER or not (has_player or speaks_of_teams):
        for steps, entity in enumerate(running.players[:3]):
            offer(entity, 4.0 + steps)
    if not has_team or words & _OF_TEAM or statement.readings[0].across:
        for steps, entity in enumerate([*running.teams, 0, 1]):
            offer(entity, 4.5 + steps)
    blocked = before and before[-1].index is None and before[-1].end + 1 == statement.start
    if blocked and tokens[before[-1].end] == "(":
        return {}  # the record of a team that is not of this game
    return costs


def _settle(
    statement: Statement, subjects: dict[int, float], game: Game, confident: dict[tuple[int, int, str], float]
) -> list[_Told]:
    """The reading and the subject that fit the box score at the least cost."""
    best: tuple[float, list[_Told]] | None = None
    for rank, reading in enumerate(statement.readings):
        for entities, cost in _choices(reading, subjects, game):
            told = []
            for number, entity, column in zip(statement.numbers, entities, reading.columns, strict=True):
                attribute = attribute_of(column, game.entities[entity].is_team)
                if attribute is None or game.entities[entity].values[attribute] != str(number.value):
                    break
                told.append(_Told(number, entity, attribute))
            else:
                scores = [confident.get((one.number.start, one.entity, one.attribute), 0.0) for one in told]
                total = cost + 1.5 * rank - 2.0 * sum(scores) / len(scores)
                if best is None or total < best[0]:
                    best = (total, told)
    return best[1] if best else []


def _choices(reading: Reading, subjects: dict[int, float], game: Game) -> list[tuple[tuple[int, ...], float]]:
    if not reading.across:
        return [((entity,) * len(reading.columns), cost) for entity, cost in subjects.items()]
    if not subjects:
        return []
    winner = max((0, 1), key=lambda team: int(game.entities[team].values["TEAM-PTS"] or 0))
    return [((winner, 1 - winner), 0.0), ((1 - winner, winner), 0.01)]


def attribute_of(column: str, is_team: bool) -> str | None:
    """The game's name of a column, for a team or a player; None where they have no such column."""
    attribute = _TEAM_COLUMNS.get(column, f"TEAM-{column}") if is_team else column
    known = attribute in NUMBER_ATTRIBUTES and attribute.startswith("TEAM-") == is_team
    return attribute if known else None
