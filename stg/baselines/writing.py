"""`generate` of the neural baselines, and what else they share as transformers models."""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn.functional import logsigmoid
from transformers import GenerationConfig, PreTrainedModel
from transformers import initialization as init
from transformers.utils import ModelOutput

from modeling_stg.choosing import IDS, MOST, asked_by
from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from stg.baselines.copying import CopyDecoder, Memory
from stg.baselines.searching import NEVER, Found, Limits, search


INPUTS = ("entity_ids", "entity_mask", "is_home", "value_ids", "record_mask", "value_words")
MOST_PLANNED = 2000  # records; beyond this a typing mistake is likelier than a wish
UNREAD = ("has_word", "labels", "form_known", "other_arenas")  # of the processor's tensors


@dataclass
class BaselineOutput(ModelOutput):
    """`loss` is the negative log-likelihood summed over the batch; `losses` its parts and `counts` their decisions."""

    loss: torch.Tensor | None = None
    losses: dict[str, torch.Tensor] | None = None
    counts: dict[str, torch.Tensor] | None = None


@dataclass
class BaselineGenerateOutput(ModelOutput):
    sequences: torch.Tensor | None = None  # [B, T], padded after <EoD>
    sequences_scores: torch.Tensor | None = None  # [B]: see `searching.py`
    plan: torch.Tensor | None = None  # [B, K]: the ids of the planned records, padded; for models that plan


@dataclass
class GenerateSettings:
    """Plan lengths are in records and hold for models that plan."""

    num_beams: int = 5
    length_penalty: float = 0.0
    min_new_tokens: int = 0
    max_new_tokens: int = 850
    min_plan_length: int = 35
    max_plan_length: int = 80

    def check(self) -> "GenerateSettings":
        for name, value in asdict(self).items():
            kind = (int, float) if name == "length_penalty" else int
            if isinstance(value, bool) or not isinstance(value, kind):
                raise StgError(f"{name}: {value!r} is not a number for it")
        for name in ("num_beams", "max_new_tokens", "max_plan_length"):
            if asdict(self)[name] < 1:
                raise StgError(f"{name}: {asdict(self)[name]} is too small; it must be at least 1")
        for name, most in (MOST | {"max_plan_length": MOST_PLANNED}).items():
            if asdict(self).get(name, 0) > most:
                raise StgError(f"{name}: {asdict(self)[name]} is above {most}")
        if not abs(self.length_penalty) <= 10:
            raise StgError(f"length_penalty: {self.length_penalty} is not between -10 and 10")
        for what in ("new_tokens", "plan_length"):
            least, most = asdict(self)[f"min_{what}"], asdict(self)[f"max_{what}"]
            if not 0 <= least <= most:
                raise StgError(f"min_{what}: {least} is not between 0 and max_{what} {most}")
        return self


class TextWalker:
    """The text of each game, word by word. Choices: the words, then the entries of the memory."""

    def __init__(
        self, decoder: CopyDecoder, config: StgConfig, memory: Memory, writer, cells, value_words, beams: int
    ):
        """cells [G, M]: the record of each entry of the memory, -1 for none; value_words [G, cells]."""
        self.decoder, self.vocab_size, self.end = decoder, config.vocab_size, config.eos_token_id
        self.never = torch.tensor([config.pad_token_id, config.unk_token_id, config.bos_token_id], device=cells.device)
        self.vectors, self.unavailable = memory.vectors, memory.unavailable
        self.words = value_words.gather(1, cells.clamp(min=0))  # [G, M]
        self.cannot = (~memory.mask | (cells < 0)).unsqueeze(1)  # [G, 1, M]: be copied
        self.h = [h.repeat_interleave(beams, 0) for h in memory.h]
        self.c = [c.repeat_interleave(beams, 0) for c in memory.c]
        self.writer = None if writer is None else writer.repeat_interleave(beams, 0)
        self.fed = torch.zeros_like(self.h[0])
        self.before = torch.full((len(self.fed),), config.bos_token_id, device=cells.device)

    def scores(self) -> torch.Tensor:
        inputs = self.decoder.inputs(self.before, self.writer)
        self.fed, attention, self.h, self.c = self.decoder.step(
            inputs, self.fed, self.h, self.c, self.vectors, self.unavailable
        )
        z = self.decoder.switch(self.fed)
        words = self.decoder.output(self.fed).log_softmax(1).index_fill_(1, self.never, NEVER)
        copies = attention.log_softmax(1).unflatten(0, (len(self.vectors), -1)).masked_fill(self.cannot, NEVER)
        return torch.cat([words + logsigmoid(-z), copies.flatten(0, 1) + logsigmoid(z)], dim=1)

    def advance(self, games, parents, choices) -> None:
        if len(games) < len(self.vectors):
            self.vectors, self.unavailable = self.vectors[games], self.unavailable[games]
            self.words, self.cannot = self.words[games], self.cannot[games]
        self.h, self.c = [h[parents] for h in self.h], [c[parents] for c in self.c]
        self.fed = self.fed[parents]
        self.writer = None if self.writer is None else self.writer[parents]
        copies = (choices - self.vocab_size).clamp(min=0).view(len(games), -1)
        copied = self.words.gather(1, copies).flatten()
        self.before = torch.where(choices < self.vocab_size, choices, copied)


