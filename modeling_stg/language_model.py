"""The language model: h'_t = tanh(W_H (h_LM + h_Ent + w, concatenated)), h_LM = LSTM(y_t + h'_t, concatenated).

A whole document is one autograd function. Inside, tensors are [time, features, batch], because
`weight @ [features, batch]` is the fastest product on a CPU for 32 documents, and gradients of weights are computed
once for many time steps instead of once per step.
"""

import math
from dataclasses import dataclass

import torch
from torch import nn

from .buffers import Loan
from .configuration_stg import StgConfig
from .kernels import lstm_cell, lstm_cell_


CHUNK = 64  # time steps whose gradients are held at once: enough for full-speed products, few enough for memory
BLOCKS = 8  # blocks of a weight's rows: a single product with so few columns leaves cores idle, a batch does not


# (gradient of the output, the output) -> gradient of the input, in one pass
sigmoid_backward, tanh_backward = torch.ops.aten.sigmoid_backward.grad_input, torch.ops.aten.tanh_backward.grad_input


class LstmLayer(nn.Module):
    """One matrix for all inputs (its own h last) and all gates: output, input, forget, new."""

    def __init__(self, inputs: int, hidden: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(4 * hidden, inputs + hidden))
        self.bias = nn.Parameter(torch.empty(4 * hidden))


@dataclass
class Reading:
    """What the language model makes of documents, T tokens long."""

    by_time: torch.Tensor  # h' at every token, [T, B, C]
    products: torch.Tensor  # of a reader's weight with h_LM before every token, [T, B, 1]
    hidden: list[torch.Tensor]  # h of every layer before and after every token, [T + 1, B, H] each
    cells: list[torch.Tensor]

    @property
    def contexts(self) -> torch.Tensor:
        """h' at every token, [B, T, C]."""
        return self.by_time.transpose(0, 1)

    def product(self, weight: torch.Tensor) -> torch.Tensor:
        """The reader's product with h_LM before every token, [B, T]."""
        return self.products[..., 0].t()

    def before(self, position: torch.Tensor) -> torch.Tensor:
        """h_LM of the upper layer before the tokens at `position` [B, K], [B, K, H]."""
        top = self.hidden[-1].transpose(1, 2)
        position = position.t().unsqueeze(1).expand(-1, top.shape[1], -1)  # [K, H, B], like h_LM
        return top.gather(0, position).permute(2, 0, 1).contiguous()

    def at(self, tokens: torch.Tensor) -> torch.Tensor:
        """h' at the tokens in the mask [B, T], in the order of time."""
        indices = tokens.t().flatten().nonzero().squeeze(1)
        return nn.functional.embedding(indices, self.by_time.flatten(0, 1))


