"""The state of decoding and the pieces of one step of Algorithm 1, for many documents at once.

What does not change with time is taken once per game. What changes only when an entity is mentioned (its key for
p(E_t), its input to GRU_E) or when the tracker moves (its part of W_z, W_N and W_H) is kept beside the state, so that
a step which writes a word touches nothing but the language model and W_Y.

Rows are documents that are still being written; what a product reads is [rows, features] and what it gives is
[features, rows]: `weight @ rows.t()` is a CPU's fastest product for 1 to 64 rows.
"""

import torch
from torch import nn


ALL = slice(None)


class Decoding:
    """`game` [R] says which game a row describes, `place` [R] where its entities' memory lies."""

    def __init__(self, model: nn.Module, inputs: dict[str, torch.Tensor], copies: int):
        config, tracker, language = model.config, model.tracker, model.language
        hidden = config.hidden_size
        self.size, self.hidden, self.context = config.embedding_size, hidden, config.context_size
        self.records, e_bar = model.encode(inputs["entity_ids"], inputs["is_home"], inputs["value_ids"])
        self.games, self.entities, self.slots, _ = self.records.shape
        by_writer = model.writer_context(inputs.get("writer_ids"), self.games)
        state = model.start(e_bar, inputs["entity_mask"], by_writer)
        self.record_mask = inputs["record_mask"]
        self.has_word, self.value_words = inputs["has_word"], inputs["value_words"]

        self.words, self.output = model.words.weight, model.output
        self.layers = [(layer.weight, layer.bias.unsqueeze(1)) for layer in language.layers]
        self.gru_e, self.gru_a, self.refresh = tracker.gru_e, tracker.gru_a, tracker.refresh
        self.attribute, self.from_memory = model.attribute, tracker.from_memory
        z_lm, z_ent = model.transition.weight.chunk(2, dim=1)
        n_lm, n_ent = model.number.weight.chunk(2, dim=1)
        self.from_lm = torch.cat([z_lm, n_lm, language.from_lm.weight])
        self.from_ent = torch.cat([z_ent, n_ent, language.from_entity.weight])
        # All that reads h_Ent after it has moved: Z, N, h'; the key h_s W_Old and its bias; W_S h_s.
        self.after_move = torch.cat(
            [self.from_ent, model.old_entity.weight.t(), model.old_entity.bias[None], tracker.from_memory.weight]
        )

        biases = torch.cat([model.transition.bias, model.number.bias, language.from_entity.bias]).unsqueeze(1)
        base = biases.repeat(1, self.games)
        base[2:] += by_writer.t()
        self.game = torch.arange(self.games, device=base.device).repeat_interleave(copies)
        self.place = torch.arange(len(self.game), device=base.device)
        each = ALL if copies == 1 else self.game
        self.base = base[:, each]
        self.h_ent = state.h_ent[each]
        self.current = state.entity[each]
        self.by_ent = torch.addmm(self.base, self.from_ent, self.h_ent.t())
        self.cells = [cell[each].t().contiguous() for cell in state.c_lm]
        h_lm = state.h_lm[:, each]
        first = h_lm.new_zeros(len(self.game), self.size + self.context)
        below = [first, *h_lm[:-1]]
        self.reads = [torch.cat(pair, dim=1) for pair in zip(below, h_lm, strict=True)]

        keys = e_bar @ model.new_entity.weight  # e-bar W_New, until the entity has been mentioned
        key_bias = (e_bar @ model.new_entity.bias).masked_fill(~inputs["entity_mask"], float("-inf"))
        entering = nn.functional.linear(e_bar, tracker.gru_e.weight_ih, tracker.gru_e.bias_ih)
        self.keys, self.key_bias, self.entering = keys[each], key_bias[each], entering[each]

    def __len__(self) -> int:
        return len(self.game)

    @property
    def h_lm(self) -> torch.Tensor:
        """h_LM of the upper layer, [R, H]."""
        return self.reads[-1][:, -self.hidden :]

    def look(self) -> torch.Tensor:
        """Logits of Z_t, [R]; leaves h' as it is for rows that will write a word."""
        self.by_lm = torch.mm(self.from_lm, self.h_lm.t())
        seen = self.by_lm + self.by_ent
        self.reads[0][:, self.size : self.size + self.context] = seen[2:].t()
        self._contexts(ALL).tanh_()
        return seen[0]

    def _contexts(self, rows) -> torch.Tensor:
        return self.reads[0][rows, self.size : self.size + self.context]

    def word_scores(self, rows) -> torch.Tensor:
        """Logits of Y_t, [K, V], over a memory that has the vocabulary first."""
        return torch.addmm(self.output.bias.unsqueeze(1), self.output.weight, self._contexts(rows).t()).t()

    def entity_scores(self, rows) -> torch.Tensor:
        """Logits of E_t, [K, E]."""
        places = self.place[rows]
        return torch.baddbmm(
            self.key_bias[places].unsqueeze(2), self.keys[places], self.h_lm[rows].unsqueeze(2)
        ).squeeze(2)

    def enter(self, rows, entity: torch.Tensor) -> torch.Tensor:
        """h_Ent' after GRU_E, [K, H], for the entity [K] that each row chose; the same where it is the current one."""
        h_ent = self.h_ent[rows]
        entered = gru(self.entering[self.place[rows], entity], h_ent, self.gru_e)
        return torch.where((entity == self.current[rows]).unsqueeze(1), h_ent, entered)

    def enter_all(self) -> torch.Tensor:
        """h_Ent' for every row and every entity, [R, E, H]: the product with h_Ent is the same for all entities."""
        from_h = product(self.gru_e.weight_hh, self.gru_e.bias_hh, self.h_ent).unsqueeze(1)
        entered = gru_gates(self.entering[self.place], from_h, self.h_ent.unsqueeze(1))
        is_current = torch.arange(self.entities, device=self.current.device) == self.current.unsqueeze(1)
        return torch.where(is_current.unsqueeze(2), self.h_ent.unsqueeze(1), entered)

    def attribute_scores(self, rows, entity: torch.Tensor, entered: torch.Tensor) -> torch.Tensor:
        """Logits of A_t, [K, S]; cells that are N/A cannot be chosen."""
        query = product(self.attribute.weight, self.attribute.bias, torch.cat([self.h_lm[rows], entered], dim=1))
        games = self.game[rows]
        scores = torch.bmm(self.records[games, entity], query.unsqueeze(2)).squeeze(2)
        return scores.masked_fill_(~self.record_mask[games, entity], float("-inf"))

    def attribute_scores_all(self, entered: torch.Tensor) -> torch.Tensor:
        """Logits of A_t for every row and every entity, [R, E, S]."""
        w_lm, w_ent = self.attribute.weight.chunk(2, dim=1)
        query = product(w_lm, self.attribute.bias, self.h_lm).unsqueeze(1) + entered @ w_ent.t()
        scores = (self.records[self.game] @ query.unsqueeze(3)).squeeze(3)
        return scores.masked_fill_(~self.record_mask[self.game], float("-inf"))

    def number_scores(self, rows, entity, slot, entered) -> torch.Tensor:
        """Logits of N_t, [K], without moving: h_Ent as it would be after this record."""
        h_ent = gru(self._record_inputs(self.records[self.game[rows], entity, slot]), entered, self.gru_a)
        return self.by_lm[1, rows] + self.base[1, rows] + h_ent @ self.from_ent[1]

    def _record_inputs(self, records) -> torch.Tensor:
        return product(self.gru_a.weight_ih, self.gru_a.bias_ih, records)

    def move(self, rows, entity, slot, entered, periods) -> torch.Tensor | None:
        """GRU_A: `rows` state a record (and get their h' for it), `periods` are refreshed for the next step.

        Either may be None. Returns the logits of N_t for `rows`, [K].
        """
        size = self.hidden
        if rows is None:
            records, before, moved = self.refresh.expand(len(periods), -1), self.h_ent[periods], periods
        elif periods is None:
            records, before, moved = self.records[self.game[rows], entity, slot], entered, rows
        else:
            refreshing = self.refresh.expand(len(periods), -1)
            records = torch.cat([self.records[self.game[rows], entity, slot], refreshing])
            before = torch.cat([entered, self.h_ent[periods]])
            moved = torch.cat([rows, periods])
        h_ent = gru(self._record_inputs(records), before, self.gru_a)
        after = torch.mm(self.after_move, h_ent.t())
        heads = len(self.from_ent)
        by_ent = after[:heads] + self.base[:, moved]
        self.h_ent[moved] = h_ent
        self.by_ent[:, moved] = by_ent
        if rows is None:
            return None
        count = len(entity)
        self.current[rows] = entity
        places = self.place[rows]
        self.keys[places, entity] = after[heads : heads + size, :count].t()
        self.key_bias[places, entity] = after[heads + size, :count]
        memory = after[heads + size + 1 :, :count].t() + self.from_memory.bias
        self.entering[places, entity] = product(self.gru_e.weight_ih, self.gru_e.bias_ih, memory)
        seen = self.by_lm[:, rows] + by_ent[:, :count]
        self.reads[0][rows, self.size : self.size + self.context] = seen[2:].tanh().t()
        return seen[1]

    def write(self, words: torch.Tensor) -> None:
        """The LSTM reads y_t (words [R]) and h'_t."""
        size = self.hidden
        self.reads[0][:, : self.size] = self.words[words]
        for layer, (weight, bias) in enumerate(self.layers):
            gates = torch.addmm(bias, weight, self.reads[layer].t())
            out, enter, forget = gates[: 3 * size].sigmoid_().split(size)
            cell = self.cells[layer].mul_(forget).addcmul_(enter, gates[3 * size :].tanh_())
            h = (out * cell.tanh()).t()
            self.reads[layer][:, -size:] = h
            if layer + 1 < len(self.layers):
                self.reads[layer + 1][:, :size] = h

    def written(self, rows, entity, slot, form) -> torch.Tensor:
        """The word that a stated record is embedded as, [K]."""
        return self.value_words[self.game[rows], entity, slot, form]

    def keep(self, rows: torch.Tensor) -> None:
        """Only these rows go on; their entities' memory stays where it lies."""
        self.game, self.place, self.current = self.game[rows], self.place[rows], self.current[rows]
        self.h_ent = self.h_ent[rows]
        self.base, self.by_ent = self.base[:, rows], self.by_ent[:, rows]
        self.reads = [reads[rows] for reads in self.reads]
        self.cells = [cell[:, rows] for cell in self.cells]

    def branch(self, rows: torch.Tensor) -> None:
        """As `keep`, where a row may go on several times (beams): each gets a memory of its own."""
        places = self.place[rows]
        self.keep(rows)
        self.by_lm = self.by_lm[:, rows]
        self.keys, self.key_bias, self.entering = self.keys[places], self.key_bias[places], self.entering[places]
        self.place = torch.arange(len(rows), device=rows.device)


def product(weight: torch.Tensor, bias: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """A linear layer on [K, I]; the result [K, O] lies in memory the other way round."""
    return torch.addmm(bias.unsqueeze(1), weight, rows.t()).t()


def gru(inputs: torch.Tensor, h: torch.Tensor, cell: nn.GRUCell) -> torch.Tensor:
    """One GRU step; `inputs` holds W_ih x + b_ih, [K, 3H]."""
    return gru_gates(inputs, product(cell.weight_hh, cell.bias_hh, h), h)


def gru_gates(inputs: torch.Tensor, from_h: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    size = h.shape[-1]
    reset, update = (inputs[..., : 2 * size] + from_h[..., : 2 * size]).sigmoid_().split(size, dim=-1)
    new = torch.addcmul(inputs[..., 2 * size :], reset, from_h[..., 2 * size :]).tanh_()
    return torch.lerp(new, h, update)
