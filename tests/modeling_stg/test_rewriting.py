"""Rewriting: keep what precedes the first false sentence, sample the rest again, keep the best text."""

import pytest
import torch

from modeling_stg.consensus import Verdict
from modeling_stg.errors import StgError
from tests.helpers import tiny_model


PERIOD, END, PADDING = 4, 3, 0
SAMPLED = {"consensus": 3, "max_new_tokens": 60, "temperature": 0.8, "return_dict_in_generate": True}


def written(model, batch, settings: dict, opening: torch.Tensor):
    """Texts written after an opening [N, O], without a choice among samples."""
    read, inputs, _ = model._read_call(None, {**batch, **settings})
    with torch.inference_mode():
        return model._write({**inputs, "opening": opening}, read, None, True)


def controls() -> dict[str, dict]:
    games = tiny_model.league()[:4]
    names = [game["home_name"] for game in games]
    plan = [[name, f"{name}:TEAM-PTS", f"{name}:TEAM-WINS"] for name in names]
    demands = [[f"{name}:TEAM-REB"] for name in names]
    return {"nothing": {}, "plan": {"plan": plan}, "must_mention": {"must_mention": demands}}


@pytest.mark.parametrize("demand", ["nothing", "plan", "must_mention"])
@pytest.mark.parametrize("avoid_repeats", [False, True])
def test_a_greedy_text_continues_its_own_opening(demand, avoid_repeats):
    """A greedy text, cut anywhere, is its own greedy continuation."""
    model, processor = tiny_model.trained_model(), tiny_model.processor()
    batch = processor(tiny_model.league()[:4], **controls()[demand])
    settings = {"max_new_tokens": 40, "avoid_repeats": avoid_repeats}
    whole = model.generate(**batch, **settings, return_dict_in_generate=True)
    assert whole.z.any(1).all()
    for cuts in ((0, 1, 2, 3), (9, 4, 0, 7), (12, 12, 12, 12), (20, 3, 11, 30)):
        opening = torch.full((4, max(cuts)), -1)
        for row, (text, cut) in enumerate(zip(whole.sequences.tolist(), cuts, strict=True)):
            text = [token for token in text if token not in (END, PADDING)][:cut]
            opening[row, : len(text)] = torch.tensor(text)
        again = written(model, batch, settings, opening)
        assert torch.equal(again.sequences, whole.sequences)
        assert torch.allclose(again.log_probs, whole.log_probs, atol=1e-5)


def test_an_unlikely_opening_is_written_unchanged():
    """Words, names, numbers and forms of a high-temperature sample are kept."""
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:4])
    torch.manual_seed(0)
    opening = model.generate(**batch, do_sample=True, temperature=4.0, max_new_tokens=12, min_new_tokens=12)
    records = opening[opening >= model.config.vocab_size] - model.config.vocab_size
    assert set((records % 2).tolist()) == {0, 1}, "numbers in digits and in words"
    output = written(model, batch, {"max_new_tokens": 40}, opening)
    assert torch.equal(output.sequences[:, :12], opening)
    labels = output.sequences.masked_fill(output.sequences == PADDING, -100)
    assert torch.allclose(model(**batch, labels=labels).loss, -output.log_probs.sum(), rtol=1e-4)


def test_an_opening_may_name_a_team_twice():
    """A demand may have forced the second name; avoid_repeats must not refuse it when the opening is replayed."""
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:2])
    name = model.config.record_id(0, model.config.team_attributes.index("TEAM-NAME"), False)
    opening = torch.tensor([[name, 30, name]] * 2)
    output = written(model, batch, {"max_new_tokens": 20, "avoid_repeats": True}, opening)
    assert torch.equal(output.sequences[:, :3], opening)


class Censor:
    """A judge that calls the second sentence of each text false, in the first `rounds` of each game."""

    def __init__(self, rounds: list[int]):
        self.rounds, self.calls = rounds, []

    def __call__(self, sequences, about):
        turn = len(self.calls)
        self.calls.append((sequences.clone(), list(about)))
        has_second = (sequences == PERIOD).sum(1) > 1
        is_false = [self.rounds[game] > turn and has for game, has in zip(about, has_second.tolist(), strict=True)]
        return [Verdict(0, 1, 0, 1) if false else Verdict() for false in is_false]


def test_false_sentences_are_rewritten_after_true_ones():
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:3])
    judge = Censor([0, 2, 1])
    torch.manual_seed(3)
    output = model.generate(**batch, **SAMPLED, rewrites=5, judge=judge)
    (first, about), (second, about_second), *others = judge.calls
    assert about == [0, 0, 0, 1, 1, 1, 2, 2, 2] and about_second == [1, 1, 1, 2, 2, 2]
    assert [games for _, games in others] in ([], [[1, 1, 1]]), "a text that became true is not rewritten again"
    texts = [row.tolist() for row in first]
    for number, game in enumerate(about_second):
        row = second[number].tolist()
        opening = row[: row.index(PERIOD) + 1]
        assert any(text[: len(opening)] == opening for text in texts[3 * game : 3 * game + 3])
    assert not all(strip(row) in map(strip, texts) for row in second.tolist()), "the rest is sampled again"
    kept = [strip(row) for row in output.sequences.tolist()]
    assert kept[0] in map(strip, texts[:3]) and kept[2] in map(strip, second[3:].tolist())
    labels = output.sequences.masked_fill(output.sequences == PADDING, -100)
    assert torch.allclose(model(**batch, labels=labels).loss, -output.log_probs.sum(), rtol=1e-4)
    torch.manual_seed(3)
    again = model.generate(**batch, **SAMPLED, rewrites=5, judge=Censor([0, 2, 1]))
    assert torch.equal(again.sequences, output.sequences)


def strip(row: list[int]) -> list[int]:
    return [token for token in row if token != PADDING]


def test_a_judge_must_return_a_verdict_for_each_text():
    batch = tiny_model.processor()(tiny_model.league()[:2])
    with pytest.raises(StgError, match="judge: 5 verdicts on 6 texts"):
        tiny_model.random_model().generate(**batch, **SAMPLED, judge=lambda sequences, about: [Verdict()] * 5)


def test_a_text_is_replaced_only_by_a_truer_one():
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:2])
    calls = []

    def worse(sequences, about):
        calls.append(sequences.clone())
        return [Verdict(0, len(calls), 0, 1)] * len(about)

    torch.manual_seed(3)
    output = model.generate(**batch, **SAMPLED, rewrites=3, judge=worse)
    assert len(calls) == 4
    del calls[:]
    torch.manual_seed(3)
    assert torch.equal(output.sequences, model.generate(**batch, **SAMPLED, judge=worse).sequences)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rewrites": 2}, "rewrites: .*consensus"),
        ({"rewrites": 2, "consensus": 2}, "rewrites: .*judge"),
        ({"rewrites": -1, "consensus": 2}, "rewrites: -1 is below 0"),
        ({"rewrites": 1.5, "consensus": 2}, "rewrites: 1.5 is not a whole number"),
        ({"rewrites": 101, "consensus": 2}, "rewrites: 101 is above 100"),
    ],
)
def test_invalid_rewrites_are_refused(options, message):
    batch = tiny_model.processor()(tiny_model.league()[:1])
    with pytest.raises(StgError, match=message):
        tiny_model.random_model().generate(**batch, **options)
