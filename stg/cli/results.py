"""Fills the tables of docs/results.md, and the short one of README.md, from results/.

Each folder results/NAME is one system, made by `stg score-system`. results/published.json holds scores that others
printed; results/published_outputs_test.json holds our scores of texts that others published.

Examples:
  stg results             # rewrite both pages between their marker comments
  stg results --check     # change nothing; exit with 2 if a page is out of date
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from stg.cli.console import ROOT, argument_parser, command, write_atomically
from stg.files import require_checkout
from stg.metrics.table import show


RESULTS = ROOT / "results"
# Order of the rows; systems that are not listed follow by name.
ORDER = (
    *("best_rewritten", "best_no_writer_rewritten", "best_checked", "best_no_writer_checked"),
    *("best", "best_no_writer", "paper", "paper_no_writer"),
    *("ncp_w12", "ncp_w1", "ncp_w2", "ncp", "conditional_copy", "templates"),
)
# Systems in published_outputs_test.json: title, training data.
RESCORED = {
    "li2021-aux-test": ("Li 2021", "whole RotoWire, 3,398 games; leaky"),
    "bart-large-test": ("BART-large", "whole RotoWire, 3,398 games; leaky"),
    "rebuffel2020-hierarchical-test": ("Rebuffel 2020", "whole RotoWire, 3,398 games; leaky"),
    "References": ("human references", ""),
}
SOURCES = {"paper": "paper, 500 games", "authors": "authors, 497 games"}
# Rows of the README's short table.
SUMMARY_OURS = ("best_rewritten", "best_checked", "best", "best_no_writer_checked", "paper")
SUMMARY_PUBLISHED = (("authors", "Proposed + w"), ("authors", "Proposed"))
SUMMARY_RESCORED = ("li2021-aux-test", "References")
SANITY = {
    "duplicate_ratio": "duplicates",
    "sanity_winner": "winner",
    "sanity_credited": "right team",
    "sanity_weekday": "weekday",
    "sanity_repeated": "echo",
    "sanity_self": "meets itself",
}
NAMES = {
    "rg_precision": "RG P",
    "cs_f1": "CS F1",
    "co_dld": "CO",
    "bleu": "BLEU",
    "duplicate_ratio": "duplicates",
}
WATTS = 20  # assumed per busy core, not measured
HEAD = ["system", "trained on", "scored by", "RG #", "RG P", "CS P / R / F1", "CO", "BLEU", *SANITY.values()]
SUMMARY_HEAD = ["system", "training texts", "RG #", *NAMES.values()]


def systems() -> dict[str, dict]:
    """Every system.json in results/ by the system's name, in the order of the table."""
    rank = {name: index for index, name in enumerate(ORDER)}
    read = [read_json(file) for file in RESULTS.glob("*/system.json")]
    read.sort(key=lambda system: (rank.get(system["name"], len(ORDER)), system["name"]))
    return {system["name"]: {**system, "title": system["title"] or system["name"]} for system in read}


def scored(name: str, split: str) -> dict | None:
    """Scores and intervals of a system; None if the split was not scored."""
    file = RESULTS / name / f"scores_{split}.json"
    return next(iter(read_json(file)["systems"].values())) if file.is_file() else None


def published() -> list[dict]:
    """The rows of results/published.json."""
    return read_json(RESULTS / "published.json")["rows"]


def rescored() -> dict[str, dict]:
    """Our scores of published texts, by the name of their file."""
    outputs = read_json(RESULTS / "published_outputs_test.json")["systems"]
    return {name: item["scores"] for name, item in outputs.items() if name in RESCORED}


def table_row(title: str, trained_on: str | None, scored_by: str, scores: dict) -> list[str]:
    content = " / ".join(show(scores.get(name)) for name in ("cs_precision", "cs_recall", "cs_f1"))
    numbers = [show(scores.get("rg_number")), show(scores.get("rg_precision")), content]
    numbers += [show(scores.get("co_dld")), show(scores.get("bleu"))]
    return [title, trained_on or "", scored_by, *numbers, *(show(scores.get(name), 1) for name in SANITY)]


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


def rows_of_ours(split: str) -> list[list[str]]:
    return [
        table_row(system["title"], system["trained_on"], "us", result["scores"])
        for name, system in systems().items()
        if (result := scored(name, split))
    ]


def test_rows() -> list[list[str]]:
    others = [table_row(*RESCORED[name], "us, rescored", scores) for name, scores in rescored().items()]
    printed = [
        table_row(item["system"], item["trained_on"], SOURCES[item["source"]], item["scores"]) for item in published()
    ]
    return [*rows_of_ours("test"), *others, *printed]


def summary_rows() -> list[list[str]]:
    """Our main systems, the paper's, the best published texts and people, on test."""
    known, printed = systems(), {(item["source"], item["system"]): item for item in published()}
    others = rescored()
    rows = [
        (known[name]["title"], known[name]["trained_on"], result["scores"])
        for name in SUMMARY_OURS
        if name in known and (result := scored(name, "test"))
    ]
    rows += [
        (f"the paper: {system} ({SOURCES[source]})", printed[source, system]["trained_on"], scores)
        for source, system in SUMMARY_PUBLISHED
        if (scores := printed[source, system]["scores"])
    ]
    rows += [(*RESCORED[name], others[name]) for name in SUMMARY_RESCORED]
    return [
        [title, trained_on or "", show(scores["rg_number"]), *(show(scores.get(name)) for name in NAMES)]
        for title, trained_on, scores in rows
    ]


