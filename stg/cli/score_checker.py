"""Scores the checker by people's corrections of 60 recaps, the development part of the INLG 2021 accuracy shared task.

python scripts/score_checker.py --annotated DIR --archive rotowire.tar.bz2 --season rotowire_modified \\
    --output results/checking.json

DIR holds the task's games.csv and gsml.csv. The rules were written while looking at the first 30 texts and at human
references of validation. On the other 30, at the first look, they had a precision of 86.8 and a recall of 64.6; then
those were looked at too, so that no figure of this script is one of unseen texts any more.
"""

import argparse
import json
import warnings
from collections import Counter
from pathlib import Path

from tqdm import tqdm
from transformers.utils import logging

from dataset_script.archive import read_archive
from dataset_script.reading import open_season
from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.evaluation import count_matches, read_annotated, scores
from stg.cli.console import exits_kindly, parser
from stg.extraction.loading import load_extractor
from stg.training.release import provenance


def arguments() -> argparse.Namespace:
    options = parser()
    options.add_argument("--annotated", required=True, metavar="DIR", help="folder of games.csv and gsml.csv")
    options.add_argument("--archive", required=True, metavar="FILE", help="rotowire.tar.bz2, which holds the games")
    options.add_argument("--season", metavar="FILE", help="see check.py")
    options.add_argument("--texts", default="0:60", metavar="FROM:TO", help="a part of them (default: %(default)s)")
    options.add_argument("--output", metavar="FILE", help="the scores as JSON")
    return options.parse_args()


def chosen(texts: list, which: str) -> list:
    first, colon, last = which.partition(":")
    if not colon or not first.isdecimal() or not last.isdecimal() or not int(first) < int(last) <= len(texts):
        raise StgError(f"--texts {which}: is no part of the {len(texts)} texts; give FROM:TO, such as 30:60")
    return texts[int(first) : int(last)]


@exits_kindly
def main() -> None:
    given = arguments()
    warnings.simplefilter("ignore", GameWarning)
    texts = chosen(read_annotated(given.annotated), given.texts)
    games = read_archive(given.archive)["test"]
    logging.disable_progress_bar()
    checker = Checker(load_extractor(), open_season(given.season))
    counts: Counter = Counter()
    for text in tqdm(texts, unit="text"):
        counts += count_matches(checker.check(text.tokens, Game.from_json(games[text.index])), text.mistakes)
    found = scores(counts)
    for kind, row in found.items():
        print(
            f"{kind:8} precision {100 * row['precision']:5.1f} ({row['matched']} of {row['said']})   "
            f"recall {100 * row['recall']:5.1f} ({row['matched']} of {row['mistakes']})"
        )
    if given.output:
        record = {"texts": given.texts, "season": given.season, "scores": found, **provenance()}
        Path(given.output).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
