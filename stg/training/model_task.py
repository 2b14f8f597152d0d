"""The task `model`: StgForDataToText on documents whose mentions are annotated."""

import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, send_to_device
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from tqdm import tqdm
from transformers import PreTrainedConfig, PreTrainedTokenizerFast

import modeling_stg
from modeling_stg.configuration_stg import StgConfig
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.text import detokenize
from stg.metrics.bleu import corpus_bleu
from stg.training import data
from stg.training.card import model_card
from stg.training.ordering import order_numbers
from stg.training.settings import Settings, SettingsError
from stg.training.state import digest


CODE = Path(modeling_stg.__file__).parent
FROM_DATA = {  # what the training set and --writer decide, and what every configuration of transformers has
    *("vocab_size", "num_entities", "num_values", "num_writers", "use_writer", "number_word_limit"),
    *("team_attributes", "player_attributes", "tie_word_embeddings"),
    *("pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id", "period_token_id"),
    *("hyphen_token_id", "number_token_ids"),
    *(each.name for each in fields(PreTrainedConfig)),
}
NOT_FOR_GENERATION = ("labels", "form_known")
# What can still be chosen where init_from decides the sizes: rates, and a head that begins anew.
STILL_OPEN = ("dropout", "unknown_rate", "anonymous_rate", "use_teammates")
WHOLE = ("default", "extra", "sample")  # `partial` documents are excerpts


def build_task(settings: Settings, accelerator: Accelerator) -> "ModelTask":
    return ModelTask(settings, accelerator)


