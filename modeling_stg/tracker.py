"""The saliency tracker h_Ent: GRU_E when the entity changes, GRU_A for the record, a refresh after each period.

Under teacher forcing the tracker does not depend on the language model. It is therefore scanned over *events*
(mentions and periods, about 100 per document) instead of tokens (about 380), in one autograd function.
"""

from dataclasses import dataclass

import torch
from torch import nn

from .configuration_stg import StgConfig
from .language_model import in_blocks, linear_gradients, product, side_by_side, sigmoid_backward, tanh_backward


@dataclass
class Events:
    """The steps of the tracker, in order; [B, K] unless noted.

    Sources index the concatenation of the entities' memories [E] and the states after each event [K].
    """

    position: torch.Tensor  # token position t of the event
    valid: torch.Tensor  # False is padding: this document has fewer events
    mention: torch.Tensor  # True: a record is stated; False: a period
    entity: torch.Tensor
    slot: torch.Tensor
    previous: torch.Tensor  # e_{t-1}, or -1 before the first mention
    change: torch.Tensor  # e_t differs from e_{t-1}, so GRU_E runs
    old: torch.Tensor  # `change` to an entity that was mentioned before
    sources: torch.Tensor  # [B, K, E]: source of each entity's last state before event k, or -1
    count: torch.Tensor  # [B, T + 1]: number of events among the first t tokens

    @property
    def source(self) -> torch.Tensor:
        """The source of the event's own entity, [B, K]."""
        return self.sources.gather(2, self.entity.unsqueeze(2)).squeeze(2)


def read_events(
    mention: torch.Tensor,
    period: torch.Tensor,
    entity: torch.Tensor,
    slot: torch.Tensor,
    mentioned: torch.Tensor,
    current: torch.Tensor,
) -> Events:
    """Finds the events in mention, period, entity, slot [B, T]; mentioned [B, E] and current [B] precede them."""
    entities = mentioned.shape[1]
    event = mention | period
    count = nn.functional.pad(event.cumsum(1), (1, 0))
    longest = int(count[:, -1].max())
    position = torch.argsort((~event).to(torch.int8), dim=1, stable=True)[:, :longest]
    valid = event.gather(1, position)
    mention = mention.gather(1, position)
    entity = torch.where(mention, entity.gather(1, position), 0)
    slot = torch.where(mention, slot.gather(1, position), 0)

    index = torch.arange(longest, device=event.device)
    latest = torch.where(mention, index, -1).cummax(1).values if longest else position
    before = nn.functional.pad(latest, (1, 0), value=-1)[:, :-1] if longest else position
    previous = torch.where(before < 0, current.unsqueeze(1), entity.gather(1, before.clamp(min=0)))
    change = mention & (entity != previous)

    is_entity = mention.unsqueeze(2) & (entity.unsqueeze(2) == torch.arange(entities, device=event.device))
    last = torch.where(is_entity, index.unsqueeze(1) + entities, -1)
    last = nn.functional.pad(last, (0, 0, 1, 0), value=-1)[:, :-1].cummax(1).values if longest else last
    remembered = torch.where(mentioned, torch.arange(entities, device=event.device), -1).unsqueeze(1)
    sources = torch.where(last < 0, remembered, last)
    old = change & (sources.gather(2, entity.unsqueeze(2)).squeeze(2) >= 0)
    return Events(position, valid, mention, entity, slot, previous, change, old, sources, count)


def teammates_of(entity: torch.Tensor, is_home: torch.Tensor) -> torch.Tensor:
    """Mask of the entities on the same side (itself too): entity [B, K] (-1: none), is_home [B, E] -> [B, K, E]."""
    side = is_home.gather(1, entity.clamp(min=0))
    return (is_home.unsqueeze(1) == side.unsqueeze(2)) & (entity >= 0).unsqueeze(2)


