"""Writes results/NAME for a system: its texts on validation and test, scores, training log and commands.

Examples:
  stg score-system best --model modeling_stg --log runs/best.log --hours 2.5 --title "ours, with writer" \\
      --trained-on "890 of 2,705 full texts, 2,124 extra games, 2,229 excerpts" \\
      --made-by "accelerate launch scripts/train.py --config configs/best.yaml" "stg ship ..."
  stg score-system templates --title "Templates (ours)" --trained-on nothing      # no --model: the Templates baseline

Files that are newer than the model and were made by the same command are kept, so repeating an interrupted command
continues it. --title, --trained-on, --made-by, --hours and --note are kept too unless given again. Afterwards,
`stg results` writes the tables.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from stg.baselines import templates
from stg.cli.console import ROOT, argument_parser, command, parse_generation_options, write_atomically
from stg.dataset import open_dataset
from stg.files import require_checkout


SPLITS = ("validation", "test")
SAMPLE_GAME = "examples/bucks_at_knicks.json"
KEPT = ("title", "trained_on", "made_by", "hours", "note")  # only the caller knows these values
DURATION = re.compile(r"^(?:(\d+) min )?(\d+) s; the best model", re.MULTILINE)  # the last line of a training run
LOGGED = re.compile(r"epoch \d|\d")  # "epoch 1/14 ...", "5,243 documents ...", "7 of 532 ...", "34 min 2 s; ..."


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("score-system", __doc__)
    parser.add_argument("name", help="name of the folder results/NAME")
    parser.add_argument("--model", metavar="DIR", help="folder of a trained model (default: the Templates baseline)")
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=list(SPLITS), help="splits (default: both)")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="as in `stg generate`")
    parser.add_argument("--check", action="store_true", help="as in `stg generate`")
    parser.add_argument("--writer", metavar="W", help="use this writer instead of each game's own")
    parser.add_argument("--title", help="the row's name in the tables")
    parser.add_argument("--trained-on", help="the training texts")
    parser.add_argument("--made-by", nargs="+", metavar="COMMAND", help="the commands that made the model")
    parser.add_argument("--note", help="a note below the table")
    parser.add_argument("--hours", type=float, help="training time (default: from the log)")
    parser.add_argument("--log", type=Path, nargs="+", metavar="FILE", help="output of training")
    options = parser.parse_args(argv)
    require_checkout("score-system")
    parse_generation_options(options.set)  # reports mistakes before any work
    return options


def generate_options(options: argparse.Namespace) -> list[str]:
    """Options passed on to `stg generate`."""
    return [*(["--set", *options.set] if options.set else []), *(["--check"] if options.check else [])]


def commands(options: argparse.Namespace, folder: Path, split: str) -> dict[str, list[str]]:
    """The commands that make the predictions and scores of a split, by file name."""
    predictions, scores = folder / f"predictions_{split}.txt", folder / f"scores_{split}.json"
    generate = [
        "scripts/generate.py",
        "--model",
        str(options.model),
        "--dataset",
        "rotowire_modified",
        "--split",
        split,
    ]
    generate += ["--format", "tokens", "--strict", *generate_options(options)]
    generate += [*(["--writer", options.writer] if options.writer else []), "--output", str(predictions)]
    score = ["scripts/score.py", "--predictions", str(predictions), "--split", split, "--bootstrap"]
    if options.model is None:
        generate = ["scripts/score_system.py", options.name, "--splits", split]
    return {predictions.name: generate, scores.name: [*score, "--output", str(scores)]}


def run(arguments: list[str]) -> str:
    """Runs a script of this repository and returns what it printed."""
    print(f"$ python {shlex.join(arguments)}", file=sys.stderr)
    process = subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if process.returncode:
        raise StgError(f"{shlex.join(arguments)}: failed with exit code {process.returncode}; see above")
    return process.stdout


def write_templates(file: Path, split: str) -> None:
    rows = open_dataset(config="default", split=split)
    write_atomically(file, "".join(f"{' '.join(templates.write(row).words)}\n" for row in rows))


def training_log(logs: list[Path]) -> str:
    """The lines about data, epochs and time, without progress bars and this machine's paths."""
    printed = (line for log in logs for line in log.read_text(encoding="utf-8").splitlines())
    lines = [line for line in printed if LOGGED.match(line)]
    return "".join(re.sub(r" is in \S+$", "", line).rstrip() + "\n" for line in lines)


