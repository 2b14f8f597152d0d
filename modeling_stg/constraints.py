"""The protocol of decoding constraints: a `Constraint` decides about a `Step`.

To add one, subclass `Constraint`, override the methods it needs, and register it in `constraint_list.py`. Greedy
decoding, sampling and beam search run the same list.

Shapes: R rows (documents still being written), N documents, E entities, S slots, V words, K selected rows.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar

import torch


NEVER = float("-inf")


class Step:
    """One token for every row: what constraints can see, and what they decide about it.

    A mask that no constraint has set is None, so that a step without constraints does no extra work.
    """

    # Decisions of constraints, made through the methods below
    must_state: torch.Tensor | None = None  # [R]: Z_t must be 1
    may_not_state: torch.Tensor | None = None  # [R]: Z_t must be 0
    only_word: torch.Tensor | None = None  # [R]: the only word allowed at Z_t = 0, or -1
    unmet: torch.Tensor | None = None  # [R]: something demanded is not stated yet, so <EoD> is too early
    dictated: torch.Tensor | None = None  # [R]: the record cannot be refused
    # Filled in as the step goes on
    words: torch.Tensor  # [R]: the words chosen; in `observe`, the words as written
    tokens: torch.Tensor  # [R]: their sequence ids
    stated: tuple[torch.Tensor, torch.Tensor, torch.Tensor] | None = None  # rows, entity, slot, [K] each

    def __init__(
        self,
        time: int | torch.Tensor,
        documents: torch.Tensor,
        current_entity: torch.Tensor,
        wants_record: torch.Tensor,
    ):
        self.time = time  # tokens so far: of all rows, or [R] where their texts differ in length
        self.documents = documents  # [R]: index of each row's document; constraints keep their state by document
        self.current_entity = current_entity  # [R]; -1 before the first mention; updated before `observe`
        self.wants_record = wants_record  # [R]: Z_t as the model decides it
        self.banned: list[tuple[int, int]] = []  # (row, word)

    def require_record(self, rows: torch.Tensor) -> None:
        """Forces Z_t = 1 in the mask `rows` [R]."""
        self.must_state = _either(self.must_state, rows)

    def forbid_record(self, rows: torch.Tensor) -> None:
        """Forces Z_t = 0 in the mask `rows` [R]; takes precedence over `require_record`."""
        self.may_not_state = _either(self.may_not_state, rows)

    def require_word(self, words: torch.Tensor) -> None:
        """Allows only `words` [R] at Z_t = 0, -1 for any word; earlier requirements take precedence."""
        self.only_word = words if self.only_word is None else torch.where(self.only_word < 0, words, self.only_word)

    def demand(self, rows: torch.Tensor) -> None:
        """Forbids an early end in the mask `rows` [R]: where <EoD> is chosen, a record is stated instead."""
        self.unmet = _either(self.unmet, rows)

    def dictate(self, rows: torch.Tensor) -> None:
        """Keeps other constraints from refusing the record stated in the mask `rows` [R]."""
        self.dictated = _either(self.dictated, rows)

    def ban(self, row: int, words: Iterable[int]) -> None:
        """Bans words in one row; all bans of a step are applied at once."""
        self.banned += [(row, word) for word in words]

    def transitions(self, states: torch.Tensor) -> torch.Tensor:
        """Z_t [R] after `require_record` and `forbid_record`."""
        if self.must_state is not None:
            states = states | self.must_state
        return states if self.may_not_state is None else states & ~self.may_not_state

    @cached_property
    def document_list(self) -> list[int]:
        return self.documents.tolist()

    @cached_property
    def written(self) -> list[tuple[int, int, int]]:
        """(document, word, token) of every row, for `observe`."""
        return list(zip(self.document_list, self.words.tolist(), self.tokens.tolist(), strict=True))


def _either(before: torch.Tensor | None, rows: torch.Tensor) -> torch.Tensor:
    return rows if before is None else before | rows


class Constraint:
    """Does nothing. Override what you need; methods that are not overridden cost nothing.

    Methods are called in this order at every step. `rows` [K] index the step's rows; state is kept by document
    (`step.documents[rows]`), because rows that have ended leave the batch.
    """

    per_document: ClassVar[Sequence[str]] = ()  # names of tensors [N, ...] that `branch` reorders

    def transition(self, step: Step) -> None:
        """Decide on Z_t by `step.require_record`, `forbid_record`, `require_word`, `demand` or `dictate`."""

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores [R, V] of words, changed in place or new; or only call `step.ban`."""
        return scores

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        """Return which records may be stated, [K, E, S]; narrow `allowed`, or replace it where one is dictated."""
        return allowed

    def refuse_records(self, step: Step, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """Return where to write a word instead of this record. The three indices broadcast against each other."""
        return torch.zeros_like(entity, dtype=torch.bool)

    def number_form(self, step: Step, rows: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        """Return N_t [K]: 1 for a number word, 0 for the value in digits or as text."""
        return form

    def unmet(self, documents: torch.Tensor) -> torch.Tensor:
        """Return where something demanded is not stated yet, [K]."""
        return torch.zeros_like(documents, dtype=torch.bool)

    def observe(self, step: Step) -> None:
        """Update the state after a step from `step.words`, `step.tokens` and `step.stated`."""

    def branch(self, parents: torch.Tensor) -> None:
        """Reorder the state of beams: document i continues document parents[i]."""
        for name in self.per_document:
            setattr(self, name, getattr(self, name)[parents])
