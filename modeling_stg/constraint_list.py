"""Builds the list of constraints of a call, and runs it."""

from collections.abc import Callable, Mapping, Sequence

import torch

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
    """Everything that `settings` and the batch ask for; `game` [N] is the game of each document.

    Order matters for words (penalties come before bans) and for records: each constraint narrows what the ones before
    it allow, or replaces it. `Opening` precedes `Plan`, which needs to know Z_t as it will be.
    """
    constraints: list[Constraint] = []
    if settings.repetition_penalty != 1:
        constraints.append(RepetitionPenalty(settings.repetition_penalty, config.vocab_size, game))
    if settings.end_penalty:
        constraints.append(EndPenalty(settings.end_penalty, config.eos_token_id))
    constraints.append(SpecialTokens(settings, config, game.device))
    if settings.own_arena:
        constraints.append(OwnArena(batch, game))
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
        self.constraints = constraints

    def transition(self, step: Step) -> torch.Tensor:
        """Z_t [R], decided for every row."""
        for method in self._transition:
            method(step)
        return step.transitions(step.wants_record)

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        """scores [R, V] may be changed in place."""
        for method in self._score_words:
            scores = method(step, scores)
        if step.banned:
            rows, words = torch.tensor(step.banned, device=scores.device).t()
            scores[rows, words] = NEVER
        return scores

    def check_words(self, step: Step, words: torch.Tensor, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The words [R] chosen at Z_t [R] = 0 and Z_t, after required words and records."""
        if step.only_word is not None:
            words = torch.where((step.only_word >= 0) & ~states, step.only_word, words)
        step.words = words
        if step.unmet is not None:  # a demanded record takes the place of an early <EoD>
            step.require_record((words == self.end) & ~states & step.unmet)
        return words, step.transitions(states)

    def allow_records(
        self, step: Step, rows: torch.Tensor, record_mask: torch.Tensor, game: torch.Tensor
    ) -> torch.Tensor | None:
        """Records that may be stated, [K, E, S]; None: all in the record_mask [G, E, S] of the row's game [R]."""
        if not self._allow_records:
            return None
        allowed = record_mask[game[rows]]
        for method in self._allow_records:
            allowed = method(step, rows, allowed)
        return allowed

    def refuse_records(
        self, step: Step, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor
    ) -> torch.Tensor | None:
        """Where a word is written instead of this record; None: nowhere.

        A required or dictated record is not refused, nor is one whose place would be taken by an early <EoD>.
        """
        refused = None
        for method in self._refuse_records:
            refuses = method(step, rows, entity, slot)
            refused = refuses if refused is None else refused | refuses
        if refused is None:
            return None
        for kept in (step.must_state, step.dictated):
            refused = refused if kept is None else refused & ~kept[rows]
        if step.unmet is not None:
            refused = refused & ~((step.words == self.end) & step.unmet)[rows]
        return refused

    def number_form(self, step: Step, rows: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        for method in self._number_form:
            form = method(step, rows, form)
        return form

    def observe(self, step: Step, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """words [R] as written, tokens [R] their sequence ids."""
        step.words, step.tokens = words, tokens
        for method in self._observe:
            method(step)

    def branch(self, parents: torch.Tensor) -> None:
        for constraint in self.constraints:
            constraint.branch(parents)


def _overriding(constraints: Sequence[Constraint], name: str) -> list[Callable]:
    return [
        getattr(constraint, name)
        for constraint in constraints
        if getattr(type(constraint), name) is not getattr(Constraint, name)
    ]
