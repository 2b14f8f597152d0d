"""Facts as records: inputs, labels, provenance and every control work for them as for cells; off, nothing changes."""

import itertools

import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.fact_schema import FACT_KINDS, GROUPS, attribute_lists, is_stated
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.schema import PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES
from stg.dataset.reading import open_season
from tests.helpers import tiny_model
from tests.twins import decoding_twin as twin


SIZES = {**tiny_model.SIZES, **tiny_model.C_SIZES}
WAYS = [{}, {"do_sample": True, "temperature": 2.0}, {"num_beams": 3}]
LENGTH = 40


@pytest.fixture(scope="module")
def season():
    return open_season("sample")


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return tiny_model.league()


@pytest.fixture(scope="module")
def games(rows, season) -> list[GameFacts]:
    return [GameFacts(row, season) for row in rows]


@pytest.fixture(scope="module")
def processor(rows, season) -> StgProcessor:
    return StgProcessor.from_dataset(rows, min_count=1, facts=GROUPS, season=season)


@pytest.fixture(scope="module")
def model(processor) -> StgForDataToText:
    torch.manual_seed(1)
    model = StgForDataToText(processor.config(**SIZES)).eval()
    model.output.weight.data *= 4  # texts that do not settle on one word
    model.transition.bias.data += 1  # and that state many records
    return model


def stated(processor: StgProcessor, ids: torch.Tensor, games: list[GameFacts]) -> list[list[tuple[str, str]]]:
    """(entity, attribute) of every record stated."""
    return [
        [(token["entity"], token["attribute"]) for token in trace if token["entity"] is not None]
        for trace in processor.trace(ids, games)
    ]


def test_without_facts_the_inputs_are_the_papers(rows, games):
    plain = StgProcessor.from_dataset(rows)
    assert (tuple(plain.team_attributes), tuple(plain.player_attributes)) == (TEAM_ATTRIBUTES, PLAYER_ATTRIBUTES)
    assert attribute_lists(()) == (TEAM_ATTRIBUTES, PLAYER_ATTRIBUTES)
    for row, game in zip(rows[:4], games[:4], strict=True):
        with_season, without = (plain.encode(source, row["summary"], row["mentions"]) for source in (game, row))
        for name, array in without.items():
            assert (with_season[name] == array).all(), name
        cells = [
            [entity.values[name] for name in (TEAM_ATTRIBUTES if entity.is_team else PLAYER_ATTRIBUTES)]
            for entity in game.game.entities
        ]
        for position, values in enumerate(cells):
            assert without["record_mask"][position, : len(values)].tolist() == [value is not None for value in values]
            assert not without["record_mask"][position, len(values) :].any()


def test_groups_are_added_one_by_one(rows, season):
    """Each group adds its own attributes after the cells, in the order of the schema."""
    for groups in (("result",), ("line_score", "players"), GROUPS):
        processor = StgProcessor.from_dataset(rows[:4], facts=groups, season=season)
        attributes = (*processor.team_attributes, *processor.player_attributes)
        assert {FACT_KINDS[name].group for name in attributes if name in FACT_KINDS} == set(groups)
        assert tuple(processor.team_attributes[: len(TEAM_ATTRIBUTES)]) == TEAM_ATTRIBUTES


def test_only_facts_with_a_value_can_be_stated(processor, games):
    batch = processor(games[:6])
    for row, game in enumerate(games[:6]):
        for position, entity in enumerate(game.game.entities):
            attributes = processor.team_attributes if entity.is_team else processor.player_attributes
            for slot, attribute in enumerate(attributes):
                expected = game.get(position, attribute) is not None and is_stated(attribute)
                assert batch["record_mask"][row, position, slot] == expected, (entity.name, attribute)
            assert not batch["record_mask"][row, position, len(attributes) :].any()


def test_labels_state_facts_and_spell_the_summary(processor, rows, games):
    """A summary comes back token by token from its labels, and its facts with them."""
    kinds = set()
    for row, game in zip(rows, games, strict=True):
        labels = processor.encode(game, row["summary"], row["mentions"])["labels"].tolist()
        assert processor.batch_tokens([labels], [game]) == [row["summary"]]
        traced = stated(processor, [labels], [game])[0]
        assert traced == [(mention["entity"], mention["attribute"]) for mention in row["mentions"]]
        kinds |= {attribute for _, attribute in traced if attribute in FACT_KINDS}
    assert len(kinds) >= 14


def test_facts_that_a_model_does_not_read_stay_words(rows, games):
    """Also facts of the season without a season."""
    plain = StgProcessor.from_dataset(rows, facts=["players"])
    for row, game in zip(rows[:20], games[:20], strict=True):
        labels = plain.encode(game, row["summary"], row["mentions"])["labels"].tolist()
        traced = stated(plain, [labels], [game])[0]
        known = {*plain.team_attributes, *plain.player_attributes}
        expected = [mention for mention in row["mentions"] if mention["attribute"] in known]
        assert traced == [(mention["entity"], mention["attribute"]) for mention in expected]
    with_season = StgProcessor.from_dataset(rows, facts=["season"])
    row = next(row for row in rows if any("NEXT" in mention["attribute"] for mention in row["mentions"]))
    labels = with_season.encode(row, row["summary"], row["mentions"])["labels"].tolist()
    assert not [name for _, name in stated(with_season, [labels], [row])[0] if name in FACT_KINDS]


