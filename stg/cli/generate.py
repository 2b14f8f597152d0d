"""Writes recaps of games, every number traced to its cell of the box score.

python scripts/generate.py --games examples/bucks_at_knicks.json
python scripts/generate.py --games games.json --writer 7 --format jsonl --output recaps.jsonl
python scripts/generate.py --games game.json --must-mention "Jabari Parker" "Bucks:TEAM-REB" --avoid-repeats
python scripts/generate.py --games game.json --plan plan.json --format html --output recap.html
python scripts/generate.py --games game.json --check    # reads what it writes, and writes anew what is false
python scripts/generate.py --games game.json --check --season season.json --no-outlook    # and knows the streaks
python scripts/generate.py --dataset rotowire_modified --split validation --format tokens --output validation.txt
for t in 0.4 0.5 0.6; do  # a sweep, then one table: scripts/score.py --split validation --predictions z*.txt
    python scripts/generate.py --dataset rotowire_modified --split validation --set z_threshold=$t num_beams=4 \\
        --format tokens --output z$t.txt
done

FILE holds one game, a list of games, or one game a line (.jsonl); rows of the dataset are games too. A game may carry
its own `writer`, which --writer overrides. A plan file holds the records to state, in order, for one game:
["Knicks", "Knicks:TEAM-PTS", ["Carmelo Anthony", "PTS"]] (a name alone stands for the full name), or an object that
gives such a list for some of the games by their game_id. --set overrides any field of the model's generation_config.

A run with --output that was interrupted goes on after its last finished game when it is started again.
Several processes share the games:
ACCELERATE_USE_CPU=true accelerate launch --multi_gpu --num_processes 2 scripts/generate.py --games games.json
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modeling_stg.errors import GameError, StgError
from modeling_stg.game import Game, read_json
from modeling_stg.text import tokenize
from stg.cli.console import PLANNING, exits_kindly, parser, wishes
from stg.loading import MODELS, load, load_judge


FORMATS = ("text", "tokens", "jsonl", "html")
SHOWN = ("game_id", "writer", "text", "tokens")  # fields of a line of jsonl


@dataclass
class Job:
    """One game to write about."""

    index: int
    game: Game
    writer: Any
    must_mention: list[str] | None
    plan: list | None


def arguments() -> argparse.Namespace:
    options = parser()
    source = options.add_mutually_exclusive_group(required=True)
    source.add_argument("--games", metavar="FILE", help="JSON with one game or a list of games")
    source.add_argument("--dataset", metavar="NAME", help="rotowire_modified, or another folder or Hub name")
    options.add_argument("--config", default="default", help="of the dataset: default, sample, ... (%(default)s)")
    options.add_argument("--split", default="test", help="of the dataset, such as validation[:20] (%(default)s)")
    options.add_argument("--writer", metavar="W", help="the writer's style: 0 to 31, or unknown (the default)")
    options.add_argument("--avoid-repeats", action="store_true", help="state no number of the box score twice")
    options.add_argument("--grounded-only", action="store_true", help="write no number that is not a cell")
    options.add_argument("--must-mention", nargs="+", metavar="NAME", help="players, teams or NAME:ATTRIBUTE records")
    options.add_argument("--plan", metavar="FILE", help="JSON with the records to state, in order, and no others")
    options.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="generation options, z_threshold=0.6",
    )
    options.add_argument(
        "--check",
        action="store_true",
        help="sample several texts, keep the one that the checker finds truest and that says nothing twice, and write "
        "anew what is false in it (--set consensus=16 temperature=0.4 rewrites=3; who sets consensus sets all three)",
    )
    options.add_argument(
        "--season",
        metavar="FILE",
        help="with --check: other games, or rotowire_modified; they tell streaks and next opponents, as in check.py",
    )
    options.add_argument(
        "--no-outlook",
        action="store_true",
        help="leave out sentences about games to come: no box score tells of them, so the model makes them up",
    )
    options.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of --check and --set do_sample=true (%(default)s)"
    )
    options.add_argument("--model", default="modeling_stg", metavar="DIR", help="default: %(default)s")
    options.add_argument("--batch-size", type=int, default=32, metavar="N", help="default: %(default)s")
    options.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    options.add_argument("--output", metavar="FILE", help="default: standard output")
    options.add_argument("--strict", action="store_true", help="stop at the first bad game instead of skipping it")
    given = options.parse_args()
    if not 0 <= given.seed < 2**63:
        raise StgError(f"--seed: {given.seed} is not between 0 and 2**63 - 1")
    if given.season and not given.check:
        raise StgError(f"--season {given.season}: only the checker reads it; add --check, or leave it out")
    if given.no_outlook and (given.plan or given.must_mention):
        raise StgError("--no-outlook: may leave out what --plan or --must-mention asks for; give one or the other")
    if given.batch_size < 1:
        raise StgError(f"--batch-size: {given.batch_size} is too small; it must be at least 1")
    given.wishes = wishes(given.set)
    given.wishes |= {name: True for name in ("avoid_repeats", "grounded_only") if vars(given)[name]}
    return given


def refuse_for_baseline(options: argparse.Namespace, model) -> None:
    """A baseline writes greedily or by beams, and nothing else can be asked of it."""
    flags = ("plan", "must_mention", "check", "avoid_repeats", "grounded_only")
    asked = [f"--{name.replace('_', '-')}" for name in flags if vars(options)[name]]
    asked += [f"--set {name}" for name in options.wishes if name not in model.OPTIONS]
    if asked:
        kind, known = model.config.model_type, ", ".join(model.OPTIONS)
        raise StgError(f"{asked[0]}: {options.model} is a baseline ({kind}) without it; it knows --set {known}")


def read_rows(options: argparse.Namespace) -> list:
    """The games of the dataset or file, not yet checked; of a line that is no JSON, what is wrong with it."""
    if options.dataset is not None:
        from dataset_script import open_dataset

        return list(open_dataset(options.dataset, options.config, options.split))
    path = options.games
    if path.endswith(".jsonl"):
        rows = []
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise GameError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
        for number, line in enumerate(lines, 1):
            try:
                rows += [json.loads(line)] if line.strip() else []
            except (ValueError, RecursionError) as error:
                rows.append(GameError(f"{path}, line {number}: is not JSON ({error})"))
    else:
        data = read_json(path)
        rows = data if isinstance(data, list) else [data]
    if not rows:
        raise GameError(f"{path}: holds no game; give at least one")
    return rows


def read_plans(path: str | None, rows: list) -> dict[str | None, list]:
    """Plans by game_id; the key None is the plan of a single game."""
    if path is None:
        return {}
    data = read_json(path)
    if isinstance(data, dict):
        return data
    if not isinstance(data, list):
        raise StgError(f"--plan {path}: needs a list of records, or an object that gives one for each game_id")
    if len(rows) > 1:
        raise StgError(f"--plan {path}: one plan for {len(rows)} games; give an object with a plan for each game_id")
    return {None: data}


def effective(options: argparse.Namespace, model, name: str) -> Any:
    """A generation option as this run has it: asked for, or else the model's."""
    return options.wishes.get(name, vars(model.generation_config).get(name))


