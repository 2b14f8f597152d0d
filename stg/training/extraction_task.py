"""The task `extractor`: trains the relation extractor, one sentence per example."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from tqdm import tqdm

from stg.extraction.candidates import NONE, TYPES, Names, labels
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.hub_folder import write_code
from stg.extraction.modeling_extraction import RelationExtractor
from stg.extraction.reading import Reader, ReadSentence, Vocabulary
from stg.extraction.relations import Relation
from stg.training import data
from stg.training.extraction_labels import Document, load_gold, pair_labels, to_documents
from stg.training.settings import Settings, SettingsError
from stg.training.state import digest


THRESHOLDS = [step / 100 for step in range(20, 91)]

CARD = """---
library_name: transformers
tags: [relation-extraction, data-to-text, RotoWire]
---

# Relation extractor for basketball summaries

Extracts (entity, value, type) relations from a summary and says whether the box score supports them: the basis of
RG, CS and CO.

```python
from transformers import AutoModel

extractor = AutoModel.from_pretrained("USER/NAME", trust_remote_code=True)
print(extractor.extract(summary, game))
```

Trained on {sentences:,} sentences; {parameters:,} parameters. On validation:

{scores}
"""


@dataclass(frozen=True)
class Counts:
    """The counts behind precision and recall; see `score`."""

    extracted: int
    correct: int  # extracted relations that the box score supports
    possible: int  # see `possible_pairs`
    agreed: int  # distinct tuples that the official extractor has too
    distinct: int  # tuples, distinct per document
    official: int  # the official extractor's tuples

    def scores(self) -> dict[str, float]:
        scores = _rates("", self.correct, self.extracted, self.possible)
        if self.official:
            scores |= _rates("agreement_", self.agreed, self.distinct, self.official)
        return scores


def _rates(prefix: str, correct: int, predicted: int, gold: int) -> dict[str, float]:
    return {
        f"{prefix}precision": correct / max(predicted, 1),
        f"{prefix}recall": correct / max(gold, 1),
        f"{prefix}f1": 2 * correct / max(predicted + gold, 1),
    }


def score(
    extracted: Iterable[Sequence[Relation]], documents: Sequence[Document], possible: int, threshold: float
) -> Counts:
    """Counts relations above a threshold.

    As is usual for this task, precision is the share of extracted relations that the box score supports, and recall
    their share of all pairs with equal values. Agreement compares with the official extractor's tuples.
    """
    total = correct = agreed = distinct = official = 0
    for relations, document in zip(extracted, documents, strict=True):
        kept = [relation for relation in relations if relation.confidence >= threshold]
        total += len(kept)
        correct += sum(relation.supported for relation in kept)
        if document.tuples is not None:
            ours = {(relation.entity, relation.value, relation.type) for relation in kept}
            theirs = set(document.tuples)
            agreed, distinct, official = agreed + len(ours & theirs), distinct + len(ours), official + len(theirs)
    return Counts(total, correct, possible, agreed, distinct, official)


def possible_pairs(documents: Iterable[Document], vocabulary: Vocabulary) -> int:
    """Number of (entity, number) pairs that the box score could support."""
    reader = Reader(vocabulary)
    return sum(
        labels(pair, document.game) != (NONE,)
        for document in documents
        for sentence in reader.read(document.tokens, document.game).sentences
        for pair in sentence.pairs
    )


def _config(settings: Settings, vocab_size: int) -> ExtractionConfig:
    """The configuration with the sizes in setting `model`, checked against `ExtractionConfig`."""
    for name in ("init_from", "only"):
        if asdict(settings)[name]:
            raise SettingsError(f"{name}: an extractor is trained from scratch; leave it out")
    default = vars(ExtractionConfig())
    known = [name for name in inspect.signature(ExtractionConfig.__init__).parameters if name in default]
    for name, value in settings.model.items():
        if name not in known or name == "vocab_size":
            raise SettingsError(f"model.{name}: no such size; sizes are {', '.join(known[1:])}")
        expected = float if isinstance(default[name], float) else type(default[name])
        fits = isinstance(value, (int, float)) if expected is float else isinstance(value, expected)
        if not fits or isinstance(value, bool) or (expected is int and value < 1):
            raise SettingsError(f"model.{name}: {value!r} is not a valid value; the default is {default[name]!r}")
        if expected is float and not 0 <= value <= 1:
            raise SettingsError(f"model.{name}: {value} is not between 0 and 1")
    return ExtractionConfig(vocab_size=vocab_size, **settings.model)


class ExtractionTask:
    """Trains `RelationExtractor`. The loop's documents are sentences here."""

    unit = "type"

    def __init__(self, settings: Settings, accelerator: Accelerator):
        self.settings = settings
        if settings.gold_tuples and settings.dataset == "sample":
            raise SettingsError("gold_tuples: belong to RotoWire's games, not to the sample league's; leave them out")
        gold = load_gold(settings.gold_tuples)
        train: list[Document] = []
        default_size = 0
        for name in ("default", *settings.use):
            train += to_documents(data.read_rows(settings.dataset, name, "train", settings.documents), gold)
            default_size = default_size or len(train)
        rows = data.read_rows(settings.dataset, "default", "validation", settings.eval_documents)
        self.dev = to_documents(rows, gold)
        names = Names.collect(document.game for document in train)
        texts = [(document.tokens, document.game) for document in train]
        vocabulary = Vocabulary.collect(texts, names, settings.min_count)
        self.vocabulary_digest = digest(vocabulary.words, *(sorted(known) for known in vars(names).values()))
        self.model = RelationExtractor(_config(settings, len(vocabulary)), vocabulary)
        self.examples: list[tuple[ReadSentence, torch.Tensor]] = []
        in_final_epochs: list[bool] = []
        reader = Reader(vocabulary)
        for index, document in enumerate(tqdm(train, desc="labelling", unit="doc", disable=None, leave=False)):
            summary = reader.read(document.tokens, document.game)
            labels_by_sentence = pair_labels(document, summary, names)
            for sentence, row in zip(summary.sentences, labels_by_sentence, strict=True):
                self.examples.append((sentence, torch.tensor([[label in types for label in TYPES] for types in row])))
            in_final_epochs += [index < default_size] * len(labels_by_sentence)
        self.in_final_epochs = np.array(in_final_epochs)
        self.lengths = np.array([len(sentence.input_ids) for sentence, _ in self.examples])
        accelerator.print(
            f"{len(train):,} documents, {len(self.examples):,} sentences, vocabulary {len(vocabulary):,}; "
            f"{self.model.num_parameters():,} parameters"
        )

    def collate(self, examples: Sequence[tuple[ReadSentence, torch.Tensor]]) -> dict[str, torch.Tensor]:
        batch = Reader.collate([sentence for sentence, _ in examples])
        batch["labels"] = torch.cat([types for _, types in examples])
        return batch

    def evaluate(self, model: RelationExtractor, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Scores at the lowest threshold that reaches `dev_precision`, which the model keeps."""
        model.config.threshold = 0.0
        extracted = model.extract_batch([doc.tokens for doc in self.dev], [doc.game for doc in self.dev])
        possible = possible_pairs(self.dev, model.vocabulary)
        for threshold in THRESHOLDS:
            scores = score(extracted, self.dev, possible, threshold).scores()
            if scores["precision"] >= self.settings.dev_precision:
                break
        model.config.threshold = threshold
        return scores | {"threshold": threshold}

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """Recall at `dev_precision`; until that is reached, precision."""
        return [min(scores["precision"], self.settings.dev_precision), scores["recall"]]

    def save(self, model: RelationExtractor, folder: Path) -> None:
        save(model, folder)
        write_code(folder)

    def card(self, scores: Mapping[str, float]) -> str:
        lines = "\n".join(f"- {name}: {value:.4f}" for name, value in scores.items())
        return CARD.format(sentences=len(self.examples), parameters=self.model.num_parameters(), scores=lines)

    def sample_output(self, model: RelationExtractor) -> str:
        """The relations in the first dev summary."""
        relations = model.extract(self.dev[0].tokens, self.dev[0].game)
        return "\n".join(
            f"{relation.entity} | {relation.value} | {relation.type} | {relation.confidence:.2f}"
            for relation in relations
        )


def save(model: RelationExtractor, folder: str | Path) -> None:
    """Saves in half precision; it loads as single precision and extracts the same relations."""
    state = {name: tensor.half() for name, tensor in model.state_dict().items()}
    model.save_pretrained(folder, state_dict=state)
