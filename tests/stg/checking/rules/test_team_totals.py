"""A team's rebounds, and the shots that its players add up to."""

import copy

import pytest

from stg.checking.findings import FALSE, TRUE
from stg.checking.rules import prose_totals, team_totals
from tests.stg.checking.conftest import FIRST


TEAM_SHOTS = (prose_totals.prose, team_totals.dashed_shots)
CASES = [
    (FIRST + "Rebounding decided it, with the Knicks winning that battle, 46-42.", "46", TRUE, None),
    (FIRST + "Rebounding decided it, with the Bucks winning that battle, 46-42.", "46", FALSE, "42"),
    (FIRST + "Turnovers decided it, with the Bucks winning that battle, 46-42.", "46", FALSE, "13"),
    (FIRST + "Defensive rebounding decided it, with the Bucks winning that battle, 39-31.", "39", "unknown", None),
    (FIRST + "The Knicks recorded nine steals.", "nine", TRUE, None),
    (FIRST + "The Bucks allowed 15 offensive rebounds.", "15", TRUE, None),
    (FIRST + "The Knicks hit 13 three-pointers.", "13", TRUE, None),
    (FIRST + "The Knicks hit 11 three-pointers.", "11", FALSE, "13"),
    (FIRST + "The Knicks saw Derrick Rose record nine steals.", "nine", FALSE, "1"),
    (FIRST + "The Knicks outrebounded the Bucks by four.", "four", TRUE, None),
    (FIRST + "The Knicks outrebounded the Bucks by nine.", "nine", FALSE, "4"),
    (FIRST + "The Knicks outrebounded the Bucks by nine offensive boards.", "nine", "unknown", None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_rebounding_battles(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


def shots(paper: dict, city: str, column: str) -> int:
    box = paper["box_score"]
    return sum(
        int(box[column][key]) for key, team in box["TEAM_CITY"].items() if team == city and box["MIN"][key] != "N/A"
    )


@pytest.mark.parametrize(
    ("shot", "phrase"), [("FG3", "deep"), ("FG3", "beyond the arc"), ("FT", "the line"), ("FG", "the field")]
)
def test_shots_with_a_dash(apply_rules, paper, shot, phrase):
    made, attempted = (shots(paper, "Milwaukee", f"{shot}{suffix}") for suffix in "MA")
    text = f"{FIRST}Milwaukee was {{}}-{{}} from {phrase}."
    right = [(str(made), "true", None), (str(attempted), "true", None)]
    assert apply_rules(TEAM_SHOTS, text.format(made, attempted)) == right
    wrong = [(str(made + 1), "false", str(made)), right[1]]
    assert apply_rules(TEAM_SHOTS, text.format(made + 1, attempted)) == wrong
    assert apply_rules(TEAM_SHOTS, text.format(made, attempted).replace("Milwaukee was", "Derrick Rose was")) == []


@pytest.mark.parametrize(
    ("shot", "phrase"), [("FG3", "long range"), ("FT", "the charity stripe"), ("FG", "the field")]
)
def test_shots_of_a_team(apply_rules, paper, shot, phrase):
    made, attempted = (shots(paper, "Milwaukee", f"{shot}{suffix}") for suffix in "MA")
    text = f"{FIRST}The Bucks went {{}}-of-{{}} from {phrase}."
    assert apply_rules(TEAM_SHOTS, text.format(made, attempted)) == [
        (str(made), "true", None),
        (str(attempted), "true", None),
    ]
    assert apply_rules(TEAM_SHOTS, text.format(made, attempted + 1)) == [
        (str(made), "true", None),
        (str(attempted + 1), "false", str(attempted)),
    ]
    both_wrong = apply_rules(TEAM_SHOTS, text.format(made + 1, attempted + 3))
    assert [verdict for _, verdict, _ in both_wrong] == ["false", "false"]


def test_ambiguous_shots_are_not_judged(apply_rules, paper):
    for text in (
        "The Bucks' bench went 1-of-9 from deep.",
        "The Bucks went 9-of-10 from deep in the third quarter.",
        "The Bucks will go 9-of-10 from deep.",
    ):
        assert apply_rules(TEAM_SHOTS, FIRST + text) == []
    short = copy.deepcopy(paper)
    [melo] = [key for key, name in short["box_score"]["PLAYER_NAME"].items() if name == "Carmelo Anthony"]
    short["box_score"]["PTS"][melo] = "29"  # players are missing, or cells are wrong
    assert apply_rules(TEAM_SHOTS, f"{FIRST}The Knicks went 1-of-9 from deep.") != []
    assert apply_rules(TEAM_SHOTS, f"{FIRST}The Knicks went 1-of-9 from deep.", short) == []
