"""Scores against hand-computed values on small inputs, and against slow reference versions."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from stg.dataset import open_dataset
from stg.extraction.candidates import NONE, candidates, labels
from stg.extraction.relations import Relation, candidate_relation, stated_relation
from stg.metrics.bleu import STATISTICS, corpus_bleu, from_statistics, statistics
from stg.metrics.bootstrap import intervals, paired
from stg.metrics.relations import (
    Teams,
    count_matches,
    deduplicate,
    matcher,
    ordering,
    read_tuples,
)
from stg.metrics.sanity import sanity
from stg.metrics.scores import COUNTS, SCORES, Scorer


def parsed(text: str) -> list[Relation]:
    """Relations from "Hawks|five|TEAM-WINS; ..."."""
    pieces = [line.split("|") for line in text.split("; ")]
    return [stated_relation(entity, value, read_number([value], 0)[0], type) for entity, value, type in pieces]


class LexicalExtractor:
    """Takes the first fitting type of the nearest entity before a number: no network, good enough to count."""

    def extract_batch(self, texts, games, batch_size=32):
        return [self.read(text, game) for text, game in zip(texts, games, strict=True)]

    def read(self, tokens, game):
        fitting = [pair for pair in candidates(tokens, game) if pair.entity.start < pair.number.start]
        fitting = [pair for pair in fitting if labels(pair, game) != (NONE,)]
        nearest = {}
        for pair in fitting:
            nearest[pair.number.start] = pair
        return [
            candidate_relation(pair, labels(pair, game)[0], 1.0, game) for pair in fitting if pair in nearest.values()
        ]


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return list(open_dataset(config="sample", split="test[:12]"))


@pytest.fixture(scope="module")
def games(rows) -> list[Game]:
    return [Game.from_json(row) for row in rows]


@pytest.fixture(scope="module")
def scorer(rows, games) -> Scorer:
    return Scorer([row["summary"] for row in rows], games, LexicalExtractor())


def test_strings_that_name_the_same_entity() -> None:
    teams = Teams()
    assert teams.same("Hawks", "Atlanta") and teams.same("Atlanta Hawks", "Hawks")
    assert teams.same("LA Clippers", "Los Angeles") and teams.same("LA", "Los Angeles Clippers")
    assert teams.same("Trail Blazers", "Portland") and not teams.same("Lakers", "Clippers")
    assert teams.same("James", "LeBron James") and not teams.same("Al Horford", "Jeff Teague")
    assert not teams.same("Orlando Johnson", "Orlando"), "a city is not a player of that name"


def test_teams_outside_the_nba(games) -> None:
    home = games[0].home.values
    assert Teams(games[0]).same(home["TEAM-NAME"], home["TEAM-CITY"])
    assert not Teams().same(home["TEAM-NAME"], home["TEAM-CITY"])


def test_variants_differ_as_defined() -> None:
    loose, strict = matcher(Teams()), matcher(Teams(), "wiseman")
    five, digit = parsed("Hawks|five|TEAM-WINS; Atlanta|5|TEAM-WINS")
    assert loose(five, digit) and not strict(five, digit)
    twice = parsed("Horford|5|PLAYER-REB; Al Horford|5|PLAYER-REB; Horford|5|PLAYER-REB")
    assert len(deduplicate(twice)) == 2
    assert len(deduplicate(twice, strict)) == 1
    gold = parsed("Al Horford|5|PLAYER-REB")
    assert count_matches(twice[:2], gold, loose) == 1
    assert count_matches(twice[:2], gold, strict, once=False) == 2
    with pytest.raises(StgError, match="puduppully, wiseman"):
        matcher(Teams(), "mine")


def test_ordering_by_hand() -> None:
    match = matcher(Teams())
    a, b, c = parsed("Hawks|1|TEAM-WINS; Magic|2|TEAM-WINS; Heat|3|TEAM-WINS")
    assert ordering([a, b, c], [a, b, c], match) == 1.0
    assert ordering([a, b], [b, a], match) == pytest.approx(0.5), "one transposition of two"
    assert ordering([a], [a, b, c], match) == pytest.approx(1 / 3)
    # Optimal string alignment: CA -> ABC costs 3, where the full Damerau distance would be 2.
    assert ordering([c, a], [a, b, c], match) == 0.0
    assert ordering([], [a], match) == ordering([a], [], match) == 0.0
    assert ordering([], [], match) == 1.0


def slow_osa(one: str, other: str) -> int:
    """The textbook recurrence."""
    rows, columns = len(one) + 1, len(other) + 1
    cost = [[max(i, j) if not (i and j) else 0 for j in range(columns)] for i in range(rows)]
    for i in range(1, rows):
        for j in range(1, columns):
            change = cost[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            cost[i][j] = min(cost[i - 1][j] + 1, cost[i][j - 1] + 1, change)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                cost[i][j] = min(cost[i][j], cost[i - 2][j - 2] + 1)
    return cost[-1][-1]


@given(st.text("abcd", max_size=9), st.text("abcd", min_size=1, max_size=9))
def test_ordering_is_the_textbook_distance(one: str, other: str) -> None:
    def relations(text):
        return [stated_relation(letter * 2, "1", 1, "PLAYER-PTS") for letter in text]

    expected = 1 - slow_osa(one, other) / max(len(one), len(other))
    assert ordering(relations(one), relations(other), matcher(Teams())) == pytest.approx(expected)


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=8), st.text("ab", min_size=1, max_size=8)), min_size=1))
def test_bleu_from_statistics_is_sacrebleu(pairs) -> None:
    predictions, references = [list(a) for a, _ in pairs], [list(b) for _, b in pairs]
    summed = np.sum([statistics(*pair) for pair in zip(predictions, references, strict=True)], axis=0)
    score, signature = corpus_bleu(predictions, references)
    assert from_statistics(summed) == pytest.approx(score)
    assert "tok:none" in signature and "case:mixed" in signature


def test_references_score_100_against_themselves(scorer, rows) -> None:
    scored = scorer.score([row["summary"] for row in rows])
    assert tuple(scored.scores) == SCORES
    for name in ("rg_precision", "cs_precision", "cs_recall", "cs_f1", "co_dld", "bleu", "sanity_winner"):
        assert scored.scores[name] == pytest.approx(100), name
    assert scored.scores["rg_number"] > 10
    assert scored.scores["sanity_repeated"] == scored.scores["sanity_self"] == 0
    assert scored.counts.shape == (len(rows), len(COUNTS) + STATISTICS)


def test_summary_without_relations_scores_zero(scorer, rows) -> None:
    scored = scorer.score([[] for _ in rows])
    assert all(score in (0, None) for score in scored.scores.values()), scored.scores
    assert scored.scores["sanity_weekday"] is None
    scored = scorer.score([["Nothing", "happened", "."]] * len(rows))
    assert scored.scores["rg_precision"] == scored.scores["cs_f1"] == scored.scores["co_dld"] == 0


def test_games_may_be_left_out(scorer, rows) -> None:
    texts = [row["summary"] if position % 2 else None for position, row in enumerate(rows)]
    scored = scorer.score(texts)
    assert scored.games == list(range(1, len(rows), 2))
    assert scored.scores["bleu"] == pytest.approx(100)
    with pytest.raises(StgError, match="nothing to score"):
        scorer.score([None] * len(rows))
    with pytest.raises(StgError, match="1 summaries for 12 games"):
        scorer.score([["one"]])


def test_batch_size_does_not_change_scores(scorer, rows, games) -> None:
    texts = [row["summary"][:60] for row in rows]
    expected = scorer.score(texts)
    other = Scorer([row["summary"] for row in rows], games, LexicalExtractor(), batch_size=5).score(texts)
    assert other.scores == expected.scores and (other.counts == expected.counts).all()


def test_reading_order_sorts_by_number(rows, games) -> None:
    scorer = Scorer([row["summary"] for row in rows], games, LexicalExtractor(), order="reading")
    starts = [relation.number_start for relation in scorer.gold[0]]
    assert starts == sorted(starts)
    with pytest.raises(StgError, match="entity, reading"):
        Scorer([], games, LexicalExtractor(), order="backwards")


def test_duplicates_and_unexplained_numerals(games) -> None:
    player = games[0].players[0]
    points = player.values["PTS"]
    once = f"{player.name} scored {points} points and 199 rebounds .".split()
    scorer = Scorer([once], games[:1], LexicalExtractor())
    counts = dict(zip(COUNTS, scorer.score([once]).counts[0], strict=False))
    assert (counts["duplicated"], counts["numerals"], counts["unexplained"]) == (0, 2, 1)
    twice = once + f"In this one {player.name} had {points} points .".split()
    counts = dict(zip(COUNTS, scorer.score([twice]).counts[0], strict=False))
    assert (counts["duplicated"], counts["numerals"], counts["stated"]) == (1, 3, 1)
    keeping = Scorer([once], games[:1], LexicalExtractor(), keep_duplicates=True)
    assert keeping.score([twice]).scores["rg_number"] == 2


def test_sanity_by_hand(games) -> None:
    game = games[0]
    teams = [f"{team.values['TEAM-CITY']} {team.values['TEAM-NAME']}" for team in game.entities[:2]]
    home_won = int(game.home.values["TEAM-PTS"]) > int(game.visitor.values["TEAM-PTS"])
    winner, loser = teams if home_won else reversed(teams)
    day = game.date.strftime("%A")
    own = next(player.name for player in game.players if player.is_home)

    def check(text):
        return sanity(text.split(), game)

    assert check(f"The {winner} defeated the {loser} on {day} .")[:2] == (1, 1)
    assert check(f"The {loser} fell to the {winner} on {day} .")[:2] == (1, 1)
    assert check(f"The {loser} were beaten by the {winner} .")[:2] == (1, 1)
    assert check(f"The {loser} defeated the {winner} .")[:2] == (1, 0)
    assert check(f"The {winner} handed a loss to the {loser} .")[:2] == (1, 1)
    assert check(f"The {winner} ended a losing streak against the {loser} in a 99 - 95 victory .")[:2] == (1, 1)
    assert check(f"The {loser} had won eight straight versus the {winner} but fell short .")[:2] == (1, 1)
    assert check(f"The {winner} went into town and beat the {loser} .")[:2] == (1, 1)
    assert check(f"The {loser} went down against the {winner} .")[:2] == (1, 1)
    assert check(f"The {winner} defeated the {winner} .")[:2] == (0, 0)
    assert check(f"The {winner} defeated the {winner} .").meets_itself == 1
    assert check(f"The {winner} met the {loser} on {day} .").weekday_right == 1
    assert check(f"The {winner} {loser} .")[:2] == (0, 0)
    wrong_day = "Monday" if day != "Monday" else "Friday"
    assert check(f"The {winner} won on {wrong_day} .")[4:6] == (1, 0)
    assert check(f"The {teams[0]} were led by {own} .")[2:4] == (1, 1)
    assert check(f"The {teams[1]} were led by {own} .")[2:4] == (1, 0)
    assert check(f"{own} led the {teams[1]} with 20 points .")[2:4] == (1, 0)
    assert check(f"{own} was the high - point man for the {teams[0]} .")[2:4] == (1, 1)
    assert check(f"{own} was the leading scorer for the {teams[1]} .")[2:4] == (1, 0)
    assert check(f"{own} was the leading scorer against the {teams[1]} .")[2:4] == (0, 0)
    assert check("They will play again in Miami on Sunday . " * 2).repeated_sentences == 1
    assert check("He had five fouls . " * 2).repeated_sentences == 0
    assert check(f"The {loser} travel to {winner.split()[0]} to play the {winner} .").meets_itself == 0
    assert check(f"The {loser} rest before they take on the {loser} .").meets_itself == 1
    assert check(f"The {loser} rest , as they play host to the {loser} .").meets_itself == 1
    assert check(f"The {loser} rest before they take on the {winner} .").meets_itself == 0
    assert check(f"The {winner} beat the {loser} before they host the {loser} again .").meets_itself == 0
    assert check(f"The {loser} rest while the {winner} host the {loser} .").meets_itself == 0


def test_bootstrap_separates_better_from_equal(scorer, rows) -> None:
    good = scorer.score([row["summary"] for row in rows])
    bad = scorer.score([row["summary"][:40] for row in rows])
    low, high = intervals(bad.counts, samples=200)["cs_recall"]
    assert low <= bad.scores["cs_recall"] <= high and low < high
    p = paired(good.counts, bad.counts, samples=200)
    assert p["cs_recall"] < 0.05 and p["bleu"] < 0.05
    assert paired(good.counts, good.counts, samples=200)["bleu"] == 1.0
    assert intervals(bad.counts, samples=50, seed=3) == intervals(bad.counts, samples=50, seed=3)


def test_tuple_files_may_hold_empty_documents(tmp_path) -> None:
    path = tmp_path / "tuples.txt"
    path.write_text("\nHawks|five|TEAM-WINS\n\n\nMagic|7|TEAM-LOSSES\n", encoding="utf-8")
    assert read_tuples(path) == [parsed("Hawks|five|TEAM-WINS"), [], parsed("Magic|7|TEAM-LOSSES")]


def test_evaluate_loads_the_metric_offline(root, tmp_path) -> None:
    """Runs in a separate process with an empty environment, as a user without a network would."""
    code = """
