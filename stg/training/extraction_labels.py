"""Labels for the relation extractor: the correct types of every (entity, number) pair of a document.

A label comes from the first of these that applies:

1. the official extractor's tuples, if given (`gold_tuples`, training rows only);
2. the type that the annotation found for this number and entity;
3. every type whose value equals the number, where the words do not decide;
4. NONE.

So the official extractor is followed where it reads something, and corrected where it overlooks something.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from modeling_stg.facts import Mention
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import attribute_of_type, column_of, relation_type
from stg.extraction.annotation import annotate
from stg.extraction.candidates import NONE, Candidate, Names, labels
from stg.extraction.reading import ReadSentence, ReadSummary
from stg.extraction.roles import number_groups
from stg.metrics.relations import read_tuples as read_relations
from stg.training.settings import SettingsError


Tuples = list[tuple[str, str, str]]  # (entity, value, type)


@dataclass
class Document:
    tokens: list[str]
    game: Game
    tuples: Tuples | None  # of the official extractor, if given


def read_tuples(path: str | Path) -> list[Tuples]:
    """The tuples of each document in a file of `entity|value|type` lines."""
    return [[(line.entity, line.value, line.type) for line in document] for document in read_relations(path)]


def to_documents(rows: Iterable[Mapping], gold: Mapping[str, list[Tuples]]) -> list[Document]:
    """Documents from dataset rows and, by source split, the official tuples."""
    documents = []
    for row in rows:
        split_tuples, index = gold.get(row["source_split"]), row["source_index"]
        if split_tuples is not None and index >= len(split_tuples):
            file = f"puduppully-{row['source_split']}.txt"
            raise SettingsError(
                f"gold_tuples: {file} has {len(split_tuples):,} documents, but game {row['game_id']} is number "
                f"{index:,}; give the file of the whole split"
            )
        tuples = split_tuples[index] if split_tuples else None
        documents.append(Document(row["summary"], Game.from_json(row), tuples))
    return documents


def load_gold(folder: str | Path | None) -> dict[str, list[Tuples]]:
    """The tuples in a folder's `puduppully-{train,valid,test}.txt`, by split; {} without a folder."""
    if folder is None:
        return {}
    return {split: read_tuples(Path(folder) / f"puduppully-{split}.txt") for split in ("train", "valid", "test")}


def pair_labels(document: Document, summary: ReadSummary, names: Names) -> list[list[tuple[str, ...]]]:
    """The correct types of every pair, sentence by sentence."""
    official = defaultdict(list)
    for entity, value, label in document.tuples or ():
        number = read_number(value.split(), 0)
        if number:
            official[entity, number[0]].append(label)
    mentions = {mention.position: mention for mention in annotate(document.tokens, document.game, None, names)}
    counts = Counter(
        (pair.entity.text, pair.number.value) for sentence in summary.sentences for pair in sentence.pairs
    )
    result = []
    for sentence in summary.sentences:
        columns = _columns(document.tokens, sentence)
        nearest = _nearest(sentence)
        row = []
        for pair in sentence.pairs:
            fitting = labels(pair, document.game)
            mention = mentions.get(pair.number.start)
            key = (pair.entity.text, pair.number.value)
            theirs = {label for label in official[key] if label.startswith("TEAM-") == pair.entity.is_team}
            has_columns = pair.number.start in columns
            if theirs and not theirs & set(fitting) and (mention or not has_columns):
                row.append((NONE,))  # another entity's equal value, or an average, a time, a sum
            elif theirs and counts[key] <= len(official[key]):
                row.append(tuple(sorted(theirs)))
            elif theirs and not (mention and fitting != (NONE,)):
                # Stated twice but read once: unclear which of the two the official extractor meant.
                row.append((*sorted(theirs), NONE))
            elif fitting == (NONE,):
                row.append(fitting)
            else:
                row.append(_own_label(pair, document, mention, columns, pair in nearest))
        result.append(row)
    return result


def _own_label(
    pair: Candidate, document: Document, mention: Mention | None, columns: dict[int, set[str]], is_nearest: bool
) -> tuple[str, ...]:
    """The label of a pair that the official extractor did not read."""
    if mention and mention.fact.entity == pair.entity.index:
        # "New York" is not nearest in "the Knicks lost 105 - 104 at the Garden in New York"
        return (relation_type(mention.fact.attribute),) if is_nearest else (NONE,)
    allowed = columns.get(pair.number.start)
    fitting = labels(pair, document.game)
    if allowed is None:
        return (NONE,) if document.tuples is not None else (*fitting, NONE)
    possible = tuple(label for label in fitting if column_of(attribute_of_type(label)) in allowed)
    return (*possible, NONE) if possible else (NONE,)  # "A and B each had 11 points" is also about A


def _nearest(sentence: ReadSentence) -> set[Candidate]:
    """For each number and entity, the pair with the nearest span of the entity; spans before the number come first."""
    chosen: dict[tuple[int, int | None], tuple[int, Candidate]] = {}
    for pair in sentence.pairs:
        ahead = pair.number.start - pair.entity.end
        distance = ahead if ahead >= 0 else 10 + pair.entity.start - pair.number.end
        key = (pair.number.start, pair.entity.index)
        if key not in chosen or distance < chosen[key][0]:
            chosen[key] = (distance, pair)
    return {pair for _, pair in chosen.values()}


def _columns(tokens: list[str], sentence: ReadSentence) -> dict[int, set[str]]:
    """By the position of a number, the columns that the words around it allow."""
    columns: dict[int, set[str]] = defaultdict(set)
    if sentence.pairs:
        start, end = sentence.pairs[0].sentence
        numbers = list(dict.fromkeys(pair.number for pair in sentence.pairs))
        for group in number_groups([token.lower() for token in tokens], start, end, numbers):
            for role in group.roles:
                for number, column in zip(group.numbers, role.columns, strict=True):
                    columns[number.start].add(column)
    return columns
