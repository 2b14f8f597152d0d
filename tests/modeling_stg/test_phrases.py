"""Known phrases: which sentences have them, and that they survive saving, shipping and generation."""

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.phrases import SIZE, KnownPhrases, phrase_hashes
from stg.training.release import ship
from tests.helpers import tiny_model


CONFIG = StgConfig(vocab_size=60)
STOP = CONFIG.period_token_id
WORDS = list(range(10, 10 + 2 * SIZE))


def team(attribute: str, entity: int = 0, as_word: bool = False) -> int:
    return CONFIG.record_id(entity, CONFIG.team_attributes.index(attribute), as_word)


def player(attribute: str, entity: int = 2, as_word: bool = False) -> int:
    return CONFIG.record_id(entity, CONFIG.player_attributes.index(attribute), as_word)


def is_known(sentence: list[int], *texts: list[int]) -> bool:
    return KnownPhrases(phrase_hashes(texts, CONFIG), CONFIG)(sentence)


def test_a_sentence_of_the_texts_is_known():
    text = [*WORDS, STOP, 40, 41, STOP, CONFIG.eos_token_id]
    assert is_known([*WORDS, STOP], text) and is_known([40, 41, STOP], text)
    assert not is_known([*WORDS, 40, STOP], text) and not is_known([*WORDS[::-1], STOP], text)


def test_known_phrases_may_be_recombined():
    """Two texts share SIZE - 1 words: a sentence may change over there, but not where they share fewer."""
    for shared, expected in ((SIZE - 1, True), (SIZE - 2, False)):
        middle = WORDS[:shared]
        texts = [[30, *middle, 31, 32, STOP], [40, *middle, 41, 42, STOP]]
        assert is_known([30, *middle, 41, 42, STOP], *texts) == expected


def test_beginning_and_end_are_part_of_phrases():
    text = [*WORDS, STOP]
    assert not is_known([*WORDS[1:], STOP], text)  # does not begin so
    assert not is_known([*WORDS[:-1], STOP], text)  # does not end so
    assert not is_known([30, *WORDS, STOP], text)
    assert is_known([*WORDS, STOP], [30, 31, STOP, *WORDS, STOP])  # every sentence begins after a full stop


def test_short_sentences_are_known_only_as_a_whole():
    text = [10, 11, STOP]
    assert len(text) + 1 < SIZE and is_known(text, text, [*WORDS, STOP])
    for other in ([10, STOP], [11, STOP], [STOP], [11, 10, STOP], [10, 10, 11, STOP]):
        assert not is_known(other, text)
    assert not is_known(WORDS[:2] + [STOP], [*WORDS, STOP])


def test_what_has_no_full_stop_is_no_sentence():
    assert len(phrase_hashes([WORDS, [*WORDS, CONFIG.eos_token_id], []], CONFIG)) == 0


def test_names_and_number_forms_do_not_matter_but_attributes_do():
    text = [10, team("TEAM-NAME"), 11, team("TEAM-PTS"), 12, player("PTS"), STOP]
    same = [10, team("TEAM-NAME", 1), 11, team("TEAM-PTS", 1, True), 12, player("PTS", 9, True), STOP]
    assert is_known(text, text) and is_known(same, text)
    for position, other in (
        (1, team("TEAM-CITY")),
        (3, team("TEAM-REB")),
        (5, player("REB")),
        (5, team("TEAM-PTS")),  # of a team, not a player
        (5, 13),  # a word
    ):
        assert not is_known([*text[:position], other, *text[position + 1 :]], text)
    slot = 1  # the same slot of a team and of a player is not the same attribute
    sentence = [10, CONFIG.record_id(0, slot, False), STOP]
    assert not is_known([10, CONFIG.record_id(2, slot, False), STOP], sentence)


def test_hashes_are_those_of_the_definition():
    """Slowly: all runs of SIZE tokens of ". sentence", records as attributes, hashed by a polynomial."""
    text = [team("TEAM-NAME", 1), *WORDS[: SIZE - 1], player("AST", 7, True), STOP, 20, STOP, *WORDS[:3], STOP]
    names = [*CONFIG.team_attributes, *(f"player's {name}" for name in CONFIG.player_attributes)]
    grams, sentence = set(), ["."]
    for token in text:
        if token >= CONFIG.vocab_size:
            entity, slot, _ = CONFIG.read_record_id(token)
            attribute = CONFIG.attribute(entity, slot)
            sentence.append(attribute if entity < 2 else f"player's {attribute}")
        else:
            sentence.append("." if token == STOP else token)
        if token == STOP:
            grams |= {tuple(sentence[start : start + SIZE]) for start in range(max(1, len(sentence) - SIZE + 1))}
            sentence = ["."]

    def number(item) -> int:
        return STOP if item == "." else CONFIG.vocab_size + names.index(item) if isinstance(item, str) else item

    def polynomial(gram) -> int:
        powers = (pow(1_000_003, power) for power in range(len(gram)))
        return sum((number(item) + 1) * power for item, power in zip(reversed(gram), powers, strict=True))

    expected = sorted(polynomial(gram) % (2**61 - 1) for gram in grams)
    assert phrase_hashes([text], CONFIG).tolist() == expected and len(expected) == len(grams) == 6


@pytest.fixture(scope="module")
def texts(processor):
    rows = tiny_model.league()
    return [processor.encode_summary(row, row["summary"], row["mentions"]) for row in rows]