def intervals() -> list[list[str]]:
    rows = []
    for name, system in systems().items():
        for split in ("test", "validation"):
            bounds = (scored(name, split) or {}).get("intervals")
            if bounds:
                cells = ["-" if bounds[key] is None else "{:.2f} to {:.2f}".format(*bounds[key]) for key in NAMES]
                rows.append([system["title"], split, *cells])
    return rows


def target_lines() -> Iterator[str]:
    """Each target of published.json beside the score on test."""
    known = systems()
    for name, levels in read_json(RESULTS / "published.json")["bars"].items():
        result = scored(name, "test") if name in known else None
        if result is None:
            yield f"- `{name}`: not scored on test yet."
            continue
        for level, targets in levels.items():
            items = [_against(result["scores"][key], target, key) for key, target in targets.items()]
            yield f"- {known[name]['title']}, {level}: {'; '.join(items)}."


def _against(value: float, target: float, key: str) -> str:
    missing = value - target if key == "duplicate_ratio" else target - value
    verdict = f"{missing:.2f} short" if missing > 0 else "reached"
    limit = "at most" if key == "duplicate_ratio" else "target"
    return f"{NAMES[key]} {value:.2f} ({limit} {target:g}: {verdict})"


def stored_options(folder: Path) -> dict[str, Any]:
    """The generation options that a shipped model brings; those of a row of the table may add to them."""
    stored = read_json(folder / "generation_config.json").items()
    return {name: value for name, value in stored if not (name.startswith(("_", "trans")) or name.endswith("_id"))}


def shipped() -> str:
    """Size, data, training time and settings of the models of the results table."""
    rows = []
    for name, folder in (("best", "modeling_stg/rotowire"), ("best_no_writer", "modeling_stg/no_writer")):
        system = systems().get(name)
        if system is None:
            continue
        size = f"{(ROOT / folder / 'model.safetensors').stat().st_size / 1e6:.0f} MB"
        hours, time = system["hours"], "-"
        if hours is not None:
            time = f"{hours:g} h, {system['hardware']}; about {hours * WATTS / 1000:.2g} kWh per busy core"
        settings = ", ".join(f"`{key}={json.dumps(value)}`" for key, value in stored_options(ROOT / folder).items())
        commands = "<br>".join(f"`{command}`" for command in system["made_by"] or [])
        rows.append(
            [f"`{folder}`", system["title"], size, system["trained_on"], str(system["seed"]), time, settings, commands]
        )
    head = ["folder", "model", "weights", "trained on", "seed", "training time", "generation", "made by"]
    return f"{table(head, rows)}\n\nEnergy is an estimate that assumes {WATTS} W per busy core; it was not measured."


def sample() -> str:
    file = RESULTS / "best_rewritten" / "sample.txt"
    if not file.is_file():
        raise StgError(
            "results/best_rewritten/sample.txt: missing; make it with "
            "stg score-system best_rewritten --model modeling_stg --check"
        )
    return "> " + file.read_text(encoding="utf-8").strip().replace("\n", "\n>\n> ")


def notes() -> list[str]:
    return [f"- **{item['title']}**: {item['note']}" for item in systems().values() if item.get("note")]


def sections() -> dict[str, dict[str, str]]:
    """The generated blocks of each page, by the names of their markers."""
    return {
        "README.md": {"summary": table(SUMMARY_HEAD, summary_rows())},
        "docs/results.md": {
            "shipped": shipped(),
            "sample": sample(),
            "test": table(HEAD, test_rows()),
            "validation": table(HEAD, rows_of_ours("validation")),
            "notes": "\n".join(notes()),
            "intervals": table(["system", "split", *NAMES.values()], intervals()),
            "targets": "\n".join(target_lines()),
        },
    }


def filled(page: str, text: str, blocks: dict[str, str]) -> str:
    """`text` with every block between its two marker comments replaced."""
    for name, block in blocks.items():
        start, stop = f"<!-- {name}: made by stg results -->\n", f"<!-- end of {name} -->\n"
        before, has_start, rest = text.partition(start)
        _, has_stop, after = rest.partition(stop)
        if not has_start or not has_stop:
            raise StgError(f"{page}: the comments {start.strip()} and {stop.strip()} are missing; put them back")
        text = f"{before}{start}{block}\n{stop}{after}"
    return text


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("results", __doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 2 if a page is out of date")
    check = parser.parse_args(argv).check
    require_checkout("results")
    for page, blocks in sections().items():
        file = ROOT / page
        text = file.read_text(encoding="utf-8")
        new = filled(page, text, blocks)
        if check and new != text:
            raise StgError(f"{page}: out of date with results/; run stg results")
        if not check:
            write_atomically(str(file), new)
            print(f"{page}: up to date with results/")
