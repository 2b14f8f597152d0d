"""One step of Algorithm 1 for every row: a word or a record, under constraints."""

import torch
from torch.nn.functional import logsigmoid

from .constraint_list import ConstraintList
from .constraints import NEVER, Step
from .decoder_state import DecoderState
from .sampling import Sampler


def write_token(
    state: DecoderState,
    sampler: Sampler,
    constraints: ConstraintList,
    time: int | torch.Tensor,
    with_log_probs: bool,
) -> tuple[torch.Tensor, torch.Tensor | None, bool]:
    """Writes a token in every row; returns its id [R], its log-probability [R] or None, and whether any row ends.

    `time` is the length of every row's text, or [R].

    A word is chosen for every row, because a product over all rows is as fast as one over most of them. A step waits
    for the device only to learn which rows state a record or end a sentence or text, and to draw samples.
    """
    z = state.transition_logits()
    step = Step(time, state.document, state.current, sampler.yes(z, sampler.settings.z_logit))
    states = constraints.transition(step)
    scores = state.word_logits()
    own_scores = scores.clone() if with_log_probs else None
    words = sampler.index(constraints.score_words(step, scores))
    words, states = constraints.check_words(step, words, states)
    log_probs = None if own_scores is None else log_prob_of(own_scores, words)
    written, rows, periods = split_rows(words, states, constraints.period)
    tokens = words
    if rows.shape[0]:
        entity_scores = state.entity_logits(rows, state.h_lm(rows))
        allowed = constraints.allow_records(step, rows, state.record_mask, state.game)
        entity = sampler.index(entity_scores if allowed is None else restrict(entity_scores, allowed.any(2)))
        h_ent = state.h_ent_of(rows, entity)
        slot_scores = state.attribute_logits(rows, entity, h_ent)
        if allowed is not None:
            allowed = allowed[torch.arange(len(entity), device=entity.device), entity]
        slot = sampler.index(slot_scores if allowed is None else restrict(slot_scores, allowed))
        refused = constraints.refuse_records(step, rows, entity, slot)
        if refused is not None and refused.any():
            states = states.index_fill(0, rows[refused], False)
            kept = ~refused
            rows, entity, slot, h_ent = rows[kept], entity[kept], slot[kept], h_ent[kept]
            entity_scores, slot_scores = entity_scores[kept], slot_scores[kept]
            written, _, periods = split_rows(words, states, constraints.period)
        cell = state.cell_index(rows, entity, slot)
        state.state_records(rows, entity, state.record_index(rows, entity, slot), h_ent, periods)
        n = state.number_logits(rows)
        has_word = state.has_word.index_select(0, cell)
        form = constraints.number_form(step, rows, (sampler.yes(n) & has_word).long())
        tokens = words.index_copy(0, rows, constraints.record_ids.encode(entity, slot, form))
        words = words.index_copy(0, rows, state.value_word(cell, form))
        step.stated = rows, entity, slot
        if log_probs is not None:
            form_log_prob = torch.where(has_word, logsigmoid(torch.where(form == 1, n, -n)), 0)
            record_log_prob = log_prob_of(entity_scores, entity) + log_prob_of(slot_scores, slot) + form_log_prob
            log_probs = log_probs.index_copy(0, rows, record_log_prob)
    elif periods.shape[0]:
        state.refresh(periods)
    if log_probs is not None:
        log_probs += logsigmoid(torch.where(states, z, -z))
    constraints.observe(step, words, tokens)
    state.feed(words, tokens)
    return tokens, log_probs, constraints.end in written


def split_rows(words: torch.Tensor, states: torch.Tensor, period: int) -> tuple[list[int], torch.Tensor, torch.Tensor]:
    """The words [R] as a list, -1 for records; the rows that state a record, [K], and that end a sentence, [P]."""
    written = words.masked_fill(states, -1).tolist()
    records, periods = ([row for row, word in enumerate(written) if word == value] for value in (-1, period))
    return written, _rows(records, words), _rows(periods, words)


def _rows(indices: list[int], like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(indices, device=like.device) if indices else like[:0]


def restrict(scores: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
    return scores.masked_fill(~allowed, NEVER)


def log_prob_of(scores: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Log-probabilities [K] of what was chosen from scores [K, N]."""
    return scores.log_softmax(1).gather(1, index.unsqueeze(1)).squeeze(1)
