"""How a decision is taken from its scores: the best or a sample, with what the caller forbids taken out first."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import torch
from transformers import GenerationConfig

from .configuration_stg import StgConfig
from .errors import StgError
from .kernels import best


NEVER = float("-inf")
DEFAULT_MAX_NEW_TOKENS = 800  # RotoWire's longest summary has 846 tokens, nearly all have less than 600
# Beyond these a typing mistake is likelier than a wish, a number overflows or memory ends.
MOST = {"max_new_tokens": 100_000, "num_beams": 100, "num_return_sequences": 1000, "consensus": 1000, "rewrites": 100}
RANGES = {
    **{"temperature": (1e-6, 1e6), "repetition_penalty": (1e-6, 1e6)},
    **{"length_penalty": (-10, 10), "end_penalty": (-1e6, 1e6)},
}
IDS = ("pad_token_id", "bos_token_id", "eos_token_id")  # the model's own, and no others
ABOUT = ("transformers_version", "_from_model_config")  # fields of a generation_config that ask for nothing
FIXED = {"early_stopping": False, "output_scores": False}
ORDINARY = (
    *("min_new_tokens", "max_new_tokens", "min_length", "max_length", "do_sample", "temperature", "top_k", "top_p"),
    *("num_return_sequences", "num_beams", "length_penalty", "repetition_penalty"),
    *("no_repeat_ngram_size", "return_dict_in_generate", "use_cache", *IDS, *FIXED),
)
OWN = {
    **{"z_threshold": 0.5, "sentence_ngram_size": 0, "no_repeat_sentences": False},
    **{"avoid_repeats": False, "grounded_only": False, "own_arena": False, "consensus": 0, "rewrites": 0},
    **{"end_penalty": 0.0},
}


USUAL = {  # where nobody says anything
    **{"min_new_tokens": 0, "max_new_tokens": DEFAULT_MAX_NEW_TOKENS, "do_sample": False, "temperature": 1.0},
    **{"top_k": 0, "top_p": 1.0, "num_return_sequences": 1, "num_beams": 1, "length_penalty": 1.0},
    **{"repetition_penalty": 1.0, "no_repeat_ngram_size": 0, **OWN},
}


@dataclass
class Settings:
    """The generation configuration of one call, checked."""

    min_new_tokens: int
    max_new_tokens: int
    do_sample: bool
    temperature: float
    top_k: int
    top_p: float
    num_return_sequences: int
    num_beams: int
    length_penalty: float
    repetition_penalty: float
    no_repeat_ngram_size: int
    sentence_ngram_size: int
    no_repeat_sentences: bool
    z_threshold: float
    avoid_repeats: bool
    grounded_only: bool
    own_arena: bool
    consensus: int
    rewrites: int
    end_penalty: float

    def __post_init__(self):
        check_kinds(vars(self))
        positive = ("max_new_tokens", "temperature", "num_return_sequences", "num_beams", "repetition_penalty")
        for field in positive:
            if not self.__dict__[field] > 0:
                raise StgError(f"{field}: {self.__dict__[field]} is not above 0")
        counts = ("min_new_tokens", "top_k", "no_repeat_ngram_size", "sentence_ngram_size", "consensus", "rewrites")
        for field in counts:
            if self.__dict__[field] < 0:
                raise StgError(f"{field}: {self.__dict__[field]} is below 0; 0 switches it off")
        for field, value in vars(self).items():
            if isinstance(value, float) and not math.isfinite(value):
                raise StgError(f"{field}: {value} is not a finite number")
        for field, most in MOST.items():
            if self.__dict__[field] > most:
                raise StgError(f"{field}: {self.__dict__[field]} is above {most}")
        for field, (least, most) in RANGES.items():
            if not least <= self.__dict__[field] <= most:
                raise StgError(f"{field}: {self.__dict__[field]} is not between {least} and {most}")
        if self.min_new_tokens > self.max_new_tokens:
            raise StgError(f"min_new_tokens: {self.min_new_tokens} is above max_new_tokens {self.max_new_tokens}")
        if not 0 < self.top_p <= 1:
            raise StgError(f"top_p: {self.top_p} is not a share; it must be above 0 and at most 1")
        if not 0 < self.z_threshold < 1:
            raise StgError(f"z_threshold: {self.z_threshold} is not a probability between 0 and 1")
        if self.consensus and (self.num_beams > 1 or self.num_return_sequences > 1):
            raise StgError("consensus: it samples by itself and keeps one text; no num_beams, no num_return_sequences")
        if self.rewrites and not self.consensus:
            raise StgError("rewrites: there are no samples to choose from; set consensus to 2 or more")
        if self.num_beams > 1 and self.do_sample:
            raise StgError("num_beams: beams are searched without sampling; set do_sample=False or num_beams=1")
        most = self.num_beams if self.num_beams > 1 else 1
        if not self.do_sample and self.num_return_sequences > most:
            raise StgError(
                f"num_return_sequences: {self.num_return_sequences} different texts need do_sample=True or num_beams"
            )

    @cached_property
    def z_logit(self) -> float:
        """Z_t = 1 where its logit is at least this."""
        return torch.logit(torch.tensor(self.z_threshold, dtype=torch.float64)).item()


KINDS = {field.name: field.type for field in fields(Settings)} | {"min_length": int, "max_length": int}


def asked_by(config: GenerationConfig | None) -> dict[str, Any]:
    """What a generation_config asks for that is not transformers' default; what is off is not asked for."""
    fields = {} if config is None else config.to_diff_dict()
    return {name: value for name, value in fields.items() if value and name not in ABOUT}


