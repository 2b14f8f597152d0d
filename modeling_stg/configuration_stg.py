"""StgConfig: the model's sizes, vocabularies and id layout. The defaults are the paper's (appendix B)."""

from huggingface_hub.dataclasses import strict
from transformers import PreTrainedConfig

from .errors import StgError
from .fact_schema import GROUPS, attribute_lists, is_number, is_summarized
from .numbers import LARGEST_WORD
from .record_ids import RecordIds, RecordRows
from .schema import NAME_ATTRIBUTES, PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES


LSTM = "lstm"  # the paper's language model

_POSITIVE = (
    *("vocab_size", "num_entities", "num_values", "num_writers"),
    *("embedding_size", "hidden_size", "context_size", "writer_size", "num_lm_layers"),
)


@strict
class StgConfig(PreTrainedConfig):
    """Configuration of `StgForDataToText`.

    Args:
        vocab_size: number of words; ids from here on are records.
        num_entities: rows of the entity embedding e; row 0 is "unknown".
        num_values: rows of the value embedding v; row 0 is "unknown".
        num_writers: known writers; the writer embedding has one more row, the last, for "unknown".
        use_writer: whether the writer embedding w enters the context vector h'.
        use_teammates: whether p(E_t) gets a learnt bonus for the team of e_{t-1} and its players. Not in the paper,
            which infers sides from entity vectors: there, "the Jazz were led by" too often precedes an opponent.
        embedding_size: size of words, entities, attributes, values, records r and entity vectors e-bar.
        hidden_size: size of h_LM and h_Ent.
        context_size: size of h'.
        writer_size: size of w.
        num_lm_layers: LSTM layers of the language model.
        language_model: "lstm", which is the paper's, or a pretrained causal language model by its name on the Hub or
            the path of its folder (`pretrained.py`). Then `context_size` is its hidden size.
        language_revision: the commit of the language model on the Hub.
        language_config: the configuration of the pretrained language model.
        spelling_width: the largest number of its pieces in a word of the vocabulary.
        adapter_rank: rank of the adapters (LoRA) in the layers of a pretrained language model that are trained.
        adapted_layers: how many of its layers, the upper ones, are adapted; h_Ent and w enter below the first of them.
        number_word_limit: numbers up to here may be written as English words (N_t).
        unknown_rate: in training, the rate at which known entities, values and writers are made unknown, so that
            the unknown embeddings are learnt.
        anonymous_rate: in training, the rate at which a team or player is hidden along with all its names, so that
            the model relies on what it did rather than on who it is.
        dropout: dropout of y_t, of h_LM as input to the heads E, A and N, and of h' as input to Y. The paper uses
            none; small training sets need some.
        variational_dropout: share of the features of y that is dropped for a whole document.
        weight_dropout: share of the LSTM's recurrent weights that is dropped in every training step.
        tie_word_embeddings: whether W_Y is the word embedding itself; context_size must equal embedding_size.
        team_attributes: the team columns of the box score, optionally followed by facts (`fact_schema.py`).
        player_attributes: the same for players.
        period_token_id: the token after which the tracker is refreshed.
        number_token_ids: words that are numbers; `generate(grounded_only=True)` leaves numbers to the records.
        bound_token_ids: words whose truth a fact decides, by group (`bound_words.py`); for
            `generate(bound_words=True)`.
        num_phrases: known phrases of the training texts that are kept with the weights (`phrases.py`); for
            `generate(known_phrases=True)`.
        hyphen_token_id: the hyphen that joins a number to the next word; `generate(avoid_repeats=True)` skips it.

    Example:
        >>> config = StgConfig(vocab_size=6000, hidden_size=256)
        >>> config.read_record_id(config.record_id(entity=3, slot=2, as_word=True))
        (3, 2, True)
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
    language_model: str = LSTM
    language_revision: str | None = None
    language_config: dict | None = None
    spelling_width: int = 0
    adapter_rank: int = 16
    adapted_layers: int = 15
    number_word_limit: int = LARGEST_WORD
    unknown_rate: float = 0.02
    anonymous_rate: float = 0.0
    dropout: float = 0.0
    variational_dropout: float = 0.0
    weight_dropout: float = 0.0
    team_attributes: list[str] | tuple[str, ...] = TEAM_ATTRIBUTES
    player_attributes: list[str] | tuple[str, ...] = PLAYER_ATTRIBUTES
    pad_token_id: int = 0
    unk_token_id: int = 1
    bos_token_id: int = 2
    eos_token_id: int = 3
    period_token_id: int = 4
    number_token_ids: list[int] | tuple[int, ...] | None = None
    hyphen_token_id: int | None = None
    bound_token_ids: dict[str, list[int]] | None = None
    num_phrases: int = 0
    tie_word_embeddings: bool = False

    def validate_architecture(self) -> None:
        """Called by `@strict`. Every message names the field, its value and the accepted range."""
        for field in _POSITIVE:
            if self.to_dict()[field] < 1:
                raise StgError(f"{field}: {self.to_dict()[field]} is too small; it must be at least 1")
        if not 0 <= self.number_word_limit <= LARGEST_WORD:
            raise StgError(f"number_word_limit: {self.number_word_limit} is not within 0 to {LARGEST_WORD}")
        for field in ("unknown_rate", "anonymous_rate", "dropout", "variational_dropout", "weight_dropout"):
            rate = self.to_dict()[field]
            if not 0 <= rate < 1:
                raise StgError(f"{field}: {rate} is not a rate; it must be at least 0 and below 1")
        if self.tie_word_embeddings and self.context_size != self.embedding_size:
            raise StgError(
                f"tie_word_embeddings: context_size {self.context_size} is not embedding_size {self.embedding_size}"
            )
        if self.is_pretrained and not self.language_config:
            raise StgError(f"language_config: missing for language_model {self.language_model!r}")
        for field in ("pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id", "period_token_id"):
            token = self.to_dict()[field]
            if not isinstance(token, int) or not 0 <= token < self.vocab_size:
                raise StgError(f"{field}: {token} is not a word id; it must lie below vocab_size {self.vocab_size}")
        for token in (
            *(self.number_token_ids or ()),
            *([] if self.hyphen_token_id is None else [self.hyphen_token_id]),
        ):
            if not 0 <= token < self.vocab_size:
                field = "hyphen_token_id" if token == self.hyphen_token_id else "number_token_ids"
                raise StgError(f"{field}: {token} is not a word id; it must lie below vocab_size {self.vocab_size}")
        for field, known in zip(("team_attributes", "player_attributes"), attribute_lists(GROUPS), strict=True):
            attributes = list(self.to_dict()[field])
            unknown = [attribute for attribute in attributes if attribute not in known]
            if unknown or not attributes or len(set(attributes)) < len(attributes):
                raise StgError(f"{field}: {unknown or attributes} must be distinct attributes of {', '.join(known)}")

    @property
    def is_pretrained(self) -> bool:
        """Whether the language model is a pretrained one, which is loaded from elsewhere."""
        return self.language_model != LSTM

    @property
    def lm_size(self) -> int:
        """The size of h_LM."""
        return self.context_size if self.is_pretrained else self.hidden_size

    @property
    def num_slots(self) -> int:
        """Attribute slots per entity; the shorter attribute list leaves its last slots empty."""
        return max(len(self.team_attributes), len(self.player_attributes))

    def attribute(self, entity: int, slot: int) -> str:
        """The attribute in a slot of an entity; entities 0 and 1 of a game are its teams."""
        return (self.team_attributes if entity < 2 else self.player_attributes)[slot]

    def has_name(self, entity: int, slot: int) -> bool:
        """Whether a slot of an entity holds part of its name."""
        attributes = self.team_attributes if entity < 2 else self.player_attributes
        return slot < len(attributes) and attributes[slot] in NAME_ATTRIBUTES

    def is_number(self, attribute: str) -> bool:
        return is_number(attribute)

    def summarized_slots(self, is_team: bool) -> list[int]:
        """The slots whose records make up e-bar."""
        attributes = self.team_attributes if is_team else self.player_attributes
        return [slot for slot, attribute in enumerate(attributes) if is_summarized(attribute)]

    @property
    def record_ids(self) -> RecordIds:
        """Encodes and decodes the sequence ids that state records."""
        return RecordIds(self.vocab_size, self.num_slots)

    @property
    def record_rows(self) -> RecordRows:
        """Where a game's records stand in the encoder's output."""
        return RecordRows(len(self.team_attributes), len(self.player_attributes))

    def record_id(self, entity: int, slot: int, as_word: bool) -> int:
        """The sequence id that states a record."""
        return self.record_ids.encode(entity, slot, int(as_word))

    def read_record_id(self, token: int) -> tuple[int, int, bool]:
        """Decodes a sequence id of at least `vocab_size` into (entity, slot, as_word)."""
        entity, slot, form = self.record_ids.decode(token)
        return entity, slot, bool(form)


StgConfig.register_for_auto_class()
