"""The group `result`, which the released weights read: its values, and that only the weekday can be stated."""

import json
from dataclasses import replace

import pytest
import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.fact_schema import WEEKDAY, is_stated
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor


@pytest.fixture(scope="module")
def game(root) -> Game:
    return Game.from_json(json.loads((root / "examples" / "bucks_at_knicks.json").read_text()))


@pytest.fixture(scope="module")
def row(game) -> dict:
    summary = "The Bucks beat the Knicks on Wednesday . A . B . C . They meet again on Wednesday .".split()
    mentions = [
        {"position": 1, "length": 1, "entity": "Bucks", "attribute": "TEAM-NAME", "form": "text"},
        {"position": 4, "length": 1, "entity": "Knicks", "attribute": "TEAM-NAME", "form": "text"},
        {"position": 6, "length": 1, "entity": "Knicks", "attribute": WEEKDAY, "form": "text"},
    ]
    return {**game.to_json(), "summary": summary, "mentions": mentions, "writer": 3}


def test_values_of_the_papers_game(game):
    """Bucks at Knicks, 105-104 on Wednesday 4 January 2017; the box score is the oracle."""
    facts = GameFacts(game)
    assert [facts.value(team, "TEAM-RESULT") for team in (0, 1)] == ["lost", "won"]
    assert [facts.value(team, "TEAM-MARGIN") for team in (0, 1)] == ["1", "1"]
    assert [facts.value(team, WEEKDAY) for team in (0, 1)] == ["Wednesday", "Wednesday"]
    half = int(game.home.values["TEAM-PTS_QTR1"]) + int(game.home.values["TEAM-PTS_QTR2"])
    other = int(game.visitor.values["TEAM-PTS_QTR1"]) + int(game.visitor.values["TEAM-PTS_QTR2"])
    assert facts.number(0, "TEAM-PTS_HALF") == half
    assert facts.value(0, "TEAM-HALF") == ("ahead" if half > other else "behind" if half < other else None)
    for quarter in ("QTR1", "QTR2", "QTR3", "QTR4"):
        scored, allowed = (int(team.values[f"TEAM-PTS_{quarter}"]) for team in game.entities[:2])
        expected = "won" if scored > allowed else "lost" if scored < allowed else None
        assert facts.value(0, f"TEAM-{quarter}") == expected
        assert (facts.get(0, f"TEAM-{quarter}") is None) == (facts.get(1, f"TEAM-{quarter}") is None)
    for position, player in enumerate(game.players, 2):
        team = game.team_of(position)
        assert facts.value(position, "RESULT") == facts.value(team, "TEAM-RESULT")
        assert facts.value(position, "TEAM_NAME") == game.entities[team].name
        mates = [mate for mate in game.players if mate.is_home == player.is_home and mate.values["PTS"] is not None]
        if player.values["PTS"] is None:
            assert facts.get(position, "RANK") is None and facts.get(position, "DOUBLES") is None
            continue
        better = sum(int(mate.values["PTS"]) > int(player.values["PTS"]) for mate in mates)
        equal = sum(mate.values["PTS"] == player.values["PTS"] for mate in mates)
        assert better < facts.number(position, "RANK") <= better + equal
        tens = [name for name in ("PTS", "REB", "AST", "STL", "BLK") if int(player.values[name]) >= 10]
        assert facts.number(position, "DOUBLES") == len(tens)


def test_facts_of_missing_cells_are_left_out(game):
    blank = replace(game.home, values={**game.home.values, "TEAM-PTS": None, "TEAM-PTS_QTR2": None})
    facts = GameFacts(replace(game, entities=(blank, *game.entities[1:])))
    for team in (0, 1):
        assert facts.get(team, "TEAM-RESULT") is None and facts.get(team, "TEAM-MARGIN") is None
    assert facts.get(0, "TEAM-PTS_HALF") is None and facts.get(1, "TEAM-PTS_HALF") is not None
    assert facts.get(0, "TEAM-HALF") is None


def test_only_the_weekday_can_be_stated(row):
    processor = StgProcessor.from_dataset([row], min_count=1, facts=["result"])
    batch = processor([row], [row["summary"]], [row["mentions"]])
    stated = [token for token in batch["labels"][0].tolist() if token >= processor.layout.vocab_size]
    assert [token["attribute"] for token in processor.trace([stated], [row])[0]] == ["TEAM-NAME", "TEAM-NAME", WEEKDAY]
    assert processor.decode([stated[-1]], row) == "Wednesday"
    for position in range(batch["record_mask"].shape[1]):
        slots = processor.team_attributes if position < 2 else processor.player_attributes
        mask = dict(zip(slots, batch["record_mask"][0, position].tolist(), strict=False))
        assert not any(mask[attribute] for attribute in slots if not is_stated(attribute))
        assert mask.get(WEEKDAY, True)
    with pytest.raises(StgError, match="'TEAM-RESULT' is no attribute of a team"):
        processor([row], plan=[["Bucks:TEAM-RESULT"]])
    assert processor([row], plan=[["Bucks:TEAM-WEEKDAY"]])["plan"].numel() == 1


def test_only_a_model_with_facts_reads_them(row):
    other = json.loads(json.dumps(row))
    for side, points in (("home", "105"), ("vis", "104")):  # the other team wins
        other[f"{side}_line"]["TEAM-PTS"] = points
    for facts in ([], ["result"]):
        processor = StgProcessor.from_dataset([row], min_count=1, facts=facts)
        config = processor.config(embedding_size=8, hidden_size=8, context_size=8, writer_size=8)
        assert (WEEKDAY in config.team_attributes) is bool(facts)
        torch.manual_seed(0)
        model = StgForDataToText(config).eval()
        encoded = [processor([game], [row["summary"]], [row["mentions"]]) for game in (row, other)]
        assert model(**encoded[0]).loss.item() != model(**encoded[1]).loss.item()
        inputs = [batch["value_ids"][0, 2:] for batch in encoded]  # players differ only in results
        assert torch.equal(*inputs) is not bool(facts)


def test_config_refuses_unknown_attributes():
    assert StgConfig(team_attributes=["TEAM-NAME", WEEKDAY]).num_slots >= 2
    with pytest.raises(Exception, match="team_attributes: .*'TEAM-LUCK'"):
        StgConfig(team_attributes=["TEAM-NAME", "TEAM-LUCK"])
