"""Checks any recap against its box score: every number, and many names and words.

Examples:
  stg check recap.txt --games examples/bucks_at_knicks.json
  stg check recap.txt --games game.json --format html --output checked.html
  stg check --recaps recaps.jsonl --games games.json --season season.json --format jsonl
  stg generate --games game.json | stg check - --games game.json
  stg check --recaps recaps.txt --dataset rotowire_modified --split validation --strict
  stg check recap.txt --games espn_summary.json             # any format that `stg convert` reads
  stg check --self-test
  stg check --self-test --recaps true_recaps.jsonl --games games.json

Texts may be plain or tokenized. --recaps holds one recap per line in the order of the games, or the jsonl of
`stg generate`. Streaks, averages, the next opponent and its day, and a player's totals over several games follow from
the season's other games. Those of the NBA from 2013-14 to 2018-19 are shipped; for others give --season.

Each number is true (the data support it), false (they contradict it; the right value is shown) or unknown (they do not
decide it, or the checker does not understand the claim). Names and words are reported only where the data decide them.
--strict reports only what is surely a mistake, --lenient also what is suspect; see docs/checking.md.
--format mended prints the text with errors corrected where a single number or name can be replaced. Errors in words
such as "led" or "a double-double" would need a new sentence and stay.

--self-test changes one number, name or word of the recaps at a time and counts what the checker notices: of yours, in
which nothing should be false, or of those that come with the package. With --format jsonl it lists every change.

Exit code: 0 if nothing is reported as a mistake, 1 if something is, 2 if the check could not run, 70 for a bug.
"""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.text import detokenize
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.checking.report import summary
from stg.cli.console import (
    add_games_options,
    add_season_option,
    argument_parser,
    check_inputs,
    check_output_path,
    colour,
    command,
    printable,
    write_atomically,
)
from stg.converters.sources import read_any
from stg.extraction.loading import check_extractor


