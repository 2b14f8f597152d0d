"""Annotates a summary with the fact behind every name and number: the Z, E, A and N that the model is trained on.

Names and cities are annotated where the text holds a cell's value word for word. A number is read by the words around
it (roles.py) and given to the subject whose cell has exactly that value. Subjects are tried in this order: the nearest
one before the number, one named by "by" or "for" after it, others of the sentence, and the running subject of earlier
sentences ("He added ..."). The extractor's confidence breaks ties and explains numbers that the words do not.
Annotation is deterministic, and a mention always has the value that the text states.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from modeling_stg.facts import Fact, Mention
from modeling_stg.game import Game, as_game
from modeling_stg.numbers import LARGEST_WORD, WORDS
from modeling_stg.schema import NUMBER_ATTRIBUTES, PLAYER_FULL_NAME, TEAM_FULL_NAME, number_attribute
from stg.extraction.candidates import EntitySpan, Names, NumberSpan, SentenceSpans, sentence_spans
from stg.extraction.relations import Relation
from stg.extraction.roles import NumberGroup, Role, number_groups


_PLAYER_PRONOUNS = frozenset("he his him she her hers".split())
_TEAM_PRONOUNS = frozenset("they their them its it".split())
_SUBJECT_MARKERS = ("by", "from", "for")
_FAR = 10.0  # a cost above that of every subject


@dataclass(frozen=True)
class _StatedNumber:
    number: NumberSpan
    entity: int
    attribute: str


_Confidences = dict[int, dict[tuple[int | None, str], float]]  # by number's position, then by entity and attribute


def annotate(
    tokens: list[str], game: Any, relations: Iterable[Relation] | Any = None, names: Names | None = None
) -> list[Mention]:
    """Finds the facts that a summary states.

    Args:
        tokens: the summary in the dataset's tokens.
        game: a `Game`, or the JSON of one.
        relations: the extractor's relations of this summary, the extractor itself, or None to use rules alone.
        names: other teams and players, to tell them from the game's; an extractor brings its own.

    Returns:
        Mentions in reading order, without overlap.

    Example:
        >>> [mention.to_json(game) for mention in annotate("The Bucks scored 105 points .".split(), game)][0]
        {'position': 1, 'length': 1, 'entity': 'Bucks', 'attribute': 'TEAM-NAME', 'form': 'text'}
    """
    game = as_game(game)
    if relations is not None and not isinstance(relations, (list, tuple)):
        names = names or relations.vocabulary.names
        relations = relations.extract(tokens, game)
    confidences: _Confidences = {}
    for relation in relations or ():
        if relation.supported:
            known = confidences.setdefault(relation.number_start, {})
            key = (relation.fact.entity, relation.fact.attribute)
            known[key] = max(known.get(key, 0.0), relation.confidence)
    words = [token.lower() for token in tokens]
    sentences = sentence_spans(tokens, game, names)
    mentions = [
        mention
        for sentence in sentences
        for span in sentence.entities
        for mention in _name_mentions(tokens, span, game)
    ]
    running = _RunningSubjects(game)
    for sentence in sentences:
        stated = _stated_numbers(tokens, words, sentence, game, running, confidences)
        running.update(sentence, stated)
        mentions += [mention for number in stated for mention in _number_mentions(number)]
    return sorted(mentions, key=lambda mention: mention.position)


def _name_mentions(tokens: list[str], span: EntitySpan, game: Game) -> list[Mention]:
    """The parts of a name that match values of its entity word for word."""
    if span.index is None:
        return []
    entity = game.entities[span.index]
    mentions = []
    position = span.start
    for attribute in TEAM_FULL_NAME if entity.is_team else PLAYER_FULL_NAME:
        value = entity.text(attribute)
        words = value.split()
        at = next((at for at in range(position, span.end) if words and tokens[at : at + len(words)] == words), None)
        if at is not None:
            mentions.append(Mention(at, len(words), Fact(span.index, attribute, value), "text"))
            position = at + len(words)
    return mentions


def _number_mentions(stated: _StatedNumber) -> list[Mention]:
    """A mention if the number is one token that the model could write."""
    number = stated.number
    form = number_form(number.text, number.value)
    if number.end - number.start != 1 or stated.attribute not in NUMBER_ATTRIBUTES or form is None:
        return []
    return [Mention(number.start, 1, Fact(stated.entity, stated.attribute, str(number.value)), form)]


def number_form(token: str, value: int) -> str | None:
    """The form of a token that states a number as the model could write it; None if it does not."""
    if token == str(value):
        return "digits"
    return "word" if WORDS.get(token.lower()) == value <= LARGEST_WORD else None


class _RunningSubjects:
    """The subjects of earlier sentences, latest first: antecedents of "he" and "they"."""

    def __init__(self, game: Game):
        self.game = game
        self.players: list[int] = []
        self.teams: list[int] = []

    def update(self, sentence: SentenceSpans, stated: list[_StatedNumber]) -> None:
        """Puts entities with a stated number first, then those that are only named."""
        named = [span.index for span in sentence.entities if span.index is not None]
        entities = [*(number.entity for number in stated), *named]
        for is_team, subjects in ((False, self.players), (True, self.teams)):
            new = [entity for entity in entities if self.game.entities[entity].is_team == is_team]
            subjects[:] = list(dict.fromkeys([*new, *subjects]))[:4]


def _stated_numbers(
    tokens: list[str],
    words: list[str],
    sentence: SentenceSpans,
    game: Game,
    running: _RunningSubjects,
    confidences: _Confidences,
) -> list[_StatedNumber]:
    stated: list[_StatedNumber] = []
    for group in number_groups(words, sentence.start, sentence.end, list(sentence.numbers)):
        stated += _best_fit(group, _subjects(tokens, sentence, group, running), game, confidences)
    explained = {item.number.start for item in stated}
    for number in sentence.numbers:
        if number.start not in explained:
            read = [(score, key) for key, score in confidences.get(number.start, {}).items()]
            if read:
                _, (entity, attribute) = max(read)
                assert entity is not None  # supported relations have an entity of this game
                stated.append(_StatedNumber(number, entity, attribute))
    return sorted(stated, key=lambda item: item.number.start)


def _subjects(
    tokens: list[str], sentence: SentenceSpans, group: NumberGroup, running: _RunningSubjects
) -> dict[int, float]:
    """The entities that a number may belong to, each with a cost that grows with its distance from the number."""
    costs: dict[int, float] = {}

    def offer(entity: int | None, cost: float) -> None:
        if entity is not None and cost < costs.get(entity, _FAR):
            costs[entity] = cost

    before = [span for span in sentence.entities if span.start < group.start]
    after = [span for span in sentence.entities if span.start >= group.start]
    for steps, span in enumerate(reversed(before)):
        offer(span.index, float(steps))
    for steps, span in enumerate(after):
        offer(span.index, 2.5 + steps)
    words = {token.lower() for token in tokens[sentence.start : group.start]}
    if after and tokens[group.start - 1] == "against":
        offer(after[0].index, -0.5)  # "against 45 percent and 41 percent for Lake Marrow"
    marker = group.end
    if after and tokens[marker : marker + 1] and tokens[marker] in _SUBJECT_MARKERS:
        near = after[0].start - marker <= 2
        if near and (group.elliptic or tokens[marker] != "for" or after[0].is_team):
            offer(after[0].index, -0.5)
    has_player = any(not span.is_team for span in sentence.entities)
    has_team = any(span.is_team and span.index is not None for span in sentence.entities)
    is_about_teams = has_team or words & {"they", "their"}
    if words & _PLAYER_PRONOUNS or not (has_player or is_about_teams):
        for steps, entity in enumerate(running.players[:3]):
            offer(entity, 4.0 + steps)
    if not has_team or words & _TEAM_PRONOUNS or group.roles[0].compares_teams:
        for steps, entity in enumerate([*running.teams, 0, 1]):
            offer(entity, 4.5 + steps)
    follows_outsider = before and before[-1].index is None and before[-1].end + 1 == group.start
    if follows_outsider and tokens[before[-1].end] == "(":
        return {}  # the record of a team that is not in this game
    return costs


def _best_fit(
    group: NumberGroup, subjects: dict[int, float], game: Game, confidences: _Confidences
) -> list[_StatedNumber]:
    """The role and subject that agree with the box score at the lowest cost."""
    best: tuple[float, list[_StatedNumber]] | None = None
    for rank, role in enumerate(group.roles):
        for entities, cost in _assignments(role, subjects, game):
            stated = []
            for number, entity, column in zip(group.numbers, entities, role.columns, strict=True):
                attribute = number_attribute(column, game.entities[entity].is_team)
                if attribute is None or game.entities[entity].values[attribute] != str(number.value):
                    break
                stated.append(_StatedNumber(number, entity, attribute))
            else:
                scores = [
                    confidences.get(item.number.start, {}).get((item.entity, item.attribute), 0.0) for item in stated
                ]
                total = cost + 1.5 * rank - 2.0 * sum(scores) / len(scores)
                if best is None or total < best[0]:
                    best = (total, stated)
    return best[1] if best else []


def _assignments(role: Role, subjects: dict[int, float], game: Game) -> list[tuple[tuple[int, ...], float]]:
    """The possible owners of a role's numbers, each with a cost: one subject, or both teams, the winner first."""
    if not role.compares_teams:
        return [((entity,) * len(role.columns), cost) for entity, cost in subjects.items()]
    if not subjects:
        return []
    winner = max((0, 1), key=lambda team: game.entities[team].number("TEAM-PTS") or 0)
    return [((winner, 1 - winner), 0.0), ((1 - winner, winner), 0.01)]
