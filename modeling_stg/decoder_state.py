"""The state of decoding and the parts of one step of Algorithm 1, for many documents at once.

What does not change over time is computed once per game. What changes only when an entity is mentioned (its key for
p(E_t), the input of GRU_E) or when h_Ent changes (its part of W_z, W_N and W_H) is kept beside the state, so that a
step that writes a word runs only the language model, the heads that read h_LM, and W_Y.

Rows are documents still being written; tensors are [rows, features]. The language model runs on all of them (see
`lm_decoder.py`), the tracker only on the few that state a record or end a sentence.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from .encoder import ENCODED
from .kernels import Gru, Product, attend, gru_gates
from .lm_decoder import LmDecoder
from .piece_decoder import PieceDecoder
from .tracker import teammates_of


class DecoderState:
    """The state of R rows. `game` [R] is the game a row describes, `document` [R] indexes its entities' memory."""

    def __init__(self, model: Any, inputs: Mapping[str, torch.Tensor], copies: int):
        """Starts `copies` documents for each game of the processor's batch."""
        config, tracker, language = model.config, model.tracker, model.language
        records, e_bar = model.encode(*(inputs[name] for name in ENCODED))
        self.games, self.entities, self.slots = inputs["record_mask"].shape
        self.record_rows, self.game_rows = config.record_rows, records.shape[1]
        by_writer = model.writer_context(inputs.get("writer_ids"), self.games)
        state = model.initial_state(e_bar, inputs["entity_mask"], by_writer)
        self.game = torch.arange(self.games, device=e_bar.device).repeat_interleave(copies)
        self.document = torch.arange(len(self.game), device=e_bar.device)
        self.record_mask = inputs["record_mask"]
        # An entity's slots are consecutive rows; the last player's may end before `slots`, hence the padding.
        self.records = nn.functional.pad(records.flatten(0, 1), (0, 0, 0, self.slots))  # indexed by `record_index`
        # indexed by `cell_index`
        self.has_word, self.value_words = inputs["has_word"].flatten(), inputs["value_words"].flatten(0, 2)
        zeros = torch.zeros_like(self.record_mask, dtype=e_bar.dtype)
        self.missing = zeros.masked_fill_(~self.record_mask, -torch.inf)  # added to the logits of A_t
        self.no_bias = e_bar.new_zeros(1, self.slots)
        if config.is_pretrained:
            context = language.from_entity(state.h_ent) + by_writer
            self.language: Any = PieceDecoder(model, inputs, self.game, context)
        else:
            self.language = LmDecoder(model, state.h_lm[:, self.game], state.c_lm[:, self.game])

        z_lm, z_ent = model.by_source(model.transition.weight)
        n_lm, n_ent = model.by_source(model.number.weight)
        a_lm, a_ent = model.by_source(model.attribute.weight)
        from_lm = torch.cat([z_lm, n_lm, self.language.reads, a_lm])  # Z, N, h'; the query for A
        self.from_lm = Product(from_lm)
        self.from_lm_sizes = 2 + len(self.language.reads), config.embedding_size
        from_ent = torch.cat([z_ent, n_ent, language.from_entity.weight])
        # What is read off h_Ent after it has changed: Z, N, h'; then an entity's `keys` and `gru_e_inputs`, see below.
        after_update = [from_ent, model.old_entity.weight.t(), model.old_entity.bias[None], tracker.from_memory.weight]
        bias = nn.functional.pad(tracker.from_memory.bias, (len(from_ent) + config.lm_size + 1, 0))
        self.after_update = Product(torch.cat(after_update), bias)
        self.after_update_sizes = len(from_ent), config.lm_size + 1, config.embedding_size
        self.teammates = model.teammates if config.use_teammates else None
        self.is_home = inputs["is_home"]
        self.attribute = Product(a_ent, model.attribute.bias)
        self.gru_e, self.gru_a = Gru(tracker.gru_e), Gru(tracker.gru_a)
        self.refresh_input = tracker.refresh[None]

        biases = torch.cat([model.transition.bias, model.number.bias, language.from_entity.bias])
        self.base = (biases + nn.functional.pad(by_writer, (2, 0)))[self.game]  # [R, 2 + C]
        self.h_ent, self.current = state.h_ent[self.game], state.entity[self.game]
        self.by_ent = self.base + self.h_ent @ from_ent.t()
        self.by_lm = torch.zeros_like(self.by_ent)  # what is read off h_LM, set by `transition_logits`
        self.number_weights = n_lm[0], n_ent[0]
        # Of every entity, [N * E, ...]: its key for p(E_t) with the key's bias last, and the input of GRU_E when it is
        # mentioned: e-bar W_New and e-bar before its first mention, h_s W_Old and W_S h_s from then on.
        key_bias = (e_bar @ model.new_entity.bias).masked_fill(~inputs["entity_mask"], -torch.inf)
        keys = torch.cat([e_bar @ model.new_entity.weight, key_bias.unsqueeze(2)], dim=2)
        self.keys, self.gru_e_inputs = keys[self.game].flatten(0, 1), e_bar[self.game].flatten(0, 1)

    def __len__(self) -> int:
        return len(self.game)

    def cell_index(self, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """The index [K] of a cell among those of all games."""
        return torch.add(slot, self._entity_index(rows, entity), alpha=self.slots)

    def record_index(self, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """The index [K] of a record's vector among those of all games."""
        first = torch.add(self.record_rows.first(entity), self.game.index_select(0, rows), alpha=self.game_rows)
        return first + slot

    def _entity_index(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """The index [K] of an entity among those of all games."""
        return torch.add(entity, self.game.index_select(0, rows), alpha=self.entities)

    def _memory_index(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """The index [K] of an entity among those of all documents."""
        return torch.add(entity, self.document.index_select(0, rows), alpha=self.entities)

    def value_word(self, cell: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        """The word [K] that a record is written as in a form [K]."""
        return self.value_words.flatten().index_select(0, torch.add(form, cell, alpha=2))

    def transition_logits(self) -> torch.Tensor:
        """Logits of Z_t, [R]; also computes h' for rows that will write a word."""
        self.by_lm, self.query = torch.split_with_sizes(self.from_lm(self.language.h_lm), self.from_lm_sizes, dim=1)
        return self.language.set_context(self.by_lm, self.by_ent)[:, 0]

    def h_lm(self, rows: torch.Tensor) -> torch.Tensor:
        """h_LM of the upper layer as the heads of `rows` read it, [K, H]."""
        return self.language.h_lm.index_select(0, rows)

    def entity_logits(self, rows: torch.Tensor, h_lm: torch.Tensor) -> torch.Tensor:
        """Logits of E_t, [K, E]."""
        keys = self.keys.unflatten(0, (-1, self.entities))
        scores = attend(h_lm, keys[:, :, :-1], keys[:, :, -1], self.document.index_select(0, rows))
        if self.teammates is None:
            return scores
        current, is_home = self.current.index_select(0, rows), self.is_home.index_select(0, self.game[rows])
        return scores + self.teammates(h_lm) * teammates_of(current.unsqueeze(1), is_home).squeeze(1)

    def h_ent_of(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """h_Ent' [K, H] for the entity [K] that each row chose: GRU_E where it is not the current one."""
        is_current = self.current.index_select(0, rows) == entity
        inputs = self.gru_e_inputs.index_select(0, self._memory_index(rows, entity))
        return self.gru_e(inputs, self.h_ent, rows, is_current)

    def h_ent_of_all(self) -> torch.Tensor:
        """h_Ent' for every row and entity, [R, E, H]: the product with h_Ent is the same for all entities."""
        h_ent = self.h_ent.unsqueeze(1)
        inputs = self.gru_e_inputs.unflatten(0, (-1, self.entities))[self.document].flatten(0, 1)
        inputs = self.gru_e.from_input(inputs).unflatten(0, (-1, self.entities))
        changed = gru_gates(inputs, self.gru_e.from_hidden(self.h_ent).unsqueeze(1), h_ent)
        is_current = torch.arange(self.entities, device=self.current.device) == self.current.unsqueeze(1)
        return torch.where(is_current.unsqueeze(2), h_ent, changed)

    def attribute_logits(self, rows: torch.Tensor, entity: torch.Tensor, h_ent: torch.Tensor) -> torch.Tensor:
        """Logits of A_t given h_Ent' [K, H], [K, S]; -inf for cells that are N/A."""
        query = self.query.index_select(0, rows) + self.attribute(h_ent)
        first, size = self.record_index(rows, entity, torch.zeros_like(entity)), self.records.shape[1]
        # Any `slots` consecutive rows are a group of keys; what follows a player's own slots is masked below.
        keys = self.records.as_strided((len(self.records) - self.slots, self.slots, size), (size, size, 1))
        scores = attend(query, keys, self.no_bias.expand(len(keys), -1), first)
        return scores + self.missing.flatten(0, 1).index_select(0, self._entity_index(rows, entity))

    def attribute_logits_of_all(self, h_ent: torch.Tensor, beams: int) -> torch.Tensor:
        """Logits of A_t for every row and entity given h_Ent' [R, E, H], [R, E, S]; a game's beams are adjacent."""
        by_ent = self.attribute(h_ent.flatten(0, 1)).unflatten(0, (-1, self.entities))
        query = (self.query.unsqueeze(1) + by_ent).unflatten(0, (-1, beams)).transpose(1, 2)
        first = self.record_rows.first(torch.arange(self.entities, device=query.device))
        row = first.unsqueeze(1) + torch.arange(self.slots, device=query.device)  # [E, S]
        row = row + self.game_rows * self.game[::beams, None, None]
        scores = query @ self.records[row].transpose(2, 3)  # [R / beams, E, beams, S]
        return scores.transpose(1, 2).flatten(0, 1) + self.missing[self.game]

    def number_logits_ahead(self, rows: torch.Tensor, record: torch.Tensor, h_ent: torch.Tensor) -> torch.Tensor:
        """Logits of N_t, [K], if `rows` were to state their record [K] given h_Ent' [K, H]."""
        w_lm, w_ent = self.number_weights
        after = self.gru_a(self.records[record], h_ent, torch.arange(len(rows), device=rows.device))
        return self.h_lm(rows) @ w_lm + after @ w_ent + self.base[rows, 1]

    def state_records(
        self,
        rows: torch.Tensor,
        entity: torch.Tensor,
        record: torch.Tensor,
        h_ent: torch.Tensor,
        periods: torch.Tensor,
    ) -> None:
        """GRU_A: `rows` [K] state the record [K] with this index, `periods` [P] are refreshed; either may be empty."""
        inputs, changed = self.records.index_select(0, record), rows
        if len(periods):
            inputs = torch.cat([inputs, self.refresh_input.expand(len(periods), -1)])
            changed = torch.cat([rows, periods])
        self.h_ent.index_copy_(0, rows, h_ent)
        h_ent = self.gru_a(inputs, self.h_ent, changed)
        by_ent, keys, gru_e_inputs = torch.split_with_sizes(self.after_update(h_ent), self.after_update_sizes, dim=1)
        self.h_ent.index_copy_(0, changed, h_ent)
        self.by_ent.index_copy_(0, changed, self.base.index_select(0, changed) + by_ent)
        if len(rows):
            memory = self._memory_index(rows, entity)
            self.current.index_copy_(0, rows, entity)
            self.keys.index_copy_(0, memory, keys[: len(rows)])
            self.gru_e_inputs.index_copy_(0, memory, gru_e_inputs[: len(rows)])

    def refresh(self, periods: torch.Tensor) -> None:
        """Updates the tracker at the end of a sentence, in a step where no row states a record."""
        nothing = periods[:0]
        self.state_records(nothing, nothing, nothing, self.h_ent[:0], periods)

    def number_logits(self, rows: torch.Tensor) -> torch.Tensor:
        """Logits of N_t, [K], after `state_records`; also computes h' for the records that `rows` state."""
        by_lm, by_ent = self.by_lm.index_select(0, rows), self.by_ent.index_select(0, rows)
        return self.language.set_context(by_lm, by_ent, rows)[:, 1]

    def word_logits(self) -> torch.Tensor:
        """Logits of Y_t, [R, V], valid until the next call."""
        return self.language.word_logits()

    def feed(self, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """Runs the language model on the words [R] that were written; `tokens` [R] are their sequence ids."""
        self.language.feed(words, tokens)

    def keep(self, rows: torch.Tensor) -> None:
        """Keeps only these rows; the memory of entities is not moved."""
        self.game, self.document, self.current = self.game[rows], self.document[rows], self.current[rows]
        self.h_ent, self.base, self.by_ent = self.h_ent[rows], self.base[rows], self.by_ent[rows]
        self.by_lm = self.by_lm[rows]
        self.language.keep(rows)

    def branch(self, rows: torch.Tensor) -> None:
        """Like `keep`, but a row may be kept several times (beams), each time with its own memory."""
        entities = torch.arange(self.entities, device=rows.device)
        memory = torch.add(entities, self.document[rows].unsqueeze(1), alpha=self.entities).flatten()
        self.keys, self.gru_e_inputs = self.keys[memory], self.gru_e_inputs[memory]
        self.keep(rows)
        self.document = torch.arange(len(rows), device=rows.device)

    def take_rows(self, other: "DecoderState", rows: torch.Tensor, into: torch.Tensor) -> None:
        """Copies `rows` of another state, which shares this one's memory of entities, to the rows `into`."""
        for name in ("current", "h_ent", "by_ent"):
            vars(self)[name].index_copy_(0, into, vars(other)[name].index_select(0, rows))
        self.language.take_rows(other.language, rows, into)
