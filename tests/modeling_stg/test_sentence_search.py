"""Sentence-wise decoding against the plain twin: what is sampled, judged, chosen and never let through."""

import copy
import itertools
from collections import Counter

import pytest
import torch
from transformers import GenerationConfig

from modeling_stg import sentence_search
from modeling_stg.errors import StgError
from modeling_stg.game_facts import as_facts
from modeling_stg.sentence_search import TRIES, Candidate
from modeling_stg.settings import DEFAULTS
from tests.helpers import tiny_model
from tests.twins.model_twin import Twin


SIZE = 5
LONG = {"sentence_candidates": SIZE, "max_new_tokens": 90, "min_new_tokens": 60}
SHORT = {"sentence_candidates": SIZE, "max_new_tokens": 60}


@pytest.fixture(scope="module")
def games():
    return tiny_model.league()[:3]


@pytest.fixture(scope="module")
def batch(processor, games):
    return processor(games, writers=[row["writer"] for row in games])


class Recorder:
    """A judge that keeps its calls and says what `verdict` says about a candidate."""

    def __init__(self, verdict=lambda candidate: 0.0):
        self.verdict, self.calls = verdict, []

    def __call__(self, candidates):
        self.calls.append(list(candidates))
        return [self.verdict(candidate) for candidate in candidates]

    @property
    def candidates(self) -> list[Candidate]:
        return [candidate for call in self.calls for candidate in call]


def write(model, batch, judge=None, seed=0, **options):
    """The texts without padding, and the log-probabilities of their tokens."""
    torch.manual_seed(seed)
    output = model.generate(**batch, **{**LONG, **options}, judge=judge, return_dict_in_generate=True)
    pad = model.config.pad_token_id
    texts = [[token for token in row if token != pad] for row in output.sequences.tolist()]
    assert all(set(row[len(text) :]) <= {pad} for row, text in zip(output.sequences.tolist(), texts, strict=True))
    return texts, [row[: len(text)] for row, text in zip(output.log_probs.tolist(), texts, strict=True)]


def sentences(text, config) -> list[tuple[int, ...]]:
    """The whole sentences of a text."""
    stops = [position + 1 for position, token in enumerate(text) if token == config.period_token_id]
    return [tuple(text[start:stop]) for start, stop in itertools.pairwise([0, *stops])]


class Twins:
    """Log-probabilities token by token, from the equations."""

    def __init__(self, model, batch):
        self.twins = []
        for index in range(len(batch["entity_ids"])):
            entities = int(batch["entity_mask"][index].sum())
            game = {name: tensor[index] for name, tensor in batch.items()}
            game = {name: tensor[:entities] if tensor.dim() else tensor for name, tensor in game.items()}
            with torch.no_grad():
                self.twins.append(Twin(model, game))

    @torch.no_grad()
    def read(self, game: int, ids: list[int]) -> list[float]:
        twin = copy.copy(self.twins[game])
        twin.memory = {}
        return [-float(sum(twin.read(token).values())) for token in ids]


@pytest.fixture(scope="module")
def twins(model, batch):
    return Twins(model, batch)


@pytest.mark.parametrize("weights", ["plain", "teammates"])
def test_candidates_and_texts_have_the_log_probabilities_of_the_twin(weights, model, batch, by_c_or_torch):
    """Parking rows, taking them back, branching and trying again keep every row's state right."""
    if weights == "teammates":
        model = tiny_model.trained_model(**tiny_model.C_SIZES, use_teammates=True)
    twins, turn = Twins(model, batch), itertools.count()
    judge = Recorder(lambda candidate: None if next(turn) % 4 else 0.0)  # so some sentences are tried again
    texts, log_probs = write(model, batch, judge)
    positions, records = Counter(), 0
    for game, ids, start, log_prob in judge.candidates:
        assert log_prob == pytest.approx(sum(twins.read(game, ids)[start:]), abs=2e-3)
        positions[ids[:start].count(model.config.period_token_id)] += 1
        records += sum(token >= model.config.vocab_size for token in ids[start:])
    assert len(positions) >= 4 and records > 100  # of later sentences too
    for game, (ids, steps) in enumerate(zip(texts, log_probs, strict=True)):
        assert steps == pytest.approx(twins.read(game, ids), abs=1e-3)
    assert len(set(map(len, texts))) > 1


