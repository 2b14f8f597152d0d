"""Reference implementations of the two neural baselines, token by token and game by game, straight from the papers.

No batches, masks or hoisted products: the fast code must agree with this in values, gradients and every greedy
decision. Twins share the parameters of the fast models, so gradients reach the same tensors.
"""

import torch

from tests.twins.model_twin import lstm


def torch_lstm(module, layer, x, h, c, direction=""):
    """A layer of nn.LSTM, whose gates are in the order input, forget, new, output."""
    w_x, w_h, b_x, b_h = (
        module.get_parameter(f"{name}_l{layer}{direction}")
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    i, f, g, o = (w_x @ x + b_x + w_h @ h + b_h).chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class BoxScore:
    """One game's records without those that are N/A."""

    def __init__(self, model, game):
        self.model, self.config, self.game = model, model.config, game
        slots = range(self.config.num_slots)
        entities = range(len(game["entity_ids"]))
        self.cells = [(e, s) for e in entities for s in slots if game["record_mask"][e, s]]
        self.records = [self.record(*cell) for cell in self.cells]

    def record(self, entity, slot):
        """r = ReLU(W_R (entity, attribute, value, home or away))."""
        features, game = self.model.records, self.game
        attribute = slot if entity < 2 else len(self.config.team_attributes) + slot
        parts = [
            features.entity.weight[game["entity_ids"][entity]],
            features.attribute.weight[attribute],
            features.value.weight[game["value_ids"][entity, slot]],
            features.side.weight[game["is_home"][entity]],
        ]
        return torch.relu(features.record.weight @ torch.cat(parts) + features.record.bias)

    def writer(self, stage):
        """The writer's part of a stage's input: a list with w, or nothing."""
        if stage not in self.config.writer_in:
            return []
        return [self.model.writers.vectors.weight[self.game["writer_ids"]]]


class Text:
    """The decoder over a memory; `cells` has the cell of each entry, None for one that cannot be copied."""

    def __init__(self, model, game, memory, cells, h, c, writer):
        self.decoder, self.config, self.game = model.decoder, model.config, game
        self.memory, self.cells, self.writer = memory, cells, writer
        self.h, self.c = list(h), list(c)
        self.fed = torch.zeros_like(self.h[0])
        self.word = self.config.bos_token_id

    def step(self):
        """One step of the LSTM: log p(Z = 1), log p(Z = 0), and the log-probabilities of words and of entries."""
        decoder = self.decoder
        below = torch.cat([decoder.words.weight[self.word], *self.writer, self.fed])
        for number, layer in enumerate(decoder.layers):
            self.h[number], self.c[number] = lstm(layer, below, self.h[number], self.c[number])
            below = self.h[number]
        query = decoder.query.weight @ below
        attention = torch.softmax(torch.stack([m @ query for m in self.memory]), 0)
        context = sum(weight * m for weight, m in zip(attention, self.memory, strict=True))
        self.fed = torch.tanh(decoder.combine.weight @ torch.cat([context, below]))
        p_copy = torch.sigmoid(decoder.switch.weight[0] @ self.fed + decoder.switch.bias[0])
        words = torch.softmax(decoder.output.weight @ self.fed + decoder.output.bias, 0)
        return torch.log(p_copy), torch.log(1 - p_copy), torch.log(words), torch.log(attention)

    def read(self, token, entry):
        """The negative log-likelihoods of a token; `entry` is its index in the memory if it is a copy."""
        yes, no, words, entries = self.step()
        config = self.config
        if entry is not None:
            entity, slot, _ = config.read_record_id(token)
            self.word = int(self.game["value_words"][entity, slot, 0])
            return {"z": -yes, "copy": -entries[entry]}
        if token >= config.vocab_size:  # a number word
            entity, slot, _ = config.read_record_id(token)
            token = int(self.game["value_words"][entity, slot, 1])
        self.word = token
        return {"z": -no, "y": -words[token]}

    def write(self, least, most):
        """Greedy: the likeliest word or copy, as sequence ids; and the sum of their log-probabilities."""
        config, ids, total = self.config, [], 0.0
        while len(ids) < most:
            yes, no, words, entries = self.step()
            never = [config.pad_token_id, config.unk_token_id, config.bos_token_id]
            words[never + [config.eos_token_id] * (len(ids) < least)] = -torch.inf
            best = (no + words.max(), int(words.argmax()), int(words.argmax()))
            for entry, cell in zip(entries, self.cells, strict=True):
                if cell is not None and yes + entry > best[0]:
                    best = (yes + entry, config.record_id(*cell, False), int(self.game["value_words"][(*cell, 0)]))
            total += float(best[0])
            ids.append(best[1])
            self.word = best[2]
            if ids[-1] == config.eos_token_id:
                break
        return ids, total


def copies(config, labels):
    """The (entity, slot) of every token that is copied; None for the others, including number words."""
    pointers = [config.read_record_id(token) if token >= config.vocab_size else (0, 0, True) for token in labels]
    return [None if as_word else (entity, slot) for entity, slot, as_word in pointers]


class ConditionalCopyTwin(BoxScore):
    def text(self):
        """The state comes from the mean over rows of the mean over a row's records."""
        rows = {}
        for (entity, _), record in zip(self.cells, self.records, strict=True):
            rows.setdefault(entity, []).append(record)
        average = sum(sum(row) / len(row) for row in rows.values()) / len(rows)
        first = self.model.first.weight @ average + self.model.first.bias
        h, c = first.view(2, self.config.num_lm_layers, -1)
        return Text(self.model, self.game, self.records, self.cells, h, c, [])

    def losses(self, labels):
        text = self.text()
        for token, cell in zip(labels, copies(self.config, labels), strict=True):
            yield text.read(token, None if cell is None else self.cells.index(cell))

    def write(self, least, most):
        return self.text().write(least, most)


class NcpTwin(BoxScore):
    def __init__(self, model, game):
        super().__init__(model, game)
        self.selected = [self.select(index) for index in range(len(self.records))]
        self.planner = model.planner
        self.h = self.c = sum(self.selected) / len(self.selected)
        self.before = self.planner.start

    def select(self, index):
        """r_cs = sigmoid(W_g (r, sum of the others by attention)) * r."""
        selection, record = self.model.selection, self.records[index]
        others = self.records[:index] + self.records[index + 1 :]
        query = selection.query.weight @ record
        attention = torch.softmax(torch.stack([query @ (selection.key.weight @ other) for other in others]), 0)
        context = sum(weight * other for weight, other in zip(attention, others, strict=True))
        return torch.sigmoid(selection.gate.weight @ torch.cat([record, context]) + selection.gate.bias) * record

    def choices(self):
        """One step of stage 1: log-probabilities of the records, the end last."""
        read = torch.cat([self.before, *self.writer("plan")])
        self.h, self.c = torch_lstm(self.planner.lstm, 0, read, self.h, self.c)
        query = self.planner.pointer.weight @ self.h
        return torch.log_softmax(torch.stack([entry @ query for entry in (*self.selected, self.planner.end)]), 0)

    def choose(self, choice):
        self.before = self.selected[choice]

    def text(self, plan):
        """Stage 2: both directions over the plan and its end, layer by layer, then the decoder."""
        module, below = self.model.encoder.lstm, [*(self.selected[choice] for choice in plan), self.planner.end]
        first_h, first_c = [], []
        for layer in range(self.config.num_lm_layers):
            passes, last_h, last_c = [], [], []
            for direction, order in (("", below), ("_reverse", below[::-1])):
                h = c = below[0].new_zeros(module.hidden_size)
                states = []
                for x in order:
                    h, c = torch_lstm(module, layer, x, h, c, direction)
                    states.append(h)
                passes.append(states if direction == "" else states[::-1])
                last_h.append(h)
                last_c.append(c)
            below = [torch.cat(pair) for pair in zip(*passes, strict=True)]
            first_h.append(torch.cat(last_h))
            first_c.append(torch.cat(last_c))
        cells = [*(self.cells[choice] for choice in plan), None]
        return Text(self.model, self.game, below, cells, first_h, first_c, self.writer("text"))

    def losses(self, labels):
        copied = copies(self.config, labels)
        plan = [self.cells.index(cell) for cell in copied if cell is not None]
        for choice in plan:
            yield {"plan": -self.choices()[choice]}
            self.choose(choice)
        if self.config.eos_token_id in labels and labels[0] != self.config.bos_token_id:
            yield {"plan": -self.choices()[-1]}  # the plan of an excerpt or a truncated document may go on
        text, stated = self.text(plan), 0
        for token, cell in zip(labels, copied, strict=True):
            yield text.read(token, None if cell is None else stated)
            stated += cell is not None

    def plan(self, least, most):
        """The greedy plan."""
        plan = []
        while len(plan) < most:
            choices = self.choices()
            choices[-1] = -torch.inf if len(plan) < least else choices[-1]
            choice = int(choices.argmax())
            if choice == len(self.selected):
                break
            plan.append(choice)
            self.choose(choice)
        return plan


TWINS = {"conditional_copy": ConditionalCopyTwin, "ncp": NcpTwin}


def twins(model, batch):
    """A twin for each game of a padded batch, without the padding."""
    for index in range(len(batch["entity_ids"])):
        entities = int(batch["entity_mask"][index].sum())
        game = {name: tensor[index] for name, tensor in batch.items() if name != "labels"}
        game = {name: tensor[:entities] if tensor.dim() else tensor for name, tensor in game.items()}
        yield TWINS[model.config.model_type](model, game)


def twin_losses(model, batch):
    """The parts of the loss for a padded batch, document by document."""
    totals = {}
    for twin, labels in zip(twins(model, batch), batch["labels"].tolist(), strict=True):
        for losses in twin.losses([token for token in labels if token != -100]):
            for name, loss in losses.items():
                totals[name] = totals.get(name, 0) + loss
    return totals
