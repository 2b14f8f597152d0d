"""Computed and season facts in the sample league's recaps: true, free of later games, varied, in fitting words."""

import re
from collections import Counter, defaultdict

import pytest

from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.numbers import WORDS
from modeling_stg.season import Season
from stg.dataset import open_dataset
from tests.stg.dataset.league_oracle import date, expected
from tests.stg.dataset.league_sentences import fits, sentence


SPLITS = ("train", "validation", "test")
LEAST_IN_TRAIN = 8
# Words that a fact decides: they may only stand where that fact is stated.
DECIDED = {
    "double - double": {"DOUBLE"},
    "triple - double": {"DOUBLE"},
    "team - high": {"TEAM_HIGH_PTS"},
    "game - high": {"GAME_HIGH_PTS"},
    "bench": {"ROLE"},
    "home": {"TEAM-PLACE", "TEAM-NEXT_PLACE"},
    "road": {"TEAM-PLACE", "TEAM-NEXT_PLACE"},
    **dict.fromkeys("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(), {"TEAM-WEEKDAY"}),
}
WEEKDAYS = {"TEAM-WEEKDAY", "TEAM-NEXT_WEEKDAY"}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[dict]]:
    return {split: list(open_dataset(config="sample", split=split)) for split in SPLITS}


@pytest.fixture(scope="module")
def rows(splits) -> list[dict]:
    return [row for split in SPLITS for row in splits[split]]


def facts_of(row: dict) -> list[dict]:
    return [mention for mention in row["mentions"] if mention["attribute"] in FACT_KINDS]


def words(row: dict, mention: dict) -> str:
    return " ".join(row["summary"][mention["position"] : mention["position"] + mention["length"]])


def stated(row: dict, mention: dict) -> str:
    """The stated value, a number word as digits."""
    text = words(row, mention)
    return str(WORDS[text]) if mention["form"] == "word" else text


def test_stated_facts_are_those_of_an_independent_computation(rows):
    checked = 0
    for row in rows:
        for mention in facts_of(row):
            assert stated(row, mention) == expected(rows, row, mention["entity"], mention["attribute"]), mention
            checked += 1
    assert checked > 3000


def test_every_kind_is_stated_often(splits):
    counts = {split: Counter(m["attribute"] for row in splits[split] for m in facts_of(row)) for split in SPLITS}
    kinds = set().union(*counts.values())
    assert len(kinds) >= 45
    for kind in kinds:
        assert counts["train"][kind] >= LEAST_IN_TRAIN, kind
        assert counts["validation"][kind] + counts["test"][kind] >= 1, kind
    by_writer = {
        writer: {m["attribute"] for row in splits["train"] if row["writer"] == writer for m in facts_of(row)}
        for writer in range(4)
    }
    assert min(map(len, by_writer.values())) >= 12


def test_facts_do_not_depend_on_later_games(rows):
    """Facts are the same when no later game has been played; only the next game needs the schedule."""
    ordered = sorted(rows, key=date)
    games = [Game.from_json(row) for row in ordered]
    for at in range(0, len(rows), 7):
        row, game = ordered[at], games[at]
        facts = GameFacts(game, Season(other for other in games if other.date <= game.date))
        for mention in facts_of(row):
            if not mention["attribute"].startswith("TEAM-NEXT_"):
                assert facts.value(game.position(mention["entity"]), mention["attribute"]) == stated(row, mention)


def test_facts_are_stated_with_one_value_per_text(rows):
    for row in rows:
        values = defaultdict(set)
        for mention in row["mentions"]:
            values[mention["entity"], mention["attribute"]].add(stated(row, mention))
        assert all(len(of_fact) == 1 for of_fact in values.values()), row["game_id"]


def test_words_that_a_fact_decides_are_mentions(rows):
    for row in rows:
        attributes = {mention["position"]: mention["attribute"] for mention in row["mentions"]}
        tokens = row["summary"]
        for phrase, allowed in DECIDED.items():
            length = len(phrase.split())
            for at in range(len(tokens) - length + 1):
                if " ".join(tokens[at : at + length]) == phrase:
                    assert attributes.get(at) in (WEEKDAYS if "TEAM-WEEKDAY" in allowed else allowed), (at, phrase)


def test_weekday_is_a_fact_of_the_team_named_last(rows):
    for row in rows:
        team = None
        for mention in row["mentions"]:
            if mention["attribute"] in ("TEAM-NAME", "TEAM-CITY"):
                team = mention["entity"]
            assert mention["attribute"] != "TEAM-WEEKDAY" or mention["entity"] == team


def test_words_around_a_fact_agree_with_it(rows):
    for row in rows:
        for mention in facts_of(row):
            text = sentence(row["summary"], mention["position"], mention["length"])
            assert fits(text, mention["attribute"]), (mention["attribute"], text)


def test_numbers_and_articles_agree(rows):
    for row in rows:
        text = " ".join(row["summary"])
        assert not re.search(r" (1|one) (\w+ )?(periods|steals|blocks|points|games|players|turnovers|assists) ", text)
        assert not re.search(r" (2|two|3|three) (steal|block|period) ", text)
        assert not re.search(r" a (8|11|18|8\d|eight|eleven|eighteen) ", text)
        assert not re.search(r" an (?!8 |11 |18 |8\d |eight|eleven|eighteen|assist|answer|average)", text), text
