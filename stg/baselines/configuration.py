"""Sizes of the neural baselines. The defaults are the published ones.

Vocabularies, attributes and ids are those of StgConfig, so that the processor and everything that reads sequence ids
works for baselines too. Of StgConfig's other fields a baseline uses `embedding_size` (words and the features of a
record), `hidden_size` (records, states and attentional vectors), `num_lm_layers` (text decoder and plan encoder),
`writer_size`, `dropout` and `unknown_rate`.
"""

from huggingface_hub.dataclasses import strict

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError


STAGES = ("plan", "text")
VOCABULARIES = (
    *("vocab_size", "num_entities", "num_values", "num_writers", "number_word_limit"),
    *("team_attributes", "player_attributes", "number_token_ids", "hyphen_token_id"),
    *("pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id", "period_token_id"),
)
SIZES = ("embedding_size", "hidden_size", "num_lm_layers", "writer_size", "dropout", "unknown_rate")


@strict
class ConditionalCopyConfig(StgConfig):
    """Configuration of `ConditionalCopy`, which has no writers."""

    model_type = "conditional_copy"
    _auto_class = None  # its code is in this package, not in the model's folder

    embedding_size: int = 600
    hidden_size: int = 600
    dropout: float = 0.5
    use_writer: bool = False

    def validate_architecture(self):
        super().validate_architecture()
        if self.use_writer:
            raise StgError("use_writer: True; conditional copy has no writers, it must be False")


@strict
class NcpConfig(StgConfig):
    """Configuration of `NeuralContentPlanning`.

    Args:
        selection_size: size of the queries and keys of the content-selection gate's attention between records.
        writer_in: the stages whose decoder reads the writer's vector: "plan" (1), "text" (2), both or none.
    """

    model_type = "ncp"
    _auto_class = None

    embedding_size: int = 600
    hidden_size: int = 600
    dropout: float = 0.3
    use_writer: bool = False
    selection_size: int = 64
    writer_in: list[str] | tuple[str, ...] = ()

    def validate_architecture(self):
        super().validate_architecture()
        if self.selection_size < 1:
            raise StgError(f"selection_size: {self.selection_size} is too small; it must be at least 1")
        if self.hidden_size % 2:
            raise StgError(
                f"hidden_size: {self.hidden_size} is odd; each direction of the plan encoder gets half of it"
            )
        unknown = [stage for stage in self.writer_in if stage not in STAGES]
        if unknown:
            raise StgError(f"writer_in: {', '.join(unknown)} is not a stage; stages are {', '.join(STAGES)}")
        if self.use_writer != bool(self.writer_in):
            raise StgError(f"use_writer: {self.use_writer} with writer_in {list(self.writer_in)}; they must agree")


def fit(config_class: type[StgConfig], layout: StgConfig, **sizes) -> StgConfig:
    """A baseline's configuration with the vocabularies of a processor's `layout`."""
    return config_class(**{name: vars(layout)[name] for name in VOCABULARIES}, **sizes)
