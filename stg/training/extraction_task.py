"""The relation extractor as a training task: its examples, their labels, its validation.

`build_task(settings, accelerator)` reads the built dataset for `scripts/train.py`. A pair's label is, in this order:
the official extractor's answer where its tuples are at hand (`gold_tuples`, training rows only), the type that the
annotation found for this very number and entity, every type whose value is the stated one where the words decide
nothing, and NONE. So the official extractor is followed where it speaks, and mended where it overlooks what is said.
"""

import inspect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from tqdm import tqdm

from modeling_stg.facts import Mention
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import attribute_of_type, column_of, relation_type
from stg.extraction.annotation import annotate
from stg.extraction.candidates import NONE, TYPES, Candidate, Names, labels
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.hub_folder import write_code
from stg.extraction.modeling_extraction import RelationExtractor
from stg.extraction.reading import Reader, ReadSentence, ReadSummary, Vocabulary
from stg.extraction.relations import Relation
from stg.extraction.roles import number_groups
from stg.metrics.relations import read_tuples as read_relations
from stg.training import data
from stg.training.settings import Settings, SettingsError
from stg.training.state import digest


Tuples = list[tuple[str, str, str]]
THRESHOLDS = [step / 100 for step in range(20, 91)]

CARD = """---
library_name: transformers
tags: [relation-extraction, data-to-text, RotoWire]
---

# Relation extractor for basketball summaries

Reads (entity, value, type) out of a summary and says whether the box score bears it out: what RG, CS and CO count.

```python
from transformers import AutoModel

extractor = AutoModel.from_pretrained("USER/NAME", trust_remote_code=True)
print(extractor.extract(summary, game))
```

Trained on {sentences:,} sentences; {parameters:,} parameters. On validation:

{scores}
"""


@dataclass
class Document:
    tokens: list[str]
    game: Game
    tuples: Tuples | None  # what the official extractor read, where it is known


def read_tuples(path: str | Path) -> list[Tuples]:
    """Documents of a file of `entity|value|type` lines."""
    return [[(each.entity, each.value, each.type) for each in document] for document in read_relations(path)]


def to_documents(rows: Iterable[Mapping], gold: Mapping[str, list[Tuples]]) -> list[Document]:
    """Rows of the built dataset with the official tuples of their splits, where those are given."""
    documents = []
    for row in rows:
        known, index = gold.get(row["source_split"]), row["source_index"]
        if known is not None and index >= len(known):
            file = f"puduppully-{row['source_split']}.txt"
            raise SettingsError(
                f"gold_tuples: {file} has {len(known):,} documents, but game {row['game_id']} is number {index:,}; "
                "take the file of the whole split"
            )
        tuples = known[index] if known else None
        documents.append(Document(row["summary"], Game.from_json(row), tuples))
    return documents


def load_gold(folder: str | Path | None) -> dict[str, list[Tuples]]:
    """`puduppully-{train,valid,test}.txt` of a folder, by split; none where no folder is given."""
    if folder is None:
        return {}
    return {split: read_tuples(Path(folder) / f"puduppully-{split}.txt") for split in ("train", "valid", "test")}


def pair_labels(document: Document, summary: ReadSummary, names: Names) -> list[list[tuple[str, ...]]]:
    """The correct types of every pair, sentence by sentence."""
    official = defaultdict(list)
    for entity, value, kind in document.tuples or ():
        found = read_number(value.split(), 0)
        if found:
            official[entity, found[0]].append(kind)
    stated = {mention.position: mention for mention in annotate(document.tokens, document.game, None, names)}
    counts = Counter(
        (pair.entity.text, pair.number.value) for sentence in summary.sentences for pair in sentence.pairs
    )
    result = []
    for sentence in summary.sentences:
        read = _columns(document.tokens, sentence)
        nearest = _nearest(sentence)
        row = []
        for pair in sentence.pairs:
            fitting = labels(pair, document.game)
            mention = stated.get(pair.number.start)
            key = (pair.entity.text, pair.number.value)
            kinds = {kind for kind in official[key] if kind.startswith("TEAM-") == pair.entity.is_team}
            is_read = pair.number.start in read
            if kinds and not kinds & set(fitting) and (mention or not is_read):
                row.append((NONE,))  # said of somebody else whose record has this value, or an average, a clock, a sum
            elif kinds and counts[key] <= len(official[key]):
                row.append(tuple(sorted(kinds)))
            elif kinds and not (mention and fitting != (NONE,)):
                # Said twice and read once: it cannot be told which of the two the official extractor meant.
                row.append((*sorted(kinds), NONE))
            elif fitting == (NONE,):
                row.append(fitting)
            else:
                row.append(_own_label(pair, document, mention, read, pair in nearest))
        result.append(row)
    return result


