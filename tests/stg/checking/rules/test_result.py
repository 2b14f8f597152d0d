"""Who won, and words that fit only a winner or a loser."""

import pytest

from stg.checking.findings import FALSE, TRUE
from tests.stg.checking.conftest import FIRST


CASES = [
    (FIRST, "edged", TRUE, None),
    (FIRST.replace("edged", "lost to"), "lost", FALSE, "Bucks won"),
    ("Carmelo Anthony scored 30 points in the win.", "win", FALSE, None),
    ("Carmelo Anthony scored 30 points in the loss.", "loss", TRUE, None),
    (FIRST + "Carmelo Anthony had scored 20 points in the win over the Magic.", "win", None, None),
    (FIRST + "The Knicks will look to bounce back on Friday.", "bounce back", TRUE, None),
    (FIRST + "The Bucks will look to bounce back on Sunday.", "bounce back", FALSE, None),
    (FIRST + "The Bucks will look to build off this win on Sunday.", "win", TRUE, None),
    (FIRST + "The Knicks will look to build off this win on Friday.", "win", FALSE, None),
    (FIRST + "The Bucks saw the ball bounce off the rim.", "bounce", None, None),
    (FIRST + "It was a bounce back game for the Bucks.", "bounce back", None, None),
    ("Carmelo Anthony had 30 points. The bench was good in the win.", "win", None, None),
]


@pytest.mark.parametrize(("text", "piece", "verdict", "truth"), CASES)
def test_words_that_claim_a_result(verdict_on, text, piece, verdict, truth):
    assert verdict_on(text, piece) == (verdict, truth)


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_sentences_that_only_seem_to_name_the_wrong_winner(false_parts, text):
    assert false_parts(text) == []
