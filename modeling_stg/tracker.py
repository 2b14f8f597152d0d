"""The saliency tracker h_Ent: GRU_E when the entity changes, GRU_A for the record, a refresh after ".".

Under teacher forcing the tracker never reads the language model, so it is scanned over *events* (mentions and
periods, about 100 a document) instead of tokens (about 380), as one autograd function like the language model's.
"""

from dataclasses import dataclass

import torch
from torch import nn

from .configuration_stg import StgConfig
from .language_model import in_blocks, linear_gradients, product, side_by_side, sigmoid_backward, tanh_backward


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

    `stated` is the r of each event's record (or the refresh), `named` the e-bar of its entity. A GRU's parts lie as
    new, reset, update, W_hn h: W_ih x adds to the first three, W_hh h to the last three. Where a document has no such
    event, its update gate is 1: so h stays, and no gradient passes but that of h.
    """

    @staticmethod
    def forward(ctx, stated, named, h, memory, live, change, old, source, *weights):
        (in_e, w_e), (in_a, w_a) = gru_blocks(*weights[:4:2]), gru_blocks(*weights[4:8:2])
        w_s, b_s = in_blocks(weights[8]), in_blocks(weights[9].unsqueeze(1))
        events, size, batch = stated.shape
        entities, hidden = memory.shape[:2]
        changes, olds = change.any(1).tolist(), old.any(1).tolist()
        turns = sum(changes)  # events at which GRU_E runs; what only it needs is kept for them alone
        bank = torch.cat([memory, memory.new_empty(events, hidden, batch)])
        before = memory.new_empty(turns, hidden, batch)
        recalled = memory.new_zeros(turns, hidden, batch)  # h_s of returning entities
        read = memory.new_empty(turns, size, batch)  # by GRU_E: e-bar, or W_S h_s
        gates_e = gru_biases(*weights[1:4:2]).repeat(turns, 1, 1, batch)
        gates_a = gru_biases(*weights[5:8:2]).repeat(events, 1, 1, batch)
        gates_a[:, :3].flatten(1, 2).baddbmm_(in_a.flatten(0, 1).expand(events, -1, -1), stated)
        entered = memory.new_empty(events, hidden, batch)
        rests, stays, turn = ~live, ~change, 0
        for k in range(events):
            if changes[k]:
                before[turn] = h
                read[turn] = named[k]
                if olds[k]:
                    torch.gather(bank, 0, source[k].expand(1, hidden, batch), out=recalled[turn : turn + 1])
                    torch.where(old[k], product(w_s, recalled[turn], b_s), named[k], out=read[turn])
                add_product(gates_e[turn, :3], in_e, read[turn])
                h = _gru(gates_e[turn], h, w_e, stays[k], entered[k])
                turn += 1
            else:
                entered[k] = h
            h = _gru(gates_a[k], entered[k], w_a, rests[k], bank[entities + k])
        ctx.save_for_backward(stated, before, entered, recalled, read, gates_e, gates_a, old, source, *weights)
        ctx.entities, ctx.changes, ctx.olds = entities, changes, olds
        return entered, bank[entities:].clone()

    @staticmethod
    def backward(ctx, d_entered, d_left):
        stated, before, entered, recalled, read, gates_e, gates_a, old, source, *weights = ctx.saved_tensors
        events, hidden, batch = entered.shape
        turn = len(before)
        d_bank = torch.cat([before.new_zeros(ctx.entities, hidden, batch), d_left])
        d_named, d_read, d_reminders = torch.zeros_like(stated), torch.empty_like(read), torch.zeros_like(read)
        d_gates_e, d_gates_a = _slopes(gates_e, before), _slopes(gates_a, entered)  # times d_h, once that is known
        (in_e, w_e), (in_a, w_a) = gru_blocks(*weights[:4:2], turned=True), gru_blocks(*weights[4:8:2], turned=True)
        w_s = in_blocks(weights[8].t().contiguous())
        d_h = before.new_zeros(hidden, batch)
        for k in range(events - 1, -1, -1):
            d_h += d_bank[ctx.entities + k]
            _gru_backward(d_h, gates_a[k], w_a, d_gates_a[k])
            d_h += d_entered[k]
            if ctx.changes[k]:
                turn -= 1
                _gru_backward(d_h, gates_e[turn], w_e, d_gates_e[turn])
                d_read[turn] = product(in_e, d_gates_e[turn, :3].flatten(0, 1))
                if ctx.olds[k]:
                    torch.mul(d_read[turn], old[k], out=d_reminders[turn])
                    d_recalled = product(w_s, d_reminders[turn])
                    d_bank.scatter_add_(0, source[k].expand(1, hidden, batch), d_recalled.unsqueeze(0))
                torch.sub(d_read[turn], d_reminders[turn], out=d_named[k])
        d_stated = in_a.flatten(0, 1).expand(events, -1, -1) @ d_gates_a[:, :3].flatten(1, 2)
        d_weights = (
            *_gru_gradients(d_gates_e, read, before),
            *_gru_gradients(d_gates_a, stated, entered),
            *linear_gradients(side_by_side(d_reminders), recalled),
        )
        return d_stated, d_named, d_h, d_bank[: ctx.entities], None, None, None, None, *d_weights


def new_first(weight):
    """The parts of W_ih as a scan has them: PyTorch's GRU has the new one last."""
    return weight.roll(len(weight) // 3, 0)


def gru_blocks(w_ih, w_hh, turned=False):
    weights = new_first(w_ih), w_hh
    return [in_blocks(weight.t().contiguous() if turned else weight) for weight in weights]


def gru_biases(b_ih, b_hh):
    """What a step starts from, [4, H, 1]."""
    hidden = len(b_hh) // 3
    return (nn.functional.pad(new_first(b_ih), (0, hidden)) + nn.functional.pad(b_hh, (hidden, 0))).view(4, hidden, 1)


def add_product(parts, weight, x):
    """parts [P, H, B] += weight @ x."""
    in_blocks(parts.flatten(0, 1)).baddbmm_(weight, x.expand(len(weight), -1, -1))


def _gru(gates, h, w_hh, stays, out):
    """One GRU step. `gates` [4, H, B] hold W_ih x and the biases, and are squashed; `stays` [B]: whose h is kept."""
    add_product(gates[1:], w_hh, h)
    gates[1:3].sigmoid_()
    new, reset, update, recurrent = gates.unbind(0)
    new.addcmul_(reset, recurrent).tanh_()
    return torch.lerp(new, h, update.masked_fill_(stays, 1), out=out)


def _slopes(gates, h):
    """What multiplies the gradient of the new h to give those of a GRU's parts before the squashing, [K, 4, H, B]."""
    new, reset, update, recurrent = gates.unbind(1)
    slopes = torch.empty_like(gates)
    by_new, by_reset, by_update, by_recurrent = slopes.unbind(1)
    tanh_backward(1 - update, new, grad_input=by_new)
    torch.mul(by_new, reset, out=by_recurrent)
    sigmoid_backward(by_new * recurrent, reset, grad_input=by_reset)
    sigmoid_backward(h - new, update, grad_input=by_update)
    return slopes


def _gru_backward(d_h, gates, turned, d_gates):
    """d_h [H, B], of the new h, becomes that of the old one; d_gates, which holds the slopes, the gates' gradients."""
    d_gates.mul_(d_h)
    d_h.mul_(gates[2])
    add_product(d_h.unsqueeze(0), turned, d_gates[1:].flatten(0, 1))


def _gru_gradients(d_gates, inputs, h):
    """Of W_ih, b_ih, W_hh and b_hh."""
    d_gates, third = side_by_side(d_gates.flatten(1, 2)), d_gates.shape[2]
    w_ih, b_ih = (gradient.roll(-third, 0) for gradient in linear_gradients(d_gates[: 3 * third], inputs))
    return w_ih, b_ih, *linear_gradients(d_gates[third:], h)
