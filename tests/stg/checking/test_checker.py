"""The checker: every rule on our own sentences about the paper's game, the sample league, annotated mistakes."""

import json
from collections import Counter

import pytest

from dataset_script import open_dataset
from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.extraction.candidates import number_spans


FIRST = "The Milwaukee Bucks edged the New York Knicks, 105-104, on Wednesday at Madison Square Garden. "
pytestmark = pytest.mark.filterwarnings("ignore::modeling_stg.game.GameWarning")  # scores of other games
ANTHONY, ROSE = "Carmelo Anthony led the Knicks with 30 points. ", "Derrick Rose scored 15 points. "


@pytest.fixture(scope="module")
def check(extractor, game, season):
    """The findings of a text as (piece of text, verdict, truth)."""
    checkers = {True: Checker(extractor, season), False: Checker(extractor)}

    def checked(text: str, with_season: bool = True) -> list[tuple[str, str, str | None]]:
        tokens = tokenize(text)
        findings = checkers[with_season].check(text, game)
        return [(" ".join(tokens[item.start : item.end]), item.verdict, item.truth) for item in findings]

    return checked


RULES = [
    # numbers of a player or a team
    ("Giannis Antetokounmpo had 27 points.", "27", TRUE, None),
    ("Giannis Antetokounmpo had 28 points.", "28", FALSE, "27"),
    ("Giannis Antetokounmpo had 27 points and a steal.", "a", TRUE, None),
    ("Jabari Parker had 15 points and a block.", "a", FALSE, "0"),
    ("Jason Terry had eight points and a pair of steals.", "pair", TRUE, None),
    ("Derrick Rose had 15 points and a pair of steals.", "pair", FALSE, "1"),
    ("Jabari Parker scored 15 points. He added four rebounds.", "four", TRUE, None),
    ("Jabari Parker scored 15 points. He added six rebounds.", "six", FALSE, "4"),
    ("Carmelo Anthony scored 30 points in 36 minutes.", "36", TRUE, None),  # 37, rounded down
    ("Carmelo Anthony scored 30 points in 31 minutes.", "31", FALSE, "37"),
    ("Carmelo Anthony had 12 points by halftime.", "12", UNKNOWN, None),
    ("The Knicks led by 14 points in the third quarter.", "14", UNKNOWN, None),
    # both teams
    (FIRST, "105", TRUE, None),
    (FIRST.replace("105-104", "105-99"), "99", FALSE, "104"),
    (FIRST.replace("edged", "lost to").replace("105-104", "104-105"), "105", TRUE, None),
    ("The Knicks were outscored by the Bucks 32-17 in the fourth quarter.", "32", TRUE, None),
    ("The Bucks outscored the Knicks 53-49 in the second half.", "49", FALSE, "52"),
    ("The Bucks outscored the Knicks 53-52 in the second half.", "53", TRUE, None),
    ("It was a one - point win for the Bucks.", "one", TRUE, None),
    ("It was a nine - point win for the Bucks.", "nine", FALSE, "1"),
    # names
    (FIRST, "Wednesday", TRUE, None),
    (FIRST.replace("Wednesday", "Friday"), "Friday", FALSE, "Wednesday"),
    (FIRST, "Madison Square Garden", TRUE, None),
    (FIRST.replace("Madison Square Garden", "Barclays Center"), "Barclays Center", FALSE, "Madison Square Garden"),
    (FIRST.replace("New York Knicks", "Milwaukee Bucks"), "Milwaukee Bucks", FALSE, "New York Knicks"),
    ("Ron Baker had 12 points.", "Ron Baker", FALSE, None),
    ("Carmelo Anthony led Milwaukee with 30 points.", "Milwaukee", FALSE, "New York"),
    ("Carmelo Anthony led the Bucks with 30 points.", "Bucks", FALSE, "Knicks"),
    ("Carmelo Anthony led the Knicks with 30 points.", "Knicks", TRUE, None),
    # words
    (FIRST, "edged", TRUE, None),
    (FIRST.replace("edged", "lost to"), "lost", FALSE, "Bucks won"),
    ("Carmelo Anthony scored 30 points in the win.", "win", FALSE, None),
    ("Carmelo Anthony had a double-double.", "double - double", TRUE, None),
    ("Derrick Rose had a double-double.", "double - double", FALSE, None),
    ("Derrick Rose nearly had a double-double.", "double - double", None, None),
    ("Greg Monroe scored 18 points off the bench.", "off the bench", TRUE, None),
    ("Derrick Rose scored 15 points off the bench.", "off the bench", FALSE, "started"),
    ("Derrick Rose led the team with 15 points.", "led", FALSE, "Carmelo Anthony"),
    ("Greg Monroe led the bench with 18 points.", "led", TRUE, None),
    ("The Knicks were led by Carmelo Anthony, who had 30 points.", "led", TRUE, None),
    ("Joakim Noah led the team with 16 rebounds.", "led", None, None),
    ("Carmelo Anthony had a game-high 30 points.", "game - high", TRUE, None),
    ("Derrick Rose had a team-high 15 points.", "team - high", FALSE, "30 is the most"),
    (ANTHONY + "Derrick Rose was next with 15 points.", "next", TRUE, None),
    (ANTHONY + "Courtney Lee was next with 11 points.", "next", FALSE, "Derrick Rose and Mindaugas Kuzminskas"),
    ("Derrick Rose was second on the team with 15 points.", "second", TRUE, None),
    ("Courtney Lee was second on the team with 11 points.", "second", FALSE, "fourth"),
    (ANTHONY + ROSE + "Courtney Lee was the only other starter in double figures.", "only other", TRUE, None),
    (ANTHONY + "Courtney Lee was the only other starter in double figures.", "only other", FALSE, "Derrick Rose"),
    ("The Knicks had four players score in double figures.", "four", TRUE, None),
    ("The Knicks had six players score in double figures.", "six", FALSE, "4"),
    # the season
    ("The Knicks have now lost two of their last three games.", "two", TRUE, None),
    ("The Knicks have now won two of their last three games.", "two", FALSE, "1"),
    ("The Knicks have now lost two straight games.", "two", TRUE, None),
    ("The Knicks have now lost three straight games.", "three", FALSE, "2"),
    (ANTHONY + "He has combined for 50 points over his last two games.", "50", TRUE, None),
    (ANTHONY + "He has combined for 60 points over his last two games.", "60", FALSE, "50"),
    (ANTHONY + "He is averaging 25 points over his last two games.", "25", TRUE, None),
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Friday.", "Atlanta Hawks", TRUE, None),
    (ANTHONY + "The Knicks next host the Boston Celtics on Friday.", "Boston Celtics", FALSE, "Atlanta Hawks"),
    (ANTHONY + "The Knicks next host the Atlanta Hawks on Sunday.", "Sunday", FALSE, "Friday"),
    (ANTHONY + "The Knicks travel to face the Atlanta Hawks on Friday.", "travel", FALSE, "at home"),
]


