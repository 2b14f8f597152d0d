"""Averaged weights, weight dropout, variational dropout and tied embeddings do what their papers say."""

import pytest
import torch
from safetensors.torch import load_file

from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
from stg.training.averaging import WeightAverage
from stg.training.loop import train
from tests.helpers.random_games import random_batch, small_config
from tests.stg.training.test_training import tiny, weights


def test_average_follows_its_definition_and_survives_a_swap():
    parameters = [torch.nn.Parameter(torch.zeros(3)), torch.nn.Parameter(torch.ones(2))]
    unused = torch.nn.Parameter(torch.ones(2))  # never has a gradient, so it is its own average
    optimizer = torch.optim.Adam([*parameters, unused], lr=0.1)
    average, expected = WeightAverage(optimizer, 0.5), None
    for step in range(1, 6):
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, float(step))
        optimizer.step()
        average.update(step)
        decay = min(0.5, step / (step + 9))
        now = [parameter.detach().clone() for parameter in parameters]
        expected = (
            now
            if expected is None
            else [decay * old + (1 - decay) * new for old, new in zip(expected, now, strict=True)]
        )
    with average.applied():
        torch.testing.assert_close([parameter.data for parameter in parameters], expected)
        assert torch.equal(unused, torch.ones(2))
    assert all(torch.equal(parameter, kept) for parameter, kept in zip(parameters, now, strict=True))


def test_released_weights_are_the_average_and_resume_keeps_it(tmp_path):
    settings = {"epochs": 2, "save_steps": 1}
    train(tiny(tmp_path / "plain", **settings))
    train(tiny(tmp_path / "whole", weight_average=0.9, **settings))
    train(tiny(tmp_path / "stopped", weight_average=0.9, max_steps=4, **settings))
    train(tiny(tmp_path / "stopped", weight_average=0.9, resume=True, **settings))
    last = [max((tmp_path / name / "checkpoints").glob("step_*")) for name in ("plain", "whole", "stopped")]
    plain, whole, stopped = (load_file(path / "model.safetensors") for path in last)
    assert all(torch.equal(plain[name], whole[name]) for name in plain), "averaging does not change the training"
    averages = [load_file(path / "optimizer.safetensors")["output.weight/average"] for path in last[1:]]
    assert torch.equal(*averages)
    assert torch.equal(weights(tmp_path / "whole")["output.weight"], averages[0])
    assert not torch.equal(averages[0], whole["output.weight"])


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        ({"weight_average": 1.0}, "weight_average: 1.0"),
        ({"weight_average": 0.9, "optimizer": "sgd"}, "weight_average"),
    ],
)
def test_impossible_average_is_refused(tmp_path, overrides, named):
    with pytest.raises(StgError, match=named):
        tiny(tmp_path, **overrides)


def test_weight_dropout_drops_recurrent_weights_only_and_only_in_training():
    model = StgForDataToText(small_config(weight_dropout=0.5))
    weight = model.language.layers[0].weight
    hidden = len(weight) // 4
    dropped = model.train().language._recurrent_dropout(weight)
    assert torch.equal(dropped[:, :-hidden], weight[:, :-hidden])
    own = dropped[:, -hidden:]
    kept = own != 0
    assert 0.3 < kept.float().mean() < 0.7
    torch.testing.assert_close(own[kept], 2 * weight[:, -hidden:][kept])
    assert model.eval().language._recurrent_dropout(weight) is weight


def test_variational_dropout_drops_the_same_features_at_every_step():
    model = StgForDataToText(small_config(variational_dropout=0.5)).train()
    words = torch.randint(model.config.vocab_size, (7, 3))
    ratio = model._embed(words) / model.words(words)
    assert torch.equal(ratio, ratio[:1].expand_as(ratio))
    assert set(ratio.round().unique().tolist()) == {0.0, 2.0}
    assert len({tuple(row) for row in ratio[0].tolist()}) > 1, "documents have masks of their own"


def test_tied_embeddings_are_one_matrix_and_load_back(tmp_path):
    model = StgForDataToText(small_config(tie_word_embeddings=True, embedding_size=8, context_size=8)).eval()
    assert model.output.weight is model.words.weight
    model.save_pretrained(tmp_path)
    assert "output.weight" not in load_file(tmp_path / "model.safetensors")
    loaded = StgForDataToText.from_pretrained(tmp_path).eval()
    batch = random_batch(model.config, seed=0)
    assert torch.equal(loaded(**batch).loss, model(**batch).loss)
    with pytest.raises(Exception, match="context_size 8 is not embedding_size 4"):
        small_config(tie_word_embeddings=True, embedding_size=4, context_size=8)


def test_tied_model_trains_and_resumes(tmp_path):
    sizes = {"tie_word_embeddings": True, "weight_dropout": 0.2, "variational_dropout": 0.2}
    train(tiny(tmp_path / "whole", epochs=2, model=sizes))
    train(tiny(tmp_path / "stopped", epochs=2, max_steps=4, model=sizes))
    train(tiny(tmp_path / "stopped", epochs=2, resume=True, model=sizes))
    whole, stopped = (weights(tmp_path / name) for name in ("whole", "stopped"))
    assert all(torch.equal(whole[name], stopped[name]) for name in whole)