def _own_label(
    pair: Candidate, document: Document, mention: Mention | None, read: dict[int, set[str]], is_nearest: bool
) -> tuple[str, ...]:
    if mention and mention.fact.entity == pair.entity.index:
        kind = relation_type(mention.fact.attribute)
        return (kind,) if is_nearest else (NONE,)  # not of the city in "105 - 104 at the Garden in New York"
    columns = read.get(pair.number.start)
    fitting = labels(pair, document.game)
    if columns is None:
        return (NONE,) if document.tuples is not None else (*fitting, NONE)
    both = tuple(kind for kind in fitting if column_of(attribute_of_type(kind)) in columns)
    return (*both, NONE) if both else (NONE,)  # "A and B each had 11 points" is said of A too


def _nearest(sentence: ReadSentence) -> set[Candidate]:
    """Of the pairs of one number with several spans of one entity, the one whose span is nearest, before rather than
    after the number."""
    chosen: dict[tuple[int, int | None], tuple[int, Candidate]] = {}
    for pair in sentence.pairs:
        ahead = pair.number.start - pair.entity.end
        distance = ahead if ahead >= 0 else 10 + pair.entity.start - pair.number.end
        key = (pair.number.start, pair.entity.index)
        if key not in chosen or distance < chosen[key][0]:
            chosen[key] = (distance, pair)
    return {pair for _, pair in chosen.values()}


def _columns(tokens: list[str], sentence: ReadSentence) -> dict[int, set[str]]:
    """What the words around each number allow it to count."""
    columns: dict[int, set[str]] = defaultdict(set)
    if sentence.pairs:
        start, end = sentence.pairs[0].sentence
        numbers = list(dict.fromkeys(pair.number for pair in sentence.pairs))
        for group in number_groups(tokens, start, end, numbers):
            for role in group.roles:
                for number, column in zip(group.numbers, role.columns, strict=True):
                    columns[number.start].add(column)
    return columns


@dataclass(frozen=True)
class Counts:
    """What precision and recall are made of; see `score`."""

    told: int
    correct: int
    possible: int
    agreed: int
    distinct: int
    official: int

    def scores(self) -> dict[str, float]:
        scores = _rates("", self.correct, self.told, self.possible)
        if self.official:
            scores |= _rates("agreement_", self.agreed, self.distinct, self.official)
        return scores


def _rates(prefix: str, right: int, told: int, wanted: int) -> dict[str, float]:
    return {
        f"{prefix}precision": right / max(told, 1),
        f"{prefix}recall": right / max(wanted, 1),
        f"{prefix}f1": 2 * right / max(told + wanted, 1),
    }


def score(found: Iterable[list[Relation]], documents: list[Document], possible: int, threshold: float) -> Counts:
    """The field's definition: precision = told relations that the box score bears out, recall = those among all pairs
    whose values are equal. Agreement: (entity, value, type), distinct per document, against the official extractor."""
    told = correct = agreed = distinct = official = 0
    for relations, document in zip(found, documents, strict=True):
        kept = [relation for relation in relations if relation.confidence >= threshold]
        told += len(kept)
        correct += sum(relation.supported for relation in kept)
        if document.tuples is not None:
            ours = {(relation.entity, relation.value, relation.type) for relation in kept}
            theirs = set(document.tuples)
            agreed, distinct, official = agreed + len(ours & theirs), distinct + len(ours), official + len(theirs)
    return Counts(told, correct, possible, agreed, distinct, official)


def _config(settings: Settings, vocab_size: int) -> ExtractionConfig:
    """With the sizes in `model`, which must be ExtractionConfig's and of their kind."""
    for name in ("init_from", "only"):
        if asdict(settings)[name]:
            raise SettingsError(f"{name}: an extractor is trained from the beginning; leave it out")
    default = vars(ExtractionConfig())
    known = [name for name in inspect.signature(ExtractionConfig.__init__).parameters if name in default]
    for name, value in settings.model.items():
        if name not in known or name == "vocab_size":
            raise SettingsError(f"model.{name}: no such size; sizes are {', '.join(known[1:])}")
        kind = float if isinstance(default[name], float) else type(default[name])
        fits = isinstance(value, (int, float)) if kind is float else isinstance(value, kind)
        if not fits or isinstance(value, bool) or (kind is int and value < 1):
            raise SettingsError(f"model.{name}: {value!r} is not a value for it; it is {default[name]!r} by default")
        if kind is float and not 0 <= value <= 1:
            raise SettingsError(f"model.{name}: {value} is not between 0 and 1")
    return ExtractionConfig(vocab_size=vocab_size, **settings.model)


