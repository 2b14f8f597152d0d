"""Converts summaries to the network's input, and its probabilities to relations."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch

from modeling_stg.errors import StgError
from modeling_stg.game import Game, as_game
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
    sentence_spans,
)
from stg.extraction.relations import Relation, candidate_relation


PADDING, UNKNOWN, PLAYER, TEAM, NUMBER = "<pad>", "<unk>", "<player>", "<team>", "<number>"
SPECIAL = (PADDING, UNKNOWN, PLAYER, TEAM, NUMBER)
_TEAM_TYPES = [type == NONE or type in TEAM_NUMBERS for type in TYPES]
_PLAYER_TYPES = [type == NONE or type not in TEAM_NUMBERS for type in TYPES]


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
        """Words that occur at least `least` times after masking names."""
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
    """One sentence as the network sees it. A name is one token, so positions differ from the summary's."""

    words: list[str]
    input_ids: list[int]
    pairs: list[Candidate]
    entity: list[int]
    number: list[int]


@dataclass
class ReadSummary:
    """A summary with those of its sentences that have a candidate pair."""

    tokens: list[str]
    game: Game
    sentences: list[ReadSentence]

    def relations(self, probabilities: list[list[list[float]]], threshold: float) -> list[Relation]:
        """The likeliest type of every pair except NONE, where its probability is at least `threshold`.

        A number belongs to one entity, or to several that are listed together ("A and B each had 11 points").
        """
        relations = []
        for sentence, rows in zip(self.sentences, probabilities, strict=True):
            likely = []
            for pair, row in zip(sentence.pairs, rows, strict=True):
                best = max(range(1, len(TYPES)), key=row.__getitem__)
                if row[best] >= threshold:
                    likely.append(candidate_relation(pair, TYPES[best], row[best], self.game))
            surest: dict[int, Relation] = {}
            for relation in likely:
                rival = surest.get(relation.number_start)
                if rival is None or relation.confidence > rival.confidence:
                    surest[relation.number_start] = relation
            relations += [relation for relation in likely if self._can_share(relation, surest[relation.number_start])]
        return relations

    def _can_share(self, relation: Relation, other: Relation) -> bool:
        """Whether two relations can share a number: they have the same entity, or entities of one list."""
        if relation.fact.entity == other.fact.entity:
            return True
        first, second = sorted((relation, other), key=lambda item: item.start)
        between = self.tokens[first.end : second.start]
        return all(word in (",", "and", "&") for word in between) or "and" in between[-2:]


class Reader:
    """Turns summaries into sentences of ids with candidate pairs, and those into tensors."""

    def __init__(self, vocabulary: Vocabulary, implicit_one: bool = False):
        self.vocabulary = vocabulary
        self.implicit_one = implicit_one

    def read(self, text: str | list[str], game: Game, with_all: bool = False) -> ReadSummary:
        """Reads plain text or tokens; `with_all` keeps sentences without a pair."""
        game = as_game(game)
        tokens = tokenize(text) if isinstance(text, str) else list(text)
        if not all(isinstance(token, str) for token in tokens):
            raise StgError(f"summary: {tokens!r:.60} is neither text nor a list of tokens; give one of them")
        read = [
            self._sentence(tokens, spans)
            for spans in sentence_spans(tokens, game, self.vocabulary.names, self.implicit_one)
            if with_all or (spans.entities and spans.numbers)
        ]
        return ReadSummary(tokens, game, read)

    def _sentence(self, tokens: list[str], sentence: SentenceSpans) -> ReadSentence:
        spans = {span.start: span for span in (*sentence.entities, *sentence.numbers)}
        words: list[str] = []
        index: dict[int, int] = {}
        position = sentence.start
        while position < sentence.end:
            span = spans.get(position)
            index[position] = len(words)
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
            entity=[index[pair.entity.start] for pair in pairs],
            number=[index[pair.number.start] for pair in pairs],
        )

    @staticmethod
    def collate(read: list[ReadSentence]) -> dict[str, torch.Tensor]:
        """Tensors for `RelationExtractor.forward`; the pairs of all sentences share one dimension."""
        longest = max((len(sentence.input_ids) for sentence in read), default=1)
        input_ids = torch.zeros(len(read), longest, dtype=torch.long)
        for row, sentence in enumerate(read):
            input_ids[row, : len(sentence.input_ids)] = torch.tensor(sentence.input_ids)
        pairs = [pair for sentence in read for pair in sentence.pairs]
        allowed = [_TEAM_TYPES if pair.entity.is_team else _PLAYER_TYPES for pair in pairs]
        return {
            "input_ids": input_ids,
            "lengths": torch.tensor([len(sentence.input_ids) for sentence in read], dtype=torch.long),
            "sentence": torch.tensor([row for row, sentence in enumerate(read) for _ in sentence.pairs]).long(),
            "entity": torch.tensor([position for sentence in read for position in sentence.entity]).long(),
            "number": torch.tensor([position for sentence in read for position in sentence.number]).long(),
            "allowed": torch.tensor(allowed, dtype=torch.bool).view(len(pairs), len(TYPES)),
        }
