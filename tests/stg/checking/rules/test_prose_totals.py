"""Numbers of the paper's game in running prose."""

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import prose_totals, team_pairs
from tests.stg.checking.conftest import FIRST


CASES = [
    ("The Knicks made 42 of 94 shots for 45 percent.", "42", TRUE, None),
    ("The Knicks made 42 of 93 shots for 45 percent.", "93", FALSE, "94"),
    ("The Bucks made 42 of 94 shots.", "42", FALSE, "37"),
    ("The Knicks shot 45 percent on 42-of-94.", "94", TRUE, None),
    ("The Knicks shot 45 percent to Milwaukee's 47.", "47", TRUE, None),
    ("The Knicks shot 45 percent to Milwaukee's 41.", "41", FALSE, "47"),
    ("The Bucks were 22-of-31 from the line, against 7-of-12 for New York.", "7", TRUE, None),
    ("The Bucks were 22-of-31 from the line, against 8-of-12 for New York.", "8", FALSE, "7"),
    ("From three-point range the Knicks were 13-of-28 and the Bucks only 9-of-28.", "9", TRUE, None),
    ("The Bucks missed nine of their 31 free throws.", "nine", TRUE, None),
    ("The Bucks missed seven of their 31 free throws.", "seven", FALSE, "9"),
    ("Carmelo Anthony missed 13 of his 23 shots.", "13", TRUE, None),
    ("Carmelo Anthony missed 10 of his 23 shots.", "10", FALSE, "13"),
    ("The Knicks hit 13 three-pointers to Milwaukee's nine.", "nine", TRUE, None),
    ("The Knicks hit 13 three-pointers to Milwaukee's eight.", "eight", FALSE, "9"),
    ("The Knicks made four more threes than the Bucks.", "four", TRUE, None),
    ("The Bucks made four more threes than the Knicks.", "four", FALSE, "4"),
    ("The Bucks blocked five shots and had seven steals.", "five", TRUE, None),
    ("The Bucks blocked six shots.", "six", FALSE, "5"),
    ("The Knicks turned the ball over 13 times.", "13", TRUE, None),
    ("The Knicks had a 46-42 edge in rebounds.", "46", TRUE, None),
    ("The Bucks had a 46-42 edge in rebounds.", "46", FALSE, "42"),
    ("The Bucks were outrebounded 46-42.", "42", TRUE, None),
    ("The Milwaukee bench outscored New York's 46-33.", "33", TRUE, None),
    ("The New York bench outscored Milwaukee's 46-33.", "46", FALSE, "33"),
    ("The Bucks got 46 points from their bench.", "46", TRUE, None),
    ("The Bucks got 44 points from their bench.", "44", FALSE, "46"),
    ("Both teams had 13 turnovers.", "13", TRUE, None),
    ("Both teams had 14 turnovers.", "14", FALSE, None),
    ("The Bucks held the Knicks to 45 percent from the field and 46 percent from deep.", "46", TRUE, None),
    ("The Knicks held the Bucks to 47 percent from the field and 46 percent from deep.", "46", FALSE, "32"),
    ("The Bucks were able to force the Knicks into 13 turnovers.", "13", TRUE, None),
    ("The Bucks were able to force the Knicks into 15 turnovers.", "15", FALSE, "13"),
    ("The Knicks were missing four of their five starters.", "five", "unknown", None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_numbers_in_prose(verdict_on, text, piece, verdict, truth):
    assert verdict_on(FIRST + text, piece) == (verdict, truth)


@pytest.mark.parametrize(("name", "verdict"), [("Courtney Lee", TRUE), ("Derrick Rose", FALSE)])
def test_no_turnover(check, name, verdict):
    assert ("a", verdict, None if verdict == TRUE else "5") in check(f"{FIRST}{name} played without a turnover.")


def test_parts_of_a_game_are_not_judged(apply_rules):
    rules = (team_pairs.comparisons, prose_totals.prose)
    assert not apply_rules(rules, f"{FIRST}The Knicks made 12 shots in the first quarter.")
