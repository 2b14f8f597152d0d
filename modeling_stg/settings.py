"""`GenerationSettings`: the options of `generate`, their defaults and checks, and how a call sets them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .errors import StgError


if TYPE_CHECKING:  # commands read options before the slow imports
    from transformers import GenerationConfig


TYPE_NAMES = {bool: "True or False", int: "a whole number", float: "a number"}


def option(default: Any, low: float | None = None, high: float | None = None, stg: bool = False) -> Any:
    """A dataclass field within [low, high]; `stg` marks options that transformers does not have."""
    return field(default=default, metadata={"low": low, "high": high, "stg": stg})


def check_type(name: str, value: Any, expected: Any) -> None:
    """Checks that a value is of the type `expected`: bool, int or float, which may be written as an int."""
    fits = isinstance(value, (int, float) if expected is float else expected)
    if not fits or isinstance(value, bool) != (expected is bool):
        raise StgError(f"{name}: {value!r} is not {TYPE_NAMES[expected]}")


def check_fields(settings: Any) -> None:
    """Checks the type and range of every `option` of a dataclass."""
    for setting in fields(settings):
        name, value = setting.name, vars(settings)[setting.name]
        low, high = setting.metadata["low"], setting.metadata["high"]
        check_type(name, value, setting.type)
        if isinstance(value, float) and not math.isfinite(value):  # isfinite overflows for large ints
            raise StgError(f"{name}: {value} is not a finite number")
        if low is not None and value < low:
            raise StgError(f"{name}: {value} is below {low}" + "; 0 turns it off" * (low == 0))
        if high is not None and value > high:
            raise StgError(f"{name}: {value} is above {high}")


def check_order(settings: Any, name: str) -> None:
    """Checks that min_{name} is at least 0 and does not exceed max_{name}."""
    low, high = vars(settings)[f"min_{name}"], vars(settings)[f"max_{name}"]
    if not 0 <= low <= high:
        raise StgError(f"min_{name}: {low} is not between 0 and max_{name} {high}")


# Upper limits catch typing mistakes before memory runs out or a number overflows.
MAX_NEW_TOKENS, MAX_BEAMS, MAX_LENGTH_PENALTY = 100_000, 100, 10.0


@dataclass
class GenerationSettings:
    """The options of one call of `generate`, checked.

    Args:
        min_new_tokens: do not write <EoD> before this many tokens.
        max_new_tokens: stop after this many tokens.
        do_sample: sample every decision instead of taking the most likely.
        temperature, top_k, top_p: shape what is sampled from; top_k=0 and top_p=1 keep everything.
        num_return_sequences: texts per game; more than one needs do_sample or num_beams.
        num_beams: search with this many beams; 1 is greedy or sampling.
        length_penalty: beams are ranked by log-probability / length ** length_penalty.
        repetition_penalty: divide positive (multiply negative) scores of words already used by this.
        no_repeat_ngram_size: block repeated n-grams of this size within a text (0: off).
        z_threshold: state a record where p(Z_t = 1) is at least this; samples and beams shift the logit accordingly.
        sentence_ngram_size: block repeated n-grams of this size within a sentence, and immediate repeats (0: off).
        no_repeat_sentences: block a sentence that the text already has, from its eighth token on or at its end.
        avoid_repeats: state no number of the box score twice, do not return to a player in a later sentence once his
            points are stated, do not name a team twice in a sentence, and do not follow the same number of a player
            by the same word twice.
        grounded_only: write no numeral or number word of the vocabulary, so that every number is a fact.
        own_arena: write no word that names another team's home court (see `nba.py`).
        bound_words: write no word that a fact refutes, such as "trailed" about a team that never did, and leave
            phrases that a record states ("double - double", weekdays) to the records (see `bound_words.py`).
        end_penalty: subtracted from the logit of <EoD>; above 0 texts grow longer, below 0 shorter.
        sentence_candidates: sample this many candidates for each sentence and keep one that the judge accepts (see
            `sentence_search.py`; 0: off).
        sentence_starts: with sentence_candidates, begin a text that got stuck again, up to this many times in all.
        known_phrases: with sentence_candidates, reject sentences with an n-gram that no training text has (see
            `phrases.py`).
        consensus: sample this many texts and keep the one with the fewest repetitions that agrees best with the
            others (see `consensus.py`; 0: off).
        rewrites: with a judge, resume a text up to this many times before its first false sentence: sample `consensus`
            continuations and keep the text with the fewest repetitions, then the fewest false claims (0: off).

    Raises:
        StgError: names the option, its value and the limit.

    Example:
        >>> GenerationSettings(num_beams=4, length_penalty=0.5).max_new_tokens
        800
    """

    min_new_tokens: int = option(0, 0)
    max_new_tokens: int = option(800, 1, MAX_NEW_TOKENS)  # RotoWire's longest summary has 846 tokens, most < 600
    do_sample: bool = option(False)
    temperature: float = option(1.0, 1e-6, 1e6)  # the model's own distribution
    top_k: int = option(0, 0)
    top_p: float = option(1.0)
    num_return_sequences: int = option(1, 1, 1000)
    num_beams: int = option(1, 1, MAX_BEAMS)  # the paper decodes greedily
    length_penalty: float = option(1.0, -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY)  # mean log-probability per token
    repetition_penalty: float = option(1.0, 1e-6, 1e6)
    no_repeat_ngram_size: int = option(0, 0)
    z_threshold: float = option(0.5, stg=True)  # the paper's
    # Everything below departs from the paper's Algorithm 1 and is therefore off by default.
    sentence_ngram_size: int = option(0, 0, stg=True)
    no_repeat_sentences: bool = option(False, stg=True)
    avoid_repeats: bool = option(False, stg=True)
    grounded_only: bool = option(False, stg=True)
    own_arena: bool = option(False, stg=True)
    bound_words: bool = option(False, stg=True)
    sentence_candidates: int = option(0, 0, 1000, stg=True)
    sentence_starts: int = option(10, 1, 100, stg=True)
    known_phrases: bool = option(False, stg=True)
    consensus: int = option(0, 0, 1000, stg=True)
    rewrites: int = option(0, 0, 100, stg=True)
    end_penalty: float = option(0.0, -1e6, 1e6, stg=True)

    def __post_init__(self) -> None:
        check_fields(self)
        check_order(self, "new_tokens")
        if not 0 < self.top_p <= 1:
            raise StgError(f"top_p: {self.top_p} is not a probability above 0 and at most 1")
        if not 0 < self.z_threshold < 1:
            raise StgError(f"z_threshold: {self.z_threshold} is not a probability between 0 and 1")
        if self.consensus and (self.num_beams > 1 or self.num_return_sequences > 1):
            raise StgError("consensus: samples and keeps one text; leave out num_beams and num_return_sequences")
        if self.sentence_candidates and (self.num_beams > 1 or self.num_return_sequences > 1 or self.consensus):
            raise StgError(
                "sentence_candidates: writes one text; leave out num_beams, num_return_sequences and consensus"
            )
        if self.rewrites and not self.consensus:
            raise StgError("rewrites: there are no samples to choose from; set consensus to 2 or more")
        if self.num_beams > 1 and self.do_sample:
            raise StgError("num_beams: beam search does not sample; set do_sample=False or num_beams=1")
        if not self.do_sample and self.num_return_sequences > self.num_beams:
            raise StgError(
                f"num_return_sequences: {self.num_return_sequences} different texts need do_sample=True or num_beams"
            )

    @cached_property
    def z_logit(self) -> float:
        """Z_t = 1 where its logit is at least this."""
        return math.log(self.z_threshold / (1 - self.z_threshold))


DEFAULTS: dict[str, Any] = {setting.name: setting.default for setting in fields(GenerationSettings)}
STG_OPTIONS: dict[str, Any] = {
    setting.name: setting.default for setting in fields(GenerationSettings) if setting.metadata["stg"]
}
TYPES = {setting.name: setting.type for setting in fields(GenerationSettings)} | {"min_length": int, "max_length": int}
TOKEN_IDS = ("pad_token_id", "bos_token_id", "eos_token_id")  # fixed by the model's configuration
FIXED = {"early_stopping": False, "output_scores": False}  # accepted with these values only
ACCEPTED = (*DEFAULTS, "min_length", "max_length", "return_dict_in_generate", "use_cache", *TOKEN_IDS, *FIXED)
OTHER_SEARCHES = ("num_beams", "num_return_sequences", "consensus", "do_sample")
COUNTS_FROM_ONE = ("num_beams", "num_return_sequences")
BOOKKEEPING = ("transformers_version", "_from_model_config")  # fields of a GenerationConfig that are not options


def non_default_options(config: "GenerationConfig | None") -> dict[str, Any]:
    """The options that a GenerationConfig sets; those that are off or transformers' defaults do not count."""
    options = {} if config is None else config.to_diff_dict()
    return {name: value for name, value in options.items() if value and name not in BOOKKEEPING}


