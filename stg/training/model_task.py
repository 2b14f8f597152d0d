"""The task `model`: trains StgForDataToText on annotated documents."""

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, send_to_device
from safetensors import SafetensorError
from tqdm import tqdm
from transformers import GenerationConfig, PreTrainedConfig, PreTrainedModel

import modeling_stg
from modeling_stg.configuration_stg import StgConfig
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.pipeline_stg import CUSTOM_PIPELINES
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.schema import STYLES, WRITER_LABELS, WRITERS
from modeling_stg.settings import non_default_options
from modeling_stg.text import detokenize
from modeling_stg.tokenization_stg import StgTokenizer
from stg.dataset.reading import open_season
from stg.files import shipped
from stg.metrics.bleu import corpus_bleu
from stg.training import data
from stg.training.card import model_card
from stg.training.composite import TRACKER_SIZES, sizes_of, spell_words, take_tracker
from stg.training.grounding import ground, groundable_words, without_season
from stg.training.ordering import order_numbers
from stg.training.settings import Settings, SettingsError, model_setting_errors
from stg.training.state import digest


CODE = Path(modeling_stg.__file__).parent
BY_SENTENCES = {"sentence_candidates": 32, "known_phrases": True}  # how a model that keeps phrases writes
EXAMPLE = shipped("examples/bucks_at_knicks.json")
# Fields of StgConfig that are not sizes: set by the training set or --writer, or common to all of transformers.
NOT_SIZES = {
    *("vocab_size", "num_entities", "num_values", "num_writers", "use_writer", "number_word_limit"),
    *("team_attributes", "player_attributes"),
    *("pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id", "period_token_id"),
    *("hyphen_token_id", "number_token_ids", "bound_token_ids", "num_phrases", "language_config", "spelling_width"),
    *(field.name for field in fields(PreTrainedConfig) if field.name != "tie_word_embeddings"),
}
# Sizes that can change with init_from: rates, and a head that starts untrained.
CHANGEABLE = ("dropout", "variational_dropout", "weight_dropout", "unknown_rate", "anonymous_rate", "use_teammates")
LABELS = ("labels", "form_known")  # inputs used only in training
HOUSE = "house"  # our own recaps
STYLE_LABELS = {label for label, name in enumerate(WRITER_LABELS) if name in STYLES}
WHOLE = ("default", "extra", HOUSE, "sample")  # `partial` documents are excerpts
FIRST_VALUE = 2  # rows 0 and 1 of the value embedding are "unknown" and N/A


