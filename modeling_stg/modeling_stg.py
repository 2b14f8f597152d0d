"""StgForDataToText: the tracker, the language model and the five heads Z, E, A, N, Y of the paper.

A document is one sequence of ids. An id below `vocab_size` is a word (Z_t = 0); any other points at a record and says
its form, and so gives Z_t = 1, E_t, A_t and N_t at once (`StgConfig.record_id`).
"""

from dataclasses import dataclass

import torch
from torch import nn
from transformers import GenerationMixin, PreTrainedModel
from transformers import initialization as init
from transformers.utils import ModelOutput

from .configuration_stg import StgConfig
from .encoder import RecordEncoder, hide
from .generation_stg import TrackedGeneration
from .language_model import LanguageModel, LstmLayer
from .tracker import Tracker, read_events, teammates_of
from .word_loss import word_losses


IGNORED = -100


@dataclass
class StgState(ModelOutput):
    """Everything that a document's second half needs to know of its first."""

    h_lm: torch.Tensor | None = None  # [L, B, H]
    c_lm: torch.Tensor | None = None  # [L, B, H]
    h_ent: torch.Tensor | None = None  # [B, H]
    entity: torch.Tensor | None = None  # [B]: e_{t-1}, or -1 before the first mention
    memory: torch.Tensor | None = None  # [B, E, H]: h_Ent when each entity was last mentioned
    mentioned: torch.Tensor | None = None  # [B, E]


@dataclass
class StgScores(ModelOutput):
    """Logits of the heads: z and y at every token, e, a and n at every event (`position` says at which token)."""

    z: torch.Tensor | None = None  # [B, T]
    y: torch.Tensor | None = None  # [B, T, V]
    position: torch.Tensor | None = None  # [B, K]
    mention: torch.Tensor | None = None  # [B, K]: whether the event is a mention
    e: torch.Tensor | None = None  # [B, K, E]
    a: torch.Tensor | None = None  # [B, K, S]
    n: torch.Tensor | None = None  # [B, K]


@dataclass
class StgOutput(ModelOutput):
    """`loss` is the negative log-likelihood summed over the batch; `losses` its parts and `counts` their decisions."""

    loss: torch.Tensor | None = None
    losses: dict[str, torch.Tensor] | None = None
    counts: dict[str, torch.Tensor] | None = None
    state: StgState | None = None
    scores: StgScores | None = None


class StgPreTrainedModel(PreTrainedModel):
    config_class = StgConfig
    base_model_prefix = "stg"
    main_input_name = "entity_ids"

    @torch.no_grad()
    def _init_weights(self, module):
        """Xavier. A lookup table's row is a vector of its own: over the whole table it would be far too small."""
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
            bias[2] = 1  # the forget gate: an LSTM that remembers at first learns sooner
            init.copy_(module.bias, bias.flatten())
        elif isinstance(module, Tracker):
            bound = (3 / len(module.refresh)) ** 0.5
            init.uniform_(module.refresh, -bound, bound)


