"""Bound words: no text says what a fact refutes, whichever way it is decoded."""

import itertools
import json

import pytest
import torch

from modeling_stg.bound_words import CLAIM_NAMES, CLAIMS, barred_words, claims_allowed
from modeling_stg.claim_constraints import BoundWords
from modeling_stg.constraints import NEVER, Step
from modeling_stg.errors import StgError
from modeling_stg.fact_schema import GROUPS
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.schema import QUARTERS


KNICKS, BUCKS = 0, 1
WORDS = (
    "The the beat defeated fell was were by led trailed deficit outscored at on home road bench double - figures team "
    "game high only other player overtime first third three lead lost Friday Celtics Boston Hawks points "
    "and in half . won"
).split()
SIZES = {"embedding_size": 16, "hidden_size": 16, "context_size": 16, "writer_size": 8}


@pytest.fixture(scope="module")
def paper(root) -> dict:
    """Bucks at Knicks: the Knicks lost 104-105, trailed by 2 after one quarter and led by 14 after three."""
    return json.loads((root / "examples" / "bucks_at_knicks.json").read_text())


@pytest.fixture(scope="module")
def row(paper) -> dict:
    return {**paper, "summary": WORDS, "mentions": [], "writer": 0}


@pytest.fixture(scope="module")
def processor(row) -> StgProcessor:
    return StgProcessor.from_dataset([row], min_count=1, facts=GROUPS)


class Driver:
    """Feeds words and records to the constraint, one document, and asks what it bans."""

    def __init__(self, processor: StgProcessor, game: dict):
        self.processor, self.config = processor, processor.layout
        self.vocabulary = processor.tokenizer.get_vocab()
        batch = processor([game])
        self.shape = batch["record_mask"].shape
        self.constraint = BoundWords(self.config, batch, torch.tensor([0]))
        self.entity = -1

    def step(self) -> Step:
        return Step(0, torch.tensor([0]), torch.tensor([self.entity]), torch.tensor([False]))

    def write(self, text: str, about: int | None = None) -> "Driver":
        self.entity = self.entity if about is None else about
        for word in text.split():
            step = self.step()
            step.words = step.tokens = torch.tensor([self.vocabulary[word]])
            self.constraint.observe(step)
        return self

    def state(self, attribute: str, entity: int, word: str = "points") -> "Driver":
        """States a record, written as a word of the vocabulary."""
        self.entity = entity
        step = self.step()
        step.words = step.tokens = torch.tensor([self.vocabulary[word]])
        attributes = self.config.team_attributes if entity < 2 else self.config.player_attributes
        slot = torch.tensor([list(attributes).index(attribute)])
        step.stated = torch.tensor([0]), torch.tensor([entity]), slot
        self.constraint.observe(step)
        return self

    def banned(self) -> set[str]:
        scores = self.constraint.score_words(self.step(), torch.zeros(1, self.config.vocab_size))[0]
        return {word for word in WORDS if scores[self.vocabulary[word]] == NEVER}

    def refused(self, team: int = KNICKS) -> set[str]:
        """Attributes of a team that may not be stated now."""
        allowed = self.constraint.allow_records(self.step(), torch.tensor([0]), torch.ones(self.shape).bool())
        slots = enumerate(self.config.team_attributes)
        return {attribute for slot, attribute in slots if not allowed[0, team, slot]}


@pytest.fixture
def drive(processor, row):
    return lambda game=row: Driver(processor, game)


def with_quarters(game: dict, home: list[int], visitor: list[int]) -> dict:
    changed = json.loads(json.dumps(game))
    for side, points in (("home", home), ("vis", visitor)):
        changed[f"{side}_line"] |= dict(zip(QUARTERS, map(str, points), strict=True)) | {"TEAM-PTS": str(sum(points))}
    return changed


def test_the_loser_does_not_beat_the_winner(drive, paper):
    assert {"beat", "defeated", "won"} <= drive().write("The", KNICKS).banned()
    assert "fell" not in drive().write("The", KNICKS).banned()
    assert "fell" in drive().write("The", BUCKS).banned() and "beat" not in drive().write("The", BUCKS).banned()
    assert "defeated" not in drive().write("were", KNICKS).banned(), "were defeated"
    assert "defeated" in drive().write("were", BUCKS).banned()
    anthony = Game.from_json(paper).position("Carmelo Anthony")
    assert "beat" in drive().write("The", anthony).banned(), "a player stands for his team"
    assert "beat" not in drive().write("The . The", KNICKS).banned(), "another game may be meant"
    assert "beat" not in drive().write("The").banned(), "before any team is named"


