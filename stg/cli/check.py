"""Checks recaps, by whomever written, against their box scores: every number, and many names and words.

python scripts/check.py --games examples/bucks_at_knicks.json --text recap.txt
python scripts/check.py --games game.json --text recap.txt --format html --output checked.html
python scripts/check.py --games games.json --recaps recaps.jsonl --season season.json --format jsonl
python scripts/generate.py --games game.json | python scripts/check.py --games game.json --text -
python scripts/check.py --dataset rotowire_modified --split validation --recaps recaps.txt --season rotowire_modified

A text is plain or tokenised. --recaps holds one a line in the games' order, or generate.py's jsonl. --season names a
file of other games (the same JSON), or rotowire_modified for those that are built: they decide on streaks, on the next
opponent and its day, and on a player's sums over several games, which go unchecked without.

Of each number it is said whether the box score bears it out (true), says otherwise (false, with what it says), or
holds nothing of the kind (unknown). Names and words are only spoken of where something decides them.
--format mended prints the text with what is false replaced, where one number or name can take the other's place; words
such as "led" or "a double-double" would want another sentence and stay.
Exit code: 0 when nothing false was found, 1 when something was, 2 when the check could not be made.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game, read_games
from modeling_stg.text import detokenize
from stg.checking.alignment import recap_tokens
from stg.checking.findings import FALSE, TRUE, UNKNOWN
from stg.checking.report import check_report, summary
from stg.cli.console import check_output, colour, exits_kindly, parser, put


FORMATS = ("text", "jsonl", "html", "mended")
COLOURS = {TRUE: "green", FALSE: "red", UNKNOWN: "yellow"}


def arguments() -> argparse.Namespace:
    options = parser()
    about = options.add_mutually_exclusive_group(required=True)
    about.add_argument("--games", metavar="FILE", help="JSON with one game or a list of games")
    about.add_argument("--dataset", metavar="NAME", help="rotowire_modified, or another folder or Hub name")
    options.add_argument("--config", default="default", help="of the dataset: default, sample, ... (%(default)s)")
    options.add_argument("--split", default="validation", help="of the dataset (%(default)s)")
    source = options.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", metavar="FILE", help="the recap of a single game; - reads standard input")
    source.add_argument("--recaps", metavar="FILE", help="a recap a line for several games, or generate.py's jsonl")
    source.add_argument("--references", action="store_true", help="the dataset's own summaries, by people")
    options.add_argument("--season", metavar="FILE", help="other games of the season, or rotowire_modified")
    options.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    options.add_argument("--output", metavar="FILE", help="default: standard output")
    options.add_argument("--extractor", metavar="DIR", help="another relation extractor than stg/extraction")
    return options.parse_args()


def open_games(given: argparse.Namespace) -> list[Game]:
    if given.games is not None:
        return read_games(given.games)
    from dataset_script import open_dataset

    return [Game.from_json(row) for row in open_dataset(given.dataset, given.config, given.split)]


def read_texts(given: argparse.Namespace, games: list[Game]) -> list[str]:
    """One text for each game, as it was written."""
    if given.references:
        from dataset_script import open_dataset

        if given.dataset is None:
            raise StgError("--references: are a dataset's; give --dataset instead of --games")
        return [detokenize(row["summary"]) for row in open_dataset(given.dataset, given.config, given.split)]
    if given.recaps is not None:
        from stg.metrics.predictions import align, read_predictions

        found = [
            each.text for each in align(read_predictions(given.recaps), [game.game_id for game in games], given.recaps)
        ]
    else:
        if len(games) > 1:
            place = given.games or given.dataset
            raise StgError(f"--text: one text, but {place} holds {len(games)} games; give --recaps, one text a line")
        raw = sys.stdin.buffer.read() if given.text == "-" else Path(given.text).read_bytes()
        try:
            found = [raw.decode("utf-8-sig").rstrip()]
        except UnicodeDecodeError as error:
            raise StgError(f"--text {given.text}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    empty = next((number for number, text in enumerate(found, 1) if not text.strip()), None)
    if empty is not None:
        place = given.text or f"{given.recaps}, text {empty}"
        raise StgError(f"{place}: is empty; there is nothing to check")
    return found


def shown(game: Game, result: dict, colourful: bool) -> str:
    """The text, for a terminal in colours, then what is false or unknown, a line each."""

    def paint(text: str, *names: str) -> str:
        return colour(text, *names) if colourful else text

    text, pieces, start = result["text"], [], 0
    for finding in result["findings"]:
        pieces.append(text[start : finding["start"]])
        pieces.append(paint(finding["text"], "bold", COLOURS[finding["verdict"]]))
        start = finding["end"]
    title = f"{game.visitor.name} at {game.home.name}, {game.date}: {result['summary']}"
    lines = [paint(title, "bold"), "".join([*pieces, text[start:]])]
    for finding in result["findings"]:
        if finding["verdict"] != TRUE:
            truth = f" (rather: {finding['truth']})" if finding["truth"] else ""
            verdict = paint(f"{finding['verdict']:8}", COLOURS[finding["verdict"]])
            lines.append(f"  {verdict}{finding['start']:5}  {finding['text']!r}  {finding['claim']}{truth}")
    return "\n".join(lines) + "\n"


def render(form: str, games: list[Game], results: list[dict], colourful: bool) -> str:
    if form == "html":
        from stg.app.page import check_page

        return check_page(games, results)
    if form == "mended":
        return "".join(f"{result['mended']}\n" for result in results)
    if form == "jsonl":
        return "".join(json.dumps(result, ensure_ascii=False) + "\n" for result in results)
    return "\n".join(shown(game, result, colourful) for game, result in zip(games, results, strict=True))


@exits_kindly
def main() -> int:
    given = arguments()
    warnings.simplefilter("ignore", GameWarning)
    check_output(given.output)
    games = open_games(given)
    texts = read_texts(given, games)

    from tqdm import tqdm
    from transformers.utils import logging

    from dataset_script.reading import open_season
    from stg.checking.checker import Checker
    from stg.extraction.loading import load_extractor

    logging.disable_progress_bar()
    checker = Checker(load_extractor(given.extractor), open_season(given.season))
    results = []
    for game, text in tqdm(
        list(zip(games, texts, strict=True)), unit="recap", disable=None if len(games) > 8 else True
    ):
        tokens = recap_tokens(text)
        results.append(check_report(game, text, tokens, checker.check(tokens, game)))
    if given.output:
        put(given.output, render(given.format, games, results, colourful=False))
    else:
        sys.stdout.write(render(given.format, games, results, colourful=True))
    told = [(each["kind"], each["verdict"]) for result in results for each in result["findings"]]
    if len(results) > 1:
        print(f"{len(results)} recaps, {summary(told)}", file=sys.stderr)
    return int(any(verdict == FALSE for _, verdict in told))


if __name__ == "__main__":
    main()
