"""Mistakes that a reader sees at once and RG, CS and CO do not: who won, who plays where, what day it was, echoes.

Plain rules over the names in a sentence; where a summary does not say a thing (no weekday, nobody "led" anybody) it
is not counted, neither for nor against; only the winner must always be named. By these rules the human references
of RotoWire-Modified valid get 98.9% of winners, 99.4% of credits and 98.6% of weekdays right, those of train 99.7%,
99.4% and 98.9%; most of the rest are slips of the writers, and none meets itself or says a sentence twice.
"""

import itertools
from typing import NamedTuple

from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import WEEKDAY_WORDS
from modeling_stg.text import sentences
from stg.extraction.candidates import EntitySpan, Names, entity_spans


SHORTEST_ECHO = 8  # tokens; "He had five fouls ." may be said of two men
_LOST = frozenset(
    "collapsed dropped dropping fall falling falls fell lose loses losing loss lost n't not short succumbed "
    "unable went".split()  # "went" only in "went down"
)
_WON = frozenset(
    "annihilated avoided beat beaten beating beats bested blasted blew blitzed blown blowout bulldozed "
    "clobbered coasted conquered cruised crushed dealt decimated defeat defeated defeating defeats "
    "demolished destroyed dismantled dismantling dispatched dominated dominating downed edge edged eked "
    "escaped extended hammered handed handled held holding knock knocked knocking laid nipped obliterated "
    "outlasted outplayed outscored over overcame overpowered overwhelmed past pounded prevailed pulled "
    "rallied ran rolled romped rout routed sank sent shut slid slipped smashed sneaked snuck squeaked "
    "squeezed steamrolled stifled stunned survived surviving sweep swept thrashed thrashing throttled "
    "thumped took topped tripped triumph triumphed trounced upended upset vanquished victorious victory "
    "walloped whipped win winning wins withstood won".split()
)
_LED = frozenset("led leads paced paces carried headlined".split())
_LEADERS = (["point", "man"], ["leading", "scorer"], ["top", "scorer"], ["high", "scorer"])
_MEET = frozenset(
    "against beat beats defeat defeated defeats downed edged face faces facing faced host hosts hosted hosting play "
    "playing plays played over versus visit visits visiting visited vs. welcome welcomes outlasted routed topped "
    "outscored outrebounded battle battles meet meets tangle tangles".split()
)
_TAKE_ON = frozenset("take takes taking took".split())
_BREAKS = frozenset([",", ";", "while", "as", "when", "before", "after", "but", "where", "who", "and", "(", "—"])


class Sanity(NamedTuple):
    """Counts of one summary; each `..._right` is out of the count before it."""

    winner_named: int
    winner_right: int
    credited: int
    credited_right: int
    weekday_named: int
    weekday_right: int
    repeated_sentences: int
    meets_itself: int


def sanity(tokens: list[str], game: Game, names: Names | None = None) -> Sanity:
    """What the rules find in one summary. `names` are those of other teams and players (the extractor's lists)."""
    spans = sentences(tokens)
    entities = entity_spans(tokens, game, names)
    first = spans[0] if spans else (0, 0)
    named, _ = winner_told(tokens, first, entities) or (None, None)
    points = [int(team.values["TEAM-PTS"] or 0) for team in game.entities[:2]]
    credited = [(player, team) for span in spans for player, team in credits_told(tokens, span, entities)]
    credits = [game.team_of(player.index) == team.index for player, team in credited]
    day = next((token.lower() for token in tokens[slice(*first)] if token.lower() in WEEKDAY_WORDS), None)
    said = [" ".join(tokens[start:end]).lower() for start, end in spans if end - start >= SHORTEST_ECHO]
    return Sanity(
        winner_named=int(named is not None),
        winner_right=int(named is not None and points[named] > points[1 - named]),
        credited=len(credits),
        credited_right=sum(credits),
        weekday_named=int(day is not None),
        weekday_right=int(day == WEEKDAY_WORDS[game.date.weekday()]),
        repeated_sentences=len(said) - len(set(said)),
        meets_itself=sum(itself(tokens, span, entities) is not None for span in spans),
    )


def _within(entities: list[EntitySpan], span: tuple[int, int]) -> list[EntitySpan]:
    return [entity for entity in entities if span[0] <= entity.start < span[1]]


