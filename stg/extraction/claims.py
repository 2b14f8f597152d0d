"""Claims in words that sanity scores count and the checker judges: who won, who led a team, who plays against whom."""

import itertools

from modeling_stg.numbers import read_number
from stg.extraction.candidates import EntitySpan


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


def _within(entities: list[EntitySpan], span: tuple[int, int]) -> list[EntitySpan]:
    return [entity for entity in entities if span[0] <= entity.start < span[1]]


def claimed_winner(tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]) -> tuple[int, int] | None:
    """The team (0 home, 1 visitor) that a sentence calls the winner, and the position of the deciding word.

    The winner is the first team named, unless the word means a defeat ("fell to", "were beaten by").
    """
    teams = [entity for entity in _within(entities, span) if entity.is_team and entity.index is not None]
    if not teams:
        return None
    first = teams[0].index
    other = next((team for team in teams if team.index != first), None)
    if first is None or other is None:
        return None
    between = [token.lower() for token in tokens[teams[0].end : other.start]]
    outcomes = _outcomes(between)
    if outcomes:
        position, won = outcomes[-1]
        is_passive = won and "by" in between[max(position, len(between) - 3) :]  # "were beaten by the"
        return first if won and not is_passive else 1 - first, teams[0].end + position
    after = _outcomes([token.lower() for token in tokens[other.end : span[1]]])
    if not after:
        return None
    position, won = after[0]
    return first if won else 1 - first, other.end + position


def _outcomes(words: list[str]) -> list[tuple[int, bool]]:
    """Positions of words for a victory (True) or a defeat, except earlier ones ("had won", "losing streak")."""
    outcomes = []
    for position, (word, after) in enumerate(itertools.pairwise([*words, ""])):
        earlier = (
            words[position - 1 : position] == ["had"] or after == "streak" or (word == "went" and after != "down")
        )
        if not earlier and (word in _WON or word in _LOST):
            inflicted = word == "loss" and {"handed", "dealt"}.intersection(words[:position])  # "handed a loss to"
            outcomes.append((position, word in _WON or bool(inflicted)))
    return outcomes


def claimed_leaders(
    tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]
) -> list[tuple[EntitySpan, EntitySpan]]:
    """Players of this game, each with the team that a sentence says he led.

    "<team> were led by <player>", "<player> led the <team>", "<player> was the high - point man for the <team>".
    """
    inside = _within(entities, span)
    claims = []
    for left, right in zip(inside, inside[1:], strict=False):
        if left.index is None or right.index is None or left.is_team == right.is_team:
            continue
        gap = [token.lower() for token in tokens[left.end : right.start]]
        if left.is_team:
            is_claim = _is_led_by(gap)
        else:
            tail = [word for word in gap if word not in ("the", "way", "for")]
            aside = gap[:1] == [","] and gap[1:2] != ["who"]  # "Irving , guarded by Rose , paced the Cavs"
            is_claim = (_LED.intersection(tail[-1:]) or (tail[-2:] in _LEADERS and "for" in gap[-2:])) and not aside
        if is_claim and len(gap) <= 12 and not {"but", "while", ";"}.intersection(gap):
            claims.append((right, left) if left.is_team else (left, right))
    return claims


def _is_led_by(gap: list[str]) -> bool:
    """ "were led by", but not "led by four after three quarters", nor ", led by", which may refer to either team."""
    for position, (word, after) in enumerate(zip(gap, gap[1:], strict=False)):
        if word in _LED and after == "by" and gap[position - 1 : position] != [","]:
            counted = position + 2 < len(gap) and read_number(gap, position + 2)
            return "from" in gap or not counted
    return False


def team_against_itself(tokens: list[str], span: tuple[int, int], entities: list[EntitySpan]) -> EntitySpan | None:
    """The second name of a team that is on both sides of "against", "host", "beat", ... in one clause.

    "The Kings rest before they host the Kings" counts too: "they" is the sentence's first team. A place is not a team:
    "to Cleveland to play the Cavaliers".
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
