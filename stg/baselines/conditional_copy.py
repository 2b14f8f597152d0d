"""Conditional copy (Wiseman, Shieber and Rush, 2017): attends to all records and copies one of them or generates."""

import torch
from torch import nn
from transformers import GenerationMixin

from stg.baselines.configuration import ConditionalCopyConfig
from stg.baselines.copying import CopyDecoder, Memory
from stg.baselines.records import RecordVectors, mean, read_document
from stg.baselines.writing import BaselineGenerateOutput, BaselineOutput, BaselinePreTrainedModel, BaselineSettings


class ConditionalCopy(BaselinePreTrainedModel, GenerationMixin):
    config_class = ConditionalCopyConfig
    base_model_prefix = "conditional_copy"
    GENERATION = {"num_beams": 5, "length_penalty": 0.0, "max_new_tokens": 850}

    def __init__(self, config: ConditionalCopyConfig):
        super().__init__(config)
        self.records = RecordVectors(config)
        self.first = nn.Linear(config.hidden_size, 2 * config.num_lm_layers * config.hidden_size)
        self.decoder = CopyDecoder(config)
        self.post_init()

    def get_input_embeddings(self):
        return self.decoder.words

    def read(self, entity_ids, is_home, value_ids, record_mask) -> Memory:
        """The records, and an initial state from the mean over rows of the box score of the mean of their records."""
        records = self.records(entity_ids, is_home, value_ids)
        rows = mean(records.unflatten(1, record_mask.shape[1:]), record_mask, dim=2)  # [B, E, H]
        state = self.first(mean(rows, record_mask.any(2), dim=1))
        state = state.unflatten(1, (2, self.config.num_lm_layers, -1)).permute(1, 2, 0, 3)
        return Memory(records, record_mask.flatten(1), *state)

    def forward(
        self,
        entity_ids: torch.Tensor,  # [B, E]
        entity_mask: torch.Tensor,  # [B, E]: unused, a missing entity has no records
        is_home: torch.Tensor,  # [B, E]
        value_ids: torch.Tensor,  # [B, E, S]
        record_mask: torch.Tensor,  # [B, E, S]: cells that hold a value
        value_words: torch.Tensor,  # [B, E, S, 2]: word ids of the value in digits (or as text) and as a number word
        labels: torch.Tensor,  # [B, T], padded with -100
        has_word: torch.Tensor | None = None,  # unused, like the next three: no forms, no writers
        form_known: torch.Tensor | None = None,
        other_arenas: torch.Tensor | None = None,
        claims: torch.Tensor | None = None,
        period_results: torch.Tensor | None = None,
        writer_ids: torch.Tensor | None = None,
    ) -> BaselineOutput:
        memory = self.read(entity_ids, is_home, value_ids, record_mask)
        document = read_document(labels, value_words, self.config)
        losses, counts = self.decoder.losses(document, document.cell, memory, None)
        return BaselineOutput(loss=sum(losses.values()), losses=losses, counts=counts)

    def _write(self, batch, settings: BaselineSettings) -> BaselineGenerateOutput:
        memory = self.read(batch["entity_ids"], batch["is_home"], batch["value_ids"], batch["record_mask"])
        cells = torch.arange(memory.mask.shape[1], device=memory.mask.device).expand(memory.mask.shape)
        return self._search_text(memory, None, cells, batch, settings)
