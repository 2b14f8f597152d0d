"""What quarters and sums of players decide, on sentences of our own about the paper's game.

Knicks 25, 27, 35, 17: 104. Bucks 27, 25, 21, 32: 105.
"""

import copy

import pytest

from modeling_stg.game import Game
from modeling_stg.text import tokenize
from stg.checking.line_score import line_score_findings
from stg.checking.reading import Reading
from stg.checking.team_shots import team_shot_findings
from stg.extraction.loading import load_extractor


pytestmark = pytest.mark.filterwarnings("ignore::modeling_stg.game.GameWarning")  # games that were changed
FIRST = "The Milwaukee Bucks edged the New York Knicks, 105-104. "


@pytest.fixture(scope="module")
def names():
    return load_extractor().vocabulary.names


@pytest.fixture(scope="module")
def told(names, paper):
    """(text, verdict, truth) of what a rule finds in a text."""

    def told(rule, text: str, game: dict = paper) -> list[tuple[str, str, str | None]]:
        reading = Reading(tokenize(text), Game.from_json(game), names, [])
        found = sorted(rule(reading), key=lambda each: each.start)
        return [(" ".join(reading.tokens[each.start : each.end]), each.verdict, each.truth) for each in found]

    return told


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
def test_leads_and_margins(told, text, number, truth):
    expected = (number, "true" if truth is None else "false", truth)
    assert told(line_score_findings, FIRST + text) == [expected]


def test_scores_at_a_break(told):
    assert told(line_score_findings, FIRST + "They took an 87-73 lead into the fourth.") == [
        ("87", "true", None),
        ("73", "true", None),
    ]
    assert told(line_score_findings, FIRST + "They took a 64-52 lead into halftime.") == [
        ("64", "false", "52"),
        ("52", "true", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The Knicks led by as many as 16 points.",  # at some time
        "The Knicks took a 16-point lead in the third quarter.",
        "Anthony led with ten points at the line.",
        "Last week the Bucks took a 30-point lead into the fourth.",  # another game
        "The Hawks had a 30-point lead at halftime against the Knicks.",
        "The Bucks will look for another ten-point lead at halftime.",
        "The Bucks outscored the Knicks by ten in the paint.",
    ],
)
def test_what_no_quarter_decides(told, text):
    assert told(line_score_findings, FIRST + text) == []


def test_overtime(told, paper):
    text = "The Milwaukee Bucks edged the New York Knicks, 105-104, in overtime."
    assert told(line_score_findings, text) == [("overtime", "false", None)]
    longer = copy.deepcopy(paper)
    longer["vis_line"]["TEAM-PTS_QTR4"] = "22"  # the other ten came later
    assert told(line_score_findings, text, longer) == [("overtime", "true", None)]
    assert told(line_score_findings, f"{FIRST}They had won in overtime before.") == []


def test_without_quarters_nothing_is_said(told, paper):
    bare = copy.deepcopy(paper)
    bare["home_line"]["TEAM-PTS_QTR2"] = "N/A"
    assert told(line_score_findings, f"{FIRST}It was a ten-point lead at halftime.", bare) == []


def shots(paper: dict, city: str, column: str) -> int:
    box = paper["box_score"]
    return sum(
        int(box[column][key]) for key, its in box["TEAM_CITY"].items() if its == city and box["MIN"][key] != "N/A"
    )


@pytest.mark.parametrize(("shot", "place"), [("FG3", "long range"), ("FT", "the charity stripe"), ("FG", "the field")])
def test_shots_of_a_team(told, paper, shot, place):
    made, tried = (shots(paper, "Milwaukee", f"{shot}{kind}") for kind in "MA")
    text = f"{FIRST}The Bucks went {{}}-of-{{}} from {place}."
    assert told(team_shot_findings, text.format(made, tried)) == [
        (str(made), "true", None),
        (str(tried), "true", None),
    ]
    assert told(team_shot_findings, text.format(made, tried + 1)) == [
        (str(made), "true", None),
        (str(tried + 1), "false", str(tried)),
    ]
    assert [verdict for _, verdict, _ in told(team_shot_findings, text.format(made + 1, tried + 3))] == ["false"] * 2


def test_shots_of_others(told, paper):
    knicks = "{}-of-{}".format(*(shots(paper, "New York", column) for column in ("FG3M", "FG3A")))
    for text in (
        f"New York struggled while the Bucks did not, hitting {knicks} from deep.",  # the other team may be meant
        "The Bucks' bench went 1-of-9 from deep.",
        "The Bucks saw Jabari Parker go 1-of-9 from deep.",
        "The Bucks went 9-of-10 from deep in the third quarter.",
        "The Bucks will go 9-of-10 from deep.",
    ):
        assert told(team_shot_findings, FIRST + text) == []
    short = copy.deepcopy(paper)
    [melo] = [key for key, name in short["box_score"]["PLAYER_NAME"].items() if name == "Carmelo Anthony"]
    short["box_score"]["PTS"][melo] = "29"  # players are missing, or cells are wrong
    assert told(team_shot_findings, f"{FIRST}The Knicks went 1-of-9 from deep.") != []
    assert told(team_shot_findings, f"{FIRST}The Knicks went 1-of-9 from deep.", short) == []
