"""Generated recaps in the formats of `stg generate`."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from modeling_stg.text import sentences, tokenize
from stg.checking.alignment import recap_tokens
from stg.cli.recap_jobs import Job


FORMATS = ("text", "tokens", "jsonl", "html")
JSONL_FIELDS = ("game_id", "writer", "text", "tokens")
CHECK_FIELDS = ("findings", "unjudged")  # of recaps that were checked


def render(format: str, jobs: Sequence[Job], results: Sequence[Mapping]) -> str:
    if format == "html":
        from stg.app.page import recap_page

        return recap_page([job.facts for job in jobs], results)
    if format == "jsonl":
        lines = (json.dumps(_fields(result), ensure_ascii=False) for result in results)
    elif format == "tokens":
        lines = (" ".join(token for word in result["words"] for token in tokenize(word)) for result in results)
    else:
        lines = (result["text"] for result in results)
    return "".join(f"{line}\n" for line in lines)


def _fields(result: Mapping) -> dict:
    names = JSONL_FIELDS if result["findings"] is None else (*JSONL_FIELDS, *CHECK_FIELDS)
    return {name: result[name] for name in names}


def render_check(results: Sequence[Mapping]) -> str:
    """What the checker still finds in recaps: a line for each claim that is not true, and a summary."""
    lines, verdicts = [], Counter[str]()
    for result in results:
        for finding in result["findings"]:
            verdicts[finding["verdict"]] += 1
            lines.append(f"  {result['game_id']}  {finding_line(finding)}")
    found = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items())) or "nothing refuted"
    count = sum(len(sentences(recap_tokens(result["text"]))) for result in results)
    unjudged = sum(len(result["unjudged"]) for result in results)
    lines.append(f"checked {count:,} sentences: {found}; {unjudged:,} without a claim that it can judge")
    return "".join(f"{line}\n" for line in lines)


def finding_line(finding: Mapping) -> str:
    """A finding on one line: "false      59  'Thursday'  Thursday: the day of the game (should be: Wednesday)"."""
    truth = f" (should be: {finding['truth']})" if finding["truth"] else ""
    return f"{finding['verdict']:8}{finding['start']:5}  {finding['text']!r}  {finding['claim']}{truth}"
