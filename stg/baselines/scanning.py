"""The recurrence of an input-feeding decoder as one autograd function.

Each step needs the attentional vector of the previous one, so a document is read token by token. Everything else is
kept out of the loop: the words' part of the first layer's gates is computed beforehand, and the backward pass computes
the gradients of weights and memory in one product each over all steps (adding the memory's gradient step by step would
write the whole memory for every token). A row times the transposed memory is three times as fast as the memory times a
column.
"""

import torch

from modeling_stg.kernels import Product, lstm_cell_


class CopyScan(torch.autograd.Function):
    """The decoder's steps over whole documents; tests check gradients by gradcheck and against the plain twin.

    inputs [T, B, 4H]: the part of words and writer in the first layer's gates, with its bias.
    memory [B, M, H]; unavailable [B, M]: 0, or -inf for entries that do not exist.
    h0, c0 [L, B, H]: the initial state.
    between [L - 1, T, B, H], above [T, B, H]: dropout factors of a layer's h as the next one reads it, and of the
        attentional vector; None for none.
    w_query [H, H], w_combine [H, 2H]: W_a and W_c of Luong et al. (2015).
    weights: [4H, 2H] of the first layer (attentional vector, own h), then [4H, 2H] (h below, own h) and [4H] of each
        other; gates are in the order output, input, forget, new.

    Returns attentional vectors [T, B, H] and scores of the memory [T, B, M], whose softmax is the attention.
    """

    @staticmethod
    def forward(ctx, inputs, memory, unavailable, h0, c0, between, above, w_query, w_combine, *weights):
        steps, batch, _ = inputs.shape
        layers, _, hidden = h0.shape
        w_layers, biases = (weights[0], *weights[1::2]), weights[2::2]
        reads = inputs.new_zeros(layers, steps + 1, batch, 2 * hidden)  # inputs of a layer: from below, its own h
        reads[:, 0, :, hidden:] = h0
        cells = inputs.new_empty(layers, steps + 1, batch, hidden)
        cells[:, 0] = c0
        gates = inputs.new_empty(layers, steps, batch, 4 * hidden)
        combined = inputs.new_empty(steps, batch, 2 * hidden)  # (context, h) of each step
        attentional = inputs.new_empty(steps, batch, hidden)  # attentional vectors before dropout
        scores = inputs.new_empty(steps, batch, memory.shape[1])
        attention = torch.empty_like(scores)
        products, scratch = [Product(weight) for weight in w_layers], torch.empty_like(h0[0])
        for_query, for_attentional = Product(w_query), Product(w_combine)
        memory_t = memory.transpose(1, 2).contiguous()
        for t in range(steps):
            for layer in range(layers):
                gate, c = gates[layer, t], cells[layer, t + 1]
                plus = inputs[t] if layer == 0 else biases[layer - 1]
                torch.add(products[layer](reads[layer, t]), plus, out=gate)
                views = gate[:, : 3 * hidden], *gate.view(batch, 4, hidden).unbind(1)
                h = reads[layer, t + 1, :, hidden:]
                lstm_cell_(*views, cells[layer, t], c, h, scratch)
                if layer + 1 < layers:
                    reads[layer + 1, t, :, :hidden] = h if between is None else h * between[layer, t]
            query = for_query(h).unsqueeze(1)
            torch.baddbmm(unavailable.unsqueeze(1), query, memory_t, out=scores[t].unsqueeze(1))
            torch.softmax(scores[t], 1, out=attention[t])
            combined[t, :, :hidden] = torch.bmm(attention[t].unsqueeze(1), memory).squeeze(1)
            combined[t, :, hidden:] = h
            torch.tanh(for_attentional(combined[t]), out=attentional[t])
            reads[0, t + 1, :, :hidden] = attentional[t] if above is None else attentional[t] * above[t]
        ctx.save_for_backward(
            memory,
            memory_t,
            between,
            above,
            w_query,
            w_combine,
            reads,
            cells,
            gates,
            combined,
            attentional,
            attention,
            *w_layers,
        )
        return reads[0, 1:, :, :hidden].contiguous(), scores

    @staticmethod
    def backward(ctx, d_vectors, d_scores):
        (
            memory,
            memory_t,
            between,
            above,
            w_query,
            w_combine,
            reads,
            cells,
            gates,
            combined,
            attentional,
            attention,
            *w_layers,
        ) = ctx.saved_tensors
        layers, steps, batch, _ = gates.shape
        hidden = w_query.shape[0]
        by_attentional = 1 - attentional.square() if above is None else above * (1 - attentional.square())
        d_gates, by_cells = _slopes(gates, cells)
        d_sums, d_contexts, d_queries = (torch.empty_like(attentional) for _ in range(3))
        d_attended = torch.empty_like(attention)  # of the scores
        d_h = [memory.new_zeros(batch, hidden) for _ in range(layers)]
        d_c = [memory.new_zeros(batch, hidden) for _ in range(layers)]
        d_fed = memory.new_zeros(batch, hidden)
        by_query, by_combine, *by_layer = (Product(weight.t()) for weight in (w_query, w_combine, *w_layers))
        for t in range(steps - 1, -1, -1):
            torch.mul(d_vectors[t] + d_fed, by_attentional[t], out=d_sums[t])
            d_combined = by_combine(d_sums[t])
            d_contexts[t] = d_combined[:, :hidden]
            d_attention = torch.bmm(d_contexts[t].unsqueeze(1), memory_t).squeeze(1)
            d_attention -= (d_attention * attention[t]).sum(1, keepdim=True)
            torch.addcmul(d_scores[t], attention[t], d_attention, out=d_attended[t])
            torch.bmm(d_attended[t].unsqueeze(1), memory, out=d_queries[t].unsqueeze(1))
            d_h[-1] += d_combined[:, hidden:]
            d_h[-1] += by_query(d_queries[t])
            for layer in range(layers - 1, -1, -1):
                d_gate = d_gates[layer, t].view(batch, 4, hidden)
                d_c[layer].addcmul_(d_h[layer], by_cells[layer, t])
                d_gate[:, 0] *= d_h[layer]
                d_gate[:, 1:] *= d_c[layer].unsqueeze(1)
                d_c[layer] *= gates[layer, t, :, 2 * hidden : 3 * hidden]
                d_below, d_h[layer] = by_layer[layer](d_gates[layer, t]).split(hidden, dim=1)
                if layer == 0:
                    d_fed = d_below
                else:
                    d_h[layer - 1] = d_h[layer - 1] + (d_below if between is None else d_below * between[layer - 1, t])
        h = combined[:, :, hidden:]
        queries = h @ w_query.t()
        d_memory = torch.bmm(attention.permute(1, 2, 0), d_contexts.transpose(0, 1))
        d_memory.baddbmm_(d_attended.permute(1, 2, 0), queries.transpose(0, 1))
        d_w_query = d_queries.flatten(0, 1).t() @ h.flatten(0, 1)
        d_w_combine = d_sums.flatten(0, 1).t() @ combined.flatten(0, 1)
        d_weights = []
        for layer in range(layers):
            d_gate = d_gates[layer].flatten(0, 1)
            d_weights.append(d_gate.t() @ reads[layer, :-1].flatten(0, 1))
            d_weights += [d_gate.sum(0)] if layer else []
        d_state = torch.stack(d_h), torch.stack(d_c)
        return d_gates[0], d_memory, None, *d_state, None, None, d_w_query, d_w_combine, *d_weights


def _slopes(gates: torch.Tensor, cells: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Factors from d_h (output gate) or d_c (other gates) to gradients before the nonlinearity, and from d_h to d_c.

    gates [L, T, B, 4H], cells [L, T + 1, B, H].
    """
    slopes = torch.empty_like(gates)
    (out, enter, forget, new), tanh_cells = gates.chunk(4, dim=3), cells[:, 1:].tanh()
    by_out, by_enter, by_forget, by_new = slopes.chunk(4, dim=3)
    torch.mul(tanh_cells, out * (1 - out), out=by_out)
    torch.mul(new, enter * (1 - enter), out=by_enter)
    torch.mul(cells[:, :-1], forget * (1 - forget), out=by_forget)
    torch.mul(enter, 1 - new.square(), out=by_new)
    return slopes, out * (1 - tanh_cells.square())