def test_trailing_and_outscoring_need_a_period_in_which_it_happened(drive, row):
    assert not {"trailed", "outscored"} & drive().write("The", KNICKS).banned()
    one_sided = with_quarters(row, [30, 30, 30, 30], [20, 20, 20, 20])
    assert {"trailed"} == {"trailed", "outscored"} & drive(one_sided).write("The", KNICKS).banned()
    assert {"outscored"} == {"trailed", "outscored"} & drive(one_sided).write("The", BUCKS).banned()
    assert "outscored" in drive(one_sided).write("were", KNICKS).banned(), "were outscored"
    assert "outscored" not in drive(one_sided).write("were", BUCKS).banned()
    unknown = json.loads(json.dumps(one_sided))
    unknown["vis_line"]["TEAM-PTS_QTR2"] = "N/A"
    assert not {"trailed", "outscored"} & drive(unknown).write("The", KNICKS).banned(), "no fact, no ban"


def test_nobody_led_a_part_that_was_tied(drive, row):
    level = with_quarters(row, [26, 30, 20, 20], [26, 20, 30, 25])
    tied, after_one = QUARTERS[0], {QUARTERS[0], "TEAM-PTS_AFTER_Q3"}
    for team in (KNICKS, BUCKS):
        assert after_one <= drive(level).write("The", team).write("led").refused(team), "76 all after three, too"
        assert after_one <= drive(level).write("The", team).write("trailed").refused(team)
        assert tied not in drive(level).write("The", team).refused(team), "tied at 26"
    assert QUARTERS[1] not in drive(level).write("The", KNICKS).write("led").refused(KNICKS)


def test_home_and_road_follow_the_place(drive):
    assert "home" in drive().write("at", BUCKS).banned() and "home" not in drive().write("at", KNICKS).banned()
    assert "road" in drive().write("on the", KNICKS).banned() and "road" not in drive().write("on the", BUCKS).banned()
    assert not {"home", "road"} & drive().write("in the", KNICKS).banned()
    assert "home" not in drive().write("the", BUCKS).banned(), "the home team"


def test_overtime_must_have_been_played(drive, row):
    assert "overtime" in drive().write("in", KNICKS).banned()
    level = with_quarters(row, [25, 25, 25, 25], [25, 25, 25, 25])
    level["home_line"]["TEAM-PTS"], level["vis_line"]["TEAM-PTS"] = "110", "108"
    assert "overtime" not in drive(level).write("in", KNICKS).banned()


def test_starters_do_not_come_off_the_bench(drive, paper):
    game = Game.from_json(paper)
    by_role = {game.entities[at].values["START_POSITION"] is not None: at for at in range(2, len(game.entities))}
    assert "bench" in drive().write("the", by_role[True]).banned()
    assert "bench" not in drive().write("the", by_role[False]).banned()
    assert "bench" not in drive().write("the", KNICKS).banned(), "a team has a bench"


def test_phrases_that_a_record_states_are_left_to_it(drive, row):
    assert drive().write("double").banned() == set(WORDS) - {"figures"}, "double figures, or a record"
    assert "-" not in drive().write("points").banned()
    assert "high" in drive().write("team -").banned() and "high" in drive().write("game -").banned()
    assert "high" not in drive().write("double -").banned()
    assert "other" in drive().write("only").banned() and "other" not in drive().write("the").banned()
    assert {"Friday", "Celtics", "Boston", "Hawks"} <= drive().write("the").banned()
    without = [word for word in WORDS if word != "figures"]
    fewer = StgProcessor.from_dataset([{**row, "summary": without}], min_count=1, facts=GROUPS)
    assert fewer.tokenizer.get_vocab()["double"] in fewer.layout.bound_token_ids["barred"], "nothing could follow"
    plain = StgProcessor.from_dataset([row], min_count=1)
    free = Driver(plain, row)
    assert not {"-", "Friday", "Celtics", "Boston"} & free.write("double").banned()
    assert barred_words(plain.team_attributes) == set()


def test_words_after_a_number_agree_with_its_period_and_sign(drive):
    after = drive().write("The", KNICKS).state("TEAM-LEAD_Q3", KNICKS).write("-")
    assert {"first", "half", "deficit"} <= after.banned() and not {"three", "third", "lead"} & after.banned()
    assert not {"first", "half", "deficit"} & after.write(".").banned(), "a new sentence"
    after = drive().state("TEAM-DEFICIT_Q1", KNICKS)
    assert {"three", "third", "half", "lead"} <= after.banned() and not {"first", "deficit"} & after.banned()
    assert not {"lead", "third"} & after.state("TEAM-REB", KNICKS).banned(), "another number"
    assert {"third"} == {"third", "first"} & drive().state(QUARTERS[0], BUCKS).banned()
    named = drive().state("TEAM-LEAD_Q3", KNICKS).state("TEAM-NAME", BUCKS)
    assert {"first", "half"} <= named.banned(), "a name does not end it"