class ModelTask:
    """Trains `StgForDataToText`; `BaselineTask` derives from it."""

    unit = "z"

    def __init__(self, settings: Settings, accelerator: Accelerator):
        self.settings = settings
        rows = {
            name: data.read_rows(settings.dataset, name, "train", settings.documents)
            for name in ("default", *settings.use)
        }
        self.dev = data.read_rows(settings.dataset, "default", "validation", settings.eval_documents)
        for name, config_rows in (*rows.items(), ("validation", self.dev)):
            if not any(row["mentions"] for row in config_rows):
                raise data.DataError(f"dataset {settings.dataset}, {name}: no row has mentions; annotate it first")
        if settings.grounded:
            rows, self.dev = self._ground(rows, accelerator)
        self.season = open_season(settings.season)
        self.processor, self.model = self._build([row for part in rows.values() for row in part], accelerator)
        self.examples: list[dict[str, np.ndarray]] = []
        in_final_epochs: list[bool] = []
        truncated = 0
        for name, config_rows in rows.items():
            encoded, cut = data.encode_documents(
                self.processor, config_rows, settings.max_length, name in WHOLE, f"encoding {name}", self.season
            )
            self.examples += encoded
            in_final_epochs += [name == "default"] * len(encoded)
            truncated += cut
        if settings.phrases:
            self.model.keep_phrases(example["labels"].tolist() for example in self.examples)
            # A fresh GenerationConfig, because transformers drops new fields of an old one when it is saved.
            own = non_default_options(self.model.generation_config)
            self.model.generation_config = GenerationConfig(**own | BY_SENTENCES)
        self.dev_examples, dev_truncated = data.encode_documents(
            self.processor, self.dev, settings.max_length, True, "encoding dev", self.season
        )
        words = sorted(self.processor.tokenizer.get_vocab().items(), key=lambda item: item[1])
        self.vocabulary_digest = digest([word for word, _ in words], self.processor.entities, self.processor.values)
        self.in_final_epochs = np.array(in_final_epochs)
        self.lengths = np.array([len(example["labels"]) for example in self.examples])
        for split, count, total in (
            ("training", truncated, len(self.examples)),
            ("dev", dev_truncated, len(self.dev)),
        ):
            if count:
                accelerator.print(f"{count} of {total} {split} documents were cut to max_length {settings.max_length}")
        accelerator.print(
            f"{len(self.examples):,} documents, {self.lengths.sum():,} tokens, vocabulary "
            f"{self.model.config.vocab_size:,}; {self.model.num_parameters():,} parameters"
        )

    def _ground(
        self, rows: dict[str, list[dict]], accelerator: Accelerator
    ) -> tuple[dict[str, list[dict]], list[dict]]:
        """The grounded sentences of the training rows by config, and of the dev rows; prints how much text remains."""
        by_people = [row for part in rows.values() for row in part if row["writer"] not in STYLE_LABELS]
        words = groundable_words(by_people)
        grounded = {name: self._ground_part(part, words) for name, part in rows.items()}
        dev = self._ground_part(self.dev, words)
        for name, before, after in (*((name, rows[name], grounded[name]) for name in rows), ("dev", self.dev, dev)):
            if not after:
                raise data.DataError(
                    f"grounded: no text of {name} has a grounded opening; annotate the dataset, or leave it out"
                )
            lengths = [sum(len(row["summary"]) for row in part) for part in (before, after)]
            accelerator.print(
                f"grounded {name}: {len(after):,} of {len(before):,} texts, {lengths[1]:,} of {lengths[0]:,} tokens"
            )
        if self.settings.season is not None:
            grounded, dev = {name: without_season(part) for name, part in grounded.items()}, without_season(dev)
        return grounded, dev

    @staticmethod
    def _ground_part(rows: list[dict], words: frozenset[str]) -> list[dict]:
        """Our own recaps use only words that facts decide, so only people's are restricted to `words`."""
        is_ours = rows[0]["writer"] in STYLE_LABELS
        return ground(rows, None if is_ours else words)

    def _build(self, rows: Sequence[Mapping], accelerator: Accelerator) -> tuple[StgProcessor, StgForDataToText]:
        settings = self.settings
        if settings.init_from:
            return self._load(settings.init_from, accelerator)
        is_ours = {row["writer"] in STYLE_LABELS for row in rows}
        writers = (*(WRITERS if False in is_ours else ()), *(STYLES if True in is_ours else ()))
        sizes, trained = self._sizes(), None
        language = {name: sizes[name] for name in ("language_model", "language_revision") if name in sizes}
        if settings.tracker_from:
            processor, trained = self._open_tracker(settings.tracker_from, language)
            sizes |= {name: vars(trained.config)[name] for name in TRACKER_SIZES}
        else:
            processor = StgProcessor.from_dataset(
                rows,
                settings.min_count,
                facts=settings.facts,
                season=self.season,
                writers=writers,
                **language,
            )
        with model_setting_errors():
            config = processor.config(use_writer=settings.writer, **(sizes | sizes_of(processor)))
        model = StgForDataToText(config)
        spell_words(model, processor)
        if trained is not None:
            take_tracker(model, trained)
        elif settings.ordered_numbers:
            order_numbers(model.encoder.value, processor.values, FIRST_VALUE)
        if set(settings.facts) - {"result"}:  # that group has only inputs and the weekday
            model.generation_config = GenerationConfig(bound_words=True)
        return processor, model

    def _load(self, folder: str, accelerator: Accelerator) -> tuple[StgProcessor, StgForDataToText]:
        """Loads a trained model to start from, with or without its writers."""
        settings, sizes = self.settings, self._sizes()
        changes = {name: value for name, value in sizes.items() if name in CHANGEABLE}
        try:
            with model_setting_errors():
                model_type = StgConfig.get_config_dict(folder)[0].get("model_type")
                if model_type != StgConfig.model_type:
                    raise SettingsError(f"init_from {folder}: has a model of type {model_type!r}, not 'stg'")
                processor = load_processor(folder)
                config = StgConfig.from_pretrained(folder, **changes)
                kept = [f"{name} {vars(config)[name]}" for name, value in sizes.items() if vars(config)[name] != value]
                had_writers, config.use_writer = config.use_writer, settings.writer
                # Without use_writer, the writers' weights are dropped and all others loaded.
                model = StgForDataToText.from_pretrained(folder, config=config, dtype=torch.float32)
        except SettingsError:
            raise
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise SettingsError(f"init_from {folder}: cannot be loaded ({reason})") from None
        if settings.writer and not had_writers:
            raise SettingsError(f"init_from {folder}: was trained with --no-writer; add --no-writer")
        processor.fill_token_ids(model.config)
        if kept:
            accelerator.print(f"init_from {folder}: keeps its own sizes: {', '.join(kept)}")
        if had_writers and not settings.writer:
            accelerator.print(f"init_from {folder}: drops its writers and keeps all other weights")
        if settings.only:
            self._freeze_except(model, settings.only)
        return processor, model

    def _open_tracker(self, folder: str, language: Mapping[str, str]) -> tuple[StgProcessor, StgForDataToText]:
        """The model whose encoder and tracker are taken over, and its vocabularies for another language model."""
        try:
            processor = load_processor(folder, **language)
            model = StgForDataToText.from_pretrained(folder, dtype=torch.float32)
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise SettingsError(f"tracker_from {folder}: cannot be loaded ({reason})") from None
        if model.config.use_writer != self.settings.writer:
            raise SettingsError(f"tracker_from {folder}: differs in --writer; take a model that agrees")
        return processor, model

    @staticmethod
    def _freeze_except(model: StgForDataToText, modules: Sequence[str]) -> None:
        known = dict.fromkeys(name.partition(".")[0] for name, _ in model.named_parameters())
        unknown = [module for module in modules if module not in known]
        if unknown:
            raise SettingsError(f"only: the model has no {', '.join(unknown)}; its modules are {', '.join(known)}")
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.partition(".")[0] in modules)

    def _default_sizes(self) -> dict[str, Any]:
        """The sizes that setting `model` may change, with their defaults."""
        return {field.name: field.default for field in fields(StgConfig) if field.name not in NOT_SIZES}

    def _sizes(self) -> dict[str, Any]:
        """The sizes in setting `model`."""
        defaults, sizes = self._default_sizes(), {}
        for name, value in self.settings.model.items():
            if name not in defaults:
                raise SettingsError(f"model.{name}: no such size; sizes are {', '.join(sorted(defaults))}")
            sizes[name] = float(value) if isinstance(defaults[name], float) and isinstance(value, int) else value
        return sizes

    def collate(self, examples: Sequence[Mapping[str, np.ndarray]]) -> Mapping[str, torch.Tensor]:
        return self.processor.collate(examples)

    def evaluate(self, model: StgForDataToText, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Perplexity per token over all five heads, and BLEU of greedy texts from `bleu_from_epoch` on."""
        rank, processes = accelerator.process_index, accelerator.num_processes
        own = range(rank, len(self.dev), processes)
        with_bleu = 0 < self.settings.bleu_from_epoch <= epoch
        totals = torch.zeros(2, dtype=torch.float64, device=accelerator.device)
        texts: dict[int, list[str]] = {}
        size = self.settings.eval_batch_size
        starts = range(0, len(own), size)
        for start in tqdm(starts, desc="dev", unit="batch", disable=None if rank == 0 else True, leave=False):
            indices = own[start : start + size]
            batch = send_to_device(
                dict(self.collate([self.dev_examples[index] for index in indices])), accelerator.device
            )
            with torch.inference_mode(), accelerator.autocast():
                output = model(**batch)
                totals += torch.stack([output.loss.double(), output.counts["z"].double()])
            if with_bleu:
                written = self.generate(model, [self.dev[index] for index in indices], batch)
                texts.update(zip(indices, written, strict=True))
        loss, tokens = accelerator.reduce(totals, "sum").tolist()
        scores = {"perplexity": math.exp(min(loss / tokens, 700)), "loss": loss / len(self.dev)}
        if with_bleu:
            texts = dict(gather_object(list(texts.items())))
            predictions = [texts[index] for index in range(len(self.dev))]
            scores["bleu"], _ = corpus_bleu(predictions, [row["summary"] for row in self.dev])
        return scores

    def generate(self, model: PreTrainedModel, rows: Sequence[Mapping], batch: Mapping) -> list[list[str]]:
        """Texts about the games of a batch, as tokens."""
        inputs = {name: tensor for name, tensor in batch.items() if name not in LABELS}
        sequences = model.generate(**inputs, **self._generation_options(model))
        return self.processor.batch_tokens(sequences, [data.facts_of(row, self.season) for row in rows])

    def _generation_options(self, model: PreTrainedModel) -> dict[str, int]:
        """Decodes greedily: quickly, and without drawing random numbers."""
        return {"max_new_tokens": self.settings.max_new_tokens} | {"sentence_candidates": 0, "known_phrases": False}

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """BLEU, or perplexity in epochs without it; any epoch with BLEU beats those without."""
        return [1.0, scores["bleu"]] if "bleu" in scores else [0.0, -scores["perplexity"]]

    def save(self, model: StgForDataToText, folder: Path) -> None:
        model.config.custom_pipelines = CUSTOM_PIPELINES
        model.save_pretrained(folder)
        self.processor.save_pretrained(folder)
        for file in CODE.glob("*.py"):
            if file.name != "__init__.py":
                shutil.copyfile(file, folder / file.name)
        shutil.copyfile(EXAMPLE, folder / "game.json")  # so that the card's example runs

    def card(self, scores: Mapping[str, float]) -> str:
        return model_card(self.settings, self.model, len(self.examples), scores)

    def sample_output(self, model: StgForDataToText) -> str:
        """A recap of the first dev game, in the style of its writer."""
        row = self.dev[0]
        inputs = send_to_device(dict(self.collate(self.dev_examples[:1])), model.device)
        text = detokenize(self.generate(model, [row], inputs)[0])
        return f"{row['vis_city']} {row['vis_name']} at {row['home_city']} {row['home_name']}\n\n{text}"


def load_processor(folder: str, **changes: str) -> StgProcessor:
    """Loads a processor with this package's code; `from_pretrained` would ask whether to run the folder's."""
    tokenizer = StgTokenizer.from_pretrained(folder)
    saved, _ = StgProcessor.get_processor_dict(folder)
    return StgProcessor.from_args_and_dict([tokenizer], saved | changes)