class ExtractionTask:
    """What the training loop needs; see `training.tasks.Task`. A "document" of the loop is one sentence here."""

    unit = "type"

    def __init__(self, settings: Settings, accelerator: Accelerator):
        self.settings = settings
        if settings.gold_tuples and settings.dataset == "sample":
            raise SettingsError(
                "gold_tuples: they are of RotoWire's games, not of the sample league's; leave them out"
            )
        gold = load_gold(settings.gold_tuples)
        train, main = [], 0
        for name in ("default", *settings.use):
            train += to_documents(data.read_rows(settings.dataset, name, "train", settings.documents), gold)
            main = main or len(train)
        rows = data.read_rows(settings.dataset, "default", "validation", settings.eval_documents)
        self.dev = to_documents(rows, gold)
        names = Names.collect(document.game for document in train)
        words = [(document.tokens, document.game) for document in train]
        vocabulary = Vocabulary.collect(words, names, settings.min_count)
        self.vocabularies = digest(vocabulary.words, *(sorted(part) for part in vars(names).values()))
        self.model = RelationExtractor(_config(settings, len(vocabulary)), vocabulary)
        self.examples: list[tuple[ReadSentence, torch.Tensor]] = []
        finishing: list[bool] = []
        reader = Reader(vocabulary)
        for index, document in enumerate(tqdm(train, desc="labelling", unit="doc", disable=None, leave=False)):
            summary = reader.read(document.tokens, document.game)
            kinds = pair_labels(document, summary, names)
            for sentence, row in zip(summary.sentences, kinds, strict=True):
                self.examples.append((sentence, torch.tensor([[kind in one for kind in TYPES] for one in row])))
            finishing += [index < main] * len(kinds)
        self.finishing = np.array(finishing)
        self.lengths = np.array([len(sentence.input_ids) for sentence, _ in self.examples])
        accelerator.print(
            f"{len(train):,} documents, {len(self.examples):,} sentences, vocabulary {len(vocabulary):,}; "
            f"{self.model.num_parameters():,} parameters"
        )

    def collate(self, examples: list[tuple[ReadSentence, torch.Tensor]]) -> dict[str, torch.Tensor]:
        batch = Reader.collate([sentence for sentence, _ in examples])
        batch["labels"] = torch.cat([kinds for _, kinds in examples])
        return batch

    def evaluate(self, model: RelationExtractor, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Scores at the lowest threshold that has `dev_precision`; the model keeps that threshold."""
        model.config.threshold = 0.0
        found = model.extract_batch([one.tokens for one in self.dev], [one.game for one in self.dev])
        possible = possible_pairs(self.dev, model.vocabulary)
        for threshold in THRESHOLDS:
            scores = score(found, self.dev, possible, threshold).scores()
            if scores["precision"] >= self.settings.dev_precision:
                break
        model.config.threshold = threshold
        return scores | {"threshold": threshold}

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """Recall counts only at the wished precision, which the first epochs may not reach."""
        return [min(scores["precision"], self.settings.dev_precision), scores["recall"]]

    def save(self, model: RelationExtractor, folder: Path) -> None:
        save(model, folder)
        write_code(folder)

    def card(self, scores: Mapping[str, float]) -> str:
        told = "\n".join(f"- {name}: {value:.4f}" for name, value in scores.items())
        return CARD.format(sentences=len(self.examples), parameters=self.model.num_parameters(), scores=told)

    def show(self, model: RelationExtractor) -> str:
        """What is read out of the first dev summary."""
        relations = model.extract(self.dev[0].tokens, self.dev[0].game)
        return "\n".join(f"{one.entity} | {one.value} | {one.type} | {one.confidence:.2f}" for one in relations)


def save(model: RelationExtractor, folder: str | Path) -> None:
    """Half precision halves the file; it loads as single precision and tells the same relations."""
    state = {name: tensor.half() for name, tensor in model.state_dict().items()}
    model.save_pretrained(folder, state_dict=state)


def possible_pairs(documents: list[Document], vocabulary: Vocabulary) -> int:
    """Pairs of an entity and a number that the box score could bear out."""
    reader = Reader(vocabulary)
    return sum(
        labels(pair, document.game) != (NONE,)
        for document in documents
        for sentence in reader.read(document.tokens, document.game).sentences
        for pair in sentence.pairs
    )


def build_task(settings: Settings, accelerator: Accelerator) -> ExtractionTask:
    return ExtractionTask(settings, accelerator)