def test_wins_follow_won_and_places_agree_with_home_and_road(drive):
    assert {"TEAM-LOSSES_LAST5", "TEAM-LOSS_STREAK"} <= drive().write("won", KNICKS).refused()
    assert not {"TEAM-WINS_LAST5", "TEAM-WIN_STREAK"} & drive().write("won", KNICKS).refused()
    assert {"TEAM-WINS_LAST5", "TEAM-WIN_STREAK"} <= drive().write("lost", KNICKS).refused()
    assert "TEAM-PLACE" in drive().state("TEAM-HOME_WINS", BUCKS).refused(BUCKS), "they are on the road"
    assert "TEAM-PLACE" not in drive().state("TEAM-ROAD_WINS", BUCKS).refused(BUCKS)
    assert "TEAM-PLACE" in drive().state("TEAM-ROAD_WINS", KNICKS).refused(KNICKS)
    assert "TEAM-FTA" in drive().write("led", KNICKS).refused(), "led 28 - 22 is a score"
    assert "TEAM-FTA" not in drive().write("led and", KNICKS).refused()


def test_led_and_trailed_choose_between_leads_and_deficits(drive):
    leads = {"TEAM-WON_BY", "TEAM-LEAD_Q3", "TEAM-WON_BY_Q2"}
    deficits = {"TEAM-LOST_BY", "TEAM-DEFICIT_Q3", "TEAM-LOST_BY_OT"}
    assert not drive().write("The", KNICKS).refused()
    assert deficits <= drive().write("led", KNICKS).refused() and not leads & drive().write("led", KNICKS).refused()
    assert leads <= drive().write("trailed", KNICKS).refused()
    assert leads <= drive().write("were outscored", KNICKS).refused()
    assert deficits <= drive().write("outscored", KNICKS).refused()
    assert leads <= drive().write("led and trailed", KNICKS).refused(), "the last word decides"
    assert not drive().write("trailed .", KNICKS).refused(), "a new sentence"


def test_the_outscoring_team_has_the_larger_number(drive):
    """The Knicks lost the first quarter 25-27 and the fourth 17-32, won the others, and were level at the half."""
    points = {*QUARTERS, "TEAM-PTS_H1", "TEAM-PTS_AFTER_Q3", "TEAM-PTS_H2"}
    lost = {QUARTERS[0], QUARTERS[3], "TEAM-PTS_H1", "TEAM-PTS_H2"}  # level at the half, so nobody led
    won = {QUARTERS[1], QUARTERS[2], "TEAM-PTS_H1", "TEAM-PTS_AFTER_Q3"}
    assert drive().write("outscored", KNICKS).refused() & points == lost
    assert drive().write("outscored", KNICKS).refused(BUCKS) & points == lost, "the opponent's are the smaller"
    assert drive().write("were outscored", KNICKS).refused() & points == won
    assert drive().write("outscored", BUCKS).refused(KNICKS) & points == won
    assert not drive().write("outscored .", KNICKS).refused() & points


@pytest.mark.parametrize("way", [{}, {"do_sample": True, "temperature": 3.0}, {"num_beams": 3}])
def test_no_text_says_what_a_fact_refutes(way, processor, row):
    """Replays random texts word by word with a driver of its own; without the option, they do say such things."""
    swapped = with_quarters(row, [20, 20, 20, 20], [30, 30, 30, 30])
    games, words = [row, swapped], {index: word for word, index in processor.tokenizer.get_vocab().items()}
    config = processor.config(**SIZES)
    violations = {}
    for bound in (False, True):
        violations[bound] = 0
        for seed in range(12):
            torch.manual_seed(seed)
            model = StgForDataToText(config).eval()
            model.output.weight.data *= 20
            model.output.bias.data[config.eos_token_id] = -1e4
            ids = model.generate(**processor(games), max_new_tokens=60, min_new_tokens=60, bound_words=bound, **way)
            for game, sequence in zip(games, ids.tolist(), strict=True):
                driver = Driver(processor, game)
                for token in sequence:
                    if token < config.vocab_size:
                        violations[bound] += words[token] in driver.banned()
                        driver.write(words[token])
                    else:
                        entity, slot, _ = config.read_record_id(token)
                        value = GameFacts(game).value(entity, config.attribute(entity, slot))
                        known = value if value in driver.vocabulary else "<UNK>"
                        driver.state(config.attribute(entity, slot), entity, known)
    assert violations[True] == 0 < violations[False]


def test_claims_of_a_game_are_consistent(row):
    """Of two teams exactly one may claim to have won; a passive claim is the opponent's active one."""
    allowed = claims_allowed(GameFacts(row), ())
    assert set(CLAIMS) == set(CLAIM_NAMES)
    for claim in ("won", "lost", "home", "road"):
        index = CLAIM_NAMES.index(claim)
        assert allowed[KNICKS, index, 0] != allowed[BUCKS, index, 0]
    for (own, other), index in itertools.product(((0, 1), (1, 0)), range(len(CLAIMS))):
        if CLAIM_NAMES[index] != "bench":
            assert allowed[own, index, 1] == allowed[other, index, 0]


def test_bound_words_need_the_processors_inputs(processor, row):
    batch = processor([row])
    del batch["claims"]
    with pytest.raises(StgError, match="bound_words: needs"):
        StgForDataToText(processor.config(**SIZES)).generate(**batch, bound_words=True)