def read_settings(
    model: Any, generation_config: "GenerationConfig | None", options: Mapping[str, Any]
) -> tuple[GenerationSettings, bool]:
    """Merges a call's options, its generation_config and the model's own, in this order of precedence.

    Returns:
        The settings, and `return_dict_in_generate`.
    """
    options = dict(options)
    explicit = non_default_options(generation_config) | options
    if options.get("consensus") or options.get("sentence_candidates"):
        options["do_sample"] = True
    unknown = [name for name in explicit if name not in ACCEPTED]
    if unknown:
        raise StgError(f"generate: {', '.join(unknown)} not known; it takes {', '.join(ACCEPTED)}")
    for name, fixed in (*((name, vars(model.config)[name]) for name in TOKEN_IDS), *FIXED.items()):
        if explicit.get(name, fixed) not in (None, fixed):
            raise StgError(f"{name}: {explicit[name]} has no effect here, it is always {fixed}; leave it out")
    for name, value in explicit.items():
        if value is not None and name in TYPES:
            check_type(name, value, TYPES[name])
    lengths = [options.get("max_new_tokens"), options.get("max_length")]
    for config in (generation_config, model.generation_config):
        lengths += [] if config is None else [config.max_new_tokens or None, config.max_length or None]
    try:
        prepared, rest = model._prepare_generation_config(generation_config, **options)
    except ValueError as error:
        raise StgError(f"generate: {' '.join(str(error).split())}") from None
    chosen = {name: rest.get(name, vars(prepared).get(name)) for name in ACCEPTED}
    chosen["max_new_tokens"] = next((length for length in lengths if length is not None), None)
    chosen["min_new_tokens"] = chosen["min_new_tokens"] or chosen["min_length"]
    # A model that writes sentence by sentence can still be asked for beams or samples.
    asks_otherwise = [name for name in OTHER_SEARCHES if (explicit.get(name) or 0) > (name in COUNTS_FROM_ONE)]
    if asks_otherwise and "sentence_candidates" not in explicit:
        chosen |= {"sentence_candidates": 0, "known_phrases": False}
    settings = GenerationSettings(**{name: chosen[name] for name in DEFAULTS if chosen[name] is not None})
    return settings, bool(chosen["return_dict_in_generate"])
