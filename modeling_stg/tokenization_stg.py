"""StgTokenizer: the words of the vocabulary. It shows records by name, because only a game knows their values."""

from collections.abc import Iterable, Sequence

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import PreTrainedTokenizerFast

from .record_ids import RecordIds


class StgTokenizer(PreTrainedTokenizerFast):
    """Decodes words and, as in "[visitor TEAM-PTS]" or "[player 3 PTS]", the records that a text states.

    `processor.batch_decode(sequences, games)` and `processor.streamer(game)` write the values instead.

    Args:
        team_attributes: the columns of teams that the model reads, in its order.
        player_attributes: those of players.

    Example:
        >>> tokenizer.batch_decode(model.generate(**processor(game)))[0]
        'The [visitor TEAM-CITY] [visitor TEAM-NAME] beat the [home TEAM-CITY] ...'
    """

    def __init__(self, *args, team_attributes: Sequence[str] = (), player_attributes: Sequence[str] = (), **kwargs):
        self.team_attributes, self.player_attributes = list(team_attributes), list(player_attributes)
        columns = {"team_attributes": self.team_attributes, "player_attributes": self.player_attributes}
        super().__init__(*args, **columns, **kwargs)

    def convert_ids_to_tokens(self, ids, skip_special_tokens: bool = False):
        if isinstance(ids, int):
            return super().convert_ids_to_tokens(ids) if ids < len(self) else self._record(ids)
        hidden = set(self.all_special_ids) if skip_special_tokens else set()
        return [self.convert_ids_to_tokens(int(index)) for index in ids if int(index) not in hidden]

    def _record(self, index: int) -> str:
        num_slots = max(len(self.team_attributes), len(self.player_attributes))
        entity, slot, _ = RecordIds(len(self), num_slots).decode(index)
        attributes = self.team_attributes if entity < 2 else self.player_attributes
        owner = ("home", "visitor")[entity] if entity < 2 else f"player {entity - 1}"
        return f"[{owner} {attributes[slot]}]" if slot < len(attributes) else f"[record {index - len(self)}]"

    def _decode(self, token_ids, skip_special_tokens: bool = False, **kwargs) -> str:
        ids = [token_ids] if isinstance(token_ids, int) else token_ids
        return " ".join(self.convert_ids_to_tokens(ids, skip_special_tokens))


def tokenizer_of(words: Iterable[str], unk_token: str, **special: str) -> StgTokenizer:
    """A tokenizer of these words, which splits at spaces."""
    vocabulary = {word: index for index, word in enumerate(words)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=unk_token))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return StgTokenizer(tokenizer_object=tokenizer, unk_token=unk_token, **special)


def with_columns(tokenizer, team_attributes: Sequence[str], player_attributes: Sequence[str]) -> StgTokenizer:
    """A tokenizer that knows its columns; those of folders that were saved by an earlier version do not."""
    if isinstance(tokenizer, StgTokenizer) and tokenizer.team_attributes:
        return tokenizer
    columns = {"team_attributes": team_attributes, "player_attributes": player_attributes}
    return StgTokenizer(tokenizer_object=tokenizer.backend_tokenizer, **columns, **tokenizer.special_tokens_map)


StgTokenizer.register_for_auto_class("AutoTokenizer")