@pytest.mark.parametrize("text, piece, verdict, truth", RULES, ids=lambda value: str(value)[:40])
def test_rules(check, text, piece, verdict, truth):
    judged = [found[1:] for found in check(text) if found[0] == piece]
    assert judged == ([] if verdict is None else [(verdict, truth)])


NOTHING_FALSE = [
    "In New York on Wednesday, the Bucks beat the Knicks 105-104.",
    "In New York, the Bucks defeated the Knicks.",
    "The Knicks watched the Bucks win 105-104 on Wednesday.",
    "The New York Knicks led for most of the night, but the Milwaukee Bucks rallied to win 105-104.",
    "The Knicks blew a big lead at home as the Bucks won 105-104.",
    "The Knicks suffered a 105-104 defeat at the hands of the Bucks.",
    "The Knicks couldn't beat the Bucks.",
    "The Bucks did not lose to the Knicks.",
    "The Bucks avoided a loss to the Knicks, winning 105-104.",
    "The Knicks held a 14-point lead over the Bucks entering the fourth but collapsed, losing 105-104.",
    "The Knicks took a 14-point lead into the fourth against the Bucks, who rallied.",
    "The Knicks outscored the Bucks 35-21 in the third quarter.",
    "With the win, the Bucks moved to 18-16 while the Knicks fell to 16-19.",
    "The Bucks, who lost to the Wizards on Monday, beat the Knicks 105-104 on Wednesday.",
    "After losing to Washington, the Bucks beat the Knicks 105-104.",
    "Former Denver Nuggets star Carmelo Anthony scored 30 points in the Knicks' loss to the Bucks.",
    "The Bucks beat the Knicks 105-104 on Wednesday, two days after losing to the Thunder in Oklahoma City.",
    "The Bucks beat the Knicks 105-104 on Wednesday night and the teams meet again Friday in Milwaukee.",
    "Joakim Noah just missed a double-double with eight points and 16 rebounds.",
    "Joakim Noah finished two points away from a double-double.",
    "Joakim Noah missed a double-double by two points.",
    "Joakim Noah failed to record a double-double.",
    "Greg Monroe came close to a double-double.",
    "Carmelo Anthony threatened a triple-double with 30 points, 11 rebounds and seven assists.",
    "Carmelo Anthony scored 30 points but got little help off the bench.",
    "Jabari Parker scored 15 points, and off the bench Greg Monroe had 18.",
    "Greg Monroe, normally a starter, came off the bench.",
    "Greg Monroe is not a starter.",
    "Joakim Noah was first on the team with 16 rebounds.",
    "Brandon Jennings was second on the team with five assists.",
    "The Bucks won. On Monday, the Knicks suffered a 12-point loss to the Magic.",
    "The Bucks won. The Knicks had won at Barclays Center last month.",
    "The Bucks won. The Bucks beat the Nets at Barclays Center on Sunday.",
    "Mirza Teletovic made 3 of 8 three-pointers.",
    "Bucks 105, Knicks 104",
    "Final: Milwaukee 105, New York 104.",
    "The Knicks grabbed 46 boards compared to 42 for the Bucks.",
    "Giannis Antetokounmpo, 22, scored 27 points.",
    "Giannis Antetokounmpo, who averages 23 points, had 27.",
    "Giannis Antetokounmpo scored nine of his 27 points in the final six minutes.",
    "Derrick Rose missed 11 of 18 shots.",
    "The Bucks won. Carmelo Anthony had been scoring 35 in the loss to the Thunder on Monday.",
    "The Bucks trailed 52-50 late in the first half.",
    "The Knicks and Bucks were tied 52-52 at the half, but the Bucks won the second half 53-52.",
    "Bucks won the second half 53-52 with Giannis Antetokounmpo scoring.",
    ANTHONY + "The Bucks will visit the Wizards on Sunday before returning home to host the Spurs on Tuesday.",
    ANTHONY + "Coming off Wednesday's win, the Bucks will travel to face the Wizards on Sunday.",
    ANTHONY + "The Knicks will host the Hawks on Friday and the Pelicans on Monday.",
    ANTHONY + "The Hawks visit the Knicks next on Friday.",
    ANTHONY + "He will be back home on Friday when the Knicks face the Hawks.",
]


