"""Annotation by the checker: facts that a summary states, and sentences that no fact explains."""

import pytest

from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.annotator import Annotator
from stg.dataset.reading import open_dataset, open_season


@pytest.fixture(scope="module")
def annotate(extractor, paper):
    """(tokens, entity, attribute) of the facts in a text about the paper's game, and its unexplained sentences."""

    def annotate(text: str):
        tokens = tokenize(text)
        [columns] = Annotator(extractor, Season()).annotate_rows([{**paper, "summary": tokens}])
        stated = [
            (" ".join(tokens[m["position"] : m["position"] + m["length"]]), m["entity"], m["attribute"])
            for m in columns["mentions"]
        ]
        marked = [(" ".join(tokens[s["start"] : s["end"]]), s["reasons"]) for s in columns["unexplained"]]
        return stated, marked

    return annotate


def test_computed_facts_are_mentions(annotate):
    stated, marked = annotate(
        "The Milwaukee Bucks defeated the New York Knicks, 105-104, on Wednesday. Greg Monroe had 18 points off the "
        "bench. Giannis Antetokounmpo recorded a double-double with 27 points and 13 rebounds."
    )
    assert ("Wednesday", "Knicks", "TEAM-WEEKDAY") in stated
    assert ("bench", "Greg Monroe", "ROLE") in stated
    assert ("double - double", "Giannis Antetokounmpo", "DOUBLE") in stated
    assert ("105", "Bucks", "TEAM-PTS") in stated and ("18", "Greg Monroe", "PTS") in stated, "cells stay cells"
    assert not marked


def test_false_claims_are_no_mentions(annotate):
    stated, marked = annotate(
        "The Bucks beat the Knicks, 105-104, on Friday. Jabari Parker had 15 points off the bench. Greg Monroe "
        "recorded a double-double with 18 points and nine rebounds."
    )
    assert not [attribute for _, _, attribute in stated if attribute in FACT_KINDS]
    assert ["false"] in [reasons for _, reasons in marked]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The Knicks opened the game on a 13-2 run.", "run"),
        ("Milwaukee tied it with 43 seconds left.", "clock"),
        ("Carmelo Anthony missed three games with a sore knee.", "injury"),
        ('"We fought hard," said the coach.', "quote"),
        ("The win keeps them in the hunt for the eighth seed.", "standings"),
        ("It was a new career best for the guard.", "history"),
        ("The Knicks will host the Celtics next.", "name"),
        ("Carmelo Anthony scored 31 points.", "false"),
        ("They traded 43 elbows.", "number"),
    ],
)
def test_what_no_fact_explains_is_marked_with_its_reason(sentence, reason, annotate):
    opening = "The Bucks beat the Knicks, 105-104, on Wednesday."
    _, marked = annotate(f"{opening} {sentence}")
    [(_, reasons)] = marked
    assert reason in reasons


def test_plain_sentences_are_not_marked(annotate):
    _, marked = annotate("The Bucks beat the Knicks, 105-104. It was a fine game. Derrick Rose had a steal.")
    assert marked == []


def test_sample_league_is_found_again(extractor):
    """Against mentions known by construction: cells nearly all, computed facts never wrongly, many of them."""
    rows = list(open_dataset(config="sample", split="validation"))
    season = open_season("sample")
    columns = Annotator(extractor, season).annotate_rows(rows)
    found = known = right = 0
    for row, annotation in zip(rows, columns, strict=True):
        truth = {(m["position"], m["entity"], m["attribute"]) for m in row["mentions"]}
        computed = [m for m in annotation["mentions"] if m["attribute"] in FACT_KINDS]
        found += len(computed)
        right += sum((m["position"], m["entity"], m["attribute"]) in truth for m in computed)
        known += sum(attribute in FACT_KINDS for _, _, attribute in truth)
        facts = GameFacts(row, season)
        for mention in annotation["mentions"]:
            assert facts.get(facts.game.position(mention["entity"]), mention["attribute"]) is not None
    assert right / found > 0.95 and found / known > 0.4
