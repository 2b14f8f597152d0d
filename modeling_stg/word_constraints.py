"""Constraints on words at Z_t = 0: special tokens, penalties, other teams' arenas, and repetitions."""

from collections.abc import Mapping

import torch

from .configuration_stg import StgConfig
from .constraints import NEVER, Constraint, Step
from .errors import StgError
from .settings import GenerationSettings


class SpecialTokens(Constraint):
    """Bans <PAD>, <UNK> and <SoD>, <EoD> before `min_new_tokens`, and with `grounded_only` all words for numbers."""

    def __init__(self, settings: GenerationSettings, config: StgConfig, device: torch.device):
        banned = {config.pad_token_id, config.unk_token_id, config.bos_token_id}
        if settings.grounded_only:
            if config.number_token_ids is None:
                raise StgError("grounded_only: config.number_token_ids is not set; use processor.config()")
            banned.update(config.number_token_ids)
        self.min_new_tokens, self.end = settings.min_new_tokens, config.eos_token_id
        self.banned = torch.tensor(sorted(banned), device=device)

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        if self.min_new_tokens:
            is_early = torch.as_tensor(step.time < self.min_new_tokens, device=scores.device)
            scores[:, self.end].masked_fill_(is_early, NEVER)
        return scores.index_fill_(1, self.banned, NEVER)


class EndPenalty(Constraint):
    """Subtracts `end_penalty` from the score of <EoD>."""

    def __init__(self, penalty: float, end: int):
        self.penalty, self.end = penalty, end

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        scores[:, self.end] -= self.penalty
        return scores


class RepetitionPenalty(Constraint):
    """The repetition penalty of transformers, for the words of the text so far; values of records do not count."""

    per_document = ("used",)

    def __init__(self, penalty: float, vocab_size: int, game: torch.Tensor):
        self.penalty, self.vocab_size = penalty, vocab_size
        self.used = torch.zeros(len(game), vocab_size, dtype=torch.bool, device=game.device)

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        penalised = torch.where(scores < 0, scores * self.penalty, scores / self.penalty)
        return torch.where(self.used[step.documents], penalised, scores)

    def observe(self, step: Step) -> None:
        is_word = step.tokens < self.vocab_size
        self.used[step.documents[is_word], step.tokens[is_word]] = True


class OwnArena(Constraint):
    """Bans words that name another team's home court."""

    per_document = ("other_arenas",)

    def __init__(self, batch: Mapping[str, torch.Tensor], game: torch.Tensor):
        if "other_arenas" not in batch:
            raise StgError("own_arena: the batch has no other_arenas; use processor(games)")
        self.other_arenas = batch["other_arenas"][game]  # [N, W]

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        return scores.scatter_(1, self.other_arenas[step.documents], NEVER)


class NGrams:
    """The n-grams of a document or, with `stop`, of its current sentence: which words followed their first n - 1.

    The base class of all histories: `add` a word, then ask what is `blocked`.
    """

    def __init__(self, size: int, stop: int | None = None):
        self.size, self.stop = size, stop
        self.last: tuple[int, ...] = ()
        self.followers: dict[tuple[int, ...], tuple[int, ...]] = {}

    def add(self, word: int, token: int) -> None:
        """Adds a written word; `token`, its sequence id, may be that of a record."""
        gram = (*self.last, word)
        if len(gram) == self.size:
            first, gram = gram[:-1], gram[1:]
            self.followers[first] = (*self.followers.get(first, ()), word)
        self.last = gram
        if word == self.stop:
            self.last, self.followers = (), {}

    def blocked(self) -> tuple[int, ...]:
        """Tokens that would complete a repetition."""
        return self.followers.get(self.last, ())

    def copy(self) -> "NGrams":
        """A copy, made by hand: every beam needs one at every step, and copy.copy takes three times as long."""
        other = object.__new__(type(self))
        other.__dict__ = {**self.__dict__, "followers": self.followers.copy()}
        return other


class ImmediateRepeats(NGrams):
    """Blocks "just just"; a word after a record may equal its value ("three three-pointers")."""

    def __init__(self, hyphen: int | None):
        super().__init__(0)
        self.hyphen = hyphen

    def add(self, word: int, token: int) -> None:
        self.followers = {(): (word,) if token == word != self.hyphen else ()}


class Sentences(NGrams):
    """Compares sentences by token, so that the same words about another player are another sentence.

    Blocks a token that would make OPENING or more tokens, or a whole sentence, equal to the beginning of an earlier
    one: a repeated sentence changes course while it still can, and is never completed.
    """

    OPENING = 8

    def __init__(self, stop: int):
        super().__init__(0, stop)

    def add(self, word: int, token: int) -> None:
        self.last = (*self.last, token)
        if token == self.stop:
            for length in range(min(self.OPENING, len(self.last)) - 1, len(self.last)):
                first = self.last[:length]
                self.followers[first] = (*self.followers.get(first, ()), self.last[length])
            self.last = ()


class PlayerUnits(NGrams):
    """Blocks the same word after the same number of the same player.

    "One steal and one steal" states two cells, but one of them with the wrong word.
    """

    def __init__(self, config: StgConfig):
        super().__init__(0)
        self.config, self.record_ids, self.hyphen = config, config.record_ids, config.hyphen_token_id
        # `last` and the keys of `followers` are (player, number)

    def add(self, word: int, token: int) -> None:
        if token >= self.record_ids.vocab_size:
            entity, slot, _ = self.record_ids.decode(token)
            is_number = entity > 1 and self.config.is_number(self.config.attribute(entity, slot))
            self.last = (entity, word) if is_number else ()
        elif self.last and word != self.hyphen:
            self.followers[self.last] = (*self.followers.get(self.last, ()), word)
            self.last = ()


class BlockRepeats(Constraint):
    """Bans the words that a history blocks, document by document."""

    def __init__(self, history: NGrams, documents: int, vocab_size: int):
        self.vocab_size = vocab_size
        self.histories = [history.copy() for _ in range(documents)]

    def score_words(self, step: Step, scores: torch.Tensor) -> torch.Tensor:
        for row, document in enumerate(step.document_list):
            blocked = self.histories[document].blocked()
            if blocked:
                step.ban(row, [token for token in blocked if token < self.vocab_size])
        return scores

    def observe(self, step: Step) -> None:
        for document, word, token in step.written:
            self.histories[document].add(word, token)

    def branch(self, parents: torch.Tensor) -> None:
        self.histories = [self.histories[parent].copy() for parent in parents.tolist()]
