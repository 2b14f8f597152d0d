"""The pipeline "box-score-to-text": games in, recaps with the fact behind every number out."""

import warnings
from collections.abc import Mapping
from typing import Any

import torch
from transformers import Pipeline

from .errors import StgError
from .settings import ACCEPTED


CONTROLS = ("writer", "must_mention", "plan")
# What config.json says of it, so that `pipeline("box-score-to-text", model=...)` finds it.
CUSTOM_PIPELINES = {
    "box-score-to-text": {"impl": "pipeline_stg.BoxScoreToTextPipeline", "pt": ["AutoModel"], "type": "text"}
}
UNCHECKED = (
    "box-score-to-text: no checker reads these texts; for checked ones: pip install stg-data-to-text, and "
    "`RecapWriter(model).write(game)` of stg.writing"
)


class BoxScoreToTextPipeline(Pipeline):
    """Writes a recap of each game. The checker takes no part: it comes with `pip install stg-data-to-text`.

    Example:
        >>> write = pipeline("box-score-to-text", model="modeling_stg", trust_remote_code=True)
        >>> recap = write(game, writer="story", seed=1)
        >>> recap["text"], recap["tokens"]
    """

    _load_processor = True
    _load_tokenizer = False
    _load_feature_extractor = False
    _load_image_processor = False
    _pipeline_calls_generate = False  # `generate` reads its own options

    def _sanitize_parameters(self, **parameters: Any) -> tuple[dict, dict, dict]:
        """Splits a call's parameters: `writer`, `must_mention`, `plan`, `seed`, `judge` and options of `generate`."""
        unknown = [name for name in parameters if name not in (*CONTROLS, "seed", "judge", *ACCEPTED)]
        if unknown:
            known = ", ".join((*CONTROLS, "seed", "judge"))
            raise StgError(f"pipeline: {', '.join(unknown)} not known; it takes {known} and the options of generate")
        controls = {name: value for name, value in parameters.items() if name in CONTROLS}
        return controls, {name: value for name, value in parameters.items() if name not in CONTROLS}, {}

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        """A dict for a game, with `text` and its `tokens` as in `processor.trace`; a list of them for a list."""
        return super().__call__(inputs, **kwargs)

    def preprocess(self, game: Any, writer: Any = None, must_mention: Any = None, plan: Any = None) -> dict[str, Any]:
        batch = self.processor([game], writers=[writer], must_mention=[must_mention], plan=[plan])
        return {"game": game, "batch": dict(batch)}

    def _forward(self, inputs: Mapping[str, Any], seed: int | None = None, **options: Any) -> dict[str, Any]:
        if "judge" not in options:
            warnings.warn(UNCHECKED, stacklevel=2)
        if seed is not None:
            torch.manual_seed(seed)
        return {"game": inputs["game"], "sequences": self.model.generate(**inputs["batch"], **options)}

    def postprocess(self, outputs: Mapping[str, Any]) -> dict[str, Any]:
        sequences, game = outputs["sequences"], outputs["game"]
        [text], [tokens] = self.processor.batch_decode(sequences, [game]), self.processor.trace(sequences, [game])
        return {"text": text, "tokens": tokens}
