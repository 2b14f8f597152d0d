"""Mentions of computed facts, from the checker's true findings."""

import pytest

from modeling_stg.facts import Fact
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding
from stg.checking.mentions import fact_mentions
from tests.stg.checking.conftest import ANTHONY, FIRST


@pytest.fixture(scope="module")
def mentioned(extractor, game, season):
    """The mentions of a text: tokens, entity, attribute and form."""
    checker = Checker(extractor, Season(season))

    def mentioned(text: str) -> list[tuple[str, str, str, str]]:
        [recap] = checker.parse([tokenize(text)], [game])
        return [
            (
                " ".join(recap.tokens[mention.position : mention.position + mention.length]),
                game.entities[mention.fact.entity].name,
                mention.fact.attribute,
                mention.form,
            )
            for mention in fact_mentions(recap, checker.findings(recap))
        ]

    return mentioned


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Knicks took a 14-point lead into the fourth.", [("14", "Knicks", "TEAM-LEAD_Q3", "digits")]),
        ("The Bucks led by two after the first quarter.", [("two", "Bucks", "TEAM-LEAD_Q1", "word")]),
        ("The Bucks led by three after the first quarter.", []),  # false
        ("Greg Monroe had 15 points off the bench.", [("bench", "Greg Monroe", "ROLE", "text")]),
        (
            "Giannis Antetokounmpo had a double-double.",
            [("double - double", "Giannis Antetokounmpo", "DOUBLE", "text")],
        ),
        ("Carmelo Anthony had 30 points in the loss.", []),  # results are not stated
        ("The Knicks had 46 rebounds.", []),  # a cell
        (
            ANTHONY + "The Knicks will host the Atlanta Hawks on Friday.",
            [
                ("Atlanta", "Knicks", "TEAM-NEXT_CITY", "text"),
                ("Hawks", "Knicks", "TEAM-NEXT_OPPONENT", "text"),
                ("Friday", "Knicks", "TEAM-NEXT_WEEKDAY", "text"),
            ],
        ),
        ("The Knicks return home to host the Hawks.", [("home", "Knicks", "TEAM-NEXT_PLACE", "text")]),
    ],
)
def test_mentions_are_true_and_word_for_word(mentioned, text, expected):
    first = [
        ("Wednesday", "Knicks", "TEAM-WEEKDAY", "text"),
        ("Madison Square Garden", "Knicks", "TEAM-ARENA", "text"),
    ]
    assert mentioned(FIRST + text)[: len(first)] == first
    found = mentioned(FIRST + text)[len(first) :]
    assert [item for item in found if item in expected] == expected
    assert expected or not found


@pytest.mark.parametrize(
    ("written", "value", "form"),
    [
        ("52", "52", "digits"),
        ("two", "2", "word"),
        ("Two", "2", "word"),
        ("thirty", "30", None),  # words end at twenty
        ("052", "52", None),
        ("fifty - two", "52", None),  # three tokens
    ],
)
def test_forms_of_numbers(extractor, game, written, value, form):
    tokens = ["led", *written.split(), "points"]
    [recap] = Checker(extractor).parse([tokens], [game])
    finding = Finding(1, len(tokens) - 1, "number", TRUE, "", fact=Fact(0, "TEAM-PTS_H1", value))
    assert [mention.form for mention in fact_mentions(recap, [finding])] == ([form] if form else [])


def test_only_true_findings_are_mentioned(extractor, game):
    [recap] = Checker(extractor).parse([["52"]], [game])
    for verdict in (TRUE, FALSE, UNKNOWN):
        finding = Finding(0, 1, "number", verdict, "", fact=Fact(0, "TEAM-PTS_H1", "52"))
        assert len(fact_mentions(recap, [finding])) == (verdict == TRUE)