def test_chooses_by_mean_log_probability_and_merit(model, batch):
    def merit(candidate: Candidate) -> float | None:
        return sum(candidate.ids[candidate.start :]) % 7 / 3 if sum(candidate.ids) % 3 else None

    def value(candidate: Candidate) -> float:
        return candidate.log_prob / len(candidate.ids[candidate.start :]) + merit(candidate)

    for verdict in (merit, lambda candidate: 0.0):
        judge = Recorder(verdict)
        texts, _ = write(model, batch, judge)
        judged = 0
        for call in judge.calls:
            for game in {candidate.game for candidate in call}:
                accepted = [c for c in call if c.game == game and verdict(c) is not None]
                kept = [c for c in accepted if texts[game][: len(c.ids)] == c.ids]
                assert len(kept) == min(1, len(accepted))
                if verdict is merit and kept:
                    assert value(kept[0]) == max(map(value, accepted))
                elif kept:
                    means = [c.log_prob / (len(c.ids) - c.start) for c in accepted]
                    assert kept[0].log_prob / (len(kept[0].ids) - kept[0].start) == max(means)
                judged += len(accepted) > 1
        assert judged > 5


def test_without_a_judge_the_likeliest_is_kept(model, batch):
    assert write(model, batch) == write(model, batch, Recorder())


def test_candidates_are_whole_new_sentences_of_each_game(model, batch):
    judge, period = Recorder(), model.config.period_token_id
    write(model, batch, judge)
    for call in judge.calls:
        assert len({(candidate.game, *candidate.ids) for candidate in call}) == len(call)  # none twice
        for game, ids, start, _ in call:
            assert ids[-1] == period and period not in ids[start:-1] and len(ids) - start > 1
            assert start == 0 or ids[start - 1] == period
            assert sum(candidate.game == game for candidate in call) <= SIZE


def test_a_judge_that_rejects_everything_leaves_nothing(model, batch):
    judge = Recorder(lambda candidate: None)
    texts, _ = write(model, batch, judge)
    assert texts == [[], [], []] and len(judge.calls) == TRIES * DEFAULTS["sentence_starts"]
    assert model.generate(**batch, **LONG, judge=judge).shape == (3, 0)


def test_a_text_that_got_stuck_is_begun_as_often_as_asked(model, batch):
    judge = Recorder(lambda candidate: None)
    write(model, batch, judge, sentence_starts=2)
    assert len(judge.calls) == TRIES * 2


def test_a_rejected_sentence_never_passes(model, batch, processor, games):
    """What a judge rejects, here every first sentence that a text would begin with, is in no text."""
    free, _ = write(model, batch, **SHORT)
    barred = {tuple(sentences(text, model.config)[0]) for text in free}
    judge = Recorder(lambda candidate: None if tuple(candidate.ids[candidate.start :]) in barred else 0.0)
    for seed in range(3):
        texts, _ = write(model, batch, judge, seed=seed, **SHORT)
        assert not barred & {sentence for text in texts for sentence in sentences(text, model.config)}
        assert any(texts)
    assert barred & {tuple(candidate.ids[candidate.start :]) for candidate in judge.candidates}
    assert len(processor.batch_decode(texts, games)) == 3


def test_a_sentence_is_tried_a_few_times_then_the_text_ends(model, batch):
    """Only the first sentence is accepted: the second is tried TRIES times for every game and start."""
    judge = Recorder(lambda candidate: None if candidate.start else 0.0)
    texts, _ = write(model, batch, judge)
    assert [len(sentences(text, model.config)) for text in texts] == [1, 1, 1]
    assert all(text[-1] == model.config.period_token_id for text in texts)
    for game in range(3):
        rounds = [call for call in judge.calls if any(c.game == game and c.start for c in call)]
        assert len(rounds) == TRIES * DEFAULTS["sentence_starts"]


