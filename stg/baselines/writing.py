"""`generate` of the neural baselines, and what else they share as transformers models."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import logsigmoid
from transformers import GenerationConfig, PreTrainedModel
from transformers import initialization as init
from transformers.utils import ModelOutput

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.constraints import NEVER
from modeling_stg.errors import StgError
from modeling_stg.search import Candidates, Walker, search
from modeling_stg.settings import (
    MAX_BEAMS,
    MAX_LENGTH_PENALTY,
    MAX_NEW_TOKENS,
    TOKEN_IDS,
    check_fields,
    check_order,
    non_default_options,
    option,
)
from stg.baselines.copying import CopyDecoder, Memory


INPUTS = ("entity_ids", "entity_mask", "is_home", "value_ids", "record_mask", "value_words")
MAX_PLAN_LENGTH = 2000  # records; more is probably a typing mistake
UNREAD = (
    "has_word",
    "labels",
    "form_known",
    "other_arenas",
    "claims",
    "period_results",
)  # the processor's tensors that are ignored


@dataclass
class BaselineOutput(ModelOutput):
    """The negative log-likelihood, summed over the batch; `losses` are its parts and `counts` their decisions."""

    loss: torch.Tensor | None = None
    losses: dict[str, torch.Tensor] | None = None
    counts: dict[str, torch.Tensor] | None = None


@dataclass
class BaselineGenerateOutput(ModelOutput):
    sequences: torch.Tensor | None = None  # [B, T], padded after <EoD>
    sequences_scores: torch.Tensor | None = None  # [B]: see `modeling_stg/search.py`
    plan: torch.Tensor | None = None  # [B, K]: the ids of the planned records, padded; for models that plan


@dataclass
class BaselineSettings:
    """The options of a baseline's `generate`. Plan lengths are in records and apply to models that plan.

    The published systems were decoded by OpenNMT, which does not normalise by length: a length_penalty of 0.
    """

    num_beams: int = option(5, 1, MAX_BEAMS)
    length_penalty: float = option(0.0, -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY)
    min_new_tokens: int = option(0)
    max_new_tokens: int = option(850, 1, MAX_NEW_TOKENS)
    min_plan_length: int = option(35)
    max_plan_length: int = option(80, 1, MAX_PLAN_LENGTH)

    def __post_init__(self) -> None:
        check_fields(self)
        check_order(self, "new_tokens")
        check_order(self, "plan_length")


class TextWalker(Walker):
    """The text of each game, word by word. Ids are the words, then the entries of the memory."""

    def __init__(
        self,
        decoder: CopyDecoder,
        config: StgConfig,
        memory: Memory,
        writer: torch.Tensor | None,
        cells: torch.Tensor,
        value_words: torch.Tensor,
        settings: BaselineSettings,
    ):
        """Starts a text per game; cells [G, M] has the record of each entry, -1 for none; value_words [G, cells]."""
        self.decoder, self.vocab_size, self.end = decoder, config.vocab_size, config.eos_token_id
        self.min_new_tokens, beams = settings.min_new_tokens, settings.num_beams
        special = [config.pad_token_id, config.unk_token_id, config.bos_token_id]
        self.special = torch.tensor(special, device=cells.device)
        self.vectors, self.unavailable = memory.vectors, memory.unavailable
        self.words = value_words.gather(1, cells.clamp(min=0))  # [G, M]
        self.uncopyable = (~memory.mask | (cells < 0)).unsqueeze(1)  # [G, 1, M]
        self.h = [h.repeat_interleave(beams, 0) for h in memory.h]
        self.c = [c.repeat_interleave(beams, 0) for c in memory.c]
        self.writer = None if writer is None else writer.repeat_interleave(beams, 0)
        self.fed = torch.zeros_like(self.h[0])
        self.before = torch.full((len(self.fed),), config.bos_token_id, device=cells.device)

    def candidates(self, time: int) -> Candidates:
        inputs = self.decoder.inputs(self.before, self.writer)
        self.fed, attention, self.h, self.c = self.decoder.step(
            inputs, self.fed, self.h, self.c, self.vectors, self.unavailable
        )
        z = self.decoder.switch(self.fed)
        words = self.decoder.output(self.fed).log_softmax(1).index_fill_(1, self.special, NEVER)
        copies = attention.log_softmax(1).unflatten(0, (len(self.vectors), -1)).masked_fill(self.uncopyable, NEVER)
        scores = torch.cat([words + logsigmoid(-z), copies.flatten(0, 1) + logsigmoid(z)], dim=1)
        if time < self.min_new_tokens:
            scores[:, self.end] = NEVER
        return Candidates(scores, scores, torch.arange(scores.shape[1], device=scores.device).expand_as(scores))

    def advance(self, games: torch.Tensor, parents: torch.Tensor, ids: torch.Tensor) -> None:
        if len(games) < len(self.vectors):
            self.vectors, self.unavailable = self.vectors[games], self.unavailable[games]
            self.words, self.uncopyable = self.words[games], self.uncopyable[games]
        self.h, self.c = [h[parents] for h in self.h], [c[parents] for c in self.c]
        self.fed = self.fed[parents]
        self.writer = None if self.writer is None else self.writer[parents]
        copies = (ids - self.vocab_size).clamp(min=0).view(len(games), -1)
        copied = self.words.gather(1, copies).flatten()
        self.before = torch.where(ids < self.vocab_size, ids, copied)


class BaselinePreTrainedModel(PreTrainedModel):
    """Subclasses write a batch in `_write`; `GENERATION` holds the decoding options of their authors."""

    main_input_name = "entity_ids"
    GENERATION: dict[str, int | float] = {}
    OPTIONS: tuple[str, ...] = ("num_beams", "length_penalty", "min_new_tokens", "max_new_tokens")

    def __init__(self, config: StgConfig):
        super().__init__(config)
        ids = {name: vars(config)[name] for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
        self.generation_config = GenerationConfig(**ids, **self.GENERATION)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module):
        """Draws every parameter from [-0.1, 0.1], as OpenNMT and Wiseman et al. do."""
        for parameter in module.parameters(recurse=False):
            init.uniform_(parameter, -0.1, 0.1)

    def generate(
        self,
        inputs: None = None,
        generation_config: GenerationConfig | None = None,
        return_dict_in_generate: bool = False,
        **kwargs,
    ) -> torch.Tensor | BaselineGenerateOutput:
        """Writes a text for each game of a batch.

        Args:
            inputs: not used; pass the processor's tensors by name.
            generation_config: options; the model's own if none is given.
            return_dict_in_generate: return a `BaselineGenerateOutput` instead of ids.
            kwargs: the processor's tensors, and any of `OPTIONS`, which override `generation_config`.

        Returns:
            Sequence ids [B, T], padded after <EoD>, or a `BaselineGenerateOutput`.

        Example:
            >>> sequences = model.generate(**processor(games), num_beams=5)
        """
        if inputs is not None:
            raise StgError("generate: give the processor's batch by name, as in generate(**processor(games))")
        missing = [name for name in INPUTS if name not in kwargs]
        if missing:
            raise StgError(f"generate: {', '.join(missing)} missing; call generate(**processor(games))")
        batch = {name: kwargs.pop(name) for name in (*INPUTS, "writer_ids") if kwargs.get(name) is not None}
        batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
        options = {name: value for name, value in kwargs.items() if name not in (*UNREAD, "writer_ids")}
        explicit = non_default_options(generation_config) | options
        unknown = [name for name in explicit if name not in (*self.OPTIONS, *TOKEN_IDS)]
        if unknown:
            raise StgError(f"generate: {', '.join(unknown)} not known; it takes {', '.join(self.OPTIONS)}")
        own = vars(generation_config or self.generation_config)
        own = {name: own[name] for name in self.OPTIONS if own.get(name) is not None}
        settings = BaselineSettings(**(self.GENERATION | own | options))
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.no_grad(), torch.autocast(self.device.type, enabled=False):
                output = self._write(batch, settings)
        finally:
            for module in training:
                module.training = True
        return output if return_dict_in_generate else output.sequences

    def _search_text(self, memory: Memory, writer, cells, batch, settings: BaselineSettings) -> BaselineGenerateOutput:
        """Searches the best text. cells [B, M]: the record of each entry of the memory, -1 for none."""
        vocab_size, record_ids = self.config.vocab_size, self.config.record_ids
        value_words = batch["value_words"][..., 0].flatten(1)
        walker = TextWalker(self.decoder, self.config, memory, writer, cells, value_words, settings)
        hypotheses = search(
            walker,
            len(cells),
            beams=settings.num_beams,
            keep=1,
            max_length=settings.max_new_tokens,
            length_penalty=settings.length_penalty,
            device=cells.device,
        )
        sequences = []
        for row, [text] in zip(cells, hypotheses, strict=True):
            copied = row[(text.ids - vocab_size).clamp(min=0)]
            sequences.append(torch.where(text.ids < vocab_size, text.ids, record_ids.encode_cell(copied)))
        return BaselineGenerateOutput(
            sequences=nn.utils.rnn.pad_sequence(sequences, True, self.config.pad_token_id),
            sequences_scores=torch.tensor([text.score for [text] in hypotheses], device=cells.device),
        )
