"""The saliency tracker h_Ent: GRU_E when the entity changes, GRU_A for the record, a refresh after ".".

Under teacher forcing the tracker never reads the language model, so it is scanned over *events* (mentions and
periods, about 100 a document) instead of tokens (about 380), as one autograd function like the language model's.
"""

from dataclasses import dataclass

import torch
from torch import nn

from .configuration_stg import StgConfig
from .language_stg import in_blocks, linear_gradients, product


@dataclass
class Events:
    """What moves the tracker, in order; [B, K] each. Source e is an entity's memory, source E + k event k's state."""

    position: torch.Tensor  # token position t of the event
    live: torch.Tensor  # False where a document has fewer events
    mention: torch.Tensor  # a record is stated (else: a period)
    entity: torch.Tensor
    slot: torch.Tensor
    previous: torch.Tensor  # e_{t-1}, or -1 before the first mention
    change: torch.Tensor  # e_t differs from e_{t-1}: GRU_E runs
    old: torch.Tensor  # the entity was mentioned before
    sources: torch.Tensor  # [B, K, E]: where each entity's last state lies before event k, or -1
    count: torch.Tensor  # [B, T + 1]: events among the first t tokens

    @property
    def source(self) -> torch.Tensor:
        return self.sources.gather(2, self.entity.unsqueeze(2)).squeeze(2)


def read_events(mention, period, entity, slot, mentioned, current) -> Events:
    """mention, period, entity, slot [B, T]; mentioned [B, E] and current [B] are what came before the text."""
    entities = mentioned.shape[1]
    event = mention | period
    count = nn.functional.pad(event.cumsum(1), (1, 0))
    longest = int(count[:, -1].max())
    position = torch.argsort((~event).to(torch.int8), dim=1, stable=True)[:, :longest]
    live = event.gather(1, position)
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
    return Events(position, live, mention, entity, slot, previous, change, old, sources, count)


def teammates_of(entity: torch.Tensor, is_home: torch.Tensor) -> torch.Tensor:
    """Who is on the team of an entity, itself included: entity [B, K] (-1: nobody), is_home [B, E] -> [B, K, E]."""
    side = is_home.gather(1, entity.clamp(min=0))
    return (is_home.unsqueeze(1) == side.unsqueeze(2)) & (entity >= 0).unsqueeze(2)


class Tracker(nn.Module):
    """GRU_E, GRU_A, W_S and v_refresh."""

    def __init__(self, config: StgConfig):
        super().__init__()
        self.gru_e = nn.GRUCell(config.embedding_size, config.hidden_size)
        self.gru_a = nn.GRUCell(config.embedding_size, config.hidden_size)
        self.from_memory = nn.Linear(config.hidden_size, config.embedding_size)  # W_S
        self.refresh = nn.Parameter(torch.empty(config.embedding_size))

    def start(self, e_bar, entity_mask):
        """h_Ent before the first word: GRU_E of the mean e-bar. e_bar [B, E, D], entity_mask [B, E] -> [B, H]."""
        weights = entity_mask.to(e_bar.dtype)
        mean = (e_bar * weights.unsqueeze(2)).sum(1) / weights.sum(1, keepdim=True)
        return self.gru_e(mean, e_bar.new_zeros(len(mean), self.gru_e.hidden_size))

    def forward(self, events: Events, records, e_bar, h_ent, memory):
        """records [B, E, S, D], e_bar [B, E, D], h_ent [B, H], memory [B, E, H].

        Returns h_Ent' (after GRU_E) and h_Ent (after GRU_A) of every event, [B, K, H] each.
        """
        rows = torch.arange(len(records), device=records.device).unsqueeze(1)
        stated = records[rows, events.entity, events.slot]
        stated = torch.where(events.mention.unsqueeze(2), stated, self.refresh)
        named = e_bar[rows, events.entity]
        with torch.autocast(records.device.type, enabled=False):
            cells = [
                tensor
                for cell in (self.gru_e, self.gru_a)
                for tensor in (cell.weight_ih, cell.bias_ih, cell.weight_hh, cell.bias_hh)
            ]
            floats = [tensor.to(self.refresh.dtype) for tensor in (stated, named, h_ent, memory)]
            masks = (events.live, events.change, events.old, events.source.clamp(min=0))
            entered, left = TrackerScan.apply(
                floats[0].permute(1, 2, 0).contiguous(),
                floats[1].permute(1, 2, 0).contiguous(),
                floats[2].t().contiguous(),
                floats[3].permute(1, 2, 0).contiguous(),
                *(mask.t().contiguous() for mask in masks),
                *(*cells, self.from_memory.weight, self.from_memory.bias),
            )
        return entered.permute(2, 0, 1), left.permute(2, 0, 1)


