"""Writes recaps of games and traces the numbers in them to the facts they come from.

Examples:
  stg generate --games examples/bucks_at_knicks.json
  stg generate --games game.json --season season.json            # also streaks and the next game
  stg generate --games games.json --writer story --format jsonl --output recaps.jsonl
  stg generate --games game.json --format html --output recap.html
  stg generate --games game.json --must-mention "Jabari Parker" "Bucks:TEAM-REB"
  stg generate --games game.json --plan plan.json --no-check     # state just these records, in this order
  stg generate --model modeling_stg/rotowire --games game.json --writer 7 --check    # the results table's model
  stg generate --dataset rotowire_modified --split validation --format tokens --output validation.txt

The text is written sentence by sentence: several candidates are sampled for each sentence, and one is kept only if the
checker finds nothing in it that is false or that the box score and the season cannot decide.

Games may be RotoWire's JSON (one game, a list, or one per line in .jsonl), ESPN's summary, the NBA's box scores,
hoopR's tables or a table with one row per player; see `stg convert --help`. A game of RotoWire's JSON or of the
dataset may name its own `writer`; --writer overrides it. Bad games are skipped and named; the exit code is then 1
unless --skip-bad.

A plan file lists the records to state, in order: ["Knicks", "Knicks:TEAM-PTS", ["Carmelo Anthony", "PTS"]]. A name
alone stands for the full name. For several games, give an object that maps each game_id to its list.

An interrupted run with --output continues after its last finished game when you repeat the command.
To share the games among processes:
  ACCELERATE_USE_CPU=true accelerate launch --multi_gpu --num_processes 2 scripts/generate.py --games games.json
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from modeling_stg.errors import GameErrors, StgError
from stg.cli.console import (
    PLAN_OPTIONS,
    add_games_options,
    add_model_option,
    add_season_option,
    argument_parser,
    check_inputs,
    check_output_path,
    command,
    parse_generation_options,
    report_skipped,
)
from stg.cli.recap_jobs import Job, generation_option, read_jobs, read_rows
from stg.cli.render_recaps import FORMATS, render, render_check
from stg.cli.resume import PartialOutput, run_fingerprint
from stg.loading import MODELS, load_judge, load_model, load_season
from stg.writing import write_batch


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("generate", __doc__)
    add_games_options(parser, split="test")
    parser.add_argument(
        "--writer", metavar="W", help="style to write in, such as wire, story or plain (default: the game's writer)"
    )
    parser.add_argument("--avoid-repeats", action="store_true", help="state each box-score number at most once")
    parser.add_argument("--grounded-only", action="store_true", help="write no number that is not a fact of the game")
    parser.add_argument(
        "--must-mention", nargs="+", metavar="NAME", help="players, teams or NAME:ATTRIBUTE records to mention"
    )
    parser.add_argument(
        "--plan",
        metavar="FILE",
        help="JSON file with the records to state, in order, and no others",
    )
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="override fields of the model's generation_config, such as z_threshold=0.6",
    )
    parser.add_argument(
        "--check",
        action=argparse.BooleanOptionalAction,
        help="let the checker reject what is false (default: for models that write sentence by sentence). With other "
        "models: sample several texts, keep the one with the fewest errors and repeats, and rewrite what the checker "
        "still refutes",
    )
    add_season_option(
        parser,
        "streaks, averages and next games become facts, which can be stated and checked",
        default="nba",
    )
    parser.add_argument(
        "--no-outlook",
        action="store_true",
        help="leave out sentences about upcoming games",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed gives another text")
    add_model_option(parser)
    parser.add_argument("--batch-size", type=int, default=32, metavar="N", help="games per batch")
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format")
    parser.add_argument("--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--strict", action="store_true", help="write nothing if a game is bad, instead of skipping it")
    parser.add_argument("--skip-bad", action="store_true", help="exit with 0 although bad games were skipped")
    options = parser.parse_args(argv)
    if not 0 <= options.seed < 2**63:
        raise StgError(f"--seed: {options.seed} is not between 0 and 2**63 - 1")
    if options.no_outlook and (options.plan or options.must_mention):
        raise StgError("--no-outlook: could drop what --plan or --must-mention asks for; give one or the other")
    if options.batch_size < 1:
        raise StgError(f"--batch-size: {options.batch_size} is too small; it must be at least 1")
    check_inputs(options, "games", "plan")
    options.generation = parse_generation_options(options.set)
    options.generation |= {name: True for name in ("avoid_repeats", "grounded_only") if vars(options)[name]}
    return options


def open_output(options: argparse.Namespace) -> TextIO | None:
    """The stream to print recaps to, or None if `options.output` is a regular file, which a later run can resume."""
    if options.output is None:
        return sys.stdout
    path = Path(options.output)
    check_output_path(options.output)
    if path.exists() and not path.is_file():  # a device or a pipe
        return path.open("w", encoding="utf-8")
    options.output = os.path.realpath(path)  # keeps a symbolic link when the file is replaced
    given = [("games", game) for game in options.games or ()]
    given += [(name, vars(options)[name]) for name in ("plan", "season") if vars(options)[name]]
    for name, source in given:
        if os.path.realpath(source) == options.output:
            raise StgError(f"--output {options.output}: is also the --{name} file; name another")
    return None


def check_model_supports(options: argparse.Namespace, model) -> None:
    """Raises for options that this model does not have."""
    if model.config.model_type == "stg":
        for name in sorted(PLAN_OPTIONS.intersection(options.generation)):
            raise StgError(f"--set {name}: only applies to baselines with a content plan; leave it out")
    else:  # baselines decode greedily or with beams
        flags = ("plan", "must_mention", "check", "avoid_repeats", "grounded_only")
        unsupported = [f"--{name.replace('_', '-')}" for name in flags if vars(options)[name]]
        unsupported += [f"--set {name}" for name in options.generation if name not in model.OPTIONS]
        if unsupported:
            model_type, supported = model.config.model_type, ", ".join(model.OPTIONS)
            raise StgError(
                f"{unsupported[0]}: {options.model} is a baseline ({model_type}); it only supports --set {supported}"
            )
    if options.check and (generation_option(options, model, "num_beams") or 1) > 1:
        raise StgError("--check: chooses among samples, but num_beams > 1 searches instead; leave one of them out")


def generate_batches(
    options: argparse.Namespace, jobs: list[Job], start: int, model, processor, judge_for, state
) -> Iterator[list[dict]]:
    """Yields the results of `jobs[start:]`, batch by batch; each process generates its share of a batch."""
    from accelerate.utils import gather_object

    size = options.batch_size * state.num_processes
    for first in range(start, len(jobs), size):
        with state.split_between_processes(jobs[first : first + size]) as share:
            results = generate_batch(options, share, model, processor, judge_for) if share else []
        yield gather_object(results) if state.num_processes > 1 else results


def generate_batch(options: argparse.Namespace, jobs: list[Job], model, processor, judge_for) -> list[dict[str, Any]]:
    import torch

    torch.manual_seed(options.seed + jobs[0].index)  # a resumed run draws the same samples as an uninterrupted one
    recaps = write_batch(
        *(model, processor, judge_for),
        games=[job.facts for job in jobs],
        writers=[job.writer for job in jobs],
        must_mention=[job.must_mention for job in jobs],
        plan=[job.plan for job in jobs],
        outlook=not options.no_outlook,
        **options.generation,
    )
    return [vars(recap) for recap in recaps]


@command
def main(argv: Sequence[str] | None = None) -> int:
    options = parse_arguments(argv)
    rows = read_rows(options)
    stream = open_output(options)
    model, processor = load_model(options.model, tuple(MODELS))
    check_model_supports(options, model)
    by_sentence = generation_option(options, model, "sentence_candidates")
    if options.check is None:
        options.check = bool(by_sentence)
    if options.check and not by_sentence and not generation_option(options, model, "consensus"):
        from stg.checking.judge import CHECKED

        options.generation = CHECKED | options.generation
    season = load_season(options.season)
    generation = {"sentence_candidates": by_sentence}
    judge_for = load_judge(processor, generation, not options.no_outlook) if options.check else None
    jobs, errors = read_jobs(options, rows, model, processor, season)
    if errors and (options.strict or not jobs):
        raise GameErrors(map(str, errors))

    from accelerate import PartialState
    from accelerate.utils import parse_flag_from_env
    from tqdm import tqdm

    state = PartialState(cpu=parse_flag_from_env("ACCELERATE_USE_CPU"))
    model.to(state.device)
    # A batch is sampled as a whole, so a sampled run resumes only at the start of a batch of the same size.
    names = ("do_sample", "consensus", "sentence_candidates")
    samples = any(generation_option(options, model, name) for name in names)
    sampled_together = options.batch_size * state.num_processes if samples else 1
    partial = None
    if stream is None:
        identities = [[job.index, job.facts.game.game_id] for job in jobs]
        partial = PartialOutput(options.output, run_fingerprint(options, rows, sampled_together), identities)
    with contextlib.ExitStack() as held:
        if partial and state.is_main_process:
            held.enter_context(partial.written_by_this_run())
        results = partial.read(multiple_of=sampled_together) if partial else []
        state.wait_for_everyone()
        bar = tqdm(total=len(jobs), initial=len(results), unit="game", delay=1, disable=not state.is_main_process)
        held.enter_context(bar)
        for batch in generate_batches(options, jobs, len(results), model, processor, judge_for, state):
            bar.update(len(batch))
            results += batch
            if partial and state.is_main_process:
                partial.append(batch)
            elif stream and state.is_main_process and options.format != "html":
                stream.write(render(options.format, jobs, batch))
                stream.flush()
        if partial and state.is_main_process:
            partial.finish(render(options.format, jobs, results))
    if not state.is_main_process:
        return 0
    if options.check:
        sys.stderr.write(render_check(results))
    if stream and options.format == "html":  # one page for all games
        stream.write(render(options.format, jobs, results))
        stream.flush()
    return report_skipped(errors, len(rows), options.skip_bad)
