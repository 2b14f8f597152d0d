"""`generate` against the plain twin of Algorithm 1, and the usual options of text generation."""

import io
import itertools
import json
import resource
import tarfile

import pytest
import torch
from transformers import GenerationConfig

from modeling_stg.decoder_state import DecoderState
from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.word_constraints import Sentences
from tests.helpers import tiny_model
from tests.twins import decoding_twin as twin


LENGTH = 60


@pytest.fixture(scope="module")
def games():
    return tiny_model.league()[:8]


@pytest.fixture(scope="module")
def batch(processor, games):
    return processor(games, writers=[row["writer"] for row in games])


def texts(sequences, config) -> list[list[int]]:
    """Rows of ids without the padding that follows <EoD>."""
    rows = []
    for row in sequences.tolist():
        rows.append(row[: row.index(config.eos_token_id) + 1] if config.eos_token_id in row else row)
        assert set(row[len(rows[-1]) :]) <= {config.pad_token_id}
    return rows


@pytest.mark.parametrize("weights", ["random", "teammates", "trained"])
def test_greedy_matches_the_twin_on_sixty_games(weights, processor, by_c_or_torch):
    trained, sizes = weights == "trained", tiny_model.C_SIZES
    if trained:
        model = tiny_model.trained_model(**sizes)
    else:  # not seed 0: two entities of a game score so close that rounding decides
        model = tiny_model.random_model(8, use_teammates=weights == "teammates", **sizes)
    rows = tiny_model.league()
    writers = [row["writer"] for row in rows]
    together = texts(model.generate(**processor(rows, writers=writers), max_new_tokens=LENGTH), model.config)
    stated, periods = 0, 0
    for row, writer, ids in zip(rows, writers, together, strict=True):
        single = processor([row], writers=[writer])
        decisions = twin.write(model, single, 0, LENGTH)
        assert twin.ids(model.config, decisions) == ids, row["game_id"]
        stated += sum(decision.z for decision in decisions)
        periods += ids.count(model.config.period_token_id)
    assert stated > 60
    assert periods > 10 or not trained  # the tracker is refreshed after periods


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("hidden", [160, 216, 262])  # blocks of 32 and of 27, and one where 262 has no good divisor
def test_greedy_matches_the_twin_for_any_block_size(hidden, dtype, processor, games):
    model = tiny_model.random_model(hidden_size=hidden, num_lm_layers=2).to(dtype)
    together = texts(model.generate(**processor(games), max_new_tokens=LENGTH), model.config)
    alone = [twin.ids(model.config, twin.write(model, processor([game]), 0, LENGTH)) for game in games]
    assert together == alone


@pytest.mark.rotowire
def test_greedy_matches_the_twin_on_fifty_real_games(rotowire_dir):
    with tarfile.open(rotowire_dir / "rotowire.tar.bz2") as archive:
        games = json.load(archive.extractfile("rotowire/test.json"))[:50]
    rows = [{**game, "mentions": []} for game in games]
    processor = StgProcessor.from_dataset(rows)
    torch.manual_seed(1)
    model = StgForDataToText(processor.config(**tiny_model.SIZES | tiny_model.C_SIZES)).eval()
    together = texts(model.generate(**processor(rows), max_new_tokens=LENGTH), model.config)
    for row, ids in zip(rows, together, strict=True):
        assert twin.ids(model.config, twin.write(model, processor([row]), 0, LENGTH)) == ids


def test_results_are_batch_invariant(processor, games, by_c_or_torch):
    model = tiny_model.trained_model(**tiny_model.C_SIZES)
    options = {"max_new_tokens": LENGTH, "sentence_ngram_size": 3, "repetition_penalty": 1.2, "avoid_repeats": True}
    together = texts(model.generate(**processor(games), **options), model.config)
    alone = [texts(model.generate(**processor([row]), **options), model.config)[0] for row in games]
    assert together == alone
    assert len({len(ids) for ids in alone}) > 1  # some ended earlier than others


