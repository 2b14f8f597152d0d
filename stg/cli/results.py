"""Puts results/ into the README: the tables, the shortfalls, what ships and a sample, between its marker comments.

Examples:
  stg results             # rewrites the README
  stg results --check     # only says whether the README is up to date

A system is a folder results/NAME of scripts/score_system.py; results/published.json holds what others printed, and
results/published_outputs_test.json others' published texts, scored by us.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from stg.cli.console import ROOT, argument_parser, command, write_atomically
from stg.metrics.table import show


RESULTS = ROOT / "results"
# of rows; others follow
ORDER = (
    *("best_rewritten", "best_no_writer_rewritten", "best_checked", "best_no_writer_checked"),
    *("best", "best_no_writer", "paper", "paper_no_writer"),
    *("ncp_w12", "ncp_w1", "ncp_w2", "ncp", "conditional_copy", "templates"),
)
OTHERS = {  # results/published_outputs_test.json: row's name, what it was trained on
    "li2021-aux-test": ("Li 2021", "whole RotoWire, 3,398 games; leaky"),
    "bart-large-test": ("BART-large", "whole RotoWire, 3,398 games; leaky"),
    "rebuffel2020-hierarchical-test": ("Rebuffel 2020", "whole RotoWire, 3,398 games; leaky"),
    "References": ("human references", ""),
}
SOURCES = {"paper": "paper, 500 games", "authors": "authors, 497 games"}
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
WATTS = 20  # assumed for one busy core; nothing was measured
HEAD = ["system", "trained on", "figures by", "RG #", "RG P", "CS P / R / F1", "CO", "BLEU", *SANITY.values()]


def systems() -> dict[str, dict]:
    """The record of every system by its name, in the order of the table."""
    found = [read_json(file) for file in RESULTS.glob("*/system.json")]
    place = {name: index for index, name in enumerate(ORDER)}
    found.sort(key=lambda system: (place.get(system["name"], len(ORDER)), system["name"]))
    return {system["name"]: {**system, "title": system["title"] or system["name"]} for system in found}


def scored(name: str, split: str) -> dict | None:
    """Scores and intervals of a system, None where it has none for the split."""
    file = RESULTS / name / f"scores_{split}.json"
    return next(iter(read_json(file)["systems"].values())) if file.is_file() else None


def row(title: str, trained_on: str | None, source: str, scores: dict) -> list[str]:
    content = " / ".join(show(scores.get(name)) for name in ("cs_precision", "cs_recall", "cs_f1"))
    numbers = [show(scores.get("rg_number")), show(scores.get("rg_precision")), content]
    numbers += [show(scores.get("co_dld")), show(scores.get("bleu"))]
    return [title, trained_on or "", source, *numbers, *(show(scores.get(name), 1) for name in SANITY)]


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


def ours(split: str) -> list[list[str]]:
    found = [(system, scored(name, split)) for name, system in systems().items()]
    return [row(item["title"], item["trained_on"], "us", one["scores"]) for item, one in found if one]


def test_rows() -> list[list[str]]:
    outputs = read_json(RESULTS / "published_outputs_test.json")["systems"]
    others = [(*OTHERS[name], "us, rescored", item["scores"]) for name, item in outputs.items() if name in OTHERS]
    published = read_json(RESULTS / "published.json")["rows"]
    printed = [(item["system"], item["trained_on"], SOURCES[item["source"]], item["scores"]) for item in published]
    return [*ours("test"), *(row(*cells) for cells in others), *(row(*cells) for cells in printed)]


def intervals() -> list[list[str]]:
    rows = []
    for name, system in systems().items():
        for split in ("test", "validation"):
            bounds = (scored(name, split) or {}).get("intervals")
            if bounds:
                cells = ["-" if bounds[key] is None else "{:.2f} to {:.2f}".format(*bounds[key]) for key in NAMES]
                rows.append([system["title"], split, *cells])
    return rows


def shortfalls() -> Iterator[str]:
    """Every bar of published.json beside what was reached on test, in plain figures."""
    known = systems()
    for name, kinds in read_json(RESULTS / "published.json")["bars"].items():
        found = scored(name, "test") if name in known else None
        if found is None:
            yield f"- `{name}`: not measured on test yet."
            continue
        for kind, bars in kinds.items():
            parts = [_against(found["scores"][key], bar, key) for key, bar in bars.items()]
            yield f"- {known[name]['title']}, {kind}: {'; '.join(parts)}."


def _against(value: float, bar: float, key: str) -> str:
    missing = value - bar if key == "duplicate_ratio" else bar - value
    verdict = f"{missing:.2f} short" if missing > 0 else "reached"
    limit = "at most" if key == "duplicate_ratio" else "bar"
    return f"{NAMES[key]} {value:.2f} ({limit} {bar:g}: {verdict})"


def shipped() -> str:
    """Size, data, time and settings of the models in modeling_stg/."""
    rows = []
    for name, folder in (("best", "modeling_stg"), ("best_no_writer", "modeling_stg/no_writer")):
        system = systems().get(name)
        if system is None:
            continue
        size = f"{(ROOT / folder / 'model.safetensors').stat().st_size / 1e6:.0f} MB"
        hours, time = system["hours"], "-"
        if hours is not None:
            time = f"{hours:g} h, {system['hardware']}; about {hours * WATTS / 1000:.2g} kWh a busy core"
        settings = ", ".join(f"`{key}={json.dumps(value)}`" for key, value in system["generation"].items())
        made = "<br>".join(f"`{command}`" for command in system["made_by"] or [])
        rows.append(
            [f"`{folder}`", system["title"], size, system["trained_on"], str(system["seed"]), time, settings, made]
        )
    head = ["folder", "model", "weights", "trained on", "seed", "training time", "generation", "made by"]
    return (
        table(head, rows) + f"\n\nEnergy is an estimate: {WATTS} W are assumed for a busy core; nothing was measured."
    )


def sample() -> str:
    file = RESULTS / "best_rewritten" / "sample.txt"
    if not file.is_file():
        raise StgError(
            "results/best_rewritten/sample.txt: missing; make it with "
            "scripts/score_system.py best_rewritten --model modeling_stg --check"
        )
    return "> " + file.read_text(encoding="utf-8").strip().replace("\n", "\n>\n> ")


def notes() -> list[str]:
    return [f"{item['title']}: {item['note']}" for item in systems().values() if item.get("note")]


def blocks() -> dict[str, str]:
    """What stands between the markers of the README."""
    return {
        "shipped": shipped(),
        "results": "\n\n".join(
            [
                "RotoWire-Modified **test**:",
                table(HEAD, test_rows()),
                "RotoWire-Modified **validation** (532 games), on which everything was chosen:",
                table(HEAD, ours("validation")),
                *notes(),
                "95% intervals of ours (bootstrap over games):",
                table(["system", "split", *NAMES.values()], intervals()),
                "The bars that were set, and what was reached on test:",
                "\n".join(shortfalls()),
            ]
        ),
        "sample": sample(),
    }


def rebuilt(readme: str) -> str:
    for name, text in blocks().items():
        start, stop = f"<!-- {name}: made by scripts/results.py -->\n", f"<!-- end of {name} -->\n"
        before, found, rest = readme.partition(start)
        _, ended, after = rest.partition(stop)
        if not found or not ended:
            raise StgError(f"README.md: the comments {start.strip()} and {stop.strip()} are missing; put them back")
        readme = f"{before}{start}{text}\n{stop}{after}"
    return readme


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = argument_parser("results", __doc__)
    options.add_argument(
        "--check", action="store_true", help="change nothing; exit code 2 if the README is not current"
    )
    check = options.parse_args(argv).check
    file = Path(ROOT / "README.md")
    now = file.read_text(encoding="utf-8")
    new = rebuilt(now)
    if check and new != now:
        raise StgError("README.md: is not what results/ gives; run python scripts/results.py")
    if not check:
        write_atomically(str(file), new)
        print("README.md: up to date with results/")


if __name__ == "__main__":
    main()
