"""Rules on the line score and on team totals, on our own sentences about the paper's game.

Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105.
"""

import copy

import pytest

from modeling_stg.game import Game
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules import line_score, team_totals
from stg.extraction.loading import load_extractor


pytestmark = pytest.mark.filterwarnings("ignore::modeling_stg.game.GameWarning")  # games that were changed
LINE_SCORE = (line_score.score_at_break, line_score.lead_at_break, line_score.quarter_margin, line_score.overtime)
TEAM_SHOTS = (team_totals.shots,)
FIRST = "The Milwaukee Bucks edged the New York Knicks, 105-104. "


@pytest.fixture(scope="module")
def names():
    return load_extractor().vocabulary.names


@pytest.fixture(scope="module")
def check(names, paper):
    """Runs rules on a text and returns (text, verdict, truth) of their findings."""

    def check(rules, text: str, game: dict = paper) -> list[tuple[str, str, str | None]]:
        recap = ParsedRecap(tokenize(text), Game.from_json(game), names, [])
        findings = [finding for rule in rules for finding in rule(recap, Season())]
        findings.sort(key=lambda finding: finding.start)
        return [(" ".join(recap.tokens[item.start : item.end]), item.verdict, item.truth) for item in findings]

    return check


@pytest.mark.parametrize(
    ("text", "number", "truth"),
    [
        ("The Bucks took a two-point lead into the second quarter.", "two", None),
        ("The Bucks led by two after the first quarter.", "two", None),
        ("The Bucks were up five points after one quarter.", "five", "2"),
        ("It was a ten-point lead at halftime.", "ten", "0"),
        ("The Knicks took a 14-point lead into the fourth quarter.", "14", None),
        ("The Knicks took a 12-point advantage heading into the fourth.", "12", "14"),
        ("The Bucks trailed by 14 entering the final period.", "14", None),
        ("They cut it to a four-point deficit at the end of the third quarter.", "four", "14"),
        ("The Bucks outscored the Knicks by 15 in the fourth quarter.", "15", None),
        ("The Bucks outscored the Knicks by nine points in the final frame.", "nine", "15"),
        ("New York won the third quarter by a 14-point margin.", "14", None),
        ("New York won the second quarter by 10.", "10", "2"),
    ],
)
def test_leads_and_margins(check, text, number, truth):
    expected = (number, "true" if truth is None else "false", truth)
    assert check(LINE_SCORE, FIRST + text) == [expected]


def test_scores_at_a_break(check):
    assert check(LINE_SCORE, FIRST + "They took an 87-73 lead into the fourth.") == [
        ("87", "true", None),
        ("73", "true", None),
    ]
    assert check(LINE_SCORE, FIRST + "They took a 64-52 lead into halftime.") == [
        ("64", "false", "52"),
        ("52", "true", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks led by as many as 16 points.",  # at any time of the game
        "The Knicks took a 16-point lead in the third quarter.",
        "Anthony led with ten points at the line.",
        "Last week the Bucks took a 30-point lead into the fourth.",  # another game
        "The Hawks had a 30-point lead at halftime against the Knicks.",
        "The Bucks will look for another ten-point lead at halftime.",
        "The Bucks outscored the Knicks by ten in the paint.",
    ],
)
def test_sentences_that_quarters_do_not_decide(check, text):
    assert check(LINE_SCORE, FIRST + text) == []


def test_overtime(check, paper):
    text = "The Milwaukee Bucks edged the New York Knicks, 105-104, in overtime."
    assert check(LINE_SCORE, text) == [("overtime", "false", None)]
    longer = copy.deepcopy(paper)
    longer["vis_line"]["TEAM-PTS_QTR4"] = "22"  # the other ten points came in overtime
    assert check(LINE_SCORE, text, longer) == [("overtime", "true", None)]
    assert check(LINE_SCORE, f"{FIRST}They had won in overtime before.") == []


def test_missing_quarters_decide_nothing(check, paper):
    bare = copy.deepcopy(paper)
    bare["home_line"]["TEAM-PTS_QTR2"] = "N/A"
    assert check(LINE_SCORE, f"{FIRST}It was a ten-point lead at halftime.", bare) == []


def shots(paper: dict, city: str, column: str) -> int:
    box = paper["box_score"]
    return sum(
        int(box[column][key]) for key, team in box["TEAM_CITY"].items() if team == city and box["MIN"][key] != "N/A"
    )


@pytest.mark.parametrize(
    ("shot", "phrase"), [("FG3", "long range"), ("FT", "the charity stripe"), ("FG", "the field")]
)
def test_shots_of_a_team(check, paper, shot, phrase):
    made, attempted = (shots(paper, "Milwaukee", f"{shot}{suffix}") for suffix in "MA")
    text = f"{FIRST}The Bucks went {{}}-of-{{}} from {phrase}."
    assert check(TEAM_SHOTS, text.format(made, attempted)) == [
        (str(made), "true", None),
        (str(attempted), "true", None),
    ]
    assert check(TEAM_SHOTS, text.format(made, attempted + 1)) == [
        (str(made), "true", None),
        (str(attempted + 1), "false", str(attempted)),
    ]
    assert [verdict for _, verdict, _ in check(TEAM_SHOTS, text.format(made + 1, attempted + 3))] == ["false"] * 2


def test_ambiguous_shots_are_not_judged(check, paper):
    knicks = "{}-of-{}".format(*(shots(paper, "New York", column) for column in ("FG3M", "FG3A")))
    for text in (
        f"New York struggled while the Bucks did not, hitting {knicks} from deep.",  # the other team may be meant
        "The Bucks' bench went 1-of-9 from deep.",
        "The Bucks saw Jabari Parker go 1-of-9 from deep.",
        "The Bucks went 9-of-10 from deep in the third quarter.",
        "The Bucks will go 9-of-10 from deep.",
    ):
        assert check(TEAM_SHOTS, FIRST + text) == []
    short = copy.deepcopy(paper)
    [melo] = [key for key, name in short["box_score"]["PLAYER_NAME"].items() if name == "Carmelo Anthony"]
    short["box_score"]["PTS"][melo] = "29"  # players are missing, or cells are wrong
    assert check(TEAM_SHOTS, f"{FIRST}The Knicks went 1-of-9 from deep.") != []
    assert check(TEAM_SHOTS, f"{FIRST}The Knicks went 1-of-9 from deep.", short) == []
