"""The record encoder: a vector r for every cell of the box score, e-bar for every team and player (section 4.1)."""

import torch
from torch import nn

from .configuration_stg import StgConfig


class RecordEncoder(nn.Module):
    """r = tanh(W_R [e; a; v; side]) and e-bar = tanh(sum over attributes of W_a r)."""

    name_slots: torch.Tensor  # [2, S]: whether a team's, a player's slot holds part of its name

    def __init__(self, config: StgConfig):
        super().__init__()
        size = config.embedding_size
        self.num_team_slots = len(config.team_attributes)
        self.num_player_slots = len(config.player_attributes)
        self.unknown_rate, self.anonymous_rate = config.unknown_rate, config.anonymous_rate
        slots = range(config.num_slots)
        name_slots = [[config.has_name(entity, slot) for slot in slots] for entity in (0, 2)]
        self.register_buffer("name_slots", torch.tensor(name_slots), persistent=False)
        self.entity = nn.Embedding(config.num_entities, size)
        self.attribute = nn.Embedding(self.num_team_slots + self.num_player_slots, size)
        self.value = nn.Embedding(config.num_values, size)
        self.side = nn.Embedding(2, size)
        self.record = nn.Linear(4 * size, size)
        self.team = nn.Linear(self.num_team_slots * size, size)  # W_a of all team attributes, side by side
        self.player = nn.Linear(self.num_player_slots * size, size)

    def forward(
        self, entity_ids: torch.Tensor, is_home: torch.Tensor, value_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Encodes entity_ids, is_home [B, E], value_ids [B, E, S] -> r [B, E, S, D], e-bar [B, E, D]."""
        entity_ids = randomly_unknown(entity_ids, 0, self.unknown_rate, self.training)
        value_ids = randomly_unknown(value_ids, 0, self.unknown_rate, self.training)
        if self.training and self.anonymous_rate:
            entity_ids, value_ids = self._anonymize(entity_ids, value_ids)
        # W_R times a concatenation is a sum of four products, each computed once per embedding, not once per record.
        w_entity, w_attribute, w_value, w_side = self.record.weight.chunk(4, dim=1)
        slots = value_ids.shape[2]
        attributes = self.attribute.weight @ w_attribute.t()  # [team slots + player slots, D]
        by_team = nn.functional.pad(attributes[: self.num_team_slots], (0, 0, 0, slots - self.num_team_slots))
        by_player = nn.functional.pad(attributes[self.num_team_slots :], (0, 0, 0, slots - self.num_player_slots))
        players = entity_ids.shape[1] - 2
        by_slot = torch.cat([by_team.expand(2, -1, -1), by_player.expand(players, -1, -1)])  # [E, S, D]
        by_entity = self.entity(entity_ids) @ w_entity.t() + self.side(is_home) @ w_side.t() + self.record.bias
        by_value = nn.functional.embedding(value_ids, self.value.weight @ w_value.t())
        records = (by_entity.unsqueeze(2) + by_slot).add_(by_value).tanh_()  # in place: allocating costs more
        team_vectors = self.team(records[:, :2, : self.num_team_slots].flatten(2))
        player_vectors = self.player(records[:, 2:, : self.num_player_slots].flatten(2))
        return records, torch.tanh(torch.cat([team_vectors, player_vectors], dim=1))

    def _anonymize(self, entity_ids: torch.Tensor, value_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Makes some entities unknown, along with every record that holds a part of their names."""
        hidden = torch.rand(entity_ids.shape, device=entity_ids.device) < self.anonymous_rate
        is_player = (torch.arange(entity_ids.shape[1], device=entity_ids.device) >= 2).long()
        hidden_names = hidden.unsqueeze(2) & self.name_slots[is_player]
        return entity_ids.masked_fill(hidden, 0), value_ids.masked_fill(hidden_names, 0)


def randomly_unknown(ids: torch.Tensor, unknown: int, rate: float, training: bool) -> torch.Tensor:
    """In training, replaces a share of the ids with `unknown`, so that its embedding is learnt."""
    if not training or rate == 0:
        return ids
    return torch.where(torch.rand(ids.shape, device=ids.device) < rate, unknown, ids)