def read_jobs(options: argparse.Namespace, rows: list, model, processor) -> tuple[list[Job], list[StgError]]:
    """What can be written, and what is wrong with the other games."""
    from modeling_stg.choosing import DEFAULT_MAX_NEW_TOKENS
    from modeling_stg.controls import check_demands, read_controls

    room = effective(options, model, "max_new_tokens") or DEFAULT_MAX_NEW_TOKENS
    once = bool(effective(options, model, "avoid_repeats"))
    plans = read_plans(options.plan, rows)
    asked = processor.writer_id(options.writer)
    if not model.config.use_writer and asked < len(processor.writers):
        raise StgError(f"--writer {options.writer}: {options.model} was trained without writers; leave --writer out")
    jobs, errors, unused = [], [], set(plans) - {None}
    source = options.games or f"{options.dataset}/{options.split}"
    for index, row in enumerate(rows):
        place = f"{source}: games[{index}]" if len(rows) > 1 else source
        try:
            if isinstance(row, StgError):
                raise row
            game = Game.from_json(row, f"{place}.")
            if len(game.players) < 2:
                raise GameError(f"{place}.box_score: {len(game.players)} player; a recap needs two or more")
            writer = options.writer if options.writer is not None else row.get("writer")
            processor.writer_id(writer)
        except StgError as error:
            errors.append(_at(place, error))
            continue
        unused.discard(game.game_id)
        plan = plans.get(game.game_id, plans.get(None))
        full = processor.to_game(game)
        try:
            read_controls(processor.layout, [full], None, [plan])
            check_demands(processor.layout, full, None, plan, room, once)
        except StgError as error:
            raise StgError(f"--plan {options.plan}: {error}") from None  # the plan is wrong, not the game
        job = Job(index, game, writer if model.config.use_writer else None, options.must_mention, plan)
        try:
            read_controls(processor.layout, [full], [job.must_mention], [plan])
            check_demands(processor.layout, full, job.must_mention, plan, room, once)
        except StgError as error:
            errors.append(_at(place, error))
            continue
        jobs.append(job)
    if unused and not errors:  # it may be a bad game's
        raise StgError(f"--plan {options.plan}: {sorted(unused)[0]!r} is the game_id of none of the games")
    return jobs, errors


