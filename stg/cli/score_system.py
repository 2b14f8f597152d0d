"""Makes results/NAME: what a system writes about validation and test, its scores, its training log, how it came to be.

python scripts/score_system.py best --model modeling_stg --log runs/best.log --hours 2.5 --title "ours, with writer" \\
    --trained-on "890 of 2,705 full texts, 2,124 extra games, 2,229 excerpts" \\
    --made-by "accelerate launch scripts/train.py --config configs/best.yaml" "python scripts/ship.py ..."
python scripts/score_system.py paper --model runs/paper/best --log runs/paper.log ...
python scripts/score_system.py templates --title "Templates (ours)" --trained-on nothing      # no --model

What is newer than the model and was made by the same command stays, so that an interrupted call goes on when it is
repeated; titles and the like stay too unless they are given again. Then scripts/results.py puts it into the README.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from dataset_script import open_dataset
from modeling_stg.errors import StgError
from modeling_stg.game import read_json
from modeling_stg.settings import STG_OPTIONS
from stg.baselines import templates
from stg.checking.judging import CHECKED
from stg.cli.console import ROOT, exits_kindly, parser, wishes
from stg.training.release import PATHS, provenance


SPLITS = ("validation", "test")
SAMPLE = "examples/bucks_at_knicks.json"
KEPT = ("title", "trained_on", "made_by", "hours", "note")  # what only the caller knows
DURATION = re.compile(r"^(?:(\d+) min )?(\d+) s; the best model", re.MULTILINE)  # a run's last line
LOGGED = re.compile(r"epoch \d|\d")  # "epoch 1/14 ...", "5,243 documents ...", "7 of 532 ...", "34 min 2 s; ..."


def arguments() -> argparse.Namespace:
    options = parser()
    options.add_argument("name", help="results/NAME")
    options.add_argument("--model", metavar="DIR", help="a trained folder; without: the Templates baseline")
    options.add_argument("--splits", nargs="+", choices=SPLITS, default=list(SPLITS), help="default: both")
    options.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE", help="see generate.py")
    options.add_argument("--check", action="store_true", help="see generate.py")
    options.add_argument("--writer", metavar="W", help="instead of each game's own; see generate.py")
    options.add_argument("--title", help="the row's name in the table")
    options.add_argument("--trained-on", help="which texts")
    options.add_argument("--made-by", nargs="+", metavar="COMMAND", help="the commands that made the model")
    options.add_argument("--note", help="what a reader of the row must know")
    options.add_argument("--hours", type=float, help="of training (default: as the log says)")
    options.add_argument("--log", type=Path, nargs="+", metavar="FILE", help="what scripts/train.py printed")
    given = options.parse_args()
    wishes(given.set)
    return given


def wished(given: argparse.Namespace) -> list[str]:
    """What generate.py is asked for beside the model's own settings."""
    return [*(["--set", *given.set] if given.set else []), *(["--check"] if given.check else [])]


def commands(given: argparse.Namespace, folder: Path, split: str) -> dict[str, list[str]]:
    """How predictions and scores of a split are made, by file name."""
    predictions, scores = folder / f"predictions_{split}.txt", folder / f"scores_{split}.json"
    generate = ["scripts/generate.py", "--model", str(given.model), "--dataset", "rotowire_modified", "--split", split]
    generate += ["--format", "tokens", "--strict", *wished(given)]
    generate += [*(["--writer", given.writer] if given.writer else []), "--output", str(predictions)]
    evaluate = ["scripts/score.py", "--predictions", str(predictions), "--split", split, "--bootstrap"]
    if given.model is None:
        generate = ["scripts/score_system.py", given.name, "--splits", split]
    return {predictions.name: generate, scores.name: [*evaluate, "--output", str(scores)]}


