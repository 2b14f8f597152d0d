"""Evaluation on annotated mistakes."""

import itertools
from collections import Counter

import pytest

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.season import Season
from stg.checking.checker import Checker
from stg.checking.evaluation import Mistake, count_matches, read_annotated, scores
from stg.checking.findings import FALSE, TRUE, Finding
from stg.dataset.archive import read_archive, read_games_file
from stg.dataset.reading import open_season


pytestmark = pytest.mark.filterwarnings("ignore::modeling_stg.game.GameWarning")


def test_findings_match_mistakes_one_to_one():
    mistakes = [Mistake(3, 4, "number"), Mistake(8, 10, "name"), Mistake(20, 21, "context")]
    findings = [
        Finding(3, 4, "number", FALSE, ""),
        Finding(3, 4, "word", FALSE, ""),  # a second one on the same mistake
        Finding(9, 10, "word", FALSE, ""),  # found, but as another kind
        Finding(20, 21, "number", TRUE, ""),  # true findings do not count
    ]
    counts = count_matches(findings, mistakes)
    assert scores(counts)["number"] == {"precision": 1.0, "recall": 1.0, "matched": 1, "said": 1, "mistakes": 1}
    assert scores(counts)["name"] == {"precision": 0.0, "recall": 0.0, "matched": 0, "said": 0, "mistakes": 1}
    assert scores(counts)["all"] == {"precision": 0.6667, "recall": 0.6667, "matched": 2, "said": 3, "mistakes": 3}


@pytest.mark.rotowire
def test_precision_and_recall_on_annotated_mistakes(extractor, rotowire_dir):
    """All 60 texts: precision 91.7, recall 69.8; without the season 89.4 and 47.9."""
    texts = read_annotated(rotowire_dir / "accuracy_shared_task")
    assert len(texts) == 60 and sum(len(text.mistakes) for text in texts) == 1214
    splits = read_archive(rotowire_dir / "rotowire.tar.bz2")
    others = [*itertools.chain(*splits.values()), *read_games_file(rotowire_dir / "train_partial.json.xz")]
    checkers = Checker(extractor, Season(map(Game.from_json, others))), Checker(extractor)
    counts = Counter(), Counter()
    for text in texts:
        game = Game.from_json(splits["test"][text.index])
        for checker, matches in zip(checkers, counts, strict=True):
            matches += count_matches(checker.check(text.tokens, game), text.mistakes)
    with_season, alone = (scores(matches)["all"] for matches in counts)
    assert with_season["precision"] > 0.9 and with_season["recall"] > 0.68
    assert alone["precision"] > 0.86 and 0.45 < alone["recall"] < with_season["recall"]


def test_missing_files_are_named(tmp_path):
    with pytest.raises(StgError, match="nowhere"):
        open_season(str(tmp_path / "nowhere.json"))
    with pytest.raises(StgError, match=r"gsml.csv: cannot be read .*; name the folder of games.csv and gsml.csv"):
        read_annotated(tmp_path)
