"""Consensus decoding: of several texts the one with the fewest repetitions that agrees best with the others."""

import numpy as np
import pytest
import tiny_model
import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.consensus_stg import agreement, choose, faults
from modeling_stg.game_stg import StgError


CONFIG = StgConfig(vocab_size=30)
NAME, CITY, POINTS = (CONFIG.team_attributes.index(name) for name in ("TEAM-NAME", "TEAM-CITY", "TEAM-PTS"))


def record(entity: int, slot: int, as_word: bool = False) -> int:
    return CONFIG.record_id(entity, slot, as_word)


def slow_agreement(texts: list[list[int]]) -> list[float]:
    """By the definition, one item at a time: 2 * shared / (all of both), an item being used up when it is matched."""

    def f1(one: list, other: list) -> float:
        left = list(other)
        for item in one:
            if item in left:
                left.remove(item)
        return 2 * (len(other) - len(left)) / (len(one) + len(other)) if one or other else 1.0

    def pieces(text: list[int]) -> list[list]:
        records = [(token - 30) // 2 for token in text if token >= 30]
        return [records, *([text[i : i + n] for i in range(len(text) - n + 1)] for n in (1, 2, 3, 4))]

    totals = []
    for one in range(len(texts)):
        parts = [
            [f1(*pair) for pair in zip(pieces(texts[one]), pieces(texts[other]), strict=True)]
            for other in range(len(texts))
            if other != one
        ]
        totals.append(sum(part[0] + sum(part[1:]) / 4 for part in parts))
    return totals


def test_agreement_is_the_definition():
    random = torch.Generator().manual_seed(0)
    for _ in range(20):
        lengths = torch.randint(0, 15, (4,), generator=random).tolist()
        texts = [torch.randint(4, 40, (length,), generator=random).tolist() for length in lengths]
        assert agreement(texts, CONFIG) == pytest.approx(slow_agreement(texts))


def test_a_number_as_word_and_as_digits_is_one_record():
    one, other = [record(0, POINTS)], [record(0, POINTS, True)]
    assert agreement([one, other], CONFIG) == [1.75, 1.75]  # the record, and three lists of nothing; not the id itself


def test_faults_are_counted():
    period = CONFIG.period_token_id
    assert faults([10, record(0, NAME), 11, record(1, NAME), period, record(0, NAME), period], CONFIG) == 0
    assert faults([record(0, NAME), 11, record(0, NAME), period], CONFIG) == 1  # a team meets itself
    assert faults([record(0, CITY), 11, record(0, CITY), period], CONFIG) == 0
    assert faults([record(0, POINTS), 10, period, record(0, POINTS, True), period], CONFIG) == 1
    assert faults([10, 11, period, 10, 11, period, 10, 11, period], CONFIG) == 2


def test_fewest_faults_then_best_agreement():
    period = CONFIG.period_token_id
    texts = [[10, 11, period, 10, 11, period], [10, 11, 12, period], [20, 21, 22, period], [10, 11, 12, 13, period]]
    width = max(map(len, texts)) + 1
    rows = [[*text, CONFIG.eos_token_id] + [CONFIG.pad_token_id] * (width - len(text) - 1) for text in texts]
    assert choose(torch.tensor(rows), 4, CONFIG).tolist() == [1]
    assert choose(torch.tensor(rows), 2, CONFIG).tolist() == [1, 2]  # of two, both agree alike: the first


def test_a_judge_is_heard():
    texts = torch.tensor([[10, 11, 12, 13], [10, 11, 12, 14], [10, 11, 20, 21]])
    assert choose(texts, 3, CONFIG).tolist() == [0]  # the first two agree alike
    seen = []

    def judge(*verdicts):
        return lambda sequences: (seen.append(sequences), verdicts)[1]

    assert choose(texts, 3, CONFIG, judge((0, 1, 0), (0, 0, 0), (0, 9, 9))).tolist() == [1]
    assert choose(texts, 3, CONFIG, judge((0, 0, 5), (0, 0, 6), (0, 0, 5))).tolist() == [1]
    assert choose(texts, 3, CONFIG, judge((1, 0, 9), (2, 0, 9), (0, 9, 0))).tolist() == [2]  # said again weighs most
    assert all(torch.equal(sequences, texts) for sequences in seen) and len(seen) == 3


def test_the_comparison_chooses_as_generate_does(load_script):
    """scripts/compare_choices.py: its rows "agreement" and --check are what `choose` does without and with a judge."""
    compared = load_script("compare_choices")
    random = torch.Generator().manual_seed(0)
    texts = torch.randint(4, 40, (20 * 5, 12), generator=random)
    verdicts = torch.randint(0, 9, (20 * 5, 3), generator=random)
    ids = texts.unflatten(0, (20, 5)).tolist()
    agreed = np.array([agreement(some, CONFIG) for some in ids])
    fault = np.array([[faults(text, CONFIG) for text in some] for some in ids])
    for way, judge in ((compared.WAYS["agreement"][2], None), (compared.CHECK, lambda sequences: verdicts.tolist())):
        taken = compared.chosen(way, agreed, fault, verdicts.numpy().reshape(20, 5, 3))
        assert [5 * game + place for game, place in enumerate(taken)] == choose(texts, 5, CONFIG, judge).tolist()
        assert len(set(taken)) > 1


def test_a_judge_needs_a_choice():
    batch = tiny_model.processor()(tiny_model.league()[:1])
    with pytest.raises(StgError, match="judge.*consensus"):
        tiny_model.random_model().generate(**batch, judge=lambda sequences: [(0, 0, 0)])


def test_generate_keeps_one_of_its_own_samples():
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:4])
    torch.manual_seed(1)
    kept = model.generate(**batch, consensus=3, max_new_tokens=40, temperature=0.7)
    torch.manual_seed(1)
    samples = model.generate(**batch, do_sample=True, num_return_sequences=3, max_new_tokens=40, temperature=0.7)
    expected = samples[choose(samples, 3, model.config)]
    assert torch.equal(kept, expected) and len(kept) == 4 and len({tuple(row) for row in samples.tolist()}) > 4
    torch.manual_seed(1)
    last = [(index % 3 == 2, 0, 0) for index in range(12)]
    judged = model.generate(**batch, consensus=3, max_new_tokens=40, temperature=0.7, judge=lambda sequences: last)
    assert torch.equal(judged, samples[choose(samples, 3, model.config, lambda sequences: last)])
    torch.manual_seed(1)
    output = model.generate(**batch, consensus=3, max_new_tokens=40, temperature=0.7, return_dict_in_generate=True)
    assert torch.equal(output.sequences, kept) and output.log_probs.shape == kept.shape


@pytest.mark.parametrize(
    "options", [{"num_beams": 2}, {"num_return_sequences": 2, "do_sample": True}, {"streamer": object()}]
)
def test_what_does_not_go_together_is_refused(options):
    with pytest.raises(StgError, match="consensus"):
        tiny_model.random_model().generate(**tiny_model.processor()(tiny_model.league()[:1]), consensus=2, **options)
