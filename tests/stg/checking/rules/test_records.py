"""Records of part of the season. The Knicks lost their first seven games, all at home, the last to the Hawks."""

import pytest

from stg.checking.findings import FALSE, TRUE, UNKNOWN


CASES = [
    ("The Knicks fell to 0-7.", "7", TRUE, None),
    ("The Knicks fell to 0-8.", "8", FALSE, "7"),
    ("The Hawks improved to 20-8.", "8", FALSE, "7"),
    ("The Knicks are 0-5 in their last five games.", "5", TRUE, None),
    ("The Knicks are 0-5 in their last five games.", "five", TRUE, None),
    ("The Knicks are 1-4 in their last five games.", "4", FALSE, "5"),
    ("The Knicks have gone 1-4 over their last five.", "1", FALSE, "0"),
    ("The Wizards are 1-4 in their last five games.", "4", UNKNOWN, None),
    ("The Knicks have 5 losses in their last five games.", "5", TRUE, None),
    ("The Knicks have four losses in their last five games.", "four", FALSE, "5"),
    ("The Knicks lost for the fifth time in five games.", "fifth", TRUE, None),
    ("The Knicks lost for the fourth time in five games.", "fourth", FALSE, "fifth"),
    ("The Knicks lost at home for the seventh time in seven games.", "seventh", TRUE, None),
    ("The Knicks lost at home for the sixth time in seven games.", "sixth", FALSE, "seventh"),
    ("The Knicks lost at home for the seventh time in eight games.", "eight", FALSE, "7"),
    ("It was the seventh home loss against zero wins for the Knicks.", "zero", TRUE, None),
    ("The Knicks are 0-1 against the Hawks this season.", "1", TRUE, None),
    ("The Knicks are 0-2 against the Hawks this season.", "2", FALSE, "1"),
    ("The Knicks are 1-0 against the Hawks this season.", "0", FALSE, "1"),
    ("The Hawks lead the season series 1-0.", "0", UNKNOWN, None),  # not all of their games are known
    ("The Knicks are 3-2 against the Jazz this season.", "2", UNKNOWN, None),
    ("The Knicks were 0-6 in their last six games.", "6", TRUE, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_records_of_part_of_the_season(verdict_in_short_season, text, piece, verdict, truth):
    text = f"The Atlanta Hawks beat the New York Knicks. {text}"
    assert verdict_in_short_season(text, piece) == (verdict, truth)
