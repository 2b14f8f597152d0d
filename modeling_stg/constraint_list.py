"""Builds the list of constraints of a call, and runs it."""

from collections.abc import Callable, Mapping, Sequence

import torch

from .claim_constraints import BoundWords
from .configuration_stg import StgConfig
from .constraints import NEVER, Constraint, Step
from .record_constraints import AvoidRepeats, MustMention, Opening, Plan
from .settings import GenerationSettings
from .word_constraints import (
    BlockRepeats,
    EndPenalty,
    ImmediateRepeats,
    NGrams,
    OwnArena,
    PlayerUnits,
    RepetitionPenalty,
    Sentences,
    SpecialTokens,
)


def build_constraints(
    settings: GenerationSettings, config: StgConfig, batch: Mapping[str, torch.Tensor], game: torch.Tensor
) -> "ConstraintList":
    """Builds the constraints that `settings` and the batch ask for; `game` [N] is the game of each document.

    Order matters for words (penalties come before bans) and for records: each constraint narrows what the ones before
    it allow, or replaces it. `Opening` precedes `Plan`, which reads the Z_t that all others decided on.
    """
    constraints: list[Constraint] = []
    if settings.repetition_penalty != 1:
        constraints.append(RepetitionPenalty(settings.repetition_penalty, config.vocab_size, game))
    if settings.end_penalty:
        constraints.append(EndPenalty(settings.end_penalty, config.eos_token_id))
    constraints.append(SpecialTokens(settings, config, game.device))
    if settings.own_arena:
        constraints.append(OwnArena(batch, game))
    if settings.bound_words:
        constraints.append(BoundWords(config, batch, game))
    histories = []
    if settings.no_repeat_ngram_size:
        histories.append(NGrams(settings.no_repeat_ngram_size))
    if settings.sentence_ngram_size:
        histories.append(NGrams(settings.sentence_ngram_size, stop=config.period_token_id))
        histories.append(ImmediateRepeats(config.hyphen_token_id))
    if settings.no_repeat_sentences:
        histories.append(Sentences(stop=config.period_token_id))
    if settings.avoid_repeats and config.hyphen_token_id is not None:
        histories.append(PlayerUnits(config))
    constraints += [BlockRepeats(history, len(game), config.vocab_size) for history in histories]
    if settings.avoid_repeats:
        constraints.append(AvoidRepeats(config, batch, game))
    if "required" in batch:
        constraints.append(MustMention(settings, config, batch, game))
    if "opening" in batch:
        constraints.append(Opening(config, batch, game))
    if "plan" in batch:
        constraints.append(Plan(settings, config, batch, game))
    return ConstraintList(constraints, config)


class ConstraintList:
    """Runs each method of the constraints that override it, in order."""

    def __init__(self, constraints: Sequence[Constraint], config: StgConfig):
        self.end, self.period, self.record_ids = config.eos_token_id, config.period_token_id, config.record_ids
        self._transition = _overriding(constraints, "transition")
        self._score_words = _overriding(constraints, "score_words")
        self._allow_records = _overriding(constraints, "allow_records")
        self._refuse_records = _overriding(constraints, "refuse_records")
        self._number_form = _overriding(constraints, "number_form")
        self._observe = _overriding(constraints, "observe")
        self._unmet = _overriding(constraints, "unmet")
        self.constraints = constraints

    def transition(self, step: Step) -> torch.Tensor:
        """Z_t [R], decided for every row."""
        for method in self._transition:
            method(step)
        return step.transitions(step.wants_record)

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        """Scores of words after penalties and bans; `scores` [R, V] may be changed in place."""
        for method in self._score_words:
            scores = method(step, scores)
        if step.banned:
            rows, words = torch.tensor(step.banned, device=scores.device).t()
            scores[rows, words] = NEVER
        return scores

    def check_words(self, step: Step, words: torch.Tensor, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Applies required words and records to the words [R] chosen at Z_t = 0 and to Z_t, `states` [R]."""
        if step.only_word is not None:
            words = torch.where((step.only_word >= 0) & ~states, step.only_word, words)
        step.words = words
        if step.unmet is not None:  # a demanded record replaces an early <EoD>
            step.require_record((words == self.end) & ~states & step.unmet)
        return words, step.transitions(states)

    def allow_records(
        self, step: Step, rows: torch.Tensor, record_mask: torch.Tensor, game: torch.Tensor
    ) -> torch.Tensor | None:
        """Records that may be stated, [K, E, S]; None for all in the record_mask [G, E, S] of the row's game [R]."""
        if not self._allow_records:
            return None
        allowed = record_mask[game[rows]]
        for method in self._allow_records:
            allowed = method(step, rows, allowed)
        return allowed

    def refuse_records(
        self, step: Step, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor
    ) -> torch.Tensor | None:
        """Where a word is written instead of this record; None if nowhere.

        Required and dictated records are never refused, nor is one that an early <EoD> would replace.
        """
        refused = None
        for method in self._refuse_records:
            refuses = method(step, rows, entity, slot)
            refused = refuses if refused is None else refused | refuses
        if refused is None:
            return None
        for protected in (step.must_state, step.dictated):
            refused = refused if protected is None else refused & ~protected[rows]
        if step.unmet is not None:
            refused = refused & ~((step.words == self.end) & step.unmet)[rows]
        return refused

    def number_form(self, step: Step, rows: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        for method in self._number_form:
            form = method(step, rows, form)
        return form

    def observe(self, step: Step, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """Passes on what was written: `words` [R] and their sequence ids `tokens` [R]."""
        step.words, step.tokens = words, tokens
        for method in self._observe:
            method(step)

    def unmet(self, documents: torch.Tensor) -> torch.Tensor:
        """Whether something demanded of a document is not stated yet, [K]."""
        unmet = torch.zeros_like(documents, dtype=torch.bool)
        for method in self._unmet:
            unmet |= method(documents)
        return unmet

    def branch(self, parents: torch.Tensor) -> None:
        for constraint in self.constraints:
            constraint.branch(parents)


def _overriding(constraints: Sequence[Constraint], name: str) -> list[Callable]:
    return [
        getattr(constraint, name)
        for constraint in constraints
        if getattr(type(constraint), name) is not getattr(Constraint, name)
    ]
