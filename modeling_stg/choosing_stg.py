"""How a decision is taken from its scores: the best or a sample, with what the caller forbids taken out first."""

from dataclasses import dataclass

import torch

from .configuration_stg import StgConfig
from .game_stg import StgError


NEVER = float("-inf")
DEFAULT_MAX_NEW_TOKENS = 800  # RotoWire's longest summary has 846 tokens, nearly all have less than 600
ORDINARY = (
    *("min_new_tokens", "max_new_tokens", "min_length", "max_length", "do_sample", "temperature", "top_k", "top_p"),
    *("num_return_sequences", "num_beams", "length_penalty", "early_stopping", "repetition_penalty"),
    *("no_repeat_ngram_size", "return_dict_in_generate", "output_scores", "use_cache"),
    *("pad_token_id", "bos_token_id", "eos_token_id"),
)
OWN = {"z_threshold": 0.5, "sentence_ngram_size": 0, "avoid_repeats": False, "grounded_only": False}


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
    z_threshold: float
    avoid_repeats: bool
    grounded_only: bool

    def __post_init__(self):
        positive = ("max_new_tokens", "temperature", "num_return_sequences", "num_beams", "repetition_penalty")
        for field in positive:
            if not self.__dict__[field] > 0:
                raise StgError(f"{field}: {self.__dict__[field]} is not above 0")
        for field in ("min_new_tokens", "top_k", "no_repeat_ngram_size", "sentence_ngram_size"):
            if self.__dict__[field] < 0:
                raise StgError(f"{field}: {self.__dict__[field]} is below 0; 0 switches it off")
        if self.min_new_tokens > self.max_new_tokens:
            raise StgError(f"min_new_tokens: {self.min_new_tokens} is above max_new_tokens {self.max_new_tokens}")
        if not 0 < self.top_p <= 1:
            raise StgError(f"top_p: {self.top_p} is not a share; it must be above 0 and at most 1")
        if not 0 < self.z_threshold < 1:
            raise StgError(f"z_threshold: {self.z_threshold} is not a probability between 0 and 1")
        if self.num_beams > 1 and self.do_sample:
            raise StgError("num_beams: beams are searched without sampling; set do_sample=False or num_beams=1")
        most = self.num_beams if self.num_beams > 1 else 1
        if not self.do_sample and self.num_return_sequences > most:
            raise StgError(
                f"num_return_sequences: {self.num_return_sequences} different texts need do_sample=True or num_beams"
            )

    @property
    def z_logit(self) -> float:
        """Z_t = 1 where its logit is at least this."""
        return torch.logit(torch.tensor(self.z_threshold, dtype=torch.float64)).item()


class Chooser:
    """Takes E, A, Y, Z and N from their scores."""

    def __init__(self, settings: Settings):
        self.settings = settings

    def index(self, scores: torch.Tensor) -> torch.Tensor:
        """One index for each row of scores [K, N]."""
        settings = self.settings
        if not settings.do_sample:
            return scores.max(1).indices
        scores = scores / settings.temperature
        if settings.top_k and settings.top_k < scores.shape[1]:
            least = scores.topk(settings.top_k, dim=1).values[:, -1:]
            scores = scores.masked_fill(scores < least, NEVER)
        probabilities = scores.softmax(1)
        if settings.top_p < 1:
            ordered, order = probabilities.sort(dim=1, descending=True)
            ordered[ordered.cumsum(1) - ordered >= settings.top_p] = 0  # the first is always kept
            probabilities = torch.zeros_like(probabilities).scatter_(1, order, ordered)
        return torch.multinomial(probabilities, 1).squeeze(1)

    def yes(self, logits: torch.Tensor, threshold: float = 0.0) -> torch.Tensor:
        """Z or N: whether each logit [K] says 1."""
        if not self.settings.do_sample:
            return logits >= threshold
        return torch.rand_like(logits) < ((logits - threshold) / self.settings.temperature).sigmoid()


class WordRules:
    """What may not be written at Z_t = 0. `history` [N, T] holds the words as written, of all documents."""

    def __init__(self, settings: Settings, config: StgConfig, documents: int, device):
        self.settings, self.eos = settings, config.eos_token_id
        never = [config.pad_token_id, config.unk_token_id, config.bos_token_id]
        if settings.grounded_only:
            if config.number_token_ids is None:
                raise StgError("grounded_only: config.number_token_ids is not set; take processor.config()'s")
            never += config.number_token_ids
        self.never = torch.tensor(sorted(set(never)), device=device)
        self.ngrams = [(size, scope) for size, scope in self._scopes() if size]
        self.history = self.used = self.start = None
        if self.ngrams:
            self.history = torch.full((documents, settings.max_new_tokens), -1, device=device)
            self.start = torch.zeros(documents, dtype=torch.long, device=device)
        if settings.repetition_penalty != 1:
            self.used = torch.zeros(documents, config.vocab_size, dtype=torch.bool, device=device)
        self.period = config.period_token_id
        self.time = 0

    def _scopes(self):
        yield self.settings.no_repeat_ngram_size, "document"
        yield self.settings.sentence_ngram_size, "sentence"

    def apply(self, scores: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """scores [K, V] of the documents at `places` [K]; they are changed in place."""
        scores.index_fill_(1, self.never, NEVER)
        if self.used is not None:
            penalty = self.settings.repetition_penalty
            punished = torch.where(scores < 0, scores * penalty, scores / penalty)
            scores = torch.where(self.used[places], punished, scores)
        for size, scope in self.ngrams:
            if self.time >= size:
                self._forbid_ngrams(scores, places, size, scope)
        if self.time < self.settings.min_new_tokens:
            scores[:, self.eos] = NEVER
        return scores

    def _forbid_ngrams(self, scores, places, size, scope) -> None:
        """No word that would complete `size` words in a row which the document (or the sentence) already has."""
        history = self.history[places, : self.time]
        followed = history[:, size - 1 :]  # [K, W]
        if size == 1:
            same = torch.ones_like(followed, dtype=torch.bool)
        else:
            windows = history.unfold(1, size - 1, 1)[:, :-1]  # [K, W, size - 1]
            same = (windows == history[:, None, self.time - size + 1 :]).all(2)
        if scope == "sentence":
            begins = torch.arange(followed.shape[1], device=history.device)
            last = self.time - size + 1  # where the n-gram that is being completed begins
            same &= (begins >= self.start[places, None]) & (self.start[places, None] <= last)
        same &= (followed >= 0) & (followed < scores.shape[1]) & (followed != self.eos)
        banned = torch.where(same, followed, self.never[0])
        scores.scatter_(1, banned, NEVER)

    def remember(self, places, words, states) -> None:
        """words [R] as written at this step; `states` [R] where they are a record's."""
        if self.history is not None:
            self.history[places, self.time] = words
            self.start[places] = torch.where(words == self.period, self.time + 1, self.start[places])
        if self.used is not None:
            self.used[places[~states], words[~states]] = True
        self.time += 1

    def branch(self, places: torch.Tensor) -> None:
        """For beams: document i goes on from document places[i]."""
        if self.history is not None:
            self.history, self.start = self.history[places], self.start[places]
        if self.used is not None:
            self.used = self.used[places]
