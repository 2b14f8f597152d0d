"""Derived facts: correct values, only the weekday can be stated, and the model reads them."""

import json
from dataclasses import replace

import pytest
import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.facts import NEVER_STATED, WEEKDAY, weekday_mentions, with_derived_facts
from modeling_stg.game import Game
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
    ]
    return {**game.to_json(), "summary": summary, "mentions": mentions, "writer": 3}


def test_derived_values_of_the_papers_game(game):
    """Bucks at Knicks, 105-104 on Wednesday 4 January 2017; the box score is the oracle."""
    derived = with_derived_facts(game)
    home, visitor = (team.values for team in derived.entities[:2])
    assert (home["TEAM-RESULT"], visitor["TEAM-RESULT"]) == ("lost", "won")
    assert home["TEAM-MARGIN"] == visitor["TEAM-MARGIN"] == "1"
    assert home[WEEKDAY] == visitor[WEEKDAY] == "Wednesday"
    half = int(game.home.values["TEAM-PTS_QTR1"]) + int(game.home.values["TEAM-PTS_QTR2"])
    other = int(game.visitor.values["TEAM-PTS_QTR1"]) + int(game.visitor.values["TEAM-PTS_QTR2"])
    assert home["TEAM-PTS_HALF"] == str(half)
    assert home["TEAM-HALF"] == ("ahead" if half > other else "behind" if half < other else None)
    for quarter in ("QTR1", "QTR2", "QTR3", "QTR4"):
        scored, allowed = (int(team.values[f"TEAM-PTS_{quarter}"]) for team in game.entities[:2])
        assert home[f"TEAM-{quarter}"] == ("won" if scored > allowed else "lost" if scored < allowed else None)
        assert (home[f"TEAM-{quarter}"] is None) == (visitor[f"TEAM-{quarter}"] is None)
    for player in derived.players:
        team = derived.home if player.is_home else derived.visitor
        assert player.values["RESULT"] == team.values["TEAM-RESULT"] and player.values["TEAM_NAME"] == team.name
        mates = [mate for mate in game.players if mate.is_home == player.is_home and mate.values["PTS"] is not None]
        if player.values["PTS"] is None:
            assert player.values["RANK"] is None and player.values["DOUBLES"] is None
            continue
        better = sum(int(mate.values["PTS"]) > int(player.values["PTS"]) for mate in mates)
        equal = sum(mate.values["PTS"] == player.values["PTS"] for mate in mates)
        assert better < int(player.values["RANK"]) <= better + equal
        tens = [name for name in ("PTS", "REB", "AST", "STL", "BLK") if int(player.values[name]) >= 10]
        assert player.values["DOUBLES"] == str(len(tens))
    assert {entity.name for entity in derived.entities} == {entity.name for entity in game.entities}


def test_facts_of_missing_cells_are_left_out(game):
    blank = replace(game.home, values={**game.home.values, "TEAM-PTS": None, "TEAM-PTS_QTR2": None})
    derived = with_derived_facts(replace(game, entities=(blank, *game.entities[1:])))
    for team in derived.entities[:2]:
        assert team.values["TEAM-RESULT"] is None and team.values["TEAM-MARGIN"] is None
    assert derived.home.values["TEAM-PTS_HALF"] is None and derived.visitor.values["TEAM-PTS_HALF"] is not None
    assert derived.home.values["TEAM-HALF"] is None


def test_weekday_is_mentioned_in_the_body_but_not_in_the_closing(game, row):
    mentions = weekday_mentions(game, row["summary"], row["mentions"])
    assert [(mention["position"], mention["entity"]) for mention in mentions] == [(6, "Knicks")]
    moved = [token.replace("Wednesday", "Friday") for token in row["summary"]]
    assert weekday_mentions(game, moved, row["mentions"]) == []


def test_only_the_weekday_can_be_stated(row):
    processor = StgProcessor.from_dataset([row], min_count=1, derived=True)
    batch = processor([row], [row["summary"]], [row["mentions"]])
    stated = [token for token in batch["labels"][0].tolist() if token >= processor.layout.vocab_size]
    assert [token["attribute"] for token in processor.trace([stated], [row])[0]] == ["TEAM-NAME", "TEAM-NAME", WEEKDAY]
    assert processor.decode([stated[-1]], row) == "Wednesday"
    for position in range(batch["record_mask"].shape[1]):
        slots = processor.team_attributes if position < 2 else processor.player_attributes
        mask = dict(zip(slots, batch["record_mask"][0, position].tolist(), strict=False))
        assert not any(mask[attribute] for attribute in slots if attribute in NEVER_STATED)
        assert mask.get(WEEKDAY, True)
    with pytest.raises(StgError, match="'TEAM-RESULT' is no attribute of a team"):
        processor([row], plan=[["Bucks:TEAM-RESULT"]])
    assert processor([row], plan=[["Bucks:TEAM-WEEKDAY"]])["plan"].numel() == 1


def test_only_a_model_with_derived_facts_reads_them(row):
    other = json.loads(json.dumps(row))
    for side, points in (("home", "105"), ("vis", "104")):  # the other team wins
        other[f"{side}_line"]["TEAM-PTS"] = points
    for derived in (False, True):
        processor = StgProcessor.from_dataset([row], min_count=1, derived=derived)
        config = processor.config(embedding_size=8, hidden_size=8, context_size=8, writer_size=8)
        assert (WEEKDAY in config.team_attributes) is derived
        torch.manual_seed(0)
        model = StgForDataToText(config).eval()
        encoded = [processor([game], [row["summary"]], [row["mentions"]]) for game in (row, other)]
        assert model(**encoded[0]).loss.item() != model(**encoded[1]).loss.item()
        inputs = [batch["value_ids"][0, 2:] for batch in encoded]  # players differ only in derived results
        assert torch.equal(*inputs) is not derived


def test_config_refuses_unknown_attributes():
    assert StgConfig(team_attributes=["TEAM-NAME", WEEKDAY]).num_slots >= 2
    with pytest.raises(Exception, match="team_attributes: .*'TEAM-LUCK'"):
        StgConfig(team_attributes=["TEAM-NAME", "TEAM-LUCK"])
