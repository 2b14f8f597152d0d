"""Pages: every stated fact leads to its cells, also a computed one, and hostile names stay text."""

import json
from html.parser import HTMLParser

import pytest

from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.schema import PLAYER_NUMBERS
from modeling_stg.season import Season
from stg.app.box_score import COLUMNS, box_score
from stg.app.links import CELL_MEANINGS, Links
from stg.app.page import check_page, recap_page
from tests.helpers import tiny_model


VOID = {"meta"}
HOSTILE = "<script>alert('x')</script>\"&'"


class Page(HTMLParser):
    """The elements that carry a fact: words of recaps, cells of box scores, rows of computed facts."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.words, self.cells, self.facts, self.text, self.tags = [], [], {}, [], "", []
        self.feed(text)
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append((tag, attributes.get("class", "")))
        if tag == "mark":
            self.words.append(attributes)
        elif "data-cell" in attributes and ("section", "box") in self.open:
            self.cells.setdefault(attributes["data-cell"], []).append(attributes.get("data-label"))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.text += data
        if ("table", "facts") in self.open and self.open[-1][0] == "td":
            self.facts.append(data)


@pytest.fixture(scope="module")
def processor():
    return StgProcessor.from_dataset(tiny_model.league(), facts=["result", "line_score", "players", "season"])


def written(processor, facts: GameFacts, records: list[tuple[int, str]]) -> dict:
    """A result of `stg generate` that states these records."""
    ids = []
    for entity, attribute in records:
        slots = processor.team_attributes if entity < 2 else processor.player_attributes
        ids.append(processor.layout.record_id(entity, slots.index(attribute), False))
    ids.append(processor.layout.eos_token_id)
    [tokens], [text] = processor.trace([ids], [facts]), processor.batch_decode([ids], [facts])
    return {"writer": "3", "text": text, "tokens": tokens}


def test_computed_fact_shows_its_formula_and_cells(processor, paper):
    facts = GameFacts(paper)
    page = Page(recap_page([facts], [written(processor, facts, [(0, "TEAM-LEAD_Q3"), (0, "TEAM-PTS")])]))
    lead, points = page.words
    assert lead["class"] == "computed" and lead["data-label"] == "Knicks · lead after three quarters: 87 - 73"
    sources = [f"0-{team}-TEAM-PTS_QTR{quarter}" for team in (0, 1) for quarter in (1, 2, 3)]
    assert lead["data-from"].split() == sources and lead["data-cell"] == "0-0-TEAM-LEAD_Q3"
    assert {*sources, "0-0-TEAM-PTS"} <= set(page.cells), "every word leads to cells of the box score"
    assert page.facts == ["Knicks", "lead after three quarters", "14", "87 - 73"]
    assert points["class"] == "number" and points["data-label"] == "Knicks · points: 104" and "data-from" not in points


def test_page_without_computed_facts_has_no_table_of_them(processor, paper):
    facts = GameFacts(paper)
    result = written(processor, facts, [(0, "TEAM-NAME"), (1, "TEAM-WEEKDAY"), (1, "TEAM-PTS")])
    page = Page(recap_page([facts], [result]))
    assert page.facts == [] and "computed fact" not in page.text
    assert [word["class"] for word in page.words] == ["name", "name", "number"]
    assert all(word["data-cell"] in page.cells for word in page.words), "the day in the heading is a cell too"


def test_computed_fact_is_listed_once(processor, paper):
    facts = GameFacts(paper)
    page = Page(recap_page([facts], [written(processor, facts, [(2, "DOUBLE"), (2, "DOUBLE")])]))
    name = facts.game.entities[2].name
    assert len(page.words) == 2 and page.facts[:3] == [
        name,
        "double figures in two columns, or three",
        "double-double",
    ]
    assert len(page.facts) == 4


def test_cells_of_other_games_are_named_but_not_linked(processor):
    games = [Game.from_json(row) for row in tiny_model.league()]
    season = Season(games)
    facts = next(known for game in games if (known := GameFacts(game, season)).get(0, "TEAM-WIN_STREAK"))
    page = Page(recap_page([facts], [written(processor, facts, [(0, "TEAM-WIN_STREAK")])]))
    [streak] = page.words
    assert streak["data-from"].split() == ["0-0-TEAM-PTS", "0-1-TEAM-PTS"]
    *_, points = (cell for cell in facts.get(0, "TEAM-WIN_STREAK").cells() if cell.other_game)
    assert f"{points.other_game.name} {points.value} PTS on {points.other_game.date}" in streak["data-label"]


def test_arithmetic_names_the_other_game(processor):
    games = [Game.from_json(row) for row in tiny_model.league()]
    facts = next(known for game in games if (known := GameFacts(game, Season(games))).get(0, "TEAM-LAST_RESULT"))
    own, other = facts.get(0, "TEAM-LAST_RESULT").cells()
    finding = {"start": 0, "end": 4, "text": "lost", "kind": "word", "verdict": "true", "claim": "lost", "truth": None}
    finding |= {"entity": facts.game.home.name, "attribute": "TEAM-LAST_RESULT"}
    page = Page(check_page([facts], [{"summary": "", "text": "lost", "findings": [finding]}]))
    [word] = page.words
    formula = f"result of the previous game: {own.value} - {other.value}"
    assert word["data-label"].startswith(f"lost · {formula} ({own.other_game.date}, ") and "data-from" not in word
    assert f"{other.other_game.name} against {own.other_game.name})" in word["data-label"]


def test_feed_facts_say_that_they_come_from_the_feed(paper):
    facts = GameFacts(paper | {"feed": {"attendance": 19812}})
    token = {"text": "19812", "entity": "Knicks", "attribute": "TEAM-ATTENDANCE", "value": "19812", "form": "digits"}
    result = {"writer": "3", "text": "19812", "tokens": [token | {"from": []}]}
    page = Page(recap_page([facts], [result]))
    assert page.words[0]["data-label"] == "Knicks · attendance: 19812, from the game's feed"


@pytest.mark.parametrize("with_sources", [False, True])
def test_checked_page_links_computed_facts(paper, with_sources):
    """`from` may be absent from a finding; then the page computes it."""
    facts = GameFacts(paper)
    finding = {"start": 0, "end": 2, "text": "13", "kind": "number", "verdict": "false", "claim": "Knicks: 13 LEAD_Q3"}
    finding |= {"truth": "14", "entity": "Knicks", "attribute": "TEAM-LEAD_Q3"}
    if with_sources:
        finding["from"] = [cell.to_json(facts.game) for cell in facts.get(0, "TEAM-LEAD_Q3").cells()]
    page = Page(check_page([facts], [{"summary": "1 false", "text": "13 up", "findings": [finding]}]))
    [word] = page.words
    assert word["class"] == "false" and len(word["data-from"].split()) == 6
    assert word["data-label"] == "false: Knicks: 13 LEAD_Q3 · lead after three quarters: 87 - 73 (should be: 14)"
    assert page.facts == ["Knicks", "lead after three quarters", "14", "87 - 73"] and "13 14 up" in page.text


def test_checked_page_lights_sources_of_claims_without_a_fact(paper):
    facts = GameFacts(paper)
    finding = {"start": 0, "end": 2, "text": "13", "kind": "number", "verdict": "false", "claim": "13 ahead"}
    finding |= {"truth": None, "entity": None, "attribute": None}
    elsewhere = {"entity": "Knicks", "attribute": "TEAM-PTS", "value": "99", "date": "2017-01-02", "opponent": "Magic"}
    here, nobody = [{"entity": name, "attribute": "TEAM-REB", "value": "9"} for name in ("Bucks", None)]
    finding["from"] = [elsewhere, here, nobody]
    page = Page(check_page([facts], [{"summary": "", "text": "13", "findings": [finding]}]))
    [word] = page.words
    assert word["data-from"] == "0-1-TEAM-REB" and "data-cell" not in word
    assert "0-1-TEAM-REB" in page.cells


def test_hostile_names_stay_text(processor, paper):
    game = json.loads(json.dumps(paper).replace('"New York"', json.dumps(HOSTILE)))
    for column in ("PLAYER_NAME", "FIRST_NAME", "SECOND_NAME"):
        game["box_score"][column]["0"] = f"{HOSTILE} Jr."
    game["home_name"] = game["home_line"]["TEAM-NAME"] = HOSTILE
    facts = GameFacts(game | {"game_id": HOSTILE})
    records = [(0, "TEAM-LEAD_Q3"), (0, "TEAM-NAME"), (2, "FIRST_NAME"), (2, "GAME_HIGH_PTS"), (2, "TEAM_HIGH_PTS")]
    result = written(processor, facts, [record for record in records if facts.get(*record)])
    text = recap_page([facts], [result])
    page = Page(text)
    assert page.tags.count("script") == 1 and "<script>alert" not in text
    assert len(page.words) >= 3 and HOSTILE in page.words[0]["data-label"] and HOSTILE in page.facts


def test_every_cell_is_in_the_box_score(paper):
    """Whatever a word states, it leads somewhere: each cell has its place, also those of players who did not play."""
    facts = GameFacts(paper)
    page = Page(f"<section class='box'>{box_score(Links(0, facts))}</section>")
    links = Links(0, facts)
    for fact in facts.game.facts():
        if fact.entity < 2 or facts.game.entities[fact.entity].did_play:
            assert links.id(fact.entity, fact.attribute) in page.cells, fact
    assert "0-0-TEAM-WEEKDAY" in page.cells and "Did not play: " in page.text
    assert page.cells["0-1-TEAM-FG3M"] == ["Bucks · team threes made: 1 + 1 + 0 + 0 + 1 + 3 + 0 + 2 and 2 more"]


def test_what_people_look_at_first_comes_first():
    assert [column.head for column in COLUMNS[:5]] == ["PTS", "REB", "AST", "STL", "BLK"]
    shown = [attribute for column in COLUMNS for attribute in column.attributes]
    assert sorted(shown) == sorted(PLAYER_NUMBERS), "every column of the box score, once"
    assert set(shown) <= set(CELL_MEANINGS)


@pytest.mark.filterwarnings("ignore::modeling_stg.errors.GameWarning")
def test_overtime_has_a_column(paper):
    game = json.loads(json.dumps(paper))
    assert "Final1234T" in Page(box_score(Links(0, GameFacts(game)))).text
    for line, points in (("home_line", "117"), ("vis_line", "112")):
        game[line]["TEAM-PTS"] = points
    game["vis_line"]["TEAM-PTS_QTR1"] = "26"  # 104 each after four quarters
    page = Page(f"<section class='box'>{box_score(Links(0, GameFacts(game)))}</section>")
    assert "Final1234OTT" in page.text and "0-0-TEAM-PTS_OT" in page.cells
