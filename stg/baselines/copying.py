"""The decoder of both baselines: an LSTM with input feeding that attends to a memory and copies from it or generates.

a_t = tanh(W_c (context, h_t)) gives the switch p(Z_t) and the word p(Y_t | Z_t = 0); the attention itself is
p(record | Z_t = 1). The alignment says which record is copied, so nothing is summed over records of equal value.
"""

from dataclasses import dataclass

import torch
from torch import nn

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.encoder import randomly_unknown
from modeling_stg.kernels import lstm_cell
from modeling_stg.language_model import LstmLayer
from modeling_stg.word_loss import word_loss
from stg.baselines.scanning import CopyScan


@dataclass
class Memory:
    """What the decoder attends to, and its initial state."""

    vectors: torch.Tensor  # [B, M, H]
    mask: torch.Tensor  # [B, M]: entries that exist
    h: torch.Tensor  # [L, B, H]: the initial state
    c: torch.Tensor  # [L, B, H]

    def to(self, dtype: torch.dtype) -> "Memory":
        return Memory(self.vectors.to(dtype), self.mask, self.h.to(dtype), self.c.to(dtype))

    @property
    def unavailable(self) -> torch.Tensor:
        """What is added to the scores, [B, M]: -inf for entries that do not exist, else 0."""
        return torch.zeros_like(self.vectors[..., 0]).masked_fill_(~self.mask, float("-inf"))


class WriterVectors(nn.Module):
    """A vector w for every known writer and, last, one for all others."""

    def __init__(self, config: StgConfig):
        super().__init__()
        self.num_writers, self.unknown_rate = config.num_writers, config.unknown_rate
        self.vectors = nn.Embedding(config.num_writers + 1, config.writer_size)

    def forward(self, writer_ids: torch.Tensor | None, batch: int) -> torch.Tensor:
        """Looks up writer_ids [B] -> [B, W]."""
        if writer_ids is None:
            writer_ids = torch.full((batch,), self.num_writers, device=self.vectors.weight.device)
        return self.vectors(randomly_unknown(writer_ids, self.num_writers, self.unknown_rate, self.training))


class CopyDecoder(nn.Module):
    """The text decoder; `writer_size` is the size of the writer's vector in the first layer's input, 0 for none."""

    def __init__(self, config: StgConfig, writer_size: int = 0):
        super().__init__()
        hidden, size = config.hidden_size, config.embedding_size
        self.dropout = config.dropout
        self.words = nn.Embedding(config.vocab_size, size)
        inputs = [size + writer_size + hidden] + [hidden] * (config.num_lm_layers - 1)
        self.layers = nn.ModuleList(LstmLayer(width, hidden) for width in inputs)
        self.query = nn.Linear(hidden, hidden, bias=False)  # W_a
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)  # W_c
        self.switch = nn.Linear(hidden, 1)
        self.output = nn.Linear(hidden, config.vocab_size)

    @property
    def recurrent(self) -> torch.Tensor:
        """The part of the first layer's weight that reads the attentional vector and its own h, [4H, 2H]."""
        return self.layers[0].weight[:, -2 * self.query.in_features :]

    def inputs(self, words: torch.Tensor, writer: torch.Tensor | None) -> torch.Tensor:
        """What words [..., B] and w [B, W] add to the first layer's gates, [..., B, 4H]."""
        w_words = self.layers[0].weight[:, : self.words.embedding_dim]
        by_word = nn.functional.linear(self.words(words), w_words, self.layers[0].bias)
        if writer is None:
            return by_word
        w_writer = self.layers[0].weight[:, self.words.embedding_dim : -2 * self.query.in_features]
        return by_word + writer @ w_writer.t()

    def forward(self, words, memory: Memory, writer) -> tuple[torch.Tensor, torch.Tensor]:
        """Scans words y_{t-1} [T, B] -> a [T, B, H] and the scores of the memory [T, B, M]."""
        inputs = self.inputs(words, writer)
        between = above = None
        if self.training and self.dropout:
            shape = len(words), *memory.h.shape[1:]
            above, *between = (self._factors(inputs, shape) for _ in self.layers)
            between = torch.stack(between) if between else None
        weights = [weight for layer in self.layers[1:] for weight in (layer.weight, layer.bias)]
        return CopyScan.apply(
            *(inputs, memory.vectors, memory.unavailable, memory.h, memory.c, between, above),
            *(self.query.weight, self.combine.weight, self.recurrent, *weights),
        )

    def _factors(self, like: torch.Tensor, shape) -> torch.Tensor:
        return nn.functional.dropout(like.new_ones(shape), self.dropout)

    def losses(self, document, source: torch.Tensor, memory: Memory, writer):
        """Negative log-likelihoods of z, y and copies, and the number of decisions of each.

        `source` [B, T] is the entry of the memory that is copied.
        """
        dtype = self.query.weight.dtype  # the scan needs a single precision
        with torch.autocast(document.token.device.type, enabled=False):
            writer = None if writer is None else writer.to(dtype)
            return self._losses(document, source, memory.to(dtype), writer)

    def _losses(self, document, source: torch.Tensor, memory: Memory, writer):
        vectors, scores = self(document.before.t(), memory, writer)
        token, copied = document.token.t(), document.copied.t()
        z = self.switch(vectors).squeeze(2)
        written = token & ~copied
        contexts = nn.functional.embedding(written.flatten().nonzero().squeeze(1), vectors.flatten(0, 1))
        losses = {
            "z": nn.functional.binary_cross_entropy_with_logits(z[token], copied[token].to(z.dtype), reduction="sum"),
            "y": word_loss(contexts, self.output, document.words.t()[written]),
            "copy": nn.functional.cross_entropy(scores[copied], source.t()[copied], reduction="sum"),
        }
        return losses, {"z": token.sum(), "y": written.sum(), "copy": copied.sum()}

    def step(self, inputs, fed, h, c, vectors, unavailable):
        """One decoding step. Rows [R] are those of game 0, then of game 1 and so on, the same number for each.

        inputs [R, 4H], fed (a of the previous step) [R, H], h and c: a list of [R, H] for each layer,
        vectors [G, M, H], unavailable [G, M] -> a [R, H], scores [R, M], h, c.
        """
        below, hidden, cells = fed, [], []
        for number, layer in enumerate(self.layers):
            read = torch.cat([below, h[number]], dim=1)
            if number == 0:
                gates = torch.addmm(inputs, read, self.recurrent.t())
            else:
                gates = nn.functional.linear(read, layer.weight, layer.bias)
            *squashed, new = gates.chunk(4, dim=1)
            below, cell = lstm_cell(*(gate.sigmoid() for gate in squashed), new.tanh(), c[number])
            hidden.append(below)
            cells.append(cell)
        queries = self.query(below).unflatten(0, (len(vectors), -1))
        scores = queries @ vectors.transpose(1, 2) + unavailable.unsqueeze(1)  # [G, R / G, M]
        context = (scores.softmax(2) @ vectors).flatten(0, 1)
        return self.combine(torch.cat([context, below], dim=1)).tanh(), scores.flatten(0, 1), hidden, cells
