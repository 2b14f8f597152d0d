"""`generate`: Algorithm 1 of the paper for a batch of games, with the options of `GenerationSettings`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from transformers import GenerationConfig
from transformers.generation.streamers import BaseStreamer
from transformers.utils import ModelOutput

from .beam_walker import write_by_beams
from .configuration_stg import StgConfig
from .consensus import Judge, write_by_consensus
from .constraint_list import build_constraints
from .decoder_state import DecoderState
from .errors import StgError
from .sampling import Sampler
from .sentence_search import SentenceJudge, write_by_sentences
from .settings import GenerationSettings, read_settings
from .token_step import write_token


REQUIRED_INPUTS = ("entity_ids", "entity_mask", "is_home", "value_ids", "record_mask", "has_word", "value_words")
OF_PIECES = ("surfaces", "value_surfaces")  # for a pretrained language model
INPUTS = (*REQUIRED_INPUTS, *OF_PIECES, "writer_ids", "required", "plan", "other_arenas", "claims", "period_results")
TRAINING_ONLY = ("labels", "form_known")


@dataclass
class StgGenerateOutput(ModelOutput):
    """Every decision, [N, T]; -1 where there was none, and False, -1 or 0 after the end.

    Log-probabilities are the model's own: before temperature, penalties and constraints.
    """

    sequences: torch.Tensor | None = None  # [N, T], padded after <EoD>
    z: torch.Tensor | None = None  # whether a record is stated
    entity: torch.Tensor | None = None  # its position among the game's entities
    attribute: torch.Tensor | None = None  # its slot
    as_word: torch.Tensor | None = None  # 1: as a number word, 0: in digits or as text, -1: no record
    log_probs: torch.Tensor | None = None  # the sum of the step's decisions
    # [N], beams only: log-probability after penalties / length ** length_penalty, which they are ranked by
    sequences_scores: torch.Tensor | None = None


def refuse_replaced_layers(layer: torch.nn.Module) -> None:
    """Raises if a tool has replaced the model's linear layers: scans and decoding read the weights themselves."""
    if not isinstance(layer, torch.nn.Linear):
        raise StgError(f"quantization: {type(layer).__name__} layers are not supported; use the model in float32")


