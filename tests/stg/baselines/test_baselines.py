"""The neural baselines against their twins (loss, gradients, greedy decisions), then batches, beams and learning."""

import itertools

import numpy as np
import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.search import Candidates, Walker, search
from stg.baselines.conditional_copy import ConditionalCopy
from stg.baselines.configuration import ConditionalCopyConfig, NcpConfig, fit
from stg.baselines.ncp import NeuralContentPlanning, plan_of
from stg.baselines.records import read_document
from stg.baselines.scanning import CopyScan
from tests.helpers import tiny_model
from tests.helpers.random_games import random_batch
from tests.twins.baseline_twin import twin_losses, twins


VOCABULARY = {"vocab_size": 23, "num_entities": 9, "num_values": 11, "num_writers": 3}
SMALL = {"embedding_size": 5, "hidden_size": 8, "writer_size": 4, "unknown_rate": 0.0, "dropout": 0.0}
CASES = {
    "conditional copy": (ConditionalCopy, ConditionalCopyConfig, {}),
    "ncp": (NeuralContentPlanning, NcpConfig, {}),
    "ncp w1": (NeuralContentPlanning, NcpConfig, {"use_writer": True, "writer_in": ["plan"]}),
    "ncp w2": (NeuralContentPlanning, NcpConfig, {"use_writer": True, "writer_in": ["text"]}),
    "ncp w1 w2": (NeuralContentPlanning, NcpConfig, {"use_writer": True, "writer_in": ["plan", "text"]}),
}
PLAN = {"min_plan_length": 2, "max_plan_length": 6}


def small(case: str, seed: int = 0, scale: float = 5.0, **sizes):
    """A small model with larger than initial weights: so few units would otherwise hardly react to their input."""
    model_class, config_class, more = CASES[case]
    torch.manual_seed(seed)
    return scaled(model_class(config_class(**{**VOCABULARY, **SMALL, **more, **sizes})).double().eval(), scale)


def lively(case: str, seed: int = 0):
    """A small model with weights so large that decisions differ from step to step."""
    return small(case, seed, scale=12.0)


@torch.no_grad()
def scaled(model, scale: float):
    for name, parameter in model.named_parameters():
        parameter *= scale / 5 if name.endswith("bias") else scale
    return model


def games(model, seed: int = 0) -> dict[str, torch.Tensor]:
    """Four documents, the second without a mention; in each game one player has only a name."""
    batch = random_batch(model.config, ((4, 25), (2, 9), (1, 13), (6, 40)), seed)
    labels = batch["labels"][1]
    labels[labels >= model.config.vocab_size] = 9
    return batch


def one_by_one(batch):
    for index in range(len(batch["entity_ids"])):
        entities = int(batch["entity_mask"][index].sum())
        game = {name: tensor[index : index + 1] for name, tensor in batch.items()}
        for name in game.keys() - {"labels", "writer_ids"}:
            game[name] = game[name][:, :entities]
        if "labels" in game:
            game["labels"] = game["labels"][game["labels"] != -100].unsqueeze(0)
        yield game


def for_generation(batch):
    return {name: tensor for name, tensor in batch.items() if name != "labels"}


def plan_lengths(model) -> dict[str, int]:
    return PLAN if isinstance(model, NeuralContentPlanning) else {}


# the loss


@pytest.mark.parametrize("case", CASES)
def test_loss_and_gradients_match_the_twins(case):
    model = small(case)
    batch = games(model)
    output = model(**batch)
    output.loss.backward()
    fast = {name: parameter.grad for name, parameter in model.named_parameters()}
    model.zero_grad()
    expected = twin_losses(model, batch)
    sum(expected.values()).backward()
    assert set(output.losses) == set(expected)
    for name, loss in expected.items():
        assert output.losses[name].item() == pytest.approx(loss.item(), abs=1e-9), name
    for name, parameter in model.named_parameters():
        assert parameter.grad.abs().max() > 0, f"{name} has no part in the loss"
        torch.testing.assert_close(fast[name], parameter.grad, rtol=1e-9, atol=1e-9, msg=name)


