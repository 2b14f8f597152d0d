"""Constraints on records: no repeats, records that must be mentioned, a plan, a dictated opening.

A demand (`MustMention`, `Plan`) that passed its checks is always met: a text that would end too early states a
demanded record instead, and one that is running out of room states only demanded records.
"""

from collections.abc import Collection, Mapping

import torch

from .configuration_stg import StgConfig
from .constraints import NEVER, Constraint, Step
from .errors import StgError
from .schema import NAME_ATTRIBUTES
from .settings import GenerationSettings


class AvoidRepeats(Constraint):
    """No number twice, no team named twice in a sentence, no return to a player whose points are stated.

    Numbers left over for such a player rarely fit. Teams are named only by records, never by vocabulary words, so that
    the constraint knows which ones a sentence has named.
    """

    per_document = ("stated_numbers", "points_stated", "in_sentence", "named", "team_words")

    def __init__(self, config: StgConfig, batch: Mapping[str, torch.Tensor], game: torch.Tensor):
        self.period = config.period_token_id
        _, entities, slots = batch["record_mask"].shape
        numbers = [name for name in (*config.team_attributes, *config.player_attributes) if config.is_number(name)]
        self.is_number, self.is_points, self.is_team_name = (
            slot_mask(config, entities, slots, attributes, game.device)
            for attributes in (numbers, ("PTS",), ("TEAM-NAME",))
        )
        self.stated_numbers = torch.zeros(len(game), entities, slots, dtype=torch.bool, device=game.device)
        self.points_stated = self.stated_numbers[:, :, 0].clone()  # [N, E]
        self.in_sentence = self.points_stated.clone()  # [N, E]: stated in the current sentence
        self.named = self.points_stated.clone()  # [N, E]: teams named in the current sentence
        self.team_words = batch["value_words"][:, :2, :, 0][:, self.is_team_name[:2]][game]  # [N, 2]

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        return scores.scatter_(1, self.team_words[step.documents], NEVER)

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        documents, current = step.documents[rows], step.current_entity[rows].unsqueeze(1)
        others = torch.arange(allowed.shape[1], device=current.device) != current
        finished = self.points_stated[documents] & ~self.in_sentence[documents] & others
        return allowed & ~self.stated_numbers[documents] & ~finished.unsqueeze(2)

    def refuse_records(self, step: Step, rows: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        return self.is_team_name[entity, slot] & self.named[step.documents[rows], entity]

    def observe(self, step: Step) -> None:
        if step.stated is not None:
            rows, entity, slot = step.stated
            documents = step.documents[rows]
            self.stated_numbers[documents, entity, slot] |= self.is_number[entity, slot]
            self.points_stated[documents, entity] |= self.is_points[entity, slot]
            self.in_sentence[documents, entity] = True
            self.named[documents, entity] |= self.is_team_name[entity, slot]
        ended = step.documents[step.words == self.period]
        if len(ended):
            self.in_sentence[ended] = self.named[ended] = False


class MustMention(Constraint):
    """States a record of every group. A document with a plan has no groups: the plan decides everything."""

    per_document = ("required", "pending", "names")

    def __init__(
        self,
        settings: GenerationSettings,
        config: StgConfig,
        batch: Mapping[str, torch.Tensor],
        game: torch.Tensor,
    ):
        self.max_new_tokens = settings.max_new_tokens
        self.required = batch["required"][game]  # [N, G, E, S]
        self.pending = self.required.flatten(2).any(2)  # [N, G]
        if "plan" in batch:
            self.pending &= (batch["plan"][game] < 0).all(1, keepdim=True)
        _, entities, slots = batch["record_mask"].shape
        is_name = slot_mask(config, entities, slots, NAME_ATTRIBUTES, game.device)
        self.names = batch["record_mask"][game] & is_name
        check_room(int(self._needed(slice(None)).max()), settings)

    def _needed(self, documents) -> torch.Tensor:
        """Tokens [K] that the pending groups need at most: a record may need a name before it."""
        return 2 * self.pending[documents].sum(1)

    def transition(self, step: Step) -> None:
        needed = self._needed(step.documents)
        step.demand(needed > 0)
        step.require_record((needed > 0) & (self.max_new_tokens - step.time <= needed + 1))

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        documents, current = step.documents[rows], step.current_entity[rows].unsqueeze(1)
        pending = self.pending[documents]
        demanded = (self.required[documents] & pending[:, :, None, None]).any(1)
        # A number is unclear unless the text is about its entity: name that first, then stay with it.
        names = self.names[documents]
        entities = torch.arange(demanded.shape[1], device=current.device)
        needs_name = demanded.any(2) & (entities != current) & names.any(2)
        of_current = demanded & (entities == current).unsqueeze(2)
        demanded = torch.where(needs_name.unsqueeze(2), names, demanded)
        demanded = torch.where(of_current.flatten(1).any(1)[:, None, None], of_current, demanded)
        assert step.must_state is not None  # set in `transition`
        is_forced = step.must_state[rows] & pending.any(1)
        return torch.where(is_forced[:, None, None], demanded, allowed)

    def unmet(self, documents: torch.Tensor) -> torch.Tensor:
        return self.pending[documents].any(1)

    def observe(self, step: Step) -> None:
        if step.stated is not None:
            rows, entity, slot = step.stated
            documents = step.documents[rows]
            groups = torch.arange(self.pending.shape[1], device=entity.device)
            met = self.required[documents[:, None], groups, entity[:, None], slot[:, None]]
            self.pending[documents] &= ~met


class Opening(Constraint):
    """Writes a given opening unchanged: it was generated under the same constraints."""

    per_document = ("opening",)

    def __init__(self, config: StgConfig, batch: Mapping[str, torch.Tensor], game: torch.Tensor):
        self.record_ids = config.record_ids
        self.opening = batch["opening"][game]  # [N, O]: ids, -1 after the last
        self.tokens: torch.Tensor | None = None  # [R]: this step's, or -1

    def transition(self, step: Step) -> None:
        self.tokens = None
        if step.time < self.opening.shape[1]:
            self.tokens = self.opening[step.documents, step.time]
            is_record = self.tokens >= self.record_ids.vocab_size
            is_word = (self.tokens >= 0) & ~is_record
            step.require_record(is_record)
            step.forbid_record(is_word)
            step.require_word(torch.where(is_word, self.tokens, -1))

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        if self.tokens is None:
            return allowed
        cell, _ = self.record_ids.decode_cell(self.tokens[rows])
        return torch.where((cell >= 0)[:, None, None], only_cell(cell, allowed), allowed)

    def number_form(self, step: Step, rows: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
        if self.tokens is None:
            return form
        cell, dictated = self.record_ids.decode_cell(self.tokens[rows])
        return torch.where(cell >= 0, dictated, form)


class Plan(Constraint):
    """States exactly the planned records, in order.

    Where the model asks for another record after the last one, the sentence ends, and then the text.
    """

    per_document = ("plan", "length", "done", "last_word", "closing")

    def __init__(
        self,
        settings: GenerationSettings,
        config: StgConfig,
        batch: Mapping[str, torch.Tensor],
        game: torch.Tensor,
    ):
        self.settings, self.period, self.end = settings, config.period_token_id, config.eos_token_id
        self.plan = batch["plan"][game]  # [N, P]: entity * S + slot, -1 after the last
        self.length = (self.plan >= 0).sum(1)  # 0: no plan
        self.done = torch.zeros_like(self.length)
        self.last_word = torch.full_like(game, self.period)
        self.closing = torch.zeros_like(game, dtype=torch.bool)
        check_room(int(self.length.max()), settings)
        if settings.avoid_repeats:
            self._check_numbers(config)

    def _check_numbers(self, config: StgConfig) -> None:
        for row, cells in enumerate(self.plan.tolist()):
            records = [config.record_ids.entity_and_slot(cell) for cell in cells if cell >= 0]
            for record in records:
                attribute = config.attribute(*record)
                if config.is_number(attribute) and records.count(record) > 1:
                    raise StgError(
                        f"plan[{row}]: states {attribute} of entity {record[0]} twice, which avoid_repeats forbids; "
                        "drop one of the two"
                    )

    def transition(self, step: Step) -> None:
        documents, time = step.documents, step.time
        length = self.length[documents]
        left, has_plan = length - self.done[documents], length > 0
        finished = has_plan & (left == 0)
        unfinished = has_plan & (left > 0)
        asks = step.transitions(step.wants_record)
        if step.only_word is not None:  # an opening that has been closed goes on as it did before
            asks = asks | (step.wants_record & (step.only_word == self.period))
        self.closing[documents] |= asks & finished & (time >= self.settings.min_new_tokens)
        closing_word = torch.where(self.last_word[documents] == self.period, self.end, self.period)
        step.require_word(torch.where(self.closing[documents], closing_word, -1))
        step.require_record(unfinished & (self.settings.max_new_tokens - time <= left + 1))
        step.forbid_record(finished)
        step.demand(unfinished)
        step.dictate(has_plan)

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        documents = step.documents[rows]
        next_record = self.done[documents].clamp(max=self.plan.shape[1] - 1).unsqueeze(1)
        cell = self.plan[documents].gather(1, next_record).squeeze(1)
        has_plan = self.length[documents] > 0
        return torch.where(has_plan[:, None, None], only_cell(cell, allowed), allowed)

    def unmet(self, documents: torch.Tensor) -> torch.Tensor:
        return self.done[documents] < self.length[documents]

    def observe(self, step: Step) -> None:
        if step.stated is not None:
            self.done[step.documents[step.stated[0]]] += 1
        self.last_word[step.documents] = step.words


def slot_mask(
    config: StgConfig, entities: int, slots: int, attributes: Collection[str], device: torch.device
) -> torch.Tensor:
    """A mask [E, S] of the slots that hold one of these attributes."""
    mask = torch.zeros(entities, slots, dtype=torch.bool, device=device)
    for first, last, layout in ((0, 2, config.team_attributes), (2, entities, config.player_attributes)):
        mask[first:last, : len(layout)] = torch.tensor([name in attributes for name in layout], device=device)
    return mask


def only_cell(cell: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A mask [K, E, S] of the cell [K] alone."""
    _, entities, slots = like.shape
    cells = torch.arange(entities * slots, device=cell.device)
    return (cells == cell.unsqueeze(1)).unflatten(1, (entities, slots))


def check_room(needed: int, settings: GenerationSettings) -> None:
    if needed + 1 > settings.max_new_tokens:
        raise StgError(
            f"max_new_tokens: {settings.max_new_tokens} leaves no room for {needed} demanded tokens; "
            f"raise it to {needed + 1} or more"
        )
