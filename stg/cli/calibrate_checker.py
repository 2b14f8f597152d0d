"""Writes how sure the checker may be: stg/checking/confidence.json, and the curve of precision and recall.

Example:
  stg calibrate-checker --annotated DIR --archive rotowire.tar.bz2

DIR holds games.csv and gsml.csv of the INLG 2021 accuracy shared task (development set). The other source is the
mutation test on the development recaps that come with the package. Run it again after changing rules.
"""

import argparse
import json
import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence

from tqdm import tqdm

from modeling_stg.errors import GameWarning
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from stg.cli.console import argument_parser, command, write_atomically
from stg.dataset.archive import read_archive


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("calibrate-checker", __doc__)
    parser.add_argument("--annotated", required=True, metavar="DIR", help="folder with games.csv and gsml.csv")
    parser.add_argument("--archive", required=True, metavar="FILE", help="rotowire.tar.bz2, which holds the games")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="of the mutation test")
    return parser.parse_args(argv)


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)

    from transformers.utils import logging

    from stg.checking.calibration import annotated_examples, count, curve, mutated_examples, thresholds
    from stg.checking.checker import Checker
    from stg.checking.confidence import TABLE
    from stg.checking.evaluation import count_matches, read_annotated, scores
    from stg.cli.check_self_test import RECAPS, run_tests
    from stg.converters.shipped import ShippedSeasons
    from stg.extraction.loading import load_extractor
    from stg.metrics.predictions import read_predictions

    warnings.simplefilter("ignore", GameWarning)
    logging.disable_progress_bar()
    season = ShippedSeasons()
    checker = Checker(load_extractor(), season)
    texts = read_annotated(options.annotated)
    games = read_archive(options.archive)["test"]
    judged = [
        (text, checker.check(text.tokens, Game.from_json(games[text.index]))) for text in tqdm(texts, unit="text")
    ]
    recaps = [prediction.text for prediction in read_predictions(RECAPS / "development.jsonl")]
    facts = [GameFacts(game, season) for game in read_games(RECAPS / "development_games.json")]
    tests = run_tests(checker, recaps, facts, options.processes, seed=0)
    mutated = [example for test in tests for example in mutated_examples(test)]
    points = curve(judged, mutated)
    examples = [example for text, findings in judged for example in annotated_examples(text, findings)]
    counts = sum((count_matches(findings, text.mistakes) for text, findings in judged), start=Counter())
    default = {name: scores(counts)["all"][name] for name in ("precision", "recall", "said")}
    chosen = thresholds(points)
    table = {
        "made_by": "stg calibrate-checker",
        "thresholds": chosen,
        "default": default,
        "curve": points,
        "counts": count([*examples, *mutated]),
    }
    write_atomically(str(TABLE), json.dumps(table, indent=1) + "\n")
    print(f"by default: {_rates(default)}")
    for mode, threshold in chosen.items():
        [point] = [point for point in points if point["threshold"] == threshold]
        print(f"{mode}, from {threshold:.0%} on: {_rates(point)}")


def _rates(point: Mapping[str, float]) -> str:
    return f"precision {point['precision']:.3f}, recall {point['recall']:.3f}, {point['said']} findings"