def test_a_long_enough_text_ends_where_it_got_stuck(model, batch, monkeypatch):
    """It is not begun again, and takes no poor sentence; a short one does both."""
    accepted = Recorder(lambda candidate: 0.0 if candidate.start == 0 else -1.0)
    monkeypatch.setattr(sentence_search, "ENOUGH", 1)
    texts, _ = write(model, batch, accepted)
    assert [len(sentences(text, model.config)) for text in texts] == [1, 1, 1]
    assert max(Counter(c.game for call in accepted.calls for c in call[:1]).values()) == 1 + TRIES
    monkeypatch.setattr(sentence_search, "ENOUGH", 1000)
    texts, _ = write(model, batch, accepted)
    assert all(len(sentences(text, model.config)) > 1 for text in texts)


def test_tries_are_counted_by_sentence(model, batch):
    """A judge that rejects the first rounds of every sentence, but not the last, delays texts without ending them."""
    rounds = Counter()

    def judge(candidates):
        rounds.update({(candidate.game, candidate.start) for candidate in candidates})
        return [0.0 if rounds[candidate.game, candidate.start] == TRIES else None for candidate in candidates]

    texts, _ = write(model, batch, judge)
    assert any(len(sentences(text, model.config)) > 1 for text in texts) and max(rounds.values()) == TRIES


def test_texts_end_in_the_end_or_a_whole_sentence(model, batch, monkeypatch):
    config = model.config

    def without_end(text: list[int]) -> list[int]:
        return text[:-1] if text[-1:] == [config.eos_token_id] else text

    for seed, longest in enumerate((1, 20, 40, 60)):
        texts, _ = write(model, batch, seed=seed, min_new_tokens=0, max_new_tokens=longest)
        assert all(len(text) <= longest for text in texts)
        assert all(text[-1] == config.period_token_id for text in map(without_end, texts) if text)
    texts, _ = write(model, batch, min_new_tokens=0, end_penalty=-9.0)  # many candidates end within a sentence
    assert all(text[-1] == config.period_token_id for text in map(without_end, texts) if text)
    monkeypatch.setattr(sentence_search, "MAX_SENTENCE", 16)
    judge = Recorder()
    texts, _ = write(model, batch, judge)
    lengths = {len(candidate.ids) - candidate.start for candidate in judge.candidates}
    lengths |= {len(sentence) for text in texts for sentence in sentences(text, config)}
    assert lengths and max(lengths) <= 16


def test_a_text_ends_where_most_candidates_end_it(model, batch):
    """A judge that rejects second sentences does not keep the model's own <EoD> away, and vice versa."""
    config = model.config
    two = {"min_new_tokens": 0, "max_new_tokens": 200, "temperature": 0.3}
    texts, log_probs = write(model, batch, Recorder(), **two)
    assert all(text[-1] == config.eos_token_id for text in texts)
    assert all(len(sentences(text, config)) == tiny_model.SENTENCES for text in texts)
    assert all(steps[-1] < 0 for steps in log_probs)


def test_long_texts_do_not_shorten_others(model, batch, processor, games):
    """Room and minimal length are every text's own: here game 0 writes more than the others."""
    config = model.config

    def judge(candidates):  # long sentences for game 0, short ones for the others
        return [(len(c.ids) - c.start) * (10.0 if c.game == 0 else -10.0) for c in candidates]

    for seed in range(3):
        texts, _ = write(model, batch, judge, seed=seed, min_new_tokens=70)
        assert len(texts[0]) != len(texts[1])
        for text in texts:
            assert text.index(config.eos_token_id) >= 70 if config.eos_token_id in text else len(text) > 50


