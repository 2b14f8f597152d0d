"""StgConfig: the sizes and vocabularies of the model. The defaults are the paper's (appendix B)."""

from huggingface_hub.dataclasses import strict
from transformers import PreTrainedConfig

from .errors import StgError
from .facts import attribute_lists
from .record_ids import RecordIds
from .schema import NAME_ATTRIBUTES, NUMBER_ATTRIBUTES, PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES


_POSITIVE = (
    *("vocab_size", "num_entities", "num_values", "num_writers"),
    *("embedding_size", "hidden_size", "context_size", "writer_size", "num_lm_layers"),
)


@strict
class StgConfig(PreTrainedConfig):
    """Configuration of `StgForDataToText`.

    Args:
        vocab_size: words that the model can write; ids from here on point at records.
        num_entities, num_values: static entity embeddings e and value embeddings v; row 0 is "unknown".
        num_writers: writers that are known; the writer table has one more row, the last, for "unknown".
        use_writer: whether the writer's embedding w enters the context vector h'.
        use_teammates: whether p(E_t) may prefer, or shun, the team of e_{t-1} and its players. Beyond the paper, where
            a team has to be read off the entities' vectors: "the Jazz were led by" one of the other side too often.
        embedding_size: words, entities, attributes, values, records r and entity vectors e-bar.
        hidden_size: h_LM and h_Ent.  context_size: h'.  writer_size: w.
        number_word_limit: numbers up to here may be written as English words (N_t).
        unknown_rate: how often, in training, a known entity, value or writer is hidden, so that the unknown is learnt.
        anonymous_rate: how often, in training, a team or player is hidden with all its names, so that what it did
            decides and not who it is.
        dropout: share that is left out, in training, of y_t, of h_LM as the heads E, A and N read it, and of h' as the
            head Y reads it. The paper has none; small training sets need some.
        team_attributes, player_attributes: the box score's columns, after which the derived records may stand
            (`facts.py`).
        period_token_id: the token after which the tracker is refreshed.
        number_token_ids: words that are numbers, which `generate(grounded_only=True)` leaves to the records.
        hyphen_token_id: what joins a number to the word after it, which `generate(avoid_repeats=True)` looks through.
    """

    model_type = "stg"

    vocab_size: int = 6000
    num_entities: int = 800
    num_values: int = 2000
    num_writers: int = 32
    use_writer: bool = True
    use_teammates: bool = False
    embedding_size: int = 128
    hidden_size: int = 512
    context_size: int = 128
    writer_size: int = 512
    num_lm_layers: int = 2
    number_word_limit: int = 20
    unknown_rate: float = 0.02
    anonymous_rate: float = 0.0
    dropout: float = 0.0
    team_attributes: list[str] | tuple[str, ...] = TEAM_ATTRIBUTES
    player_attributes: list[str] | tuple[str, ...] = PLAYER_ATTRIBUTES
    pad_token_id: int | None = 0
    unk_token_id: int = 1
    bos_token_id: int | None = 2
    eos_token_id: int | list[int] | None = 3
    period_token_id: int = 4
    number_token_ids: list[int] | tuple[int, ...] | None = None
    hyphen_token_id: int | None = None
    tie_word_embeddings: bool = False

    def validate_architecture(self):
        """Part of `@strict` validation: every message names the field, its value and what it may be."""
        for field in _POSITIVE:
            if self.to_dict()[field] < 1:
                raise StgError(f"{field}: {self.to_dict()[field]} is too small; it must be at least 1")
        if not 0 <= self.number_word_limit <= 20:
            raise StgError(f"number_word_limit: {self.number_word_limit} is not within 0 to 20")
        for field in ("unknown_rate", "anonymous_rate", "dropout"):
            rate = self.to_dict()[field]
            if not 0 <= rate < 1:
                raise StgError(f"{field}: {rate} is not a rate; it must be at least 0 and below 1")
        for field in ("pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id", "period_token_id"):
            token = self.to_dict()[field]
            if not isinstance(token, int) or not 0 <= token < self.vocab_size:
                raise StgError(f"{field}: {token} is not a word id; it must lie below vocab_size {self.vocab_size}")
        for token in (*(self.number_token_ids or ()), *([self.hyphen_token_id] if self.hyphen_token_id else ())):
            if not 0 <= token < self.vocab_size:
                field = "hyphen_token_id" if token == self.hyphen_token_id else "number_token_ids"
                raise StgError(f"{field}: {token} is not a word id; it must lie below vocab_size {self.vocab_size}")
        for field, known in zip(("team_attributes", "player_attributes"), attribute_lists(derived=True), strict=True):
            given = list(self.to_dict()[field])
            odd = [attribute for attribute in given if attribute not in known]
            if odd or not given or len(set(given)) < len(given):
                raise StgError(f"{field}: {odd or given} must be distinct attributes out of {', '.join(known)}")

    @property
    def num_slots(self) -> int:
        """Attribute slots that every entity has; the shorter of the two lists leaves its last slots empty."""
        return max(len(self.team_attributes), len(self.player_attributes))

    def attribute(self, entity: int, slot: int) -> str:
        """The attribute in a slot of an entity: the first two entities of a game are its teams."""
        return (self.team_attributes if entity < 2 else self.player_attributes)[slot]

    def has_name(self, entity: int, slot: int) -> bool:
        """Whether a slot of an entity holds a part of its name."""
        attributes = self.team_attributes if entity < 2 else self.player_attributes
        return slot < len(attributes) and attributes[slot] in NAME_ATTRIBUTES

    def is_number(self, attribute: str) -> bool:
        return attribute in NUMBER_ATTRIBUTES

    @property
    def record_ids(self) -> RecordIds:
        """Encodes and decodes the sequence ids that state records."""
        return RecordIds(self.vocab_size, self.num_slots)

    def record_id(self, entity: int, slot: int, as_word: bool) -> int:
        """The sequence id that states a record."""
        return self.record_ids.encode(entity, slot, int(as_word))

    def read_record_id(self, token: int) -> tuple[int, int, bool]:
        """The (entity, slot, as_word) that a sequence id of at least `vocab_size` points at."""
        entity, slot, form = self.record_ids.decode(token)
        return entity, slot, bool(form)


StgConfig.register_for_auto_class()
