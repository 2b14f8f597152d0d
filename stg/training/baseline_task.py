"""The tasks `conditional_copy` and `ncp`: the neural baselines, on the very documents of the task `model`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from accelerate import Accelerator
from huggingface_hub import ModelCardData
from huggingface_hub.errors import StrictDataclassError

from modeling_stg.processing_stg import StgProcessor
from stg.baselines.conditional_copy import ConditionalCopy
from stg.baselines.configuration import SIZES, fit
from stg.baselines.ncp import NeuralContentPlanning
from stg.baselines.writing import BaselinePreTrainedModel
from stg.training.card import DATA, SETTINGS
from stg.training.model_task import NOT_FOR_GENERATION, ModelTask
from stg.training.ordering import order_numbers
from stg.training.settings import Settings, SettingsError


MODELS = {"conditional_copy": ConditionalCopy, "ncp": NeuralContentPlanning}
OWN_SIZES = ("selection_size", "writer_in")
CARD = """{head}
---

# {title}

A baseline of "Learning to Select, Track, and Generate for Data-to-Text" (Iso et al., ACL 2019), trained on {data};
{documents:,} documents, {parameters:,} parameters. Its code is in the folder `baselines` of the project's repository,
so that its scripts open it and `AutoModel` does not:

```bash
python scripts/generate.py --model FOLDER --games game.json
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


def build_task(settings: Settings, accelerator: Accelerator) -> "BaselineTask":
    return BaselineTask(settings, accelerator)


class BaselineTask(ModelTask):
    def _build(
        self, rows: Sequence[Mapping], accelerator: Accelerator
    ) -> tuple[StgProcessor, BaselinePreTrainedModel]:
        settings, kind = self.settings, MODELS[self.settings.task]
        if settings.init_from:
            raise SettingsError(f"init_from {settings.init_from}: {settings.task} is trained from the beginning only")
        if settings.derived:
            raise SettingsError(
                f"derived: {settings.task} reads the box score's own records only; "
                f"add --config configs/{settings.task}.yaml"
            )
        processor = StgProcessor.from_dataset(rows, settings.min_count)
        sizes = self._sizes()
        if settings.writer != bool(sizes.get("writer_in")):
            remedy = "name stages in model.writer_in" if settings.writer else "leave model.writer_in empty"
            remedy = remedy if settings.task == "ncp" else "set it to false (--no-writer)"
            raise SettingsError(f"writer: {settings.writer}; {remedy}")
        try:
            config = fit(kind.config_class, processor.layout, use_writer=settings.writer, **sizes)
        except StrictDataclassError as error:
            raise SettingsError(f"model: {' '.join(str(error).split())}") from None
        model = kind(config)
        if settings.ordered_numbers:
            order_numbers(model.records.value, processor.values, first=2)  # after the unknown and N/A
        return processor, model

    def _known_sizes(self) -> dict:
        each = fields(MODELS[self.settings.task].config_class)
        return {field.name: field.default for field in each if field.name in (*SIZES, *OWN_SIZES)}

    def write(self, model: BaselinePreTrainedModel, rows: Sequence[Mapping], batch: Mapping) -> list[list[str]]:
        """Greedy, which is quicker; the published beams are left to the end."""
        most = self.settings.max_new_tokens
        least = min(model.generation_config.min_new_tokens or 0, most)
        inputs = {name: tensor for name, tensor in batch.items() if name not in NOT_FOR_GENERATION}
        sequences = model.generate(**inputs, num_beams=1, min_new_tokens=least, max_new_tokens=most)
        return self.processor.batch_tokens(sequences, rows)

    def save(self, model: BaselinePreTrainedModel, folder: Path) -> None:
        model.save_pretrained(folder)
        self.processor.save_pretrained(folder)

    def card(self, scores: Mapping[str, float]) -> str:
        head = ModelCardData(language="en", license="apache-2.0", tags=["data-to-text", "rotowire", "baseline"])
        values = {name: asdict(self.settings)[name] for name in SETTINGS}
        values |= {name: vars(self.model.config)[name] for name in self._known_sizes()}
        return CARD.format(
            head=f"---\n{head.to_yaml()}",
            title=TITLES[self.settings.task],
            data=DATA.get(self.settings.dataset, self.settings.dataset),
            documents=len(self.examples),
            parameters=self.model.num_parameters(),
            settings="\n".join(f"| {name} | {value} |" for name, value in values.items()),
            scores=", ".join(f"{key} {scores[key]:.2f}" for key in ("bleu", "perplexity") if key in scores)
            or "none yet",
        )