@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_a_padded_batch_equals_its_games_one_by_one(case):
    model = small(case)
    batch = games(model)
    whole, parts = model(**batch), [model(**game) for game in one_by_one(batch)]
    for name in whole.losses:
        assert whole.losses[name].item() == pytest.approx(sum(part.losses[name].item() for part in parts), abs=1e-9)
        assert whole.counts[name] == sum(part.counts[name] for part in parts)


@pytest.mark.parametrize("case", ["conditional copy", "ncp"])
def test_what_counts_as_a_copy(case):
    """A number word is generated; all other mentions are copied and form the plan."""
    model = small(case)
    batch = games(model)
    vocab_size, labels = model.config.vocab_size, batch["labels"]
    as_word = (labels >= vocab_size) & ((labels - vocab_size) % 2 == 1)
    copied = (labels >= vocab_size) & ~as_word
    assert as_word.any() and not copied[1].any()
    counts = model(**batch).counts
    assert counts["copy"] == copied.sum() and counts["z"] == (labels != -100).sum()
    assert counts["y"] == counts["z"] - counts["copy"]
    assert counts.get("plan", counts["copy"] + 4) == counts["copy"] + 4  # an end for each
    document = read_document(labels, batch["value_words"], model.config)
    plan, mask, source = plan_of(document, end=999)
    for row in range(4):
        cells = ((labels[row][copied[row]] - vocab_size) // 2).tolist()
        assert plan[row][mask[row]].tolist() == [*cells, 999]
        assert plan[row][source[row][copied[row]]].tolist() == cells
    row, time = as_word.nonzero()[0].tolist()
    entity, slot, _ = model.config.read_record_id(int(labels[row, time]))
    assert document.words[row, time] == batch["value_words"][row, entity, slot, 1]


@pytest.mark.parametrize("hidden", [3, 132])  # one block of a product's outputs, and several
def test_gradcheck_copy_scan(hidden):
    """With dropout factors, three layers, and an entry that does not exist."""
    generator = torch.Generator().manual_seed(0)
    steps, batch, entries, layers = 3, 2, 4, 3

    def draw(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()

    unavailable = torch.zeros(batch, entries, dtype=torch.float64)
    unavailable[0, 1] = float("-inf")
    factors = [
        (draw(*shape) > 0).double() * 2 for shape in ((layers - 1, steps, batch, hidden), (steps, batch, hidden))
    ]
    weights = [draw(4 * hidden, 2 * hidden)]
    for _ in range(layers - 1):
        weights += [draw(4 * hidden, 2 * hidden), draw(4 * hidden)]
    states = draw(layers, batch, hidden), draw(layers, batch, hidden)
    squares = draw(hidden, hidden), draw(hidden, 2 * hidden)
    inputs, memory = draw(steps, batch, 4 * hidden), draw(batch, entries, hidden)

    def scan(inputs, memory, h0, c0, w_query, w_combine, *weights):
        vectors, scores = CopyScan.apply(inputs, memory, unavailable, h0, c0, *factors, w_query, w_combine, *weights)
        return vectors, scores.masked_fill(unavailable < 0, 0)

    assert torch.autograd.gradcheck(scan, (inputs, memory, *states, *squares, *weights), fast_mode=hidden > 3)


@pytest.mark.parametrize("rate", ["dropout", "unknown_rate"])
@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_dropout_and_unknown_rate_apply_only_in_training(case, rate):
    model = small(case, **{rate: 0.4})
    batch = games(model)
    assert model(**batch).loss == model(**batch).loss
    model.train()
    once, again = (model(**batch).losses for _ in range(2))
    assert {name for name in once if once[name] != again[name]} == set(once)  # words, copies, switch and plan
    if model.config.use_writer:
        model.eval()
        unknown = batch | {"writer_ids": torch.full((4,), model.config.num_writers)}
        assert model(**unknown).loss == model(**{**batch, "writer_ids": None}).loss != model(**batch).loss


@pytest.mark.parametrize("case", ["ncp", "ncp w1 w2"])
def test_a_plan_that_may_go_on_is_not_trained_to_end(case):
    """Excerpts begin with <SoD>, and a truncated document has no <EoD>."""
    model = small(case)
    batch = games(model)
    whole = model(**batch).counts["plan"]
    excerpt, cut = batch["labels"].clone(), batch["labels"].clone()
    excerpt[2, 0] = model.config.bos_token_id
    cut[cut == model.config.eos_token_id] = 9
    assert batch["labels"][2, 0] < model.config.vocab_size, "no mention is lost"
    assert model(**batch | {"labels": excerpt}).counts["plan"] == whole - 1
    assert model(**batch | {"labels": cut}).counts["plan"] == whole - 4
    for labels in (excerpt, cut):
        changed = batch | {"labels": labels}
        expected = twin_losses(model, changed)["plan"].item()
        assert model(**changed).losses["plan"].item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_autocast_keeps_the_precision_of_the_weights(case):
    model = small(case, scale=1.0).float()
    batch = games(model)
    plain = model(**batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = model(**batch)
    mixed.loss.backward()
    assert mixed.loss.item() == pytest.approx(plain.loss.item(), rel=0.05)
    assert all(parameter.grad is None or parameter.grad.isfinite().all() for parameter in model.parameters())


# generation


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", CASES)
def test_greedy_decisions_match_the_twins(case, seed):
    model = lively(case, seed)
    batch = for_generation(games(model, seed))
    lengths = {"min_new_tokens": 3, "max_new_tokens": 14}
    output = model.generate(**batch, num_beams=1, **lengths, **plan_lengths(model), return_dict_in_generate=True)
    for row, twin in enumerate(twins(model, batch)):
        with torch.no_grad():
            if output.plan is None:
                ids, total = twin.write(*lengths.values())
            else:
                plan = twin.plan(*PLAN.values())
                ids, total = twin.text(plan).write(*lengths.values())
                planned = [model.config.record_id(*twin.cells[choice], False) for choice in plan]
                assert output.plan[row][: len(plan)].tolist() == planned
                assert (output.plan[row][len(plan) :] == model.config.pad_token_id).all()
        assert output.sequences[row][: len(ids)].tolist() == ids
        assert (output.sequences[row][len(ids) :] == model.config.pad_token_id).all()
        assert output.sequences_scores[row].item() == pytest.approx(total, rel=1e-6)
    assert len(set(output.sequences.flatten().tolist())) > 4, "the weights must make decisions differ"


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_results_are_batch_invariant(case, beams):
    """Finished texts leave the batch without affecting the others."""
    model = lively(case, seed=3)
    with torch.no_grad():
        model.decoder.output.bias[model.config.eos_token_id] += 2
    batch = for_generation(games(model))
    options = {"num_beams": beams, "max_new_tokens": 25, "min_new_tokens": 2, **plan_lengths(model)}
    together = model.generate(**batch, **options)
    lengths = []
    for row, game in zip(together, one_by_one(batch), strict=True):
        alone = model.generate(**game, **options)[0]
        assert row[: len(alone)].tolist() == alone.tolist() and not row[len(alone) :].any()
        lengths.append(len(alone))
    assert len(set(lengths)) > 1


@pytest.mark.parametrize("case", ["conditional copy", "ncp w2"])
def test_beams_beat_greedy_and_score_as_the_loss(case):
    """Not guaranteed in general, but it holds for these weights."""
    better = 0
    for seed in range(4):
        model = lively(case, seed)
        batch = for_generation(games(model, seed))
        options = {"max_new_tokens": 12, "min_new_tokens": 0, "return_dict_in_generate": True}
        if plan_lengths(model):  # a plan of one record is the same for all beams, so that scores can be compared
            options |= {"min_plan_length": 1, "max_plan_length": 1}
        greedy, beams = (model.generate(**batch, num_beams=number, **options) for number in (1, 5))
        assert (beams.sequences_scores >= greedy.sequences_scores - 1e-9).all()
        better += int((beams.sequences_scores > greedy.sequences_scores + 1e-9).sum())
    assert better
    if case == "conditional copy":
        labels = beams.sequences.masked_fill(beams.sequences == model.config.pad_token_id, -100)
        loss = model(**batch, labels=labels).loss
        assert beams.sequences_scores.sum().item() == pytest.approx(-loss.item(), rel=1e-6)


def test_wide_beams_match_brute_force():
    """Every text of up to two tokens, scored one by one."""
    model = lively("conditional copy", seed=2)
    game = next(one_by_one(for_generation(games(model))))
    config = model.config
    words = [word for word in range(config.vocab_size) if word not in (0, 1, 2)]
    records = [config.record_id(*cell, False) for cell in game["record_mask"][0].nonzero().tolist()][::3]
    game["record_mask"] = torch.zeros_like(game["record_mask"])
    for record in records:
        game["record_mask"][0][config.read_record_id(record)[:2]] = True
    end = config.eos_token_id
    texts = [
        [end],
        *([first, last] for first, last in itertools.product([*words, *records], repeat=2) if first != end),
    ]
    scores = []
    with torch.no_grad():
        for text in texts:
            scores.append(-model(**game, labels=torch.tensor([text])).loss.item())
    best = max(range(len(texts)), key=lambda index: scores[index])
    output = model.generate(**game, num_beams=60, max_new_tokens=2, return_dict_in_generate=True)
    assert output.sequences[0].tolist() == texts[best]
    assert output.sequences_scores[0].item() == pytest.approx(scores[best])


class ScriptedWalker(Walker):
    """A walker whose log-probabilities of two ids and the end are the same for all rows."""

    end = 2

    def __init__(self, *steps):
        self.steps, self.rows, self.calls = steps, 0, 0

    def candidates(self, time):
        assert time == self.calls
        self.calls += 1
        scores = torch.tensor([self.steps[min(self.calls, len(self.steps)) - 1]] * self.rows)
        return Candidates(scores, scores, torch.arange(3).expand_as(scores))

    def advance(self, games, parents, ids):
        self.rows = len(parents)


@pytest.mark.parametrize(
    ("steps", "beams", "penalty", "choices", "score", "calls"),
    [
        (([-0.5, -3.0, -1.0], [-3.0, -3.0, -0.1]), 2, 0.0, [0, 2], -0.6, 2),  # better than what ended first
        (([-1.5, -3.0, -1.0], [-3.0, -3.0, -0.1]), 2, 0.0, [2], -1.0, 1),  # nothing can be better any more
        (([-1.5, -3.0, -1.0], [-3.0, -3.0, -0.1]), 1, 0.0, [2], -1.0, 1),
        (([-0.9, -3.0, -0.8], [-3.0, -3.0, -0.1]), 2, 0.0, [2], -0.8, 1),
        (([-0.9, -3.0, -1.0], [-3.0, -3.0, -0.3]), 2, 1.0, [0, 2], -0.6, 2),  # per token
        (([-0.5, -3.0, -9.0],), 2, 0.0, [0, 0, 0], -1.5, 3),  # no room for an end
    ],
)
def test_search_stops_at_the_right_step(steps, beams, penalty, choices, score, calls):
    walker = ScriptedWalker(*steps)
    walker.rows = 3 * beams
    limits = {"beams": beams, "keep": 1, "max_length": 3, "length_penalty": penalty, "device": torch.device("cpu")}
    for [best] in search(walker, 3, **limits):
        assert best.ids.tolist() == choices and best.score == pytest.approx(score)
    assert walker.calls == calls


@pytest.mark.parametrize("case", ["conditional copy", "ncp"])
def test_a_cell_without_a_value_is_never_copied_or_planned(case):
    model = lively(case, seed=1)
    with torch.no_grad():
        model.decoder.switch.bias += 4
    batch = for_generation(games(model))
    options = {"num_beams": 2, "max_new_tokens": 30, "min_new_tokens": 30, **plan_lengths(model)}
    output = model.generate(**batch, **options, return_dict_in_generate=True)
    stated = 0
    for row, ids in enumerate(
        [*output.sequences.tolist(), *(output.plan.tolist() if output.plan is not None else [])]
    ):
        for token in ids:
            if token >= model.config.vocab_size:
                entity, slot, as_word = model.config.read_record_id(token)
                assert batch["record_mask"][row % 4, entity, slot] and not as_word
                stated += 1
    assert stated > 40
    if output.plan is not None:
        for text, plan in zip(output.sequences.tolist(), output.plan.tolist(), strict=True):
            assert {token for token in text if token >= model.config.vocab_size} <= set(plan)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"do_sample": True}, "do_sample"),
        ({"avoid_repeats": True}, "avoid_repeats"),
        ({"plan": torch.zeros(4, 1)}, "plan"),
        ({"num_beams": 0}, "num_beams"),
        ({"num_beams": 2.5}, "num_beams"),
        ({"length_penalty": float("nan")}, "length_penalty"),
        ({"min_new_tokens": 9, "max_new_tokens": 8}, "min_new_tokens"),
        ({"max_new_tokens": 10**9}, "max_new_tokens"),
        ({"min_plan_length": 9, "max_plan_length": 8}, "min_plan_length"),
    ],
)
def test_invalid_options_are_named(options, named):
    model = small("ncp")
    with pytest.raises(StgError, match=named):
        model.generate(**for_generation(games(model)), **options)
    with pytest.raises(StgError, match="min_plan_length not known"):
        small("conditional copy").generate(**for_generation(games(model)), min_plan_length=3)
    with pytest.raises(StgError, match="entity_ids"):
        model.generate(num_beams=1)


