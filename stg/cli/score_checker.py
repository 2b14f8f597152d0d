"""Scores the checker against human annotations: 60 recaps of the INLG 2021 accuracy shared task (development set).

Example:
  stg score-checker --annotated DIR --archive rotowire.tar.bz2 --season rotowire_modified \\
      --output results/checking.json

DIR holds the task's games.csv and gsml.csv. The rules were written while looking at the first 30 texts and at human
references of validation. On the other 30 texts, before anyone had looked at them, precision was 86.8 and recall 64.6.
Those have been read since, so no figure of this command is on unseen texts.
"""

import argparse
import json
import warnings
from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from stg.checking.evaluation import count_matches, read_annotated, scores
from stg.cli.console import add_season_option, argument_parser, check_inputs, command, write_atomically
from stg.dataset.archive import read_archive


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("score-checker", __doc__)
    parser.add_argument("--annotated", required=True, metavar="DIR", help="folder with games.csv and gsml.csv")
    parser.add_argument("--archive", required=True, metavar="FILE", help="rotowire.tar.bz2, which holds the games")
    add_season_option(parser, "they decide streaks, averages and the next game")
    parser.add_argument("--texts", default="0:60", metavar="FROM:TO", help="range of texts to use")
    parser.add_argument("--output", metavar="FILE", help="write the scores as JSON")
    options = parser.parse_args(argv)
    check_inputs(options, "annotated", "archive")
    return options


def select(texts: list, texts_range: str) -> list:
    first, colon, last = texts_range.partition(":")
    if not colon or not first.isdecimal() or not last.isdecimal() or not int(first) < int(last) <= len(texts):
        raise StgError(
            f"--texts {texts_range}: not a range within the {len(texts)} texts; give FROM:TO, such as 30:60"
        )
    return texts[int(first) : int(last)]


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)

    from transformers.utils import logging

    from stg.checking.checker import Checker
    from stg.extraction.loading import load_extractor
    from stg.loading import load_season
    from stg.training.release import provenance

    warnings.simplefilter("ignore", GameWarning)
    texts = select(read_annotated(options.annotated), options.texts)
    games = read_archive(options.archive)["test"]
    logging.disable_progress_bar()
    checker = Checker(load_extractor(), load_season(options.season))
    counts: Counter = Counter()
    for text in tqdm(texts, unit="text"):
        counts += count_matches(checker.check(text.tokens, Game.from_json(games[text.index])), text.mistakes)
    by_kind = scores(counts)
    for kind, row in by_kind.items():
        print(
            f"{kind:8} precision {100 * row['precision']:5.1f} ({row['matched']} of {row['said']})   "
            f"recall {100 * row['recall']:5.1f} ({row['matched']} of {row['mistakes']})"
        )
    if options.output:
        record = {"texts": options.texts, "season": options.season, "scores": by_kind, **provenance()}
        write_atomically(options.output, json.dumps(record, indent=2) + "\n")
