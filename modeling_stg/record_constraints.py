"""What the caller demands of a text, kept for every document: records that must be stated, a plan, no number twice.

These only ever narrow the model's own choices. Where the model wants to end while something is still demanded,
it states a demanded record instead; where the room left is just enough for what is demanded, it states that and
nothing else. So a demand that passed the checks is always met.

"No number twice" also means that a player whose points are told, and who was left for another, is not taken up again
in a later sentence: named once more, he would have nothing left but numbers that do not fit. Beams apart, a sentence
that would name a team for the second time goes on with a word instead, not that name.

An opening, the ids that a text begins with, is taken as it stands: it was written under the same demands.
"""

import torch

from .choosing import Settings
from .configuration_stg import StgConfig
from .errors import StgError


class Demands:
    """Tensors of all documents, [N, ...]; a row of `Decoding` finds its own at `place`."""

    @classmethod
    def read(cls, batch, settings: Settings, config: StgConfig, game: torch.Tensor) -> "Demands | None":
        """`game` [N] is the game of each document. None where nothing is demanded."""
        if not settings.avoid_repeats and not {"plan", "required", "opening"}.intersection(batch):
            return None
        return cls(batch, settings, config, game)

    def __init__(self, batch, settings: Settings, config: StgConfig, game: torch.Tensor):
        self.settings, self.config = settings, config
        games, entities, slots = batch["record_mask"].shape
        device = game.device
        is_number = torch.zeros(entities, slots, dtype=torch.bool, device=device)
        is_name, is_points, is_team = is_number.clone(), is_number.clone(), is_number.clone()
        for entity in range(entities):
            for slot, attribute in enumerate(config.team_attributes if entity < 2 else config.player_attributes):
                is_number[entity, slot] = config.is_number(attribute)
                is_name[entity, slot] = config.has_name(entity, slot)
                is_points[entity, slot] = attribute == "PTS"
                is_team[entity, slot] = attribute == "TEAM-NAME"
        self.free = batch["record_mask"][game]  # [N, E, S]: records that may still be stated
        self.names = self.free & is_name
        self.is_number, self.is_points, self.is_team = is_number, is_points, is_team
        self.told = torch.zeros_like(self.free[:, :, 0])  # [N, E]: players whose points are stated
        self.spoken_of, self.named = self.told.clone(), self.told.clone()  # [N, E]: so far in the running sentence
        team_words = batch["value_words"][:, :2, :, 0][:, is_team[:2]]
        self.team_words = team_words[game]  # [N, 2]: the names of both teams as words
        self.required = batch["required"][game] if "required" in batch else None  # [N, G, E, S]
        self.pending = self.required.flatten(2).any(2) if self.required is not None else None  # [N, G]
        self.plan = batch["plan"][game] if "plan" in batch else None  # [N, P]: entity * S + slot, or -1
        if self.plan is not None:
            self.length = (self.plan >= 0).sum(1)
            self.done = torch.zeros_like(self.length)
        self.opening = batch["opening"][game] if "opening" in batch else None  # [N, O]: ids, -1 after the last
        self.given = None  # [R]: of the opening, what is to be written at this step, or -1
        self.last = torch.full_like(game, config.period_token_id)
        self.ending = torch.zeros_like(game, dtype=torch.bool)  # its plan is done and it has asked for one more record
        self._check()

    def _check(self) -> None:
        most = int(self.left(slice(None)).max())
        if most + 1 > self.settings.max_new_tokens:
            raise StgError(
                f"max_new_tokens: {self.settings.max_new_tokens} leaves no room for {most} tokens that are demanded; "
                f"raise it to {most + 1} or more"
            )
        if self.plan is None or not self.settings.avoid_repeats:
            return
        numbers = self.is_number.flatten()
        for row, pointers in enumerate(self.plan.tolist()):
            stated = [pointer for pointer in pointers if pointer >= 0 and numbers[pointer]]
            twice = next((pointer for pointer in stated if stated.count(pointer) > 1), None)
            if twice is not None:
                entity, slot = divmod(twice, self.config.num_slots)
                record = f"{self.config.attribute(entity, slot)} of entity {entity}"
                raise StgError(f"plan[{row}]: states {record} twice, which avoid_repeats forbids; drop one of the two")

    def left(self, places) -> torch.Tensor:
        """[K]: how many tokens the demands still need at most: a required record may need a name before it."""
        planned = 0 if self.plan is None else self.length[places] - self.done[places]
        if self.pending is None:
            return planned + torch.zeros_like(self.last[places])
        wanted = 2 * self.pending[places].sum(1)
        return wanted if self.plan is None else torch.where(self.length[places] > 0, planned, wanted)

    def transition(self, states: torch.Tensor, places: torch.Tensor, time: int) -> torch.Tensor:
        """Z_t [R] as it must be; leaves which rows are forced, and which want a record when their plan is done."""
        self.given = None
        if self.opening is not None and time < self.opening.shape[1]:
            self.given = self.opening[places, time]
            states = torch.where(self.given < 0, states, self.given >= self.config.vocab_size)
        left = self.left(places)
        self.forced = (left > 0) & (self.settings.max_new_tokens - time <= left + 1)
        states = states | self.forced
        self.over = torch.zeros_like(states) if self.plan is None else (self.length[places] > 0) & (left == 0)
        if time >= self.settings.min_new_tokens:
            self.ending[places] |= states & self.over
        self.closing = self.ending[places]
        return states & ~self.over

    def end(self, y: torch.Tensor, states: torch.Tensor, places: torch.Tensor):
        """Words y [R] and Z_t [R]: who would write the end too early states a record instead.

        Where a plan is done and the model asks for one more record, the sentence and then the text are closed.
        """
        y = torch.where(self.closing, self._close(places), y)
        if self.given is not None:
            y = torch.where((self.given < 0) | states, y, self.given)
        early = (y == self.config.eos_token_id) & ~states & (self.left(places) > 0)
        self.forced |= early
        return y, states | early

    def _close(self, places) -> torch.Tensor:
        period, eos = self.config.period_token_id, self.config.eos_token_id
        return torch.where(self.last[places] == period, eos, period)

    def closing_words(self, scores: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Of the scores [R, V] nothing but that of the word that closes."""
        close = self._close(places).unsqueeze(1)
        return torch.full_like(scores, float("-inf")).scatter_(1, close, scores.gather(1, close))

    def allowed(self, rows, places: torch.Tensor, current: torch.Tensor) -> torch.Tensor:
        """Records that may be stated, [K, E, S], by `rows` [K] with their places [K] and current entity [K]."""
        forced, allowed = self.forced[rows], self.free[places]
        if self.settings.avoid_repeats:
            left = torch.arange(allowed.shape[1], device=current.device) != current.unsqueeze(1)
            closed = self.told[places] & ~self.spoken_of[places] & left
            allowed = allowed & ~closed.unsqueeze(2)
        if self.pending is not None:
            demanded = (self.required[places] & self.pending[places, :, None, None]).any(1)
            # A number says nothing unless its entity is being talked about: name it first, and then stay with it.
            names = self.names[places]
            entities = torch.arange(demanded.shape[1], device=current.device)
            first = demanded.any(2) & (entities != current.unsqueeze(1)) & names.any(2)
            here = demanded & (entities == current.unsqueeze(1)).unsqueeze(2)
            demanded = torch.where(first.unsqueeze(2), names, demanded)
            demanded = torch.where(here.flatten(1).any(1)[:, None, None], here, demanded)
            use = forced if self.plan is None else forced & (self.length[places] == 0)
            allowed = torch.where(use[:, None, None], demanded, allowed)
        if self.plan is not None:
            after = self.done[places].clamp(max=self.plan.shape[1] - 1).unsqueeze(1)
            pointer = self.plan[places].gather(1, after)
            entities, slots = self.is_number.shape
            only = (torch.arange(entities * slots, device=pointer.device) == pointer).unflatten(1, (entities, slots))
            allowed = torch.where((self.length[places] > 0)[:, None, None], only, allowed)
        if self.given is not None:
            record = (self.given[rows] - self.config.vocab_size).unsqueeze(1) // 2
            only = torch.arange(self.is_number.numel(), device=record.device) == record
            allowed = torch.where((record >= 0).unsqueeze(2), only.unflatten(1, self.is_number.shape), allowed)
        return allowed

    def form(self, form: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """N_t [K] as `rows` [K] must write their records."""
        if self.given is None:
            return form
        given = self.given[rows]
        return torch.where(given < 0, form, (given - self.config.vocab_size) % 2)

    def words(self, scores: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """Scores [R, V] of words: a team of this game is named by its record, so that it is known to have been."""
        if self.settings.avoid_repeats:
            scores.scatter_(1, self.team_words[places], float("-inf"))
        return scores

    def names_again(self, rows, places, words, entity: torch.Tensor, slot: torch.Tensor) -> torch.Tensor:
        """[K]: where a sentence would name a team for the second time, as if it met itself, and has a word [K] to
        write instead: the end is none while something is demanded."""
        free = ~self.forced[rows] if self.given is None else ~self.forced[rows] & (self.given[rows] < 0)
        again = self.is_team[entity, slot] & self.named[places, entity] & free & self.settings.avoid_repeats
        again &= (words != self.config.eos_token_id) | (self.left(places) == 0)
        return again if self.plan is None else again & (self.length[places] == 0)

    def stated(self, places: torch.Tensor, entity: torch.Tensor, slot: torch.Tensor) -> None:
        if self.settings.avoid_repeats:
            self.free[places, entity, slot] &= ~self.is_number[entity, slot]
            self.told[places, entity] |= self.is_points[entity, slot]
            self.spoken_of[places, entity] = True
            self.named[places, entity] |= self.is_team[entity, slot]
        if self.pending is not None:
            groups = torch.arange(self.pending.shape[1], device=entity.device)
            self.pending[places] &= ~self.required[places[:, None], groups, entity[:, None], slot[:, None]]
        if self.plan is not None:
            self.done[places] += 1

    def wrote(self, places: torch.Tensor, words: torch.Tensor) -> None:
        self.last[places] = words
        goes_on = (words != self.config.period_token_id).unsqueeze(1)
        self.named[places] &= goes_on
        self.spoken_of[places] &= goes_on

    def branch(self, places: torch.Tensor) -> None:
        """For beams: document i goes on from document places[i]."""
        self.free, self.names, self.told = self.free[places], self.names[places], self.told[places]
        self.spoken_of, self.named = self.spoken_of[places], self.named[places]
        self.last, self.ending = self.last[places], self.ending[places]
        if self.pending is not None:
            self.required, self.pending = self.required[places], self.pending[places]
        if self.plan is not None:
            self.plan, self.length, self.done = self.plan[places], self.length[places], self.done[places]