def test_finished_texts_leave_the_batch(model, batch, monkeypatch):
    rows = []
    feed = DecoderState.feed
    monkeypatch.setattr(DecoderState, "feed", lambda self, *written: (rows.append(len(self)), feed(self, *written))[1])
    sequences = model.generate(**batch, max_new_tokens=LENGTH, sentence_ngram_size=2)
    assert sum(rows) == sum(len(ids) for ids in texts(sequences, model.config))
    assert rows[0] == len(sequences) > rows[-1]


def test_readme_calls(model, processor, games, tmp_path):
    model.save_pretrained(tmp_path)
    loaded = StgForDataToText.from_pretrained(tmp_path)
    sequences = loaded.generate(**processor([games[0]], writers=[7], return_tensors="pt"), max_new_tokens=12)
    assert sequences.dtype == torch.long and sequences.shape == (1, 12)
    text = processor.batch_decode(sequences, [games[0]])[0]
    assert isinstance(text, str) and text
    assert torch.equal(loaded.generate(**processor(games[0]), max_new_tokens=5)[0, :0], sequences[0, :0])


def test_decisions_and_log_probabilities_match_the_sequences(model, processor, games, batch):
    output = model.generate(**batch, max_new_tokens=LENGTH, return_dict_in_generate=True)
    config = model.config
    for sequence, z, entity, slot, as_word in zip(
        output.sequences, output.z, output.entity, output.attribute, output.as_word, strict=True
    ):
        for decision in zip(*(tensor.tolist() for tensor in (sequence, z, entity, slot, as_word)), strict=True):
            token = decision[0]
            assert decision[1] == (token >= config.vocab_size)
            if decision[1]:
                assert config.record_id(decision[2], decision[3], decision[4]) == token
            else:
                assert decision[2:] == (-1, -1, -1)
    labels = output.sequences.masked_fill(output.sequences == config.pad_token_id, -100)
    with torch.no_grad():
        loss = model(**batch, labels=labels).loss
    assert torch.allclose(-output.log_probs.sum(), loss, rtol=1e-4)


def test_minimum_and_maximum_length_hold(model, batch):
    end = model.config.eos_token_id
    for cap in (1, 7, 33):
        assert model.generate(**batch, max_new_tokens=cap).shape[1] <= cap
        assert model.generate(**batch, max_length=cap).shape[1] <= cap
    for options in ({}, {"do_sample": True}, {"num_beams": 2}):
        sequences = model.generate(**batch, max_new_tokens=40, min_new_tokens=40, **options)
        assert sequences.shape[1] == 40 and not (sequences == end).any()


def test_special_tokens_are_never_written(model, batch):
    torch.manual_seed(0)
    sequences = model.generate(**batch, max_new_tokens=30, do_sample=True, temperature=5.0, top_k=0)
    config = model.config
    for ids in texts(sequences, config):
        assert not {config.pad_token_id, config.unk_token_id, config.bos_token_id} & set(ids)


def test_seeds_reproduce_and_samples_differ(model, batch):
    def sample(seed, **options):
        torch.manual_seed(seed)
        return model.generate(**batch, do_sample=True, max_new_tokens=30, **options)

    assert torch.equal(sample(1), sample(1))
    assert not torch.equal(sample(1, min_new_tokens=30), sample(2, min_new_tokens=30))
    samples = sample(3, num_return_sequences=3)
    assert len(samples) == 3 * len(batch["entity_ids"])
    assert any(samples[3 * game].tolist() != samples[3 * game + 1].tolist() for game in range(8))


def test_sampling_narrows_to_greedy(model, batch):
    greedy = model.generate(**batch, max_new_tokens=30)
    cold = model.generate(**batch, max_new_tokens=30, do_sample=True, temperature=1e-5)
    assert torch.equal(greedy, cold)