@pytest.mark.parametrize("text", NOTHING_FALSE)
def test_true_sentences_have_no_false_findings(check, text):
    assert [finding for finding in check(text) if finding[1] == FALSE] == []


@pytest.mark.parametrize(
    "text, false",
    [
        ("The Bucks (16-19) beat the Knicks (18-16).", ["16", "19", "18", "16"]),
        ("Derrick Rose and Courtney Lee had 15 points apiece.", ["15"]),
        ("The Bucks outrebounded the Knicks 46-42.", ["46", "42"]),
        ("The Bucks outscored the Knicks 17-32 in the fourth quarter.", ["17", "32"]),
    ],
)
def test_false_sentences_that_look_true(check, text, false):
    assert [part for part, verdict, _ in check(text) if verdict == FALSE] == false


def test_unreadable_numbers_are_unknown(check):
    unreadable = ("27.5", "1,000", "27pts", "9" * 30, "２７", "+12", "~27")
    text = f"He averaged {' points and '.join(unreadable)} in all."
    verdicts = {part: verdict for part, verdict, _ in check(text)}
    assert all(verdicts[token] == UNKNOWN for token in unreadable)


def without(paper, *columns, team=False) -> Game:
    """The paper's game with some cells N/A."""
    data = json.loads(json.dumps(paper))
    if team:
        for side in ("home_line", "vis_line"):
            data[side] |= {name: "N/A" for name in data[side] if name not in ("TEAM-NAME", "TEAM-CITY")}
    for column in columns:
        data["box_score"][column] = dict.fromkeys(data["box_score"][column], "N/A")
    return Game.from_json(data)


