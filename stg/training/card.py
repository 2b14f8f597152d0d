"""The model card of a released model."""

from collections.abc import Mapping
from dataclasses import asdict

from huggingface_hub import EvalResult, ModelCardData
from transformers import PreTrainedModel

from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.schema import STYLES
from stg.training.settings import Settings


NAMES = {"bleu": "BLEU", "perplexity": "Perplexity"}
SETTINGS = (
    *("epochs", "batch_size", "optimizer", "learning_rate", "schedule", "decay", "clip", "seed", "min_count"),
    *("use", "finish_epochs", "max_length", "facts", "grounded", "phrases", "ordered_numbers", "only"),
)
INHERITED = ("min_count", "ordered_numbers")  # decided by the earlier run if there is init_from
SIZES = (
    *("embedding_size", "hidden_size", "context_size", "writer_size", "num_lm_layers", "dropout", "unknown_rate"),
    *("anonymous_rate", "use_teammates"),
)
DATA = {
    "sample": "the project's sample league (fictional teams, players and games; recaps by four fictional writers)",
    "house": "our own recaps of NBA games, written by a language model from fact sheets (config `house`)",
    "rotowire_modified": "RotoWire-Modified (Iso et al., 2019): NBA games with summaries and their writers",
}

TEXT = """{head}
---

# {name}

Writes an NBA recap from a box score, in the style of a given writer, and traces every number to its record.
The model is that of "Learning to Select, Track, and Generate for Data-to-Text" (Iso et al., ACL 2019): a tracker of
the most salient entity selects the next record, and a language model writes the text around it.

## Usage

```python
from transformers import AutoModel, AutoProcessor

model = AutoModel.from_pretrained("{name}", trust_remote_code=True)
processor = AutoProcessor.from_pretrained("{name}", trust_remote_code=True)
batch = processor(games, writers=[{writer}])  # games: RotoWire's JSON
print(processor.batch_decode(model.generate(**batch), games)[0])
```

## Training

Data: {data}; {documents:,} documents. {parameters:,} parameters, {with_writer} writer embeddings.

| setting | value |
|---|---|
{settings}

Dev scores of the released epoch (BLEU on the dataset's tokens, greedy decoding):

{scores}

## Limits

English basketball recaps only. Numbers are copied from the box score, but the words around them may misstate them.
Facts that a box score lacks (injuries, schedules) may be invented.
"""


def model_card(settings: Settings, model: PreTrainedModel, documents: int, scores: Mapping[str, float]) -> str:
    """The card of an STG model, with its YAML header; `scores` are those of the best epoch on dev."""
    name = settings.hub_model_id or "modeling_stg"
    dataset = {"dataset_type": "rotowire_modified", "dataset_name": settings.dataset, "dataset_split": "validation"}
    results = [
        EvalResult(task_type="table-to-text", metric_type=key, metric_name=label, metric_value=scores[key], **dataset)
        for key, label in NAMES.items()
        if key in scores
    ]
    data = ModelCardData(
        language="en",
        license="apache-2.0",
        library_name="transformers",
        pipeline_tag="table-to-text",
        tags=["data-to-text", "rotowire", "stg"],
        model_name=name if results else None,
        eval_results=results or None,
    )
    values = asdict(settings)
    attributes = (*model.config.team_attributes, *model.config.player_attributes)
    read = [FACT_KINDS[attribute].group for attribute in attributes if attribute in FACT_KINDS]
    values["facts"] = list(dict.fromkeys(read))  # also correct with init_from
    rows = [f"| {key} | {_plain(values[key])} |" for key in SETTINGS if not (settings.init_from and key in INHERITED)]
    rows += [f"| {key} | {vars(model.config)[key]} |" for key in SIZES]
    return TEXT.format(
        head="---\n" + data.to_yaml(),
        name=name,
        writer=f'"{STYLES[0] if settings.dataset == "house" else 0}"' if settings.writer else "None",
        data=DATA.get(settings.dataset, settings.dataset),
        documents=documents,
        parameters=model.num_parameters(),
        with_writer="with" if settings.writer else "without",
        settings="\n".join(rows),
        scores="\n".join(f"- {NAMES[key]}: {scores[key]:.2f}" for key in NAMES if key in scores) or "- none yet",
    )


def _plain(value) -> str:
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)