@pytest.mark.parametrize("way", ["must_mention", "plan"])
def test_demands_are_met_whatever_the_judge_says(way, model, processor, games):
    """The last game demands nothing, so nothing rejected is in its text."""
    row, config = games[0], model.config
    name = as_facts(row).game.entities[6].name
    wanted = [name, f"{row['home_name']}:TEAM-REB", f"{row['vis_name']}:TEAM-PTS"]
    demands = {way: [wanted, wanted[:1], None]}
    about = [row, row, games[2]]
    batch = processor(about, **demands)
    for longest in (10, 40, 90):
        judge = Recorder(lambda candidate: None)
        texts, _ = write(model, batch, judge, max_new_tokens=longest, min_new_tokens=0)
        assert texts[2] == []
        for index in (0, 1):
            cells = [config.record_ids.decode_cell(token)[0] for token in texts[index] if token >= config.vocab_size]
            if way == "plan":
                assert cells == [cell for cell in batch["plan"][index].tolist() if cell >= 0]
            else:
                stated = [config.record_ids.entity_and_slot(cell) for cell in cells]
                for group in batch["required"][index]:
                    assert not group.any() or any(group[record] for record in stated)
            assert len(texts[index]) <= longest


def test_rejected_sentences_pass_only_until_demands_are_met(model, processor, games):
    batch = processor(games[:1], must_mention=[[f"{games[0]['home_name']}:TEAM-NAME"]])
    judge, config = Recorder(lambda candidate: None), model.config
    texts, _ = write(model, batch, judge, min_new_tokens=0)
    [record] = batch["required"][0].flatten(1).any(0).nonzero().tolist()
    stated = [
        [config.record_ids.decode_cell(token)[0] in record for token in sentence]
        for sentence in sentences(texts[0], config)
    ]
    assert sum(map(any, stated)) == 1 and any(stated[-1])


CONSTRAINTS = {"avoid_repeats": True, "no_repeat_sentences": True, "grounded_only": True, "sentence_ngram_size": 3}


def test_constraints_hold(model, batch):
    config, numbers = model.config, set(model.config.number_token_ids)
    turn = itertools.count()
    free, held = Counter(), Counter()
    for counts, options in ((free, {}), (held, CONSTRAINTS)):
        for seed in range(2):
            judge = Recorder(lambda candidate: None if next(turn) % 3 == 0 else 0.0)
            texts, _ = write(model, batch, judge, seed=seed, temperature=0.7, **options)
            for ids in (*texts, *(candidate.ids for candidate in judge.candidates)):
                whole = sentences(ids, config)
                counts["sentences"] += len(whole) - len(set(whole))
                counts["numerals"] += sum(token in numbers for token in ids)
                cells = [config.read_record_id(token)[:2] for token in ids if token >= config.vocab_size]
                cells = [cell for cell in cells if config.is_number(config.attribute(*cell))]
                counts["records"] += len(cells) - len(set(cells))
    assert all(free[name] for name in ("records", "numerals")), free
    assert not any(held.values()), held


def test_candidates_are_sampled_even_if_only_the_generation_config_asks_for_them(model, batch):
    """`do_sample` is implied; without it all candidates would be the same."""
    own = model.generation_config
    model.generation_config = GenerationConfig(sentence_candidates=SIZE, max_new_tokens=60)
    try:
        judge = Recorder()
        torch.manual_seed(0)
        model.generate(**batch, judge=judge)
    finally:
        model.generation_config = own
    assert len([candidate for candidate in judge.calls[0] if candidate.game == 0]) > 1


def test_sampling_leaves_greedy_decoding_alone(model, batch):
    before = model.generate(**batch, max_new_tokens=40)
    write(model, batch)
    assert torch.equal(model.generate(**batch, max_new_tokens=40), before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_beams": 2}, "sentence_candidates: writes one text"),
        ({"num_return_sequences": 2}, "sentence_candidates: writes one text"),
        ({"consensus": 2}, "sentence_candidates: writes one text"),
        ({"streamer": object()}, "streamer: sentences are chosen"),
        ({"judge": lambda candidates: []}, "judge: 0 verdicts on"),
        ({"sentence_candidates": -1}, "sentence_candidates: -1"),
        ({"sentence_candidates": 0, "judge": lambda candidates: []}, "judge: there is nothing to choose from"),
    ],
)
def test_mistakes_are_named(model, batch, options, message):
    with pytest.raises(StgError, match=message):
        model.generate(**batch, **{**SHORT, **options})