def test_end_penalty_makes_texts_longer(model, batch):
    def lengths(penalty: float) -> list[int]:
        sequences = model.generate(**batch, max_new_tokens=60, end_penalty=penalty)
        return (sequences != model.config.pad_token_id).sum(1).tolist()

    short, usual, long = lengths(-50.0), lengths(0.0), lengths(50.0)
    assert all(low <= middle <= high for low, middle, high in zip(short, usual, long, strict=True))
    assert sum(short) < sum(usual) < sum(long) and set(long) == {60}


def test_repeated_ngrams_are_blocked(model, processor, games, batch):
    plain = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH)
    config = model.config

    def repeated(row, size, within_sentence):
        words = [row[start : start + size] for start in range(len(row) - size + 1)]
        words = [tuple(gram) for gram in words if max(gram) < config.vocab_size]
        if within_sentence:
            words = [gram for gram in words if config.period_token_id not in gram[:-1]]
        return len(words) - len(set(words))

    assert any(repeated(row, 2, False) for row in plain.tolist())
    blocked = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, no_repeat_ngram_size=2)
    assert not any(repeated(row, 2, False) for row in blocked.tolist())
    once = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, no_repeat_ngram_size=1)
    assert not any(repeated(row, 1, False) for row in once.tolist())
    sentence = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, sentence_ngram_size=2)
    for row in sentence.tolist():
        parts = [
            list(part)
            for end, part in itertools.groupby(row, lambda token: token == config.period_token_id)
            if not end
        ]
        assert not any(repeated(part, 2, True) for part in parts)
    assert any(repeated(row, 2, False) for row in sentence.tolist()), "another sentence may use the same words"


@pytest.mark.parametrize("way", [{}, {"num_beams": 2}], ids=["greedy", "beams"])
def test_repeated_sentences_are_blocked(way, model, batch):
    period = model.config.period_token_id

    def repeated(row):
        sentences, start = [], 0
        for stop in [position + 1 for position, token in enumerate(row) if token == period]:
            sentences.append(tuple(row[start:stop]))
            start = stop
        return len(sentences) - len(set(sentences))

    options = {"max_new_tokens": 3 * LENGTH, "min_new_tokens": 3 * LENGTH, **way}
    if not way:  # these beams repeat no sentence anyway
        assert any(repeated(row) for row in model.generate(**batch, **options).tolist())
    assert not any(map(repeated, model.generate(**batch, **options, no_repeat_sentences=True).tolist()))


def test_a_repeated_sentence_is_blocked_at_its_eighth_token():
    history = Sentences(stop=4)
    for token in (*range(10, 20), 4, 30, 4, *range(10, 16)):
        history.add(token, token)
        assert history.blocked() == ()
    history.add(16, 16)
    assert history.blocked() == (17,)
    history.add(99, 99)
    assert history.blocked() == ()
    for token in (4, 30):
        history.add(token, token)
    assert history.blocked() == (4,)


def test_repetition_penalty_diversifies_words(model, batch):
    def distinct(**options):
        rows = model.generate(**batch, max_new_tokens=LENGTH, min_new_tokens=LENGTH, **options)
        words = [{token for token in row if token < model.config.vocab_size} for row in rows.tolist()]
        return sum(map(len, words))

    assert distinct(repetition_penalty=3.0) > distinct()


def small_game(row: dict) -> dict:
    """The same teams with three players."""
    return {**row, "box_score": row["box_score"][:3]}


def next_tokens(model, batch, prefix: list[int]) -> dict[int, float]:
    """The log-probability of prefix + each possible id: words from one forward pass, each record from its own loss."""
    config = model.config
    end = config.eos_token_id
    before = -model(**batch, labels=torch.tensor([prefix])).loss.item() if prefix else 0.0
    scores = model(**batch, labels=torch.tensor([[*prefix, end]]), return_scores=True).scores
    words = before + torch.nn.functional.logsigmoid(-scores.z[0, -1]) + scores.y[0, -1].log_softmax(0)
    totals = dict(enumerate(words.tolist()))
    for entity, slot in batch["record_mask"][0].nonzero().tolist():
        for form in (False, True) if batch["has_word"][0, entity, slot] else (False,):
            index = config.record_id(entity, slot, form)
            totals[index] = -model(**batch, labels=torch.tensor([[*prefix, index]])).loss.item()
    never = (config.pad_token_id, config.unk_token_id, config.bos_token_id, end)
    return {index: total for index, total in totals.items() if index not in never}


