"""`stg score` as a user runs it, on the sample league with a tiny untrained extractor."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.text import detokenize
from stg.cli import score
from stg.dataset import open_dataset
from stg.extraction.candidates import Names
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.modeling_extraction import RelationExtractor
from stg.extraction.reading import Vocabulary
from stg.metrics.predictions import Prediction, align, read_predictions
from stg.metrics.scores import SCORES, Scorer


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return list(open_dataset(config="sample", split="test"))


@pytest.fixture(scope="module")
def extractor(tmp_path_factory, rows) -> Path:
    """An untrained extractor, whose relations are meaningless but deterministic."""
    torch.manual_seed(0)
    documents = [(row["summary"], Game.from_json(row)) for row in rows[:20]]
    vocabulary = Vocabulary.collect(documents, Names())
    sizes = {"word_size": 8, "distance_size": 4, "filters": 8, "lstm_size": 8, "hidden_size": 8}
    config = ExtractionConfig(len(vocabulary), convolutions=1, lstms=1, threshold=0.0, **sizes)
    folder = tmp_path_factory.mktemp("extractor")
    RelationExtractor(config, vocabulary).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory, rows) -> dict[str, Path]:
    """The references as tokens, as plain text and as jsonl in another order, and a truncated version."""
    folder = tmp_path_factory.mktemp("predictions")
    tokenised = [" ".join(row["summary"]) for row in rows]
    written = {
        "tokens.txt": tokenised,
        "plain.txt": [detokenize(row["summary"]) for row in rows],
        "half.txt": [" ".join(row["summary"][:40]) for row in rows],
        "shuffled.jsonl": [
            json.dumps(
                {
                    "game_id": row["game_id"],
                    "writer": "0",
                    "text": detokenize(row["summary"]),
                    "tokens": [
                        {"text": token, "entity": None, "attribute": None, "value": None, "form": None}
                        for token in row["summary"]
                    ],
                }
            )
            for row in reversed(rows)
        ],
    }
    for name, lines in written.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {name: folder / name for name in written}


@pytest.fixture
def run_score(capsys):
    def run(*arguments) -> SimpleNamespace:
        with pytest.raises(SystemExit) as exit:
            score.main(["--config", "sample", *map(str, arguments)])
        output = capsys.readouterr()
        return SimpleNamespace(code=exit.value.code, stdout=output.out, stderr=output.err)

    return run


def test_all_files_are_scored_in_one_table(run_score, files, extractor, tmp_path) -> None:
    results, games = tmp_path / "results.json", tmp_path / "games.csv"
    chosen = [files[name] for name in ("tokens.txt", "plain.txt", "half.txt", "shuffled.jsonl")]
    options = ["--extractor", extractor, "--also", "references", "templates", "--output", results]
    run = run_score("--predictions", *chosen, *options, "--per-game", games, "--bootstrap", "--samples", "40")
    assert run.code == 0, run.stderr
    assert "rotowire_modified, config sample, split test: 60 games" in run.stdout and "tok:none" in run.stdout
    report = json.loads(results.read_text())
    assert report["config"] == "sample" and report["bleu_signature"].startswith("nrefs:1")
    systems = report["systems"]
    assert list(systems) == ["tokens", "plain", "half", "shuffled", "Templates", "References"]
    assert all(tuple(system["scores"]) == SCORES for system in systems.values())
    assert systems["References"]["scores"] == systems["tokens"]["scores"]
    for same in ("plain", "shuffled"):  # except for initials: the sample writes "D.J.", RotoWire "D.J ."
        assert systems[same]["scores"] == pytest.approx(systems["tokens"]["scores"], abs=0.3)
    assert systems["tokens"]["scores"]["bleu"] == pytest.approx(100)
    assert systems["half"]["scores"]["bleu"] < 50 and systems["half"]["scores"]["cs_recall"] < 80
    low, high = systems["half"]["intervals"]["bleu"]
    assert low <= systems["half"]["scores"]["bleu"] <= high
    assert report["paired"]["tokens / half"]["bleu"] < 0.1 and report["paired"]["tokens / References"]["bleu"] == 1.0
    table = list(csv.DictReader(games.open(encoding="utf-8")))
    assert len(table) == 6 * 60
    assert float(table[0]["bleu"]) == pytest.approx(100) and table[0]["text"].endswith(".")


def test_batch_size_does_not_change_scores(rows, extractor) -> None:
    model = RelationExtractor.from_pretrained(extractor)
    games = [Game.from_json(row) for row in rows[:15]]
    references = [row["summary"] for row in rows[:15]]
    texts = [row["summary"][: 20 + 10 * position] for position, row in enumerate(rows[:15])]
    scored = [Scorer(references, games, model, batch_size=size).score(texts) for size in (1, 4, 64)]
    assert scored[0].scores["rg_number"] > 0
    assert scored[0].scores == scored[1].scores == scored[2].scores
    assert (scored[0].counts == scored[2].counts).all()


BAD = {
    "too few": (lambda files: ["--predictions", files["few"]], "2 summaries for 60 games"),
    "empty": (lambda files: ["--predictions", files["empty"]], "is empty"),
    "missing": (lambda files: ["--predictions", "nowhere.txt"], "nowhere.txt: cannot be read"),
    "split": (lambda files: ["--predictions", files["few"], "--split", "training"], "split 'training'"),
    "nothing": (lambda files: [], "nothing to score"),
    "per-game": (lambda files: ["--also", "references", "--per-game", "x.txt"], ".csv or .jsonl"),
    "output": (lambda files: ["--also", "references", "--output", "no/x.json"], "its folder does not exist"),
    "order": (lambda files: ["--rotowire-order", files["few"]], "a line for every game"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gives_one_line(run_score, tmp_path, case: str) -> None:
    (tmp_path / "few.txt").write_text("The Hawks won .\nThe Magic lost .\n")
    (tmp_path / "empty.txt").write_text(" \n\n")
    arguments, message = BAD[case]
    run = run_score(*arguments({"few": tmp_path / "few.txt", "empty": tmp_path / "empty.txt"}))
    assert run.code == 2
    last = run.stderr.strip().splitlines()[-1]
    assert message in last and "Traceback" not in run.stderr


def test_help_shows_an_example(run_score) -> None:
    run = run_score("--help")
    assert run.code == 0 and "stg score --predictions" in run.stdout


def test_jsonl_values_become_the_datasets_tokens(tmp_path) -> None:
    path = tmp_path / "one.jsonl"
    texts = ["C.J.", "McCollum", "of", "the", "Trail Blazers", "did", "n't", "score", "."]
    path.write_text(json.dumps({"game_id": 7, "tokens": [{"text": text} for text in texts]}))
    (prediction,) = read_predictions(path)
    assert prediction.tokens == "C.J . McCollum of the Trail Blazers did n't score .".split()
    assert prediction.game_id == "7"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"', "line 1: is not JSON"),
        ('{"game_id": "x"}', "neither 'tokens' nor 'text'"),
        ('{"tokens": 3}', "tokens: expected a list, got a int"),
        ('{"tokens": [{"text": null}]}', "None is not text"),
    ],
)
def test_bad_jsonl_is_an_error(tmp_path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line)
    with pytest.raises(StgError, match=message):
        read_predictions(path)


def test_blank_lines_are_empty_summaries(tmp_path) -> None:
    path = tmp_path / "gaps.txt"
    path.write_text("The Hawks won .\n\nThe Magic lost .\n")
    predictions = read_predictions(path)
    assert [len(prediction.tokens) for prediction in predictions] == [4, 0, 4]
    assert align(predictions, ["a", "b", "c"], "gaps")[1].tokens == []


def test_ids_that_contradict_the_games_are_refused(tmp_path):
    ids = ["a", "b", "c"]

    def aligned(*game_ids):
        predictions = [Prediction([str(number)], str(number), game_id) for number, game_id in enumerate(game_ids)]
        return [prediction.tokens for prediction in align(predictions, ids, "file")]

    assert aligned("c", "a", "b") == [["1"], ["2"], ["0"]]
    assert aligned(None, None, None) == aligned("a", "b", "c") == [["0"], ["1"], ["2"]]
    twice = [Prediction([text], text, text[0]) for text in ("a1", "b1", "a2")]
    assert [prediction.tokens for prediction in align(twice, ["b", "a", "a"], "file")] == [["b1"], ["a1"], ["a2"]]
    for game_ids, message in (
        (("a", "b", "x"), "'c' is missing"),
        (("a", "a", "b"), "'a' is repeated"),
    ):
        with pytest.raises(StgError, match=message):
            aligned(*game_ids)


def test_lines_of_json_that_are_lists_or_texts(tmp_path):
    file = tmp_path / "lists.txt"
    file.write_text('["The", "Trail Blazers", "won", "."]\n["A"]\n')
    assert [prediction.tokens for prediction in read_predictions(file)] == [
        ["The", "Trail", "Blazers", "won", "."],
        ["A"],
    ]
    file.write_text('"The Knicks won."\n""\n')
    assert [prediction.tokens for prediction in read_predictions(file)] == [["The", "Knicks", "won", "."], []]
    file.write_text('"The Bulls won" , he said .\nThe Bulls won .\n')  # prose
    assert read_predictions(file)[1].tokens == ["The", "Bulls", "won", "."]
    for line in ("[" * 100_000, '{"text": ' + "1" * 5000 + "}", "not JSON"):
        jsonl = tmp_path / "bad.jsonl"
        jsonl.write_text(line + "\n")
        with pytest.raises(StgError, match="line 1"):
            read_predictions(jsonl)


def test_file_named_like_the_baseline_keeps_its_own_row(tmp_path):
    rows = list(open_dataset(config="sample", split="validation").select(range(3)))
    games = [Game.from_json(row) for row in rows]
    file = tmp_path / "Templates.txt"
    file.write_text("One .\nTwo .\nThree .\n")
    options = SimpleNamespace(predictions=[str(file)], rotowire_order=[], also=["templates"], split="validation")
    systems = score.read_systems(options, rows, games)
    assert list(systems) == [str(file), "Templates"]
    assert systems[str(file)][0] == ["One", "."] != systems["Templates"][0]
    options.predictions *= 2
    with pytest.raises(StgError, match="is given twice"):
        score.read_systems(options, rows, games)


def test_rotowire_order_of_a_slice():
    rows = [{"source_split": "test", "source_index": 1}, {"source_split": "valid", "source_index": 0}]
    texts = [["a"], ["b"]]
    assert score.align_rotowire_order(texts, rows, "test[:2]", "f") == [["b"], None]
    assert score.align_rotowire_order(texts, rows, "validation[:2]", "f") == [None, ["a"]]
    with pytest.raises(StgError, match="none of the requested games is in RotoWire's own train"):
        score.align_rotowire_order(texts, rows, "train", "f")
    with pytest.raises(StgError, match="f: 727 summaries match another split than RotoWire's test"):
        score.align_rotowire_order([["a"]] * 727, rows, "test[:2]", "f")


def test_unknown_game_ids_give_a_warning() -> None:
    predictions = [Prediction(["a"], "a", "x"), Prediction(["b"], "b", "y")]
    with pytest.warns(UserWarning, match="file: none of its game_ids is among these games; using the file's order"):
        assert align(predictions, ["a", "b"], "file") == predictions


def test_unwritable_outputs_are_found_before_any_work(run_score, files, tmp_path) -> None:
    source = ("--predictions", files["half.txt"], "--config", "sample")
    for more, message in (
        (("--output", tmp_path), "is a folder; name a file"),
        (("--per-game", tmp_path / "none" / "x.csv"), "its folder does not exist"),
        (("--output", tmp_path / "x.csv", "--per-game", tmp_path / "x.csv"), "is also the --per-game file"),
    ):
        run = run_score(*source, *more)
        assert run.code == 2 and message in run.stderr.strip().splitlines()[-1] and not list(tmp_path.iterdir())
    surrogate = tmp_path / "surrogate.jsonl"
    surrogate.write_text('{"text": "\\ud83d"}\n')
    with pytest.raises(StgError, match="surrogate.jsonl, line 1, text: holds a lone surrogate"):
        read_predictions(surrogate)


def test_example_in_the_help_can_be_run(root):
    files = re.findall(r"(results/\S+\.\w+) --split", score.__doc__ or "")
    assert files and all((root / file).is_file() for file in files)
