"""From a summary to the network's input, and from its probabilities to relations."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.schema import TEAM_NUMBERS
from modeling_stg.text import tokenize
from stg.extraction.candidates import (
    NONE,
    TYPES,
    Candidate,
    EntitySpan,
    Names,
    NumberSpan,
    SentenceSpans,
    labels,
    sentence_spans,
)


if TYPE_CHECKING:
    import torch

PADDING, UNKNOWN, PLAYER, TEAM, NUMBER = "<pad>", "<unk>", "<player>", "<team>", "<number>"
SPECIAL = (PADDING, UNKNOWN, PLAYER, TEAM, NUMBER)
_IS_TEAM_TYPE = [kind == NONE or kind in TEAM_NUMBERS for kind in TYPES]
_IS_PLAYER_TYPE = [kind == NONE or kind not in TEAM_NUMBERS for kind in TYPES]


class ExtractionError(StgError):
    """The summary cannot be read."""


@dataclass(frozen=True)
class Relation:
    """A number said of an entity, which stands at tokens[start:end]; the number at tokens[number_start:number_end]."""

    entity: str  # as written: "James", "Toronto Raptors"
    entity_index: int | None  # position in game.entities; None for one who is not of this game
    value: str  # as written: "five", "24"
    number: int
    type: str  # "TEAM-PTS", "PLAYER-REB"
    start: int
    end: int
    number_start: int
    number_end: int
    confidence: float
    supported: bool  # whether the box score bears it out

    @property
    def fact(self) -> tuple[int | str, str, int]:
        """What is said, wherever and in whatever words: of whom, of which type, which number."""
        return self.entity if self.entity_index is None else self.entity_index, self.type, self.number


def said_again(relations: Iterable[Relation]) -> int:
    """How many numbers state what another has stated. One number beside two names of a team says it once."""
    said = {(relation.fact, relation.number_start) for relation in relations}
    return len(said) - len({fact for fact, _ in said})


@dataclass(frozen=True)
class Vocabulary:
    """The words of the network and the names of the training games."""

    FILE = "vocabulary.json"

    words: tuple[str, ...]
    names: Names

    def __post_init__(self):
        object.__setattr__(self, "ids", {word: index for index, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def id(self, word: str) -> int:
        index = self.ids.get(word)
        if index is None:
            index = self.ids[NUMBER if word.isdecimal() else UNKNOWN]
        return index

    @classmethod
    def collect(cls, documents: Iterable[tuple[list[str], Game]], names: Names, least: int = 2) -> "Vocabulary":
        """Words that occur at least `least` times once names are masked."""
        blank = cls(SPECIAL, names)
        counts: Counter[str] = Counter()
        for tokens, game in documents:
            for sentence in Reader(blank).read(tokens, game, with_all=True).sentences:
                counts.update(sentence.words)
        words = sorted(word for word, count in counts.items() if count >= least and word not in SPECIAL)
        return cls((*SPECIAL, *words), names)

    @classmethod
    def load(cls, path: str | Path) -> "Vocabulary":
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        names = Names(frozenset(data["players"]), frozenset(data["teams"]), frozenset(data["cities"]))
        return cls(tuple(data["words"]), names)

    def save(self, directory: str | Path) -> None:
        data = {
            "words": self.words,
            "players": sorted(self.names.players),
            "teams": sorted(self.names.teams),
            "cities": sorted(self.names.cities),
        }
        text = json.dumps(data, ensure_ascii=False, indent=0)
        (Path(directory) / self.FILE).write_text(text + "\n", encoding="utf-8")


@dataclass
class ReadSentence:
    """One sentence as the network sees it: every name is one token, so positions are not those of the summary."""

    words: list[str]
    input_ids: list[int]
    pairs: list[Candidate]
    entity: list[int]
    number: list[int]


@dataclass
class ReadSummary:
    tokens: list[str]
    game: Game
    sentences: list[ReadSentence]

    def relations(self, probabilities: list[list[list[float]]], threshold: float) -> list[Relation]:
        """The likeliest type of every pair where it is at least `threshold`; NONE is not asked.

        A number is said of one entity, or of those who are listed together ("A and B each had 11 points").
        """
        found = []
        for sentence, rows in zip(self.sentences, probabilities, strict=True):
            told = []
            for pair, row in zip(sentence.pairs, rows, strict=True):
                best = max(range(1, len(TYPES)), key=row.__getitem__)
                if row[best] >= threshold:
                    told.append(relation(pair, TYPES[best], row[best], self.game))
            surest: dict[int, Relation] = {}
            for one in told:
                if one.number_start not in surest or one.confidence > surest[one.number_start].confidence:
                    surest[one.number_start] = one
            found += [one for one in told if self._is_shared(one, surest[one.number_start])]
        return found

    def _is_shared(self, one: Relation, other: Relation) -> bool:
        """Whether two relations of one number can stand side by side: the same entity, or both in one list."""
        if one.entity_index == other.entity_index:
            return True
        first, second = sorted((one, other), key=lambda told: told.start)
        between = self.tokens[first.end : second.start]
        return all(word in (",", "and", "&") for word in between) or "and" in between[-2:]


def relation(pair: Candidate, kind: str, confidence: float, game: Game) -> Relation:
    """The relation that a pair tells when its type is `kind`."""
    entity, number = pair.entity, pair.number
    return Relation(
        entity=entity.text,
        entity_index=entity.index,
        value=number.text,
        number=number.value,
        type=kind,
        start=entity.start,
        end=entity.end,
        number_start=number.start,
        number_end=number.end,
        confidence=confidence,
        supported=kind in labels(pair, game),
    )


class Reader:
    """Summaries into sentences of ids with their pairs, and those into tensors."""

    def __init__(self, vocabulary: Vocabulary, implicit_one: bool = False):
        self.vocabulary = vocabulary
        self.implicit_one = implicit_one

    def read(self, text: str | list[str], game: Game, with_all: bool = False) -> ReadSummary:
        """`text` is plain text or tokens; `with_all` keeps the sentences that have no pair."""
        if isinstance(game, Mapping):
            game = Game.from_json(game)
        tokens = tokenize(text) if isinstance(text, str) else list(text)
        if not all(isinstance(token, str) for token in tokens):
            raise ExtractionError(f"summary: {tokens!r:.60} is neither text nor a list of tokens; give one of them")
        read = [
            self._sentence(tokens, spans)
            for spans in sentence_spans(tokens, game, self.vocabulary.names, self.implicit_one)
            if with_all or (spans.entities and spans.numbers)
        ]
        return ReadSummary(tokens, game, read)

    def _sentence(self, tokens: list[str], sentence: SentenceSpans) -> ReadSentence:
        spans = {span.start: span for span in (*sentence.entities, *sentence.numbers)}
        words: list[str] = []
        place: dict[int, int] = {}
        position = sentence.start
        while position < sentence.end:
            span = spans.get(position)
            place[position] = len(words)
            if isinstance(span, EntitySpan):
                words.append(TEAM if span.is_team else PLAYER)
            elif isinstance(span, NumberSpan):
                words.append(span.text.lower() if span.end - span.start == 1 else str(span.value))
            else:
                words.append(tokens[position].lower())
            position = span.end if span else position + 1
        pairs = sentence.pairs
        return ReadSentence(
            words=words,
            input_ids=[self.vocabulary.id(word) for word in words],
            pairs=pairs,
            entity=[place[pair.entity.start] for pair in pairs],
            number=[place[pair.number.start] for pair in pairs],
        )

    @staticmethod
    def collate(read: list[ReadSentence]) -> "dict[str, torch.Tensor]":
        """Tensors for `RelationExtractor.forward`, the pairs of all sentences in one row."""
        import torch  # here alone: metrics and `stg score --help` use this module without it

        longest = max((len(sentence.input_ids) for sentence in read), default=1)
        input_ids = torch.zeros(len(read), longest, dtype=torch.long)
        for row, sentence in enumerate(read):
            input_ids[row, : len(sentence.input_ids)] = torch.tensor(sentence.input_ids)
        pairs = [pair for sentence in read for pair in sentence.pairs]
        allowed = [_IS_TEAM_TYPE if pair.entity.is_team else _IS_PLAYER_TYPE for pair in pairs]
        return {
            "input_ids": input_ids,
            "lengths": torch.tensor([len(sentence.input_ids) for sentence in read], dtype=torch.long),
            "sentence": torch.tensor([row for row, sentence in enumerate(read) for _ in sentence.pairs]).long(),
            "entity": torch.tensor([position for sentence in read for position in sentence.entity]).long(),
            "number": torch.tensor([position for sentence in read for position in sentence.number]).long(),
            "allowed": torch.tensor(allowed, dtype=torch.bool).view(len(pairs), len(TYPES)),
        }