def test_missing_cells_decide_nothing(extractor, paper):
    checker = Checker(extractor)
    everything = " ".join(text for text, *_ in RULES)
    no_teams = checker.check(everything, without(paper, team=True))
    assert not [
        finding
        for finding in no_teams
        if finding.verdict == FALSE and "TEAM" in (finding.fact.attribute if finding.fact else finding.claim)
    ]
    first = checker.check(FIRST, without(paper, team=True))
    assert not [finding for finding in first if finding.claim.endswith("won")]
    columns = [
        name for name in paper["box_score"] if name not in ("PLAYER_NAME", "FIRST_NAME", "SECOND_NAME", "TEAM_CITY")
    ]
    no_players = checker.check(everything, without(paper, *columns))
    decided = [finding for finding in no_players if finding.verdict != UNKNOWN and finding.fact is not None]
    assert not [finding for finding in decided if finding.fact.entity > 1]


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (("REB", "AST"), "Giannis Antetokounmpo had a double-double with 27 points."),
        (("REB",), "Giannis Antetokounmpo had a game-high 13 rebounds."),
        (("START_POSITION",), "Greg Monroe had 18 points off the bench."),
    ],
)
def test_words_about_missing_cells_are_not_judged(columns, text, extractor, paper):
    def words(game):
        return [finding for finding in Checker(extractor).check(text, game) if finding.kind == "word"]

    assert not words(without(paper, *columns))
    assert words(Game.from_json(paper))


def test_correction_of_a_repeated_team_is_the_other_team(check):
    text = "The Milwaukee Bucks defeated the Bucks on Wednesday against the Knicks, 105-104."
    assert [truth for part, verdict, truth in check(text) if verdict == FALSE and part == "Bucks"] == ["Knicks"]


def test_numbers_above_a_hundred_in_words(check):
    text = "The Bucks defeated the Knicks, one hundred and five to one hundred four."
    assert not [part for part, verdict, _ in check(text) if verdict == FALSE]


def test_players_who_share_a_last_name(extractor, paper):
    """Two Plumlees: Miles, of the Bucks, and Marshall, of the Knicks, who did not play."""
    data = json.loads(json.dumps(paper))
    [marshall] = [key for key, name in data["box_score"]["PLAYER_NAME"].items() if name == "Marshall Plumlee"]
    for column in ("MIN", "PTS", "REB"):
        data["box_score"][column][marshall] = "7"
    for text, verdict in (("Plumlee had seven rebounds.", TRUE), ("Plumlee had nine rebounds.", FALSE)):
        [finding] = Checker(extractor).check(text, Game.from_json(data))
        assert finding.verdict == verdict


@pytest.mark.parametrize(
    "text", ["", ".", "a", "27", "Bucks", "- 27 -", "by", "led", "the only other", "🏀 27 🏀", "of 12", "next"]
)
def test_fragments_do_not_fail(check, text):
    check(text)


def test_endless_sentence_is_refused(check):
    with pytest.raises(
        StgError, match="60 names and 60 numbers, from 'Rose had 2 Rose had' on; end sentences with a full"
    ):
        check("Rose had 2 " * 60)


def test_season_claims_are_not_judged_without_a_season(check):
    text = ANTHONY + "The Knicks have now won nine of their last ten games and next host the Boston Celtics on Sunday."
    assert [finding for finding in check(text) if finding[1] == FALSE]
    assert not [finding for finding in check(text, with_season=False) if finding[1] == FALSE]


def test_season_does_not_skip_unknown_games(game, season):
    """The Bucks' 35th game is known, their 36th (after this one) is the Wizards'; the Knicks' 33rd is the oldest."""
    known = Season(season)
    assert known.next(game, 0).visitor.values["TEAM-NAME"] == "Hawks" and known.next(game, 0).day == "01_06_17"
    assert len(known.last(game, 0, 3)) == 3 and known.last(game, 0, 4) is None
    assert Season(season[1:]).next(game, 0) is None  # a game of another season has the same number


def test_every_number_of_the_sample_league_is_judged_and_true(extractor):
    """1,440 numbers with known cells, all but a few with slang ("one dime"), and no false name or word."""
    checker, counts = Checker(extractor), Counter()
    for row in open_dataset(config="sample", split="test"):
        findings = checker.check(row["summary"], row)
        positions = [position for finding in findings for position in range(finding.start, finding.end)]
        assert len(positions) == len(set(positions)) and positions == sorted(positions)
        numbers = [span.start for span in number_spans(row["summary"]) if span.text.lower() != "one"]
        assert set(numbers) <= {finding.start for finding in findings}
        by_position = {finding.start: finding.verdict for finding in findings}
        counts.update(by_position.get(mention["position"]) for mention in row["mentions"] if mention["form"] != "text")
        counts.update(("other", finding.verdict) for finding in findings if finding.kind != "number")
    assert counts[TRUE] >= 1430 and counts[FALSE] <= 2 and counts[UNKNOWN] <= 10
    assert counts["other", TRUE] > 200 and counts["other", FALSE] == 0
