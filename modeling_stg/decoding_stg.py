"""The state of decoding and the pieces of one step of Algorithm 1, for many documents at once.

What does not change with time is taken once per game. What changes only when an entity is mentioned (its key for
p(E_t), what GRU_E reads of it) or when the tracker moves (its part of W_z, W_N and W_H) is kept beside the state, so
that a step which writes a word touches nothing but the language model and W_Y.

Rows are documents that are still being written. The language model takes all of them, [features, rows] (see
`stepping_stg.py`); the tracker only the few that state a record or end a sentence, [rows, features].
"""

import torch
from torch import nn

from .stepping_stg import LanguageSteps


class Decoding:
    """`game` [R] says which game a row describes, `place` [R] where its entities' memory lies."""

    def __init__(self, model: nn.Module, inputs: dict[str, torch.Tensor], copies: int):
        config, tracker, language = model.config, model.tracker, model.language
        self.hidden = config.hidden_size
        records, e_bar = model.encode(inputs["entity_ids"], inputs["is_home"], inputs["value_ids"])
        self.games, self.entities, self.slots, _ = records.shape
        by_writer = model.writer_context(inputs.get("writer_ids"), self.games)
        state = model.start(e_bar, inputs["entity_mask"], by_writer)
        self.game = torch.arange(self.games, device=e_bar.device).repeat_interleave(copies)
        self.place = torch.arange(len(self.game), device=e_bar.device)
        self.record_mask = inputs["record_mask"]
        self.records = records.flatten(0, 2)  # by the number of their cell, see `cell`
        self.has_word, self.value_words = inputs["has_word"].flatten(), inputs["value_words"].flatten(0, 2)
        self.never = torch.zeros_like(self.record_mask, dtype=e_bar.dtype).masked_fill_(~self.record_mask, -torch.inf)
        self.language = LanguageSteps(model, state.h_lm[:, self.game], state.c_lm[:, self.game])

        # Every product of the tracker is [rows, in] @ [in, out]: for few rows the fastest with `out` side by side.
        z_lm, z_ent = model.transition.weight.chunk(2, dim=1)
        n_lm, n_ent = model.number.weight.chunk(2, dim=1)
        self.from_lm = torch.cat([z_lm, n_lm, language.from_lm.weight])  # Z, N, h'
        self.from_ent = torch.cat([z_ent, n_ent, language.from_entity.weight])
        # What is read off h_Ent after it has moved: Z, N, h'; then what is kept of an entity, see `memory`.
        after_move = [
            self.from_ent,
            model.old_entity.weight.t(),
            model.old_entity.bias[None],
            tracker.from_memory.weight,
        ]
        self.after_move = self._turned(torch.cat(after_move))
        self.after_move_bias = nn.functional.pad(tracker.from_memory.bias, (len(self.from_ent) + self.hidden + 1, 0))
        self.attribute = self._turned(model.attribute.weight), model.attribute.bias
        self.gru_e, self.gru_a = self._turned_gru(tracker.gru_e), self._turned_gru(tracker.gru_a)
        self.by_refresh = torch.addmm(tracker.gru_a.bias_ih, tracker.refresh[None], self.gru_a[0])

        biases = torch.cat([model.transition.bias, model.number.bias, language.from_entity.bias])
        self.base = (biases + nn.functional.pad(by_writer, (2, 0)))[self.game].t().contiguous()  # [2 + C, R]
        self.h_ent, self.current = state.h_ent[self.game], state.entity[self.game]
        self.by_ent = torch.addmm(self.base, self.from_ent, self.h_ent.t())
        self._hold(torch.empty_like(self.by_ent))
        # [N, E, H + 1 + D], of every entity: its key for p(E_t), the key's bias, what GRU_E reads when it is entered.
        # That is e-bar W_New and e-bar until it is mentioned, h_s W_Old and W_S h_s from then on.
        key_bias = (e_bar @ model.new_entity.bias).masked_fill(~inputs["entity_mask"], -torch.inf)
        memory = [e_bar @ model.new_entity.weight, key_bias.unsqueeze(2), e_bar]
        self.memory = torch.cat(memory, dim=2)[self.game]

    def _hold(self, by_lm: torch.Tensor) -> None:
        """by_lm [2 + C, R]: what Z, N and h' read of h_LM; cuts the views that a step needs, as `LanguageSteps`."""
        self.by_lm, self.seen = by_lm, torch.empty_like(by_lm)
        self.z, self.inside = self.seen[0], self.seen[2:]

    def _turned(self, weight: torch.Tensor) -> torch.Tensor:
        """[out, in] as [in, out]: copied, unless a single row is written, which reads both equally fast."""
        return weight.t() if len(self) == 1 else weight.t().contiguous()

    def _turned_gru(self, cell: nn.GRUCell) -> tuple[torch.Tensor, ...]:
        return self._turned(cell.weight_ih), cell.bias_ih, self._turned(cell.weight_hh), cell.bias_hh

    def __len__(self) -> int:
        return len(self.game)

    def cell(self, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """The number of a cell among those of all games, [K]."""
        return torch.add(slot, self._entity(rows, entity), alpha=self.slots)

    def _entity(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """The number of an entity among those of all games, [K]."""
        return torch.add(entity, self.game.index_select(0, rows), alpha=self.entities)

    def value(self, cell: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        """The word that a record is written as, [K], in its form [K]."""
        return self.value_words.flatten().index_select(0, torch.add(form, cell, alpha=2))

    def look(self) -> torch.Tensor:
        """Logits of Z_t, [R]; leaves h' as it is for rows that will write a word."""
        torch.mm(self.from_lm, self.language.h_lm, out=self.by_lm)
        torch.add(self.by_lm, self.by_ent, out=self.seen)
        torch.tanh(self.inside, out=self.language.context)
        return self.z

    def h_lm(self, rows: torch.Tensor) -> torch.Tensor:
        """h_LM of the upper layer as the heads of `rows` read it, [K, H]."""
        return self.language.h_lm.t().index_select(0, rows)

    def entity_scores(self, rows: torch.Tensor, h_lm: torch.Tensor) -> torch.Tensor:
        """Logits of E_t, [K, E]."""
        memory = self.memory.index_select(0, self.place.index_select(0, rows))
        keys, biases, _ = memory.tensor_split((self.hidden, self.hidden + 1), dim=2)
        return torch.baddbmm(biases, keys, h_lm.unsqueeze(2)).squeeze(2)

    def _where(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """Where the memory of an entity of each row lies among all, [K]."""
        return torch.add(entity, self.place.index_select(0, rows), alpha=self.entities)

    def enter(self, rows: torch.Tensor, entity: torch.Tensor) -> torch.Tensor:
        """h_Ent' [K, H] for the entity [K] that each row chose: GRU_E where it is not the current one."""
        h_ent, stays = self.h_ent.index_select(0, rows), self.current.index_select(0, rows) == entity
        if stays.all():
            return h_ent
        read = self.memory.flatten(0, 1).index_select(0, self._where(rows, entity))[:, self.hidden + 1 :]
        return torch.where(stays.unsqueeze(1), h_ent, gru(self.gru_e, read, h_ent))

    def enter_all(self) -> torch.Tensor:
        """h_Ent' for every row and every entity, [R, E, H]: the product with h_Ent is the same for all entities."""
        w_ih, b_ih, w_hh, b_hh = self.gru_e
        h_ent = self.h_ent.unsqueeze(1)
        inputs = self.memory[self.place, :, self.hidden + 1 :] @ w_ih + b_ih
        entered = gru_gates(inputs, torch.addmm(b_hh, self.h_ent, w_hh).unsqueeze(1), h_ent)
        is_current = torch.arange(self.entities, device=self.current.device) == self.current.unsqueeze(1)
        return torch.where(is_current.unsqueeze(2), h_ent, entered)

    def attribute_scores(self, rows, h_lm, entity: torch.Tensor, entered: torch.Tensor) -> torch.Tensor:
        """Logits of A_t, [K, S]; cells that are N/A cannot be chosen."""
        weight, bias = self.attribute
        query = torch.addmm(bias, torch.cat([h_lm, entered], dim=1), weight)
        entities = self._entity(rows, entity)
        never = self.never.flatten(0, 1).index_select(0, entities).unsqueeze(2)
        records = self.records.unflatten(0, (-1, self.slots)).index_select(0, entities)
        return torch.baddbmm(never, records, query.unsqueeze(2)).squeeze(2)

    def attribute_scores_all(self, entered: torch.Tensor) -> torch.Tensor:
        """Logits of A_t for every row and every entity, [R, E, S]."""
        weight, bias = self.attribute
        by_lm = torch.addmm(bias, self.language.h_lm.t(), weight[: self.hidden])
        query = by_lm.unsqueeze(1) + entered @ weight[self.hidden :]
        records = self.records.view(self.games, self.entities, self.slots, -1)[self.game]
        return (records @ query.unsqueeze(3)).squeeze(3) + self.never[self.game]

    def number_scores(self, rows, cell, entered) -> torch.Tensor:
        """Logits of N_t, [K], without moving: h_Ent as it would be after this record."""
        h_ent = gru(self.gru_a, self.records[cell], entered)
        return self.h_lm(rows) @ self.from_lm[1] + h_ent @ self.from_ent[1] + self.base[1, rows]

    def move(self, rows, entity, cell, entered, periods) -> None:
        """GRU_A: `rows` [K] state the record in their cell [K], `periods` [P] are refreshed; either may be empty."""
        w_ih, b_ih, w_hh, b_hh = self.gru_a
        inputs, before, moved = torch.addmm(b_ih, self.records.index_select(0, cell), w_ih), entered, rows
        if len(periods):
            inputs = torch.cat([inputs, self.by_refresh.expand(len(periods), -1)])
            before = torch.cat([entered, self.h_ent.index_select(0, periods)])
            moved = torch.cat([rows, periods])
        h_ent = gru_gates(inputs, torch.addmm(b_hh, before, w_hh), before)
        after = torch.addmm(self.after_move_bias, h_ent, self.after_move)
        by_ent, memory = after.tensor_split((len(self.from_ent),), dim=1)
        self.h_ent.index_copy_(0, moved, h_ent)
        self.by_ent.index_copy_(1, moved, self.base.index_select(1, moved) + by_ent.t())
        self.current.index_copy_(0, rows, entity)
        self.memory.flatten(0, 1).index_copy_(0, self._where(rows, entity), memory[: len(rows)])

    def refresh(self, periods: torch.Tensor) -> None:
        """`move` where no record is stated."""
        nothing = periods[:0]
        self.move(nothing, nothing, nothing, self.h_ent[:0], periods)

    def look_again(self, rows: torch.Tensor) -> torch.Tensor:
        """After `move`: h' for the record that `rows` state; returns the logits of N_t, [K]."""
        seen = self.by_lm.index_select(1, rows) + self.by_ent.index_select(1, rows)
        self.language.context.index_copy_(1, rows, seen[2:].tanh())
        return seen[1]

    def word_scores(self) -> torch.Tensor:
        """Logits of Y_t, [R, V]."""
        return self.language.word_scores()

    def write(self, words: torch.Tensor) -> None:
        """The language model reads what was written, words [R]."""
        self.language.write(words)

    def keep(self, rows: torch.Tensor) -> None:
        """Only these rows go on; their entities' memory stays where it lies."""
        self.game, self.place, self.current = self.game[rows], self.place[rows], self.current[rows]
        self.h_ent = self.h_ent[rows]
        self.base, self.by_ent = self.base[:, rows], self.by_ent[:, rows]
        self._hold(self.by_lm[:, rows])
        self.language.keep(rows)

    def branch(self, rows: torch.Tensor) -> None:
        """As `keep`, where a row may go on several times (beams): each gets a memory of its own."""
        self.memory = self.memory[self.place[rows]]
        self.keep(rows)
        self.place = torch.arange(len(rows), device=rows.device)


def gru(cell: tuple[torch.Tensor, ...], inputs: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """One GRU step: inputs [K, I], h [K, H]."""
    w_ih, b_ih, w_hh, b_hh = cell
    return gru_gates(torch.addmm(b_ih, inputs, w_ih), torch.addmm(b_hh, h, w_hh), h)


def gru_gates(from_input: torch.Tensor, from_h: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    size = h.shape[-1]
    reset, update = (from_input[..., : 2 * size] + from_h[..., : 2 * size]).sigmoid_().split(size, dim=-1)
    new = torch.addcmul(from_input[..., 2 * size :], reset, from_h[..., 2 * size :]).tanh_()
    return torch.lerp(new, h, update)
