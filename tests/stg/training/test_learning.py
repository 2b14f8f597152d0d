"""End to end: `accelerate launch scripts/train.py` with default settings, and what the resulting model has learnt.

Its texts are written greedily, which shows the network itself; those of `stg generate` are checked for their facts.

Two models (with and without the writer) are trained in parallel, once for all workers of pytest-xdist.
"""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

import pytest
import torch
from filelock import FileLock

from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.schema import NUMBER_ATTRIBUTES
from stg.cli import generate
from stg.dataset import open_dataset
from stg.dataset.reading import open_season
from stg.extraction.annotation import annotate
from stg.training.model_task import load_processor
from tests.stg.dataset.league_sentences import fits, sentence


pytestmark = pytest.mark.slow

WRITERS = range(4)
NUMBER_FORMS = ("digits", "word")
GREEDY = {"sentence_candidates": 0, "known_phrases": False}
NAMES = ("TEAM-CITY", "TEAM-NAME", "FIRST_NAME", "SECOND_NAME")


@pytest.fixture(scope="session")
def runs(root, tmp_path_factory) -> Path:
    """Folder of the runs `writer` and `no_writer`, with their output in `.log` files."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "learning"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            folder.mkdir()
            environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}
            launch = [sys.executable, "-m", "accelerate.commands.launch", str(root / "scripts" / "train.py")]
            started = []
            for name, more in (("writer", []), ("no_writer", ["--no-writer"])):
                log = open(folder / f"{name}.log", "w")  # noqa: SIM115
                command = [*launch, "--output_dir", str(folder / name), *more]
                started.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment))
            codes = [run.wait(timeout=1800) for run in started]
            (folder / "codes.json").write_text(json.dumps(codes))
    # An interrupted run leaves a half-trained model, which would fail the tests for the wrong reason.
    logs = [(folder / f"{name}.log").read_text() for name in ("writer", "no_writer")]
    assert json.loads((folder / "codes.json").read_text()) == [0, 0], "\n".join(logs)
    return folder


@pytest.fixture(scope="session")
def games() -> list[dict]:
    return list(open_dataset("rotowire_modified", config="sample", split="test"))


class Texts:
    """The texts that a model writes greedily about games, and the record behind every number."""

    def __init__(self, folder: Path, games: Sequence[dict], writers: Sequence[int], trained: bool = True):
        processor = load_processor(str(folder))
        season = open_season("sample")
        facts = [GameFacts(game, season) for game in games]
        model = StgForDataToText.from_pretrained(folder)
        if not trained:
            torch.manual_seed(0)
            model = StgForDataToText(model.config)
        ids = model.eval().generate(**processor(facts, writers=list(writers)), max_new_tokens=300, **GREEDY)
        self.games = [fact.game for fact in facts]
        self.traces = processor.trace(ids, facts)
        self.tokens = processor.batch_tokens(ids, facts)

    def numbers(self, index: int) -> list[tuple[int, str, str]]:
        """(position, entity, attribute) of the numbers in one text."""
        return [
            (position, token["entity"], token["attribute"])
            for position, token in placed(self.traces[index])
            if token["form"] in NUMBER_FORMS
        ]

    def traced_and_read(self) -> list[tuple[tuple[str, str], tuple[str, str] | None]]:
        """For every number of a cell, that cell, and the one that its words state, if supported.

        The words are read by the annotation's rules, which are independent of the model and agree with all mentions of
        the sample league (see `test_measures_agree_with_the_references`).
        """
        return [
            ((entity, attribute), stated_records(tokens, game).get(position))
            for index, (tokens, game) in enumerate(zip(self.tokens, self.games, strict=True))
            for position, entity, attribute in self.numbers(index)
            if attribute in NUMBER_ATTRIBUTES
        ]

    def relation_accuracy(self) -> float:
        """Share of numbers whose words state a relation that the box score supports."""
        return mean(stated is not None for _, stated in self.traced_and_read())

    def cell_accuracy(self) -> float:
        """Share of numbers whose words state exactly the cell that the number was copied from."""
        return mean(traced == stated for traced, stated in self.traced_and_read())

    def content_f1(self, references: Sequence[dict]) -> float:
        """Content selection F1 of the numbers against those of the references."""
        matched = predicted = gold = 0
        for index, row in enumerate(references):
            ours = {number[1:] for number in self.numbers(index)}
            theirs = {(m["entity"], m["attribute"]) for m in row["mentions"] if m["form"] in NUMBER_FORMS}
            matched, predicted, gold = matched + len(ours & theirs), predicted + len(ours), gold + len(theirs)
        return 2 * matched / max(predicted + gold, 1)

    @property
    def length(self) -> float:
        return mean(len(tokens) for tokens in self.tokens)

    @property
    def word_share(self) -> float:
        forms = [token["form"] for trace in self.traces for token in trace if token["form"] in NUMBER_FORMS]
        return forms.count("word") / len(forms)


def placed(trace: Sequence[Mapping]) -> Iterator[tuple[int, Mapping]]:
    """The tokens of a trace that state a fact, with their positions in the text's words."""
    position = 0
    for token in trace:
        if token["attribute"] is not None:
            yield position, token
        position += len(token["text"].split(" "))