class BaselinePreTrainedModel(PreTrainedModel):
    """A baseline says in `_write` how a batch is written about, and in `GENERATION` how its authors decoded."""

    main_input_name = "entity_ids"
    GENERATION: dict[str, int | float] = {}
    OPTIONS: tuple[str, ...] = ("num_beams", "length_penalty", "min_new_tokens", "max_new_tokens")

    def __init__(self, config: StgConfig):
        super().__init__(config)
        ids = {name: vars(config)[name] for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
        self.generation_config = GenerationConfig(**ids, **self.GENERATION)

    @torch.no_grad()
    def _init_weights(self, module: nn.Module):
        """OpenNMT's and Wiseman et al.'s, for every parameter."""
        for parameter in module.parameters(recurse=False):
            init.uniform_(parameter, -0.1, 0.1)

    def generate(
        self, inputs=None, generation_config=None, return_dict_in_generate: bool = False, **kwargs
    ) -> torch.Tensor | BaselineGenerateOutput:
        """Writes a text for each game of a batch of the processor.

        kwargs are the processor's tensors and any of `OPTIONS`, which override `generation_config` (the model's own,
        if none is given). Returns ids [B, T], padded after <EoD>, or a `BaselineGenerateOutput`.
        """
        if inputs is not None:
            raise StgError("generate: give the processor's batch by name, as in generate(**processor(games))")
        missing = [name for name in INPUTS if name not in kwargs]
        if missing:
            raise StgError(f"generate: {', '.join(missing)} missing; call generate(**processor(games))")
        batch = {name: kwargs.pop(name) for name in (*INPUTS, "writer_ids") if kwargs.get(name) is not None}
        batch = {name: tensor.to(self.device) for name, tensor in batch.items()}
        asked = {name: value for name, value in kwargs.items() if name not in (*UNREAD, "writer_ids")}
        odd = [name for name in asked_by(generation_config) | asked if name not in (*self.OPTIONS, *IDS)]
        if odd:
            raise StgError(f"generate: {', '.join(odd)} not known; it takes {', '.join(self.OPTIONS)}")
        usual = vars(generation_config or self.generation_config)
        usual = {name: usual[name] for name in self.OPTIONS if usual.get(name) is not None}
        settings = GenerateSettings(**(self.GENERATION | usual | asked)).check()
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.no_grad(), torch.autocast(self.device.type, enabled=False):
                output = self._write(batch, settings)
        finally:
            for module in training:
                module.training = True
        return output if return_dict_in_generate else output.sequences

    def _search_text(self, memory: Memory, writer, cells, batch, settings: GenerateSettings) -> BaselineGenerateOutput:
        """cells [B, M]: the record of each entry of the memory, -1 for none."""
        vocab_size, beams = self.config.vocab_size, settings.num_beams
        value_words = batch["value_words"][..., 0].flatten(1)
        walker = TextWalker(self.decoder, self.config, memory, writer, cells, value_words, beams)
        # min_new_tokens words come before <EoD>, which is within max_new_tokens
        limits = Limits(beams, settings.min_new_tokens + 1, settings.max_new_tokens, settings.length_penalty)
        found = search(walker, len(cells), limits, cells.device)
        ids = []
        for row, text in zip(cells, found, strict=True):
            copied = row[(text.choices - vocab_size).clamp(min=0)]
            ids.append(torch.where(text.choices < vocab_size, text.choices, vocab_size + 2 * copied))
        return BaselineGenerateOutput(
            sequences=nn.utils.rnn.pad_sequence(ids, True, self.config.pad_token_id),
            sequences_scores=scores_of(found).to(cells.device),
        )


def scores_of(found: list[Found]) -> torch.Tensor:
    return torch.tensor([text.score for text in found])
