"""Words whose truth a fact decides: who won, who outscored whom, who trailed, the bench, home and road.

`claims_allowed` says which of these claims are true of a game's entities; `BoundWords` (claim_constraints.py) keeps
the word path from making the others. Words that only a record should state ("double - double", "team - high",
weekdays, other teams' names) are barred where the model has that record.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .fact_schema import BREAKS, PERIODS, TEAM_FACTS, WEEKDAY
from .game_facts import GameFacts
from .nba import SHORT_NAMES, TEAMS
from .schema import QUARTERS, WEEKDAYS


# Claims about the entity that a text is about, and the words that make them. A player stands for his team.
CLAIMS = {
    "won": (
        "beat beats bested blasted blitzed blew crushed cruised defeated defeating defeats demolished destroyed "
        "dismantled dispatched dominated downed edged escaped hammered outlasted overcame overpowered overwhelmed "
        "prevailed rallied rolled romped routed smashed stunned survived thrashed topped toppled triumphed trounced "
        "upended upset walloped won"
    ).split(),
    "lost": "fell lost losing succumbed dropped".split(),
    "outscored": "outscored outscoring outscore".split(),
    "trailed": "trailed trailing".split(),
    "bench": "bench reserve reserves".split(),
    "overtime": ["overtime"],
    "home": ["home"],
    "road": ["road"],
}
CLAIM_NAMES = tuple(CLAIMS)
# Only after these words, the last first, does a claim mean this game: "at home", "on the road"
CONTEXTS = {"home": ("at",), "road": ("the", "on")}
GROUPS_OF_WORDS = {
    **CLAIMS,
    "passive": "was were been being be by".split(),  # "were outscored": the claim is about the other team
    "leading": "led lead leads leading ahead advantage cushion outscored outscoring won".split(),
    "trailing": "trailed trailing trail behind down deficit lost outscored".split(),  # the last one after a passive
    "at": ["at"],
    "on": ["on"],
    "the": ["the"],
    "-": ["-"],
    "high": ["high"],
    "other": ["other"],
    "only": ["only"],
    "double": ["double"],
    "figures": ["figures", "digits"],
    "team": ["team", "game", "season"],
}
# A group of words, the words it may not follow (the last first), and the attribute that states the phrase instead.
# No fact says who has been named, so "the only other player in double figures" cannot be decided.
PHRASES = (
    ("high", ("-", "team"), "TEAM_HIGH_PTS"),
    ("other", ("only",), "TEAM-DOUBLE_FIGURES"),
)
LEAD_FACTS = frozenset(
    ["TEAM-WON_BY", *(f"TEAM-LEAD_{name}" for name in BREAKS), *(f"TEAM-WON_BY_{name}" for name in PERIODS)]
)
DEFICIT_FACTS = frozenset(
    ["TEAM-LOST_BY", *(f"TEAM-DEFICIT_{name}" for name in BREAKS), *(f"TEAM-LOST_BY_{name}" for name in PERIODS)]
)


# Refused after "lost" and after "won"
WIN_FACTS = frozenset(name for name in TEAM_FACTS if name.startswith(("TEAM-WIN_", "TEAM-WINS_")))
LOSS_FACTS = frozenset(name for name in TEAM_FACTS if name.startswith(("TEAM-LOSS_", "TEAM-LOSSES_")))
PLACE_RECORDS = ("TEAM-HOME_", "TEAM-ROAD_")  # after one of these, another place may not be stated
# Points of a part of the game -> the fact that its winner has and the one that its loser has
PERIOD_POINTS = {
    QUARTERS[0]: ("TEAM-LEAD_Q1", "TEAM-DEFICIT_Q1"),
    **{quarter: (f"TEAM-WON_BY_Q{n}", f"TEAM-LOST_BY_Q{n}") for n, quarter in enumerate(QUARTERS[1:], 2)},
    "TEAM-PTS_H1": ("TEAM-LEAD_H1", "TEAM-DEFICIT_H1"),
    "TEAM-PTS_H2": ("TEAM-WON_BY_H2", "TEAM-LOST_BY_H2"),
    "TEAM-PTS_AFTER_Q3": ("TEAM-LEAD_Q3", "TEAM-DEFICIT_Q3"),
    "TEAM-PTS_OT": ("TEAM-WON_BY_OT", "TEAM-LOST_BY_OT"),
}


# Words that may follow the number of a part of the game in its sentence, before the next number; others of
# PERIOD_WORDS may not: "a 7 - point lead after" ends in "three quarters" only for a lead after three quarters.
PERIOD_WORDS = frozenset("first second third fourth final three halftime half overtime".split())
_WORDS_OF_PERIOD = {
    "Q1": {"first"},
    "Q2": {"second"},
    "Q3": {"third", "three"},
    "Q4": {"fourth", "final"},
    "H1": {"first", "half", "halftime"},
    "H2": {"second", "half"},
    "OT": {"overtime"},
}
_BEHIND = frozenset("deficit fewer behind trailed".split())
_AHEAD = frozenset("lead more ahead advantage cushion led".split())


def words_barred_after(attribute: str) -> frozenset[str]:
    """Words that contradict a fact that has just been stated, until the next one or the end of the sentence."""
    barred: set[str] = set()
    part = attribute.rpartition("_")[2].replace("QTR", "Q")
    if (attribute in PERIOD_POINTS or attribute in LEAD_FACTS | DEFICIT_FACTS) and part in _WORDS_OF_PERIOD:
        barred |= PERIOD_WORDS - _WORDS_OF_PERIOD[part]
    if attribute in LEAD_FACTS:
        barred |= _BEHIND
    if attribute in DEFICIT_FACTS:
        barred |= _AHEAD
    for place, other in (("TEAM-HOME_", "road"), ("TEAM-ROAD_", "home")):
        barred |= {other} if attribute.startswith(place) else set()
    return frozenset(barred)


TIED = 9  # in `period_results`


def period_results(facts: GameFacts, team_attributes: Sequence[str]) -> np.ndarray:
    """By team and slot of points in a part of the game: 1 if the team won it, -1 if it lost it, TIED, else 0."""
    results = np.zeros((2, len(team_attributes)), dtype=np.int64)
    for team in (0, 1):
        for slot, attribute in enumerate(team_attributes):
            if attribute in PERIOD_POINTS:
                won, lost = (facts.get(team, name) is not None for name in PERIOD_POINTS[attribute])
                points, others = facts.value(team, attribute), facts.value(1 - team, attribute)
                results[team, slot] = TIED if points is not None and points == others else int(won) - int(lost)
    return results


def claims_allowed(facts: GameFacts, attributes: Sequence[str]) -> np.ndarray:
    """Which claims may be made about each entity, [E, CLAIMS, 2]: actively, and in the passive ("was outscored").

    What no fact decides is allowed. The next game counts for models whose attributes tell of it.
    """
    game = facts.game
    allowed = np.ones((len(game.entities), len(CLAIMS), 2), dtype=bool)
    by_team = [_of_team(facts, team, attributes) for team in (0, 1)]
    for position, entity in enumerate(game.entities):
        own = game.team_of(position)
        for index, name in enumerate(CLAIM_NAMES):
            if name == "bench":
                allowed[position, index] = facts.value(position, "ROLE") != "starter" if not entity.is_team else True
            else:
                allowed[position, index] = by_team[own][name], by_team[1 - own][name]
    return allowed


def _of_team(facts: GameFacts, team: int, attributes: Sequence[str]) -> dict[str, bool]:
    result, place = facts.value(team, "TEAM-RESULT"), facts.value(team, "TEAM-PLACE")
    next_place = facts.value(team, "TEAM-NEXT_PLACE") if "TEAM-NEXT_PLACE" in attributes else None
    has_line = all(facts.get(side, name) for side in (0, 1) for name in ("TEAM-PTS_H1", "TEAM-PTS_H2"))
    won_period = any(facts.get(team, name) for name in LEAD_FACTS)
    was_behind = any(facts.get(team, name) for name in DEFICIT_FACTS)
    return {
        "won": result != "lost",
        "lost": result != "won",
        "outscored": won_period or not has_line,
        "trailed": was_behind or not has_line,
        "overtime": facts.value(team, "TEAM-ENDED_IN") != "regulation",
        "home": "home" in (place, next_place),
        "road": "road" in (place, next_place),
    }


def barred_words(attributes: Sequence[str]) -> set[str]:
    """Words that a model with these attributes must leave to its records."""
    barred: set[str] = set()
    if "TEAM-NEXT_WEEKDAY" in attributes and WEEKDAY in attributes:
        barred.update(WEEKDAYS)
    if "TEAM-NEXT_OPPONENT" in attributes:
        names = {full.removeprefix(f"{city} ") for full, city in TEAMS.items()}
        barred.update(names | {short for name in names for short in SHORT_NAMES.get(name, ())} | set(TEAMS.values()))
    if "DOUBLE" in attributes:
        barred.update(("double-double", "triple", "triple-double"))
    return barred


def bound_token_ids(vocabulary: Mapping[str, int], attributes: Sequence[str]) -> dict[str, list[int]]:
    """Ids of every group of words, and of the `barred` ones, for a model with these attributes.

    A phrase that the model has no record for stays free: its group is empty.
    """
    groups = {name: _ids(vocabulary, words) for name, words in GROUPS_OF_WORDS.items()}
    for phrase, _, attribute in PHRASES:
        groups[f"{phrase} in a phrase"] = groups[phrase] if attribute in attributes else []
    barred = _ids(vocabulary, barred_words(attributes))
    # "double figures" stays a phrase of words, "double - double" is a record
    followed = groups["double"] if "DOUBLE" in attributes else []
    if not groups["figures"]:  # nothing could follow
        barred, followed = sorted({*barred, *followed}), []
    contradictions = {attribute: words_barred_after(attribute) for attribute in attributes}
    after = {f"after {attribute}": _ids(vocabulary, words) for attribute, words in contradictions.items() if words}
    return groups | after | {"double in double figures": followed, "barred": barred}


def _ids(vocabulary: Mapping[str, int], words: Iterable[str]) -> list[int]:
    """Ids of the words that the vocabulary has, also at the beginning of a sentence."""
    forms = {form for word in words for form in (word, word.capitalize())}
    return sorted(vocabulary[form] for form in forms if form in vocabulary)
