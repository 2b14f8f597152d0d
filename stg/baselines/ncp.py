"""Neural content planning with conditional copy, NCP+CC (Puduppully, Dong and Lapata, 2019), optionally with writers.

Stage 1 plans which records to state, in order; stage 2 reads the plan and writes, copying only from the plan. In
training, the plan is the document's own: its copied mentions. Both stages are trained together and share the records,
their gate, and the vector of the plan's end.
"""

import torch
from torch import nn
from transformers import GenerationMixin

from modeling_stg.constraints import NEVER
from modeling_stg.search import Candidates, Walker, search
from stg.baselines.configuration import STAGES, NcpConfig
from stg.baselines.copying import CopyDecoder, Memory, WriterVectors
from stg.baselines.planning import ContentSelection, PlanEncoder, Planner
from stg.baselines.records import Document, RecordVectors, read_document
from stg.baselines.writing import BaselineGenerateOutput, BaselineOutput, BaselinePreTrainedModel, BaselineSettings


class PlanWalker(Walker):
    """The plan of each game, record by record. Ids are the records, then the end."""

    def __init__(self, planner: Planner, entries, mask, writer, beams: int, min_length: int):
        """Starts a plan for each game; entries [G, M + 1, H] and mask [G, M + 1] come from `Planner.candidates`."""
        self.planner, self.entries, self.mask = planner, entries, mask
        self.beams, self.min_length = beams, min_length
        self.end = entries.shape[1] - 1
        h, c = planner.begin(entries, mask)
        self.state = h.repeat_interleave(beams, 1), c.repeat_interleave(beams, 1)
        self.writer = None if writer is None else writer.repeat_interleave(beams, 0)
        self.before = planner.start.expand(self.state[0].shape[1], -1)  # [R, H]

    def candidates(self, time: int) -> Candidates:
        h, self.state = self.planner.step(self.before.unsqueeze(1), self.writer, self.state)
        scores = self.planner.scores(h.view(len(self.entries), self.beams, -1), self.entries, self.mask)
        scores = scores.log_softmax(2).flatten(0, 1)
        if time < self.min_length:
            scores[:, self.end] = NEVER
        return Candidates(scores, scores, torch.arange(scores.shape[1], device=scores.device).expand_as(scores))

    def advance(self, games: torch.Tensor, parents: torch.Tensor, ids: torch.Tensor) -> None:
        if len(games) < len(self.entries):
            self.entries, self.mask = self.entries[games], self.mask[games]
        self.state = tuple(part[:, parents] for part in self.state)
        self.writer = None if self.writer is None else self.writer[parents]
        self.before = look_up(self.entries, ids.view(len(games), -1)).flatten(0, 1)