def run(command: list[str]) -> str:
    print(f"$ python {shlex.join(command)}", file=sys.stderr)
    done = subprocess.run([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise StgError(f"{shlex.join(command)}: ended with exit code {done.returncode}; see above")
    return done.stdout


def write_templates(file: Path, split: str) -> None:
    rows = open_dataset(config="default", split=split)
    file.write_text("".join(f"{' '.join(templates.write(row).words)}\n" for row in rows), encoding="utf-8")


def training_log(logs: list[Path]) -> str:
    """The lines about data, epochs and time; without progress bars and paths of the machine."""
    printed = [line for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in printed if LOGGED.match(line)]
    return "".join(re.sub(r" is in \S+$", "", line).rstrip() + "\n" for line in lines)


def about_model(folder: Path, given: argparse.Namespace) -> dict:
    """Seed, settings, commit and machine by the training's own record, and what generation is asked for."""
    trained = read_json(folder / "training.json") if (folder / "training.json").is_file() else {}
    settings = {name: value for name, value in trained.get("settings", {}).items() if name not in PATHS}
    own = {name: value for name, value in read_json(folder / "generation_config.json").items() if "_id" not in name}
    generation = {name: value for name, value in own.items() if not name.startswith(("_", "output_", "transformers"))}
    config = read_json(folder / "config.json")
    controls = STG_OPTIONS if config.get("model_type") == "stg" else {}
    checked = {"check": True} if given.check else {}
    if given.check and "consensus" not in {*wishes(given.set), *generation}:  # as generate.py has it
        checked |= CHECKED
    return {
        "writer": config.get("use_writer", True),
        "seed": settings.get("seed", 0),
        "settings": settings,
        **provenance(),  # of this scoring
        "trained_at": {name: trained[name] for name in provenance() if name in trained},
        "generation": {**controls, **generation, **checked, **wishes(given.set)},
    }


@exits_kindly
def main() -> None:
    given = arguments()
    folder = Path("results") / given.name
    record = ROOT / folder / "system.json"
    before = read_json(record) if record.is_file() else {"commands": {}}
    if given.model is not None and not (ROOT / given.model / "config.json").is_file():
        raise StgError(f"--model {given.model}: holds no trained model; name a folder within the repository")
    log = training_log(given.log) if given.log else None
    (ROOT / folder).mkdir(parents=True, exist_ok=True)
    system = {"name": given.name, **{name: before.get(name) for name in KEPT}}
    if log is not None:
        (ROOT / folder / "training_log.txt").write_text(log, encoding="utf-8")
        system["hours"] = round(sum(int(m or 0) / 60 + int(s) / 3600 for m, s in DURATION.findall(log)), 2)
    system |= {name: value for name, value in vars(given).items() if name in KEPT and value is not None}
    system |= about_model(ROOT / given.model, given) if given.model else {"writer": False, **provenance()}
    system["commands"] = dict(before["commands"])
    remade = False
    sources = [*(ROOT / given.model).glob("*.json"), ROOT / given.model / "model.safetensors"] if given.model else []
    for split in given.splits:
        changed = max((file.stat().st_mtime for file in sources), default=0.0)
        for name, command in commands(given, folder, split).items():
            file, line = ROOT / folder / name, f"python {shlex.join(command)}"
            if not file.is_file() or file.stat().st_mtime < changed or before["commands"].get(name) != line:
                remade = True
                if given.model is None and name.startswith("predictions"):
                    write_templates(file, split)
                else:
                    run(command)
            changed = file.stat().st_mtime
            system["commands"][name] = line
            # Where all stands as it was made, so does what it was made by.
            kept = {} if remade else {key: before[key] for key in (*provenance(), "generation") if key in before}
            record.write_text(json.dumps(system | kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if given.model:
        writer = ["--writer", "3"] if system["writer"] else []
        command = ["scripts/generate.py", "--model", str(given.model), "--games", SAMPLE, *writer]
        (ROOT / folder / "sample.txt").write_text(run([*command, *wished(given)]), encoding="utf-8")
    print(f"{folder}: done; python scripts/results.py puts it into the README", file=sys.stderr)


if __name__ == "__main__":
    main()
