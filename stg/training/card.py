"""The model card of a released model."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

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
    *("anonymous_rate", "use_teammates", "language_model", "language_revision"),
)
DATA = {
    "sample": "the project's sample league (fictional teams, players and games; recaps by four fictional writers)",
    "house": "our own recaps of NBA games, written by a language model from fact sheets (config `house`)",
    "rotowire_modified": "RotoWire-Modified (Iso et al., 2019): NBA games with summaries and their writers",
}

TEXT = """{head}
---

# {name}

Writes an NBA recap from a box score{in_style}, and traces the numbers that it copies to their records.
The model is that of "Learning to Select, Track, and Generate for Data-to-Text" (Iso et al., ACL 2019): a tracker of
the most salient entity selects the next record, and a language model writes the text around it.

## Usage

```python
import json
from huggingface_hub import hf_hub_download
from transformers import pipeline

write = pipeline("box-score-to-text", model="{name}", trust_remote_code=True)
game = json.load(open(hf_hub_download("{name}", "game.json"), encoding="utf-8"))  # an example; RotoWire's JSON
recap = write(game{writer}, seed=1)
print(recap["text"])
print([token for token in recap["tokens"] if token["entity"]])  # the fact behind every name and number
```

`trust_remote_code=True` runs the code of this repository: read it, and pin it with `revision="COMMIT"`.

**Nothing checks these texts here.** The checker comes with the project, `pip install stg-data-to-text`, and then reads
every sentence while it is written:

```python
from stg.writing import RecapWriter

recap = RecapWriter("{name}").write(game{style})
print(recap, recap.findings, recap.unjudged)
```

The parts alone: `AutoModel`, `AutoProcessor` and `AutoTokenizer` load with `trust_remote_code=True`. The tokenizer
shows facts by name (`[visitor TEAM-PTS]`), because only a game knows their values, which
`processor.batch_decode(sequences, games)` writes.

## Training

Data: {data}; {documents:,} documents. {parameters:,} parameters, {with_writer} writer embeddings.
{stages}

| setting | value |
|---|---|
{settings}

Dev scores of the released epoch (BLEU on the dataset's tokens, greedy decoding):

{scores}

## Limits

{limits}
"""
LIMITS = """\
English basketball recaps only. Numbers are copied from the box score, but the words around them may misstate them, and
without `grounded_only=True` the text may contain numbers of its own, which a trace marks as `free`. Facts that a box
score lacks (injuries, schedules) may be invented."""
HOUSE_LIMITS = """\
English basketball recaps only, in six house styles (`wire`, `story`, `players`, `numbers`, `plain`, `season`).
`generate` writes sentence by sentence and keeps only sentences whose phrases stand in a training text, with every
number taken from a fact. Without the checker, words around the numbers may misstate them. Streaks and next games are
told only where the season's other games are given. The project judges this model by readings, not by RG, CS, CO and
BLEU."""


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
    style = f'"{STYLES[0] if settings.dataset == "house" else 0}"'
    return TEXT.format(
        head="---\n" + data.to_yaml(),
        name=name,
        in_style=", in the style of a given writer" if settings.writer else "",
        writer=f", writer={style}" if settings.writer else "",
        style=f", style={style}" if settings.writer else "",
        stages=_stages(settings),
        limits=HOUSE_LIMITS if settings.dataset == "house" else LIMITS,
        data=DATA.get(settings.dataset, settings.dataset),
        documents=documents,
        parameters=model.num_parameters(),
        with_writer="with" if settings.writer else "without",
        settings="\n".join(rows),
        scores="\n".join(f"- {NAMES[key]}: {scores[key]:.2f}" for key in NAMES if key in scores) or "- none yet",
    )


def _stages(settings: Settings) -> str:
    """Where the training began, and what changed within it."""
    start = "random weights"
    if settings.init_from:
        start = f"the weights of `{Path(settings.init_from).name}`, an earlier stage whose card has its settings"
    last = f" The last {settings.finish_epochs} epochs leave out {_plain(settings.use)}."
    return f"It began from {start}.{last if settings.finish_epochs else ''}"


def _plain(value) -> str:
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)