class LanguageModel(nn.Module):
    """Layer 0 reads (y_t, h'_t, its own h); layer l reads (h of layer l-1, its own h)."""

    def __init__(self, config: StgConfig):
        super().__init__()
        hidden, context = config.hidden_size, config.context_size
        self.from_lm = nn.Linear(hidden, context, bias=False)  # the part of W_H that reads h_LM
        self.from_entity = nn.Linear(hidden, context)  # the part of W_H that reads h_Ent
        inputs = [config.embedding_size + context] + [hidden] * (config.num_lm_layers - 1)
        self.layers = nn.ModuleList(LstmLayer(size, hidden) for size in inputs)
        self.weight_dropout = config.weight_dropout

    def forward(self, words, context, state, readers):
        """Scans words y [T, B, D], context (the terms of W_H for h_Ent and w) [T, B, C], state (h, c), each [L, B, H].

        Returns h' [T, B, C], the product of `readers` [R, H] with h_LM before each step [T, B, R], and h and c of
        every layer before and after every step: lists of [T + 1, B, H].
        """
        weights = [weight for layer in self.layers for weight in (self._recurrent_dropout(layer.weight), layer.bias)]
        with torch.autocast(words.device.type, enabled=False):
            tensors = [words.transpose(1, 2), context.transpose(1, 2), *(part.transpose(1, 2) for part in state)]
            tensors = [tensor.to(self.from_lm.weight.dtype).contiguous() for tensor in tensors]
            outputs = LanguageScan.apply(*tensors, torch.cat([self.from_lm.weight, readers]), *weights)
        contexts, read, *states = (output.transpose(1, 2) for output in outputs)
        return contexts, read, states[: len(self.layers)], states[len(self.layers) :]

    def read(self, words, context, state, reader) -> Reading:
        """Reads documents; `reader` [1, H] is the part of W_z that reads h_LM. See `forward`."""
        return Reading(*self(words, context, state, reader))

    def _recurrent_dropout(self, weight):
        """Drops part of what a layer reads of its own h, the same for a whole document (Merity et al. 2018)."""
        if not (self.training and self.weight_dropout):
            return weight
        inputs, own = weight.tensor_split([weight.shape[1] - weight.shape[0] // 4], dim=1)
        return torch.cat([inputs, nn.functional.dropout(own, self.weight_dropout)], dim=1)

    def step(self, words, context, state):
        """One step: words [B, D], context [B, C], state (h, c) -> h' [B, C], state."""
        h_prev, c_prev = state
        contexts = torch.tanh(context + self.from_lm(h_prev[-1]))
        below = torch.cat([words, contexts], dim=1)
        hidden, cells = [], []
        for layer, h, c in zip(self.layers, h_prev, c_prev, strict=True):
            gates = nn.functional.linear(torch.cat([below, h], dim=1), layer.weight, layer.bias)
            size = 3 * h.shape[1]
            below, c = lstm_cell(*gates[:, :size].sigmoid().chunk(3, dim=1), gates[:, size:].tanh(), c)
            hidden.append(below)
            cells.append(c)
        return contexts, (torch.stack(hidden), torch.stack(cells))


class LanguageScan(torch.autograd.Function):
    """The recurrence over a document; tests check gradients by gradcheck and against the plain twin.

    `w_lm` is everything that reads the top layer's h before each step: W_H, then rows whose products are returned as
    they are. The inputs of all layers are in one tensor, whose row t holds y_t, h'_t, h_t of layer 0, h_{t-1} of layer
    1 and so on: in row t + l, the h below layer l and its own h before step t are adjacent.
    """

    @staticmethod
    def forward(ctx, words, context, h0, c0, w_lm, *weights):
        steps, size, batch = words.shape
        layers, hidden, _ = h0.shape
        width = context.shape[1]
        inputs = words.new_empty(steps + layers, size + width + layers * hidden, batch)
        inputs[:steps, :size] = words
        contexts = inputs[:steps, size : size + width]
        starts = range(size + width, inputs.shape[1], hidden)
        states = [inputs[layer : layer + steps + 1, start : start + hidden] for layer, start in enumerate(starts)]
        cells = words.new_empty(layers, steps + 1, hidden, batch)
        cells[:, 0] = c0
        ctx.gates = Loan("gates", words, layers, steps, 4, hidden, batch)
        gates = ctx.gates.tensor
        scratch = words.new_empty(hidden, batch)
        scans = []  # for each layer, the views that each step needs
        for layer, (weight, bias) in enumerate(zip(weights[::2], weights[1::2], strict=True)):
            states[layer][0] = h0[layer]
            weight, bias, gate = in_blocks(weight), in_blocks(bias.unsqueeze(1)), gates[layer]
            read = repeated(read_by(inputs, layer, layers, weights[2 * layer]), len(weight))
            views = (read, in_blocks(gate.flatten(1, 2), 1), gate[:, :3], *gate.unbind(1))
            views += (cells[layer, :-1], cells[layer, 1:], states[layer][1:])
            scans.append([(weight, bias, *step) for step in zip(*(view.unbind(0) for view in views), strict=True)])
        w_context = in_blocks(w_lm[:width])
        products = in_blocks(context, 1), repeated(states[-1][:-1], len(w_context)), in_blocks(contexts, 1)
        for context_t, top, contexts_t, *lstm in zip(*products, *scans, strict=True):
            torch.baddbmm(context_t, w_context, top, out=contexts_t).tanh_()
            for weight, bias, read, gate, *cell in lstm:
                torch.baddbmm(bias, weight, read, out=gate)
                lstm_cell_(*cell, scratch)
        ctx.save_for_backward(inputs, cells, w_lm, *weights)
        ctx.width = width
        ctx.set_materialize_grads(False)
        return contexts, w_lm[width:].expand(steps, -1, -1) @ states[-1][:-1], *states, *cells.unbind(0)

    @staticmethod
    def backward(ctx, d_contexts, d_products, *d_states):
        inputs, cells, w_lm, *weights = ctx.saved_tensors
        gates = ctx.gates.tensor
        layers, steps, _, hidden, batch = gates.shape
        width, size = ctx.width, weights[0].shape[1] - hidden - ctx.width
        d_hidden, d_cells = by_time(d_states[:layers], steps + 1), by_time(d_states[layers:], steps + 1)
        # the gradient of one row of `inputs` without y; each layer adds its part
        d_inputs = inputs.new_zeros(inputs.shape[1] - size, batch)
        d_context, *d_h = d_inputs.split([width] + [hidden] * layers)
        d_c = inputs.new_zeros(layers, hidden, batch).unbind(0)
        for d_now, d_all in zip((*d_h, *d_c), (*d_hidden, *d_cells), strict=True):
            if d_all[steps] is not None:
                d_now += d_all[steps]
        w_words, w_context = weights[0].t().contiguous().split([size, width + hidden])
        transposed = [w_context, *(weight.t().contiguous() for weight in weights[2::2])]
        stops = range(width + hidden, len(d_inputs) + 1, hidden)
        d_reads = [d_inputs[stop - len(weight) : stop] for stop, weight in zip(stops, transposed, strict=True)]
        d_reads, transposed = ([in_blocks(tensor) for tensor in tensors] for tensors in (d_reads, transposed))
        d_top, w_lm_transposed = in_blocks(d_h[-1]), in_blocks(w_lm.t().contiguous())
        d_words = inputs.new_empty(steps, size, batch)
        d_lm = inputs.new_zeros(steps, len(w_lm), batch)  # gradients of the products with w_lm
        if d_products is not None:
            d_lm[:, width:] = d_products
        by_context = 1 - inputs[:steps, size : size + width].square()
        heads = (by_context, d_lm[:, :width], repeated(d_lm, len(w_lm_transposed)))
        heads = list(zip(*by_time((d_contexts,), steps), *(view.unbind(0) for view in heads), strict=True))
        d_w_lm, d_weights = torch.zeros_like(w_lm), [torch.zeros_like(weight) for weight in weights]
        chunk = min(CHUNK, steps)
        loan = Loan("gradients", inputs, layers, chunk, 5, hidden, batch)
        d_gates, by_cells = loan.tensor[:, :, :4], loan.tensor[:, :, 4]  # d_gates holds slopes until its step is done
        # buffers for one layer's gradients and inputs
        buffers = [
            inputs.new_empty(rows, chunk, batch) for rows in (4 * hidden, max(w.shape[1] for w in weights[::2]))
        ]
        for stop in range(steps, 0, -CHUNK):
            start = max(0, stop - CHUNK)
            scans = []
            for layer in range(layers):
                d_gate, by_cell = d_gates[layer, : stop - start], by_cells[layer, : stop - start]
                _fill_slopes(gates[layer, start:stop], cells[layer, start : stop + 1], d_gate, by_cell)
                views = (d_gate[:, 0], d_gate[:, 1:], by_cell, gates[layer, start:stop, 2])
                views += (repeated(d_gate.flatten(1, 2), len(transposed[layer])),)
                scans.append(list(zip(*(view.unbind(0) for view in views), strict=True)))
            for t in range(stop - 1, start - 1, -1):
                d_contexts_t, by_context_t, d_context_t, d_lm_t = heads[t]
                for layer in range(layers - 1, -1, -1):
                    d_out, d_others, by_cell, forget, d_gate = scans[layer][t - start]
                    d_out.mul_(d_h[layer])
                    d_c[layer].addcmul_(d_h[layer], by_cell)
                    d_others.mul_(d_c[layer])
                    d_c[layer].mul_(forget)
                    copy_or_zero(d_h[layer], d_hidden[layer][t])
                    if layer == 0:
                        copy_or_zero(d_context, d_contexts_t)
                    d_reads[layer].baddbmm_(transposed[layer], d_gate)
                    if d_cells[layer][t] is not None:
                        d_c[layer].add_(d_cells[layer][t])
                torch.mul(d_context, by_context_t, out=d_context_t)
                d_top.baddbmm_(w_lm_transposed, d_lm_t)
            top = inputs[start + layers - 1 : stop + layers - 1, -hidden:]
            d_w_lm.addmm_(side_by_side(d_lm[start:stop]), side_by_side(top).t())
            for layer, (d_weight, d_bias) in enumerate(zip(d_weights[::2], d_weights[1::2], strict=True)):
                read = read_by(inputs, layer, layers, weights[2 * layer])[start:stop]
                d_gate = d_gates[layer, : stop - start].flatten(1, 2)
                d_gate, read = (
                    side_by_side(part, buffer) for part, buffer in zip((d_gate, read), buffers, strict=True)
                )
                d_weight.addmm_(d_gate, read.t())
                d_bias += d_gate.sum(1)
                if layer == 0:
                    d_words[start:stop] = (w_words @ d_gate).unflatten(1, (-1, batch)).transpose(0, 1)
        return d_words, d_lm[:, :width], torch.stack(d_h), torch.stack(d_c), d_w_lm, *d_weights


def read_by(inputs, layer, layers, weight):
    """The part of `inputs` [T + L, all features, B] that a layer reads at every step: [T, features, B]."""
    hidden = weight.shape[0] // 4
    stop = inputs.shape[1] - (layers - 1 - layer) * hidden
    return inputs[layer : len(inputs) - layers + layer, stop - weight.shape[1] : stop]


def in_blocks(tensor, dim=0):
    """Splits a dimension into blocks: [N, K] -> [blocks, N / blocks, K]."""
    return tensor.unflatten(dim, (math.gcd(tensor.shape[dim], BLOCKS), -1))


def product(blocks, x, plus=None):
    """Computes weight @ x + plus, where weight and plus are in blocks of rows: [K, B] -> [N, B]."""
    inputs = x.expand(len(blocks), -1, -1)
    blocks = torch.bmm(blocks, inputs) if plus is None else torch.baddbmm(plus, blocks, inputs)
    return blocks.flatten(0, 1)


def repeated(tensor, times):
    """Expands [T, K, B] -> [T, times, K, B] without a copy: the input of every block of a weight's rows."""
    return tensor.unsqueeze(1).expand(-1, times, -1, -1)


def by_time(gradients, steps):
    """Each gradient [steps, ...] (None: nothing depends on its tensor) as a sequence with an entry per step."""
    return [(None,) * steps if gradient is None else gradient.contiguous().unbind(0) for gradient in gradients]


def copy_or_zero(target, source):
    target.zero_() if source is None else target.copy_(source)


def side_by_side(tensor, out=None):
    """Concatenates time steps, [T, N, B] -> [N, T * B], written into `out` [at least N, at least T, B] if given."""
    swapped = tensor.transpose(0, 1)
    return swapped.flatten(1) if out is None else out[: len(swapped), : len(tensor)].copy_(swapped).flatten(1)


def _fill_slopes(gates, cells, slopes, by_cell):
    """The factors that turn d_h (output gate) or d_c (input, forget, new) into gradients before the nonlinearity.

    gates [T, 4, H, B], cells (before and after each step) [T + 1, H, B]; fills `slopes`, shaped like gates, and
    `by_cell`, the factor from d_h to d_c.
    """
    (out, enter, forget, new), tanh_cells = gates.unbind(1), torch.tanh(cells[1:])
    by_out, by_enter, by_forget, by_new = slopes.unbind(1)
    sigmoid_backward(tanh_cells, out, grad_input=by_out)
    sigmoid_backward(new, enter, grad_input=by_enter)
    sigmoid_backward(cells[:-1], forget, grad_input=by_forget)
    tanh_backward(enter, new, grad_input=by_new)
    tanh_backward(out, tanh_cells, grad_input=by_cell)


def linear_gradients(d_outputs, inputs):
    """Gradients of a weight and its bias, summed over time and batch: [O, T * B] and [T, I, B] -> [O, I], [O]."""
    return d_outputs @ side_by_side(inputs).t(), d_outputs.sum(1)
