"""Runs a blind reading: packets of texts for people or language models to judge, and the tally of their forms.

Examples:
  stg read prepare --dataset rotowire_modified --split validation --season rotowire_modified --output reading \\
      --texts ours=results/best_rewritten/predictions_validation.txt people=references
  stg read prepare --games games.json --texts ours=ours.jsonl theirs=theirs.txt --n 12 --output reading
  stg read tally reading --forms anna bob --output tally.json

`prepare` makes reading/packets, the folder to hand out, with instructions, a packet and a form for each game, and
reading/key.json, which tells whose text is whose and which readers must not see. `tally` takes a folder of filled-in
forms from each reader. docs/reading.md says more.
"""

import argparse
import json
import os
import shlex
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game, games_of_rows
from modeling_stg.game_facts import GameFacts
from stg.cli.console import (
    add_games_options,
    add_season_option,
    argument_parser,
    check_output_path,
    command,
    write_atomically,
)
from stg.cli.recap_jobs import read_rows, source_of


REFERENCES = "references"
PREPARE = "Makes packets: for each game a fact sheet and the systems' texts in random order, with a form to fill in."
TALLY = "Scores systems by the forms of one reader or several, and says how far readers agree."


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("read", __doc__)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    style = parser.formatter_class
    prepare = actions.add_parser(
        "prepare", description=PREPARE, help="make packets and the key to them", formatter_class=style
    )
    add_games_options(prepare, split="validation")
    prepare.add_argument(
        "--texts",
        nargs="+",
        required=True,
        metavar="NAME=FILE",
        help="a system and its recaps: one per line in the order of the games, or the jsonl of `stg generate`; "
        "NAME=references takes the games' own, human-written summaries",
    )
    add_season_option(prepare, "the fact sheets then have streaks, records and the next game")
    prepare.add_argument("--n", type=int, default=30, metavar="N", help="games to draw")
    prepare.add_argument("--seed", type=int, default=0, metavar="N", help="decides the games and the order of texts")
    prepare.add_argument("--output", required=True, metavar="DIR", help="folder to make, for packets/ and key.json")
    tally = actions.add_parser(
        "tally", description=TALLY, help="score the systems by filled-in forms", formatter_class=style
    )
    tally.add_argument("reading", metavar="DIR", help="folder that `stg read prepare` made")
    tally.add_argument("--forms", nargs="+", required=True, metavar="DIR", help="a folder of forms for each reader")
    tally.add_argument("--readers", nargs="+", metavar="NAME", help="names of the readers (default: their folders')")
    tally.add_argument("--output", metavar="FILE", help="write scores and raw readings as JSON")
    return parser.parse_args(argv)


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)
    warnings.simplefilter("ignore", GameWarning)
    if options.action == "prepare":
        run_prepare(options, shlex.join(["stg", "read", *(sys.argv[1:] if argv is None else argv)]))
    else:
        run_tally(options)


def run_prepare(options: argparse.Namespace, made_by: str) -> None:
    from stg.loading import load_season
    from stg.reading.packets import draw_packets, key_file, packet_files

    sources = parse_texts(options.texts)
    if options.n < 1 or options.seed < 0:
        raise StgError(f"--n {options.n} --seed {options.seed}: --n must be at least 1, --seed at least 0")
    check_folder(options.output)
    rows = read_rows(options)
    games = games_of_rows(rows, source_of(options))
    texts = {
        name: read_references(rows, f"--texts {name}={REFERENCES}")
        if source == REFERENCES
        else read_file(source, games)
        for name, source in sources.items()
    }
    season = load_season(options.season)
    packets = draw_packets([GameFacts(game, season) for game in games], texts, options.n, options.seed)
    files = {f"packets/{name}": content for name, content in packet_files(packets).items()}
    files["key.json"] = key_file(packets, made_by=made_by, seed=options.seed, season=options.season, systems=sources)
    write_folder(options.output, files)
    print(f"{len(packets)} packets of {len(texts)} texts: {options.output}/packets; keep {options.output}/key.json")


def parse_texts(values: Sequence[str]) -> dict[str, str]:
    """The source of every system's texts, by its name."""
    sources: dict[str, str] = {}
    for value in values:
        name, _, source = value.partition("=")
        if not name.strip() or not source:
            raise StgError(f"--texts {value}: is not NAME=FILE; name the system, such as ours=recaps.txt")
        if name in sources:
            raise StgError(f"--texts {value}: {name} is given twice; name every system differently")
        sources[name] = source
    return sources


def read_references(rows: Sequence[Mapping[str, Any]], place: str) -> list[str]:
    """The human summaries that come with the games; "" for games that have none."""
    summaries = [[] if isinstance(row, Game) else row.get("summary") or [] for row in rows]
    if not any(summaries):
        raise StgError(f"{place}: no game has a summary; give --dataset with human texts, or a file of recaps")
    return [summary if isinstance(summary, str) else " ".join(summary) for summary in summaries]


def read_file(path: str, games: Sequence[Game]) -> list[str]:
    """A system's text for each game, "" where it has none."""
    from stg.metrics.predictions import align, read_predictions

    predictions = read_predictions(path)
    texts = {prediction.game_id: prediction.text for prediction in predictions}
    game_ids = [game.game_id for game in games]
    if len(predictions) < len(games) and len(texts) == len(predictions) and texts.keys() <= set(game_ids):
        return [texts.get(game_id, "") for game_id in game_ids]  # games that the system has skipped
    return [prediction.text for prediction in align(predictions, game_ids, path)]


def check_folder(output: str) -> None:
    """Raises early, before any work, if `write_folder` could not write there."""
    path = Path(output)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise StgError(f"--output {output}: exists and is not an empty folder; name another")
    if not path.absolute().parent.is_dir():
        raise StgError(f"--output {output}: its parent folder does not exist; create it first")


def write_folder(output: str, files: Mapping[str, str]) -> None:
    """Writes a folder with all files, or none."""
    target = Path(os.path.realpath(output))
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as temporary:
        folder = Path(temporary) / target.name
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8", newline="")
        os.replace(folder, target)


def run_tally(options: argparse.Namespace) -> None:
    from stg.reading.forms import read_forms, read_key
    from stg.reading.report import tally_json, tally_markdown

    check_output_path(options.output)
    key = read_key(options.reading)
    readings, problems = [], []
    for reader, folder in name_readers(options.readers, options.forms).items():
        read, wrong = read_forms(folder, reader, key)
        readings += read
        problems += wrong
    if problems:
        for problem in problems[:-1]:  # a line for every bad form
            print(f"error: {problem}", file=sys.stderr)
        raise StgError(problems[-1])
    result = tally_json(readings, key)
    if options.output:
        write_atomically(options.output, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.write(tally_markdown(result))


def name_readers(names: Sequence[str] | None, folders: Sequence[str]) -> dict[str, str]:
    """The folder of every reader, by the reader's name."""
    if names is not None and len(names) != len(folders):
        raise StgError(f"--readers: {len(names)} names for {len(folders)} folders of --forms; give as many")
    names = names or [Path(folder).resolve().name for folder in folders]
    for name in names:
        if names.count(name) > 1:
            raise StgError(f"--readers: {name} would be two readers; name every reader differently with --readers")
    return dict(zip(names, folders, strict=True))