class TrackedGeneration:
    """The `generate` of a model with a tracker (a mixin of `StgForDataToText`)."""

    config: StgConfig
    device: torch.device
    transition: torch.nn.Module

    def generate(
        self,
        inputs: None = None,
        generation_config: GenerationConfig | None = None,
        streamer: BaseStreamer | None = None,
        judge: Judge | SentenceJudge | None = None,
        **kwargs,
    ) -> torch.Tensor | StgGenerateOutput:
        """Writes one or more texts for each game of a batch.

        Args:
            inputs: not used; pass the processor's tensors by name.
            generation_config: options that differ from the model's own generation_config.
            streamer: receives the ids of each step, [N], then `end()`; not with beams or consensus.
            judge: with `sentence_candidates`, called with the `Candidate`s for the next sentences; returns a merit or
                None, which rejects, for each (`sentence_search.py`). With `consensus`, called with all sampled
                sequences [N, T] and the index of the game that each describes; returns a `Verdict` for each
                (`consensus.py`).
            kwargs: the processor's tensors, and options, which override `generation_config`: the fields of
                `GenerationSettings` and, as in transformers, min_length, max_length and return_dict_in_generate.

        Returns:
            Sequence ids [games * num_return_sequences, T], padded after <EoD>; with return_dict_in_generate=True an
            `StgGenerateOutput`.

        Example:
            >>> sequences = model.generate(**processor(games), num_beams=4, avoid_repeats=True)
            >>> texts = processor.batch_decode(sequences, games)
        """
        if inputs is not None:
            raise StgError("generate: give the processor's batch by name, as in generate(**processor(games))")
        refuse_replaced_layers(self.transition)
        settings, batch, return_dict = self._read_call(generation_config, kwargs)
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.inference_mode(), torch.autocast(self.device.type, enabled=False):
                output = self._generate(batch, settings, streamer, judge, return_dict)
        finally:
            for module in training:
                module.training = True
        # Copied, because tensors made in inference mode cannot be changed outside it.
        output = StgGenerateOutput(**{name: tensor.clone() for name, tensor in output.items()})
        if not return_dict:
            return output.sequences
        for name, decision in read_decisions(output.sequences, self.config).items():
            output[name] = decision
        return output

    def _generate(
        self, batch, settings: GenerationSettings, streamer, judge: Judge | SentenceJudge | None, with_log_probs: bool
    ) -> StgGenerateOutput:
        """Decodes sentence by sentence, by beams, by consensus, or token by token."""
        if judge is not None and not (settings.consensus or settings.sentence_candidates):
            raise StgError("judge: there is nothing to choose from; set sentence_candidates or consensus to 2 or more")
        if settings.rewrites and judge is None:
            raise StgError("rewrites: needs a judge; pass judge=..., or use `stg generate --check`")
        if settings.sentence_candidates:
            if streamer is not None:
                raise StgError("streamer: sentences are chosen, not streamed; use sentence_candidates=0")
            return StgGenerateOutput(**write_by_sentences(self, batch, settings, judge))
        if settings.num_beams > 1:
            if streamer is not None:
                raise StgError("streamer: beam search has no text before its end; use num_beams=1")
            return StgGenerateOutput(**write_by_beams(self, batch, settings))
        if settings.consensus:
            if streamer is not None:
                raise StgError("streamer: consensus has no text before its end; use consensus=0")
            samples = {"num_return_sequences": settings.consensus, "consensus": 0, "rewrites": 0}
            sampled = replace(settings, do_sample=True, **samples)

            def sample(part):
                return self._write(part, sampled, None, with_log_probs)

            return StgGenerateOutput(**write_by_consensus(sample, batch, settings, self.config, judge))
        return self._write(batch, settings, streamer, with_log_probs)

    def _read_call(
        self, generation_config: GenerationConfig | None, kwargs: dict
    ) -> tuple[GenerationSettings, dict[str, torch.Tensor], bool]:
        """The settings, the batch on the model's device, and return_dict_in_generate."""
        batch = {name: kwargs[name].to(self.device) for name in INPUTS if kwargs.get(name) is not None}
        needed = (*REQUIRED_INPUTS, *(OF_PIECES if self.config.is_pretrained else ()))
        missing = [name for name in needed if name not in batch]
        if missing:
            raise StgError(f"generate: {', '.join(missing)} missing; call generate(**processor(games))")
        options = {name: value for name, value in kwargs.items() if name not in (*TRAINING_ONLY, *INPUTS)}
        settings, return_dict = read_settings(self, generation_config, options)
        return settings, batch, return_dict

    def _write(
        self, batch: Mapping[str, torch.Tensor], settings: GenerationSettings, streamer, with_log_probs: bool
    ) -> StgGenerateOutput:
        """Decodes greedily or by sampling, one document per row, until all have ended."""
        config = self.config
        state = DecoderState(self, batch, settings.num_return_sequences)
        documents, device = len(state), state.game.device
        sampler, constraints = Sampler(settings), build_constraints(settings, config, batch, state.game)
        sequences = torch.full((settings.max_new_tokens, documents), config.pad_token_id, device=device)
        log_probs = torch.zeros(settings.max_new_tokens, documents, device=device) if with_log_probs else None
        time = 0
        while time < settings.max_new_tokens and len(state):
            rows = state.document
            tokens, step_log_probs, some_end = write_token(state, sampler, constraints, time, with_log_probs)
            sequences[time].index_copy_(0, rows, tokens)
            if with_log_probs:
                log_probs[time].index_copy_(0, rows, step_log_probs.to(log_probs.dtype))
            if streamer is not None:
                streamer.put(sequences[time].cpu())
            time += 1
            if some_end:
                state.keep((tokens != config.eos_token_id).nonzero().squeeze(1))
        if streamer is not None:
            streamer.end()
        output = StgGenerateOutput(sequences=sequences[:time].t())
        if with_log_probs:
            output.log_probs = log_probs[:time].t()
        return output


def read_decisions(sequences: torch.Tensor, config: StgConfig) -> dict[str, torch.Tensor]:
    """Z, E, A and N of every step, decoded from the ids."""
    z = sequences >= config.vocab_size
    entity, slot, form = config.record_ids.decode(sequences)
    decisions = {"entity": entity, "attribute": slot, "as_word": form}
    return {"z": z, **{name: torch.where(z, decision, -1) for name, decision in decisions.items()}}
