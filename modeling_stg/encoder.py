"""The record encoder: a vector r for every record, e-bar for every team and player (section 4.1)."""

import torch
from torch import nn

from .configuration_stg import StgConfig


ENCODED = "entity_ids", "is_home", "value_ids", "record_mask"  # the processor's tensors that the encoder reads
PART = 2048  # records computed at once


class RecordEncoder(nn.Module):
    """r = tanh(W_R [e; a; v; side]) and e-bar = tanh(sum over attributes of W_a r), facts to be stated left out.

    Teams and players have different numbers of slots, so a game's records are one list: those of the two teams, then
    those of the players (`RecordRows`).
    """

    def __init__(self, config: StgConfig):
        super().__init__()
        size = config.embedding_size
        self.num_team_slots = len(config.team_attributes)
        self.num_player_slots = len(config.player_attributes)
        self.unknown_rate, self.anonymous_rate = config.unknown_rate, config.anonymous_rate
        self.rows, self.num_slots = config.record_rows, config.num_slots
        self.entity = nn.Embedding(config.num_entities, size)
        self.attribute = nn.Embedding(self.num_team_slots + self.num_player_slots, size)
        self.value = nn.Embedding(config.num_values, size)
        self.side = nn.Embedding(2, size)
        self.record = nn.Linear(4 * size, size)
        self.team_slots, self.player_slots = (config.summarized_slots(is_team) for is_team in (True, False))
        slots = range(config.num_slots)
        self.name_slots = [[slot for slot in slots if config.has_name(entity, slot)] for entity in (0, 2)]
        self.team = nn.Linear(len(self.team_slots) * size, size)  # W_a of all team attributes, side by side
        self.player = nn.Linear(len(self.player_slots) * size, size)

    def forward(
        self, entity_ids: torch.Tensor, is_home: torch.Tensor, value_ids: torch.Tensor, record_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Encodes entity_ids, is_home [B, E], value_ids, record_mask [B, E, S] -> r [B, C, D], e-bar [B, E, D].

        Most facts are N/A. A record that cannot be stated and is no part of e-bar is not computed: its r is 0.
        """
        entity_ids = randomly_unknown(entity_ids, 0, self.unknown_rate, self.training)
        value_ids = randomly_unknown(value_ids, 0, self.unknown_rate, self.training)
        if self.training and self.anonymous_rate:
            entity_ids, value_ids = self._anonymize(entity_ids, value_ids)
        # W_R times a concatenation is a sum of four products, each computed once per embedding, not once per record.
        w_entity, w_attribute, w_value, w_side = self.record.weight.chunk(4, dim=1)
        by_slot = self.attribute.weight @ w_attribute.t()  # [team slots + player slots, D]
        by_entity = self.entity(entity_ids) @ w_entity.t() + self.side(is_home) @ w_side.t() + self.record.bias
        by_value = self.value.weight @ w_value.t()
        games, entities = entity_ids.shape
        is_read = record_mask | self._mask(entity_ids, self.team_slots, self.player_slots)
        cell = is_read.flatten().nonzero().squeeze(1)
        of_entity = cell // self.num_slots  # among those of all games
        slot, game, entity = cell - of_entity * self.num_slots, of_entity // entities, of_entity % entities
        size = self.rows.size(entities)
        records = _RecordVectors.apply(
            *(by_entity.flatten(0, 1), by_slot.to(by_entity.dtype), by_value.to(by_entity.dtype)),
            *(of_entity, torch.where(entity < 2, slot, slot + self.num_team_slots)),
            value_ids.flatten().index_select(0, cell),
            game * size + self.rows.first(entity) + slot,
            games * size,
        ).unflatten(0, (games, size))
        teams, players = split_records(records, self.num_team_slots, self.num_player_slots)
        team_vectors = self.team(_select(teams, self.team_slots).flatten(2))
        player_vectors = self.player(_select(players, self.player_slots).flatten(2))
        return records, torch.tanh(torch.cat([team_vectors, player_vectors], dim=1))

    def _anonymize(self, entity_ids: torch.Tensor, value_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Makes some entities unknown, along with every record that holds a part of their names."""
        hidden = torch.rand(entity_ids.shape, device=entity_ids.device) < self.anonymous_rate
        hidden_names = hidden.unsqueeze(2) & self._mask(entity_ids, *self.name_slots)
        return entity_ids.masked_fill(hidden, 0), value_ids.masked_fill(hidden_names, 0)

    def _mask(self, entity_ids: torch.Tensor, team_slots: list[int], player_slots: list[int]) -> torch.Tensor:
        """The cells [E, S] in these slots of the two teams and of the players."""
        mask = torch.zeros(entity_ids.shape[1], self.num_slots, dtype=torch.bool, device=entity_ids.device)
        mask[:2, team_slots] = True
        mask[2:, player_slots] = True
        return mask


def _select(records: torch.Tensor, slots: list[int]) -> torch.Tensor:
    """The records of some slots in order, [B, E, slots, D]; a view if they are consecutive, else runs side by side."""
    ends = [index for index, slot in enumerate(slots) if slot + 1 not in slots]
    starts = [0, *(end + 1 for end in ends[:-1])]
    runs = [records[:, :, slots[start] : slots[end] + 1] for start, end in zip(starts, ends, strict=True)]
    return torch.cat(runs, dim=2) if len(runs) > 1 else runs[0]


def split_records(records: torch.Tensor, team_slots: int, player_slots: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The records [B, C, D] of the teams, [B, 2, S, D], and of the players, [B, E - 2, S, D], as views."""
    teams, players = records[:, : 2 * team_slots], records[:, 2 * team_slots :]
    return teams.unflatten(1, (2, team_slots)), players.unflatten(1, (-1, player_slots))


class _RecordVectors(torch.autograd.Function):
    """r = tanh(by_entity [B * E, D] + by_slot [S_team + S_player, D] + by_value [V, D]) of N records, among zeros.

    entity, slot and value [N] index the three terms, row [N] the result [num_rows, D]. In parts that stay in the
    cache: half the time of sums over the whole batch.
    """

    @staticmethod
    def forward(ctx, by_entity, by_slot, by_value, entity, slot, value, row, num_rows):
        indices = entity, slot, value, row
        # tanh(x) = 2 sigmoid(2x) - 1, in a fifth of the time of torch's tanh; doubling is exact.
        terms = [2 * term for term in (by_entity, by_slot, by_value)]
        records = by_entity.new_zeros(num_rows, by_entity.shape[1])
        for *chosen, rows in zip(*(index.split(PART) for index in indices), strict=True):
            of_entity, of_slot, of_value = map(torch.Tensor.index_select, terms, (0, 0, 0), chosen)
            sums = of_entity.add_(of_slot).add_(of_value)
            records.index_copy_(0, rows, sums.sigmoid_().mul_(2).sub_(1))
        ctx.save_for_backward(records, *indices)
        ctx.sizes = [len(term) for term in terms]
        return records

    @staticmethod
    def backward(ctx, gradient):
        records, *indices, row = ctx.saved_tensors
        gradient, records = gradient.index_select(0, row), records.index_select(0, row)
        gradient = torch.addcmul(gradient, gradient, records.square_(), value=-1)  # 1 - tanh^2
        backward = torch.ops.aten.embedding_dense_backward
        terms = [backward(gradient, index, size, -1, False) for index, size in zip(indices, ctx.sizes, strict=True)]
        return *terms, None, None, None, None, None


def randomly_unknown(ids: torch.Tensor, unknown: int, rate: float, training: bool) -> torch.Tensor:
    """In training, replaces a share of the ids with `unknown`, so that its embedding is learnt."""
    if not training or rate == 0:
        return ids
    return torch.where(torch.rand(ids.shape, device=ids.device) < rate, unknown, ids)
