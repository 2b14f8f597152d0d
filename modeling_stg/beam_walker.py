"""Beam search over the joint decisions of a step: a word (Z, Y) or a record (Z, E, A, N).

Every entity's h_Ent' is computed, so that p(Z) p(E) p(A) is exact for all records. N needs another GRU step for each
record and is therefore computed only for the 2 * num_beams best candidates of a game.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn.functional import logsigmoid
from torch.nn.utils.rnn import pad_sequence

from .constraint_list import build_constraints
from .constraints import NEVER, Step
from .decoder_state import DecoderState
from .search import Beams, Candidates, Walker, search
from .settings import GenerationSettings


def write_by_beams(
    model: Any, batch: Mapping[str, torch.Tensor], settings: GenerationSettings
) -> dict[str, torch.Tensor]:
    """The `num_return_sequences` best texts of each game; a game with fewer repeats its last one."""
    walker = BeamWalker(model, batch, settings)
    hypotheses = search(
        walker,
        walker.state.games,
        beams=settings.num_beams,
        keep=settings.num_beams,
        max_length=settings.max_new_tokens,
        length_penalty=settings.length_penalty,
        device=walker.state.game.device,
    )
    ranks = range(settings.num_return_sequences)
    texts = [game[min(rank, len(game) - 1)] for game in hypotheses for rank in ranks]
    return {
        "sequences": pad_sequence([text.ids for text in texts], True, model.config.pad_token_id),
        "log_probs": pad_sequence([text.log_probs for text in texts], True),
        "sequences_scores": torch.tensor([text.score for text in texts]),
    }


class BeamWalker(Walker):
    """Walks through the model's texts; candidates are the sequence ids of words and records."""

    def __init__(self, model: Any, batch: Mapping[str, torch.Tensor], settings: GenerationSettings):
        config = model.config
        self.beams, self.z_logit = settings.num_beams, settings.z_logit
        self.end, self.period, self.record_ids = config.eos_token_id, config.period_token_id, config.record_ids
        self.state = DecoderState(model, batch, self.beams)
        self.constraints = build_constraints(settings, config, batch, self.state.game)
        self.step: Step

    def candidates(self, time: int) -> Candidates:
        """The best words and the best records of every row; `expand` decides on the form of numbers."""
        state, constraints = self.state, self.constraints
        z = state.transition_logits()
        step = self.step = Step(time, state.document, state.current, z >= self.z_logit)
        constraints.transition(step)
        words = state.word_logits().log_softmax(1)
        own_words = words + logsigmoid(-z).unsqueeze(1)
        words = constraints.score_words(step, words)
        constraints.check_words(step, words.max(1).indices, torch.zeros_like(step.wants_record))
        records = self._record_scores(step)
        own_records = records + logsigmoid(z).unsqueeze(1)
        no, yes = logsigmoid(self.z_logit - z), logsigmoid(z - self.z_logit)
        if step.must_state is not None:
            no = no.masked_fill(step.must_state, NEVER)
        if step.may_not_state is not None:
            yes = yes.masked_fill(step.may_not_state, NEVER)
        if step.unmet is not None:
            words[:, self.end].masked_fill_(step.unmet, NEVER)
        words, records = words + no.unsqueeze(1), records + yes.unsqueeze(1)
        if step.only_word is not None:  # a required word overrides all other constraints
            only = step.only_word.clamp(min=0).unsqueeze(1)
            only_words = torch.full_like(words, NEVER).scatter_(1, only, own_words.gather(1, only))
            words = torch.where((step.only_word >= 0).unsqueeze(1), only_words, words)
        best_words, word = words.topk(min(2 * self.beams, words.shape[1]), dim=1)
        best_records, cell = records.topk(min(2 * self.beams, records.shape[1]), dim=1)
        return Candidates(
            torch.cat([best_words, best_records], dim=1),
            torch.cat([own_words.gather(1, word), own_records.gather(1, cell)], dim=1),
            torch.cat([word, self.record_ids.encode_cell(cell)], dim=1),
        )

    def _record_scores(self, step: Step) -> torch.Tensor:
        """The scores log p(E_t) p(A_t) of all records, [R, E * S]; NEVER for those that may not be stated."""
        state, constraints = self.state, self.constraints
        rows = torch.arange(len(state), device=state.game.device)
        attributes = state.attribute_logits_of_all(state.h_ent_of_all(), self.beams).log_softmax(2)
        records = state.entity_logits(rows, state.h_lm(rows)).log_softmax(1).unsqueeze(2) + attributes
        allowed = constraints.allow_records(step, rows, state.record_mask, state.game)
        if allowed is None:
            allowed = state.record_mask[state.game]
        entities, slots = (torch.arange(size, device=rows.device) for size in records.shape[1:])
        refused = constraints.refuse_records(step, rows[:, None, None], entities[:, None], slots)
        if refused is not None:
            allowed = allowed & ~refused
        return records.masked_fill(~allowed, NEVER).flatten(1)

    def expand(self, best: Beams) -> Beams:
        """Records that have a number word become two candidates, one for each N_t; the 2 * num_beams best stay."""
        totals, parents, ids, log_probs = best
        is_record = (ids >= self.record_ids.vocab_size) & (totals > NEVER)
        rows = parents[is_record]
        if len(rows):
            entity, slot, digits = self.record_ids.decode(ids[is_record])  # the form is 0 so far
            cell = self.state.cell_index(rows, entity, slot)
            record = self.state.record_index(rows, entity, slot)
            n = self.state.number_logits_ahead(rows, record, self.state.h_ent_of(rows, entity))
            has_word = self.state.has_word[cell]
            digits_allowed = self.constraints.number_form(self.step, rows, digits) == 0
            word_allowed = has_word & (self.constraints.number_form(self.step, rows, digits + 1) == 1)
            as_digits, as_word = torch.zeros_like(totals), torch.full_like(totals, NEVER)
            by_digits = torch.where(digits_allowed, logsigmoid(-n), NEVER)
            as_digits[is_record] = torch.where(has_word, by_digits, 0).to(totals.dtype)
            as_word[is_record] = torch.where(word_allowed, logsigmoid(n), NEVER).to(totals.dtype)
            totals = torch.cat([totals + as_digits, totals + as_word], dim=1)
            log_probs = torch.cat([log_probs + as_digits, log_probs + as_word], dim=1)
            ids, parents = torch.cat([ids, ids + 1], dim=1), torch.cat([parents, parents], dim=1)
        totals, order = totals.sort(dim=1, descending=True, stable=True)
        totals, order = totals[:, : 2 * self.beams], order[:, : 2 * self.beams]
        return Beams(totals, *(tensor.gather(1, order) for tensor in (parents, ids, log_probs)))

    def advance(self, games: torch.Tensor, parents: torch.Tensor, ids: torch.Tensor) -> None:
        state, time = self.state, self.step.time
        state.branch(parents)
        self.constraints.branch(parents)
        is_record, words = ids >= self.record_ids.vocab_size, ids.clone()
        rows = is_record.nonzero().squeeze(1)
        periods = (ids == self.period).nonzero().squeeze(1)
        step = Step(time, state.document, state.current, is_record)
        if len(rows):
            entity, slot, form = self.record_ids.decode(ids[rows])
            cell = state.cell_index(rows, entity, slot)
            record = state.record_index(rows, entity, slot)
            state.state_records(rows, entity, record, state.h_ent_of(rows, entity), periods)
            state.number_logits(rows)
            words[rows] = state.value_words[cell, form]
            step.stated = rows, entity, slot
        elif len(periods):
            state.refresh(periods)
        self.constraints.observe(step, words, ids)
        state.feed(words, ids)