def _at(place: str, error: StgError) -> StgError:
    return error if str(error).startswith(place) else StgError(f"{place}: {error}")


class Part:
    """OUTPUT.part: one line that says what the run is, then one for each finished game."""

    def __init__(self, output: str, fingerprint: str):
        self.path, self.fingerprint = Path(f"{output}.part"), fingerprint

    def read(self) -> list[dict]:
        """What an interrupted run has finished; a line that was cut off does not count."""
        if not self.path.exists():
            return []
        entries, lines = [], self.path.read_bytes().split(b"\n")[:-1]
        if not lines:
            return []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except ValueError:  # of UnicodeDecodeError too: the disk lost what comes here
                break
        if entries[:1] != [{"run": self.fingerprint}]:
            raise StgError(f"{self.path}: is of a run with other games, model or options; delete it to start anew")
        return entries[1:]

    def open(self, finished: list[dict]):
        """The file for appending, cut to what is whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = [{"run": self.fingerprint}, *finished]
        self.path.write_text("".join(_line(entry) for entry in whole), encoding="utf-8")
        return self.path.open("a", encoding="utf-8")


def fingerprint(options: argparse.Namespace, rows: list, chunk: int | None) -> str:
    """What makes two runs the same: games, plan, model files, options and how many are sampled at once (`chunk`), but
    not how fast they are run."""
    said = {name: value for name, value in vars(options).items() if name not in ("batch_size", "output", "format")}
    said["sampled_together"] = chunk
    files = sorted(Path(options.model).glob("*.json")) + sorted(Path(options.model).glob("*.safetensors"))
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    named = [Path(name) for name in (options.plan, options.season) if name]  # a season may be the built dataset
    read = [file.read_text(encoding="utf-8") for file in named if file.is_file()]
    return hashlib.sha256(json.dumps([said, rows, read, stats], sort_keys=True, default=str).encode()).hexdigest()


def write(options: argparse.Namespace, jobs: list[Job], done: int, models: tuple, state) -> Iterator[list[dict]]:
    """Results in the games' order, a share of every chunk by each process."""
    from accelerate.utils import gather_object

    chunk = options.batch_size * state.num_processes
    for start in range(done, len(jobs), chunk):
        with state.split_between_processes(jobs[start : start + chunk]) as share:
            results = recaps(options, share, *models) if share else []
        yield gather_object(results) if state.num_processes > 1 else results


def recaps(options: argparse.Namespace, jobs: list[Job], model, processor, judge_of) -> list[dict]:
    import torch

    games = [job.game for job in jobs]
    batch = processor(
        games,
        writers=[job.writer for job in jobs],
        must_mention=[job.must_mention for job in jobs],
        plan=[job.plan for job in jobs],
    )
    torch.manual_seed(options.seed + jobs[0].index)  # a run that goes on samples as one that was never stopped
    # What is not asked for stays as the model's generation_config has it.
    judge = {"judge": judge_of(games)} if options.check else {}
    sequences = model.generate(**batch, **options.wishes, **judge)
    if options.no_outlook:
        from stg.checking.leaving_out import without_outlook

        sequences = without_outlook(sequences, processor, games)
    texts, traces = processor.batch_decode(sequences, games), processor.trace(sequences, games)
    words = processor.batch_tokens(sequences, games)
    writers = [*processor.writers, "unknown"]
    return [
        {
            "game_id": job.game.game_id,
            "writer": writers[processor.writer_id(job.writer)],
            "text": text,
            "tokens": trace,
            "words": written,
        }
        for job, text, trace, written in zip(jobs, texts, traces, words, strict=True)
    ]