def describe_model(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Seed, settings, commit and machine as training recorded them, and the generation options of this run."""
    from modeling_stg.settings import STG_OPTIONS
    from stg.checking.judge import CHECKED
    from stg.training.release import PATHS, provenance

    trained = read_json(folder / "training.json") if (folder / "training.json").is_file() else {}
    settings = {name: value for name, value in trained.get("settings", {}).items() if name not in PATHS}
    stored = {name: value for name, value in read_json(folder / "generation_config.json").items() if "_id" not in name}
    stored = {name: value for name, value in stored.items() if not name.startswith(("_", "output_", "transformers"))}
    requested = parse_generation_options(options.set)
    config = read_json(folder / "config.json")
    defaults = STG_OPTIONS if config.get("model_type") == "stg" else {}
    checked: dict[str, Any] = {"check": True} if options.check else {}
    if options.check and "consensus" not in {*requested, *stored}:  # as `stg generate` does
        checked |= CHECKED
    return {
        "writer": config.get("use_writer", True),
        "seed": settings.get("seed", 0),
        "settings": settings,
        **provenance(),  # of this run, not of training
        "trained_at": {name: trained[name] for name in provenance() if name in trained},
        "generation": {**defaults, **stored, **checked, **requested},
    }


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)

    from stg.training.release import provenance

    folder = Path("results") / options.name
    record = ROOT / folder / "system.json"
    before = read_json(record) if record.is_file() else {"commands": {}}
    if options.model is not None and not (ROOT / options.model / "config.json").is_file():
        raise StgError(f"--model {options.model}: holds no trained model; name a folder within the repository")
    log = training_log(options.log) if options.log else None
    (ROOT / folder).mkdir(parents=True, exist_ok=True)
    system = {"name": options.name, **{name: before.get(name) for name in KEPT}}
    if log is not None:
        write_atomically(ROOT / folder / "training_log.txt", log)
        system["hours"] = round(sum(int(m or 0) / 60 + int(s) / 3600 for m, s in DURATION.findall(log)), 2)
    system |= {name: value for name, value in vars(options).items() if name in KEPT and value is not None}
    if options.model:
        system |= describe_model(ROOT / options.model, options)
    else:
        system |= {"writer": False, **provenance()}
    system["commands"] = dict(before["commands"])
    remade = False
    model_files = (
        [*(ROOT / options.model).glob("*.json"), ROOT / options.model / "model.safetensors"] if options.model else []
    )
    for split in options.splits:
        changed = max((file.stat().st_mtime for file in model_files), default=0.0)
        for name, arguments in commands(options, folder, split).items():
            file, line = ROOT / folder / name, f"python {shlex.join(arguments)}"
            if not file.is_file() or file.stat().st_mtime < changed or before["commands"].get(name) != line:
                remade = True
                if options.model is None and name.startswith("predictions"):
                    write_templates(file, split)
                else:
                    run(arguments)
            changed = file.stat().st_mtime
            system["commands"][name] = line
            # If nothing was remade, the record of its commit and settings stays too.
            kept = {} if remade else {key: before[key] for key in (*provenance(), "generation") if key in before}
            write_atomically(record, json.dumps(system | kept, indent=2, ensure_ascii=False) + "\n")
    if options.model:
        writer = ["--writer", "3"] if system["writer"] else []
        arguments = ["scripts/generate.py", "--model", str(options.model), "--games", SAMPLE_GAME, *writer]
        write_atomically(ROOT / folder / "sample.txt", run([*arguments, *generate_options(options)]))
    print(f"{folder}: done; `stg results` writes it into the tables", file=sys.stderr)