import evaluate
from datasets import load_dataset
from types import SimpleNamespace
rows = list(load_dataset("rotowire_modified", "sample", split="test[:3]"))
silent = SimpleNamespace(extract_batch=lambda texts, games, size: [[] for _ in texts])
metric = evaluate.load("stg/metrics/rotowire")
texts = [" ".join(row["summary"]) for row in rows]
tokens = [row["summary"] for row in rows]
for predictions, references in ((texts, texts), (tokens, tokens), (texts, tokens)):
    scores = metric.compute(predictions=predictions, references=references, games=rows, extractor=silent)
    assert round(scores["bleu"]) == 100 and scores["rg_number"] == 0, scores
print(scores["bleu_signature"])
"""
    environment = {"PATH": "", "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "tok:none" in run.stdout


def test_invalid_tuple_files_are_refused(tmp_path):
    file = tmp_path / "tuples.txt"
    for line in ("Knicks|many|TEAM-PTS", "Knicks||TEAM-PTS", "Knicks|5", "|||"):
        file.write_text(f"\n{line}\n")
        with pytest.raises(StgError, match="tuples.txt:2: .* is not entity"):
            read_tuples(file)
    file.write_bytes(b"\nKnicks|5|\xff\n")
    with pytest.raises(StgError, match="is not UTF-8"):
        read_tuples(file)


def test_numerals_beyond_any_box_score():
    assert read_number(["9" * 5000], 0) is None and read_number(["105"], 0) == (105, 1)