def _line(entry: dict) -> str:
    return json.dumps(entry, ensure_ascii=False) + "\n"


def render(form: str, jobs: list[Job], results: list[dict]) -> str:
    if form == "html":
        from stg.app.page import page

        return page([job.game for job in jobs], results)
    if form == "jsonl":
        return "".join(_line({name: result[name] for name in SHOWN}) for result in results)
    if form == "tokens":
        words = ([part for word in result["words"] for part in tokenize(word)] for result in results)
        return "".join(f"{' '.join(tokens)}\n" for tokens in words)
    return "".join(f"{result['text']}\n" for result in results)


@exits_kindly
def main() -> None:
    options = arguments()
    rows = read_rows(options)
    shown = sys.stdout
    if options.output and Path(options.output).is_dir():
        raise StgError(f"--output {options.output}: is a folder; name a file")
    if options.output and Path(options.output).exists() and not Path(options.output).is_file():
        shown, options.output = Path(options.output).open("w", encoding="utf-8"), None  # a device or a pipe
    elif options.output:
        options.output = os.path.realpath(options.output)  # a link stays one
        for name in ("games", "plan", "season"):
            if vars(options)[name] and os.path.realpath(vars(options)[name]) == options.output:
                raise StgError(f"--output {options.output}: is the file of --{name}; name another")
    model, processor = load(options.model, [*MODELS])
    if model.config.model_type != "stg":
        refuse_for_baseline(options, model)
    elif PLANNING.intersection(options.wishes):
        raise StgError(
            f"--set {min(PLANNING.intersection(options.wishes))}: is for a baseline that plans; leave it out"
        )
    if options.check and (effective(options, model, "num_beams") or 1) > 1:
        raise StgError("--check: chooses among samples, and num_beams searches without; leave one of them out")
    if options.check and not effective(options, model, "consensus"):
        from stg.checking.judging import CHECKED

        options.wishes = CHECKED | options.wishes
    judge_of = load_judge(processor, options.season, not options.no_outlook) if options.check else None
    jobs, errors = read_jobs(options, rows, model, processor)
    if errors and (options.strict or not jobs):
        raise errors[0]

    from accelerate import PartialState
    from accelerate.utils import parse_flag_from_env
    from tqdm import tqdm

    state = PartialState(cpu=parse_flag_from_env("ACCELERATE_USE_CPU"))
    model.to(state.device)
    for error in errors if state.is_main_process else []:
        print(f"skipped {' '.join(str(error).split())}", file=sys.stderr)
    samples = effective(options, model, "do_sample") or effective(options, model, "consensus")
    chunk = options.batch_size * state.num_processes if samples else None
    part = Part(options.output, fingerprint(options, rows, chunk)) if options.output else None
    results = part.read() if part else []
    if samples:
        results = results[: len(results) // chunk * chunk]  # a batch is sampled as a whole
    state.wait_for_everyone()
    file = None
    with tqdm(total=len(jobs), initial=len(results), unit="game", delay=1, disable=not state.is_main_process) as bar:
        for some in write(options, jobs, len(results), (model, processor, judge_of), state):
            bar.update(len(some))
            if part and state.is_main_process:
                file = file or part.open(results)  # only now: a wish that cannot be met leaves nothing behind
                file.write("".join(map(_line, some)))
                file.flush()
            elif state.is_main_process and options.format != "html":
                shown.write(render(options.format, jobs, some))
                shown.flush()
            results += some
    if not state.is_main_process:
        return
    if part:
        if file is not None:
            file.close()
        # The output appears in one move, so that a file of that name is always whole.
        whole = Path(f"{options.output}.whole")
        whole.write_text(render(options.format, jobs, results), encoding="utf-8")
        os.replace(whole, options.output)
        part.path.unlink(missing_ok=True)
    elif options.format == "html":
        shown.write(render(options.format, jobs, results))
        shown.flush()
    if errors:
        print(f"{len(errors)} of {len(rows)} games were skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
