"""Controls: every demand is met, and impossible ones are refused by name."""

import itertools
import json

import pytest
import torch

from modeling_stg.constraint_list import ConstraintList
from modeling_stg.controls import check_demands, number_words
from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.game_facts import as_facts
from modeling_stg.schema import NUMBER_ATTRIBUTES
from modeling_stg.word_constraints import ImmediateRepeats, PlayerUnits
from tests.helpers import tiny_model


LENGTH = 60
WAYS = [{}, {"do_sample": True, "temperature": 2.0}, {"num_beams": 3}]


@pytest.fixture(scope="module")
def rows():
    return tiny_model.league()[:4]


def stated(processor, sequences, rows) -> list[list[tuple[str, str]]]:
    return [
        [(token["entity"], token["attribute"]) for token in tokens if token["entity"] is not None]
        for tokens in processor.trace(sequences, rows)
    ]


def players(row) -> list[str]:
    return [player.name for player in Game.from_json(row).players if player.did_play]


def followed(tokens):
    """(player, number, next word other than a hyphen) for every number of a player."""
    for position, token in enumerate(tokens[:-1]):
        if token["form"] in ("digits", "word") and not token["attribute"].startswith("TEAM"):
            after = tokens[position + 1 : position + 3]
            after = after[1:] if after[0]["text"] == "-" and after[0]["entity"] is None else after
            if after and after[0]["entity"] is None:
                yield token["entity"], token["text"], after[0]["text"]


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_avoid_repeats(way, model, processor, rows):
    torch.manual_seed(0)
    batch = processor(rows)
    plain = stated(processor, model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, **way), rows)
    careful = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, avoid_repeats=True, **way)
    for row, tokens in zip(rows, processor.trace(careful, rows), strict=True):
        for _, sentence in itertools.groupby(tokens, lambda token: token["text"] == "."):
            names = [token["text"] for token in sentence if token["attribute"] in (None, "TEAM-NAME")]
            assert all(names.count(row[field]) <= 1 for field in ("home_name", "vis_name"))
        units = list(followed(tokens))
        assert len(units) == len(set(units))
    for tokens in processor.trace(careful, rows):
        finished, current = set(), None  # players whose points are stated
        for _, sentence in itertools.groupby(tokens, lambda token: token["text"] == "."):
            in_sentence = set()
            for entity, attribute in ((token["entity"], token["attribute"]) for token in sentence if token["entity"]):
                assert entity not in finished or entity in in_sentence or entity == current
                in_sentence, current = {*in_sentence, entity}, entity
                finished |= {entity} if attribute == "PTS" else set()
    for records in stated(processor, careful, rows):
        numbers = [record for record in records if record[1] in NUMBER_ATTRIBUTES]
        assert len(numbers) == len(set(numbers))
    if not way:
        repeats = [len(records) - len(set(records)) for records in plain]
        assert any(repeats), "the test must be able to fail"


def test_player_units_block_the_same_word_after_the_same_number():
    config = tiny_model.random_model().config
    steals, blocks = (config.record_id(4, config.player_attributes.index(name), True) for name in ("STL", "BLK"))
    theirs = config.record_id(5, config.player_attributes.index("STL"), True)
    one, steal, block, comma = 21, 90, 91, 92
    units = PlayerUnits(config)
    for word, token in ((one, steals), (steal, steal), (comma, comma), (one, blocks)):
        units.add(word, token)
    assert units.blocked() == (steal,), "one steal , one ..."
    units.add(config.hyphen_token_id, config.hyphen_token_id)
    assert units.blocked() == (steal,), "one - ..."
    units.add(block, block)
    assert units.blocked() == ()
    units.add(one, theirs)
    assert units.blocked() == (), "another player's"


