"""Cross-entropy of the word head p(Y_t) without materialising the whole [words, vocabulary] matrix.

A batch of 32 documents has 10,000 words over a vocabulary of 6,000. Loss and gradient are computed chunk by chunk,
while the chunk's logits are still in cache.
"""

import torch
from torch import nn


CHUNK = 512


def word_loss(contexts: torch.Tensor, output: nn.Linear, labels: torch.Tensor) -> torch.Tensor:
    """Sum of -log softmax(W_Y h')[label]: contexts [M, C], labels [M] -> []."""
    with torch.autocast(contexts.device.type, enabled=False):
        return ChunkedCrossEntropy.apply(contexts.to(output.weight.dtype), output.weight, output.bias, labels)


class ChunkedCrossEntropy(torch.autograd.Function):
    """Computes the gradient in the forward pass.

    The softmax is never normalised: the smaller factors it is multiplied with are divided by the row sums instead.
    """

    @staticmethod
    def forward(ctx, contexts, weight, bias, labels):
        total = contexts.new_zeros(())
        weight_t = weight.t().contiguous()
        d_contexts = torch.empty_like(contexts) if ctx.needs_input_grad[0] else None
        d_weight_t, d_bias = torch.zeros_like(weight_t), torch.zeros_like(bias)
        buffer = contexts.new_empty(min(CHUNK, len(labels)), len(weight))
        for start in range(0, len(labels), CHUNK):
            rows, targets = contexts[start : start + CHUNK], labels[start : start + CHUNK].unsqueeze(1)
            logits = torch.mm(rows, weight_t, out=buffer[: len(rows)]).add_(bias)
            logits -= logits.amax(1, keepdim=True)
            target_logits = logits.gather(1, targets)
            exponentials = logits.exp_()
            sums = exponentials.sum(1, keepdim=True)
            total += (sums.log() - target_logits).sum()
            if not any(ctx.needs_input_grad):
                continue
            # (softmax - one-hot) * sums; the factor 1 / sums comes below
            gradient, scale = exponentials.scatter_add_(1, targets, -sums), sums.reciprocal()
            if d_contexts is not None:
                torch.mm(gradient, weight, out=d_contexts[start : start + CHUNK]).mul_(scale)
            d_weight_t.addmm_((rows * scale).t(), gradient)
            d_bias.addmv_(gradient.t(), scale.squeeze(1))
        ctx.save_for_backward(d_contexts, d_weight_t, d_bias)
        return total

    @staticmethod
    def backward(ctx, d_total):
        d_contexts, d_weight_t, d_bias = ctx.saved_tensors
        d_weight = (d_weight_t * d_total).t()
        return None if d_contexts is None else d_contexts * d_total, d_weight, d_bias * d_total, None
