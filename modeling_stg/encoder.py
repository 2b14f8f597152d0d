"""The record encoder: a vector r for every record, e-bar for every team and player (section 4.1)."""

import torch
from torch import nn

from .configuration_stg import StgConfig


class RecordEncoder(nn.Module):
    """r = tanh(W_R [e; a; v; side]) and e-bar = tanh(sum over attributes of W_a r), facts to be stated left out.

    Teams and players have different numbers of slots, so a game's records are one list: those of the two teams, then
    those of the players (`RecordRows`).
    """

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
        self.team_slots, self.player_slots = (config.summarized_slots(is_team) for is_team in (True, False))
        self.team = nn.Linear(len(self.team_slots) * size, size)  # W_a of all team attributes, side by side
        self.player = nn.Linear(len(self.player_slots) * size, size)

    def forward(
        self, entity_ids: torch.Tensor, is_home: torch.Tensor, value_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Encodes entity_ids, is_home [B, E], value_ids [B, E, S] -> r [B, C, D], e-bar [B, E, D]."""
        entity_ids = randomly_unknown(entity_ids, 0, self.unknown_rate, self.training)
        value_ids = randomly_unknown(value_ids, 0, self.unknown_rate, self.training)
        if self.training and self.anonymous_rate:
            entity_ids, value_ids = self._anonymize(entity_ids, value_ids)
        # W_R times a concatenation is a sum of four products, each computed once per embedding, not once per record.
        w_entity, w_attribute, w_value, w_side = self.record.weight.chunk(4, dim=1)
        by_slot = self.attribute.weight @ w_attribute.t()  # [team slots + player slots, D]
        by_entity = self.entity(entity_ids) @ w_entity.t() + self.side(is_home) @ w_side.t() + self.record.bias
        by_value = (self.value.weight @ w_value.t()).to(by_entity.dtype)
        values = (value_ids[:, :2, : self.num_team_slots], value_ids[:, 2:, : self.num_player_slots])
        records = _RecordVectors.apply(by_entity, by_slot.to(by_entity.dtype), by_value, *values)
        teams, players = split_records(records, self.num_team_slots, self.num_player_slots)
        team_vectors = self.team(_select(teams, self.team_slots).flatten(2))
        player_vectors = self.player(_select(players, self.player_slots).flatten(2))
        return records, torch.tanh(torch.cat([team_vectors, player_vectors], dim=1))

    def _anonymize(self, entity_ids: torch.Tensor, value_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Makes some entities unknown, along with every record that holds a part of their names."""
        hidden = torch.rand(entity_ids.shape, device=entity_ids.device) < self.anonymous_rate
        is_player = (torch.arange(entity_ids.shape[1], device=entity_ids.device) >= 2).long()
        hidden_names = hidden.unsqueeze(2) & self.name_slots[is_player]
        return entity_ids.masked_fill(hidden, 0), value_ids.masked_fill(hidden_names, 0)


def _select(records: torch.Tensor, slots: list[int]) -> torch.Tensor:
    """The records of some slots, [B, E, slots, D]; a view where they are the first ones."""
    if slots == list(range(len(slots))):
        return records[:, :, : len(slots)]
    return records.index_select(2, torch.tensor(slots, device=records.device))


def split_records(records: torch.Tensor, team_slots: int, player_slots: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The records [B, C, D] of the teams, [B, 2, S, D], and of the players, [B, E - 2, S, D], as views."""
    teams, players = records[:, : 2 * team_slots], records[:, 2 * team_slots :]
    return teams.unflatten(1, (2, team_slots)), players.unflatten(1, (-1, player_slots))


class _RecordVectors(torch.autograd.Function):
    """tanh(by_entity [B, E, D] + by_slot [S_team + S_player, D] + by_value [V, D]) of every record, [B, C, D].

    Game by game, so that a game's records stay in the cache between the sums and the tanh: half the time of sums over
    the whole batch.
    """

    @staticmethod
    def forward(ctx, by_entity, by_slot, by_value, team_values, player_values):
        batch, entities, size = by_entity.shape
        team_slots, player_slots = team_values.shape[2], player_values.shape[2]
        values = torch.cat([team_values.flatten(1), player_values.flatten(1)], dim=1)  # [B, C]
        records = by_entity.new_empty(batch, values.shape[1], size)
        sums = torch.empty_like(records[0])
        parts = split_records(sums.unsqueeze(0), team_slots, player_slots)
        of_team, of_player = by_slot[:team_slots], by_slot[team_slots:]
        for game in range(batch):
            torch.add(by_entity[game, :2].unsqueeze(1), of_team, out=parts[0][0])
            torch.add(by_entity[game, 2:].unsqueeze(1), of_player, out=parts[1][0])
            torch.index_select(by_value, 0, values[game], out=records[game])
            records[game].add_(sums).tanh_()
        ctx.save_for_backward(records, values)
        ctx.shape = team_slots, player_slots, len(by_value)
        return records

    @staticmethod
    def backward(ctx, gradient):
        records, values = ctx.saved_tensors
        team_slots, player_slots, num_values = ctx.shape
        gradient = torch.addcmul(gradient, gradient, records.square(), value=-1)  # 1 - tanh^2
        teams, players = split_records(gradient, team_slots, player_slots)
        by_entity = torch.cat([teams.sum(2), players.sum(2)], dim=1)
        by_slot = torch.cat([teams.sum((0, 1)), players.sum((0, 1))])
        by_value = torch.ops.aten.embedding_dense_backward(gradient, values, num_values, -1, False)
        return by_entity, by_slot, by_value, None, None


def randomly_unknown(ids: torch.Tensor, unknown: int, rate: float, training: bool) -> torch.Tensor:
    """In training, replaces a share of the ids with `unknown`, so that its embedding is learnt."""
    if not training or rate == 0:
        return ids
    return torch.where(torch.rand(ids.shape, device=ids.device) < rate, unknown, ids)
