"""Corrections of false numbers and names."""

from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.corrections import correct, replacement
from stg.checking.findings import FALSE, decide
from stg.checking.report import check_report


def test_corrections_replace_numbers_and_names(extractor, game, season):
    """Corrections keep the form of numbers and names; a sentence that would need rewriting stays."""
    checker = Checker(extractor, Season(season))
    text = (
        "The Milwaukee Bucks edged the New York Knicks, 105–99, on Friday at Barclays Center. "
        "Giannis Antetokounmpo had 28 points, six assists and two steals. "
        "Carmelo Anthony led Milwaukee with 30 points. Derrick Rose had a double-double. "
        "The Knicks next host the Boston Celtics on Sunday."
    )
    right = (
        "The Milwaukee Bucks edged the New York Knicks, 105–104, on Wednesday at Madison Square Garden. "
        "Giannis Antetokounmpo had 27 points, four assists and one steal. "
        "Carmelo Anthony led New York with 30 points. Derrick Rose had a double-double. "
        "The Knicks next host the Atlanta Hawks on Friday."
    )

    def report(recap: str) -> dict:
        return check_report(game, recap, tokenize(recap), checker.check(recap, game))

    assert report(text)["mended"] == right
    assert [finding["text"] for finding in report(right)["findings"] if finding["verdict"] == FALSE] == [
        "double-double"
    ]


def test_articles_and_plurals_agree_with_corrected_numbers():
    text = "A 12-point lead, an 8-0 run, a 19-point half. He had 1 steal and 5 blocks, a 4 point effort."
    placed = []
    for written, truth in {"12": "18", "8": "7", "19": "11", "1 ": "3", "5": "1", "4": "3"}.items():
        start = text.index(written)
        placed.append((start, start + len(written.strip()), decide("number", 0, 1, False, "", truth)))
    assert (
        correct(text, placed)
        == "An 18-point lead, a 7-0 run, an 11-point half. He had 3 steals and 1 block, a 3 point effort."
    )


def test_number_of_two_words_is_corrected():
    assert replacement(decide("number", 0, 1, False, "", "27"), "twenty-six") == "27"
