"""The model equals its step-by-step twin in values and gradients, with any batching, padding and splitting."""

import pytest
import torch

from modeling_stg.buffers import Loan
from modeling_stg.encoder import ENCODED
from modeling_stg.errors import StgError
from modeling_stg.language_model import LanguageScan
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.tracker import TrackerScan
from modeling_stg.word_loss import ChunkedCrossEntropy
from tests.helpers import tiny_model
from tests.helpers.random_games import FACTS, pad, random_batch, random_document, random_game, small_config
from tests.twins.model_twin import twin_losses


def double_model(**settings):
    torch.manual_seed(3)
    model = StgForDataToText(small_config(**settings)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.4)
    return model


def gradients(model):
    collected = {name: parameter.grad for name, parameter in model.named_parameters()}
    model.zero_grad(set_to_none=True)
    return collected


@pytest.mark.parametrize(
    "settings",
    [{}, {"use_writer": False}, {"use_teammates": True}, {"num_lm_layers": 1}, {"num_lm_layers": 3}, FACTS],
    ids=["paper", "no writer", "teammates", "one layer", "three layers", "facts"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_losses_and_gradients_equal_the_twin(settings, seed):
    model = double_model(**settings)
    batch = random_batch(model.config, seed=seed)
    output = model(**batch)
    output.loss.backward()
    fast = gradients(model)
    twin = twin_losses(model, batch)
    sum(twin.values()).backward()
    slow = gradients(model)
    assert set(twin) == set("zeany")
    for name, loss in twin.items():
        torch.testing.assert_close(output.losses[name], loss, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(output.loss, sum(twin.values()), rtol=1e-9, atol=1e-9)
    for name, gradient in slow.items():
        torch.testing.assert_close(
            fast[name], gradient, rtol=1e-9, atol=1e-9, msg=lambda text, name=name: f"{name}: {text}"
        )


def test_unknown_number_forms_do_not_count():
    model = double_model()
    batch = random_batch(model.config)
    known = torch.tensor([True, False, False])
    output = model(**batch, form_known=known)
    twin = twin_losses(model, batch, known)
    torch.testing.assert_close(output.losses["n"], twin["n"], rtol=1e-9, atol=1e-9)
    assert output.counts["n"] < model(**batch).counts["n"]


def test_every_parameter_receives_a_gradient():
    model = double_model()
    model(**random_batch(model.config)).loss.backward()
    for name, gradient in gradients(model).items():
        assert gradient is not None and gradient.abs().sum() > 0, name


def test_batch_equals_its_games_one_by_one():
    model = double_model()
    batch = random_batch(model.config, games=((3, 20), (8, 50), (1, 14)))
    together = model(**batch)
    together.loss.backward()
    whole = gradients(model)
    alone = []
    for index in range(3):
        entities = int(batch["entity_mask"][index].sum())
        length = int((batch["labels"][index] != -100).sum())
        single = {name: tensor[index : index + 1] for name, tensor in batch.items()}
        single = {name: tensor[:, :entities] if tensor.dim() > 1 else tensor for name, tensor in single.items()}
        single["labels"] = batch["labels"][index : index + 1, :length]
        alone.append(model(**single))
    for name in "zeany":
        torch.testing.assert_close(together.losses[name], sum(output.losses[name] for output in alone))
    sum(output.loss for output in alone).backward()
    for name, gradient in gradients(model).items():
        torch.testing.assert_close(whole[name], gradient)


@pytest.mark.parametrize("cut", [1, 6, 13, 24])
def test_two_halves_with_state_equal_the_whole(cut):
    model = double_model()
    batch = random_batch(model.config, games=((4, 25), (2, 13), (5, 30)))
    whole = model(**batch, return_state=True)
    whole.loss.backward()
    expected = gradients(model)
    labels = batch.pop("labels")
    first = model(**batch, labels=labels[:, :cut], return_state=True)
    second = model(**batch, labels=labels[:, cut:], state=first.state, return_state=True)
    torch.testing.assert_close(first.loss + second.loss, whole.loss)
    for name, tensor in whole.state.items():
        torch.testing.assert_close(second.state[name], tensor)
    (first.loss + second.loss).backward()
    for name, gradient in gradients(model).items():
        torch.testing.assert_close(gradient, expected[name])


def test_permuting_players_permutes_only_indices():
    model = double_model()
    config, generator = model.config, torch.Generator().manual_seed(5)
    game = random_game(config, 6, generator)
    document = random_document(config, game, 40, generator)
    order = torch.tensor([0, 1, 5, 2, 7, 3, 6, 4])  # new position -> old position
    new_position = {int(old): new for new, old in enumerate(order)}
    moved = {name: tensor[order] if tensor.dim() else tensor for name, tensor in game.items()}
    renamed = []
    for token in document:
        if token >= config.vocab_size:
            entity, slot, as_word = config.read_record_id(token)
            token = config.record_id(new_position[entity], slot, as_word)
        renamed.append(token)
    a = model(**pad([{**game, "labels": torch.tensor(document)}]), return_scores=True)
    b = model(**pad([{**moved, "labels": torch.tensor(renamed)}]), return_scores=True)
    for name in "zeany":
        torch.testing.assert_close(a.losses[name], b.losses[name])
    torch.testing.assert_close(a.scores.e[:, :, order], b.scores.e)


def test_scores_match_the_losses():
    model = double_model()
    batch = random_batch(model.config, games=((4, 25),))
    output = model(**batch, return_scores=True)
    labels, scores = batch["labels"][0], output.scores
    stated = labels >= model.config.vocab_size
    words = torch.log_softmax(scores.y[0], 1)[~stated].gather(1, labels[~stated, None])
    torch.testing.assert_close(-words.sum(), output.losses["y"])
    mentions = scores.mention[0]
    assert scores.position[0][mentions].tolist() == stated.nonzero().flatten().tolist()
    pointers = (labels[stated] - model.config.vocab_size) // 2
    entities = torch.log_softmax(scores.e[0][mentions], 1).gather(1, (pointers // model.config.num_slots)[:, None])
    torch.testing.assert_close(-entities.sum(), output.losses["e"])


@pytest.mark.parametrize("settings", [{}, {"use_teammates": True}], ids=["paper", "teammates"])
@pytest.mark.parametrize("length", [0, 17])
def test_without_labels_the_scores_are_those_of_the_next_token(settings, length):
    """At the beginning, and after the first tokens of a document; the tested token is the likeliest record."""
    model = double_model(**settings)
    batch = random_batch(model.config, games=((4, 25), (6, 25)))
    labels = batch.pop("labels")
    before = model(**batch, labels=labels[:, :length], return_state=True).state if length else None
    found = model(**batch, state=before).scores
    cell = found.e.argmax(2) * model.config.num_slots + found.a.argmax(2)
    stated = model(**batch, labels=model.config.vocab_size + 2 * cell, state=before, return_scores=True).scores
    word = torch.full_like(cell, model.config.unk_token_id)
    written = model(**batch, labels=word, state=before, return_scores=True).scores
    for name, scores in (("z", stated), ("z", written), ("y", written), ("e", stated), ("a", stated), ("n", stated)):
        torch.testing.assert_close(found[name], scores[name])
    assert found.mention.all() and not found.position.any()


def test_replaced_layers_are_refused_by_name():
    quantized = torch.ao.quantization.quantize_dynamic(double_model().float(), {torch.nn.Linear}, torch.qint8)
    batch = random_batch(quantized.config)
    for call in (quantized, quantized.generate):
        with pytest.raises(StgError, match="^quantization: .*Linear.* layers are not supported"):
            call(**{name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in batch.items()})


def test_document_without_mentions_has_a_finite_loss():
    model = double_model()
    batch = random_batch(model.config, games=((2, 13),))
    batch["labels"] = torch.tensor([[9, 10, model.config.eos_token_id]])
    output = model(**batch)
    assert output.losses["e"] == output.losses["a"] == output.losses["n"] == 0
    output.loss.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def double(generator, *shape):
    return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()


def test_gradcheck_language_scan():
    g = torch.Generator().manual_seed(0)
    steps, batch, size, context, hidden, layers = 4, 3, 2, 3, 2, 2
    tensors = [double(g, steps, size, batch), double(g, steps, context, batch)]
    tensors += [double(g, layers, hidden, batch), double(g, layers, hidden, batch), double(g, context + 1, hidden)]
    for inputs in (size + context, hidden):
        tensors += [double(g, 4 * hidden, inputs + hidden), double(g, 4 * hidden)]
    assert torch.autograd.gradcheck(LanguageScan.apply, tensors)


def test_gradcheck_tracker_scan():
    g = torch.Generator().manual_seed(0)
    events, batch, hidden, size, entities = 5, 2, 3, 2, 2
    floats = [double(g, events, size, batch), double(g, events, size, batch)]
    floats += [double(g, hidden, batch), double(g, entities, hidden, batch)]
    valid = torch.tensor([[1, 1], [1, 1], [1, 1], [1, 1], [1, 0]]).bool()
    change = torch.tensor([[1, 1], [0, 1], [1, 0], [1, 0], [0, 0]]).bool()
    old = torch.tensor([[0, 1], [0, 0], [1, 0], [1, 0], [0, 0]]).bool()
    source = torch.tensor([[0, 1], [0, 0], [2, 0], [3, 0], [0, 0]])
    shapes = [(3 * hidden, size), (3 * hidden, hidden)] * 2 + [(size, hidden)]
    weights = [double(g, *shape) for rows, columns in shapes for shape in ((rows, columns), (rows,))]
    assert torch.autograd.gradcheck(
        lambda *f: TrackerScan.apply(*f[:4], valid, change, old, source, *f[4:]), (*floats, *weights)
    )


def test_gradcheck_word_loss():
    g = torch.Generator().manual_seed(0)
    labels = torch.tensor([0, 4, 2, 2])
    assert torch.autograd.gradcheck(
        lambda *f: ChunkedCrossEntropy.apply(*f, labels), (double(g, 4, 3), double(g, 5, 3), double(g, 5))
    )


def test_chunked_word_loss_equals_cross_entropy(monkeypatch):
    monkeypatch.setattr("modeling_stg.word_loss.CHUNK", 3)
    g = torch.Generator().manual_seed(0)
    contexts, weight, bias = double(g, 8, 3), double(g, 5, 3), double(g, 5)
    labels = torch.randint(5, (8,), generator=g)
    chunked = ChunkedCrossEntropy.apply(contexts, weight, bias, labels)
    chunked_gradients = torch.autograd.grad(chunked, (contexts, weight, bias))
    plain = torch.nn.functional.cross_entropy(contexts @ weight.t() + bias, labels, reduction="sum")
    torch.testing.assert_close(chunked, plain)
    torch.testing.assert_close(chunked_gradients, torch.autograd.grad(plain, (contexts, weight, bias)))


def test_reused_buffers_do_not_mix_batches():
    """Inference between steps, two graphs alive at once, a shorter batch after a longer one."""
    model = double_model()
    batches = [random_batch(model.config, seed=seed, games=((3, length),)) for seed, length in ((0, 40), (1, 20))]
    expected = []
    for batch in batches:
        Loan.unused.clear()
        model(**batch).loss.backward()
        expected.append(gradients(model))
    with torch.inference_mode():
        model(**batches[0])
    losses = [model(**batch).loss for batch in batches]
    for loss, expected_gradients in zip(losses, expected, strict=True):
        loss.backward(retain_graph=True)
        for name, gradient in gradients(model).items():
            torch.testing.assert_close(gradient, expected_gradients[name])
    del loss, losses
    assert Loan.unused
    model(**batches[1]).loss.backward()
    for name, gradient in gradients(model).items():
        torch.testing.assert_close(gradient, expected[1][name])


def test_unknown_rate_trains_the_unknown_embeddings():
    """All entities, values and writers of the batch are known, so only `unknown_rate` can train the unknown rows."""
    for rate, learns in ((0.0, False), (0.5, True)):
        model = double_model(unknown_rate=rate).train()
        batch = random_batch(model.config)
        batch["entity_ids"].clamp_(min=1)
        batch["value_ids"].clamp_(min=1)
        batch["writer_ids"].clamp_(max=model.config.num_writers - 1)
        torch.manual_seed(0)
        model(**batch).loss.backward()
        for table, unknown in ((model.encoder.entity, 0), (model.encoder.value, 0), (model.writer, -1)):
            assert bool(table.weight.grad[unknown].abs().sum() > 0) is learns
        model.zero_grad()
        assert torch.equal(model.eval()(**batch).loss, model(**batch).loss)


def test_anonymized_entity_loses_only_its_id_and_names():
    model = double_model(unknown_rate=0.0, anonymous_rate=0.5)
    batch = random_batch(model.config)
    entity_ids, value_ids = batch["entity_ids"].clamp(min=1), batch["value_ids"].clamp(min=1)
    torch.manual_seed(0)
    hidden_ids, hidden_values = model.encoder._anonymize(entity_ids, value_ids)
    hidden = hidden_ids == 0
    assert hidden.any() and not hidden.all() and torch.equal(hidden_ids[~hidden], entity_ids[~hidden])
    for entity in range(entity_ids.shape[1]):
        for slot, attribute in enumerate(
            model.config.team_attributes if entity < 2 else model.config.player_attributes
        ):
            is_name = attribute in ("TEAM-NAME", "TEAM-CITY", "FIRST_NAME", "SECOND_NAME")
            expected = torch.where(hidden[:, entity] & is_name, 0, value_ids[:, entity, slot])
            assert torch.equal(hidden_values[:, entity, slot], expected)


def test_only_records_that_are_read_are_computed():
    """Those that may be stated, and those in e-bar even where they are N/A; the others are 0."""
    model = double_model(**FACTS)
    config, batch = model.config, random_batch(model.config)
    everything = torch.zeros_like(batch["record_mask"])
    everything[:, :2, : len(config.team_attributes)] = True
    everything[:, 2:, : len(config.player_attributes)] = True
    records, e_bar = model.encode(*(batch[name] for name in ENCODED))
    expected, same_e_bar = model.encode(*(batch[name] for name in ENCODED[:-1]), everything)
    torch.testing.assert_close(e_bar, same_e_bar)
    left_out = 0
    for game, entity, slot in everything.nonzero().tolist():
        row = int(config.record_rows.first(torch.tensor(entity))) + slot
        is_read = batch["record_mask"][game, entity, slot] or slot in config.summarized_slots(is_team=entity < 2)
        torch.testing.assert_close(records[game, row], is_read * expected[game, row])
        left_out += not is_read
    assert left_out and expected.any(2).all()


def test_anonymizing_survives_loading(tmp_path):
    """Weights are loaded into a model without memory; what is not stored with them must not depend on it."""
    model = tiny_model.random_model()
    model.save_pretrained(tmp_path)
    loaded = StgForDataToText.from_pretrained(tmp_path)
    batch = tiny_model.processor()(tiny_model.league()[:2])
    hidden = []
    for encoder in (model.encoder, loaded.encoder):
        encoder.anonymous_rate = 0.5
        torch.manual_seed(0)
        hidden.append(encoder._anonymize(batch["entity_ids"], batch["value_ids"])[1])
    assert torch.equal(*hidden)


def test_records_stay_in_full_precision_under_autocast():
    """The in-place sum must not start from a term that autocast made half precision."""
    model, batch = tiny_model.random_model(), tiny_model.processor()(tiny_model.league()[:2])
    inputs = [batch[name] for name in ENCODED]
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        records, _ = model.encode(*inputs)
    assert records.dtype == torch.float32