@pytest.mark.parametrize(
    ("config_class", "sizes", "named"),
    [
        (ConditionalCopyConfig, {"use_writer": True}, "use_writer"),
        (NcpConfig, {"use_writer": True}, "use_writer"),
        (NcpConfig, {"use_writer": True, "writer_in": ["stage3"]}, "writer_in"),
        (NcpConfig, {"hidden_size": 7}, "hidden_size"),
        (NcpConfig, {"selection_size": 0}, "selection_size"),
    ],
)
def test_invalid_sizes_are_named(config_class, sizes, named):
    with pytest.raises(Exception, match=named):
        config_class(**sizes)


# a model's folder, and learning


@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_save_and_load(case, tmp_path):
    model = small(case).float()
    model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path)
    assert (tmp_path / "model.safetensors").is_file() and not list(tmp_path.glob("*.py"))
    before, after = model.state_dict(), loaded.state_dict()
    assert before.keys() == after.keys() and all(torch.equal(before[name], after[name]) for name in before)
    for name, value in model.GENERATION.items():
        assert vars(loaded.generation_config)[name] == value
    batch = for_generation(games(model))
    options = {"max_new_tokens": 9, "min_new_tokens": 0}
    assert torch.equal(model.generate(**batch, **options), loaded.generate(**batch, **options))


