"""The state of decoding and the pieces of one step of Algorithm 1, for many documents at once.

What does not change with time is taken once per game. What changes only when an entity is mentioned (its key for
p(E_t), what GRU_E reads of it) or when the tracker moves (its part of W_z, W_N and W_H) is kept beside the state, so
that a step which writes a word touches nothing but the language model, what reads its h_LM, and W_Y.

Rows are documents that are still being written, everything is [rows, features]. The language model takes all of them
(see `language_steps.py`); the tracker only the few that state a record or end a sentence.
"""

import torch
from torch import nn

from .kernels import Gru, Product, attend, gru_gates
from .language_steps import LanguageSteps
from .tracker import teammates_of


class Decoding:
    """`game` [R] says which game a row describes, `place` [R] where its entities' memory lies."""

    def __init__(self, model: nn.Module, inputs: dict[str, torch.Tensor], copies: int):
        config, tracker, language = model.config, model.tracker, model.language
        self.hidden = config.hidden_size
        records, e_bar = model.encode(inputs["entity_ids"], inputs["is_home"], inputs["value_ids"])
        self.games, self.entities, self.slots, _ = records.shape
        by_writer = model.writer_context(inputs.get("writer_ids"), self.games)
        state = model.initial_state(e_bar, inputs["entity_mask"], by_writer)
        self.game = torch.arange(self.games, device=e_bar.device).repeat_interleave(copies)
        self.place = torch.arange(len(self.game), device=e_bar.device)
        self.record_mask = inputs["record_mask"]
        self.records = records.flatten(0, 2)  # by the number of their cell, see `cell`
        self.has_word, self.value_words = inputs["has_word"].flatten(), inputs["value_words"].flatten(0, 2)
        self.never = torch.zeros_like(self.record_mask, dtype=e_bar.dtype).masked_fill_(~self.record_mask, -torch.inf)
        self.language = LanguageSteps(model, state.h_lm[:, self.game], state.c_lm[:, self.game])

        z_lm, z_ent = model.transition.weight.chunk(2, dim=1)
        n_lm, n_ent = model.number.weight.chunk(2, dim=1)
        a_lm, a_ent = model.attribute.weight.chunk(2, dim=1)
        from_lm = torch.cat([z_lm, n_lm, language.from_lm.weight, a_lm])  # Z, N, h'; the query for A
        self.from_lm = Product(from_lm)
        self.from_lm_parts = 2 + config.context_size, config.embedding_size
        from_ent = torch.cat([z_ent, n_ent, language.from_entity.weight])
        # What is read off h_Ent after it has moved: Z, N, h'; then an entity's `keys` and `entering`, see below.
        after_move = [from_ent, model.old_entity.weight.t(), model.old_entity.bias[None], tracker.from_memory.weight]
        bias = nn.functional.pad(tracker.from_memory.bias, (len(from_ent) + self.hidden + 1, 0))
        self.after_move = Product(torch.cat(after_move), bias)
        self.after_move_parts = len(from_ent), self.hidden + 1, config.embedding_size
        self.teammates = model.teammates if config.use_teammates else None
        self.is_home = inputs["is_home"]
        self.attribute = Product(a_ent, model.attribute.bias)
        self.gru_e, self.gru_a = Gru(tracker.gru_e), Gru(tracker.gru_a)
        self.refreshing = tracker.refresh[None]

        biases = torch.cat([model.transition.bias, model.number.bias, language.from_entity.bias])
        self.base = (biases + nn.functional.pad(by_writer, (2, 0)))[self.game]  # [R, 2 + C]
        self.h_ent, self.current = state.h_ent[self.game], state.entity[self.game]
        self.by_ent = self.base + self.h_ent @ from_ent.t()
        self.by_n = n_lm[0], n_ent[0]
        # Of every entity, [N * E, ...]: its key for p(E_t) with the key's bias last, and what GRU_E reads when it is
        # entered. That is e-bar W_New and e-bar until it is mentioned, h_s W_Old and W_S h_s from then on.
        key_bias = (e_bar @ model.new_entity.bias).masked_fill(~inputs["entity_mask"], -torch.inf)
        keys = torch.cat([e_bar @ model.new_entity.weight, key_bias.unsqueeze(2)], dim=2)
        self.keys, self.entering = keys[self.game].flatten(0, 1), e_bar[self.game].flatten(0, 1)

    def __len__(self) -> int:
        return len(self.game)

    def cell(self, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """The number of a cell among those of all games, [K]."""
        return torch.add(slot, self._entity(rows, entity), alpha=self.slots)

    def _entity(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """The number of an entity among those of all games, [K]."""
        return torch.add(entity, self.game.index_select(0, rows), alpha=self.entities)

    def _where(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """Where the memory of an entity of each row lies among all, [K]."""
        return torch.add(entity, self.place.index_select(0, rows), alpha=self.entities)

    def value(self, cell: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        """The word that a record is written as, [K], in its form [K]."""
        return self.value_words.flatten().index_select(0, torch.add(form, cell, alpha=2))

    def look(self) -> torch.Tensor:
        """Logits of Z_t, [R]; leaves h' as it is for rows that will write a word."""
        self.by_lm, self.query = torch.split_with_sizes(self.from_lm(self.language.h_lm), self.from_lm_parts, dim=1)
        seen = self.by_lm + self.by_ent
        torch.tanh(seen[:, 2:], out=self.language.context)
        return seen[:, 0]

    def h_lm(self, rows: torch.Tensor) -> torch.Tensor:
        """h_LM of the upper layer as the heads of `rows` read it, [K, H]."""
        return self.language.h_lm.index_select(0, rows)

    def entity_scores(self, rows: torch.Tensor, h_lm: torch.Tensor) -> torch.Tensor:
        """Logits of E_t, [K, E]."""
        keys = self.keys.unflatten(0, (-1, self.entities))
        scores = attend(h_lm, keys[:, :, :-1], keys[:, :, -1], self.place.index_select(0, rows))
        if self.teammates is None:
            return scores
        current, is_home = self.current.index_select(0, rows), self.is_home.index_select(0, self.game[rows])
        return scores + self.teammates(h_lm) * teammates_of(current.unsqueeze(1), is_home).squeeze(1)

    def enter(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """h_Ent' [K, H] for the entity [K] that each row chose: GRU_E where it is not the current one."""
        stays = self.current.index_select(0, rows) == entity
        return self.gru_e(self.entering.index_select(0, self._where(rows, entity)), self.h_ent, rows, stays)

    def enter_all(self) -> torch.Tensor:
        """h_Ent' for every row and every entity, [R, E, H]: the product with h_Ent is the same for all entities."""
        h_ent = self.h_ent.unsqueeze(1)
        inputs = self.entering.unflatten(0, (-1, self.entities))[self.place].flatten(0, 1)
        inputs = self.gru_e.read(inputs).unflatten(0, (-1, self.entities))
        entered = gru_gates(inputs, self.gru_e.recall(self.h_ent).unsqueeze(1), h_ent)
        is_current = torch.arange(self.entities, device=self.current.device) == self.current.unsqueeze(1)
        return torch.where(is_current.unsqueeze(2), h_ent, entered)

    def attribute_scores(self, rows, entity: torch.Tensor, entered: torch.Tensor) -> torch.Tensor:
        """Logits of A_t, [K, S]; cells that are N/A cannot be chosen."""
        query = self.query.index_select(0, rows) + self.attribute(entered)
        records = self.records.unflatten(0, (-1, self.slots))
        return attend(query, records, self.never.flatten(0, 1), self._entity(rows, entity))

    def attribute_scores_all(self, entered: torch.Tensor, beams: int) -> torch.Tensor:
        """Logits of A_t for every row and every entity, [R, E, S]; the `beams` of a game lie side by side."""
        by_ent = self.attribute(entered.flatten(0, 1)).unflatten(0, (-1, self.entities))
        query = (self.query.unsqueeze(1) + by_ent).unflatten(0, (-1, beams)).transpose(1, 2)
        records = self.records.view(self.games, self.entities, self.slots, -1)[self.game[::beams]]
        scores = query @ records.transpose(2, 3)  # [R / beams, E, beams, S]
        return scores.transpose(1, 2).flatten(0, 1) + self.never[self.game]

    def number_scores(self, rows, cell, entered) -> torch.Tensor:
        """Logits of N_t, [K], without moving: h_Ent as it would be after this record."""
        n_lm, n_ent = self.by_n
        left = self.gru_a(self.records[cell], entered, torch.arange(len(rows), device=rows.device))
        return self.h_lm(rows) @ n_lm + left @ n_ent + self.base[rows, 1]

    def move(self, rows, entity, cell, entered, periods) -> None:
        """GRU_A: `rows` [K] state the record in their cell [K], `periods` [P] are refreshed; either may be empty."""
        read, moved = self.records.index_select(0, cell), rows
        if len(periods):
            read, moved = torch.cat([read, self.refreshing.expand(len(periods), -1)]), torch.cat([rows, periods])
        self.h_ent.index_copy_(0, rows, entered)
        h_ent = self.gru_a(read, self.h_ent, moved)
        by_ent, keys, entering = torch.split_with_sizes(self.after_move(h_ent), self.after_move_parts, dim=1)
        self.h_ent.index_copy_(0, moved, h_ent)
        self.by_ent.index_copy_(0, moved, self.base.index_select(0, moved) + by_ent)
        if len(rows):
            where = self._where(rows, entity)
            self.current.index_copy_(0, rows, entity)
            self.keys.index_copy_(0, where, keys[: len(rows)])
            self.entering.index_copy_(0, where, entering[: len(rows)])

    def refresh(self, periods: torch.Tensor) -> None:
        """`move` where no record is stated."""
        nothing = periods[:0]
        self.move(nothing, nothing, nothing, self.h_ent[:0], periods)

    def look_again(self, rows: torch.Tensor) -> torch.Tensor:
        """After `move`: h' for the record that `rows` state; returns the logits of N_t, [K]."""
        seen = self.by_lm.index_select(0, rows) + self.by_ent.index_select(0, rows)
        self.language.context.index_copy_(0, rows, seen[:, 2:].tanh())
        return seen[:, 1]

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V]."""
        return self.language.word_scores()

    def write(self, words: torch.Tensor) -> None:
        """The language model reads what was written, words [R]."""
        self.language.write(words)

    def keep(self, rows: torch.Tensor) -> None:
        """Only these rows go on; their entities' memory stays where it lies."""
        self.game, self.place, self.current = self.game[rows], self.place[rows], self.current[rows]
        self.h_ent, self.base, self.by_ent = self.h_ent[rows], self.base[rows], self.by_ent[rows]
        self.by_lm = self.by_lm[rows]
        self.language.keep(rows)

    def branch(self, rows: torch.Tensor) -> None:
        """As `keep`, where a row may go on several times (beams): each gets a memory of its own."""
        entities = torch.arange(self.entities, device=rows.device)
        memory = torch.add(entities, self.place[rows].unsqueeze(1), alpha=self.entities).flatten()
        self.keys, self.entering = self.keys[memory], self.entering[memory]
        self.keep(rows)
        self.place = torch.arange(len(rows), device=rows.device)
