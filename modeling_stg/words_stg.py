"""The loss of the word head p(Y_t) without ever holding all its probabilities.

A batch of 32 documents has 10,000 words over 6,000 choices. Chunk by chunk, the loss and its gradient are taken while
the chunk's logits are still in the cache.
"""

import torch
from torch import nn


CHUNK = 256


def word_losses(contexts: torch.Tensor, output: nn.Linear, labels: torch.Tensor) -> torch.Tensor:
    """Sum of -log softmax(W_Y h')[label]: contexts [M, C], labels [M]."""
    with torch.autocast(contexts.device.type, enabled=False):
        return WordLosses.apply(contexts.to(output.weight.dtype), output.weight, output.bias, labels)


class WordLosses(torch.autograd.Function):
    """The bias is a further column of the weight, read by a one: so it and its gradient need no pass of their own."""

    @staticmethod
    def forward(ctx, contexts, weight, bias, labels):
        total = contexts.new_zeros(())
        d_contexts = torch.empty_like(contexts) if ctx.needs_input_grad[0] else None
        contexts, both = nn.functional.pad(contexts, (0, 1), value=1), torch.cat([weight, bias.unsqueeze(1)], 1)
        d_both = torch.zeros_like(both)
        for start in range(0, len(labels), CHUNK):
            rows, wanted = contexts[start : start + CHUNK], labels[start : start + CHUNK].unsqueeze(1)
            logarithms = torch.log_softmax(rows @ both.t(), 1)
            total -= logarithms.gather(1, wanted).sum()
            if not any(ctx.needs_input_grad):
                continue
            gradient = logarithms.exp_()  # softmax, minus one at the wanted word
            gradient.scatter_add_(1, wanted, gradient.new_full((1, 1), -1).expand_as(wanted))
            if d_contexts is not None:
                torch.mm(gradient, weight, out=d_contexts[start : start + CHUNK])
            d_both.addmm_(gradient.t(), rows)
        ctx.save_for_backward(d_contexts, d_both)
        return total

    @staticmethod
    def backward(ctx, d_total):
        d_contexts, d_both = ctx.saved_tensors
        d_both = d_both * d_total
        return None if d_contexts is None else d_contexts * d_total, d_both[:, :-1], d_both[:, -1], None
