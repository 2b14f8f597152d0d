"""Sequence ids of records: ints and tensors are encoded and decoded alike."""

import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.record_ids import RecordIds


def test_ids_are_consecutive_after_the_vocabulary():
    ids = RecordIds(vocab_size=30, num_slots=4)
    encoded = [ids.encode(entity, slot, form) for entity in range(3) for slot in range(4) for form in (0, 1)]
    assert encoded == list(range(30, 54))


def test_ints_and_tensors_round_trip():
    config = StgConfig(vocab_size=30)
    ids = config.record_ids
    tokens = torch.arange(30, 400)
    entity, slot, form = ids.decode(tokens)
    assert torch.equal(ids.encode(entity, slot, form), tokens)
    cell, same_form = ids.decode_cell(tokens)
    assert torch.equal(ids.encode_cell(cell, same_form), tokens) and torch.equal(ids.cell(entity, slot), cell)
    for token in tokens.tolist():
        assert config.read_record_id(token) == (entity[token - 30], slot[token - 30], bool(form[token - 30]))
        assert config.record_id(*config.read_record_id(token)) == token


def test_the_cell_of_a_word_is_negative():
    cell, _ = RecordIds(vocab_size=30, num_slots=4).decode_cell(torch.arange(-1, 30))
    assert (cell < 0).all()
