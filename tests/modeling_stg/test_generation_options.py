"""Options of `generate`: those without effect are refused by name, all others also hold for beams."""

import pytest
import torch
from transformers import GenerationConfig

from modeling_stg.errors import StgError
from tests.helpers import tiny_model


LENGTH = 40


@pytest.fixture(scope="module")
def games():
    return tiny_model.league()[:2]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("eos_token_id", 4, "eos_token_id: 4 has no effect here, it is always 3"),
        ("pad_token_id", 7, "pad_token_id: 7 has no effect here, it is always 0"),
        ("early_stopping", True, "early_stopping: True has no effect"),
        ("output_scores", True, "output_scores: True has no effect"),
        ("max_length", 0, "max_new_tokens: 0 is below 1"),
        ("temperature", float("inf"), "temperature: inf is not a finite number"),
        ("temperature", 1e-40, "temperature: 1e-40 is below 1e-06"),
        ("repetition_penalty", 1e-50, "repetition_penalty: 1e-50 is below 1e-06"),
        ("end_penalty", float("nan"), "end_penalty: nan is not a finite number"),
        ("end_penalty", -1e39, "end_penalty: -1e.39 is below -1000000.0"),
        ("length_penalty", 200.0, "length_penalty: 200.0 is above 10"),
        ("max_new_tokens", 10**11, "max_new_tokens: 100000000000 is above 100000"),
        ("max_new_tokens", 10**400, "max_new_tokens: 10+ is above 100000"),
        ("temperature", -(10**400), "temperature: -10+ is below 1e-06"),
        ("num_beams", 10**5, "num_beams: 100000 is above 100"),
        ("max_new_tokens", 10.0, "max_new_tokens: 10.0 is not a whole number"),
        ("max_new_tokens", "10", "max_new_tokens: '10' is not a whole number"),
        ("consensus", 2.5, "consensus: 2.5 is not a whole number"),
        ("z_threshold", "0.5", "z_threshold: '0.5' is not a number"),
        ("avoid_repeats", 1, "avoid_repeats: 1 is not True or False"),
        ("min_p", 0.5, "min_p not known"),
    ],
)
def test_options_without_effect_are_refused(option, value, message, model, processor, games):
    with pytest.raises(StgError, match=message):
        model.generate(**processor(games[:1]), **{option: value})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"min_p": 0.5}, "min_p not known"),
        ({"suppress_tokens": [5]}, "suppress_tokens not known"),
        ({"eos_token_id": 7}, "eos_token_id: 7 has no effect"),
        ({"early_stopping": True}, "early_stopping: True has no effect"),
    ],
)
def test_a_generation_config_with_unsupported_options_is_refused(fields, message, model, processor, games):
    with pytest.raises(StgError, match=message):
        model.generate(**processor(games[:1]), generation_config=GenerationConfig(**fields))


def test_a_saved_generation_config_is_accepted(tmp_path, model, processor, games):
    GenerationConfig(max_new_tokens=7, min_new_tokens=7, eos_token_id=3).save_pretrained(tmp_path)
    config = GenerationConfig.from_pretrained(tmp_path)
    assert model.generate(**processor(games[:1]), generation_config=config).shape == (1, 7)
    model.generation_config.save_pretrained(tmp_path)
    own = GenerationConfig.from_pretrained(tmp_path)
    assert torch.equal(
        model.generate(**processor(games[:1]), generation_config=own, max_new_tokens=9),
        model.generate(**processor(games[:1]), max_new_tokens=9),
    )


def test_beams_respect_z_threshold(processor, games):
    """Beams are ranked with it; log-probabilities stay the model's own."""
    model, batch, shares = tiny_model.random_model(), processor(games), []
    for threshold in (0.5, 0.9):
        options = {"z_threshold": threshold, "num_beams": 3, "max_new_tokens": LENGTH, "min_new_tokens": LENGTH}
        output = model.generate(**batch, **options, return_dict_in_generate=True)
        shares.append(output.z.float().mean().item())
        assert torch.allclose(model(**batch, labels=output.sequences).loss, -output.log_probs.sum(), rtol=1e-4)
    assert shares[0] > shares[1]


def test_beams_return_num_return_sequences_texts(model, processor, games):
    """Where a plan leaves room for fewer, the last is repeated."""
    plan = [[(games[0]["home_name"], "TEAM-CITY")], None]
    options = {"num_beams": 4, "num_return_sequences": 4, "max_new_tokens": 2}
    texts = model.generate(**processor(games, plan=plan), **options)
    assert texts.shape[0] == 8 and len({tuple(text) for text in texts[4:].tolist()}) == 4
    assert all(any(token["entity"] for token in tokens) for tokens in processor.trace(texts, games)[:4])
