"""`BoundWords`: keeps the word path from saying what a fact refutes, or what only a record should state."""

from collections.abc import Mapping

import torch

from .bound_words import (
    CLAIM_NAMES,
    CONTEXTS,
    DEFICIT_FACTS,
    GROUPS_OF_WORDS,
    LEAD_FACTS,
    LOSS_FACTS,
    PERIOD_POINTS,
    PHRASES,
    PLACE_RECORDS,
    TIED,
    WIN_FACTS,
)
from .configuration_stg import StgConfig
from .constraints import NEVER, Constraint, Step
from .errors import StgError
from .record_constraints import slot_mask


_OPENING_ONLY = ("won", "lost")  # later sentences may tell of other games


class BoundWords(Constraint):
    """Bans words by the facts about the entity that the text is about, and records that contradict "led" or "trailed".

    After "the Bucks outscored the Knicks", their points of a quarter that they lost are refused, and so are deficits.
    Whether a claim is passive ("were outscored") shows in the word before; "home" and "road" are bound only in "at
    home" and "on the road"; "won" and "lost" only in the first sentence.
    """

    per_document = (
        *("game", "claims", "period_results", "previous", "before_previous"),
        *("in_opening", "leading", "trailing", "subject", "last_slot"),
    )

    def __init__(self, config: StgConfig, batch: Mapping[str, torch.Tensor], game: torch.Tensor):
        words = config.bound_token_ids
        if words is None or "claims" not in batch:
            raise StgError("bound_words: needs config.bound_token_ids and the batch's claims; use processor(games)")
        device = game.device
        self.period = config.period_token_id
        self.claims = batch["claims"][game]  # [N, E, CLAIMS, 2]
        ids = [(word, claim) for claim, name in enumerate(CLAIM_NAMES) for word in words[name]]
        self.claim_words = torch.tensor([word for word, _ in ids], dtype=torch.long, device=device)  # [W]
        self.claim_of_word = torch.tensor([claim for _, claim in ids], dtype=torch.long, device=device)
        self.barred = torch.tensor(words["barred"], dtype=torch.long, device=device)
        self.is_opening_claim = torch.tensor([name in _OPENING_ONLY for name in CLAIM_NAMES], device=device)
        self.in_group = {group: _members(words[group], config.vocab_size, device) for group in GROUPS_OF_WORDS}
        self.is_double = _members(words["double in double figures"], config.vocab_size, device)
        self.phrases = [
            (torch.tensor(words[f"{group} in a phrase"], dtype=torch.long, device=device), before)
            for group, before, _ in PHRASES
        ]
        _, entities, slots = batch["record_mask"].shape
        self.lead_slots = slot_mask(config, entities, slots, LEAD_FACTS | WIN_FACTS, device)
        self.deficit_slots = slot_mask(config, entities, slots, DEFICIT_FACTS | LOSS_FACTS, device)
        after: list[list[int]] = [words.get(f"after {attribute}", []) for attribute in config.team_attributes]
        words_after = sorted({word for ids in after for word in ids})
        self.words_after = torch.tensor(words_after, dtype=torch.long, device=device)  # [A]
        barred_after = [[word in ids for word in words_after] for ids in after]
        barred_after += [[False] * len(words_after)] * (slots + 1 - len(after))  # the last one: nothing was stated
        self.barred_after = torch.tensor(barred_after, dtype=torch.bool, device=device)  # [S + 1, A]
        numbers = {name for name in (*config.team_attributes, *config.player_attributes) if config.is_number(name)}
        scores = {*PERIOD_POINTS, *LEAD_FACTS, *DEFICIT_FACTS, *WIN_FACTS, *LOSS_FACTS}
        self.not_a_score = slot_mask(config, entities, slots, numbers - scores, device)
        self.last_slot = torch.full_like(game, slots)  # of a team's number stated in this sentence
        self.is_number = torch.tensor([config.is_number(name) for name in config.team_attributes], device=device)
        self.place = [slot for slot, name in enumerate(config.team_attributes) if name == "TEAM-PLACE"]
        padded = [*config.team_attributes, *[""] * (slots + 1 - len(after))]
        self.of_place = [  # [S + 1]: whether the number belongs to the home games, to the road games
            torch.tensor([name.startswith(place) for name in padded], device=device) for place in PLACE_RECORDS
        ]
        start = torch.full_like(game, self.period)
        self.previous, self.before_previous = start, start.clone()  # [N]: the last two words
        self.in_opening = torch.ones_like(game, dtype=torch.bool)
        self.leading, self.trailing = (torch.zeros_like(self.in_opening) for _ in range(2))  # said in this sentence
        self.subject = torch.zeros_like(game)  # the team of which it is said
        self.is_home = batch["is_home"]
        self.period_results = batch["period_results"][game]  # [N, 2, S of teams]
        self.game = game

    def _follows(self, documents: torch.Tensor, *groups: str) -> torch.Tensor:
        """Where the last words are of these groups, the last word's first, [R]."""
        follows = self.in_group[groups[0]][self.previous[documents]]
        for group in groups[1:]:
            follows = follows & self.in_group[group][self.before_previous[documents]]
        return follows

    def transition(self, step: Step) -> None:
        step.forbid_record(self.is_double[self.previous[step.documents]])

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        documents, rows = step.documents, torch.arange(len(step.documents), device=scores.device)
        passive = self._follows(documents, "passive")
        allowed = self.claims[documents, step.current_entity.clamp(min=0)][rows, :, passive.long()]  # [R, CLAIMS]
        allowed = allowed | (step.current_entity < 0).unsqueeze(1)
        allowed |= self.is_opening_claim & ~self.in_opening[documents].unsqueeze(1)
        for name, before in CONTEXTS.items():
            allowed[:, CLAIM_NAMES.index(name)] |= ~self._follows(documents, *before)
        scores[:, self.claim_words] = scores[:, self.claim_words].masked_fill(~allowed[:, self.claim_of_word], NEVER)
        for ids, before in self.phrases:
            scores[:, ids] = scores[:, ids].masked_fill(self._follows(documents, *before).unsqueeze(1), NEVER)
        after_double = self.is_double[self.previous[documents]].unsqueeze(1)
        if after_double.any():
            scores.masked_fill_(after_double & ~self.in_group["figures"], NEVER)
        barred = self.barred_after[self.last_slot[documents]]
        scores[:, self.words_after] = scores[:, self.words_after].masked_fill(barred, NEVER)
        return scores.index_fill_(1, self.barred, NEVER)

    def allow_records(self, step: Step, rows: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        documents = step.documents[rows]
        leading, trailing = self.leading[documents], self.trailing[documents]
        just_said = self._follows(documents, "leading") | self._follows(documents, "trailing")  # "led 28 - 22"
        allowed = allowed & ~(just_said[:, None, None] & self.not_a_score)
        narrowed = allowed & ~(leading[:, None, None] & self.deficit_slots)
        narrowed &= ~(trailing[:, None, None] & self.lead_slots)
        is_subject = torch.arange(2, device=rows.device) == self.subject[documents].unsqueeze(1)  # [K, 2]
        outcome = (leading.long() - trailing.long()).unsqueeze(1) * torch.where(is_subject, 1, -1)
        results, outcome = self.period_results[documents], outcome.unsqueeze(2)
        refused = (results * outcome < 0) | ((results == TIED) & (outcome != 0))
        narrowed[:, :2, : refused.shape[2]] &= ~refused
        for slot in self.place:  # "at home" is the home team's place, "on the road" the visitors'
            for other, of_place in zip((1, 0), self.of_place, strict=True):
                narrowed[:, other, slot] &= ~of_place[self.last_slot[documents]]
        return narrowed

    def observe(self, step: Step) -> None:
        documents, words = step.documents, step.words
        passive = self._follows(documents, "passive")
        leads = self.in_group["leading"][words] & ~(passive & self.in_group["trailing"][words])
        trails = self.in_group["trailing"][words] & (passive | ~self.in_group["leading"][words])
        ended = words == self.period
        team = 1 - self.is_home[self.game[documents], step.current_entity.clamp(min=0)]
        self.subject[documents] = torch.where(leads | trails, team, self.subject[documents])
        self.leading[documents] = (self.leading[documents] | leads) & ~trails & ~ended
        self.trailing[documents] = (self.trailing[documents] | trails) & ~leads & ~ended
        none = len(self.barred_after) - 1
        self.last_slot[documents] = torch.where(ended, none, self.last_slot[documents])
        if step.stated is not None:
            rows, entity, slot = step.stated
            is_number = (entity > 1) | self.is_number[slot.clamp(max=len(self.is_number) - 1)]
            stated = torch.where(entity < 2, slot, none)
            self.last_slot[documents[rows]] = torch.where(is_number, stated, self.last_slot[documents[rows]])
        self.in_opening[documents] &= ~ended
        self.before_previous[documents] = self.previous[documents]
        self.previous[documents] = words


def _members(ids: list[int], vocab: int, device: torch.device) -> torch.Tensor:
    mask = torch.zeros(vocab, dtype=torch.bool, device=device)
    mask[torch.tensor(ids, dtype=torch.long, device=device)] = True
    return mask
