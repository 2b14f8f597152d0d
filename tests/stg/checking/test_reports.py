"""Reports: the documented format, the Python call, and many recaps in several processes."""

import json

import fastjsonschema
import pytest

from modeling_stg.game import read_games
from modeling_stg.game_facts import GameFacts
from stg.checking import report as report_module
from stg.checking.checker import Checker
from stg.checking.reports import check_recap, check_recaps
from stg.converters.shipped import ShippedSeasons


TEXT = "The Bucks beat the Knicks, 105–101, on “Wednesday”. Carmelo Anthony had 30 points and seven deflections."


@pytest.fixture(scope="module")
def validate(root):
    schema = json.loads((root / "stg" / "checking" / "report.schema.json").read_text())
    assert schema["properties"]["version"] == {"const": report_module.VERSION}
    return fastjsonschema.compile(schema)


@pytest.fixture(scope="module")
def example(root):
    return root / "examples" / "bucks_at_knicks.json"


def test_report_of_a_file(validate, example):
    report = check_recap(TEXT, example)
    validate(report)
    assert report["text"] == TEXT and report["mended"] == TEXT.replace("101", "104")
    for finding in report["findings"]:
        assert TEXT[finding["start"] : finding["end"]] == finding["text"] and 0 < finding["confidence"] <= 1
    by_text = {finding["text"]: finding for finding in report["findings"]}
    assert (by_text["101"]["verdict"], by_text["101"]["truth"], by_text["101"]["flagged"]) == ("false", "104", True)
    assert by_text["30"]["verdict"] == "true" and (by_text["30"]["entity"], by_text["30"]["attribute"]) == (
        "Carmelo Anthony",
        "PTS",
    )
    unknown = by_text["seven"]
    assert unknown["verdict"] == "unknown" and unknown["unknown_because"] in ("not checkable", "not understood")
    assert all(finding["rule"].count(".") == 1 for finding in report["findings"])


def test_the_season_comes_with_the_package(example):
    """The Knicks had lost five in a row and play the Bucks again on Friday."""
    text = "The Bucks beat the Knicks, 105-104. The Knicks have lost six games in a row and visit the Bucks on Friday."
    verdicts = {finding["text"]: finding["verdict"] for finding in check_recap(text, example)["findings"]}
    assert verdicts["six"] == "true" and verdicts["Friday"] == "true"


def test_schema_refuses_what_it_does_not_know(validate, example):
    report = check_recap(TEXT, example)
    for change in ({"version": 2}, {"more": 1}, {"findings": [{**report["findings"][0], "verdict": "perhaps"}]}):
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            validate({**report, **change})


def test_strict_and_lenient_change_only_what_is_flagged(example):
    reports = {mode: check_recap(TEXT, example, mode=mode) for mode in ("default", "strict", "lenient")}
    plain = [{**finding, "flagged": None} for finding in reports["default"]["findings"]]
    flagged = {}
    for mode, report in reports.items():
        assert [{**finding, "flagged": None} for finding in report["findings"]] == plain
        flagged[mode] = {finding["start"] for finding in report["findings"] if finding["flagged"]}
    assert flagged["strict"] <= flagged["default"] <= flagged["lenient"]


def test_processes_change_only_the_speed(extractor, root, validate):
    folder = root / "stg" / "data" / "recaps"
    games = read_games(folder / "development_games.json")[:18]
    texts = [json.loads(line)["text"] for line in (folder / "development.jsonl").read_text().splitlines()[:18]]
    season = ShippedSeasons()
    facts = [GameFacts(game, season) for game in games]
    checker = Checker(extractor)
    alone = list(check_recaps(checker, texts, facts))
    assert list(check_recaps(checker, texts, facts, processes=2)) == alone
    assert [report["game_id"] for report in alone] == [game.game_id for game in games]
    for report in alone:
        validate(report)
    assert alone[3] == check_recap(texts[3], facts[3])
