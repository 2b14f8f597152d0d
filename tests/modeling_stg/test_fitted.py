"""Printed tokens: articles, nouns and pronouns fitted to the facts."""

import pytest

from modeling_stg.facts import Fact, Token
from modeling_stg.game import Game
from modeling_stg.text import plain_letters
from modeling_stg.tracing import fitted, words_of


def text(game: Game, *words) -> str:
    """Numbers are stated facts: digits for an int, a word for a string that is one."""
    tokens = [
        Token(str(word), Fact(2, "PTS", str(word)), "digits") if isinstance(word, int) else Token(word)
        for word in words
    ]
    return " ".join(words_of(fitted(tokens, game)))


@pytest.fixture
def game(paper) -> Game:
    return Game.from_json(paper)


def test_nouns_agree_with_the_number_before_them(game):
    assert text(game, "had", 1, "steals", "and", 2, "block", ".") == "had 1 steal and 2 blocks ."
    assert text(game, "a", 18, "-", "point", "win") == "an 18 - point win"
    assert text(game, 1, "of", 8, "rebound") == "1 of 8 rebounds" and text(game, 3, "wins") == "3 wins"


def test_pronouns_of_the_wnba(game, paper):
    line = {**paper["home_line"], "TEAM-NAME": "Liberty"}
    liberty = Game.from_json({**paper, "home_name": "Liberty", "home_line": line})
    words = ("He", "said", "his", "team", "helped", "him", ".")
    assert text(liberty, *words) == "She said her team helped her ." and text(game, *words) == " ".join(words)


def test_plain_letters():
    assert [plain_letters(name) for name in ("Dončić", "Ömer Aşık", "Sørloth", "O'Neal")] == [
        *("Doncic", "Omer Asik", "Sorloth", "O'Neal"),
    ]