def test_trace_names_the_cells_behind_a_fact(processor, rows, games):
    """A lead is traced to quarters of this game, a streak to scores of other games with date and opponent."""
    names, others = set(), 0
    for row, game in zip(rows, games, strict=True):
        labels = processor.encode(game, row["summary"], row["mentions"])["labels"].tolist()
        for token in processor.trace([labels], [game])[0]:
            if token["attribute"] is None:
                assert token["from"] is None
                continue
            assert bool(token["from"]) == (token["attribute"] in FACT_KINDS and token["attribute"] != "TEAM-WEEKDAY")
            for cell in token["from"]:
                assert set(cell) in ({"entity", "attribute", "value"}, {*cell} | {"date", "opponent"})
                assert cell["attribute"] not in FACT_KINDS
                others += "date" in cell
            if "LEAD_" in (token["attribute"] or ""):
                names |= {cell["attribute"].removesuffix(cell["attribute"][-1]) for cell in token["from"]}
    assert names == {"TEAM-PTS_QTR"} and others > 100


def test_greedy_matches_the_twin_with_facts(processor, model, games, by_c_or_torch):
    together = model.generate(**processor(games[:12]), max_new_tokens=LENGTH)
    of_facts = 0
    for game, ids in zip(games[:12], together.tolist(), strict=True):
        alone = twin.ids(model.config, twin.write(model, processor([game]), 0, LENGTH))
        assert [token for token in ids if token != model.config.pad_token_id] == alone
        of_facts += sum(name in FACT_KINDS for _, name in stated(processor, [alone], [game])[0])
    assert of_facts > 10, "the texts state facts"


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_plans_and_demands_take_facts_by_name(way, processor, model, games):
    torch.manual_seed(0)
    game = next(game for game in games if game.get(0, "TEAM-LEAD_Q3") and game.get(0, "TEAM-NEXT_OPPONENT"))
    home = game.game.home.name
    plan = [home, f"{home}:LEAD_Q3", f"{home}:TEAM-PTS_H1", f"{home}:NEXT_OPPONENT"]
    ids = model.generate(**processor([game], plan=[plan]), max_new_tokens=LENGTH, avoid_repeats=True, **way)
    expected = ["TEAM-CITY", "TEAM-NAME", "TEAM-LEAD_Q3", "TEAM-PTS_H1", "TEAM-NEXT_OPPONENT"]
    assert [name for _, name in stated(processor, ids, [game])[0]] == expected
    demand = [f"{home}:NEXT_WEEKDAY", f"{home}:FG3M"]
    ids = model.generate(**processor([game], must_mention=[demand]), max_new_tokens=LENGTH, grounded_only=True, **way)
    assert {(home, "TEAM-NEXT_WEEKDAY"), (home, "TEAM-FG3M")} <= set(stated(processor, ids, [game])[0])


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_avoid_repeats_counts_facts(way, processor, games):
    """Where only facts of teams can be stated, each number is stated once."""
    torch.manual_seed(0)
    model, config = StgForDataToText(processor.config(**SIZES)).eval(), processor.layout
    model.transition.bias.data += 5  # hardly anything but records
    batch = processor(games[:4])
    is_fact = torch.tensor([name in FACT_KINDS and config.is_number(name) for name in processor.team_attributes])
    batch["record_mask"][:, 2:] = False
    batch["record_mask"] &= is_fact
    batch["entity_mask"][:, 2:] = False
    repeated = {}
    for avoid in (False, True):
        ids = model.generate(**batch, max_new_tokens=30, min_new_tokens=30, avoid_repeats=avoid, **way)
        of_games = stated(processor, ids, games[:4])
        repeated[avoid] = sum(len(records) - len(set(records)) for records in of_games)
        assert all(name in FACT_KINDS for records in of_games for _, name in records) and any(of_games)
    assert repeated[True] == 0 < repeated[False]


def test_grounded_only_leaves_no_number_that_is_not_a_fact(processor, model, games):
    ids = model.generate(**processor(games[:6]), max_new_tokens=80, grounded_only=True)
    for token in itertools.chain(*processor.trace(ids, games[:6])):
        assert token["attribute"] is not None or not any(letter.isdigit() for letter in token["text"])


def test_impossible_facts_are_refused_by_name(processor, games):
    game = next(game for game in games if game.get(0, "TEAM-LEAD_Q3"))
    visitor = game.game.visitor.name
    with pytest.raises(StgError, match=f"{visitor}'s TEAM-LEAD_Q3 is N/A in game"):
        processor([game], plan=[[f"{visitor}:LEAD_Q3"]])
    with pytest.raises(StgError, match="'TEAM-RESULT' is no attribute of a team"):
        processor([game], plan=[[f"{visitor}:RESULT"]])
    with pytest.raises(StgError, match="NEXT_OPPONENT is N/A"):
        processor([game.game], must_mention=[[f"{visitor}:NEXT_OPPONENT"]])  # no season
    with pytest.raises(StgError, match="give the game it is about, and the season it was written with"):
        slot = processor.team_attributes.index("TEAM-NEXT_OPPONENT")
        processor.decode([processor.layout.record_id(0, slot, False)], game.game)
