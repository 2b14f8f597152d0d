"""Stage 1 of neural content planning (Puduppully et al., 2019): which records to state, in which order."""

import torch
from torch import nn

from stg.baselines.configuration import NcpConfig
from stg.baselines.records import mean


class ContentSelection(nn.Module):
    """r_cs = sigmoid(W_g (r, c)) * r, where c is the attention-weighted sum of the other records.

    The paper's bilinear attention has the rank of its authors' implementation (`selection_size`).
    """

    def __init__(self, config: NcpConfig):
        super().__init__()
        hidden = config.hidden_size
        self.query = nn.Linear(hidden, config.selection_size, bias=False)
        self.key = nn.Linear(hidden, config.selection_size, bias=False)
        self.gate = nn.Linear(2 * hidden, hidden)  # W_g

    def forward(self, records, mask):
        """Gates records [B, M, H], mask [B, M] -> r_cs [B, M, H]."""
        scores = self.query(records) @ self.key(records).transpose(1, 2)  # [B, M, M]
        itself = torch.eye(records.shape[1], dtype=torch.bool, device=records.device)
        scores = scores.masked_fill(itself | ~mask.unsqueeze(1), float("-inf"))
        others = scores.softmax(2) @ records
        return torch.sigmoid(self.gate(torch.cat([records, others], dim=2))) * records


class Lstm(nn.LSTM):
    """Ignores autocast and keeps the precision of its weights, as the decoder does: some CPUs support no other."""

    def forward(self, inputs, state=None):
        dtype = self.weight_hh_l0.dtype
        with torch.autocast(inputs.data.device.type, enabled=False):
            state = None if state is None else tuple(part.to(dtype) for part in state)
            return super().forward(inputs.to(dtype), state)


class Planner(nn.Module):
    """A pointer LSTM over candidates: the records and, last, the end of the plan.

    h and c start as the mean of the records. Reads the previous record (a learned vector at first) and, if
    `writer_size` is not 0, the writer's vector.
    """

    def __init__(self, config: NcpConfig, writer_size: int = 0):
        super().__init__()
        hidden = config.hidden_size
        self.start = nn.Parameter(torch.empty(hidden))
        self.end = nn.Parameter(torch.empty(hidden))
        self.lstm = Lstm(hidden + writer_size, hidden, batch_first=True)
        self.pointer = nn.Linear(hidden, hidden, bias=False)  # W_c
        self.dropout = nn.Dropout(config.dropout)

    def candidates(self, selected, mask):
        """Appends the end to r_cs [B, M, H] and mask [B, M]: [B, M + 1, H], [B, M + 1]."""
        end = self.end.expand(len(selected), 1, -1)
        return torch.cat([selected, end], dim=1), nn.functional.pad(mask, (0, 1), value=True)

    def begin(self, candidates, mask):
        """The state (h, c) before the first choice, [1, B, H] each."""
        average = mean(candidates[:, :-1], mask[:, :-1], dim=1).unsqueeze(0)
        return average, average

    def step(self, before, writer, state):
        """Runs the LSTM on the previous records, before [B, K, H], and writer [B, W] or None -> h [B, K, H], state."""
        if writer is not None:
            before = torch.cat([before, writer.unsqueeze(1).expand(-1, before.shape[1], -1)], dim=2)
        return self.lstm(before, state)

    def scores(self, h, candidates, mask):
        """The logits of the candidates, [B, K, M + 1], given h [B, K, H]."""
        scores = self.pointer(h) @ candidates.transpose(1, 2)
        return scores.masked_fill(~mask.unsqueeze(1), float("-inf"))

    def forward(self, planned, writer, candidates, mask):
        """The logits of every choice, [B, K, M + 1], given the ones before it: planned [B, K, H]."""
        before = torch.cat([self.start.expand(len(planned), 1, -1), planned[:, :-1]], dim=1)
        h, _ = self.step(before, writer, self.begin(candidates, mask))
        return self.scores(self.dropout(h), candidates, mask)


class PlanEncoder(nn.Module):
    """A bidirectional LSTM over the planned records and the end of the plan, so that no plan is empty."""

    def __init__(self, config: NcpConfig):
        super().__init__()
        self.lstm = Lstm(
            *(config.hidden_size, config.hidden_size // 2, config.num_lm_layers),
            batch_first=True,
            bidirectional=True,
            dropout=config.dropout if config.num_lm_layers > 1 else 0.0,
        )

    def forward(self, planned, mask):
        """Encodes planned [B, K, H], mask [B, K] -> [B, K, H], and both directions' last h and c, [L, B, H] each."""
        lengths = mask.sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(planned, lengths, batch_first=True, enforce_sorted=False)
        vectors, state = self.lstm(packed)
        vectors, _ = nn.utils.rnn.pad_packed_sequence(vectors, batch_first=True, total_length=planned.shape[1])
        return vectors, *(self._both(part) for part in state)

    @staticmethod
    def _both(state):
        """Concatenates both directions: [2L, B, H / 2] -> [L, B, H]."""
        return state.unflatten(0, (-1, 2)).transpose(1, 2).flatten(2)
