"""Generated recaps in the formats of `stg generate`."""

import json
from collections.abc import Mapping, Sequence

from modeling_stg.text import tokenize
from stg.cli.recap_jobs import Job


FORMATS = ("text", "tokens", "jsonl", "html")
JSONL_FIELDS = ("game_id", "writer", "text", "tokens")


def render(format: str, jobs: Sequence[Job], results: Sequence[Mapping]) -> str:
    if format == "html":
        from stg.app.page import recap_page

        return recap_page([job.facts for job in jobs], results)
    if format == "jsonl":
        lines = (json.dumps({name: result[name] for name in JSONL_FIELDS}, ensure_ascii=False) for result in results)
    elif format == "tokens":
        lines = (" ".join(token for word in result["words"] for token in tokenize(word)) for result in results)
    else:
        lines = (result["text"] for result in results)
    return "".join(f"{line}\n" for line in lines)
