"""The relation extractor: an ensemble of convolutions and bidirectional LSTMs over (entity, number) pairs.

Every member sees the sentence with distances to the entity and to the number, max-pools over the sentence and ends in
a softmax over relation types. Names are masked by kind, each as one token, so the extractor generalises to new
players. A sentence is read once for all its pairs: a convolution is linear up to its non-linearity, so words and
distances are convolved separately and added per pair; the LSTMs read the words, and distances are added to their
states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import torch
from torch import nn
from transformers import PreTrainedModel
from transformers.utils import ModelOutput, cached_file

from modeling_stg.game import Game
from stg.extraction.candidates import TYPES, Names
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.reading import Reader, Vocabulary
from stg.extraction.relations import Relation


PAIRS_AT_ONCE = 8  # keeps the pooled tensor within the CPU cache


@dataclass
class ExtractionOutput(ModelOutput):
    """`log_probs` [pairs, types] of the ensemble: the log of its members' mean probabilities.

    With labels also `loss`, averaged over members and summed over pairs; `losses` and `counts` (pairs) by part.
    """

    loss: torch.FloatTensor | None = None
    log_probs: torch.FloatTensor | None = None
    losses: dict[str, torch.Tensor] | None = None
    counts: dict[str, torch.Tensor] | None = None


class Convolution(nn.Linear):
    """A convolution over time [..., T, in] -> [..., T, out] as one matrix product, which is faster on a CPU."""

    def __init__(self, inputs: int, outputs: int, width: int, bias: bool = True):
        super().__init__(width * inputs, outputs, bias)
        self.width = width

    def forward(self, signal: torch.Tensor) -> torch.Tensor:
        before = (self.width - 1) // 2
        padded = nn.functional.pad(signal, (0, 0, before, self.width - 1 - before))
        shifted = [padded[..., shift : shift + signal.shape[-2], :] for shift in range(self.width)]
        return super().forward(torch.cat(shifted, -1))


class Distances(nn.Module):
    """Features of a token's distance to the entity, or to the number: a convolution over distance embeddings."""

    def __init__(self, config: ExtractionConfig, width: int, size: int):
        super().__init__()
        self.embeddings = nn.Embedding(2 * config.max_distance + 1, config.distance_size)
        self.convolution = Convolution(config.distance_size, size, width, bias=False)
        self.width = width
        self.reach = config.max_distance

    def forward(self, length: int) -> torch.Tensor:
        """[2 * length - 1, size]: for the distances 1 - length to length - 1 of a sentence of this length."""
        # Extended by the convolution's width at both ends, so that padding does not depend on the batch's length.
        steps = torch.arange(1 - length - self.width, length + self.width, device=self.embeddings.weight.device)
        embedded = self.embeddings(steps.clamp(-self.reach, self.reach) + self.reach)
        return self.convolution(embedded)[self.width : -self.width]


def pool(
    word_features: torch.Tensor, to_entity: torch.Tensor, to_number: torch.Tensor, batch: dict[str, torch.Tensor]
) -> torch.Tensor:
    """max over the sentence of relu(word_features + to_entity + to_number), for every pair: [P, size].

    The position of the maximum is found without gradients; only the value there is computed again with them, so the
    backward pass skips the rest of the sentence.
    """
    length, size = word_features.shape[1:]
    sentence, entity, number = batch["sentence"], batch["entity"], batch["number"]
    with torch.no_grad():
        padding = torch.arange(length, device=word_features.device) >= batch["lengths"].unsqueeze(1)
        masked = word_features.masked_fill(padding.unsqueeze(-1), torch.finfo(word_features.dtype).min / 4)
        # Row `a` holds the distances seen by a sentence whose anchor is at `a`: [length, length, size].
        near_entity, near_number = (
            added.unfold(0, length, 1).flip(0).transpose(1, 2).contiguous() for added in (to_entity, to_number)
        )
        argmax = torch.empty(len(sentence), size, dtype=torch.long, device=word_features.device)
        for start in range(0, len(sentence), PAIRS_AT_ONCE):
            chunk = slice(start, start + PAIRS_AT_ONCE)
            features = masked.index_select(0, sentence[chunk])
            features += near_entity.index_select(0, entity[chunk])
            features += near_number.index_select(0, number[chunk])
            argmax[chunk] = features.max(1).indices
    best = word_features.reshape(-1, size).gather(0, sentence.unsqueeze(1) * length + argmax)
    best = best + to_entity.gather(0, argmax - entity.unsqueeze(1) + length - 1)
    best = best + to_number.gather(0, argmax - number.unsqueeze(1) + length - 1)
    return torch.relu(best)