class NeuralContentPlanning(BaselinePreTrainedModel, GenerationMixin):
    config_class = NcpConfig
    base_model_prefix = "ncp"
    GENERATION = {
        **{"num_beams": 5, "length_penalty": 0.0, "min_new_tokens": 150, "max_new_tokens": 850},
        **{"min_plan_length": 35, "max_plan_length": 80},
    }
    OPTIONS = tuple(GENERATION)

    def __init__(self, config: NcpConfig):
        super().__init__(config)
        sizes = [config.writer_size if stage in config.writer_in else 0 for stage in STAGES]
        self.records = RecordVectors(config)
        self.selection = ContentSelection(config)
        self.planner = Planner(config, sizes[0])
        self.encoder = PlanEncoder(config)
        self.decoder = CopyDecoder(config, sizes[1])
        if config.use_writer:
            self.writers = WriterVectors(config)
        self.post_init()

    def get_input_embeddings(self):
        return self.decoder.words

    def candidates(self, entity_ids, is_home, value_ids, record_mask):
        """The candidates of a plan, [B, M + 1, H] (the gated records and the end), and their mask, [B, M + 1]."""
        mask = record_mask.flatten(1)
        return self.planner.candidates(self.selection(self.records(entity_ids, is_home, value_ids), mask), mask)

    def writers_of(self, writer_ids, batch: int) -> list[torch.Tensor | None]:
        """The writer vectors w of stages 1 and 2, [B, W]; None for a stage without writers."""
        if not self.config.use_writer:
            return [None, None]
        writer = self.writers(writer_ids, batch)
        return [writer if stage in self.config.writer_in else None for stage in STAGES]

    def read_plan(self, planned, mask) -> Memory:
        """Encodes a plan, planned [B, K, H], mask [B, K], as the memory of the text decoder."""
        vectors, h, c = self.encoder(planned, mask)
        return Memory(vectors, mask, h, c)

    def forward(
        self,
        entity_ids: torch.Tensor,  # [B, E]
        entity_mask: torch.Tensor,  # [B, E]: unused, a missing entity has no records
        is_home: torch.Tensor,  # [B, E]
        value_ids: torch.Tensor,  # [B, E, S]
        record_mask: torch.Tensor,  # [B, E, S]: cells that hold a value
        value_words: torch.Tensor,  # [B, E, S, 2]: word ids of the value in digits (or as text) and as a number word
        labels: torch.Tensor,  # [B, T], padded with -100
        writer_ids: torch.Tensor | None = None,  # [B]
        has_word: torch.Tensor | None = None,  # unused, like the next two: no forms are chosen
        form_known: torch.Tensor | None = None,
        other_arenas: torch.Tensor | None = None,
        claims: torch.Tensor | None = None,
        period_results: torch.Tensor | None = None,
    ) -> BaselineOutput:
        document = read_document(labels, value_words, self.config)
        candidates, mask = self.candidates(entity_ids, is_home, value_ids, record_mask)
        w_plan, w_text = self.writers_of(writer_ids, len(labels))
        plan, plan_mask, source = plan_of(document, end=candidates.shape[1] - 1)
        planned = look_up(candidates, plan)
        scores = self.planner(planned, w_plan, candidates, mask)
        losses, counts = self.decoder.losses(document, source, self.read_plan(planned, plan_mask), w_text)
        trained = plan_mask & ((plan < candidates.shape[1] - 1) | self._ends(labels).unsqueeze(1))
        losses["plan"] = nn.functional.cross_entropy(scores[trained], plan[trained], reduction="sum")
        counts["plan"] = trained.sum()
        return BaselineOutput(loss=sum(losses.values()), losses=losses, counts=counts)

    def _ends(self, labels: torch.Tensor) -> torch.Tensor:
        """Whether the plan ends with the labels, [B]: not in excerpts (first id <SoD>) or truncated documents."""
        return (labels == self.config.eos_token_id).any(1) & (labels[:, 0] != self.config.bos_token_id)

    def _write(self, batch, settings: BaselineSettings) -> BaselineGenerateOutput:
        """Searches the best plan, then the best text about it."""
        candidates, mask = self.candidates(
            *(batch[name] for name in ("entity_ids", "is_home", "value_ids", "record_mask"))
        )
        w_plan, w_text = self.writers_of(batch.get("writer_ids"), len(candidates))
        end = candidates.shape[1] - 1
        walker = PlanWalker(self.planner, candidates, mask, w_plan, settings.num_beams, settings.min_plan_length)
        hypotheses = search(
            walker,
            len(candidates),
            beams=settings.num_beams,
            keep=1,
            max_length=settings.max_plan_length,
            length_penalty=settings.length_penalty,
            device=mask.device,
        )
        plans = [best.ids[best.ids != end] for [best] in hypotheses]
        plan = nn.utils.rnn.pad_sequence([nn.functional.pad(ids, (0, 1), value=end) for ids in plans], True, end)
        lengths = torch.tensor([len(ids) for ids in plans], device=plan.device).unsqueeze(1)
        plan_mask = torch.arange(plan.shape[1], device=plan.device) <= lengths
        cells = plan.masked_fill(plan == end, -1)
        memory = self.read_plan(look_up(candidates, plan), plan_mask)
        output = self._search_text(memory, w_text, cells, batch, settings)
        ids = torch.where(cells < 0, self.config.pad_token_id, self.config.record_ids.encode_cell(cells))
        output.plan = ids[:, :-1]
        return output


def look_up(vectors: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Gathers vectors [B, M, H] at index [B, K]: [B, K, H]; embedding has a faster backward on CPUs than indexing."""
    rows = torch.arange(len(vectors), device=index.device).unsqueeze(1) * vectors.shape[1]
    return nn.functional.embedding(rows + index, vectors.flatten(0, 1))


def plan_of(document: Document, end: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The copied mentions in order, then the end, [B, K]; its mask [B, K]; the position of each copy in it [B, T]."""
    copied, order = document.copied, document.copied.cumsum(1)
    last = int(order[:, -1].max())
    plan = torch.full((len(order), last + 1), end, device=order.device)
    # tokens that are not copied write `end` into the last column, which has it already
    plan.scatter_(1, torch.where(copied, order - 1, last), torch.where(copied, document.cell, end))
    mask = torch.arange(last + 1, device=order.device) <= order[:, -1:]
    return plan, mask, (order - 1).clamp(min=0)
