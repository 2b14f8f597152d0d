"""Words that a result, a place or a schedule decides. The Bucks won at the Knicks, who play next on Friday."""

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import outcome_words, result
from tests.stg.checking.conftest import ANTHONY, FIRST


RULES = (
    outcome_words.host_and_visitor,
    outcome_words.placed_win,
    outcome_words.struggling,
    outcome_words.both_struggling,
    outcome_words.points_mark,
    result.teams_result,
)
CASES = [
    ("The Bucks stunned the host Knicks.", "host", TRUE, None),
    ("The Knicks met the host Bucks.", "host", FALSE, "visiting"),
    ("The Knicks lost to the visiting Bucks.", "visiting", TRUE, None),
    ("The Bucks were able to prevail with a huge road win.", "road", TRUE, None),
    ("The Bucks were able to prevail with a huge home win.", "home", FALSE, None),
    ("The Knicks collapsed in front of their home crowd.", "home", TRUE, None),
    ("The Bucks celebrated in front of their home crowd.", "home", FALSE, None),
    ("The Bucks have won, as they continue to struggle.", "struggle", FALSE, None),
    ("It was the first time Carmelo Anthony surpassed the 40-point mark this season.", "surpassed", FALSE, None),
    (ANTHONY + "The Bucks will look to get back on track on Friday.", "get back on track", FALSE, None),
    (ANTHONY + "The Knicks will look to get back on track on Friday.", "get back on track", TRUE, None),
    ("In a battle between two struggling teams, the Bucks won.", "struggling teams", FALSE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_outcome_words(apply_rules, text, piece, verdict, truth):
    assert (piece, verdict, truth) in apply_rules(RULES, FIRST + text)


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks, as they continue to struggle, fell again.",
        "Carmelo Anthony surpassed the 20-point mark again.",
        "The Bucks next meet the host Wizards on Friday.",
    ],
)
def test_what_only_looks_like_it(apply_rules, text):
    assert apply_rules(RULES, FIRST + text) == []


def test_back_to_back(verdict_on):
    """The Knicks' last game was on Monday, two days before, and their next is two days later."""
    piece = "back - to - back"
    assert verdict_on(FIRST + "The Knicks played in the second half of a back-to-back.", piece) == (FALSE, None)
    assert verdict_on(FIRST + "He is averaging 20 in the second half of a back-to-back.", piece) == (None, None)
