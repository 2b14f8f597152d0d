"""A reference implementation of the paper's model, token by token and game by game, from sections 4.1 to 4.6.

No batches, masks or hoisted products: the fast code must agree with this in values and gradients. It shares the
parameters of a `StgForDataToText`, so gradients reach the same tensors.
"""

import torch


def gru(cell, x, h):
    """Cho et al.'s gated recurrent unit, as PyTorch parametrises it."""
    r_x, z_x, n_x = (cell.weight_ih @ x + cell.bias_ih).chunk(3)
    r_h, z_h, n_h = (cell.weight_hh @ h + cell.bias_hh).chunk(3)
    r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
    n = torch.tanh(n_x + r * n_h)
    return (1 - z) * n + z * h


def lstm(layer, x, h, c):
    """One layer; its gates are in the order output, input, forget, new."""
    o, i, f, g = (layer.weight @ torch.cat([x, h]) + layer.bias).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class Twin:
    """One game's document; `game` holds the tensors of a batch of one, without the batch axis."""

    def __init__(self, model, game):
        self.model, self.config, self.game = model, model.config, game
        self.num_entities = len(game["entity_ids"])
        self.records = [[self.record(e, a) for a in range(self.slots(e))] for e in range(self.num_entities)]
        self.e_bar = [self.entity(e) for e in range(self.num_entities)]
        zeros = self.e_bar[0].new_zeros(self.config.hidden_size)
        self.h_ent = gru(model.tracker.gru_e, sum(self.e_bar) / self.num_entities, zeros)
        self.current, self.memory = None, {}  # e_{t-1}; the state at every entity's last mention
        self.start_language()

    def start_language(self):
        """The language model reads <SoD>."""
        zeros = self.e_bar[0].new_zeros(self.config.hidden_size)
        self.h = [zeros] * self.config.num_lm_layers
        self.c = [zeros] * self.config.num_lm_layers
        self.write_word(self.config.bos_token_id, self.context())

    @property
    def h_lm(self):
        return self.h[-1]

    def slots(self, entity):
        return len(self.config.team_attributes if entity < 2 else self.config.player_attributes)

    def record(self, entity, slot):
        """r = tanh(W_R (e + a + v + home or away, concatenated))."""
        encoder, game = self.model.encoder, self.game
        attribute = slot if entity < 2 else len(self.config.team_attributes) + slot
        parts = [
            encoder.entity.weight[game["entity_ids"][entity]],
            encoder.attribute.weight[attribute],
            encoder.value.weight[game["value_ids"][entity, slot]],
            encoder.side.weight[game["is_home"][entity]],
        ]
        return torch.tanh(encoder.record.weight @ torch.cat(parts) + encoder.record.bias)

    def entity(self, entity):
        """e-bar = tanh(sum over attributes of W_a r)."""
        linear = self.model.encoder.team if entity < 2 else self.model.encoder.player
        w_a = linear.weight.split(self.config.embedding_size, dim=1)
        summed = [self.records[entity][slot] for slot in self.config.summarized_slots(is_team=entity < 2)]
        return torch.tanh(sum(w @ r for w, r in zip(w_a, summed, strict=True)) + linear.bias)

    def context(self):
        """h' = tanh(W_H (h_LM + h_Ent + w, concatenated))."""
        language = self.model.language
        inside = language.from_lm.weight @ self.h[-1] + language.from_entity.weight @ self.h_ent
        if self.config.use_writer:
            inside = inside + self.model.from_writer.weight @ self.model.writer.weight[self.game["writer_ids"]]
        return torch.tanh(inside + language.from_entity.bias)

    def write_word(self, word, context):
        """h_LM = LSTM(y + h', concatenated), layer by layer."""
        below = torch.cat([self.model.words.weight[word], context])
        self.h, self.c = list(self.h), list(self.c)
        for number, layer in enumerate(self.model.language.layers):
            self.h[number], self.c[number] = lstm(layer, below, self.h[number], self.c[number])
            below = self.h[number]

    def write_value(self, entity, slot, as_word, context):
        self.write_word(int(self.game["value_words"][entity, slot, int(as_word)]), context)

    def z_logit(self):
        return (self.model.transition.weight @ torch.cat([self.h_lm, self.h_ent]) + self.model.transition.bias)[0]

    def e_logits(self):
        old, new = self.model.old_entity, self.model.new_entity
        scores = torch.stack(
            [
                self.memory[e] @ (old.weight @ self.h_lm + old.bias)
                if e in self.memory
                else self.e_bar[e] @ (new.weight @ self.h_lm + new.bias)
                for e in range(self.num_entities)
            ]
        )
        if self.config.use_teammates and self.current is not None:
            same = self.game["is_home"] == self.game["is_home"][self.current]
            bonus = self.model.teammates.weight[0] @ self.h_lm + self.model.teammates.bias[0]
            scores = torch.stack([score + bonus if mate else score for score, mate in zip(scores, same, strict=True)])
        return scores

    def enter(self, entity):
        """h_Ent': GRU_E when the salient entity changes."""
        tracker = self.model.tracker
        if entity != self.current:
            if entity in self.memory:
                returned = tracker.from_memory.weight @ self.memory[entity] + tracker.from_memory.bias
                self.h_ent = gru(tracker.gru_e, returned, self.h_ent)
            else:
                self.h_ent = gru(tracker.gru_e, self.e_bar[entity], self.h_ent)
        self.current = entity

    def a_logits(self, entity):
        linear = self.model.attribute
        query = linear.weight @ torch.cat([self.h_lm, self.h_ent]) + linear.bias
        scores = torch.stack([r @ query for r in self.records[entity]])
        available = self.game["record_mask"][entity, : self.slots(entity)]
        return torch.where(available, scores, -torch.inf)

    def leave(self, entity, slot):
        """h_Ent: GRU_A with the record that is stated."""
        self.h_ent = gru(self.model.tracker.gru_a, self.records[entity][slot], self.h_ent)
        self.memory[entity] = self.h_ent

    def n_logit(self):
        return (self.model.number.weight @ torch.cat([self.h_lm, self.h_ent]) + self.model.number.bias)[0]

    def y_logits(self, context):
        return self.model.output.weight @ context + self.model.output.bias

    def refresh(self):
        self.h_ent = gru(self.model.tracker.gru_a, self.model.tracker.refresh, self.h_ent)

    def read(self, token, form_known=True):
        """Takes one token of the document; returns the negative log-likelihoods of its decisions."""
        config, losses = self.config, {}
        states = token >= config.vocab_size
        p_z = torch.sigmoid(self.z_logit())
        losses["z"] = -torch.log(p_z if states else 1 - p_z)
        if states:
            entity, slot, as_word = config.read_record_id(token)
            losses["e"] = -torch.log_softmax(self.e_logits(), 0)[entity]
            self.enter(entity)
            losses["a"] = -torch.log_softmax(self.a_logits(entity), 0)[slot]
            self.leave(entity, slot)
            if self.game["has_word"][entity, slot] and form_known:
                p_n = torch.sigmoid(self.n_logit())
                losses["n"] = -torch.log(p_n if as_word else 1 - p_n)
            self.write_value(entity, slot, as_word, self.context())
        else:
            context = self.context()
            losses["y"] = -torch.log_softmax(self.y_logits(context), 0)[token]
            self.write_word(token, context)
        if token == config.period_token_id:
            self.refresh()
        return losses


def twin_losses(model, batch, form_known=None, kind=Twin):
    """The five parts of the loss for a padded batch, document by document, without the padding."""
    totals = {}
    for index in range(len(batch["labels"])):
        entities = int(batch["entity_mask"][index].sum())
        game = {name: tensor[index] for name, tensor in batch.items()}
        by_entity = [name for name, tensor in game.items() if tensor.dim() and name not in ("labels", "surfaces")]
        game |= {name: game[name][:entities] for name in by_entity}
        twin = kind(model, game)
        known = form_known is None or bool(form_known[index])
        for token in batch["labels"][index].tolist():
            if token == -100:
                continue
            for name, loss in twin.read(token, known).items():
                totals[name] = totals.get(name, 0) + loss
    return totals
