"""The tasks `conditional_copy` and `ncp`: trains the neural baselines on the documents of the task `model`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from huggingface_hub import ModelCardData

from modeling_stg.processing_stg import StgProcessor
from stg.baselines.conditional_copy import ConditionalCopy
from stg.baselines.configuration import SIZES, fit
from stg.baselines.ncp import NeuralContentPlanning
from stg.baselines.writing import BaselinePreTrainedModel
from stg.training.card import DATA, SETTINGS
from stg.training.model_task import FIRST_VALUE, ModelTask
from stg.training.ordering import order_numbers
from stg.training.settings import SettingsError, model_setting_errors


MODELS = {"conditional_copy": ConditionalCopy, "ncp": NeuralContentPlanning}
OWN_SIZES = ("selection_size", "writer_in")
CARD = """{header}
---

# {title}

A baseline of "Learning to Select, Track, and Generate for Data-to-Text" (Iso et al., ACL 2019), trained on {data};
{documents:,} documents, {parameters:,} parameters. Its code is in `stg/baselines` of the project, so use the project's
command instead of `AutoModel`:

```bash
stg generate --model FOLDER --games game.json
```

| setting | value |
|---|---|
{settings}

Dev: {scores}.
"""
TITLES = {
    "conditional_copy": "Conditional copy (Wiseman et al., 2017)",
    "ncp": "Neural content planning, NCP+CC (Puduppully et al., 2019)",
}


class BaselineTask(ModelTask):
    """Trains the baseline that setting `task` names."""

    def _build(
        self, rows: Sequence[Mapping], accelerator: Accelerator
    ) -> tuple[StgProcessor, BaselinePreTrainedModel]:
        settings, model_class = self.settings, MODELS[self.settings.task]
        if settings.init_from:
            raise SettingsError(f"init_from {settings.init_from}: {settings.task} can only be trained from scratch")
        if settings.facts:
            raise SettingsError(
                f"facts: {settings.task} reads only the records of the box score; "
                f"add --config configs/{settings.task}.yaml"
            )
        processor = StgProcessor.from_dataset(rows, settings.min_count)
        sizes = self._sizes()
        if settings.writer != bool(sizes.get("writer_in")):
            remedy = "name stages in model.writer_in" if settings.writer else "leave model.writer_in empty"
            remedy = remedy if settings.task == "ncp" else "set it to false (--no-writer)"
            raise SettingsError(f"writer: {settings.writer}; {remedy}")
        with model_setting_errors():
            config = fit(model_class.config_class, processor.layout, use_writer=settings.writer, **sizes)
        model = model_class(config)
        if settings.ordered_numbers:
            order_numbers(model.records.value, processor.values, FIRST_VALUE)
        return processor, model

    def _default_sizes(self) -> dict[str, Any]:
        config_fields = fields(MODELS[self.settings.task].config_class)
        return {field.name: field.default for field in config_fields if field.name in (*SIZES, *OWN_SIZES)}

    def _generation_options(self, model: BaselinePreTrainedModel) -> dict[str, int]:
        """Decodes greedily for speed; the published beam search is for the final texts."""
        longest = self.settings.max_new_tokens
        shortest = min(model.generation_config.min_new_tokens or 0, longest)
        return {"num_beams": 1, "min_new_tokens": shortest, "max_new_tokens": longest}

    def save(self, model: BaselinePreTrainedModel, folder: Path) -> None:
        model.save_pretrained(folder)
        self.processor.save_pretrained(folder)

    def card(self, scores: Mapping[str, float]) -> str:
        header = ModelCardData(language="en", license="apache-2.0", tags=["data-to-text", "rotowire", "baseline"])
        values = {name: asdict(self.settings)[name] for name in SETTINGS}
        values |= {name: vars(self.model.config)[name] for name in self._default_sizes()}
        return CARD.format(
            header=f"---\n{header.to_yaml()}",
            title=TITLES[self.settings.task],
            data=DATA.get(self.settings.dataset, self.settings.dataset),
            documents=len(self.examples),
            parameters=self.model.num_parameters(),
            settings="\n".join(f"| {name} | {value} |" for name, value in values.items()),
            scores=", ".join(f"{key} {scores[key]:.2f}" for key in ("bleu", "perplexity") if key in scores)
            or "none yet",
        )