class StgForDataToText(StgPreTrainedModel, TrackedGeneration, GenerationMixin):
    def __init__(self, config: StgConfig):
        super().__init__(config)
        hidden, size = config.hidden_size, config.embedding_size
        self.encoder = RecordEncoder(config)
        self.tracker = Tracker(config)
        self.words = nn.Embedding(config.vocab_size, size)
        self.language = LanguageModel(config)
        self.transition = nn.Linear(2 * hidden, 1)  # W_z
        self.old_entity = nn.Linear(hidden, hidden)  # W_Old
        self.new_entity = nn.Linear(hidden, size)  # W_New
        if config.use_teammates:
            self.teammates = nn.Linear(hidden, 1)
        self.attribute = nn.Linear(2 * hidden, size)  # W_Attr
        self.number = nn.Linear(2 * hidden, 1)  # W_N
        self.output = nn.Linear(config.context_size, config.vocab_size)  # W_Y
        self.dropout = nn.Dropout(config.dropout)
        if config.use_writer:
            self.writer = nn.Embedding(config.num_writers + 1, config.writer_size)
            self.from_writer = nn.Linear(config.writer_size, config.context_size, bias=False)  # W'_H's part for w
        self.post_init()

    def get_input_embeddings(self):
        return self.words

    def encode(self, entity_ids, is_home, value_ids):
        """The game once and for all: records r [B, E, S, D] and e-bar [B, E, D]."""
        return self.encoder(entity_ids, is_home, value_ids)

    def writer_context(self, writer_ids, batch: int):
        """What the writer adds inside h', [B, C]; 0 for a model without writers."""
        if not self.config.use_writer:
            return self.output.weight.new_zeros(batch, self.config.context_size)
        if writer_ids is None:
            writer_ids = torch.full((batch,), self.config.num_writers, device=self.device)
        writer_ids = hide(writer_ids, self.config.num_writers, self.config.unknown_rate, self.training)
        return self.from_writer(self.writer(writer_ids))

    def start(self, e_bar, entity_mask, by_writer) -> StgState:
        """The state after <SoD>, before the first word."""
        batch, entities, _ = e_bar.shape
        h_ent = self.tracker.start(e_bar, entity_mask)
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

    def forward(
        self,
        entity_ids: torch.Tensor,  # [B, E]
        entity_mask: torch.Tensor,  # [B, E]
        is_home: torch.Tensor,  # [B, E]
        value_ids: torch.Tensor,  # [B, E, S]
        record_mask: torch.Tensor,  # [B, E, S]: cells that hold a value
        has_word: torch.Tensor,  # [B, E, S]: numbers that may be written as a word
        value_words: torch.Tensor,  # [B, E, S, 2]: word ids of the value as it stands and as a number word
        labels: torch.Tensor,  # [B, T], padded with -100
        writer_ids: torch.Tensor | None = None,  # [B]
        form_known: torch.Tensor | None = None,  # [B]: False where the text's number forms are not the writer's own
        other_arenas: torch.Tensor | None = None,  # [B, W]: read by `generate` alone
        state: StgState | None = None,
        return_state: bool = False,
        return_scores: bool = False,
    ) -> StgOutput:
        batch, length = labels.shape
        records, e_bar = self.encode(entity_ids, is_home, value_ids)
        by_writer = self.writer_context(writer_ids, batch)
        if state is None:
            state = self.start(e_bar, entity_mask, by_writer)

        # Z, E, A, N and the written word, read off the ids
        token = labels != IGNORED
        stated = labels >= self.config.vocab_size
        entity, slot, forms = self.config.record_ids.decode(torch.where(stated, labels, self.config.vocab_size))
        rows = torch.arange(batch, device=labels.device).unsqueeze(1)
        words = torch.where(stated, value_words[rows, entity, slot, forms], labels)
        words = torch.where(token, words, self.config.pad_token_id)
        period = labels == self.config.period_token_id

        # the tracker, over events
        events = read_events(stated, period, entity, slot, state.mentioned, state.entity)
        entered, left = self.tracker(events, records, e_bar, state.h_ent, state.memory)
        h_ent = torch.cat([state.h_ent.unsqueeze(1), left], dim=1)  # [B, K + 1, H]: after each number of events
        before = events.count[:, :-1]  # [B, T]: the state that t finds
        during = torch.where(stated, events.count[:, 1:], before)  # a refresh comes only after its period

        # the language model, over tokens; a lookup finds h_Ent, for its gradient is quicker on a CPU than an index's
        from_entity = (self.language.from_entity(h_ent) + by_writer.unsqueeze(1)).flatten(0, 1)
        context = nn.functional.embedding((rows * h_ent.shape[1] + during).t(), from_entity)
        w_lm, w_ent = self.transition.weight.chunk(2, dim=1)
        contexts, z_lm, hidden, cells = self.language(
            self.dropout(self.words(words.t())), context, (state.h_lm, state.c_lm), w_lm
        )

        # the five heads
        z = z_lm[..., 0].t() + (h_ent @ w_ent[0]).gather(1, before) + self.transition.bias
        position = events.position.t().unsqueeze(1).expand(-1, self.config.hidden_size, -1)  # [K, H, B], as h_LM lies
        h_event = hidden[-1].transpose(1, 2).gather(0, position).permute(2, 0, 1).contiguous()
        h_event = self.dropout(h_event)  # [B, K, H]: what the event finds
        bank = torch.cat([state.memory, left], dim=1)  # [B, E + K, H]
        e = self.entity_scores(h_event, e_bar, bank, events.sources, entity_mask)
        if self.config.use_teammates:
            e = e + self.teammates(h_event) * teammates_of(events.previous, is_home)
        a = self.attribute_scores(h_event, entered, records, record_mask, events.entity)
        n_lm, n_ent = self.number.weight.chunk(2, dim=1)
        n = h_event @ n_lm[0] + left @ n_ent[0] + self.number.bias

        rewarded = events.mention & has_word[rows, events.entity, events.slot]
        if form_known is not None:
            rewarded = rewarded & form_known.unsqueeze(1)
        form = forms.gather(1, events.position).to(n.dtype)
        written = (token & ~stated).t()  # [T, B]: words of the vocabulary
        word_contexts = nn.functional.embedding(written.flatten().nonzero().squeeze(1), contexts.flatten(0, 1))
        losses = {
            "z": nn.functional.binary_cross_entropy_with_logits(z[token], stated[token].to(z.dtype), reduction="sum"),
            "e": nn.functional.cross_entropy(e[events.mention], events.entity[events.mention], reduction="sum"),
            "a": nn.functional.cross_entropy(a[events.mention], events.slot[events.mention], reduction="sum"),
            "n": nn.functional.binary_cross_entropy_with_logits(n[rewarded], form[rewarded], reduction="sum"),
            "y": word_losses(self.dropout(word_contexts), self.output, labels.t()[written]),
        }
        counts = {
            "z": token.sum(),
            "e": stated.sum(),
            "a": stated.sum(),
            "n": rewarded.sum(),
            "y": (token & ~stated).sum(),
        }
        output = StgOutput(loss=sum(losses.values()), losses=losses, counts=counts)
        if return_state:
            output.state = self._state_after(state, events, token, hidden, cells, h_ent, bank)
        if return_scores:
            y = self.output(contexts.transpose(0, 1))
            output.scores = StgScores(z, y, events.position, events.mention, e, a, n)
        return output

    def entity_scores(self, h_lm, e_bar, bank, sources, entity_mask):
        """h_lm [B, K, H], sources [B, K, E] (each entity's last state in bank [B, N, H], or -1) -> [B, K, E]."""
        new = self.new_entity(h_lm) @ e_bar.transpose(1, 2)
        old = self.old_entity(h_lm) @ bank.transpose(1, 2)
        scores = torch.where(sources >= 0, old.gather(2, sources.clamp(min=0)), new)
        return scores.masked_fill(~entity_mask.unsqueeze(1), float("-inf"))

    def attribute_scores(self, h_lm, entered, records, record_mask, entity):
        """h_lm, entered (h_Ent') [B, K, H], entity [B, K] -> [B, K, S]; cells that are N/A cannot be chosen."""
        batch, entities, slots, size = records.shape
        w_lm, w_ent = self.attribute.weight.chunk(2, dim=1)
        query = h_lm @ w_lm.t() + nn.functional.linear(entered, w_ent, self.attribute.bias)
        scores = (query @ records.view(batch, entities * slots, size).transpose(1, 2)).unflatten(2, (entities, slots))
        scores = scores.gather(2, entity[:, :, None, None].expand(-1, -1, 1, slots)).squeeze(2)
        rows = torch.arange(batch, device=entity.device).unsqueeze(1)
        return scores.masked_fill(~record_mask[rows, entity], float("-inf"))

    def _state_after(self, state, events, token, hidden, cells, h_ent, bank) -> StgState:
        """The state after each document's own last token, however long the batch's longest is."""
        rows, last = torch.arange(len(token), device=token.device), token.sum(1)
        h_lm, c_lm = (torch.stack([layer[last, rows] for layer in states]) for states in (hidden, cells))
        mentions = torch.where(events.mention, torch.arange(events.mention.shape[1], device=token.device), -1)
        latest = nn.functional.pad(mentions, (1, 0), value=-1).amax(1)
        entity = torch.where(
            latest < 0,
            state.entity,
            nn.functional.pad(events.entity, (0, 1)).gather(1, latest.clamp(min=0)[:, None])[:, 0],
        )
        entities = state.mentioned.shape[1]
        is_entity = events.mention.unsqueeze(2) & (
            events.entity.unsqueeze(2) == torch.arange(entities, device=token.device)
        )
        where = torch.where(
            is_entity, torch.arange(events.mention.shape[1], device=token.device)[:, None] + entities, -1
        )
        where = nn.functional.pad(where, (0, 0, 1, 0), value=-1).amax(1)  # [B, E]
        where = torch.where(where < 0, torch.arange(entities, device=token.device), where)
        memory = bank[rows.unsqueeze(1), where]
        mentioned = state.mentioned | (where >= entities)
        return StgState(h_lm, c_lm, h_ent[rows, events.count[:, -1]], entity, memory, mentioned)


def _xavier_by_gate(weight: torch.Tensor, gates: int) -> torch.Tensor:
    """Every gate is a matrix of its own and is initialised as one."""
    return torch.cat([nn.init.xavier_uniform_(torch.empty_like(gate)) for gate in weight.chunk(gates)])


StgForDataToText.register_for_auto_class("AutoModel")