def test_immediate_repeats_are_blocked():
    config = tiny_model.random_model().config
    points = config.record_id(4, config.player_attributes.index("PTS"), True)
    just, three, hyphen = 90, 91, config.hyphen_token_id
    repeats = ImmediateRepeats(hyphen)
    assert repeats.blocked() == ()
    for word, token, after in (
        (just, just, (just,)),
        (three, points, ()),  # "three three-pointers"
        (hyphen, hyphen, ()),
        (three, three, (three,)),
    ):
        repeats.add(word, token)
        assert repeats.blocked() == after


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_must_mention_is_met(way, model, processor, rows):
    torch.manual_seed(0)
    demands = []
    for row in rows:
        names = players(row)
        demands.append([names[-1], f"{names[-2]}:REB", (row["vis_name"], "TEAM-AST"), row["home_name"]])
    demands[1] = None
    batch = processor(rows, must_mention=demands)
    free = stated(processor, model.generate(**processor(rows), max_new_tokens=LENGTH, **way), rows)
    for cap in (9, LENGTH):
        texts = stated(processor, model.generate(**batch, max_new_tokens=cap, **way), rows)
        for row, demand, records in zip(rows, demands, texts, strict=True):
            if demand is None:
                continue
            names = players(row)
            assert {(names[-1], "FIRST_NAME"), (names[-1], "SECOND_NAME")} & set(records)
            assert (names[-2], "REB") in records
            assert (row["vis_name"], "TEAM-AST") in records
            assert {(row["home_name"], "TEAM-NAME"), (row["home_name"], "TEAM-CITY")} & set(records)
    assert not all((players(row)[-2], "REB") in records for row, records in zip(rows, free, strict=True))


def plan_of(row) -> list:
    """A plan; `records_of` lists the records it stands for."""
    first, second = players(row)[:2]
    return [
        row["home_name"], f"{row['home_name']}:TEAM-PTS", f"{row['vis_city']} {row['vis_name']}",
        (second, "SECOND_NAME"), [second, "PTS"], {"entity": first, "attribute": "AST"}, (second, "PTS"),
    ]  # fmt: skip


def records_of(row) -> list:
    first, second = players(row)[:2]
    home, visitor = row["home_name"], row["vis_name"]
    return [
        (home, "TEAM-CITY"), (home, "TEAM-NAME"), (home, "TEAM-PTS"), (visitor, "TEAM-CITY"), (visitor, "TEAM-NAME"),
        (second, "SECOND_NAME"), (second, "PTS"), (first, "AST"), (second, "PTS"),
    ]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_a_plan_is_followed_exactly(way, model, processor, rows):
    torch.manual_seed(0)
    plans = [plan_of(row) for row in rows]
    plans[2] = None
    batch = processor(rows, plan=plans)
    for cap in (10, LENGTH):
        texts = stated(processor, model.generate(**batch, max_new_tokens=cap, **way), rows)
        for row, plan, records in zip(rows, plans, texts, strict=True):
            assert plan is None or records == records_of(row)


def test_a_plan_of_the_models_own_records_changes_nothing(model, processor, rows):
    """A plan of the records that the model states anyway yields the same text."""
    batch = processor([rows[1]], writers=[rows[1]["writer"]])
    free = model.generate(**batch, max_new_tokens=LENGTH)
    records = stated(processor, free, [rows[1]])[0]
    assert len(records) >= 3
    planned = model.generate(
        **processor([rows[1]], writers=[rows[1]["writer"]], plan=[records]), max_new_tokens=LENGTH
    )
    assert planned.tolist() == free.tolist()


def test_a_text_ends_when_it_asks_for_more_than_its_plan(model, processor, rows):
    """Where the model asks for a record after the last planned one, the sentence ends, and then the text."""
    config = model.config
    free = model.generate(**processor([rows[1]], writers=[rows[1]["writer"]]), max_new_tokens=LENGTH)[0].tolist()
    records = stated(processor, [free], [rows[1]])[0]
    third = [position for position, token in enumerate(free) if token >= config.vocab_size][2]
    batch = processor([rows[1]], writers=[rows[1]["writer"]], plan=[records[:2]])
    planned = model.generate(**batch, max_new_tokens=LENGTH)[0].tolist()
    assert planned == [*free[:third], config.period_token_id, config.eos_token_id]


