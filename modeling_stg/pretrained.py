"""A pretrained causal language model in the place of the LSTM: h_LM is its last hidden state.

It reads words piece by piece. h_Ent and the writer w enter below the first adapted layer, through projections that
start at zero, and the adapters (LoRA; Hu et al. 2022) of the layers above start at zero too: before training, the
probability of a word's first piece is the pretrained model's. Words that share their first piece are told apart by
a small head of their own, so that one step of the language model gives the probability of every word.

The pretrained weights are not part of this module's state: they stay as they are, and are not saved with it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.pytorch_utils import Conv1D

from .base_model import open_base
from .configuration_stg import StgConfig
from .errors import StgError
from .spelling import GLUED, NO_PIECE, SPACED, line_up


TINY = 1e-30  # in place of zero, the share of first pieces that no word has on this side


class Adapter(nn.Module):
    """What is added to a linear layer's output."""

    def __init__(self, inputs: int, outputs: int, rank: int):
        super().__init__()
        self.down = nn.Linear(inputs, rank, bias=False)
        self.up = nn.Linear(rank, outputs, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.down(x))


class AddAdapter:
    """A hook that adds the adapter's output to its layer's."""

    def __init__(self, adapter: Adapter):
        self.adapter = adapter

    def __call__(self, layer: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> torch.Tensor:
        return output + self.adapter(inputs[0])


class AddContext:
    """A hook that adds h_Ent and w, as they are projected, to what a layer reads."""

    context: torch.Tensor

    def __call__(self, layer: nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        return inputs[0] + self.context.to(inputs[0].dtype), *inputs[1:]


@dataclass
class PretrainedReading:
    """What a pretrained language model makes of documents, T tokens long."""

    hidden: torch.Tensor  # h_LM before every token, [B, T, H]
    glued: torch.Tensor  # [B, T]: whether the token follows without a space

    def product(self, weight: torch.Tensor) -> torch.Tensor:
        """The product of a weight [1, H] with h_LM before every token, [B, T]."""
        return self.hidden @ weight[0]

    def before(self, position: torch.Tensor) -> torch.Tensor:
        """h_LM before the tokens at `position` [B, K], [B, K, H]."""
        return self.hidden.gather(1, position.unsqueeze(2).expand(-1, -1, self.hidden.shape[2]))

    def word_loss(
        self, language: "PretrainedLanguageModel", tokens: torch.Tensor, labels: torch.Tensor
    ) -> torch.Tensor:
        """The loss of the words at the tokens in the mask [B, T] of labels [B, T]."""
        logits = language.word_head()(self.hidden[tokens], self.glued[tokens])
        return nn.functional.cross_entropy(logits, labels[tokens], reduction="sum")

    def logits(self, language: "PretrainedLanguageModel") -> torch.Tensor:
        """Logits of every word at every token, [B, T, W]."""
        logits = language.word_head()(self.hidden.flatten(0, 1), self.glued.flatten())
        return logits.unflatten(0, self.glued.shape)


class PretrainedLanguageModel(nn.Module):
    """The adapters and projections of a pretrained language model, and its words."""

    spelling: torch.Tensor  # [2, W, P]: the pieces of every word, after a space and without
    opening: torch.Tensor  # [W]: words that the next one follows without a space

    def __init__(self, config: StgConfig):
        super().__init__()
        self.config = config
        with torch.device("meta"):
            settings = dict(config.language_config or {})
            skeleton = AutoModelForCausalLM.from_config(AutoConfig.for_model(**settings))
        self.adapters: Any = nn.ModuleDict()
        for name, layer in _linear_layers(skeleton, config.adapted_layers):
            inputs, outputs = layer.weight.shape if isinstance(layer, Conv1D) else layer.weight.shape[::-1]
            self.adapters[_key(name)] = Adapter(inputs, outputs, config.adapter_rank)
        self.from_entity = nn.Linear(config.hidden_size, config.context_size)
        self.rest = nn.Linear(config.context_size, config.vocab_size)  # of words with the same first piece
        self.register_buffer("spelling", torch.zeros(2, config.vocab_size, config.spelling_width, dtype=torch.long))
        self.register_buffer("opening", torch.zeros(config.vocab_size, dtype=torch.bool))
        self._base: list[nn.Module] = []  # in a list, so that it is not part of this module
        self._add_context = AddContext()

    def start_as_pretrained(self) -> None:
        """Sets to zero what changes the pretrained model."""
        for layer in (self.from_entity, self.rest, *(adapter.up for adapter in self.adapters.values())):
            for parameter in layer.parameters():
                nn.init.zeros_(parameter)

    @property
    def base(self) -> Any:
        """The pretrained model with the adapters, loaded when first needed."""
        if not self._base:
            self.attach(open_base(self.config.language_model, self.config.language_revision))
        [base], device = self._base, self.from_entity.weight.device
        return base if base.device == device else base.to(device)

    def attach(self, base: nn.Module) -> None:
        """Takes a pretrained model, which must not be used otherwise afterwards."""
        base.requires_grad_(False).eval()
        for name, layer in _linear_layers(base, self.config.adapted_layers):
            layer.register_forward_hook(AddAdapter(self.adapters[_key(name)]))
        _layers(base)[-self.config.adapted_layers].register_forward_pre_hook(self._add_context)
        self._base = [base]

    def set_context(self, context: torch.Tensor) -> None:
        """Sets what is added to what the first adapted layer reads, [B, N, H]."""
        self._add_context.context = context

    def run(self, pieces: torch.Tensor, context: torch.Tensor, **options) -> torch.Tensor:
        """Hidden states [B, N, H] after pieces [B, N], given the projections of h_Ent and w [B, N, H]."""
        self.set_context(context)
        return self.base.base_model(input_ids=pieces, **options).last_hidden_state

    def read(
        self,
        words: torch.Tensor,
        is_token: torch.Tensor,
        value: torch.Tensor,
        surfaces: torch.Tensor,
        context: torch.Tensor,
    ) -> PretrainedReading:
        """Reads documents of T tokens.

        Args:
            words: [B, T].
            is_token: False is padding, [B, T].
            value: the row of a stated value's spelling in `surfaces`, -1 for words, [B, T].
            surfaces: pieces + 1 of the values, after a space and without, [B, N, 2, P].
            context: the projections of h_Ent and w with which <SoD> and all tokens but the last are read, [B, T, H].
        """
        start = torch.full_like(words[:, :1], self.config.bos_token_id)
        before = torch.cat([start, words], dim=1)[:, :-1]
        glued = self.opening[before]
        rows = torch.arange(len(words), device=words.device).unsqueeze(1)
        pieces = self.pieces(words, value, surfaces, glued, rows).masked_fill(~is_token.unsqueeze(2), NO_PIECE)
        first = self.spelling[GLUED, start]
        width = max(pieces.shape[2], first.shape[2])
        parts = [nn.functional.pad(part, (0, width - part.shape[2]), value=NO_PIECE) for part in (first, pieces)]
        return PretrainedReading(self(torch.cat(parts, dim=1)[:, :-1], context), glued)

    def read_start(self, context: torch.Tensor) -> PretrainedReading:
        """Reads <SoD> alone, with the projections of h_Ent and w [B, H]."""
        start = torch.full((len(context), 1), self.config.bos_token_id, device=context.device)
        return PretrainedReading(self(self.spelling[GLUED, start], context.unsqueeze(1)), self.opening[start])

    def pieces(
        self,
        words: torch.Tensor,
        value: torch.Tensor,
        surfaces: torch.Tensor,
        glued: torch.Tensor,
        game: torch.Tensor,
    ) -> torch.Tensor:
        """The pieces [..., P] of words [...], or of the values that are stated instead (see `read`), by game [...]."""
        side = glued.long()
        of_words, of_values = self.spelling[side, words], surfaces[game, value.clamp(min=0), side] - 1
        width = max(of_words.shape[-1], of_values.shape[-1])
        of_words, of_values = (
            nn.functional.pad(part, (0, width - part.shape[-1]), value=NO_PIECE) for part in (of_words, of_values)
        )
        return torch.where((value >= 0).unsqueeze(-1), of_values, of_words)

    def forward(self, pieces: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """h_LM before every token, [B, T, H].

        `pieces` [B, T, P] are those of the token before it, and `context` [B, T, H] is what they are read with.
        """
        lined_up = line_up(pieces)
        rows = torch.arange(len(pieces), device=pieces.device).unsqueeze(1)
        hidden = self.run(lined_up.ids, context[rows, lined_up.token], use_cache=False)
        return hidden[rows, lined_up.last]

    def word_head(self) -> "WordHead":
        return WordHead(self)


class WordHead:
    """p(word) = p(its first piece) p(word | first piece): the pretrained model's, and a small head's."""

    def __init__(self, language: PretrainedLanguageModel):
        output = language.base.get_output_embeddings()
        firsts, self.first_of = torch.unique(language.spelling[:, :, 0], return_inverse=True)  # [F], [2, W]
        self.weight, self.bias = output.weight[firsts], None if output.bias is None else output.bias[firsts]
        self.rest = language.rest

    def __call__(self, hidden: torch.Tensor, glued: torch.Tensor) -> torch.Tensor:
        """Logits [M, W] of all words, from h_LM [M, H] and whether they follow without a space, `glued` [M]."""
        by_piece = nn.functional.linear(hidden, self.weight.to(hidden.dtype), self.bias).float()  # [M, F]
        rest = self.rest(hidden).float()
        rest = rest - rest.amax(1, keepdim=True)
        logits = torch.empty_like(rest)
        for side in (SPACED, GLUED):
            rows, first = (glued == side).nonzero().squeeze(1), self.first_of[side]
            own = rest[rows]
            same = torch.zeros_like(by_piece[rows]).index_add(1, first, own.exp()).clamp(min=TINY).log()
            logits = logits.index_copy(0, rows, (by_piece[rows] - same)[:, first] + own)
        return logits


def _layers(model: Any) -> nn.ModuleList:
    """The layers of a language model, from the bottom up."""
    number = model.config.num_hidden_layers
    return next(part for part in model.modules() if isinstance(part, nn.ModuleList) and len(part) == number)


def _linear_layers(model: Any, count: int) -> list[tuple[str, Any]]:
    """The linear layers within the upper `count` layers, by their names within the layers."""
    layers = _layers(model)
    if not 1 <= count <= len(layers):
        raise StgError(f"adapted_layers: {count} is not between 1 and the {len(layers)} layers of the language model")
    return [
        (f"{index}.{name}", part)
        for index, layer in list(enumerate(layers))[-count:]
        for name, part in layer.named_modules()
        if isinstance(part, (nn.Linear, Conv1D))
    ]


def _key(name: str) -> str:
    return name.replace(".", "_")  # a ModuleDict allows no dots
