"""The language model: h'_t = tanh(W_H (h_LM + h_Ent + w, concatenated)), h_LM = LSTM(y_t + h'_t, concatenated).

The whole document is one autograd function. Inside it everything is [time, features, batch], because
`weight @ [features, batch]` is the fastest product a CPU has for small batches, and the gradients of the weights
are taken once for all time steps instead of once per step.
"""

import torch
from torch import nn

from .configuration_stg import StgConfig


GRADIENT_CHUNK = 64  # time steps per weight-gradient product: large enough for full speed, small enough for memory


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

        Returns h' [T, B, C], and h and c of every layer after every step, [L, T, B, H] each.
        """
        weights = [weight for layer in self.layers for weight in (layer.weight, layer.bias)]
        with torch.autocast(words.device.type, enabled=False):
            tensors = [words.transpose(1, 2), context.transpose(1, 2), *(part.transpose(1, 2) for part in state)]
            tensors = [tensor.to(self.from_lm.weight.dtype).contiguous() for tensor in tensors]
            contexts, hidden, cells = LanguageScan.apply(*tensors, self.from_lm.weight, *weights)
        return contexts.transpose(1, 2), hidden.transpose(2, 3), cells.transpose(2, 3)

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
        layers, hidden = h0.shape[0], h0.shape[1]
        contexts = words.new_empty(steps, context.shape[1], batch)
        # inputs[l][t] is all that layer l reads at t, its own h last; row `steps` only receives the last h.
        inputs = [words.new_empty(steps + 1, weight.shape[1], batch) for weight in weights[::2]]
        gates = [words.new_empty(steps, 4 * hidden, batch) for _ in range(layers)]
        cells = words.new_empty(layers, steps + 1, hidden, batch)
        squashed = words.new_empty(layers, steps, hidden, batch)
        inputs[0][:steps, :size] = words
        for layer in range(layers):
            inputs[layer][0, -hidden:] = h0[layer]
        cells[:, 0] = c0
        biases = [bias.unsqueeze(1) for bias in weights[1::2]]
        views = [_steps(inputs[layer], gates[layer], cells[layer], squashed[layer]) for layer in range(layers)]
        top = inputs[-1][:, -hidden:].unbind(0)
        into_first = inputs[0][:, size : size + contexts.shape[1]].unbind(0)
        for t, (context_t, contexts_t) in enumerate(zip(context.unbind(0), contexts.unbind(0), strict=True)):
            torch.addmm(context_t, w_lm, top[t], out=contexts_t).tanh_()
            into_first[t].copy_(contexts_t)
            for layer, (reads, opens, holds, shows) in enumerate(views):
                torch.addmm(biases[layer], weights[2 * layer], reads[t], out=opens[t])
                opens[t][: 3 * hidden].sigmoid_()
                opens[t][3 * hidden :].tanh_()
                out, enter, forget, new = opens[t].split(hidden)
                torch.mul(forget, holds[t], out=holds[t + 1]).addcmul_(enter, new)
                torch.tanh(holds[t + 1], out=shows[t])
                own = reads[t + 1][-hidden:]
                torch.mul(out, shows[t], out=own)
                if layer + 1 < layers:
                    views[layer + 1][0][t][:hidden].copy_(own)
        ctx.save_for_backward(contexts, cells, squashed, w_lm, *inputs, *gates, *weights)
        ctx.layers, ctx.size = layers, size
        ctx.set_materialize_grads(False)
        states = torch.stack([reads[1:, -hidden:] for reads in inputs])
        return contexts, states, cells[:, 1:].clone()

    @staticmethod
    def backward(ctx, d_contexts, d_states, d_cells):
        contexts, cells, squashed, w_lm, *rest = ctx.saved_tensors
        layers, size = ctx.layers, ctx.size
        inputs, gates, weights = rest[:layers], rest[layers : 2 * layers], rest[2 * layers :]
        steps, width, batch = contexts.shape
        hidden = cells.shape[2]
        slopes = [_slopes(gates[layer], cells[layer], squashed[layer]) for layer in range(layers)]
        forgets = [gate[:, 2 * hidden : 3 * hidden].unbind(0) for gate in gates]
        turned = [weight.t().contiguous() for weight in weights[::2]]
        w_lm_turned = w_lm.t().contiguous()
        d_gates = [torch.empty_like(gate) for gate in gates]
        d_inputs = [weight.new_empty(weight.shape[0], batch) for weight in turned]
        d_words = contexts.new_empty(steps, size, batch)
        d_context = contexts * -contexts + 1  # the slope of tanh, turned into the gradient below
        d_h = contexts.new_zeros(layers, hidden, batch)
        d_c = contexts.new_zeros(layers, hidden, batch)
        for t in range(steps - 1, -1, -1):
            if d_states is not None:
                d_h += d_states[:, t]
            if d_cells is not None:
                d_c += d_cells[:, t]
            for layer in range(layers - 1, -1, -1):
                by_gate, by_cell = slopes[layer]
                d_gate = d_gates[layer][t]
                torch.mul(d_h[layer], by_gate[t][:hidden], out=d_gate[:hidden])
                d_c[layer].addcmul_(d_h[layer], by_cell[t])
                others = d_gate[hidden:].view(3, hidden, batch)
                torch.mul(d_c[layer], by_gate[t][hidden:].view(3, hidden, batch), out=others)
                d_c[layer] *= forgets[layer][t]
                torch.mm(turned[layer], d_gate, out=d_inputs[layer])
                d_h[layer] = d_inputs[layer][-hidden:]
                if layer > 0:
                    d_h[layer - 1] += d_inputs[layer][:hidden]
            d_words[t] = d_inputs[0][:size]
            into_context = d_inputs[0][size : size + width]
            if d_contexts is not None:
                into_context += d_contexts[t]
            d_context[t] *= into_context
            d_h[-1].addmm_(w_lm_turned, d_context[t])
        top = inputs[-1][:steps, -hidden:]
        d_weights = []
        for layer in range(layers):
            d_weights.append(weight_gradient(d_gates[layer], inputs[layer][:steps]))
            d_weights.append(d_gates[layer].sum((0, 2)))
        return d_words, d_context, d_h, d_c, weight_gradient(d_context, top), *d_weights


def _steps(*tensors):
    """Splits the time axis once: indexing it again and again costs more than the small products in between."""
    return tuple(tensor.unbind(0) for tensor in tensors)


def _slopes(gates, cells, squashed):
    """What multiplies d_h (output gate) or d_c (input, forget, new) to give the gradient before the squashing."""
    hidden = squashed.shape[1]
    by_gate = torch.empty_like(gates)
    out, enter, forget, new = gates.split(hidden, dim=1)
    torch.mul(gates[:, : 3 * hidden], 1 - gates[:, : 3 * hidden], out=by_gate[:, : 3 * hidden])
    by_gate[:, :hidden] *= squashed
    by_gate[:, hidden : 2 * hidden] *= new
    by_gate[:, 2 * hidden : 3 * hidden] *= cells[:-1]
    torch.mul(enter, 1 - new * new, out=by_gate[:, 3 * hidden :])
    by_cell = out * (1 - squashed * squashed)
    return _steps(by_gate, by_cell)


def weight_gradient(d_outputs, inputs):
    """Sum over time and batch of d_output times input: [T, O, B] and [T, I, B] -> [O, I]."""
    total = d_outputs.new_zeros(d_outputs.shape[1], inputs.shape[1])
    for start in range(0, len(d_outputs), GRADIENT_CHUNK):
        left = d_outputs[start : start + GRADIENT_CHUNK].transpose(0, 1).flatten(1)
        right = inputs[start : start + GRADIENT_CHUNK].transpose(0, 1).flatten(1)
        total.addmm_(left, right.t())
    return total