@pytest.fixture(scope="module")
def knowing(texts):
    """The trained tiny model with the phrases of the training texts."""
    trained = tiny_model.trained_model()
    model = StgForDataToText(tiny_model.processor().config(**tiny_model.SIZES)).eval()
    model.load_state_dict(trained.state_dict())
    model.keep_phrases(texts)
    return model


def test_generated_texts_have_only_known_phrases(knowing, processor, texts):
    config, rows = knowing.config, tiny_model.league()[:8]
    known = KnownPhrases(phrase_hashes(texts, config), config)

    def written(**options) -> list[list[int]]:
        torch.manual_seed(0)
        options |= {"sentence_candidates": 8, "max_new_tokens": 60, "temperature": 0.5}
        whole = []
        for row in knowing.generate(**processor(rows), **options).tolist():
            while config.period_token_id in row:
                stop = row.index(config.period_token_id) + 1
                whole, row = [*whole, row[:stop]], row[stop:]
        return whole

    assert not all(map(known, written()))  # the model slides from one phrase into another
    sentences = written(known_phrases=True)
    assert len(sentences) > 1 and all(map(known, sentences))


def test_a_judge_sees_only_known_sentences(knowing, processor):
    known, seen = KnownPhrases(knowing.phrases, knowing.config), []

    def judge(candidates):
        seen.extend(candidate.ids[candidate.start :] for candidate in candidates)
        return [None] * len(candidates)

    options = {"sentence_candidates": 8, "max_new_tokens": 60, "judge": judge}
    knowing.generate(**processor(tiny_model.league()[:4]), **options)
    assert not all(map(known, seen))
    seen.clear()
    knowing.generate(**processor(tiny_model.league()[:4]), **options, known_phrases=True)
    assert seen and all(map(known, seen))


def test_demands_come_before_known_phrases(processor):
    row, config = tiny_model.league()[0], processor.config(**tiny_model.SIZES)
    model = StgForDataToText(config).eval()  # random: none of its sentences is known
    model.keep_phrases([[10, STOP]])
    batch = processor([row], must_mention=[[f"{row['home_name']}:TEAM-REB"]])
    [ids] = model.generate(**batch, sentence_candidates=3, max_new_tokens=30, known_phrases=True).tolist()
    [cell] = batch["required"][0].flatten(1).any(0).nonzero().flatten().tolist()
    assert cell in [model.config.record_ids.decode_cell(token)[0] for token in ids]


def test_a_model_without_phrases_says_so(model, processor):
    with pytest.raises(StgError, match="known_phrases: the model keeps no phrases; train it with --phrases"):
        model.generate(**processor(tiny_model.league()[:1]), sentence_candidates=2, known_phrases=True)


def test_phrases_are_sorted_and_no_parameters(knowing, texts):
    assert knowing.phrases.dtype == torch.long and knowing.config.num_phrases == len(knowing.phrases) > 1000
    assert knowing.phrases.tolist() == sorted(set(knowing.phrases.tolist()))
    assert "phrases" not in dict(knowing.named_parameters()) and "phrases" in knowing.state_dict()
    assert torch.equal(knowing.phrases, phrase_hashes(texts, knowing.config))
    assert knowing.phrases.max() > 2**53  # beyond what a float holds


def test_phrases_survive_saving_and_loading(knowing, tmp_path):
    knowing.save_pretrained(tmp_path)
    for options in ({}, {"dtype": torch.float16}, {"dtype": torch.float64}):
        loaded = StgForDataToText.from_pretrained(tmp_path, **options)
        assert loaded.phrases.dtype == torch.long and torch.equal(loaded.phrases, knowing.phrases)
    assert torch.equal(loaded.half().phrases, knowing.phrases)
    loaded.keep_phrases([[10, 11, STOP]])  # training goes on with other texts
    loaded.save_pretrained(tmp_path)
    assert StgForDataToText.from_pretrained(tmp_path).phrases.shape == (1,)


LOAD = """
import json, sys
from transformers import AutoModel
model = AutoModel.from_pretrained(sys.argv[1], trust_remote_code=True)
assert "modeling_stg" not in sys.modules
print(json.dumps([str(model.phrases.dtype), model.phrases.tolist(), str(model.output.weight.dtype)]))
"""


def test_phrases_survive_shipping_and_the_auto_classes(knowing, processor, tmp_path):
    """Shipped weights are float16, hashes stay exact."""
    knowing.save_pretrained(tmp_path / "trained")
    processor.save_pretrained(tmp_path / "trained")
    ship(tmp_path / "trained", tmp_path / "shipped", {"sentence_candidates": 4, "known_phrases": True})
    weights = load_file(tmp_path / "shipped" / "model.safetensors")
    assert torch.equal(weights["phrases"], knowing.phrases) and weights["output.weight"].dtype == torch.float16
    for file in (tmp_path / "trained").glob("*.py"):
        (tmp_path / "shipped" / file.name).write_bytes(file.read_bytes())
    environment = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-I", "-c", LOAD, str(tmp_path / "shipped")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    dtype, hashes, weights_dtype = json.loads(run.stdout.strip().splitlines()[-1])
    assert (dtype, hashes, weights_dtype) == ("torch.int64", knowing.phrases.tolist(), "torch.float32")
