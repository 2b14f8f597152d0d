"""A recap of a game with overtime tells of it."""

import copy

import pytest

from modeling_stg.game import Game
from stg.checking.overtime import with_overtime


WORDS = {"<PAD>": 0, "<SoD>": 2, "<EoD>": 3, ".": 4, "-": 5, "in": 6, "overtime": 7, "won": 8, "extra": 9}
HOME, VISITOR = 100, 101  # the teams' points


class Processor:
    class layout:
        pad_token_id, bos_token_id, eos_token_id = 0, 2, 3

    class tokenizer:
        @staticmethod
        def get_vocab():
            return WORDS

    def trace(self, rows, games):
        texts = {index: word for word, index in WORDS.items()}
        points = {HOME: "Knicks", VISITOR: "Bucks"}
        stated = {index: {"attribute": "TEAM-PTS", "entity": name, "text": "115"} for index, name in points.items()}
        none = {"attribute": None, "entity": None}
        return [[stated.get(token) or {**none, "text": texts[token]} for token in row] for row in rows]


@pytest.fixture
def overtime(paper) -> Game:
    return Game.from_json({**copy.deepcopy(paper), "feed": {"overtimes": 1}})


@pytest.mark.parametrize(
    "row, expected",
    [
        ([8, VISITOR, 5, HOME, 4, 8, 4, 3, 0], [8, VISITOR, 5, HOME, 6, 7, 4, 8, 4]),
        ([8, VISITOR, 5, HOME, 6, 7, 4, 3], [8, VISITOR, 5, HOME, 6, 7, 4]),
        ([8, VISITOR, 5, HOME, 4, 9, 4, 3], [8, VISITOR, 5, HOME, 4, 9, 4]),  # "the extra period"
        ([8, VISITOR, 5, VISITOR, 4, 3], [8, VISITOR, 5, VISITOR, 4]),  # no score
        ([8, 4, 3], [8, 4]),
    ],
)
def test_overtime_is_added_to_the_score_once(overtime, paper, row, expected):
    assert with_overtime([row], Processor(), [overtime]) == [expected]
    regulation = Game.from_json(paper)
    assert with_overtime([row], Processor(), [regulation]) == [[token for token in row if token not in (0, 3)]]
