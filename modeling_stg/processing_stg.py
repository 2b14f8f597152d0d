"""StgProcessor: a game (with summary, mentions and writer) to tensors, and sequence ids to text and provenance."""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, TextIO

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import BatchFeature, PreTrainedTokenizerFast, ProcessorMixin

from .configuration_stg import StgConfig
from .controls import number_words, read_controls
from .errors import StgError
from .facts import NEVER_STATED, WEEKDAY, attribute_lists, weekday_mentions, with_derived_facts
from .game import Game, as_game
from .nba import foreign_arena_words
from .numbers import article, to_word
from .schema import NOT_AVAILABLE, NUMBER_ATTRIBUTES, PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES
from .streaming import RecapStreamer
from .text import detokenize


PAD, UNKNOWN, START, END, PERIOD, HYPHEN = "<PAD>", "<UNK>", "<SoD>", "<EoD>", ".", "-"
UNKNOWN_WRITER = "unknown"
FORMS = ("digits", "word", "text")


class StgProcessor(ProcessorMixin):
    """Holds the vocabularies: words (the tokenizer), entities, values and writers that were met in training.

    A value of several words ("Trail Blazers") is one token inside, and its words outside.
    """

    tokenizer_class = "PreTrainedTokenizerFast"

    def __init__(
        self,
        tokenizer,
        entities: Sequence[str] = (),
        values: Sequence[str] = (),
        writers: Sequence[str] = tuple(str(writer) for writer in range(32)),
        number_word_limit: int = 20,
        team_attributes: Sequence[str] = TEAM_ATTRIBUTES,
        player_attributes: Sequence[str] = PLAYER_ATTRIBUTES,
        **kwargs,
    ):
        super().__init__(tokenizer, **kwargs)
        self.entities, self.values, self.writers = list(entities), list(values), list(writers)
        self.number_word_limit = number_word_limit
        self.team_attributes, self.player_attributes = list(team_attributes), list(player_attributes)
        self.layout = self.config()
        self._words = tokenizer.get_vocab()
        self._texts = {index: word for word, index in self._words.items()}
        self._entities = {name: index for index, name in enumerate(self.entities, 1)}  # 0 is the unknown
        self._values = {value: index for index, value in enumerate([NOT_AVAILABLE, *self.values], 1)}

    def to_dict(self) -> dict[str, Any]:
        saved = super().to_dict()
        return {key: value for key, value in saved.items() if key != "layout" and not key.startswith("_")}

    def config(self, **settings) -> StgConfig:
        """A configuration that fits these vocabularies; `settings` are its other fields."""
        return StgConfig(
            vocab_size=len(self.tokenizer),
            num_entities=len(self.entities) + 1,
            num_values=len(self.values) + 2,
            num_writers=len(self.writers),
            number_word_limit=self.number_word_limit,
            team_attributes=self.team_attributes,
            player_attributes=self.player_attributes,
            pad_token_id=self.tokenizer.convert_tokens_to_ids(PAD),
            unk_token_id=self.tokenizer.convert_tokens_to_ids(UNKNOWN),
            bos_token_id=self.tokenizer.convert_tokens_to_ids(START),
            eos_token_id=self.tokenizer.convert_tokens_to_ids(END),
            period_token_id=self.tokenizer.convert_tokens_to_ids(PERIOD),
            number_token_ids=number_words(self.tokenizer.get_vocab()),
            hyphen_token_id=self.tokenizer.get_vocab().get(HYPHEN),
            **settings,
        )

    def complete(self, config: StgConfig) -> None:
        """Gives a configuration that an earlier version saved the ids of words that it did not know of."""
        for field in ("number_token_ids", "hyphen_token_id"):
            if vars(config)[field] is None:
                setattr(config, field, vars(self.layout)[field])

    @classmethod
    def from_dataset(
        cls, rows: Iterable[Mapping], min_count: int = 2, number_word_limit: int = 20, derived: bool = False
    ) -> "StgProcessor":
        """Builds the vocabularies of a training set: rows with a game, `summary` and `mentions`.

        Words, entities and values met less than `min_count` times stay unknown. `derived` adds the records of
        `facts.py` to the box score's own.
        """
        if not 0 <= number_word_limit <= 20:
            raise StgError(f"number_word_limit: {number_word_limit} is not within 0 to 20")
        words, entities, values = Counter(), Counter(), Counter()
        for row in rows:
            game = Game.from_json(row)
            game = with_derived_facts(game) if derived else game
            for _, text in _joined(row["summary"], row["mentions"]):
                words[text] += 1
            entities.update(entity.name for entity in game.entities)
            values.update(fact.value for fact in game.facts())
        special = [PAD, UNKNOWN, START, END, PERIOD, *(to_word(number) for number in range(number_word_limit + 1))]
        kept = [
            word for word, count in sorted(words.items(), key=lambda item: (-item[1], item[0])) if count >= min_count
        ]
        vocabulary = {word: index for index, word in enumerate(dict.fromkeys(special + kept))}
        tokenizer = Tokenizer(WordLevel(vocabulary, unk_token=UNKNOWN))
        tokenizer.pre_tokenizer = WhitespaceSplit()
        fast = PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, pad_token=PAD, unk_token=UNKNOWN, bos_token=START, eos_token=END
        )
        team_attributes, player_attributes = attribute_lists(derived)
        return cls(
            fast,
            entities=sorted(name for name, count in entities.items() if count >= min_count),
            values=sorted(value for value, count in values.items() if count >= min_count),
            number_word_limit=number_word_limit,
            team_attributes=team_attributes,
            player_attributes=player_attributes,
        )

    def __call__(
        self,
        games: Any,
        summaries: Sequence[Sequence[str]] | None = None,
        mentions: Sequence[Sequence[Mapping]] | None = None,
        writers: Sequence[int | str | None] | None = None,
        return_tensors: str = "pt",
        must_mention: Sequence[Sequence | None] | None = None,
        plan: Sequence[Sequence | None] | None = None,
    ) -> BatchFeature:
        """games (one or several; `Game`, RotoWire's JSON or dataset rows) -> the model's inputs, padded.

        With `summaries` (tokens) and `mentions` the batch has `labels` and can be trained on. `must_mention` and
        `plan` are demands on `generate`: a list of entries for each game (see `read_controls`).
        """
        if return_tensors != "pt":
            raise StgError(f"return_tensors: {return_tensors!r} is not known; use 'pt'")
        games = _several(games)
        if not games:
            raise StgError("games: an empty list; give at least one game")
        for field, given in (("summaries", summaries), ("mentions", mentions), ("writers", writers)):
            if given is not None and (isinstance(given, str) or not isinstance(given, Sized)):
                raise StgError(f"{field}: {given!r:.60} stands where a list should be; give one for each game")
            if given is not None and len(given) != len(games):
                raise StgError(f"{field}: {len(given)} for {len(games)} games; give one for each game")
        blank = [None] * len(games)
        if isinstance(writers, (np.ndarray, torch.Tensor)):
            writers = writers.tolist()
        rows = zip(games, summaries or blank, mentions or blank, writers or blank, strict=True)
        batch = self.collate([self.encode(*row) for row in rows])
        if must_mention is not None or plan is not None:
            batch.update(read_controls(self.layout, [self.read(game) for game in games], must_mention, plan))
        return batch

    def read(self, game: Game | Mapping) -> Game:
        """A game with all the values that this processor's attributes need."""
        game = as_game(game)
        return with_derived_facts(game) if WEEKDAY in self.team_attributes else game

    def encode(self, game, summary=None, mentions=None, writer=None) -> dict[str, np.ndarray]:
        """One game as arrays, unpadded; `collate` makes a batch of several."""
        if isinstance(summary, str):
            raise StgError("summary: a text stands where the list of its tokens should be (text.py: tokenize)")
        game = self.read(game)
        shape = (len(game.entities), self.layout.num_slots)
        value_ids = np.zeros(shape, dtype=np.int64)
        value_words = np.full((*shape, 2), self.layout.unk_token_id, dtype=np.int64)
        record_mask, has_word = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        unknown = self.layout.unk_token_id
        for position, entity in enumerate(game.entities):
            for slot, attribute in enumerate(self.team_attributes if entity.is_team else self.player_attributes):
                value = entity.values[attribute]
                value_ids[position, slot] = self._values.get(value or NOT_AVAILABLE, 0)
                if value is None or attribute in NEVER_STATED:
                    continue
                record_mask[position, slot] = True
                value_words[position, slot] = self._words.get(value, unknown)
                if attribute in NUMBER_ATTRIBUTES and int(value) <= self.number_word_limit:
                    has_word[position, slot] = True
                    value_words[position, slot, 1] = self._words.get(to_word(int(value)), unknown)
        elsewhere = foreign_arena_words(game.home.values["TEAM-NAME"], game.date)
        others = [self._words[word] for word in elsewhere if word in self._words]
        encoded = {
            "entity_ids": np.array([self._entities.get(entity.name, 0) for entity in game.entities]),
            "entity_mask": np.ones(len(game.entities), dtype=bool),
            "is_home": np.array([int(entity.is_home) for entity in game.entities]),
            "value_ids": value_ids,
            "record_mask": record_mask,
            "has_word": has_word,
            "value_words": value_words,
            "writer_ids": np.array(self.writer_id(writer)),
            "other_arenas": np.array(others, dtype=np.int64),
        }
        if summary is not None:
            encoded["labels"] = np.array(self.label(game, summary, mentions or []))
        return encoded

    def label(self, game: Game, summary: Sequence[str], mentions: Sequence[Mapping]) -> list[int]:
        """The sequence ids of a summary, <EoD> last: Z, E, A and N are in them wherever a mention is."""
        positions = {entity.name: position for position, entity in enumerate(game.entities)}
        if WEEKDAY in self.team_attributes:
            mentions = [*mentions, *weekday_mentions(game, summary, mentions)]
        ids = []
        for mention, text in _joined(summary, mentions):
            record = self._record(game, positions, mention) if mention else None
            ids.append(self._words.get(text, self.layout.unk_token_id) if record is None else record)
        return [*ids, self.layout.eos_token_id]

    def _record(self, game: Game, positions: Mapping[str, int], mention: Mapping) -> int | None:
        place = f"mentions[position {mention['position']}]"
        if mention["entity"] not in positions:
            raise StgError(
                f"{place}.entity: {mention['entity']!r} is not in game {game.game_id}; use {list(positions)}"
            )
        position = positions[mention["entity"]]
        attributes = self.team_attributes if position < 2 else self.player_attributes
        if mention["attribute"] not in attributes:
            raise StgError(
                f"{place}.attribute: {mention['attribute']!r} is unknown; use one of {', '.join(attributes)}"
            )
        if mention["form"] not in FORMS:
            raise StgError(f"{place}.form: {mention['form']!r} is unknown; use one of {', '.join(FORMS)}")
        value = game.entities[position].values[mention["attribute"]]
        if value is None:
            raise StgError(f"{place}: {mention['entity']}'s {mention['attribute']} is N/A and cannot be stated")
        as_word = mention["form"] == "word"
        if as_word and int(value) > self.number_word_limit:
            return None
        return self.layout.record_id(position, attributes.index(mention["attribute"]), as_word)

    def collate(self, examples: Sequence[Mapping[str, np.ndarray]]) -> BatchFeature:
        """Pads encoded games to one batch of tensors; labels are padded with -100."""
        batch = {}
        for name in examples[0]:
            arrays = [example[name] for example in examples]
            shape = tuple(max(sizes) for sizes in zip(*(array.shape for array in arrays), strict=True))
            padded = np.full((len(arrays), *shape), -100 if name == "labels" else 0, dtype=arrays[0].dtype)
            for row, array in enumerate(arrays):
                padded[(row, *(slice(size) for size in array.shape))] = array
            batch[name] = torch.from_numpy(padded)
        return BatchFeature(batch)

    def writer_id(self, writer: int | str | None) -> int:
        """The row of a writer's embedding; None and "unknown" are the last row."""
        if writer is None or writer == UNKNOWN_WRITER or writer == len(self.writers):
            return len(self.writers)
        if str(writer) not in self.writers:
            known = f"{self.writers[0]} to {self.writers[-1]}" if self.writers else "none"
            raise StgError(f"writer: {writer!r} is not known; writers are {known}, or '{UNKNOWN_WRITER}'")
        return self.writers.index(str(writer))

    def trace(self, sequences, games) -> list[list[dict]]:
        """For every token its text and, where it states a record, entity, attribute, value and form.

        Texts are as printed: the model writes "a" or "an" before it knows which number follows, here it fits.
        """
        traces = self._traces(sequences, games)
        for tokens in traces:
            for token, stated in itertools.pairwise(tokens):
                is_article = token["entity"] is None and token["text"].lower() in ("a", "an")
                if is_article and stated["form"] in ("digits", "word"):
                    token["text"] = token["text"][0] + article(int(stated["value"]))[1:]
        return traces

    def _traces(self, sequences, games) -> list[list[dict]]:
        games = _several(games)
        rows = sequences.tolist() if isinstance(sequences, torch.Tensor) else sequences
        if any(not isinstance(row, Sequence) for row in rows):
            raise StgError("sequences: one text where several are read; give [text], or call decode(text, game)")
        if not games or len(rows) % len(games):
            raise StgError(f"sequences: {len(rows)} for {len(games)} games; give the games they were generated from")
        each = len(rows) // len(games)
        read = [self.read(game) for game in games]
        return [self._trace(row, read[index // each]) for index, row in enumerate(rows)]

    def _trace(self, ids: Sequence[int], game: Game) -> list[dict]:
        hidden = {self.layout.pad_token_id, self.layout.bos_token_id}
        tokens = []
        for token in ids:
            if token == self.layout.eos_token_id:
                break
            if token < self.layout.vocab_size:
                if token not in hidden and token >= 0:
                    blank = dict.fromkeys(("entity", "attribute", "value", "form"))
                    tokens.append({"text": self._texts[token], **blank})
                continue
            position, slot, as_word = self.layout.read_record_id(token)
            entity = game.entities[position] if position < len(game.entities) else None
            attributes = self.team_attributes if position < 2 else self.player_attributes
            attribute = attributes[slot] if slot < len(attributes) else None
            value = None if entity is None or attribute is None else entity.values[attribute]
            if value is None:
                raise StgError(f"sequences: id {token} is no record of game {game.game_id}; give the game it is about")
            form = "text" if attribute not in NUMBER_ATTRIBUTES else "word" if as_word else "digits"
            text = to_word(int(value)) if form == "word" else value
            tokens.append({"text": text, "entity": entity.name, "attribute": attribute, "value": value, "form": form})
        return tokens

    def batch_tokens(self, sequences, games) -> list[list[str]]:
        """The dataset's own tokens, as the model wrote them and the metrics want them."""
        return [_words(tokens) for tokens in self._traces(sequences, games)]

    def batch_decode(self, sequences, games) -> list[str]:
        """Text that a person would print."""
        return [detokenize(_words(tokens)) for tokens in self.trace(sequences, games)]

    def streamer(self, game, file: TextIO | None = None) -> RecapStreamer:
        """For `generate(streamer=...)` on one game: prints the text to `file` (standard output) as it is written."""
        return RecapStreamer(lambda ids: _words(self.trace([ids], [game])[0]), file)

    def decode(self, sequence, game) -> str:
        return self.batch_decode([sequence.tolist() if isinstance(sequence, torch.Tensor) else sequence], [game])[0]


def _several(games: Any) -> list:
    """One game or several as a list; a game may be of another copy of the class, so only sequences can be told."""
    return list(games) if isinstance(games, Sequence) else [games]


def _words(tokens: Sequence[Mapping]) -> list[str]:
    """The dataset's tokens of a trace: values of several words are split again."""
    return [word for token in tokens for word in token["text"].split(" ")]


def _joined(summary: Sequence[str], mentions: Sequence[Mapping]):
    """(mention or None, text) for every token of the model, several words joined where a mention spans them."""
    starts, end = {}, 0
    for mention in sorted(mentions, key=lambda mention: mention["position"]):
        start, length = mention["position"], mention["length"]
        if start < end or length < 1 or start + length > len(summary):
            place = f"position {start}, length {length}"
            raise StgError(f"mentions: {place} is outside the {len(summary)} tokens, or within another mention")
        starts[start], end = mention, start + length
    position = 0
    while position < len(summary):
        mention = starts.get(position)
        length = mention["length"] if mention else 1
        yield mention, " ".join(summary[position : position + length])
        position += length


StgProcessor.register_for_auto_class("AutoProcessor")
