"""The language model: h'_t = tanh(W_H (h_LM + h_Ent + w, concatenated)), h_LM = LSTM(y_t + h'_t, concatenated).

The whole document is one autograd function. Inside it everything is [time, features, batch], because
`weight @ [features, batch]` is the fastest product a CPU has for small batches, and the gradients of the weights
are taken once for all time steps instead of once per step.
"""

import torch
from torch import nn

from .configuration_stg import StgConfig


CHUNK = 32  # time steps whose gradients are held at once: enough for products at full speed, few enough for the cache


class LstmLayer(nn.Module):
    """One matrix for all that a layer reads, its own h last, and for its gates: output, input, forget, new."""

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(4 * hidden, inputs + hidden))
        self.bias = nn.Parameter(torch.empty(4 * hidden))


class LanguageModel(nn.Module):
    """Layer 0 reads (y_t, h'_t, its own h); layer l reads (h of layer l-1, its own h)."""

    def __init__(self, config: StgConfig):
        super().__init__()
        hidden, context = config.hidden_size, config.context_size
        self.from_lm = nn.Linear(hidden, context, bias=False)  # the part of W_H that reads h_LM
        self.from_entity = nn.Linear(hidden, context)  # the part of W_H that reads h_Ent
        inputs = [config.embedding_size + context] + [hidden] * (config.num_lm_layers - 1)
        self.layers = nn.ModuleList(LstmLayer(size, hidden) for size in inputs)

    def forward(self, words, context, state):
        """words y [T, B, D], context (what W_H makes of h_Ent and w) [T, B, C], state (h, c), each [L, B, H].

        Returns h' [T, B, C], and h and c of every layer before and after every step: lists of [T + 1, B, H].
        """
        weights = [weight for layer in self.layers for weight in (layer.weight, layer.bias)]
        with torch.autocast(words.device.type, enabled=False):
            tensors = [words.transpose(1, 2), context.transpose(1, 2), *(part.transpose(1, 2) for part in state)]
            tensors = [tensor.to(self.from_lm.weight.dtype).contiguous() for tensor in tensors]
            contexts, *states = LanguageScan.apply(*tensors, self.from_lm.weight, *weights)
        states = [state.transpose(1, 2) for state in states]
        return contexts.transpose(1, 2), states[: len(self.layers)], states[len(self.layers) :]

    def step(self, words, context, state):
        """One step for decoding: words [B, D], context [B, C], state (h, c) -> h' [B, C], state."""
        h_prev, c_prev = state
        contexts = torch.tanh(context + self.from_lm(h_prev[-1]))
        below = torch.cat([words, contexts], dim=1)
        hidden, cells = [], []
        for layer, h, c in zip(self.layers, h_prev, c_prev, strict=True):
            gates = nn.functional.linear(torch.cat([below, h], dim=1), layer.weight, layer.bias)
            out, enter, forget = gates[:, : 3 * h.shape[1]].sigmoid().chunk(3, dim=1)
            c = forget * c + enter * gates[:, 3 * h.shape[1] :].tanh()
            below = out * c.tanh()
            hidden.append(below)
            cells.append(c)
        return contexts, (torch.stack(hidden), torch.stack(cells))