@pytest.mark.parametrize("way", WAYS, ids=["greedy", "sample", "beams"])
def test_grounded_only_writes_only_stated_numbers(way, processor, rows):
    torch.manual_seed(0)
    model = tiny_model.random_model(3)
    numbers = set(number_words(processor.tokenizer.get_vocab()))
    batch = processor(rows)
    options = {"max_new_tokens": LENGTH, "min_new_tokens": LENGTH, **way}
    free = model.generate(**batch, **options)
    grounded = model.generate(**batch, grounded_only=True, **options)
    assert not numbers & set(grounded.flatten().tolist())
    if way != {"num_beams": 3}:
        assert numbers & set(free.flatten().tolist()), "the test must be able to fail"
    for tokens in processor.trace(grounded, rows):
        for token in tokens:
            assert token["entity"] is not None or not any(letter.isdigit() for letter in token["text"])


def test_what_counts_as_a_number():
    words = ["27", "four", "Four", "twenty-three", "hundred", "dozen", "3-pointers", "seven-footer", "third", "half"]
    words += ["double", "the", "Onesie", "fourth", "-", "Forty", "76ers"]
    numbers = number_words({word: index for index, word in enumerate(words)})
    kept = [word for index, word in enumerate(words) if index not in numbers]
    assert kept == ["third", "half", "double", "the", "Onesie", "fourth", "-"]


def test_all_controls_together(model, processor, rows):
    names = [players(row) for row in rows]
    must = [[people[3], f"{people[4]}:PTS"] for people in names]
    options = {"max_new_tokens": LENGTH, "avoid_repeats": True, "grounded_only": True, "sentence_ngram_size": 3}
    sequences = model.generate(**processor(rows, must_mention=must, writers=[7] * 4), **options)
    for records, people in zip(stated(processor, sequences, rows), names, strict=True):
        assert (people[4], "PTS") in records
        numbers = [record for record in records if record[1] in NUMBER_ATTRIBUTES]
        assert len(numbers) == len(set(numbers))


def test_writers_change_the_text(processor, rows):
    model = tiny_model.trained_model()
    texts = {
        tuple(model.generate(**processor([rows[0]], writers=[writer]), max_new_tokens=30)[0].tolist())
        for writer in (0, 1, 2, 3, "unknown")
    }
    assert len(texts) > 1
    assert torch.equal(
        model.generate(**processor([rows[0]]), max_new_tokens=30),
        model.generate(**processor([rows[0]], writers=["unknown"]), max_new_tokens=30),
    )


def na_record(row) -> tuple[str, str]:
    game = Game.from_json(row)
    return next(
        (entity.name, attribute)
        for entity, attribute in itertools.product(game.players, ("PTS", "START_POSITION"))
        if entity.values[attribute] is None
    )


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        (lambda row: {"must_mention": [["Nobody Atall"]]}, "must_mention.0..0.: 'Nobody Atall' is no team or player"),
        (lambda row: {"must_mention": [[players(row)[0][:-1]]]}, "did you mean"),
        (lambda row: {"must_mention": [[na_record(row)]]}, "is N/A in game"),
        (
            lambda row: {"plan": [[(players(row)[0], "PTTS")]]},
            "'PTTS' is no attribute of a player; did you mean 'PTS'",
        ),
        (lambda row: {"plan": [[(row["home_name"], "PTS")]]}, "'PTS' is no attribute of a team"),
        (lambda row: {"plan": [[na_record(row)]]}, "plan.0..0.: .* is N/A"),
        (lambda row: {"plan": [[]]}, "an empty plan"),
        (lambda row: {"plan": [[7]]}, "7 is not an entry"),
        (lambda row: {"plan": []}, "0 lists for 1 games"),
        (lambda row: {"must_mention": ["Knicks"]}, "is not a list of entries"),
        (
            lambda row: {"plan": [[row["home_name"]]], "must_mention": [[row["vis_name"]]]},
            "is not in the plan",
        ),
    ],
)
def test_impossible_demands_are_refused(demand, message, processor, rows):
    with pytest.raises(StgError, match=message) as caught:
        processor([rows[0]], **demand(rows[0]))
    assert "\n" not in str(caught.value)


