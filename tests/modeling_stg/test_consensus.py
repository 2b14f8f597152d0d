"""Consensus decoding keeps the sample with the fewest repetitions that agrees best with the others."""

import numpy as np
import pytest
import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.consensus import Text, Verdict, agreement, best, faults, opening
from modeling_stg.errors import StgError
from stg.analysis import choices
from tests.helpers import tiny_model


CONFIG = StgConfig(vocab_size=30)
NAME, CITY, POINTS = (CONFIG.team_attributes.index(name) for name in ("TEAM-NAME", "TEAM-CITY", "TEAM-PTS"))


def record(entity: int, slot: int, as_word: bool = False) -> int:
    return CONFIG.record_id(entity, slot, as_word)


def slow_agreement(texts: list[list[int]]) -> list[float]:
    """Agreement by its definition, item by item: 2 * shared / (size of both), each item matched at most once."""

    def f1(left: list, right: list) -> float:
        unmatched = list(right)
        for item in left:
            if item in unmatched:
                unmatched.remove(item)
        return 2 * (len(right) - len(unmatched)) / (len(left) + len(right)) if left or right else 1.0

    def pieces(text: list[int]) -> list[list]:
        records = [(token - 30) // 2 for token in text if token >= 30]
        return [records, *([text[i : i + n] for i in range(len(text) - n + 1)] for n in (1, 2, 3, 4))]

    totals = []
    for index in range(len(texts)):
        parts = [
            [f1(*pair) for pair in zip(pieces(texts[index]), pieces(texts[other]), strict=True)]
            for other in range(len(texts))
            if other != index
        ]
        totals.append(sum(part[0] + sum(part[1:]) / 4 for part in parts))
    return totals


def test_agreement_matches_its_definition():
    random = torch.Generator().manual_seed(0)
    for _ in range(20):
        lengths = torch.randint(0, 15, (4,), generator=random).tolist()
        texts = [torch.randint(4, 40, (length,), generator=random).tolist() for length in lengths]
        assert agreement(texts, CONFIG) == pytest.approx(slow_agreement(texts))


def test_a_number_as_word_and_as_digits_is_one_record():
    digits, word = [record(0, POINTS)], [record(0, POINTS, True)]
    # The record and the empty 2- to 4-grams agree; the ids differ.
    assert agreement([digits, word], CONFIG) == [1.75, 1.75]


def test_faults_are_counted():
    period = CONFIG.period_token_id
    assert faults([10, record(0, NAME), 11, record(1, NAME), period, record(0, NAME), period], CONFIG) == 0
    assert faults([record(0, NAME), 11, record(0, NAME), period], CONFIG) == 1  # a team named twice in a sentence
    assert faults([record(0, CITY), 11, record(0, CITY), period], CONFIG) == 0
    assert faults([record(0, POINTS), 10, period, record(0, POINTS, True), period], CONFIG) == 1
    assert faults([10, 11, period, 10, 11, period, 10, 11, period], CONFIG) == 2


def texts_of(rows: list[list[int]], verdicts: list[tuple] | None = None) -> list[Text]:
    verdicts = verdicts or [()] * len(rows)
    return [Text({}, row, Verdict(*verdict)) for row, verdict in zip(rows, verdicts, strict=True)]


def chosen(rows: list[list[int]], verdicts: list[tuple] | None = None, **options) -> int:
    """The index of the text that is kept."""
    texts = texts_of(rows, verdicts)
    return texts.index(best(texts, CONFIG, **options))


def test_fewest_faults_then_best_agreement():
    period = CONFIG.period_token_id
    rows = [[10, 11, period, 10, 11, period], [10, 11, 12, period], [20, 21, 22, period], [10, 11, 12, 13, period]]
    assert chosen(rows) == 1
    assert chosen(rows[2:]) == 0  # two texts always agree equally: the first wins


def test_verdicts_affect_the_choice():
    rows = [[10, 11, 12, 13], [10, 11, 12, 14], [10, 11, 20, 21]]
    assert chosen(rows) == 0  # the first two agree equally
    assert chosen(rows, [(0, 1, 0), (0, 0, 0), (0, 9, 9)]) == 1
    assert chosen(rows, [(0, 0, 5), (0, 0, 6), (0, 0, 5)]) == 1
    assert chosen(rows, [(1, 0, 9), (2, 0, 9), (0, 9, 0)]) == 2  # repeated claims weigh most


def test_rewritten_texts_rank_by_repetitions_then_false_claims():
    rows = [[10, 11, 12, 13], [10, 11, 12, 14], [10, 11, 20, 21]]
    verdicts = [(0, 2, 9), (0, 2, 9), (0, 1, 0)]
    assert chosen(rows, verdicts) == 0 and chosen(rows, verdicts, false_before_agreement=True) == 2
    # repeated claims still weigh most
    assert chosen(rows, [(0, 2, 9), (0, 1, 9), (1, 0, 9)], false_before_agreement=True) == 1


def test_an_opening_ends_before_the_first_false_sentence():
    period = CONFIG.period_token_id
    row = [10, record(0, POINTS), period, 12, 13, period, 14, period]
    for sentence, length in ((2, 6), (1, 3), (0, 0), (9, 8)):  # the last is beyond the end
        [text] = texts_of([row], [(0, 1, 0, sentence)])
        assert opening(text, CONFIG).tolist() == row[:length]


def test_compare_choices_agrees_with_generate():
    """`stg compare-choices`: its rows "agreement" and --check are what `best` does without and with a judge."""
    random = torch.Generator().manual_seed(0)
    texts = torch.randint(4, 40, (20 * 5, 12), generator=random)
    verdicts = torch.randint(0, 9, (20 * 5, 3), generator=random)
    ids = texts.unflatten(0, (20, 5)).tolist()
    agreed = np.array([agreement(game, CONFIG) for game in ids])
    fault = np.array([[faults(text, CONFIG) for text in game] for game in ids])
    judged = verdicts.unflatten(0, (20, 5)).tolist()
    for way, used in ((choices.WAYS["agreement"][2], [None] * 20), (choices.CHECK, judged)):
        picked = choices.choose(way, agreed, fault, np.array(judged))
        assert picked.tolist() == [chosen(*game) for game in zip(ids, used, strict=True)]
        assert len(set(picked)) > 1


def test_a_judge_needs_consensus():
    batch = tiny_model.processor()(tiny_model.league()[:1])
    with pytest.raises(StgError, match="judge.*consensus"):
        tiny_model.random_model().generate(**batch, judge=lambda sequences, about: [Verdict()])


SAMPLED = {"max_new_tokens": 40, "temperature": 0.7}


def expected(samples: torch.Tensor, config, verdicts: list[Verdict]) -> torch.Tensor:
    """The samples to keep out of [4 * 3, T] of four games."""
    ids = [[token for token in row if token not in (0, 3)] for row in samples.tolist()]
    texts = [Text({"row": row}, *rest) for row, *rest in zip(samples, ids, verdicts, strict=True)]
    return torch.stack([best(texts[first : first + 3], config).rows["row"] for first in range(0, 12, 3)])


def test_generate_keeps_one_of_its_own_samples():
    model, batch = tiny_model.trained_model(), tiny_model.processor()(tiny_model.league()[:4])
    torch.manual_seed(1)
    kept = model.generate(**batch, consensus=3, **SAMPLED)
    torch.manual_seed(1)
    samples = model.generate(**batch, do_sample=True, num_return_sequences=3, **SAMPLED)
    assert torch.equal(kept, expected(samples, model.config, [Verdict()] * 12))
    assert len(kept) == 4 and len({tuple(row) for row in samples.tolist()}) > 4
    verdicts, calls = [Verdict(index % 3 == 2, 0, 0) for index in range(12)], []
    torch.manual_seed(1)
    judged = model.generate(**batch, consensus=3, **SAMPLED, judge=lambda *call: (calls.append(call), verdicts)[1])
    assert torch.equal(judged, expected(samples, model.config, verdicts)) and not torch.equal(judged, kept)
    [(sequences, about)] = calls
    assert torch.equal(sequences, samples) and list(about) == [game for game in range(4) for _ in range(3)]
    torch.manual_seed(1)
    output = model.generate(**batch, consensus=3, **SAMPLED, return_dict_in_generate=True)
    assert torch.equal(output.sequences, kept) and output.log_probs.shape == kept.shape


@pytest.mark.parametrize(
    "options", [{"num_beams": 2}, {"num_return_sequences": 2, "do_sample": True}, {"streamer": object()}]
)
def test_incompatible_options_are_refused(options):
    with pytest.raises(StgError, match="consensus"):
        tiny_model.random_model().generate(**tiny_model.processor()(tiny_model.league()[:1]), consensus=2, **options)