class LanguageScan(torch.autograd.Function):
    """The recurrence over a document; gradients are checked by gradcheck and against the plain twin in tests."""

    @staticmethod
    def forward(ctx, words, context, h0, c0, w_lm, *weights):
        steps, size, batch = words.shape
        layers, hidden, _ = h0.shape
        first = words.new_empty(steps, size + context.shape[1], batch)  # y_t and h'_t, read by layer 0
        first[:, :size] = words
        contexts = first[:, size:]
        states = words.new_empty(2, layers, steps + 1, hidden, batch)
        states[0, :, 0], states[1, :, 0] = h0, c0
        gates = words.new_empty(layers, steps, 4, hidden, batch)
        squashed = words.new_empty(layers, steps, hidden, batch)
        views = []
        for layer in range(layers):
            below = first if layer == 0 else states[0, layer - 1, 1:]
            weight, bias = weights[2 * layer : 2 * layer + 2]
            time = (below, gates[layer].flatten(1, 2), gates[layer, :, :3], *gates[layer].unbind(1))
            time = [tensor.unbind(0) for tensor in (*time, squashed[layer], states[0, layer], states[1, layer])]
            views.append((weight[:, :-hidden], weight[:, -hidden:], bias.unsqueeze(1), *time))
        top = states[0, -1].unbind(0)
        for t, (context_t, contexts_t) in enumerate(zip(context.unbind(0), contexts.unbind(0), strict=True)):
            torch.addmm(context_t, w_lm, top[t], out=contexts_t).tanh_()
            for w_below, w_own, bias, below, gate, squash, out, enter, forget, new, shown, h, c in views:
                torch.addmm(bias, w_below, below[t], out=gate[t]).addmm_(w_own, h[t])
                squash[t].sigmoid_()
                new[t].tanh_()
                torch.mul(forget[t], c[t], out=c[t + 1]).addcmul_(enter[t], new[t])
                torch.tanh(c[t + 1], out=shown[t])
                torch.mul(out[t], shown[t], out=h[t + 1])
        ctx.save_for_backward(first, states, gates, squashed, w_lm, *weights)
        ctx.set_materialize_grads(False)
        return contexts, *states[0].unbind(0), *states[1].unbind(0)

    @staticmethod
    def backward(ctx, d_contexts, *d_states):
        first, states, gates, squashed, w_lm, *weights = ctx.saved_tensors
        layers, steps, hidden, batch = squashed.shape
        width = w_lm.shape[0]
        size = first.shape[1] - width
        d_hidden, d_cells = d_states[:layers], d_states[layers:]
        d_h, d_c = first.new_zeros(2, layers, hidden, batch)
        for grown, d_last in ((d_h, d_hidden), (d_c, d_cells)):
            for layer in range(layers):
                if d_last[layer] is not None:
                    grown[layer] = d_last[layer][steps]
        turned = [weight.t().contiguous() for weight in weights[::2]]
        w_lm_turned = w_lm.t().contiguous()
        d_first = torch.empty_like(first)
        d_context = first.new_empty(steps, width, batch)
        d_w_lm, d_weights = torch.zeros_like(w_lm), [torch.zeros_like(weight) for weight in weights]
        d_gates = first.new_empty(layers, min(CHUNK, steps), 4, hidden, batch)
        slopes, by_cell = torch.empty_like(d_gates), first.new_empty(layers, min(CHUNK, steps), hidden, batch)
        for stop in range(steps, 0, -CHUNK):
            start = max(0, stop - CHUNK)
            for layer in range(layers):
                shown = squashed[layer, start:stop]
                _fill_slopes(
                    gates[layer, start:stop], states[1, layer, start:stop], shown, slopes[layer], by_cell[layer]
                )
            for t in range(stop - 1, start - 1, -1):
                for layer in range(layers - 1, -1, -1):
                    d_gate, slope = d_gates[layer, t - start], slopes[layer, t - start]
                    torch.mul(d_h[layer], slope[0], out=d_gate[0])
                    d_c[layer].addcmul_(d_h[layer], by_cell[layer, t - start])
                    torch.mul(d_c[layer], slope[1:], out=d_gate[1:])
                    d_c[layer] *= gates[layer, t, 2]
                    d_gate = d_gate.flatten(0, 1)
                    torch.mm(turned[layer][-hidden:], d_gate, out=d_h[layer])
                    if layer > 0:
                        d_h[layer - 1].addmm_(turned[layer][:-hidden], d_gate)
                    else:
                        torch.mm(turned[0][:-hidden], d_gate, out=d_first[t])
                    if d_hidden[layer] is not None:
                        d_h[layer] += d_hidden[layer][t]
                    if d_cells[layer] is not None:
                        d_c[layer] += d_cells[layer][t]
                into_context = d_first[t, size:]
                if d_contexts is not None:
                    into_context += d_contexts[t]
                contexts_t = first[t, size:]
                torch.addcmul(into_context, into_context * contexts_t, contexts_t, value=-1, out=d_context[t])
                d_h[-1].addmm_(w_lm_turned, d_context[t])
            d_w_lm += weight_gradient(d_context[start:stop], states[0, -1, start:stop])
            for layer in range(layers):
                below = first[start:stop] if layer == 0 else states[0, layer - 1, start + 1 : stop + 1]
                d_gate = d_gates[layer, : stop - start].flatten(1, 2)
                d_weights[2 * layer][:, :-hidden] += weight_gradient(d_gate, below)
                d_weights[2 * layer][:, -hidden:] += weight_gradient(d_gate, states[0, layer, start:stop])
                d_weights[2 * layer + 1] += d_gate.sum((0, 2))
        return d_first[:, :size], d_context, d_h, d_c, d_w_lm, *d_weights


def _fill_slopes(gates, cells, shown, slopes, by_cell):
    """What multiplies d_h (output gate) or d_c (input, forget, new) to give the gradient before the squashing.

    gates [T, 4, H, B], cells (before each step), shown (tanh of the cells after it) [T, H, B]; fills `slopes`, shaped
    like gates, and `by_cell`, which takes d_h to d_c.
    """
    slopes, by_cell = slopes[: len(gates)], by_cell[: len(gates)]
    torch.addcmul(gates[:, :3], gates[:, :3], gates[:, :3], value=-1, out=slopes[:, :3])
    out, enter, _, new = gates.unbind(1)
    slopes[:, 0] *= shown
    slopes[:, 1] *= new
    slopes[:, 2] *= cells
    torch.addcmul(enter, enter * new, new, value=-1, out=slopes[:, 3])
    torch.addcmul(out, out * shown, shown, value=-1, out=by_cell)


def weight_gradient(d_outputs, inputs):
    """Sum over time and batch of d_output times input: [T, O, B] and [T, I, B] -> [O, I]."""
    return d_outputs.transpose(0, 1).flatten(1) @ inputs.transpose(0, 1).flatten(1).t()