def check_kinds(options: Mapping[str, Any]) -> None:
    """Raises an StgError where an option is of another type than it must be; None is no option."""
    for name, value in options.items():
        kind = KINDS.get(name)
        if value is None or kind is None:
            continue
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or isinstance(value, bool) != (kind is bool):
            wanted = {bool: "True or False", int: "a whole number", float: "a number"}[kind]
            raise StgError(f"{name}: {value!r} is not {wanted}")


class Chooser:
    """Takes E, A, Y, Z and N from their scores."""

    def __init__(self, settings: Settings):
        self.settings = settings

    def index(self, scores: torch.Tensor) -> torch.Tensor:
        """One index for each row of scores [K, N]."""
        settings = self.settings
        if not settings.do_sample:
            return best(scores)
        scores, choices = scores / settings.temperature, None
        if settings.top_k and settings.top_k < scores.shape[1]:
            scores, choices = scores.topk(settings.top_k, dim=1)
        probabilities = scores.softmax(1, dtype=torch.promote_types(scores.dtype, torch.float32))
        if settings.top_p < 1:
            if choices is None:
                probabilities, choices = probabilities.sort(dim=1, descending=True)
            before = probabilities.cumsum(1) - probabilities
            probabilities = probabilities.masked_fill(before >= settings.top_p, 0)  # the first is always kept
        drawn = draw(probabilities)
        return (drawn if choices is None else choices.gather(1, drawn)).squeeze(1)

    def yes(self, logits: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
        """Z or N: whether each logit [K] says 1."""
        if not self.settings.do_sample:
            return logits >= threshold
        return torch.rand_like(logits) < ((logits - threshold) / self.settings.temperature).sigmoid()


def draw(weights: torch.Tensor) -> torch.Tensor:
    """An index for each row of weights [K, N], as likely as its weight; [K, 1].

    By one random number a row: `torch.multinomial` draws one for every weight, which takes longer than a whole step.
    """
    reached = weights.cumsum(1)
    # always below the sum, so that a weight of 0 is passed over, the last ones too
    chance = torch.rand_like(reached[:, :1]) * reached[:, -1:]
    drawn = torch.searchsorted(reached, chance, right=True)
    if (drawn == weights.shape[1]).any():
        raise StgError("do_sample: no score is a number; everything is forbidden, or the weights are not usable")
    return drawn


class NGrams:
    """The n-grams of words that a document (or, up to each `stop`, its sentence) already has, and how they end."""

    def __init__(self, size: int, stop: int | None = None):
        self.size, self.stop = size, stop
        self.last: tuple[int, ...] = ()
        self.followed: dict[tuple[int, ...], tuple[int, ...]] = {}  # by the first n - 1 words

    def add(self, word: int, token: int) -> None:
        """`word` as it was written; `token`, its id in the sequence, may be a record's."""
        gram = (*self.last, word)
        if len(gram) == self.size:
            first, gram = gram[:-1], gram[1:]
            self.followed[first] = (*self.followed.get(first, ()), word)
        self.last = gram
        if word == self.stop:
            self.last, self.followed = (), {}

    def forbidden(self) -> tuple[int, ...]:
        """What would be there for the second time if it came next."""
        return self.followed.get(self.last, ())

    def copy(self):
        """As copy.copy, which takes three times as long and is asked for every beam at every step."""
        other = object.__new__(type(self))
        other.__dict__ = {**self.__dict__, "followed": self.followed.copy()}
        return other


class Echoes(NGrams):
    """The last word, where it was no record's: "just just" (but "three three-pointers" is well said)."""

    def __init__(self, hyphen: int | None):
        super().__init__(0)
        self.hyphen = hyphen

    def add(self, word: int, token: int) -> None:
        self.followed = {(): (word,) if token == word != self.hyphen else ()}


class Sentences(NGrams):
    """The sentences that a document already has, as ids, so that the same words about another player are others.

    What is forbidden is a token that makes OPENING tokens or more, or a whole sentence, the same as those which began
    an earlier one: a repetition is left while there is room to go elsewhere, and never completed.
    """

    OPENING = 8

    def __init__(self, stop: int):
        super().__init__(0, stop)

    def add(self, word: int, token: int) -> None:
        self.last = (*self.last, token)
        if token == self.stop:
            for length in range(min(self.OPENING, len(self.last)) - 1, len(self.last)):
                first = self.last[:length]
                self.followed[first] = (*self.followed.get(first, ()), self.last[length])
            self.last = ()


class Units(NGrams):
    """What follows a player's numbers: the same number of his is not said twice of the same thing.

    "One steal and one steal" states two cells, but one of them by a wrong word.
    """

    def __init__(self, config: StgConfig):
        super().__init__(0)
        self.config, self.vocab_size, self.hyphen = config, config.vocab_size, config.hyphen_token_id
        self.followed: dict[tuple[int, int], tuple[int, ...]] = {}  # by player and number: the words after it

    def add(self, word: int, token: int) -> None:
        if token >= self.vocab_size:
            entity, slot, _ = self.config.read_record_id(token)
            is_number = entity > 1 and self.config.is_number(self.config.attribute(entity, slot))
            self.last = (entity, word) if is_number else ()
        elif self.last and word != self.hyphen:
            self.followed[self.last] = (*self.followed.get(self.last, ()), word)
            self.last = ()


class WordRules:
    """What may not be written at Z_t = 0, for all documents: a row of `Decoding` finds its own at `place`."""

    def __init__(self, settings: Settings, config: StgConfig, batch: Mapping[str, torch.Tensor], game: torch.Tensor):
        """`game` [N] is the game of each document."""
        documents, device = len(game), game.device
        self.settings, self.period, self.vocab_size = settings, config.period_token_id, config.vocab_size
        never = [config.pad_token_id, config.unk_token_id, config.bos_token_id]
        if settings.grounded_only:
            if config.number_token_ids is None:
                raise StgError("grounded_only: config.number_token_ids is not set; take processor.config()'s")
            never += config.number_token_ids
        self.never = torch.tensor(sorted({*never}), device=device)
        self.not_yet = torch.tensor(sorted({*never, config.eos_token_id}), device=device)  # before min_new_tokens
        self.said = [[*self._said(config)] for _ in range(documents)]
        self.elsewhere = None  # [N, W]: words that name another place than that of the game
        if settings.own_arena:
            if "other_arenas" not in batch:
                raise StgError("own_arena: the batch has no other_arenas; take processor(games)'s")
            self.elsewhere = batch["other_arenas"][game]
        self.used = None
        if settings.repetition_penalty != 1:
            self.used = torch.zeros(documents, config.vocab_size, dtype=torch.bool, device=device)
        self.end, self.time = config.eos_token_id, 0

    def _said(self, config: StgConfig) -> Iterator[NGrams]:
        """What has to be remembered of a document."""
        if self.settings.no_repeat_ngram_size:
            yield NGrams(self.settings.no_repeat_ngram_size)
        if self.settings.sentence_ngram_size:
            yield NGrams(self.settings.sentence_ngram_size, self.period)
            yield Echoes(config.hyphen_token_id)
        if self.settings.no_repeat_sentences:
            yield Sentences(self.period)
        if self.settings.avoid_repeats and config.hyphen_token_id is not None:
            yield Units(config)

    def apply(self, scores: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """scores [K, V] of the documents at `places` [K]; they are changed in place."""
        if self.used is not None:
            penalty = self.settings.repetition_penalty
            punished = torch.where(scores < 0, scores * penalty, scores / penalty)
            scores = torch.where(self.used[places], punished, scores)
        if self.settings.end_penalty:
            scores[:, self.end] -= self.settings.end_penalty
        scores.index_fill_(1, self.not_yet if self.time < self.settings.min_new_tokens else self.never, NEVER)
        if self.elsewhere is not None:
            scores.scatter_(1, self.elsewhere[places], NEVER)
        if self.said[0]:
            forbidden = [
                (row, word)
                for row, place in enumerate(places.tolist())
                for said in self.said[place]
                for word in said.forbidden()
                if word < self.vocab_size
            ]
            if forbidden:
                rows, words = torch.tensor(forbidden, device=scores.device).t()
                scores[rows, words] = NEVER
        return scores

    def remember(self, places: torch.Tensor, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """words [R] as written at this step, and their ids [R] in the sequences."""
        if self.said[0]:
            for place, word, token in zip(places.tolist(), words.tolist(), tokens.tolist(), strict=True):
                for said in self.said[place]:
                    said.add(word, token)
        if self.used is not None:
            chosen = tokens < self.vocab_size
            self.used[places[chosen], tokens[chosen]] = True
        self.time += 1

    def branch(self, places: torch.Tensor) -> None:
        """For beams: document i goes on from document places[i]."""
        self.said = [[said.copy() for said in self.said[place]] for place in places.tolist()]
        if self.elsewhere is not None:
            self.elsewhere = self.elsewhere[places]
        if self.used is not None:
            self.used = self.used[places]