class ConvolutionMember(nn.Module):
    """Convolutions of several widths, max-pooled over the sentence."""

    def __init__(self, config: ExtractionConfig):
        super().__init__()
        self.words = nn.Embedding(config.vocab_size, config.word_size, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.convolutions = nn.ModuleList(
            Convolution(config.word_size, config.filters, width) for width in config.widths
        )
        self.to_entity = nn.ModuleList(Distances(config, width, config.filters) for width in config.widths)
        self.to_number = nn.ModuleList(Distances(config, width, config.filters) for width in config.widths)
        pooled = config.filters * len(config.widths) + 2 * config.word_size
        self.hidden = nn.Linear(pooled, config.hidden_size)
        self.types = nn.Linear(config.hidden_size, len(TYPES))

    def forward(self, input_ids: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        words = self.dropout(self.words(input_ids))  # [S, T, D]
        length = input_ids.shape[1]
        convolved = torch.cat([convolution(words) for convolution in self.convolutions], -1)
        to_entity = torch.cat([distances(length) for distances in self.to_entity], -1)
        to_number = torch.cat([distances(length) for distances in self.to_number], -1)
        sentence = batch["sentence"]
        pooled = torch.cat(
            [
                pool(convolved, to_entity, to_number, batch),  # [P, widths * F]
                words[sentence, batch["entity"]],
                words[sentence, batch["number"]],
            ],
            -1,
        )
        hidden = torch.relu(self.hidden(self.dropout(pooled)))
        return self.types(self.dropout(hidden))


def reverse(signal: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Reverses every sentence [T, size] of a batch; padding stays where it is."""
    positions = torch.arange(signal.shape[1], device=signal.device)
    lengths = lengths.unsqueeze(1)
    positions = torch.where(positions < lengths, lengths - 1 - positions, positions)
    return signal.gather(1, positions.unsqueeze(-1).expand_as(signal))


class LstmMember(nn.Module):
    """A bidirectional LSTM whose states, with the distances added, are max-pooled over the sentence.

    Two LSTMs, the second over reversed sentences, are three times as fast on a CPU as one over packed sequences.
    """

    def __init__(self, config: ExtractionConfig):
        super().__init__()
        self.words = nn.Embedding(config.vocab_size, config.word_size, padding_idx=0)
        self.dropout = nn.Dropout(config.dropout)
        self.forwards = nn.LSTM(config.word_size, config.lstm_size, batch_first=True)
        self.backwards = nn.LSTM(config.word_size, config.lstm_size, batch_first=True)
        self.states = nn.Linear(2 * config.lstm_size, config.hidden_size)
        self.to_entity = Distances(config, 1, config.hidden_size)
        self.to_number = Distances(config, 1, config.hidden_size)
        self.hidden = nn.Linear(config.hidden_size + 4 * config.lstm_size, config.hidden_size)
        self.types = nn.Linear(config.hidden_size, len(TYPES))

    def forward(self, input_ids: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        words = self.dropout(self.words(input_ids))
        length, lengths = input_ids.shape[1], batch["lengths"]
        before = self.forwards(words)[0]
        after = reverse(self.backwards(reverse(words, lengths))[0], lengths)
        states = self.dropout(torch.cat([before, after], -1))  # [S, T, 2H]
        sentence = batch["sentence"]
        pooled = torch.cat(
            [
                pool(self.states(states), self.to_entity(length), self.to_number(length), batch),
                states[sentence, batch["entity"]],
                states[sentence, batch["number"]],
            ],
            -1,
        )
        hidden = torch.relu(self.hidden(self.dropout(pooled)))
        return self.types(self.dropout(hidden))


class RelationExtractor(PreTrainedModel):
    """`extract(text, game)` reads a summary; `forward` scores pairs and, given labels, returns the loss."""

    config_class = ExtractionConfig
    base_model_prefix = "extractor"
    _no_split_modules = ["ConvolutionMember", "LstmMember"]

    def __init__(self, config: ExtractionConfig, vocabulary: Vocabulary | None = None):
        super().__init__(config)
        self.vocabulary = vocabulary
        self.members = nn.ModuleList(
            [ConvolutionMember(config) for _ in range(config.convolutions)]
            + [LstmMember(config) for _ in range(config.lstms)]
        )
        self.post_init()

    def forward(
        self,
        input_ids: torch.LongTensor,
        lengths: torch.LongTensor,
        sentence: torch.LongTensor,
        entity: torch.LongTensor,
        number: torch.LongTensor,
        allowed: torch.BoolTensor,
        labels: torch.BoolTensor | None = None,
    ) -> ExtractionOutput:
        """Scores the pairs of sentences.

        Args:
            input_ids: sentences, [S, T].
            lengths: tokens of each sentence, [S].
            sentence, entity, number: each pair's sentence and the positions in it, [P].
            allowed: types that fit the entity, a team's or a player's, [P, types].
            labels: every correct type, [P, types].
        """
        batch = {"lengths": lengths, "sentence": sentence, "entity": entity, "number": number}
        scores = torch.stack([member(input_ids, batch) for member in self.members])
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        log_probs = scores.log_softmax(-1)  # [members, P, types]
        ensemble = log_probs.exp().mean(0).clamp_min(torch.finfo(scores.dtype).tiny).log()
        if labels is None:
            return ExtractionOutput(log_probs=ensemble)
        # -log of the summed probability of all correct types, because cells of equal value are indistinguishable
        correct = log_probs.masked_fill(~labels, torch.finfo(scores.dtype).min).logsumexp(-1)
        loss = -correct.mean(0).sum()
        counts = {"type": torch.tensor(float(len(labels)), device=loss.device)}
        return ExtractionOutput(loss=loss, log_probs=ensemble, losses={"type": loss}, counts=counts)

    def extract(self, text: str | list[str], game: Game | Mapping, implicit_one: bool = False) -> list[Relation]:
        """Reads the relations that a summary states.

        Args:
            text: plain text, or the dataset's tokens.
            game: the game it is about, or the JSON of one.
            implicit_one: also read "a steal" as one steal, which published extractors do not.

        Returns:
            Relations entity by entity within a sentence, the order that CO scores; repetitions included.

        Example:
            >>> [relation] = extractor.extract("Carmelo Anthony scored 30 points .", game)
            >>> relation.entity, relation.number, relation.type, relation.supported
            ('Carmelo Anthony', 30, 'PLAYER-PTS', True)
        """
        return self.extract_batch([text], [game], implicit_one=implicit_one)[0]

    @property
    def names(self) -> Names:
        """The names of the training games."""
        assert self.vocabulary is not None  # set by `from_pretrained` or the constructor
        return self.vocabulary.names

    @torch.inference_mode()
    def extract_batch(
        self, texts: Sequence, games: Sequence, batch_size: int = 32, implicit_one: bool = False
    ) -> list[list[Relation]]:
        """`extract` for many summaries; `batch_size` (summaries at a time) changes speed, not relations."""
        was_training = self.training
        self.eval()
        reader = Reader(self.vocabulary, implicit_one)
        relations = []
        for start in range(0, len(texts), batch_size):
            read = [
                reader.read(text, game)
                for text, game in zip(
                    texts[start : start + batch_size], games[start : start + batch_size], strict=True
                )
            ]
            probabilities = self._probabilities([sentence for summary in read for sentence in summary.sentences])
            for summary in read:
                scored = [next(probabilities) for _ in summary.sentences]
                relations.append(summary.relations(scored, self.config.threshold))
        self.train(was_training)
        return relations

    def _probabilities(self, sentences: list):
        """The ensemble's probabilities by sentence; sentences of similar length share a batch to save padding."""
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index].input_ids))
        by_sentence: dict[int, list[list[float]]] = {}
        for start in range(0, len(order), 64):
            chosen = order[start : start + 64]
            batch = Reader.collate([sentences[index] for index in chosen])
            log_probs = self(**{name: tensor.to(self.device) for name, tensor in batch.items()}).log_probs
            rows = log_probs.exp().tolist()
            for index in chosen:
                count = len(sentences[index].pairs)
                by_sentence[index], rows = rows[:count], rows[count:]
        return iter([by_sentence[index] for index in range(len(sentences))])

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *args, **kwargs):
        model = super().from_pretrained(pretrained_model_name_or_path, *args, **kwargs)
        options = ("subfolder", "revision", "cache_dir", "token", "local_files_only", "force_download")
        location = {name: kwargs[name] for name in options if kwargs.get(name) is not None}
        path = cached_file(pretrained_model_name_or_path, Vocabulary.FILE, **location)
        loaded = model[0] if isinstance(model, tuple) else model
        loaded.vocabulary = Vocabulary.load(path)
        return model

    def save_pretrained(self, save_directory: str | PathLike, **kwargs) -> None:
        super().save_pretrained(save_directory, **kwargs)
        if self.vocabulary is not None:
            self.vocabulary.save(save_directory)


ExtractionConfig.register_for_auto_class()
RelationExtractor.register_for_auto_class("AutoModel")