class ModelTask:
    unit = "z"

    def __init__(self, settings: Settings, accelerator: Accelerator):
        self.settings = settings
        rows = {"default": data.read_rows(settings.dataset, "default", "train", settings.documents)}
        for extra in settings.use:
            rows[extra] = data.read_rows(settings.dataset, extra, "train", settings.documents)
        self.dev = data.read_rows(settings.dataset, "default", "validation", settings.eval_documents)
        for name, found in (*rows.items(), ("validation", self.dev)):
            if not any(row["mentions"] for row in found):
                raise data.DataError(f"dataset {settings.dataset}, {name}: no row has mentions; annotate it first")
        self.processor, self.model = self._build([row for found in rows.values() for row in found], accelerator)

        self.examples, finishing, cut = [], [], 0
        for name, found in rows.items():
            whole = name in WHOLE
            encoded, too_long = data.encode(self.processor, found, settings.max_length, whole, f"encoding {name}")
            self.examples += encoded
            finishing += [name == "default"] * len(encoded)
            cut += too_long
        self.dev_examples, dev_cut = data.encode(self.processor, self.dev, settings.max_length, True, "encoding dev")
        words = sorted(self.processor.tokenizer.get_vocab().items(), key=lambda item: item[1])
        self.vocabularies = digest([word for word, _ in words], self.processor.entities, self.processor.values)
        self.finishing = np.array(finishing)
        self.lengths = np.array([len(example["labels"]) for example in self.examples])
        for what, number, total in (("training", cut, len(self.examples)), ("dev", dev_cut, len(self.dev))):
            if number:
                accelerator.print(f"{number} of {total} {what} documents were cut to max_length {settings.max_length}")
        accelerator.print(
            f"{len(self.examples):,} documents, {self.lengths.sum():,} tokens, vocabulary "
            f"{self.model.config.vocab_size:,}; {self.model.num_parameters():,} parameters"
        )

    def _build(self, rows: Sequence[Mapping], accelerator: Accelerator) -> tuple[StgProcessor, StgForDataToText]:
        settings = self.settings
        if settings.init_from is None:
            processor = StgProcessor.from_dataset(rows, settings.min_count, derived=settings.derived)
            model = StgForDataToText(self._config(processor))
            if settings.ordered_numbers:
                order_numbers(model.encoder.value, processor.values, first=2)  # after the unknown and N/A
            return processor, model
        given = self._sizes()
        try:
            kind = StgConfig.get_config_dict(settings.init_from)[0].get("model_type")
            if kind != StgConfig.model_type:
                raise SettingsError(f"init_from {settings.init_from}: holds a model of type {kind!r}, not 'stg'")
            processor = load_processor(settings.init_from)
            config = StgConfig.from_pretrained(
                settings.init_from, **{name: value for name, value in given.items() if name in STILL_OPEN}
            )
            kept = [f"{name} {vars(config)[name]}" for name, value in given.items() if vars(config)[name] != value]
            had_writers, config.use_writer = config.use_writer, settings.writer
            # Without writers: all weights but the writers', which nothing takes the place of.
            model = StgForDataToText.from_pretrained(settings.init_from, config=config, dtype=torch.float32)
        except StrictDataclassError as error:
            raise SettingsError(f"model: {' '.join(str(error).split())}") from None
        except SettingsError:
            raise
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise SettingsError(f"init_from {settings.init_from}: cannot be loaded ({reason})") from None
        processor.fill_token_ids(model.config)
        if kept:
            accelerator.print(f"init_from {settings.init_from}: its own sizes stay: {', '.join(kept)}")
        if settings.only:
            self._freeze_but(model, settings.only)
        if settings.writer and not had_writers:
            raise SettingsError(f"init_from {settings.init_from}: was trained with --no-writer; add --no-writer")
        if had_writers and not settings.writer:
            accelerator.print(f"init_from {settings.init_from}: its writers are left out, all other weights are kept")
        return processor, model

    @staticmethod
    def _freeze_but(model: StgForDataToText, parts: Sequence[str]) -> None:
        known = dict.fromkeys(name.partition(".")[0] for name, _ in model.named_parameters())
        odd = [part for part in parts if part not in known]
        if odd:
            raise SettingsError(f"only: {', '.join(odd)} is no part of the model; its parts are {', '.join(known)}")
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.partition(".")[0] in parts)

    def _known_sizes(self) -> dict:
        """What `model` may say, and what holds where it does not."""
        return {each.name: each.default for each in fields(StgConfig) if each.name not in FROM_DATA}

    def _sizes(self) -> dict:
        """What `model` says, by the fields of the configuration."""
        sizes, given = self._known_sizes(), {}
        for name, value in self.settings.model.items():
            if name not in sizes:
                raise SettingsError(f"model.{name}: no such size; sizes are {', '.join(sorted(sizes))}")
            given[name] = float(value) if isinstance(sizes[name], float) and isinstance(value, int) else value
        return given

    def _config(self, processor: StgProcessor) -> StgConfig:
        try:
            return processor.config(use_writer=self.settings.writer, **self._sizes())
        except StrictDataclassError as error:
            raise SettingsError(f"model: {' '.join(str(error).split())}") from None

    def collate(self, examples: Sequence[Mapping[str, np.ndarray]]) -> Mapping[str, torch.Tensor]:
        return self.processor.collate(examples)

    def evaluate(self, model: StgForDataToText, accelerator: Accelerator, epoch: int) -> dict[str, float]:
        """Perplexity of all five heads per token, and BLEU of greedy texts from `bleu_from_epoch` on."""
        rank, processes = accelerator.process_index, accelerator.num_processes
        mine = range(rank, len(self.dev), processes)
        generates = 0 < self.settings.bleu_from_epoch <= epoch
        totals = torch.zeros(2, dtype=torch.float64, device=accelerator.device)
        texts: dict[int, list[str]] = {}
        size = self.settings.eval_batch_size
        starts = range(0, len(mine), size)
        for start in tqdm(starts, desc="dev", unit="batch", disable=None if rank == 0 else True, leave=False):
            chosen = mine[start : start + size]
            batch = send_to_device(
                dict(self.collate([self.dev_examples[index] for index in chosen])), accelerator.device
            )
            with torch.inference_mode(), accelerator.autocast():
                output = model(**batch)
                totals += torch.stack([output.loss.double(), output.counts["z"].double()])
            if generates:
                written = self.write(model, [self.dev[index] for index in chosen], batch)
                texts.update(zip(chosen, written, strict=True))
        loss, tokens = accelerator.reduce(totals, "sum").tolist()
        scores = {"perplexity": math.exp(min(loss / tokens, 700)), "loss": loss / len(self.dev)}
        if generates:
            written = dict(gather_object(list(texts.items())))
            predictions = [written[index] for index in range(len(self.dev))]
            scores["bleu"], _ = corpus_bleu(predictions, [row["summary"] for row in self.dev])
        return scores

    def write(self, model: StgForDataToText, rows: Sequence[Mapping], batch: Mapping) -> list[list[str]]:
        """The model's own texts about games, as the dataset's tokens."""
        inputs = {name: tensor for name, tensor in batch.items() if name not in NOT_FOR_GENERATION}
        return self.processor.batch_tokens(model.generate(**inputs, max_new_tokens=self.settings.max_new_tokens), rows)

    def merit(self, scores: Mapping[str, float]) -> list[float]:
        """BLEU where there is one (any epoch with BLEU beats those without), else perplexity."""
        return [1.0, scores["bleu"]] if "bleu" in scores else [0.0, -scores["perplexity"]]

    def save(self, model: StgForDataToText, folder: Path) -> None:
        model.save_pretrained(folder)
        self.processor.save_pretrained(folder)
        for file in CODE.glob("*.py"):
            if file.name != "__init__.py":
                shutil.copyfile(file, folder / file.name)

    def card(self, scores: Mapping[str, float]) -> str:
        return model_card(self.settings, self.model, len(self.examples), scores)

    def show(self, model: StgForDataToText) -> str:
        """One dev game in the words of its writer."""
        row = self.dev[0]
        inputs = send_to_device(dict(self.collate(self.dev_examples[:1])), model.device)
        text = detokenize(self.write(model, [row], inputs)[0])
        return f"{row['vis_city']} {row['vis_name']} at {row['home_city']} {row['home_name']}\n\n{text}"


def load_processor(folder: str) -> StgProcessor:
    """A saved processor with the code that is here: `from_pretrained` would ask whether to run the folder's."""
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    saved, _ = StgProcessor.get_processor_dict(folder)
    return StgProcessor.from_args_and_dict([tokenizer], saved)
