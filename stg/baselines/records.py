"""The inputs of both baselines: a vector for every cell of the box score, and the decisions in a document's ids."""

from dataclasses import dataclass

import torch
from torch import nn

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.encoder import randomly_unknown


IGNORED = -100


class RecordVectors(nn.Module):
    """r = ReLU(W_R (entity, attribute, value, home or away, concatenated)), cell by cell."""

    def __init__(self, config: StgConfig):
        super().__init__()
        size = config.embedding_size
        self.unknown_rate = config.unknown_rate
        self.num_team_slots = len(config.team_attributes)
        self.entity = nn.Embedding(config.num_entities, size)
        self.attribute = nn.Embedding(self.num_team_slots + len(config.player_attributes), size)
        self.value = nn.Embedding(config.num_values, size)
        self.side = nn.Embedding(2, size)
        self.record = nn.Linear(4 * size, config.hidden_size)

    def forward(self, entity_ids, is_home, value_ids) -> torch.Tensor:
        """Encodes entity_ids, is_home [B, E], value_ids [B, E, S] -> r [B, E * S, H]."""
        entity_ids = randomly_unknown(entity_ids, 0, self.unknown_rate, self.training)
        value_ids = randomly_unknown(value_ids, 0, self.unknown_rate, self.training)
        # W_R times a concatenation is a sum of four products, each computed once per embedding, not once per record.
        w_entity, w_attribute, w_value, w_side = self.record.weight.chunk(4, dim=1)
        by_entity = self.entity(entity_ids) @ w_entity.t() + self.side(is_home) @ w_side.t() + self.record.bias
        by_slot = nn.functional.embedding(self._attributes(value_ids), self.attribute.weight @ w_attribute.t())
        by_value = nn.functional.embedding(value_ids, self.value.weight @ w_value.t())
        return torch.relu(by_value + by_slot + by_entity.unsqueeze(2)).flatten(1, 2)

    def _attributes(self, value_ids):
        """Rows of the attribute embedding, [E, S]; slots that an entity lacks get any row, as they are masked."""
        slots = torch.arange(value_ids.shape[2], device=value_ids.device)
        team = slots.clamp(max=self.num_team_slots - 1).expand(2, -1)
        player = (slots + self.num_team_slots).clamp(max=self.attribute.num_embeddings - 1)
        return torch.cat([team, player.expand(value_ids.shape[1] - 2, -1)])


def mean(vectors: torch.Tensor, mask: torch.Tensor, dim: int) -> torch.Tensor:
    """The mean along `dim` of the vectors in `mask`; 0 where there are none."""
    total = (vectors * mask.unsqueeze(-1)).sum(dim)
    return total / mask.sum(dim).clamp(min=1).unsqueeze(-1)


@dataclass
class Document:
    """The decisions in the ids of a batch of documents, [B, T] each.

    A copy writes the value in digits or as text. Neither paper chooses a number's form, so a number word is a
    generated word like any other.
    """

    token: torch.Tensor  # False for padding
    copied: torch.Tensor  # Z_t: whether the token is a record's value
    cell: torch.Tensor  # which record, entity * slots + slot; 0 where none is copied
    words: torch.Tensor  # as written: generated words and copied values
    before: torch.Tensor  # the previous word, <SoD> at first


def read_document(labels: torch.Tensor, value_words: torch.Tensor, config: StgConfig) -> Document:
    """Reads the decisions from labels [B, T] and value_words [B, E, S, 2]."""
    token, stated = labels != IGNORED, labels >= config.vocab_size
    cell, form = config.record_ids.decode_cell(torch.where(stated, labels, config.vocab_size))
    rows = torch.arange(len(labels), device=labels.device).unsqueeze(1)
    written = value_words.flatten(1, 2)[rows, cell, form]
    words = torch.where(token, torch.where(stated, written, labels), config.pad_token_id)
    copied = stated & (form == 0)
    before = nn.functional.pad(words[:, :-1], (1, 0), value=config.bos_token_id)
    return Document(token, copied, torch.where(copied, cell, 0), words, before)
