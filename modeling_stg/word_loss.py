"""The loss of the word head p(Y_t) without ever holding all its probabilities.

A batch of 32 documents has 10,000 words over 6,000 choices. Chunk by chunk, the loss and its gradient are taken while
the chunk's logits are still in the cache.
"""

import torch
from torch import nn


CHUNK = 512


def word_losses(contexts: torch.Tensor, output: nn.Linear, labels: torch.Tensor) -> torch.Tensor:
    """Sum of -log softmax(W_Y h')[label]: contexts [M, C], labels [M]."""
    with torch.autocast(contexts.device.type, enabled=False):
        return WordLosses.apply(contexts.to(output.weight.dtype), output.weight, output.bias, labels)


class WordLosses(torch.autograd.Function):
    """A row's exponentials are never divided by their sum: what they are multiplied with is, being much smaller."""

    @staticmethod
    def forward(ctx, contexts, weight, bias, labels):
        total = contexts.new_zeros(())
        turned = weight.t().contiguous()
        d_contexts = torch.empty_like(contexts) if ctx.needs_input_grad[0] else None
        d_turned, d_bias = torch.zeros_like(turned), torch.zeros_like(bias)
        memory = contexts.new_empty(min(CHUNK, len(labels)), len(weight))
        for start in range(0, len(labels), CHUNK):
            rows, wanted = contexts[start : start + CHUNK], labels[start : start + CHUNK].unsqueeze(1)
            logits = torch.mm(rows, turned, out=memory[: len(rows)]).add_(bias)
            logits -= logits.amax(1, keepdim=True)
            wanted_logits = logits.gather(1, wanted)
            exponentials = logits.exp_()
            sums = exponentials.sum(1, keepdim=True)
            total += (sums.log() - wanted_logits).sum()
            if not any(ctx.needs_input_grad):
                continue
            # the softmax minus one at the wanted word, still to be divided by the sums
            gradient, share = exponentials.scatter_add_(1, wanted, -sums), sums.reciprocal()
            if d_contexts is not None:
                torch.mm(gradient, weight, out=d_contexts[start : start + CHUNK]).mul_(share)
            d_turned.addmm_((rows * share).t(), gradient)
            d_bias.addmv_(gradient.t(), share.squeeze(1))
        ctx.save_for_backward(d_contexts, d_turned, d_bias)
        return total

    @staticmethod
    def backward(ctx, d_total):
        d_contexts, d_turned, d_bias = ctx.saved_tensors
        d_weight = (d_turned * d_total).t()
        return None if d_contexts is None else d_contexts * d_total, d_weight, d_bias * d_total, None
