"""StgForDataToText: the tracker, the language model and the five heads Z, E, A, N, Y of the paper.

A document is one sequence of ids. Ids below `vocab_size` are words (Z_t = 0); any other id encodes a record and its
form, and so Z_t = 1, E_t, A_t and N_t at once (`StgConfig.record_id`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import nn
from transformers import GenerationMixin, PreTrainedModel
from transformers import initialization as init
from transformers.utils import ModelOutput

from .configuration_stg import StgConfig
from .encoder import RecordEncoder, randomly_unknown
from .errors import StgError
from .generation_stg import TrackedGeneration, refuse_replaced_layers
from .language_model import LanguageModel, LstmLayer, Reading
from .phrases import phrase_hashes
from .pretrained import PretrainedLanguageModel, PretrainedReading
from .tracker import Tracker, read_events, teammates_of
from .word_loss import word_loss


IGNORE_INDEX = -100


@dataclass
class StgState(ModelOutput):
    """The recurrent state; given it, the second half of a document is scored as in the whole document.

    A pretrained language model has no such state: it reads documents as a whole.
    """

    h_lm: torch.Tensor | None = None  # [L, B, H]
    c_lm: torch.Tensor | None = None  # [L, B, H]
    h_ent: torch.Tensor | None = None  # [B, H]
    entity: torch.Tensor | None = None  # [B]: e_{t-1}, or -1 before the first mention
    memory: torch.Tensor | None = None  # [B, E, H]: h_Ent when each entity was last mentioned
    mentioned: torch.Tensor | None = None  # [B, E]


@dataclass
class StgScores(ModelOutput):
    """Logits of the heads: z and y at every token; e, a and n at every event, which is token `position`."""

    z: torch.Tensor | None = None  # [B, T]
    y: torch.Tensor | None = None  # [B, T, V]
    position: torch.Tensor | None = None  # [B, K]
    mention: torch.Tensor | None = None  # [B, K]: whether the event is a mention
    e: torch.Tensor | None = None  # [B, K, E]
    a: torch.Tensor | None = None  # [B, K, S]
    n: torch.Tensor | None = None  # [B, K]


@dataclass
class StgOutput(ModelOutput):
    """Output of `StgForDataToText.forward`.

    Args:
        loss: negative log-likelihood, summed over the batch.
        losses: its terms, by head: "z", "e", "a", "n" and "y".
        counts: the number of decisions of each head.
        state: the recurrent state after each document's last token (`return_state=True`).
        scores: the heads' logits (`return_scores=True`), or those of the next token (without labels).
    """

    loss: torch.Tensor | None = None
    losses: dict[str, torch.Tensor] | None = None
    counts: dict[str, torch.Tensor] | None = None
    state: StgState | None = None
    scores: StgScores | None = None


class StgPreTrainedModel(PreTrainedModel):
    config_class = StgConfig
    base_model_prefix = "stg"
    main_input_name = "entity_ids"
    _tied_weights_keys = {"output.weight": "words.weight"}  # where config.tie_word_embeddings

    @torch.no_grad()
    def _init_weights(self, module):
        """Xavier; for embeddings per row, as the bound of the whole table would be far too small."""
        if isinstance(module, nn.Embedding):
            bound = (3 / module.embedding_dim) ** 0.5
            init.uniform_(module.weight, -bound, bound)
        elif isinstance(module, nn.Linear):
            init.xavier_uniform_(module.weight)
            if module.bias is not None:
                init.zeros_(module.bias)
        elif isinstance(module, nn.GRUCell):
            for weight in (module.weight_ih, module.weight_hh):
                init.copy_(weight, _xavier_by_gate(weight, 3))
            init.zeros_(module.bias_ih)
            init.zeros_(module.bias_hh)
        elif isinstance(module, LstmLayer):
            init.copy_(module.weight, _xavier_by_gate(module.weight, 4))
            bias = torch.zeros_like(module.bias).view(4, -1)
            bias[2] = 1  # the forget gate starts open, which speeds up learning
            init.copy_(module.bias, bias.flatten())
        elif isinstance(module, Tracker):
            bound = (3 / len(module.refresh)) ** 0.5
            init.uniform_(module.refresh, -bound, bound)


class StgForDataToText(StgPreTrainedModel, TrackedGeneration, GenerationMixin):
    """Record encoder, saliency tracker, language model and the heads Z, E, A, N and Y.

    Example:
        >>> model = AutoModel.from_pretrained("modeling_stg", trust_remote_code=True)
        >>> processor = AutoProcessor.from_pretrained("modeling_stg", trust_remote_code=True)
        >>> ids = model.generate(**processor(game, writers=["7"]))
        >>> print(processor.batch_decode(ids, game)[0])
    """

    def __init__(self, config: StgConfig):
        super().__init__(config)
        lm_size, hidden, size = config.lm_size, config.hidden_size, config.embedding_size
        self.encoder = RecordEncoder(config)
        self.tracker = Tracker(config)
        if config.is_pretrained:
            self.language = PretrainedLanguageModel(config)
        else:
            self.words = nn.Embedding(config.vocab_size, size)
            self.language = LanguageModel(config)
        self.transition = nn.Linear(lm_size + hidden, 1)  # W_z
        self.old_entity = nn.Linear(lm_size, hidden)  # W_Old
        self.new_entity = nn.Linear(lm_size, size)  # W_New
        if config.use_teammates:
            self.teammates = nn.Linear(lm_size, 1)
        self.attribute = nn.Linear(lm_size + hidden, size)  # W_Attr
        self.number = nn.Linear(lm_size + hidden, 1)  # W_N
        if not config.is_pretrained:
            self.output = nn.Linear(config.context_size, config.vocab_size)  # W_Y
        self.dropout = nn.Dropout(config.dropout)
        if config.use_writer:
            self.writer = nn.Embedding(config.num_writers + 1, config.writer_size)
            self.from_writer = nn.Linear(config.writer_size, config.context_size, bias=False)  # W'_H's part for w
        if config.num_phrases:
            self.register_buffer("phrases", torch.zeros(config.num_phrases, dtype=torch.long))
        self.post_init()
        if config.is_pretrained:
            self._start_as_pretrained()

    @torch.no_grad()
    def _start_as_pretrained(self) -> None:
        """Nothing changes the pretrained model yet, and no head reads it: some of its features are huge."""
        self.language.start_as_pretrained()
        if self.config.use_writer:
            self.from_writer.weight.zero_()
        for name in ("transition", "old_entity", "new_entity", "teammates", "attribute", "number"):
            if name != "teammates" or self.config.use_teammates:
                self.get_submodule(name).weight[:, : self.config.lm_size] = 0

    def keep_phrases(self, sequences: Iterable[Sequence[int]]) -> None:
        """Keeps the phrases of the training texts with the weights, for `generate(known_phrases=True)`."""
        hashes = phrase_hashes(sequences, self.config)
        self.config.num_phrases = len(hashes)
        self.register_buffer("phrases", hashes.to(self.device))

    def get_input_embeddings(self):
        return None if self.config.is_pretrained else self.words

    def get_output_embeddings(self):
        return None if self.config.is_pretrained else self.output

    def _embed(self, words: torch.Tensor) -> torch.Tensor:
        """y with dropout, [T, B, D]; variational dropout drops the same features at every step."""
        embedded = self.dropout(self.words(words))
        if not (self.training and self.config.variational_dropout):
            return embedded
        return embedded * nn.functional.dropout(torch.ones_like(embedded[:1]), self.config.variational_dropout)

    def encode(
        self, entity_ids: torch.Tensor, is_home: torch.Tensor, value_ids: torch.Tensor, record_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Encodes the game: records r [B, C, D], in the order of `RecordRows`, and e-bar [B, E, D]."""
        return self.encoder(entity_ids, is_home, value_ids, record_mask)

    def writer_context(self, writer_ids: torch.Tensor | None, batch: int) -> torch.Tensor:
        """The writer's term of h', [B, C]; 0 for a model without writers."""
        if not self.config.use_writer:
            return self.language.from_entity.bias.new_zeros(batch, self.config.context_size)
        if writer_ids is None:
            writer_ids = torch.full((batch,), self.config.num_writers, device=self.device)
        writer_ids = randomly_unknown(writer_ids, self.config.num_writers, self.config.unknown_rate, self.training)
        return self.from_writer(self.writer(writer_ids))

    def initial_state(self, e_bar: torch.Tensor, entity_mask: torch.Tensor, by_writer: torch.Tensor) -> StgState:
        """The state after <SoD>, before the first word."""
        batch, entities, _ = e_bar.shape
        h_ent = self.tracker.initial_state(e_bar, entity_mask)
        h_lm = c_lm = None
        if not self.config.is_pretrained:
            zeros = h_ent.new_zeros(self.config.num_lm_layers, batch, self.config.hidden_size)
            first = self.words.weight[self.config.bos_token_id].expand(batch, -1)
            _, (h_lm, c_lm) = self.language.step(first, self.language.from_entity(h_ent) + by_writer, (zeros, zeros))
        return StgState(
            h_lm=h_lm,
            c_lm=c_lm,
            h_ent=h_ent,
            entity=torch.full((batch,), -1, device=h_ent.device),
            memory=h_ent.new_zeros(batch, entities, self.config.hidden_size),
            mentioned=torch.zeros(batch, entities, dtype=torch.bool, device=h_ent.device),
        )

    @torch.compiler.disable  # its scans loop over events in autograd functions; compiled models run it as it is
    def forward(
        self,
        entity_ids: torch.Tensor,  # [B, E]
        entity_mask: torch.Tensor,  # [B, E]
        is_home: torch.Tensor,  # [B, E]
        value_ids: torch.Tensor,  # [B, E, S]
        record_mask: torch.Tensor,  # [B, E, S]
        has_word: torch.Tensor,  # [B, E, S]
        value_words: torch.Tensor,  # [B, E, S, 2]
        labels: torch.Tensor | None = None,  # [B, T]
        writer_ids: torch.Tensor | None = None,  # [B]
        form_known: torch.Tensor | None = None,  # [B]
        other_arenas: torch.Tensor | None = None,  # [B, W]
        claims: torch.Tensor | None = None,  # [B, E, C, 2]
        period_results: torch.Tensor | None = None,  # [B, 2, S]
        surfaces: torch.Tensor | None = None,  # [B, N, 2, P]
        value_surfaces: torch.Tensor | None = None,  # [B, E, S, 2]
        state: StgState | None = None,
        return_state: bool = False,
        return_scores: bool = False,
    ) -> StgOutput:
        """Scores documents under teacher forcing. `StgProcessor` makes all the tensors.

        Args:
            entity_ids: rows of the entity embedding; entities 0 and 1 are the home and the visiting team.
            entity_mask: False is padding.
            is_home: 1 for the home team and its players.
            value_ids: rows of the value embedding.
            record_mask: cells that hold a value and may be stated.
            has_word: numbers that may be written as an English word.
            value_words: word ids of the value in digits (or as text) and as a number word.
            labels: the documents' ids, padded with -100. Without them, `scores` are those of the next token.
            writer_ids: rows of the writer embedding; unknown writers by default.
            form_known: False for documents whose number forms are not the writer's own; head N learns nothing there.
            other_arenas, claims, period_results: used by `generate` only; accepted so that one batch serves both.
            surfaces: for a pretrained language model, the pieces of values, after a space and without; 0 for none.
            value_surfaces: the row of `surfaces` for the value in digits (or as text) and as a number word.
            state: where to continue from; the beginning of the document by default.
            return_state: whether to return the state after each document's last token.
            return_scores: whether to return the heads' logits.

        Returns:
            `StgOutput` with the loss summed over the batch, its terms and their counts.

        Example:
            >>> batch = processor([row], [row["summary"]], [row["mentions"]], [row["writer"]])
            >>> model(**batch).loss
        """
        refuse_replaced_layers(self.transition)
        batch = len(entity_ids)
        records, e_bar = self.encode(entity_ids, is_home, value_ids, record_mask)
        by_writer = self.writer_context(writer_ids, batch)
        if self.config.is_pretrained and (state is not None or return_state):
            raise StgError("state: a pretrained language model reads documents as a whole; leave out return_state")
        if state is None:
            state = self.initial_state(e_bar, entity_mask, by_writer)
        if labels is None:
            game = records, e_bar, by_writer
            return StgOutput(scores=self._next_scores(state, *game, entity_mask, is_home, record_mask), state=state)

        # Z, E, A, N and the written words, decoded from the ids
        token = labels != IGNORE_INDEX
        stated = labels >= self.config.vocab_size
        entity, slot, forms = self.config.record_ids.decode(torch.where(stated, labels, self.config.vocab_size))
        rows = torch.arange(batch, device=labels.device).unsqueeze(1)
        words = torch.where(stated, value_words[rows, entity, slot, forms], labels)
        words = torch.where(token, words, self.config.pad_token_id)
        period = labels == self.config.period_token_id

        # the tracker, over events
        events = read_events(stated, period, entity, slot, state.mentioned, state.entity)
        after_gru_e, after_gru_a = self.tracker(events, records, e_bar, state.h_ent, state.memory)
        h_ent = torch.cat([state.h_ent.unsqueeze(1), after_gru_a], dim=1)  # [B, K + 1, H]: after 0, 1, ... events
        before = events.count[:, :-1]  # [B, T]: index into h_ent before token t
        during = torch.where(stated, events.count[:, 1:], before)  # a refresh takes effect after its period

        # the language model, over tokens; h_Ent by embedding(), whose backward is faster on a CPU than indexing's
        from_entity = (self.language.from_entity(h_ent) + by_writer.unsqueeze(1)).flatten(0, 1)
        context = nn.functional.embedding((rows * h_ent.shape[1] + during).t(), from_entity)
        w_lm, w_ent = self.by_source(self.transition.weight)
        reading: Reading | PretrainedReading
        if self.config.is_pretrained:
            start = by_writer + self.language.from_entity(state.h_ent)
            context = torch.cat([start.unsqueeze(1), context[:-1].transpose(0, 1)], dim=1)
            value = torch.where(stated, value_surfaces[rows, entity, slot, forms], -1)
            reading = self.language.read(words, token, value, surfaces, context)
        else:
            reading = self.language.read(self._embed(words.t()), context, (state.h_lm, state.c_lm), w_lm)

        # the five heads
        z = reading.product(w_lm) + (h_ent @ w_ent[0]).gather(1, before) + self.transition.bias
        h_event = self.dropout(reading.before(events.position))  # [B, K, H]: h_LM before each event
        bank = torch.cat([state.memory, after_gru_a], dim=1)  # [B, E + K, H]
        e = self.entity_scores(h_event, e_bar, bank, events.sources, entity_mask)
        if self.config.use_teammates:
            e = e + self.teammates(h_event) * teammates_of(events.previous, is_home)
        a = self.attribute_scores(h_event, after_gru_e, records, record_mask, events.entity)
        n_lm, n_ent = self.by_source(self.number.weight)
        n = h_event @ n_lm[0] + after_gru_a @ n_ent[0] + self.number.bias

        has_choice = events.mention & has_word[rows, events.entity, events.slot]
        if form_known is not None:
            has_choice = has_choice & form_known.unsqueeze(1)
        form = forms.gather(1, events.position).to(n.dtype)
        is_word = token & ~stated
        losses = {
            "z": nn.functional.binary_cross_entropy_with_logits(z[token], stated[token].to(z.dtype), reduction="sum"),
            "e": nn.functional.cross_entropy(e[events.mention], events.entity[events.mention], reduction="sum"),
            "a": nn.functional.cross_entropy(a[events.mention], events.slot[events.mention], reduction="sum"),
            "n": nn.functional.binary_cross_entropy_with_logits(n[has_choice], form[has_choice], reduction="sum"),
            "y": self._word_loss(reading, is_word, labels),
        }
        counts = {
            "z": token.sum(),
            "e": stated.sum(),
            "a": stated.sum(),
            "n": has_choice.sum(),
            "y": (token & ~stated).sum(),
        }
        output = StgOutput(loss=sum(losses.values()), losses=losses, counts=counts)
        if return_state:
            output.state = self._state_after(state, events, token, reading, h_ent, bank)
        if return_scores:
            y = reading.logits(self.language) if self.config.is_pretrained else self.output(reading.contexts)
            output.scores = StgScores(z, y, events.position, events.mention, e, a, n)
        return output

    def by_source(self, weight: torch.Tensor) -> Sequence[torch.Tensor]:
        """The parts of a head's weight that read h_LM and h_Ent."""
        return weight.split([self.config.lm_size, self.config.hidden_size], dim=1)

    def _word_loss(self, reading: "Reading | PretrainedReading", is_word: torch.Tensor, labels: torch.Tensor):
        """The loss of Y at the tokens `is_word` [B, T] of labels [B, T]."""
        if isinstance(reading, Reading):
            contexts = reading.at(is_word)
            return word_loss(self.dropout(contexts), self.output, labels.t()[is_word.t()])
        return reading.word_loss(self.language, is_word, labels)

    def entity_scores(
        self,
        h_lm: torch.Tensor,
        e_bar: torch.Tensor,
        bank: torch.Tensor,  # [B, N, H]
        sources: torch.Tensor,
        entity_mask: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of E_t, [B, K, E]: h_lm [B, K, H], sources [B, K, E] (an entity's last state in `bank`, or -1)."""
        new = self.new_entity(h_lm) @ e_bar.transpose(1, 2)
        old = self.old_entity(h_lm) @ bank.transpose(1, 2)
        scores = torch.where(sources >= 0, old.gather(2, sources.clamp(min=0)), new)
        return scores.masked_fill(~entity_mask.unsqueeze(1), float("-inf"))

    def attribute_scores(
        self,
        h_lm: torch.Tensor,
        h_ent: torch.Tensor,
        records: torch.Tensor,
        record_mask: torch.Tensor,
        entity: torch.Tensor,
    ) -> torch.Tensor:
        """Logits of A_t, [B, K, S]: h_lm, h_ent (after GRU_E) [B, K, H], entity [B, K]; N/A cells score -inf."""
        batch, entities, slots = record_mask.shape
        w_lm, w_ent = self.by_source(self.attribute.weight)
        query = h_lm @ w_lm.t() + nn.functional.linear(h_ent, w_ent, self.attribute.bias)
        scores = query @ records.transpose(1, 2)  # [B, K, C]
        slot = torch.arange(slots, device=entity.device)
        column = (self.config.record_rows.first(entity).unsqueeze(2) + slot).clamp(max=records.shape[1] - 1)
        scores = scores.gather(2, column)
        rows = torch.arange(batch, device=entity.device).unsqueeze(1)
        return scores.masked_fill(~record_mask[rows, entity], float("-inf"))

    def _next_scores(self, state, records, e_bar, by_writer, entity_mask, is_home, record_mask) -> StgScores:
        """The scores of the token after `state`; those of A are of the likeliest entity, those of N of its cell."""
        never = torch.zeros_like(state.mentioned[:, :1])
        h_lm, y = self._next_word(state, self.language.from_entity(state.h_ent) + by_writer)
        z = self.transition(torch.cat([h_lm, state.h_ent], dim=1))
        h_lm = h_lm.unsqueeze(1)
        position, memories = never.long(), torch.arange(e_bar.shape[1], device=e_bar.device)
        sources = torch.where(state.mentioned, memories, -1).unsqueeze(1)
        e = self.entity_scores(h_lm, e_bar, state.memory, sources, entity_mask)
        if self.config.use_teammates:
            e = e + self.teammates(h_lm) * teammates_of(state.entity.unsqueeze(1), is_home)

        def after(slot: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            events = read_events(~never, never, e.argmax(2), slot, state.mentioned, state.entity)
            return self.tracker(events, records, e_bar, state.h_ent, state.memory)

        a = self.attribute_scores(h_lm, after(position)[0], records, record_mask, e.argmax(2))
        n = self.number(torch.cat([h_lm, after(a.argmax(2))[1]], dim=2)).squeeze(2)
        return StgScores(z, y.unsqueeze(1), position, ~never, e, a, n)

    def _next_word(self, state: StgState, context: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """h_LM [B, H] and the logits [B, V] of the word after `state`; `context` [B, C] are h_Ent's and w's terms."""
        if self.config.is_pretrained:
            reading = self.language.read_start(context)
            return reading.hidden[:, 0], reading.logits(self.language)[:, 0]
        h_lm = state.h_lm[-1]
        return h_lm, self.output(torch.tanh(context + self.language.from_lm(h_lm)))

    def _state_after(self, state, events, token, reading, h_ent, bank) -> StgState:
        """The state after each document's last token before padding."""
        device, entities, num_events = token.device, state.mentioned.shape[1], events.mention.shape[1]
        rows, last = torch.arange(len(token), device=device), token.sum(1)
        h_lm, c_lm = (
            torch.stack([layer[last, rows] for layer in states]) for states in (reading.hidden, reading.cells)
        )
        index = torch.arange(num_events, device=device)
        latest = nn.functional.pad(torch.where(events.mention, index, -1), (1, 0), value=-1).amax(1)
        mentioned_last = nn.functional.pad(events.entity, (0, 1)).gather(1, latest.clamp(min=0)[:, None])[:, 0]
        entity = torch.where(latest < 0, state.entity, mentioned_last)
        is_entity = events.mention.unsqueeze(2) & (events.entity.unsqueeze(2) == torch.arange(entities, device=device))
        source = torch.where(is_entity, index[:, None] + entities, -1)
        source = nn.functional.pad(source, (0, 0, 1, 0), value=-1).amax(1)  # [B, E]
        source = torch.where(source < 0, torch.arange(entities, device=device), source)
        memory = bank[rows.unsqueeze(1), source]
        mentioned = state.mentioned | (source >= entities)
        return StgState(h_lm, c_lm, h_ent[rows, events.count[:, -1]], entity, memory, mentioned)


def _xavier_by_gate(weight: torch.Tensor, gates: int) -> torch.Tensor:
    """Xavier for each gate's matrix separately."""
    return torch.cat([nn.init.xavier_uniform_(torch.empty_like(gate)) for gate in weight.chunk(gates)])


StgForDataToText.register_for_auto_class("AutoModel")