def winner_told(tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]) -> tuple[int, int] | None:
    """The team (0 home, 1 visitor) that a sentence says has won, and where the word stands that says so: the first
    named, unless it fell, or fell victim."""
    teams = [entity for entity in _within(entities, span) if entity.is_team and entity.index is not None]
    if not teams:
        return None
    first = teams[0].index
    other = next((team for team in teams if team.index != first), None)
    if other is None:
        return None
    between = [token.lower() for token in tokens[teams[0].end : other.start]]
    verdicts = _verdicts(between)
    if verdicts:
        place, won = verdicts[-1]
        fell_victim = won and "by" in between[max(place, len(between) - 3) :]  # "were beaten by the"
        return first if won and not fell_victim else 1 - first, teams[0].end + place
    after = _verdicts([token.lower() for token in tokens[other.end : span[1]]])
    if not after:
        return None
    place, won = after[0]
    return first if won else 1 - first, other.end + place


def _verdicts(words: list[str]) -> list[tuple[int, bool]]:
    """Where words tell of victory (True) or defeat; what happened before ("had won", a "losing streak") is none."""
    found = []
    for place, (word, after) in enumerate(itertools.pairwise([*words, ""])):
        earlier = words[place - 1 : place] == ["had"] or after == "streak" or (word == "went" and after != "down")
        if not earlier and (word in _WON or word in _LOST):
            gave_it = word == "loss" and {"handed", "dealt"}.intersection(words[:place])  # "handed a loss to"
            found.append((place, word in _WON or bool(gave_it)))
    return found


def credits_told(
    tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]
) -> list[tuple[EntitySpan, EntitySpan]]:
    """Every player of this game and the team that he is said to lead: "<team> were led by <player>", "<player> led the
    <team>" or "<player> was the high - point man for the <team>"."""
    inside = _within(entities, span)
    told = []
    for left, right in zip(inside, inside[1:], strict=False):
        if left.index is None or right.index is None or left.is_team == right.is_team:
            continue
        gap = [token.lower() for token in tokens[left.end : right.start]]
        if left.is_team:
            found = _is_led_by(gap)
        else:
            tail = [word for word in gap if word not in ("the", "way", "for")]
            aside = gap[:1] == [","] and gap[1:2] != ["who"]  # "Irving , guarded by Rose , paced the Cavs"
            found = (_LED.intersection(tail[-1:]) or (tail[-2:] in _LEADERS and "for" in gap[-2:])) and not aside
        if found and len(gap) <= 12 and not {"but", "while", ";"}.intersection(gap):
            told.append((right, left) if left.is_team else (left, right))
    return told


def _is_led_by(gap: list[str]) -> bool:
    """ "were led by", but not "led by four after three quarters", nor an afterthought (", led by") on either team."""
    for position, (word, after) in enumerate(zip(gap, gap[1:], strict=False)):
        if word in _LED and after == "by" and gap[position - 1 : position] != [","]:
            counted = position + 2 < len(gap) and read_number(gap, position + 2)
            return "from" in gap or not counted
    return False


def itself(tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]) -> EntitySpan | None:
    """A team that plays against itself, where it is named the second time: on both sides of "against", "host", "beat",
    ... in one clause.

    "The Kings rest before they host the Kings" counts too: "they" are the team that the sentence began with. A place
    is no team: "to Cleveland to play the Cavaliers".
    """
    inside = [
        entity
        for entity in _within(entities, span)
        if entity.is_team and tokens[entity.start - 1 : entity.start] not in (["to"], ["in"], ["at"], ["from"])
    ]
    for left, right in zip(inside, inside[1:], strict=False):
        if left.index is None or left.index != right.index or left.end == right.start:
            continue
        gap = [token.lower() for token in tokens[left.end : right.start]]
        if left is inside[0] and "they" in gap:
            gap = gap[len(gap) - gap[::-1].index("they") :]
        if _meets(gap) and not _BREAKS.intersection(gap):
            return right
    return None


def _meets(words: list[str]) -> bool:
    takes_on = any(word in _TAKE_ON and after == "on" for word, after in zip(words, words[1:], strict=False))
    return takes_on or bool(_MEET.intersection(words))