@torch.no_grad()
@pytest.mark.parametrize(("seed", "sizes"), [(3, {}), (5, {}), (4, {"hidden_size": 160})])
def test_beams_match_brute_force(seed, sizes, processor, games, by_c_or_torch):
    """Two tokens, three beams: the same texts and scores as running the forward pass on every continuation."""
    model, batch = tiny_model.random_model(seed, **sizes), processor([small_game(games[0])])
    first = next_tokens(model, batch, [])
    starts = sorted(first, key=first.get, reverse=True)[:3]
    pairs = {(start, index): total for start in starts for index, total in next_tokens(model, batch, [start]).items()}
    best = sorted(pairs, key=pairs.get, reverse=True)[:3]
    options = {"max_new_tokens": 2, "min_new_tokens": 2, "return_dict_in_generate": True}
    output = model.generate(**batch, num_beams=3, num_return_sequences=3, **options)
    assert [tuple(ids) for ids in output.sequences.tolist()] == best
    assert output.sequences_scores.tolist() == pytest.approx([pairs[pair] / 2 for pair in best], rel=1e-4)


def test_beams_find_likelier_texts_and_log_probabilities_add_up(model, processor, games, batch):
    options = {"max_new_tokens": 30, "return_dict_in_generate": True, "length_penalty": 0.0}
    beams = model.generate(**batch, num_beams=4, num_return_sequences=2, **options)
    greedy = model.generate(**batch, **options)
    assert (beams.sequences_scores[::2] >= beams.sequences_scores[1::2]).all()
    assert torch.allclose(beams.log_probs.sum(1), beams.sequences_scores, rtol=1e-4)
    assert beams.sequences_scores[::2].mean() > greedy.log_probs.sum(1).mean()
    best = beams.sequences[::2]
    labels = best.masked_fill(best == model.config.pad_token_id, -100)
    with torch.no_grad():
        assert torch.allclose(model(**batch, labels=labels).loss, -beams.log_probs[::2].sum(), rtol=1e-4)
    alone = model.generate(**processor([games[2]], writers=[games[2]["writer"]]), num_beams=4, **options).sequences
    assert texts(alone, model.config)[0] == texts(best[2:3], model.config)[0]


def test_length_penalty_makes_texts_longer(model, batch):
    def length(penalty):
        rows = model.generate(**batch, num_beams=4, max_new_tokens=LENGTH, length_penalty=penalty)
        return sum(map(len, texts(rows, model.config)))

    assert length(3.0) > length(-3.0)


def test_streamer_prints_the_text(model, processor, games):
    file = io.StringIO()
    inputs = processor([games[0]])
    sequences = model.generate(**inputs, max_new_tokens=LENGTH, streamer=processor.streamer(games[0], file))
    assert file.getvalue() == processor.batch_decode(sequences, [games[0]])[0] + "\n"
    with pytest.raises(StgError, match="streamer"):
        model.generate(**inputs, num_beams=2, streamer=processor.streamer(games[0], file))


def test_generation_config_is_saved_and_can_be_overridden(processor, games, tmp_path):
    model = tiny_model.random_model()
    model.generation_config = GenerationConfig(max_new_tokens=9, avoid_repeats=True, sentence_ngram_size=2)
    model.save_pretrained(tmp_path)
    loaded = StgForDataToText.from_pretrained(tmp_path)
    settings, _, _ = loaded._read_call(None, dict(processor([games[0]])))
    assert (settings.max_new_tokens, settings.avoid_repeats, settings.sentence_ngram_size) == (9, True, 2)
    settings, _, _ = loaded._read_call(None, {**processor([games[0]]), "max_new_tokens": 5, "avoid_repeats": False})
    assert (settings.max_new_tokens, settings.avoid_repeats, settings.do_sample) == (5, False, False)


