"""The tracker over a pretrained language model, with tiny random ones of three families."""

import copy

import pytest
import torch
from transformers import AutoModelForCausalLM

from modeling_stg.spelling import GLUED, SPACED
from modeling_stg.text import detokenize
from tests.helpers.tiny_language import FAMILIES, batch, composite, disturbed, folder, processor
from tests.helpers.tiny_model import league
from tests.twins import decoding_twin
from tests.twins.language_twin import LanguageTwin
from tests.twins.model_twin import twin_losses


INPUT_ONLY = ("labels",)


def inputs(model, games=3, family="llama"):
    return {name: tensor for name, tensor in batch(model, games, family).items() if name not in INPUT_ONLY}


@pytest.mark.parametrize("family", FAMILIES)
def test_losses_are_those_of_the_twin(family):
    model = disturbed(family)
    documents = batch(model, 2, family)
    documents["labels"] = documents["labels"][:, :45]
    with torch.no_grad():
        output = model(**documents)
        expected = twin_losses(model, documents, kind=LanguageTwin)
    assert {name: loss.item() for name, loss in output.losses.items()} == pytest.approx(
        {name: float(loss) for name, loss in expected.items()}, rel=1e-4
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_untrained_composite_is_the_pretrained_model(family):
    """The probability of a word's first piece is the bare model's among the first pieces of all words."""
    model = composite(family)
    documents = batch(model, 1, family)
    row, labels = league()[0], documents["labels"][0]
    with torch.no_grad():
        scores = model(**documents, return_scores=True).scores
    text = processor(family).decode(labels, row)
    pieces = processor(family).speller.tokenizer
    ids = [pieces.bos_token_id, *pieces.encode(text, add_special_tokens=False)]
    bare = AutoModelForCausalLM.from_pretrained(folder(family)).eval()
    with torch.no_grad():
        logits = bare(torch.tensor([ids])).logits[0]
    for time, side in ((0, GLUED), (1, SPACED)):
        first = model.language.spelling[side, :, 0]
        probabilities = torch.zeros(logits.shape[1]).index_add_(0, first, scores.y[0, time].softmax(0))
        own = first.unique()
        number = len(pieces.encode(processor(family).decode(labels[:time].tolist(), row), add_special_tokens=False))
        torch.testing.assert_close(probabilities[own], logits[number][own].softmax(0))


def test_texts_are_read_as_they_are_printed():
    """The pieces of a document spell its printable text; number words that open a sentence stay in lower case."""
    model = composite()
    for row in league()[:20]:
        labels = processor().encode(row, row["summary"], row["mentions"], row["writer"])["labels"]
        read = []
        run = model.language.run

        def remember(pieces, context, run=run, read=read, **options):
            read.append(pieces)
            return run(pieces, context, **options)

        model.language.run = remember
        with torch.no_grad():
            model(**processor()([row], [row["summary"]], [row["mentions"]], [row["writer"]]))
        del model.language.run
        text = processor().speller.tokenizer.decode(read[0][0, 1:].tolist())
        tokens = processor().batch_tokens([labels.tolist()], [row])[0]
        if "<UNK>" not in tokens:
            assert text.lower() == detokenize(tokens).lower()


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_texts_are_those_of_the_twin(family):
    model = disturbed(family)
    with torch.no_grad():
        model.transition.bias += 1  # states more records
    games = inputs(model, 3, family)
    sequences = model.generate(**games, min_new_tokens=10, max_new_tokens=25)
    records = 0
    for index, sequence in enumerate(sequences.tolist()):
        entities = int(games["entity_mask"][index].sum())
        one = {
            name: tensor[index : index + 1]
            if tensor.dim() == 1 or name == "surfaces"
            else tensor[index : index + 1, :entities]
            for name, tensor in games.items()
        }
        decisions = decoding_twin.write(model, one, 10, 25, LanguageTwin)
        expected = decoding_twin.ids(model.config, decisions)
        assert sequence[: len(expected)] == expected
        records += sum(decision.z for decision in decisions)
    assert records > 5


def test_log_probabilities_with_a_cache_are_those_without():
    model = disturbed()
    games = inputs(model)
    torch.manual_seed(1)
    output = model.generate(
        **games, do_sample=True, num_return_sequences=3, max_new_tokens=40, return_dict_in_generate=True
    )
    repeated = {name: tensor.repeat_interleave(3, dim=0) for name, tensor in games.items()}
    labels = output.sequences.masked_fill(output.sequences == model.config.pad_token_id, -100)
    with torch.no_grad():
        loss = model(**repeated, labels=labels).loss
    assert -output.log_probs.sum().item() == pytest.approx(loss.item(), rel=1e-5)


def test_a_batch_writes_what_single_games_write():
    model = disturbed()
    games = inputs(model, 4)
    together = model.generate(**games, max_new_tokens=30)
    for index in range(4):
        alone = model.generate(
            **{name: tensor[index : index + 1] for name, tensor in games.items()}, max_new_tokens=30
        )
        assert alone[0].tolist() == together[index, : alone.shape[1]].tolist()


def test_sentence_search_returns_the_likelihood_of_what_it_chose():
    model = disturbed()
    games = inputs(model)
    torch.manual_seed(0)
    output = model.generate(**games, sentence_candidates=4, max_new_tokens=60, return_dict_in_generate=True)
    labels = output.sequences.masked_fill(output.sequences == model.config.pad_token_id, -100)
    with torch.no_grad():
        loss = model(**games, labels=labels).loss
    assert -output.log_probs.sum().item() == pytest.approx(loss.item(), rel=1e-5)


def test_a_beam_of_one_is_greedy_and_more_are_likelier():
    model = disturbed()
    games = inputs(model)
    beams = model.generate(**games, num_beams=4, max_new_tokens=15, return_dict_in_generate=True)
    labels = beams.sequences.masked_fill(beams.sequences == model.config.pad_token_id, -100)
    with torch.no_grad():
        loss = model(**games, labels=labels).loss
    assert -beams.log_probs.sum().item() == pytest.approx(loss.item(), rel=1e-5)
    greedy = model.generate(**games, max_new_tokens=15, return_dict_in_generate=True)
    assert beams.log_probs.sum() >= greedy.log_probs.sum()


def test_only_adapters_tracker_and_heads_are_trained_and_saved(tmp_path):
    model = disturbed().train()
    before = copy.deepcopy([parameter.clone() for parameter in model.language.base.parameters()])
    model(**batch(model)).loss.backward()
    assert all(parameter.grad is not None for parameter in model.language.adapters.parameters())
    assert all(parameter.grad is None for parameter in model.language.base.parameters())
    assert not any("base" in name for name in model.state_dict())
    model.eval().save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path).eval()
    for old, new in zip(before, loaded.language.base.parameters(), strict=True):
        assert torch.equal(old, new)
    with torch.no_grad():
        assert loaded(**batch(model)).loss == model(**batch(model)).loss


def test_a_copy_has_its_own_adapters():
    model = disturbed()
    assert model.language.base is not None  # loaded before it is copied
    other = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in other.language.adapters.parameters():
            parameter.zero_()
        first, second = (one(**batch(model)).loss for one in (model, other))
        assert first == disturbed()(**batch(model)).loss
    assert first != second
