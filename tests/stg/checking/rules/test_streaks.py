"""Streaks and recent records: the Knicks won on Saturday and have lost two in a row since."""

import pytest

from modeling_stg.season import Season
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import ANTHONY, BUCKS, WIZARDS, another


CASES = [
    ("The Knicks have now lost two of their last three games.", "two", TRUE, None),
    ("The Knicks have now won two of their last three games.", "two", FALSE, "1"),
    ("The Knicks have now lost two straight games.", "two", TRUE, None),
    ("The Knicks have now lost three straight games.", "three", FALSE, "2"),
    ("The Knicks have won nine of their last 40 games.", "nine", UNKNOWN, None),
    ("The Knicks had lost three straight games before this one.", "three", UNKNOWN, None),
    ("The Knicks are losers of two of their last three.", "two", TRUE, None),
    ("The Knicks are losers of two of their last three.", "three", TRUE, None),
    ("The Knicks have dropped two straight and two of their last three.", "three", TRUE, None),
    ("The Knicks have now lost two of their last three home games.", "two", UNKNOWN, None),
    ("The Knicks are now on a two-game skid.", "two", TRUE, None),
    ("The Knicks extended their losing streak to three games.", "three", FALSE, "2"),
    ("The Knicks have lost three straight on the road.", "three", UNKNOWN, None),
    ("The Hawks, who have won nine straight, were not impressed by the Knicks.", "nine", UNKNOWN, None),
    (ANTHONY + "The Knicks will look to end their two-game losing streak next.", "two", TRUE, None),
    (ANTHONY + "The Knicks will look to extend their losing streak to three games next.", "three", UNKNOWN, None),
    ("It was a second straight loss for the Knicks.", "second", TRUE, None),
    ("The Knicks had 18 turnovers and have lost two in a row.", "two", TRUE, None),
    ("The Bucks have lost two in a row.", "two", UNKNOWN, None),
    ("The Knicks lost their second straight.", "second", TRUE, None),
    ("The Knicks lost for the second time in a row.", "second", TRUE, None),
    ("The Knicks lost for the 3rd straight time.", "3rd", FALSE, "second"),
    ("The Knicks lost their fourth in a row.", "fourth", FALSE, "second"),
    ("The Knicks suffered their third straight loss.", "third", FALSE, "second"),
    ("The Bucks handed the Knicks their third consecutive defeat.", "third", FALSE, "second"),
    ("The Knicks look to avoid a third straight loss.", "third", None, None),
    ("It was their third straight loss at home for the Knicks.", "third", None, None),
    ("The Knicks lost their second game in three days.", "second", None, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_streaks_and_recent_records(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


def bucks_season(paper) -> Season:
    """The Bucks had won one and lost three before the paper's game, which they won."""
    days = (("01_02_17", 17, 16), ("12_30_16", 17, 15), ("12_28_16", 17, 14))
    lost = [another(paper, day, WIZARDS, BUCKS, ((20, 20), record), ("110", "90")) for day, *record in days]
    won = another(paper, "12_26_16", WIZARDS, BUCKS, ((20, 20), (17, 13)), ("90", "110"))
    return Season([*lost, won])


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The Bucks snapped a three-game losing streak.", TRUE),
        ("The win ended a three-game losing streak for the Bucks.", TRUE),
        ("The Bucks snapped a four-game losing streak.", FALSE),
        ("The Knicks snapped a three-game losing streak.", FALSE),  # of the Bucks
        ("The win ended a three-game losing streak for the Knicks.", FALSE),
        ("A fast start was enough for the Bucks, who beat the Knicks to end a three-game losing streak.", TRUE),
        ("The Bucks entered this one on a three-game losing streak.", TRUE),
        ("The Bucks had lost four straight coming in.", UNKNOWN),  # may be an older streak
        ("The Bucks snapped a four-game losing streak on Monday.", UNKNOWN),  # another game's
        ("The Bucks were looking to snap a four-game losing streak.", UNKNOWN),
        ("The Knicks were no match for the Bucks, who have lost two straight.", FALSE),
    ],
)
def test_streaks_that_this_game_ended(extractor, paper, game, text, verdict):
    findings = Checker(extractor, bucks_season(paper)).check(text, game)
    assert [finding.verdict for finding in findings if finding.kind == "number"] == [verdict]
    assert all(finding.fact for finding in findings if finding.verdict != UNKNOWN)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("The Bucks came in losers of three of their last four.", [TRUE, TRUE]),
        ("The Bucks came in losers of two of their last four.", [FALSE, UNKNOWN]),
        ("After a good start, the Bucks have lost three of their last five.", [TRUE, TRUE]),  # with this game
    ],
)
def test_recent_records_before_this_game(extractor, paper, game, text, verdicts):
    findings = Checker(extractor, bucks_season(paper)).check(text, game)
    assert [finding.verdict for finding in findings if finding.kind == "number"] == verdicts