FORMATS = ("text", "jsonl", "html", "mended")
VERDICT_COLOURS = {TRUE: "green", FALSE: "red", UNKNOWN: "yellow"}


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("check", __doc__)
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("recap", nargs="?", metavar="FILE", help="the recap of a single game; - reads standard input")
    texts.add_argument("--text", metavar="FILE", help="the same")
    texts.add_argument("--recaps", metavar="FILE", help="one recap per line, or the jsonl of `stg generate`")
    texts.add_argument("--references", action="store_true", help="the dataset's own, human-written summaries")
    add_games_options(parser, split="validation", required=False)
    add_season_option(parser, "they decide streaks, averages and the next game", default="nba")
    modes = parser.add_mutually_exclusive_group()
    for mode, meaning in (("strict", "only what is surely a mistake"), ("lenient", "also what is suspect")):
        modes.add_argument(
            f"--{mode}", dest="mode", action="store_const", const=mode, default="default", help=f"report {meaning}"
        )
    parser.add_argument("--self-test", action="store_true", help="count which changes of the recaps are noticed")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the self-test's changes")
    parser.add_argument(
        "--processes", type=int, metavar="N", help="processes for many recaps (default: one for each core)"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format")
    parser.add_argument("--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--extractor", metavar="DIR", help="relation extractor to use instead of stg/extraction")
    options = parser.parse_args(argv)
    options.text = options.text or options.recap
    if not options.self_test and options.games is None and options.dataset is None:
        raise StgError("--games: is missing; name the file with the box score, or give --dataset")
    if not options.self_test and not (options.text or options.recaps or options.references):
        raise StgError("FILE: is missing; name the recap, or give - for standard input, --recaps or --references")
    if options.self_test and (options.games or options.dataset) and not (options.text or options.recaps):
        raise StgError("--self-test: the recaps of these games are missing; give --recaps, or leave out --games")
    if options.self_test and options.format not in ("text", "jsonl"):
        raise StgError(f"--format {options.format}: is not for --self-test; use text or jsonl")
    if options.processes is None:
        options.processes = os.cpu_count() or 1
    check_inputs(options, "games", "text", "recaps")
    check_extractor(options.extractor)
    check_output_path(options.output)
    return options


def load_games(options: argparse.Namespace) -> list[Game]:
    if options.games is not None:
        return read_any(options.games, options.date)
    from stg.dataset import open_dataset

    return [Game.from_json(row) for row in open_dataset(options.dataset, options.config, options.split)]


def read_texts(options: argparse.Namespace, games: Sequence[Game]) -> list[str]:
    """One text for each game."""
    if options.references:
        from stg.dataset import open_dataset

        if options.dataset is None:
            raise StgError("--references: only a dataset has them; give --dataset instead of --games")
        return [detokenize(row["summary"]) for row in open_dataset(options.dataset, options.config, options.split)]
    if options.recaps is not None:
        from stg.metrics.predictions import align, read_predictions

        predictions = align(read_predictions(options.recaps), [game.game_id for game in games], options.recaps)
        texts = [prediction.text for prediction in predictions]
    else:
        if len(games) > 1:
            source = ", ".join(options.games or [options.dataset])
            raise StgError(
                f"--text {options.text}: one text, but {source} holds {len(games)} games; give --recaps instead, "
                "one text per line"
            )
        try:
            content = sys.stdin.buffer.read() if options.text == "-" else Path(options.text).read_bytes()
            texts = [content.decode("utf-8-sig").rstrip()]
        except OSError as error:
            raise StgError(f"--text {options.text}: cannot be read ({error.strerror}); check the path") from None
        except UnicodeDecodeError as error:
            raise StgError(
                f"--text {options.text}: is not UTF-8 text (byte {error.start}); save it as UTF-8"
            ) from None
    for number, text in enumerate(texts, 1):
        if not text.strip():
            raise StgError(
                f"{options.text or f'{options.recaps}, text {number}'}: is empty; there is nothing to check"
            )
    return texts


def render_text(game: Game, result: dict, coloured: bool) -> str:
    """The text, its claims in the colour of their verdicts, then a line for each that is not true, or is flagged."""

    def paint(text: str, *names: str) -> str:
        return colour(printable(text), *names) if coloured else text

    text, pieces, start = result["text"], [], 0
    for finding in result["findings"]:
        pieces.append(paint(text[start : finding["start"]]))
        pieces.append(paint(finding["text"], "bold", VERDICT_COLOURS[finding["verdict"]]))
        start = finding["end"]
    title = f"{game.visitor.name} at {game.home.name}, {game.date}: {result['summary']}{not_judged(result)}"
    lines = [paint(title, "bold"), "".join([*pieces, paint(text[start:])])]
    for finding in result["findings"]:
        is_false, is_flagged = finding["verdict"] == FALSE, finding["flagged"]
        if finding["verdict"] == TRUE and not is_flagged:
            continue
        shown = finding["verdict"] if is_false == is_flagged else "suspect" if is_flagged else "unsure"
        truth = f" (should be: {finding['truth']})" if finding["truth"] else ""
        verdict = paint(f"{shown:8}", VERDICT_COLOURS[finding["verdict"]])
        lines.append(f"  {verdict}{finding['start']:5}  {finding['text']!r}  {paint(finding['claim'])}{truth}")
    return "\n".join(lines) + "\n"


def not_judged(result: dict) -> str:
    """The end of the summary: what "nothing false" leaves open."""
    count = len(result["unjudged"])
    return f"; {count} sentence{'s' * (count > 1)} without a claim that it can judge" if count else ""


def render(format: str, games: Sequence[GameFacts], results: Sequence[dict], coloured: bool) -> str:
    if format == "html":
        from stg.app.page import check_page

        return check_page(games, results)
    if format == "mended":
        return "".join(f"{result['mended']}\n" for result in results)
    if format == "jsonl":
        return "".join(json.dumps(result, ensure_ascii=False) + "\n" for result in results)
    return "\n".join(render_text(facts.game, result, coloured) for facts, result in zip(games, results, strict=True))


@command
def main(argv: Sequence[str] | None = None) -> int:
    options = parse_arguments(argv)
    warnings.simplefilter("ignore", GameWarning)
    if options.self_test and not (options.games or options.dataset):
        from stg.cli.check_self_test import shipped_recaps

        games, texts = shipped_recaps()
    else:
        games = load_games(options)
        texts = read_texts(options, games)

    from tqdm import tqdm
    from transformers.utils import logging

    from stg.checking.checker import Checker
    from stg.checking.reports import check_recaps
    from stg.extraction.loading import load_extractor
    from stg.loading import load_season

    logging.disable_progress_bar()
    checker = Checker(load_extractor(options.extractor))
    season = load_season(options.season)
    facts = [GameFacts(game, season) for game in games]
    if options.self_test:
        from stg.cli.check_self_test import run

        return run(options, checker, texts, facts)
    results = []
    reports = check_recaps(checker, texts, facts, options.processes, options.mode)
    for report in tqdm(reports, total=len(texts), unit="recap", disable=None if len(games) > 8 else True):
        results.append(report)
    if options.output:
        write_atomically(options.output, render(options.format, facts, results, coloured=False))
    else:
        sys.stdout.write(render(options.format, facts, results, coloured=True))
    found = [finding for result in results for finding in result["findings"]]
    if len(results) > 1:
        verdicts = summary((finding["kind"], finding["verdict"]) for finding in found)
        print(f"{len(results)} recaps, {verdicts}", file=sys.stderr)
    return int(any(finding["flagged"] for finding in found))
