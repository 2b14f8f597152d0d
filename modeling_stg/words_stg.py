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
    @staticmethod
    def forward(ctx, contexts, weight, bias, labels):
        total = contexts.new_zeros(())
        d_contexts = torch.empty_like(contexts) if ctx.needs_input_grad[0] else None
        d_weight, d_bias = torch.zeros_like(weight), torch.zeros_like(bias)
        for start in range(0, len(labels), CHUNK):
            rows, wanted = contexts[start : start + CHUNK], labels[start : start + CHUNK].unsqueeze(1)
            logarithms = torch.log_softmax(torch.addmm(bias, rows, weight.t()), 1)
            total -= logarithms.gather(1, wanted).sum()
            if not any(ctx.needs_input_grad):
                continue
            gradient = logarithms.exp_()  # softmax, minus one at the wanted word
            gradient.scatter_add_(1, wanted, gradient.new_full((1, 1), -1).expand_as(wanted))
            if d_contexts is not None:
                torch.mm(gradient, weight, out=d_contexts[start : start + CHUNK])
            d_weight.addmm_(gradient.t(), rows)
            d_bias += gradient.sum(0)
        ctx.save_for_backward(d_contexts, d_weight, d_bias)
        return total

    @staticmethod
    def backward(ctx, d_total):
        d_contexts, d_weight, d_bias = ctx.saved_tensors
        return None if d_contexts is None else d_contexts * d_total, d_weight * d_total, d_bias * d_total, None