@pytest.mark.parametrize("case", ["conditional copy", "ncp w1 w2"])
def test_baselines_memorise_a_few_games(case):
    model_class, config_class, more = CASES[case]
    processor, rows = tiny_model.processor(), tiny_model.league()[:2]
    sizes = {"embedding_size": 32, "hidden_size": 64, "writer_size": 8, "dropout": 0.0, "unknown_rate": 0.0}
    sizes["num_lm_layers"] = 1
    torch.manual_seed(0)
    model = scaled(model_class(fit(config_class, processor.layout, **sizes, **more)), 3.0).train()
    examples = [processor.encode(row, row["summary"], row["mentions"], row["writer"]) for row in rows]
    for example in examples:
        example["labels"] = np.append(example["labels"][:30], processor.layout.eos_token_id)
    batch = processor.collate(examples)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(200):
        loss = model(**batch).loss / len(rows)
        if loss < 0.2:
            break
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
    inputs = {name: tensor for name, tensor in batch.items() if name != "labels"}
    options = {"min_new_tokens": 0, "max_new_tokens": 60, "return_dict_in_generate": True}
    options |= {"min_plan_length": 0} if model_class is NeuralContentPlanning else {}
    output = model.generate(**inputs, **options)
    written = processor.batch_tokens(output.sequences, rows)
    assert written == processor.batch_tokens(batch["labels"], rows)
    if output.plan is not None:
        document = read_document(batch["labels"], batch["value_words"], model.config)
        plan, _, _ = plan_of(document, end=-1)
        planned = torch.where(plan < 0, 0, model.config.vocab_size + 2 * plan)[:, :-1]
        assert torch.equal(output.plan, planned)
