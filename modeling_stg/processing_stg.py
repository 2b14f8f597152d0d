"""StgProcessor: games (with summary, mentions and writer) to tensors; sequence ids to text and provenance."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, TextIO
from zlib import crc32

import numpy as np
import torch
from transformers import AutoTokenizer, BatchFeature, ProcessorMixin

from .arenas import foreign_arena_words
from .bound_words import bound_token_ids, claims_allowed, period_results
from .configuration_stg import LSTM, StgConfig
from .consistency import doubtful_cells
from .controls import number_words, read_controls
from .errors import StgError
from .fact_schema import FACT_KINDS, attribute_lists, is_number, is_stated
from .facts import Token
from .game import Game
from .game_facts import GameFacts, as_facts
from .numbers import LARGEST_WORD, to_word
from .schema import (
    ANY_STYLE,
    NOT_AVAILABLE,
    PLAYER_ATTRIBUTES,
    STYLES,
    TEAM_ATTRIBUTES,
    UNKNOWN_WRITER,
    WRITER_LABELS,
    WRITERS,
)
from .season import Season
from .spelling import Speller
from .streaming import RecapStreamer
from .text import detokenize, plain_letters
from .tokenization_stg import StgTokenizer, tokenizer_of, with_columns
from .tracing import fitted, model_tokens, read_ids, words_of


PAD, UNKNOWN, START, END, PERIOD, HYPHEN = "<PAD>", "<UNK>", "<SoD>", "<EoD>", ".", "-"
FORMS = ("digits", "word", "text")


class StgProcessor(ProcessorMixin):
    """Holds the vocabularies: words (the tokenizer) and the entities, values and writers seen in training.

    Inside the model a value of several words ("Trail Blazers") is one token; in texts it is several.

    Example:
        >>> processor = AutoProcessor.from_pretrained("modeling_stg", trust_remote_code=True)
        >>> ids = model.generate(**processor(game, writers=["7"]))
        >>> processor.batch_decode(ids, game)
    """

    tokenizer_class = "PreTrainedTokenizerFast"

    def __init__(
        self,
        tokenizer,
        entities: Sequence[str] = (),
        values: Sequence[str] = (),
        writers: Sequence[str] = WRITERS,
        number_word_limit: int = LARGEST_WORD,
        team_attributes: Sequence[str] = TEAM_ATTRIBUTES,
        player_attributes: Sequence[str] = PLAYER_ATTRIBUTES,
        default_writer: str = UNKNOWN_WRITER,
        language_model: str = LSTM,
        language_revision: str | None = None,
        **kwargs,
    ):
        super().__init__(with_columns(tokenizer, team_attributes, player_attributes), **kwargs)
        self.language_model, self.language_revision = language_model, language_revision
        self.default_writer = default_writer
        self.entities, self.values, self.writers = list(entities), list(values), list(writers)
        self.number_word_limit = number_word_limit
        self.team_attributes, self.player_attributes = list(team_attributes), list(player_attributes)
        self.layout = self.config()
        self._words = tokenizer.get_vocab()
        self._texts = {index: word for word, index in self._words.items()}
        self._entities = {plain_letters(name): index for index, name in enumerate(self.entities, 1)}  # 0: unknown
        self._values = {value: index for index, value in enumerate([NOT_AVAILABLE, *self.values], 1)}
        self.speller = Speller(language_model, language_revision)

    def to_dict(self) -> dict[str, Any]:
        saved = super().to_dict()
        return {key: value for key, value in saved.items() if key not in ("layout", "speller") and key[0] != "_"}

    def config(self, **settings) -> StgConfig:
        """A configuration for these vocabularies; `settings` are its other fields."""
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
            bound_token_ids=bound_token_ids(
                self.tokenizer.get_vocab(), [*self.team_attributes, *self.player_attributes]
            ),
            **settings,
        )

    def fill_token_ids(self, config: StgConfig) -> None:
        """Adds the token ids that a configuration saved by an earlier version lacks."""
        for field in ("number_token_ids", "hyphen_token_id", "bound_token_ids"):
            if vars(config)[field] is None:
                setattr(config, field, vars(self.layout)[field])

    @classmethod
    def from_dataset(
        cls,
        rows: Iterable[Mapping],
        min_count: int = 2,
        number_word_limit: int = LARGEST_WORD,
        facts: Sequence[str] = (),
        season: Season | None = None,
        writers: Sequence[str] = WRITERS,
        language_model: str = LSTM,
        language_revision: str | None = None,
    ) -> "StgProcessor":
        """Builds the vocabularies of a training set.

        Args:
            rows: games with `summary` and `mentions`.
            min_count: words, entities and values that occur less often stay unknown.
            number_word_limit: numbers up to here may be written as English words.
            facts: groups of facts to add to the cells of the box score (`GROUPS` in fact_schema.py).
            season: other games, for the group `season`.
            writers: the names of its writers; with our own styles, one of these is drawn for a game without writer.
            language_model, language_revision: as in `StgConfig`.
        """
        if not 0 <= number_word_limit <= LARGEST_WORD:
            raise StgError(f"number_word_limit: {number_word_limit} is not within 0 to {LARGEST_WORD}")
        team_attributes, player_attributes = attribute_lists(tuple(facts))
        known = {*team_attributes, *player_attributes}
        words, entities, values = Counter[str](), Counter[str](), Counter[str]()
        for row in rows:
            game = GameFacts(row, season)
            mentions = [mention for mention in row["mentions"] if mention["attribute"] in known]
            for _, text in model_tokens(row["summary"], mentions):
                words[text] += 1
            for position, entity in enumerate(game.game.entities):
                entities[entity.name] += 1
                for attribute in team_attributes if entity.is_team else player_attributes:
                    value = game.value(position, attribute)
                    values.update([] if value is None else [value])
        special = [PAD, UNKNOWN, START, END, PERIOD, *(to_word(number) for number in range(number_word_limit + 1))]
        kept = [
            word for word, count in sorted(words.items(), key=lambda item: (-item[1], item[0])) if count >= min_count
        ]
        names = {"pad_token": PAD, "unk_token": UNKNOWN, "bos_token": START, "eos_token": END}
        return cls(
            tokenizer_of(dict.fromkeys(special + kept), **names),
            entities=sorted(name for name, count in entities.items() if count >= min_count),
            values=sorted(value for value, count in values.items() if count >= min_count),
            writers=writers,
            default_writer=ANY_STYLE if STYLES[0] in writers else UNKNOWN_WRITER,
            number_word_limit=number_word_limit,
            team_attributes=team_attributes,
            player_attributes=player_attributes,
            language_model=language_model,
            language_revision=language_revision,
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
        """Prepares a padded batch for `forward` or `generate`.

        Args:
            games: a game or a list of games: `Game`, RotoWire's JSON, rows of the dataset, or `GameFacts`.
            summaries: the tokens of each game's summary. With them the batch has `labels` for training.
            mentions: the tokens that state a record, per summary (see the dataset card).
            writers: a writer's name or the dataset's number, or None for the default one, per game.
            return_tensors: "pt" only.
            must_mention: per game, entries that `generate` has to mention (see `read_controls`).
            plan: per game, the entries that `generate` has to state, in this order.

        Returns:
            The tensors that `StgForDataToText.forward` documents.

        Example:
            >>> batch = processor([game], writers=["7"], must_mention=[["Jabari Parker", "Knicks:TEAM-REB"]])
            >>> ids = model.generate(**batch)
        """
        if return_tensors != "pt":
            raise StgError(f"return_tensors: {return_tensors!r} is not known; use 'pt'")
        games = _as_list(games)
        if not games:
            raise StgError("games: an empty list; give at least one game")
        for field, entries in (("summaries", summaries), ("mentions", mentions), ("writers", writers)):
            if entries is not None and (isinstance(entries, str) or not isinstance(entries, Sized)):
                raise StgError(f"{field}: {entries!r:.60} is not a list; give one entry per game")
            if entries is not None and len(entries) != len(games):
                raise StgError(f"{field}: {len(entries)} for {len(games)} games; give one entry per game")
        blank = [None] * len(games)
        if isinstance(writers, (np.ndarray, torch.Tensor)):
            writers = writers.tolist()
        rows = zip(games, summaries or blank, mentions or blank, writers or blank, strict=True)
        batch = self.collate([self.encode(*row) for row in rows])
        if must_mention is not None or plan is not None:
            batch.update(read_controls(self.layout, [as_facts(game) for game in games], must_mention, plan))
        return batch

    def encode(
        self,
        game: Any,
        summary: Sequence[str] | None = None,
        mentions: Sequence[Mapping] | None = None,
        writer: int | str | None = None,
    ) -> dict[str, np.ndarray]:
        """Encodes one game as unpadded arrays; `collate` makes a batch of several.

        Args:
            game: `Game`, RotoWire's JSON, a row of the dataset, or a `GameFacts`, which may bring a season.
            summary: the tokens of its summary; adds `labels`.
            mentions: the tokens that state a record.
            writer: a writer's name or the dataset's number, or None for the default one.

        Returns:
            An array per input of the model, without a batch dimension.

        Example:
            >>> example = processor.encode(row, row["summary"], row["mentions"], row["writer"])
            >>> batch = processor.collate([example])
        """
        if isinstance(summary, str):
            raise StgError("summary: is a string; give the list of its tokens (`tokenize` in text.py)")
        facts = as_facts(game)
        game = facts.game
        shape = (len(game.entities), self.layout.num_slots)
        doubtful = doubtful_cells(game.entities) if summary is None else ()  # training texts may state such cells
        value_ids = np.zeros(shape, dtype=np.int64)
        value_words = np.full((*shape, 2), self.layout.unk_token_id, dtype=np.int64)
        record_mask, has_word = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        surfaces: dict[str, int] = {}  # what values are written as
        value_surfaces = np.zeros((*shape, 2), dtype=np.int64)
        unknown = self.layout.unk_token_id
        for position, entity in enumerate(game.entities):
            for slot, attribute in enumerate(self.team_attributes if entity.is_team else self.player_attributes):
                fact = facts.get(position, attribute)
                value = None if fact is None else fact.value
                value_ids[position, slot] = self._values.get(value or NOT_AVAILABLE, 0)
                if fact is None or value is None or not is_stated(attribute):
                    continue
                if doubtful and any((cell.entity, cell.attribute) in doubtful for cell in (fact, *fact.cells())):
                    continue
                record_mask[position, slot] = True
                value_words[position, slot] = self._words.get(value, unknown)
                value_surfaces[position, slot] = surfaces.setdefault(value, len(surfaces))
                if is_number(attribute) and int(value) <= self.number_word_limit:
                    has_word[position, slot] = True
                    word = to_word(int(value))
                    value_words[position, slot, 1] = self._words.get(word, unknown)
                    value_surfaces[position, slot, 1] = surfaces.setdefault(word, len(surfaces))
        arena_words = foreign_arena_words(game.home.name, game.date, game.feed[0].get("TEAM-VENUE"))
        other_arenas = [self._words[word] for word in arena_words if word in self._words]
        encoded = {
            "entity_ids": np.array([self._entities.get(plain_letters(entity.name), 0) for entity in game.entities]),
            "entity_mask": np.ones(len(game.entities), dtype=bool),
            "is_home": np.array([int(entity.is_home) for entity in game.entities]),
            "value_ids": value_ids,
            "record_mask": record_mask,
            "has_word": has_word,
            "value_words": value_words,
            "writer_ids": np.array(self.writer_id(self.default_writer_of(game) if writer is None else writer)),
            "other_arenas": np.array(other_arenas, dtype=np.int64),
            "claims": claims_allowed(facts, self.team_attributes),
            "period_results": period_results(facts, self.team_attributes),
        }
        if self.language_model != LSTM:
            encoded |= {"surfaces": self.speller.surfaces(surfaces), "value_surfaces": value_surfaces}
        if summary is not None:
            encoded["labels"] = np.array(self.encode_summary(facts, summary, mentions or []))
        return encoded

    def spell_vocabulary(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The spellings [2, W, P] of the vocabulary, and which words [W] the next one follows without a space."""
        words = sorted(self._words, key=self._words.__getitem__)
        return self.speller.vocabulary(words, start=START, special=(PAD, UNKNOWN, END))

    def encode_summary(self, game: Any, summary: Sequence[str], mentions: Sequence[Mapping]) -> list[int]:
        """The sequence ids of a summary, ending in <EoD>; mentions become record ids, which encode Z, E, A and N.

        Mentions of facts that this model does not read, or that need a season which is not given, stay words.
        """
        facts = as_facts(game)
        positions = {entity.name: position for position, entity in enumerate(facts.game.entities)}
        ids: list[int] = []
        for mention, text in model_tokens(summary, mentions):
            record = self._record_id(facts, positions, mention) if mention else None
            words = text.split(" ") if mention and mention["attribute"] in FACT_KINDS else [text]
            ids += [self._words.get(word, self.layout.unk_token_id) for word in words] if record is None else [record]
        return [*ids, self._words[END]]

    def _record_id(self, facts: GameFacts, positions: Mapping[str, int], mention: Mapping) -> int | None:
        """The id of a mention's record; None if it stays words, as a number word beyond `number_word_limit` does."""
        game = facts.game
        place = f"mentions[position {mention['position']}]"
        if mention["entity"] not in positions:
            raise StgError(
                f"{place}.entity: {mention['entity']!r} is not in game {game.game_id}; use {list(positions)}"
            )
        position = positions[mention["entity"]]
        attributes = self.team_attributes if position < 2 else self.player_attributes
        is_fact = mention["attribute"] in FACT_KINDS
        if mention["attribute"] not in attributes:
            if is_fact:
                return None
            raise StgError(
                f"{place}.attribute: {mention['attribute']!r} is unknown; use one of {', '.join(attributes)}"
            )
        if mention["form"] not in FORMS:
            raise StgError(f"{place}.form: {mention['form']!r} is unknown; use one of {', '.join(FORMS)}")
        value = facts.value(position, mention["attribute"])
        if value is None:
            if is_fact:
                return None
            raise StgError(f"{place}: {mention['entity']}'s {mention['attribute']} is N/A and cannot be stated")
        as_word = mention["form"] == "word"
        if as_word and int(value) > self.number_word_limit:
            return None
        return self.layout.record_id(position, attributes.index(mention["attribute"]), as_word)

    def collate(self, examples: Sequence[Mapping[str, np.ndarray]]) -> BatchFeature:
        """Pads encoded games into one batch of tensors; labels are padded with -100."""
        batch = {}
        for name in examples[0]:
            arrays = [example[name] for example in examples]
            shape = tuple(max(sizes) for sizes in zip(*(array.shape for array in arrays), strict=True))
            padded = np.full((len(arrays), *shape), -100 if name == "labels" else 0, dtype=arrays[0].dtype)
            for row, array in enumerate(arrays):
                index: tuple[int | slice, ...] = (row, *(slice(size) for size in array.shape))
                padded[index] = array
            batch[name] = torch.from_numpy(padded)
        return BatchFeature(batch)

    def default_writer_of(self, game: Game) -> str:
        """Who writes about a game that names no writer; of several styles always the same one for the same game."""
        if self.default_writer != ANY_STYLE:
            return self.default_writer
        styles = [name for name in self.writers if name in STYLES]
        return styles[crc32(game.game_id.encode()) % len(styles)]

    def writer_id(self, writer: int | str) -> int:
        """The row of a writer's embedding, by name or by the dataset's number."""
        if isinstance(writer, (int, np.integer)) and 0 <= writer < len(WRITER_LABELS):
            writer = WRITER_LABELS[writer]
        if writer == UNKNOWN_WRITER:
            return len(self.writers)
        if str(writer) not in self.writers:
            numbered = [name for name in self.writers if name.isdecimal()]
            known = [f"{numbered[0]} to {numbered[-1]}"] if numbered else []
            known += [name for name in self.writers if not name.isdecimal()]
            raise StgError(f"writer: {writer!r} is not known; writers are {', '.join(known)}, or '{UNKNOWN_WRITER}'")
        return self.writers.index(str(writer))

    def trace(self, sequences: torch.Tensor | Sequence[Sequence[int]], games: Any) -> list[list[dict]]:
        """Traces every token to the record behind it.

        Args:
            sequences: ids from `generate`, or `labels`; several per game with `num_return_sequences`.
            games: the game or games they are about.

        Returns:
            Per sequence, a dict per token: `text` and, where it states a record, `entity`, `attribute`, `value`,
            `form` ("digits", "word" or "text") and `from`, the cells that the value was computed from (empty for a
            cell, with `date` and `opponent` for a cell of another game), else None. A number that states no record has
            the form "free". The model writes "a" or "an" before it chooses the number that follows, so `text` has the
            article that fits.

        Example:
            >>> [token["entity"] for token in processor.trace(ids, game)[0] if token["attribute"] == "PTS"]
            ['Giannis Antetokounmpo', 'Jabari Parker']
        """
        return [[token.to_json(facts.game) for token in tokens] for tokens, facts in self._printed(sequences, games)]

    def _printed(
        self, sequences: torch.Tensor | Sequence[Sequence[int]], games: Any
    ) -> list[tuple[list[Token], GameFacts]]:
        """Tokens with articles, nouns, pronouns and capitals fitted to the facts, and the facts of each game."""
        return [(fitted(tokens, facts.game), facts) for tokens, facts in self._tokens(sequences, games)]

    def _tokens(
        self, sequences: torch.Tensor | Sequence[Sequence[int]], games: Any
    ) -> list[tuple[list[Token], GameFacts]]:
        """Tokens exactly as the model wrote them, and the facts of each sequence's game."""
        games = _as_list(games)
        rows = sequences.tolist() if isinstance(sequences, torch.Tensor) else sequences
        if any(not isinstance(row, Sequence) for row in rows):
            raise StgError("sequences: is a single sequence; give [sequence], or call decode(sequence, game)")
        if not games or len(rows) % len(games):
            raise StgError(f"sequences: {len(rows)} for {len(games)} games; give the games they were generated from")
        per_game = len(rows) // len(games)
        by_row = [facts for facts in map(as_facts, games) for _ in range(per_game)]
        tokens = [read_ids(row, self.layout, self._texts, facts) for row, facts in zip(rows, by_row, strict=True)]
        return list(zip(tokens, by_row, strict=True))

    def batch_tokens(self, sequences: torch.Tensor | Sequence[Sequence[int]], games: Any) -> list[list[str]]:
        """The tokens exactly as the model wrote them, in the dataset's tokenisation; metrics score these."""
        return [words_of(tokens) for tokens, _ in self._tokens(sequences, games)]

    def batch_decode(self, sequences: torch.Tensor | Sequence[Sequence[int]], games: Any) -> list[str]:
        """Decodes sequences into detokenised text.

        Args:
            sequences: ids from `generate`, or `labels`.
            games: the game or games they are about.

        Returns:
            A text per sequence, spaced for reading, with "a" and "an" fitted to the numbers.

        Example:
            >>> processor.batch_decode(model.generate(**processor(game)), game)
            ['The Milwaukee Bucks defeated the New York Knicks, 105-104, on Wednesday at Madison Square Garden. ...']
        """
        return [detokenize(words_of(tokens)) for tokens, _ in self._printed(sequences, games)]

    def streamer(self, game: Any, file: TextIO | None = None) -> RecapStreamer:
        """A streamer for `generate` on one game; prints the text to `file` (default: stdout) as it is written."""
        return RecapStreamer(lambda ids: words_of(self._printed([ids], [game])[0][0]), file)

    def decode(self, sequence: torch.Tensor | Sequence[int], game: Any) -> str:
        """Decodes one sequence; see `batch_decode`."""
        return self.batch_decode([sequence.tolist() if isinstance(sequence, torch.Tensor) else sequence], [game])[0]


def _as_list(games: Any) -> list:
    return list(games) if isinstance(games, Sequence) else [games]


StgProcessor.register_for_auto_class("AutoProcessor")
# Where this code is installed, processors load without running the code of their folder.
AutoTokenizer.register(StgConfig, fast_tokenizer_class=StgTokenizer, exist_ok=True)