class TrackerScan(torch.autograd.Function):
    """The recurrence over events, [events, features, batch] inside; weight gradients are taken once for all events.

    `stated` is the r of each event's record (or the refresh), `named` the e-bar of its entity.
    """

    @staticmethod
    def forward(ctx, stated, named, h, memory, live, change, old, source, *weights):
        in_e, w_e, in_a, w_a, w_s = (in_blocks(weight) for weight in weights[::2])
        in_e_bias, b_e, in_a_bias, b_a, b_s = (in_blocks(bias.unsqueeze(1)) for bias in weights[1::2])
        events, size, batch = stated.shape
        entities, hidden = memory.shape[:2]
        changes, olds = change.any(1).tolist(), old.any(1).tolist()
        turns = sum(changes)  # events at which GRU_E runs; what only it needs is kept for them alone
        bank = torch.cat([memory, memory.new_empty(events, hidden, batch)])
        before = memory.new_empty(turns, hidden, batch)
        recalled = memory.new_zeros(turns, hidden, batch)  # h_s of returning entities
        read = memory.new_empty(turns, size, batch)  # by GRU_E: e-bar, or W_S h_s
        gates_e = memory.new_empty(turns, 4 * hidden, batch)  # reset, update, new, and W_hn h
        gates_a = memory.new_empty(events, 4 * hidden, batch)
        entered = memory.new_empty(events, hidden, batch)
        turn = 0
        for k in range(events):
            if changes[k]:
                before[turn] = h
                read[turn] = named[k]
                if olds[k]:
                    torch.gather(bank, 0, source[k].expand(1, hidden, batch), out=recalled[turn : turn + 1])
                    torch.where(old[k], product(w_s, recalled[turn], b_s), named[k], out=read[turn])
                inputs = product(in_e, read[turn], in_e_bias)
                torch.where(change[k], _gru(inputs, h, w_e, b_e, gates_e[turn]), h, out=entered[k])
                turn += 1
            else:
                entered[k] = h
            h = bank[entities + k]
            inputs = product(in_a, stated[k], in_a_bias)
            torch.where(live[k], _gru(inputs, entered[k], w_a, b_a, gates_a[k]), entered[k], out=h)
        kept = (stated, before, entered, recalled, read, gates_e, gates_a)
        ctx.save_for_backward(*kept, live, change, old, source, *weights)
        ctx.entities, ctx.changes, ctx.olds = entities, changes, olds
        return entered, bank[entities:].clone()

    @staticmethod
    def backward(ctx, d_entered, d_left):
        stated, before, entered, recalled, read, gates_e, gates_a, *saved = ctx.saved_tensors
        live, change, old, source, *weights = saved
        events, hidden, batch = entered.shape
        turn = len(before)
        d_bank = torch.cat([before.new_zeros(ctx.entities, hidden, batch), d_left])
        d_stated, d_named, d_reminders = torch.empty_like(stated), torch.zeros_like(stated), torch.zeros_like(read)
        # before the squashing: as W_ih x sees it, and as W_hh h does; of GRU_E and of GRU_A
        d_inputs_e, d_gates_e = before.new_empty(2, turn, 3 * hidden, batch)
        d_inputs_a, d_gates_a = before.new_empty(2, events, 3 * hidden, batch)
        in_e, w_e, in_a, w_a, w_s = (in_blocks(weight.t().contiguous()) for weight in weights[::2])
        d_h = before.new_zeros(hidden, batch)
        for k in range(events - 1, -1, -1):
            d_h = d_h + d_bank[ctx.entities + k]
            through = d_h * live[k]
            d_h = d_h - through
            d_h += _gru_backward(through, entered[k], gates_a[k], w_a, d_inputs_a[k], d_gates_a[k])
            d_h += d_entered[k]
            d_stated[k] = product(in_a, d_inputs_a[k])
            if ctx.changes[k]:
                turn -= 1
                through = d_h * change[k]
                d_h = d_h - through
                d_h += _gru_backward(through, before[turn], gates_e[turn], w_e, d_inputs_e[turn], d_gates_e[turn])
                d_read = product(in_e, d_inputs_e[turn])
                if ctx.olds[k]:
                    torch.mul(d_read, old[k], out=d_reminders[turn])
                    d_recalled = product(w_s, d_reminders[turn])
                    d_bank.scatter_add_(0, source[k].expand(1, hidden, batch), d_recalled.unsqueeze(0))
                torch.sub(d_read, d_reminders[turn], out=d_named[k])
        d_weights = (
            *linear_gradients(d_inputs_e, read),
            *linear_gradients(d_gates_e, before),
            *linear_gradients(d_inputs_a, stated),
            *linear_gradients(d_gates_a, entered),
            *linear_gradients(d_reminders, recalled),
        )
        return d_stated, d_named, d_h, d_bank[: ctx.entities], None, None, None, None, *d_weights


def _gru(inputs, h, weight, bias, gates):
    """One GRU step; `inputs` holds W_ih x + b_ih. Leaves reset, update, new and W_hn h + b_hn in `gates` [4H, B]."""
    hidden = h.shape[0]
    from_h = product(weight, h, bias)
    torch.add(inputs[: 2 * hidden], from_h[: 2 * hidden], out=gates[: 2 * hidden]).sigmoid_()
    reset, update, new, recurrent = gates.split(hidden)
    recurrent.copy_(from_h[2 * hidden :])
    torch.addcmul(inputs[2 * hidden :], reset, recurrent, out=new).tanh_()
    return torch.lerp(new, h, update)


def _gru_backward(d_out, h, gates, turned, d_inputs, d_gates):
    """Fills d_inputs (for W_ih x) and d_gates (for W_hh h), returns the gradient of h."""
    hidden = h.shape[0]
    reset, update, new, recurrent = gates.split(hidden)
    d_reset, d_update, d_new = d_inputs.split(hidden)
    torch.mul(d_out * (1 - update), 1 - new * new, out=d_new)
    torch.mul(d_out * (h - new), update * (1 - update), out=d_update)
    torch.mul(d_new * recurrent, reset * (1 - reset), out=d_reset)
    d_gates[: 2 * hidden] = d_inputs[: 2 * hidden]
    torch.mul(d_new, reset, out=d_gates[2 * hidden :])
    return product(turned, d_gates, in_blocks(d_out * update))