def test_generate_restores_training_mode(processor, games):
    model = tiny_model.random_model().train()
    first = model.generate(**processor([games[0]]), max_new_tokens=9)
    assert model.training and not first.is_inference()
    assert torch.equal(first, model.generate(**processor([games[0]]), max_new_tokens=9))  # unknown_rate had no effect


def test_memory_stays_flat_over_a_thousand_games(processor):
    """The process does not grow after the first games."""
    model, rows = tiny_model.random_model(), tiny_model.league()[:50]
    batch = processor(rows)
    peaks = []
    for _ in range(20):
        model.generate(**batch, max_new_tokens=8)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # kB on Linux
    assert peaks[-1] - peaks[4] < 30_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"min_new_tokens": 9, "max_new_tokens": 5}, "min_new_tokens: 9"),
        ({"temperature": 0.0, "do_sample": True}, "temperature"),
        ({"top_p": 1.5, "do_sample": True}, "top_p"),
        ({"num_return_sequences": 2}, "num_return_sequences"),
        ({"num_beams": 2, "do_sample": True}, "num_beams"),
        ({"typical_p": 0.5}, "typical_p"),
        ({"z_threshold": 1.0}, "z_threshold: 1.0"),
        ({"no_repeat_ngram_size": -1}, "no_repeat_ngram_size: -1"),
    ],
)
def test_invalid_options_are_named(options, message, processor, games):
    with pytest.raises(StgError, match=message):
        tiny_model.random_model().generate(**processor([games[0]]), **options)


def test_missing_inputs_are_named(processor, games):
    batch = dict(processor([games[0]]))
    del batch["record_mask"]
    with pytest.raises(StgError, match="record_mask"):
        tiny_model.random_model().generate(**batch)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("options", [{}, {"num_beams": 3}, {"consensus": 2}], ids=["greedy", "beams", "consensus"])
def test_other_precisions_generate_with_log_probabilities(dtype, options, processor, games):
    model = tiny_model.random_model().to(dtype)
    output = model.generate(**processor(games[:2]), max_new_tokens=12, return_dict_in_generate=True, **options)
    assert output.sequences.shape == output.log_probs.shape and (output.log_probs <= 0).all()


def test_autocast_has_no_effect(model, processor, games):
    batch = processor(games[:2])
    with torch.autocast("cpu", torch.bfloat16):
        inside = model.generate(**batch, max_new_tokens=LENGTH)
    assert torch.equal(inside, model.generate(**batch, max_new_tokens=LENGTH))


@pytest.mark.parametrize("penalties", [{"repetition_penalty": 1.5}, {"end_penalty": 1.0}], ids=str)
def test_beams_return_log_probabilities_before_penalties(penalties, model, processor, games):
    batch = processor(games[:1])
    output = model.generate(**batch, num_beams=3, max_new_tokens=3 * LENGTH, return_dict_in_generate=True, **penalties)
    labels = output.sequences.masked_fill(output.sequences == model.config.pad_token_id, -100)
    assert torch.allclose(model(**batch, labels=labels).loss, -output.log_probs.sum(), rtol=1e-4)
    ranked = output.sequences_scores * (labels != -100).sum(1)
    assert not torch.allclose(ranked, output.log_probs.sum(1), rtol=1e-4), "ranked after the penalties"


def test_each_module_keeps_its_mode(model, processor, games):
    model.train()
    model.encoder.eval()
    model.generate(**processor(games[:1]), max_new_tokens=3)
    assert model.training and model.language.training and not model.encoder.training
    model.eval()
