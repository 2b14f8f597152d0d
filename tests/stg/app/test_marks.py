"""Marks: which pieces of a text are facts, free or refuted, and what is said of the whole."""

import pytest

from modeling_stg.game_facts import GameFacts
from stg.app.links import Links
from stg.app.marks import find, marked_text, recap_marks, verdict
from stg.checking.alignment import recap_tokens
from stg.checking.checker import Checker
from stg.checking.report import check_report
from stg.extraction.loading import load_extractor


@pytest.fixture(scope="module")
def links(paper):
    return Links(0, GameFacts(paper))


@pytest.fixture(scope="module")
def check(links):
    checker = Checker(load_extractor())

    def check(text: str) -> dict:
        tokens = recap_tokens(text)
        return check_report(links.facts.game, text, tokens, checker.check(tokens, links.facts))

    return check


def token(text: str, entity: str | None = None, attribute: str | None = None, form: str | None = None) -> dict:
    """A token of a trace; `from` is left to the page."""
    return {"text": text, "entity": entity, "attribute": attribute, "form": form}


def looks(links, result: dict) -> list[tuple[str, str]]:
    return [(result["text"][mark.start : mark.end], mark.look) for mark in recap_marks(links, result)]


TRACED = [
    *(token("Giannis", "Giannis Antetokounmpo", "FIRST_NAME", "text"), token("scored")),
    *(token("27", "Giannis Antetokounmpo", "PTS", "digits"), token("of"), token("105"), token("and"), token("led")),
    *(token("by"), token("fourteen", "Knicks", "TEAM-LEAD_Q3", "word"), token("after"), token("three")),
    *(token("quarters"), token("on"), token("twelve"), token("threes"), token(".")),
]
TEXT = "Giannis scored 27 of 105 and led by fourteen after three quarters on twelve threes."


def test_what_was_copied_is_marked_and_other_numbers_are_free(links):
    traced = {"text": TEXT, "tokens": TRACED}
    assert looks(links, traced) == [
        *(("Giannis", "name"), ("27", "number"), ("105", "free"), ("fourteen", "computed"), ("twelve", "free")),
    ]
    said = verdict(traced, recap_marks(links, traced))
    assert "class='verdict fair'>2 numbers that nothing decides.<" in said and "refuted" not in said


def test_findings_correct_what_was_copied(links):
    finding = {"kind": "number", "claim": "x", "truth": None, "entity": None, "attribute": None, "from": None}
    findings = [
        finding | {"start": 15, "end": 17, "verdict": "false", "truth": "13"},
        finding | {"start": 21, "end": 24, "verdict": "true", "entity": "Bucks", "attribute": "TEAM-PTS"},
        finding | {"start": 29, "end": 32, "verdict": "true", "kind": "word"},
        finding | {"start": 36, "end": 44, "verdict": "unknown"},
    ]
    result = {"text": TEXT, "tokens": TRACED, "findings": findings}
    assert looks(links, result) == [
        *(("Giannis", "name"), ("27", "false"), ("105", "number"), ("fourteen", "computed"), ("twelve", "free")),
    ]
    assert "1 claim refuted, 1 number undecided." in verdict(result, recap_marks(links, result))


def test_checked_text_shows_truth_and_what_nothing_decides(links, check):
    text = "Carmelo Anthony had 31 points. He <b>smiled</b>. The Knicks used a 12-2 run and lost by one, 105-104."
    result = check(text)
    marks = recap_marks(links, result)
    assert {("31", "false"), ("12", "free"), ("2", "free"), ("105", "number"), ("104", "number")} <= set(
        looks(links, result)
    )
    html = marked_text(links, text, marks)
    assert "31</mark> <ins>30</ins>" in html and "&lt;b&gt;smiled" in html and "<b>" not in html
    said = verdict(result, marks)
    assert "1 claim refuted, 2 numbers undecided. <small>The checker reads no claim in 1 sentence.</small>" in said


def test_good_text_is_said_to_be_good_and_no_more(links, check):
    result = check("The Milwaukee Bucks beat the New York Knicks 105-104.")
    said = verdict(result, recap_marks(links, result))
    assert "class='verdict good'>Nothing refuted, and every number is a fact.</p>" in said
    assert "<span class='false'>0</span> refuted" in said


def test_name_is_found_however_it_is_spaced():
    assert find("at A&M 5", "A & M", 0) == (3, 6) and find("at Los Angeles", "Los Angeles", 2) == (3, 14)
    assert find("at A", "A & M", 0) == (-1, -1) == find("Los Pistons beat the Angeles", "Los Angeles", 0)