def computed_facts(traces: Sequence[Sequence[Mapping]]) -> list[tuple[str, str, bool]]:
    """(attribute, sentence, whether its words agree with the attribute) of every stated fact that is no cell."""
    stated = []
    for trace in traces:
        words = " ".join(token["text"] for token in trace).split(" ")
        for position, token in placed(trace):
            if token["attribute"] in FACT_KINDS:
                text = sentence(words, position, len(token["text"].split(" ")))
                stated.append((token["attribute"], text, fits(text, token["attribute"])))
    return stated


def stated_records(tokens: list[str], game: Game) -> dict[int, tuple[str, str]]:
    mentions = [mention for mention in annotate(tokens, game) if mention.form in NUMBER_FORMS]
    return {mention.position: (game.names[mention.fact.entity], mention.fact.attribute) for mention in mentions}


@pytest.fixture(scope="session")
def written(runs, games) -> Texts:
    return Texts(runs / "writer" / "best", games, [game["writer"] for game in games])


@pytest.fixture(scope="session")
def by_writer(runs, games) -> list[Texts]:
    """The same games in the style of each writer."""
    return [Texts(runs / "writer" / "best", games, [writer] * len(games)) for writer in WRITERS]


def test_command_without_arguments_trains_and_prints_a_recap(runs):
    log = (runs / "writer.log").read_text()
    history = json.loads((runs / "writer" / "best" / "training.json").read_text())["history"]
    assert "the best model" in log and "Traceback" not in log, log
    assert history[0]["perplexity"] > 10 * history[-1]["perplexity"]
    assert " points" in log, "a recap of a game"


def test_measures_agree_with_the_references(games):
    for row in games:
        stated = {
            m["position"]: (m["entity"], m["attribute"])
            for m in row["mentions"]
            if m["attribute"] in NUMBER_ATTRIBUTES
        }
        game = Game.from_json(row)
        read = stated_records(row["summary"], game)
        assert {position: read.get(position) for position in stated} == stated
        assert opens_as(row["writer"], row["mentions"], game) and keeps_order(row["writer"], row["mentions"], game)


def test_stated_relations_are_correct(written):
    """Measured: 98.1% and 98.1%; the bounds allow for rounding on other processors."""
    assert written.relation_accuracy() >= 0.98
    assert written.cell_accuracy() >= 0.975


def test_computed_facts_are_stated_in_fitting_words(runs, tmp_path):
    """The value is the fact's by construction; the words around it could still name another one.

    By the plain command, which writes sentence by sentence. Measured: 0 of 488 facts of 45 kinds; on validation, where
    this was chosen, 0 of 495 (13 of 490 greedily, 5 of 519 with four beams).
    """
    command = ["--model", str(runs / "writer" / "best"), "--dataset", "rotowire_modified", "--config", "sample"]
    command += ["--season", "sample", "--format", "jsonl", "--output", str(tmp_path / "recaps.jsonl")]
    with pytest.raises(SystemExit) as ended:
        generate.main(command)
    assert ended.value.code == 0
    recaps = [json.loads(line) for line in (tmp_path / "recaps.jsonl").read_text().splitlines()]
    stated = computed_facts([recap["tokens"] for recap in recaps])
    kinds = {attribute for attribute, _, _ in stated}
    wrong = [(attribute, text) for attribute, text, is_right in stated if not is_right]
    print(f"{len(stated)} facts of {len(kinds)} kinds, {len(wrong)} misworded")
    assert len(recaps) == 60 and len(stated) >= 300 and len(kinds) >= 30
    assert len(wrong) <= 0.01 * len(stated), wrong


