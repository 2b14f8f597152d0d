"""Sequence ids of records: `vocab_size + 2 * (entity * num_slots + slot) + form`, for ints and tensors alike."""

from typing import Any, NamedTuple

import torch


Ids = Any  # int or torch.Tensor


class RecordIds(NamedTuple):
    """Ids below `vocab_size` are words; others state a record, in digits or as text (form 0) or in words (1)."""

    vocab_size: int
    num_slots: int

    def cell(self, entity: Ids, slot: Ids) -> Ids:
        """The index of a cell in a game's box score."""
        return entity * self.num_slots + slot

    def entity_and_slot(self, cell: Ids) -> tuple[Ids, Ids]:
        return cell // self.num_slots, cell % self.num_slots

    def encode(self, entity: Ids, slot: Ids, form: Ids = 0) -> Ids:
        return self.encode_cell(self.cell(entity, slot), form)

    def encode_cell(self, cell: Ids, form: Ids = 0) -> Ids:
        return self.vocab_size + 2 * cell + form

    def decode(self, ids: Ids) -> tuple[Ids, Ids, Ids]:
        """(entity, slot, form) of ids that state a record."""
        cell, form = self.decode_cell(ids)
        return *self.entity_and_slot(cell), form

    def decode_cell(self, ids: Ids) -> tuple[Ids, Ids]:
        """(cell, form); the cell of a word is negative."""
        offset = ids - self.vocab_size
        return offset // 2, offset % 2


class RecordRows(NamedTuple):
    """Where a game's records stand in its list of vectors: first the two teams', then the players', slot by slot."""

    team_slots: int
    player_slots: int

    def size(self, entities: int) -> int:
        """The number of rows of a game."""
        return 2 * self.team_slots + (entities - 2) * self.player_slots

    def first(self, entity: torch.Tensor) -> torch.Tensor:
        """The row of an entity's first record."""
        of_player = 2 * self.team_slots + (entity - 2) * self.player_slots
        return torch.where(entity < 2, entity * self.team_slots, of_player)