class Tracker(nn.Module):
    """GRU_E, GRU_A, W_S and v_refresh."""

    def __init__(self, config: StgConfig):
        super().__init__()
        self.rows = config.record_rows
        self.gru_e = nn.GRUCell(config.embedding_size, config.hidden_size)
        self.gru_a = nn.GRUCell(config.embedding_size, config.hidden_size)
        self.from_memory = nn.Linear(config.hidden_size, config.embedding_size)  # W_S
        self.refresh = nn.Parameter(torch.empty(config.embedding_size))

    def initial_state(self, e_bar: torch.Tensor, entity_mask: torch.Tensor) -> torch.Tensor:
        """h_Ent before the first word: GRU_E of the mean e-bar. e_bar [B, E, D], entity_mask [B, E] -> [B, H]."""
        weights = entity_mask.to(e_bar.dtype)
        mean = (e_bar * weights.unsqueeze(2)).sum(1) / weights.sum(1, keepdim=True)
        return self.gru_e(mean, e_bar.new_zeros(len(mean), self.gru_e.hidden_size))

    def forward(
        self, events: Events, records: torch.Tensor, e_bar: torch.Tensor, h_ent: torch.Tensor, memory: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Scans the events: records [B, C, D], e_bar [B, E, D], h_ent [B, H], memory [B, E, H].

        Returns h_Ent' (after GRU_E) and h_Ent (after GRU_A) of every event, [B, K, H] each.
        """
        rows = torch.arange(len(records), device=records.device).unsqueeze(1)
        event_record = records[rows, self.rows.first(events.entity) + events.slot]
        event_record = torch.where(events.mention.unsqueeze(2), event_record, self.refresh)
        event_entity = e_bar[rows, events.entity]
        with torch.autocast(records.device.type, enabled=False):
            cells = [
                tensor
                for cell in (self.gru_e, self.gru_a)
                for tensor in (cell.weight_ih, cell.bias_ih, cell.weight_hh, cell.bias_hh)
            ]
            floats = [tensor.to(self.refresh.dtype) for tensor in (event_record, event_entity, h_ent, memory)]
            masks = (events.valid, events.change, events.old, events.source.clamp(min=0))
            after_gru_e, after_gru_a = TrackerScan.apply(
                floats[0].permute(1, 2, 0).contiguous(),
                floats[1].permute(1, 2, 0).contiguous(),
                floats[2].t().contiguous(),
                floats[3].permute(1, 2, 0).contiguous(),
                *(mask.t().contiguous() for mask in masks),
                *(*cells, self.from_memory.weight, self.from_memory.bias),
            )
        return after_gru_e.permute(2, 0, 1), after_gru_a.permute(2, 0, 1)


class TrackerScan(torch.autograd.Function):
    """The recurrence over events, laid out [events, features, batch]; one product per weight gradient for all events.

    `records` holds the r of each event's record (or v_refresh), `e_bars` the e-bar of its entity. GRU gates are stored
    as new, reset, update, W_hn h: W_ih x adds to the first three, W_hh h to the last three. For padding events the
    update gate is set to 1, so h is copied and only the gradient of h flows through.
    """

    @staticmethod
    def forward(ctx, records, e_bars, h, memory, valid, change, old, source, *weights):
        (in_e, w_e), (in_a, w_a) = gru_blocks(*weights[:4:2]), gru_blocks(*weights[4:8:2])
        w_s, b_s = in_blocks(weights[8]), in_blocks(weights[9].unsqueeze(1))
        events, size, batch = records.shape
        entities, hidden = memory.shape[:2]
        changes, olds = change.any(1).tolist(), old.any(1).tolist()
        turns = sum(changes)  # events at which GRU_E runs in any document; its tensors exist for these alone
        bank = torch.cat([memory, memory.new_empty(events, hidden, batch)])
        before = memory.new_empty(turns, hidden, batch)
        recalled = memory.new_zeros(turns, hidden, batch)  # h_s of returning entities
        inputs_e = memory.new_empty(turns, size, batch)  # of GRU_E: e-bar, or W_S h_s
        gates_e = gru_biases(*weights[1:4:2]).repeat(turns, 1, 1, batch)
        gates_a = gru_biases(*weights[5:8:2]).repeat(events, 1, 1, batch)
        gates_a[:, :3].flatten(1, 2).baddbmm_(in_a.flatten(0, 1).expand(events, -1, -1), records)
        after_gru_e = memory.new_empty(events, hidden, batch)
        skip_a, skip_e, turn = ~valid, ~change, 0
        for k in range(events):
            if changes[k]:
                before[turn] = h
                inputs_e[turn] = e_bars[k]
                if olds[k]:
                    torch.gather(bank, 0, source[k].expand(1, hidden, batch), out=recalled[turn : turn + 1])
                    torch.where(old[k], product(w_s, recalled[turn], b_s), e_bars[k], out=inputs_e[turn])
                add_product(gates_e[turn, :3], in_e, inputs_e[turn])
                h = _gru(gates_e[turn], h, w_e, skip_e[k], after_gru_e[k])
                turn += 1
            else:
                after_gru_e[k] = h
            h = _gru(gates_a[k], after_gru_e[k], w_a, skip_a[k], bank[entities + k])
        ctx.save_for_backward(
            records, before, after_gru_e, recalled, inputs_e, gates_e, gates_a, old, source, *weights
        )
        ctx.entities, ctx.changes, ctx.olds = entities, changes, olds
        return after_gru_e, bank[entities:].clone()

    @staticmethod
    def backward(ctx, d_after_gru_e, d_after_gru_a):
        records, before, after_gru_e, recalled, inputs_e, gates_e, gates_a, old, source, *weights = ctx.saved_tensors
        events, hidden, batch = after_gru_e.shape
        turn = len(before)
        d_bank = torch.cat([before.new_zeros(ctx.entities, hidden, batch), d_after_gru_a])
        d_e_bars, d_inputs_e = torch.zeros_like(records), torch.empty_like(inputs_e)
        d_recall_inputs = torch.zeros_like(inputs_e)  # of W_S h_s, where an entity returns
        # so far d_gates / d_h; multiplied with d_h step by step
        d_gates_e, d_gates_a = _gate_slopes(gates_e, before), _gate_slopes(gates_a, after_gru_e)
        in_e, w_e = gru_blocks(*weights[:4:2], transposed=True)
        in_a, w_a = gru_blocks(*weights[4:8:2], transposed=True)
        w_s = in_blocks(weights[8].t().contiguous())
        d_h = before.new_zeros(hidden, batch)
        for k in range(events - 1, -1, -1):
            d_h += d_bank[ctx.entities + k]
            _gru_backward(d_h, gates_a[k], w_a, d_gates_a[k])
            d_h += d_after_gru_e[k]
            if ctx.changes[k]:
                turn -= 1
                _gru_backward(d_h, gates_e[turn], w_e, d_gates_e[turn])
                d_inputs_e[turn] = product(in_e, d_gates_e[turn, :3].flatten(0, 1))
                if ctx.olds[k]:
                    torch.mul(d_inputs_e[turn], old[k], out=d_recall_inputs[turn])
                    d_recalled = product(w_s, d_recall_inputs[turn])
                    d_bank.scatter_add_(0, source[k].expand(1, hidden, batch), d_recalled.unsqueeze(0))
                torch.sub(d_inputs_e[turn], d_recall_inputs[turn], out=d_e_bars[k])
        d_records = in_a.flatten(0, 1).expand(events, -1, -1) @ d_gates_a[:, :3].flatten(1, 2)
        d_weights = (
            *_gru_gradients(d_gates_e, inputs_e, before),
            *_gru_gradients(d_gates_a, records, after_gru_e),
            *linear_gradients(side_by_side(d_recall_inputs), recalled),
        )
        return d_records, d_e_bars, d_h, d_bank[: ctx.entities], None, None, None, None, *d_weights


def new_gate_first(weight):
    """W_ih or b_ih in the gate order of the scan; PyTorch puts the new gate last."""
    return weight.roll(len(weight) // 3, 0)


def gru_blocks(w_ih, w_hh, transposed=False):
    """W_ih and W_hh cut into blocks for `product`."""
    weights = new_gate_first(w_ih), w_hh
    return [in_blocks(weight.t().contiguous() if transposed else weight) for weight in weights]


def gru_biases(b_ih, b_hh):
    """The biases of new, reset, update and W_hn h, [4, H, 1]."""
    hidden = len(b_hh) // 3
    by_input, by_state = nn.functional.pad(new_gate_first(b_ih), (0, hidden)), nn.functional.pad(b_hh, (hidden, 0))
    return (by_input + by_state).view(4, hidden, 1)


def add_product(gates, weight, x):
    """Adds weight @ x to gates [G, H, B]."""
    in_blocks(gates.flatten(0, 1)).baddbmm_(weight, x.expand(len(weight), -1, -1))


def _gru(gates, h, w_hh, skip, out):
    """One GRU step. `gates` [4, H, B] hold W_ih x + b and are activated in place; where `skip` [B], h is copied."""
    add_product(gates[1:], w_hh, h)
    gates[1:3].sigmoid_()
    new, reset, update, recurrent = gates.unbind(0)
    new.addcmul_(reset, recurrent).tanh_()
    return torch.lerp(new, h, update.masked_fill_(skip, 1), out=out)


def _gate_slopes(gates, h):
    """Derivatives of the new h with respect to the gates before activation, [K, 4, H, B]."""
    new, reset, update, recurrent = gates.unbind(1)
    slopes = torch.empty_like(gates)
    by_new, by_reset, by_update, by_recurrent = slopes.unbind(1)
    tanh_backward(1 - update, new, grad_input=by_new)
    torch.mul(by_new, reset, out=by_recurrent)
    sigmoid_backward(by_new * recurrent, reset, grad_input=by_reset)
    sigmoid_backward(h - new, update, grad_input=by_update)
    return slopes


def _gru_backward(d_h, gates, w_hh_t, d_gates):
    """In place: turns d_h [H, B] of the new h into that of the old one, and the slopes `d_gates` into gradients."""
    d_gates.mul_(d_h)
    d_h.mul_(gates[2])
    add_product(d_h.unsqueeze(0), w_hh_t, d_gates[1:].flatten(0, 1))


def _gru_gradients(d_gates, inputs, h):
    """Gradients of W_ih, b_ih, W_hh and b_hh."""
    d_gates, third = side_by_side(d_gates.flatten(1, 2)), d_gates.shape[2]
    w_ih, b_ih = (gradient.roll(-third, 0) for gradient in linear_gradients(d_gates[: 3 * third], inputs))
    return w_ih, b_ih, *linear_gradients(d_gates[third:], h)
