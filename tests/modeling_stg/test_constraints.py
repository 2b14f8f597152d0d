"""The Constraint protocol: a custom constraint holds under greedy decoding, sampling and beam search alike."""

import pytest
import torch

from modeling_stg import beam_walker, generation_stg
from modeling_stg.constraint_list import ConstraintList, build_constraints
from modeling_stg.constraints import NEVER, Constraint, Step
from modeling_stg.settings import GenerationSettings
from tests.helpers import tiny_model


LENGTH = 40
WAYS = {"greedy": {}, "sample": {"do_sample": True, "temperature": 2.0}, "beams": {"num_beams": 3}}


class Custom(Constraint):
    """Knows the batch and the game [N] of each document."""

    per_document = ("game",)

    def __init__(self, batch, game):
        self.batch, self.game = batch, game


class AtEvenTimes(Custom):
    """States a record at every other step."""

    def transition(self, step):
        is_even = torch.full_like(step.wants_record, step.time % 2 == 0)
        step.require_record(is_even)
        step.forbid_record(~is_even)


class Writer:
    """Calling it returns texts [N, T] written under the usual constraints and, last, one of a `Custom` class."""

    def __init__(self, monkeypatch, options: dict):
        self.model, self.options = tiny_model.trained_model(), options
        self.config, self.custom = self.model.config, None
        self.batch = tiny_model.processor()(tiny_model.league()[:4])
        for module in (generation_stg, beam_walker):
            monkeypatch.setattr(module, "build_constraints", self.build)

    def build(self, settings, config, batch, game) -> ConstraintList:
        constraints = build_constraints(settings, config, batch, game).constraints
        return ConstraintList([*constraints, *([self.custom(batch, game)] if self.custom else [])], config)

    def __call__(self, custom: type[Custom] | None = None, **options) -> torch.Tensor:
        self.custom = custom
        torch.manual_seed(0)
        lengths = {"max_new_tokens": LENGTH, "min_new_tokens": LENGTH}
        return self.model.generate(**self.batch, **{**lengths, **self.options, **options})

    def records(self, texts: torch.Tensor) -> list[tuple[int, int, int]]:
        """(entity, slot, form) of every record that the texts state."""
        entity, slot, form = self.config.record_ids.decode(texts[texts >= self.config.vocab_size])
        return list(zip(entity.tolist(), slot.tolist(), form.tolist(), strict=True))


@pytest.fixture(params=WAYS)
def write(request, monkeypatch) -> Writer:
    return Writer(monkeypatch, WAYS[request.param])


def test_ban_a_word(write):
    texts = write()
    word = int(texts[texts < write.config.vocab_size].mode().values)

    class ByScore(Custom):
        def score_words(self, step, scores):
            scores[:, word] = NEVER
            return scores

    class ByRow(Custom):
        def score_words(self, step, scores):
            for row in range(len(step.documents)):
                step.ban(row, [word])
            return scores

    assert (texts == word).any()
    assert not (write(ByScore) == word).any()
    assert not (write(ByRow) == word).any()


def test_allow_a_single_record(write):
    entity, slot = 1, write.config.team_attributes.index("TEAM-PTS")

    class OnlyRecord(AtEvenTimes):
        def allow_records(self, step, rows, allowed):
            only = torch.zeros_like(allowed)
            only[:, entity, slot] = True
            return allowed & only

    assert len({record[:2] for record in write.records(write())}) > 1
    assert {record[:2] for record in write.records(write(OnlyRecord))} == {(entity, slot)}


def test_require_and_forbid_records(write):
    is_record = write(AtEvenTimes) >= write.config.vocab_size
    assert is_record[:, ::2].all() and not is_record[:, 1::2].any()


def test_require_a_word(write):
    word = 50

    class AtTimeThree(Custom):
        def transition(self, step):
            if step.time == 3:
                step.require_word(torch.full_like(step.documents, word))
                step.forbid_record(torch.ones_like(step.wants_record))

    assert not (write()[:, 3] == word).all()
    assert (write(AtTimeThree)[:, 3] == word).all()