def test_content_selection_follows_the_writer(runs, games, written):
    with_writer = written.content_f1(games)
    without = Texts(runs / "no_writer" / "best", games, [None] * len(games)).content_f1(games)
    untrained = Texts(runs / "writer" / "best", games, [None] * len(games), trained=False).content_f1(games)
    print(f"content selection F1: {with_writer:.3f} with the writer, {without:.3f} without, {untrained:.3f} untrained")
    assert with_writer > without + 0.15 and with_writer > untrained + 0.5 and with_writer > 0.65


def test_lengths_follow_the_writer(by_writer):
    """References have 69, 132, 167 and 225 tokens on average; the model's longest texts are shorter."""
    short, middle, long, longest = (texts.length for texts in by_writer)
    assert 55 < short < 85 < middle < 145 < long < 200 and longest > 145


def test_number_styles_follow_the_writer(by_writer):
    shares = [texts.word_share for texts in by_writer]
    assert shares[0] == 0 and 0.02 < shares[1] < 0.2 and 0.01 < shares[2] < 0.2 and shares[3] > 0.6, shares


def test_each_writer_opens_with_the_right_entity(by_writer):
    shares = [
        mean(opens_as(writer, trace, game) for trace, game in zip(written.traces, written.games, strict=True))
        for writer, written in enumerate(by_writer)
    ]
    # The last writer's depends on the seed: 62, 57 and 100% with 0, 1 and 2 since the encoder rounds otherwise.
    assert min(shares[0], shares[1]) > 0.9 and shares[2] > 0.7 and shares[3] > 0.5, shares


def test_writer_0_keeps_the_order_of_teams(by_writer):
    texts = zip(by_writer[0].traces, by_writer[0].games, strict=True)
    assert mean(keeps_order(0, trace, game) for trace, game in texts) > 0.65


def test_each_writer_orders_players_as_in_training(by_writer):
    """Share of player pairs in the writer's order; 0.5 is chance."""
    shares = [
        mean(kept for text in zip(written.traces, written.games, strict=True) for kept in in_order(writer, *text))
        for writer, written in enumerate(by_writer)
    ]
    assert min(shares[:3]) > 0.7 and shares[3] > 0.57, shares


def opens_as(writer: int, trace: Sequence[Mapping], game: Game) -> bool:
    """Whether a text first names the entity that its writer would: winner, loser, top scorer, home team."""
    first = next(token["entity"] for token in trace if token["attribute"] in NAMES)
    if writer == 2:
        return points(game, first) == max(points(game, player.name) for player in game.players)
    return first == first_team(writer, game)


def keeps_order(writer: int, trace: Sequence[Mapping], game: Game) -> bool:
    """Whether both teams have players, and all are in the writer's order."""
    teams = {game.team_of(game.position(token["entity"])) for token in trace if token["form"] in NUMBER_FORMS}
    return len(teams) == 2 and all(in_order(writer, trace, game))


def in_order(writer: int, trace: Sequence[Mapping], game: Game) -> Iterator[bool]:
    """Yields for every pair of players whether it is in the writer's order: by points (writer 2) or by team."""
    named = [token["entity"] for token in trace if token["form"] in NUMBER_FORMS]
    players = list(dict.fromkeys(name for name in named if game.position(name) > 1))
    for pair in itertools.combinations(players, 2):
        if writer == 2:
            first, second = (points(game, name) for name in pair)
            if first != second:
                yield first > second
        else:
            first, second = (game.entities[game.team_of(game.position(name))].name for name in pair)
            if first != second:
                yield first == first_team(writer, game)


def first_team(writer: int, game: Game) -> str:
    """Writer 0 opens with the winner, 1 with the loser, 3 with the home team."""
    by_points = sorted(game.entities[:2], key=lambda team: -int(team.values["TEAM-PTS"]))
    return {0: by_points[0], 1: by_points[1], 3: game.home}[writer].name


def points(game: Game, name: str) -> int:
    """A player's points; 0 for teams and players who did not play."""
    return int(game.entities[game.position(name)].values.get("PTS") or 0)
