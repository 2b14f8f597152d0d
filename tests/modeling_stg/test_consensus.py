"""Consensus decoding: of several texts the one with the fewest repetitions that agrees best with the others."""

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


def texts_of(rows: list[list[int]], verdicts: list[tuple] | None = None) -> list[Text]:
    verdicts = verdicts or [()] * len(rows)
    return [Text({}, row, Verdict(*verdict)) for row, verdict in zip(rows, verdicts, strict=True)]


def chosen(rows: list[list[int]], verdicts: list[tuple] | None = None, **options) -> int:
    """The number of the text that is kept."""
    texts = texts_of(rows, verdicts)
    return texts.index(best(texts, CONFIG, **options))


def test_fewest_faults_then_best_agreement():
    period = CONFIG.period_token_id
    rows = [[10, 11, period, 10, 11, period], [10, 11, 12, period], [20, 21, 22, period], [10, 11, 12, 13, period]]
    assert chosen(rows) == 1
    assert chosen(rows[2:]) == 0  # of two, both agree alike: the first


def test_a_judge_is_heard():
    rows = [[10, 11, 12, 13], [10, 11, 12, 14], [10, 11, 20, 21]]
    assert chosen(rows) == 0  # the first two agree alike
    assert chosen(rows, [(0, 1, 0), (0, 0, 0), (0, 9, 9)]) == 1
    assert chosen(rows, [(0, 0, 5), (0, 0, 6), (0, 0, 5)]) == 1
    assert chosen(rows, [(1, 0, 9), (2, 0, 9), (0, 9, 0)]) == 2  # said again weighs most


def test_of_rewritten_texts_repetitions_weigh_most_then_false_claims():
    rows = [[10, 11, 12, 13], [10, 11, 12, 14], [10, 11, 20, 21]]
    verdicts = [(0, 2, 9), (0, 2, 9), (0, 1, 0)]
    assert chosen(rows, verdicts) == 0 and chosen(rows, verdicts, false_before_agreement=True) == 2
    assert (
        chosen(rows, [(0, 2, 9), (0, 1, 9), (1, 0, 9)], false_before_agreement=True) == 1
    )  # said again still weighs most


def test_an_opening_ends_before_the_first_false_sentence():
    period = CONFIG.period_token_id
    row = [10, record(0, POINTS), period, 12, 13, period, 14, period]
    for sentence, length in ((2, 6), (1, 3), (0, 0), (9, 8)):  # the last: after all there is
        [text] = texts_of([row], [(0, 1, 0, sentence)])
        assert opening(text, CONFIG).tolist() == row[:length]


def test_the_comparison_chooses_as_generate_does():
    """`stg compare-choices`: its rows "agreement" and --check are what `best` does without and with a judge."""
    random = torch.Generator().manual_seed(0)
    texts = torch.randint(4, 40, (20 * 5, 12), generator=random)
    verdicts = torch.randint(0, 9, (20 * 5, 3), generator=random)
    ids = texts.unflatten(0, (20, 5)).tolist()
    agreed = np.array([agreement(some, CONFIG) for some in ids])
    fault = np.array([[faults(text, CONFIG) for text in some] for some in ids])
    judged = verdicts.unflatten(0, (20, 5)).tolist()
    for way, heard in ((choices.WAYS["agreement"][2], [None] * 20), (choices.CHECK, judged)):
        taken = choices.choose(way, agreed, fault, np.array(judged))
        assert taken.tolist() == [chosen(*game) for game in zip(ids, heard, strict=True)]
        assert len(set(taken)) > 1


def test_a_judge_needs_a_choice():
    batch = tiny_model.processor()(tiny_model.league()[:1])
    with pytest.raises(StgError, match="judge.*consensus"):
        tiny_model.random_model().generate(**batch, judge=lambda sequences, about: [Verdict()])


SAMPLED = {"max_new_tokens": 40, "temperature": 0.7}


def expected(samples: torch.Tensor, config, verdicts: list[Verdict]) -> torch.Tensor:
    """Of samples [4 * 3, T] of four games, those to keep."""
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
    last, seen = [Verdict(index % 3 == 2, 0, 0) for index in range(12)], []
    torch.manual_seed(1)
    judged = model.generate(**batch, consensus=3, **SAMPLED, judge=lambda *shown: (seen.append(shown), last)[1])
    assert torch.equal(judged, expected(samples, model.config, last)) and not torch.equal(judged, kept)
    [(sequences, about)] = seen
    assert torch.equal(sequences, samples) and list(about) == [game for game in range(4) for _ in range(3)]
    torch.manual_seed(1)
    output = model.generate(**batch, consensus=3, **SAMPLED, return_dict_in_generate=True)
    assert torch.equal(output.sequences, kept) and output.log_probs.shape == kept.shape


@pytest.mark.parametrize(
    "options", [{"num_beams": 2}, {"num_return_sequences": 2, "do_sample": True}, {"streamer": object()}]
)
def test_what_does_not_go_together_is_refused(options):
    with pytest.raises(StgError, match="consensus"):
        tiny_model.random_model().generate(**tiny_model.processor()(tiny_model.league()[:1]), consensus=2, **options)