def test_refuse_records_unless_they_are_required(write):
    class RefuseAll(Custom):
        def refuse_records(self, step, rows, entity, slot):
            return step.documents[rows] + entity + slot >= 0  # broadcasts

    class ExceptAtTimeFive(RefuseAll):
        def transition(self, step):
            step.require_record(torch.full_like(step.wants_record, step.time == 5))

    assert write.records(write())
    assert not write.records(write(RefuseAll))
    is_record = write(ExceptAtTimeFive) >= write.config.vocab_size
    assert is_record[:, 5].all() and is_record.sum() == len(is_record)


@pytest.mark.parametrize("form", [0, 1])
def test_fix_the_form_of_numbers(form, write):
    class Form(AtEvenTimes):
        def allow_records(self, step, rows, allowed):
            return allowed & self.batch["has_word"][self.game[step.documents[rows]]]

        def number_form(self, step, rows, forms):
            return torch.full_like(forms, form)

    forms = {record[2] for record in write.records(write(Form))}
    assert forms == {form}


def test_a_demand_delays_the_end(write):
    """These texts would end at once; a demanded record takes the place of an early <EoD>."""

    class OneRecord(Custom):
        per_document = ("is_met",)

        def __init__(self, batch, game):
            self.is_met = torch.zeros_like(game, dtype=torch.bool)

        def transition(self, step):
            step.demand(~self.is_met[step.documents])

        def observe(self, step):
            if step.stated is not None:
                self.is_met[step.documents[step.stated[0]]] = True

    options = {"min_new_tokens": 0, "end_penalty": -100.0, "z_threshold": 0.999999}
    assert not write.records(write(**options))
    texts = write(OneRecord, **options)
    assert ((texts >= write.config.vocab_size).sum(1) == 1).all()
    assert (texts == write.config.eos_token_id).any(1).all()


def test_state_follows_its_document(write):
    """No word twice: each beam remembers its own words, wherever it branched off."""

    class OnlyOnce(Custom):
        per_document = ("used",)

        def __init__(self, batch, game):
            self.used = torch.zeros(len(game), write.config.vocab_size, dtype=torch.bool)

        def score_words(self, step, scores):
            return scores.masked_fill(self.used[step.documents], NEVER)

        def observe(self, step):
            is_word = step.tokens < write.config.vocab_size
            self.used[step.documents[is_word], step.tokens[is_word]] = True

    def has_repeats(texts) -> bool:
        words = [row[row < write.config.vocab_size].tolist() for row in texts]
        return any(len(row) > len(set(row)) for row in words)

    assert has_repeats(write())
    assert not has_repeats(write(OnlyOnce))


def test_an_empty_list_leaves_everything_untouched():
    config = tiny_model.random_model().config
    constraints = ConstraintList([Constraint()], config)  # a constraint that overrides nothing
    for empty in (ConstraintList([], config), constraints):
        rows = torch.arange(3)
        wants_record, scores, form = torch.tensor([True, False, True]), torch.randn(3, 9), torch.tensor([1, 0, 1])
        step = Step(0, rows, rows, wants_record)
        kept, words = scores.clone(), torch.tensor([config.eos_token_id, 5, 6])
        assert empty.transition(step) is wants_record
        assert empty.score_words(step, scores) is scores and torch.equal(scores, kept)
        same_words, states = empty.check_words(step, words, wants_record)
        assert same_words is words and states is wants_record
        assert empty.allow_records(step, rows, torch.ones(3, 2, 2, dtype=torch.bool), rows) is None
        assert empty.refuse_records(step, rows, rows, rows) is None
        assert empty.number_form(step, rows, form) is form
        empty.observe(step, words, words)
        empty.branch(rows)


def test_the_default_list_only_bans_special_tokens():
    model = tiny_model.random_model()
    batch = tiny_model.processor()(tiny_model.league()[:1])
    constraints = build_constraints(GenerationSettings(), model.config, batch, torch.zeros(1, dtype=torch.long))
    scores = torch.zeros(1, model.config.vocab_size)
    step = Step(0, torch.zeros(1, dtype=torch.long), torch.tensor([-1]), torch.tensor([False]))
    banned = constraints.score_words(step, scores)[0].eq(NEVER).nonzero().squeeze(1).tolist()
    assert banned == [model.config.pad_token_id, model.config.unk_token_id, model.config.bos_token_id]