def test_plans_that_do_not_fit_are_refused(model, processor, rows):
    with pytest.raises(StgError, match="max_new_tokens: 5 leaves no room for 9"):
        model.generate(**processor([rows[0]], plan=[plan_of(rows[0])]), max_new_tokens=5)
    with pytest.raises(StgError, match="PTS of entity .* twice"):
        model.generate(**processor([rows[0]], plan=[plan_of(rows[0])]), avoid_repeats=True)


def test_a_plan_does_not_affect_other_games(model, processor, rows):
    """With avoid_repeats, because a planned record is exempt from its refusals."""
    plan = [[f"{rows[0]['home_name']}:TEAM-PTS"], None, None, None]
    options = {"avoid_repeats": True, "max_new_tokens": LENGTH, "min_new_tokens": LENGTH}
    untrained = tiny_model.random_model(seed=3)
    for writer in (model, untrained):
        together = writer.generate(**processor(rows, plan=plan), **options)[1:]
        assert torch.equal(together, writer.generate(**processor(rows[1:]), **options))


def test_beams_close_a_finished_plan_even_if_the_period_is_banned(monkeypatch, processor, rows):
    untrained, score_words = tiny_model.random_model(seed=10), ConstraintList.score_words
    period = torch.tensor([untrained.config.period_token_id])

    def without_period(constraints, step, scores):
        return score_words(constraints, step, scores).index_fill_(1, period, float("-inf"))

    monkeypatch.setattr(ConstraintList, "score_words", without_period)
    plan = [[rows[0]["home_name"], rows[0]["vis_name"]]]
    text = untrained.generate(**processor(rows[:1], plan=plan), num_beams=3, max_new_tokens=LENGTH)[0].tolist()
    assert text[-2:] == [untrained.config.period_token_id, untrained.config.eos_token_id]


def test_a_refused_record_does_not_end_a_text_too_early(processor, rows):
    """Where a team would be named twice a word is written instead, but not <EoD> while something is demanded."""
    longer = 0
    for seed in range(6):
        untrained = tiny_model.random_model(seed)
        must = [[f"{players(row)[5]}:REB"] for row in rows]
        options = {"avoid_repeats": True, "end_penalty": -20.0, "z_threshold": 0.3, "max_new_tokens": LENGTH}
        sequences = untrained.generate(**processor(rows, must_mention=must), min_new_tokens=5, **options)
        for row, records in zip(rows, stated(processor, sequences, rows), strict=True):
            assert (players(row)[5], "REB") in records
            longer += len(records) > 2
    assert longer > 6


def test_a_name_may_contain_a_colon(processor, rows):
    row = json.loads(json.dumps(Game.from_json(rows[0]).to_json()))
    row["box_score"]["PLAYER_NAME"]["0"] = row["box_score"]["FIRST_NAME"]["0"] = "A:B"
    whole = processor([row], must_mention=[["A:B"]])["required"]
    assert torch.equal(whole, processor([row], must_mention=[[("A:B", None)]])["required"])
    assert processor([row], must_mention=[["A:B:PTS"]])["required"].sum() == 1


@pytest.mark.parametrize("demand", [5, "Knicks", {"a": 1}, [[["Knicks"], "TEAM-PTS"]], [7]])
def test_malformed_entries_are_refused(demand, processor, rows):
    for field in ("must_mention", "plan"):
        with pytest.raises(StgError, match=rf"{field}\[0\]"):
            processor(rows[:1], **{field: [demand]})


def test_demands_are_checked_by_name(processor, rows):
    facts = as_facts(rows[0])
    game, config, team = facts.game, processor.layout, facts.game.home.name
    twice = [f"{team}:TEAM-PTS", f"{team}:TEAM-WINS", f"{team}:TEAM-PTS"]
    check_demands(config, facts, None, twice, room=10, once=False)
    with pytest.raises(StgError, match=f"plan of game {game.game_id}: states {team}'s TEAM-PTS twice"):
        check_demands(config, facts, None, twice, room=10, once=True)
    check_demands(config, facts, [team, game.visitor.name], None, room=5, once=True)
    with pytest.raises(StgError, match=f"4 leaves no room for the 4 tokens demanded of game {game.game_id}"):
        check_demands(config, facts, [team, game.visitor.name], None, room=4, once=True)
