"""Checks any recap against its box score: every number, and many names and words.

Examples:
  stg check --games examples/bucks_at_knicks.json --text recap.txt
  stg check --games game.json --text recap.txt --format html --output checked.html
  stg check --games games.json --recaps recaps.jsonl --season season.json --format jsonl
  stg generate --games game.json | stg check --games game.json --text -
  stg check --dataset rotowire_modified --split validation --recaps recaps.txt --season rotowire_modified

Texts may be plain or tokenized. --recaps holds one recap per line in the order of the games, or the jsonl of
`stg generate`. Streaks, averages, the next opponent and its day, and a player's totals over several games can only be
checked with --season.

Each number is true (the box score supports it), false (the box score contradicts it; the right value is shown) or
unknown (the box score has nothing of the kind). Names and words are reported only where the box score decides them.
--format mended prints the text with errors corrected where a single number or name can be replaced. Errors in words
such as "led" or "a double-double" would need a new sentence and stay.

Exit code: 0 if nothing is false, 1 if something is, 2 if the check could not run.
"""

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.text import detokenize
from stg.checking.alignment import recap_tokens
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.checking.report import check_report, summary
from stg.cli.console import (
    add_games_options,
    add_season_option,
    argument_parser,
    check_inputs,
    check_output_path,
    colour,
    command,
    write_atomically,
)
from stg.cli.render_recaps import finding_line
from stg.extraction.loading import check_extractor


FORMATS = ("text", "jsonl", "html", "mended")
VERDICT_COLOURS = {TRUE: "green", FALSE: "red", UNKNOWN: "yellow"}


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("check", __doc__)
    add_games_options(parser, split="validation")
    texts = parser.add_mutually_exclusive_group(required=True)
    texts.add_argument("--text", metavar="FILE", help="the recap of a single game; - reads standard input")
    texts.add_argument("--recaps", metavar="FILE", help="one recap per line, or the jsonl of `stg generate`")
    texts.add_argument("--references", action="store_true", help="the dataset's own, human-written summaries")
    add_season_option(parser, "they decide streaks, averages and the next game")
    parser.add_argument("--format", choices=FORMATS, default="text", help="output format")
    parser.add_argument("--output", metavar="FILE", help="output file (default: standard output)")
    parser.add_argument("--extractor", metavar="DIR", help="relation extractor to use instead of stg/extraction")
    options = parser.parse_args(argv)
    check_inputs(options, "games", "text", "recaps")
    check_extractor(options.extractor)
    check_output_path(options.output)
    return options


def load_games(options: argparse.Namespace) -> list[Game]:
    if options.games is not None:
        return read_games(options.games)
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
            source = options.games or options.dataset
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
    """The text, its claims in the colour of their verdicts, then a line for each false or unknown claim."""

    def paint(text: str, *names: str) -> str:
        return colour(text, *names) if coloured else text

    text, pieces, start = result["text"], [], 0
    for finding in result["findings"]:
        pieces.append(text[start : finding["start"]])
        pieces.append(paint(finding["text"], "bold", VERDICT_COLOURS[finding["verdict"]]))
        start = finding["end"]
    title = f"{game.visitor.name} at {game.home.name}, {game.date}: {result['summary']}{not_judged(result)}"
    lines = [paint(title, "bold"), "".join([*pieces, text[start:]])]
    for finding in result["findings"]:
        if finding["verdict"] != TRUE:
            verdict = f"{finding['verdict']:8}"
            line = finding_line(finding).removeprefix(verdict)
            lines.append(f"  {paint(verdict, VERDICT_COLOURS[finding['verdict']])}{line}")
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
    games = load_games(options)
    texts = read_texts(options, games)

    from tqdm import tqdm
    from transformers.utils import logging

    from stg.checking.checker import Checker
    from stg.extraction.loading import load_extractor
    from stg.loading import load_season

    logging.disable_progress_bar()
    checker = Checker(load_extractor(options.extractor))
    season = load_season(options.season)
    facts = [GameFacts(game, season) for game in games]
    results = []
    pairs = list(zip(facts, texts, strict=True))
    for known, text in tqdm(pairs, unit="recap", disable=None if len(games) > 8 else True):
        tokens = recap_tokens(text)
        results.append(check_report(known.game, text, tokens, checker.check(tokens, known)))
    if options.output:
        write_atomically(options.output, render(options.format, facts, results, coloured=False))
    else:
        sys.stdout.write(render(options.format, facts, results, coloured=True))
    verdicts = [(finding["kind"], finding["verdict"]) for result in results for finding in result["findings"]]
    if len(results) > 1:
        print(f"{len(results)} recaps, {summary(verdicts)}", file=sys.stderr)
    return int(any(verdict == FALSE for _, verdict in verdicts))
