"""Where a game was played, and records at home and on the road. The Bucks won in New York."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN
from tests.stg.checking.conftest import FIRST


CASES = [
    (FIRST + "It was an impressive road win.", "road", TRUE, None),
    (FIRST + "It was a tough loss at home for the Knicks.", "home", TRUE, None),
    ("The Milwaukee Bucks took a home win over the New York Knicks.", "home", FALSE, "on the road"),
    (FIRST + "The Knicks could not get the home win.", "home", None, None),
    (FIRST + "The Knicks have a home win streak.", "home", None, None),
    (FIRST + "The fans went home.", "home", None, None),
]
RECORDS = [
    ("The Knicks fell to 0-7 at home.", "7", TRUE, None),
    ("The Knicks are now 1-7 at home.", "1", FALSE, "0"),
    ("The Knicks are 0-7 in home games this season.", "7", TRUE, None),
    ("The Knicks are 0-6 in home games this season.", "6", FALSE, "7"),
    ("The Hawks beat the Knicks, who dropped to 0-6 at home.", "6", FALSE, "7"),
    ("The Knicks were 1-6 at home coming in.", "6", UNKNOWN, None),
    ("The Knicks lost 90-60 at home.", "60", UNKNOWN, None),  # points
    ("The Celtics are now 3-1 at home.", "3", UNKNOWN, None),
    ("The loss took their home record to 0-7.", "7", TRUE, None),
    ("The Knicks, 0-7 at home, shot poorly.", "7", TRUE, None),
    ("The Knicks, 0-6 at home, shot poorly.", "6", FALSE, "7"),
    ("The home record of the Knicks is 0-7.", "7", TRUE, None),
    ("The Knicks have a home record of 1-6.", "6", FALSE, "7"),
    ("The Hawks are 0-5 at home.", "5", UNKNOWN, None),  # no game at home is known
    ("The Knicks are winless in seven home games.", "seven", TRUE, None),
    ("The Knicks went 0-3 at home last month.", "3", UNKNOWN, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_where_the_game_was_won_or_lost(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), RECORDS)
def test_records_at_home_and_on_the_road(verdict_in_short_season, text, piece, verdict, truth):
    text = f"The Atlanta Hawks beat the New York Knicks. {text}"
    assert verdict_in_short_season(text, piece) == (verdict, truth)
