"""`stg generate`: formats, resuming, several processes, bad input."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from stg.checking.findings import Finding
from stg.checking.judge import CHECKED
from stg.cli import generate
from stg.cli.resume import run_fingerprint
from stg.metrics.predictions import read_predictions
from tests.helpers import tiny_model


KEYS = ["text", "entity", "attribute", "value", "form", "from"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model folder whose generation_config keeps texts short."""
    folder = tmp_path_factory.mktemp("model")
    model = tiny_model.random_model()
    model.generation_config.max_new_tokens = 40
    model.save_pretrained(folder)
    tiny_model.processor().save_pretrained(folder)
    return folder


@pytest.fixture
def run(folder, capsys):
    def run(*arguments, model=None):
        with pytest.raises(SystemExit) as exit:
            generate.main(["--model", str(model or folder), *map(str, arguments)])
        out, err = capsys.readouterr()
        return exit.value.code, out, err

    return run


@pytest.fixture(scope="module")
def games() -> list[dict]:
    return [Game.from_json(row).to_json() for row in tiny_model.league()[:5]]


@pytest.fixture
def file(tmp_path, games):
    path = tmp_path / "games.json"
    path.write_text(json.dumps(games), encoding="utf-8")
    return path


def error_line(result) -> str:
    code, out, err = result
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert code == 2 and out == "" and len(errors) == 1, result
    return errors[0]


def test_jsonl_has_every_token_and_its_cell(run, file, games):
    games[1]["writer"] = 3
    file.write_text(json.dumps(games), encoding="utf-8")
    code, out, _ = run("--games", file, "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["game_id"] for line in lines] == [game["game_id"] for game in games]
    assert [line["writer"] for line in lines] == ["unknown", "3", "unknown", "unknown", "unknown"]
    for line, game in zip(lines, games, strict=True):
        assert list(line) == ["game_id", "writer", "text", "tokens"]
        entities = {entity.name: entity for entity in Game.from_json(game).entities}
        for token in line["tokens"]:
            assert list(token) == KEYS
            if token["entity"] is not None:
                assert entities[token["entity"]].values[token["attribute"]] == token["value"]
            else:
                assert token["attribute"] is token["value"] is None and token["form"] in (None, "free")
    _, out, _ = run("--games", file, "--format", "jsonl", "--writer", "5")
    assert {json.loads(line)["writer"] for line in out.splitlines()} == {"5"}
    del games[1]["writer"]


def test_dataset_rows_and_single_games_are_accepted(run, tmp_path):
    row = tiny_model.league()[0]
    path = tmp_path / "row.jsonl"
    path.write_text(json.dumps(row) + "\n")
    code, out, _ = run("--games", path, "--format", "jsonl")
    assert code == 0 and json.loads(out)["writer"] == str(row["writer"])
    path = tmp_path / "one.json"
    path.write_text(json.dumps(row))
    code, text, _ = run("--games", path)
    assert code == 0 and text == json.loads(out)["text"] + "\n"


def test_dataset_split_is_written_in_its_own_writers_styles(run, tmp_path, rows=slice(2, 6)):
    source = ("--dataset", "rotowire_modified", "--config", "sample", "--split", f"train[{rows.start}:{rows.stop}]")
    code, out, _ = run(*source, "--format", "jsonl")
    lines, chosen = [json.loads(line) for line in out.splitlines()], tiny_model.league()[rows]
    assert code == 0 and [line["game_id"] for line in lines] == [row["game_id"] for row in chosen]
    assert [line["writer"] for line in lines] == [str(row["writer"]) for row in chosen]
    assert len({row["writer"] for row in chosen}) > 1
    (tmp_path / "a.jsonl").write_text(out, encoding="utf-8")
    code, out, _ = run(*source, "--format", "tokens", "--output", tmp_path / "a.txt")
    assert code == 0 and out == ""
    read = [[item.tokens for item in read_predictions(tmp_path / name)] for name in ("a.jsonl", "a.txt")]
    for printed, written in zip(*read, strict=True):  # except articles, which are adapted to the next number in print
        assert [word.lower().replace("an", "a") for word in printed] == [w.lower().replace("an", "a") for w in written]
    assert all(read[0])
    assert "split 'dev': sample has none" in error_line(run(*source[:-1], "dev"))
    assert "nowhere: neither a folder" in error_line(run("--dataset", "nowhere"))


def test_any_generation_option_can_be_set(run, file, tmp_path):
    def texts(*options):
        code, out, _ = run("--games", file, "--format", "jsonl", *options)
        assert code == 0
        return [json.loads(line) for line in out.splitlines()]

    def stated(lines):
        return [
            [(t["entity"], t["attribute"]) for t in line["tokens"] if t["form"] not in (None, "text")]
            for line in lines
        ]

    assert {len(line["tokens"]) for line in texts("--set", "min_new_tokens=7", "max_new_tokens=7")} == {7}
    assert texts("--set", "avoid_repeats=true") == texts("--avoid-repeats")
    assert texts("--set", "num_beams=2", "--set", "z_threshold=0.4") != texts()
    everything, nothing = stated(texts("--set", "z_threshold=0.001")), stated(texts("--set", "z_threshold=0.999"))
    assert all(everything) and not any(nothing)
    sampled = ("--set", "do_sample=true")
    assert texts(*sampled) == texts(*sampled) != texts(*sampled, "--seed", 1)
    output = tmp_path / "out.jsonl"
    for assignment, message in (
        ("z_treshold=0.6", "--set z_treshold=0.6: no such option; options are min_new_tokens,"),
        ("num_return_sequences=2", "no such option"),
        ("z_threshold", "'' is not a number"),
        ("num_beams=4.5", "--set num_beams=4.5: '4.5' is not a whole number"),
        ("avoid_repeats=1", "'1' is not true or false"),
        ("z_threshold=2", "z_threshold: 2.0 is not a probability"),
    ):
        assert message in error_line(run("--games", file, "--set", assignment, "--output", output)), assignment
        assert not list(tmp_path.glob("out.jsonl*"))


def test_model_folder_without_code_or_writers_works(run, file, games, tmp_path):
    """modeling_stg/no_writer: weights, vocabularies and settings, no code."""
    folder = tmp_path / "somewhere" / "no_writer"
    model = tiny_model.random_model(use_writer=False)
    model.generation_config.max_new_tokens = 20
    model.save_pretrained(folder)
    tiny_model.processor().save_pretrained(folder)
    for code_file in folder.glob("*.py"):
        code_file.unlink()
    file.write_text(json.dumps([{**games[0], "writer": 3}]), encoding="utf-8")
    code, out, _ = run("--games", file, "--format", "jsonl", model=folder)
    assert code == 0 and json.loads(out)["writer"] == "unknown"
    assert "was trained without writers" in error_line(run("--games", file, "--writer", "3", model=folder))


class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.spans, self.cells, self.links, self.current = [], [], [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("mark", "span", "td"):  # words, cells of the box score, rows of computed facts
            self.current = self.spans if tag == "mark" else self.cells
        if "data-cell" in attributes:
            self.current.append(attributes["data-cell"])
        self.links += [attributes[name] for name in ("src", "href") if name in attributes]


def test_page_links_words_to_cells_and_escapes(run, tmp_path, games):
    game = json.loads(json.dumps(games[0]))
    name = "<script>alert('x')</script>"
    for column, value in (("PLAYER_NAME", name), ("FIRST_NAME", name), ("SECOND_NAME", "O\"&'")):
        game["box_score"][column]["0"] = value
    source, output = tmp_path / "game.json", tmp_path / "page.html"
    source.write_text(json.dumps([game, games[1]]))
    code, _, _ = run(
        "--games",
        source,
        "--format",
        "html",
        "--output",
        output,
        "--must-mention",
        games[0]["home_name"],
        "--skip-bad",
    )
    assert code == 0
    text = output.read_text(encoding="utf-8")
    assert name not in text and "alert" in text and "O\"&'<" not in text
    parsed = Cells()
    parsed.feed(text)
    assert parsed.spans and set(parsed.spans) <= set(parsed.cells)
    assert not parsed.links and "://" not in text
    assert os.listdir(tmp_path) == ["game.json", "page.html"] or not list(tmp_path.glob("*.part"))


def interrupted_at(call: int, calls: list | None = None):
    """`generate_batch`, interrupted at this call; `calls` collects the games of each call."""
    generate_batch, calls = generate.generate_batch, [] if calls is None else calls

    def interrupted(options, jobs, *rest):
        calls.append([job.index for job in jobs])
        if len(calls) == call:
            raise KeyboardInterrupt
        return generate_batch(options, jobs, *rest)

    return interrupted


def test_interrupted_run_continues(run, file, games, tmp_path, monkeypatch):
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    assert run("--games", file, "--format", "jsonl", "--output", whole, "--batch-size", 2)[0] == 0
    calls = []
    arguments = ("--games", file, "--format", "jsonl", "--output", output, "--batch-size", 2)
    monkeypatch.setattr(generate, "generate_batch", interrupted_at(2, calls))
    assert run(*arguments)[0] == 130
    part = tmp_path / "out.jsonl.part"
    assert not output.exists() and len(part.read_text().splitlines()) == 1 + 2
    with part.open("a") as cut:
        cut.write('{"game_id": "cut o')
    assert "delete it" in error_line(run(*arguments, "--avoid-repeats"))
    assert run(*arguments)[0] == 0
    assert calls == [[0, 1], [2, 3], [2, 3], [4]]
    assert output.read_text() == whole.read_text()
    assert not part.exists()


def test_sampled_run_resumes_only_with_the_same_batch_size(run, file, tmp_path, monkeypatch):
    arguments = ("--games", file, "--output", tmp_path / "out.txt", "--set", "do_sample=true")
    monkeypatch.setattr(generate, "generate_batch", interrupted_at(2))
    assert run(*arguments, "--batch-size", 1)[0] == 130
    assert "delete it" in error_line(run(*arguments, "--batch-size", 2))
    assert run(*arguments, "--batch-size", 1)[0] == 0


def test_no_outlook_leaves_out_sentences_about_upcoming_games(run, file, games, monkeypatch):
    arguments = ("--games", file, "--format", "jsonl", "--no-outlook")
    monkeypatch.setattr("stg.checking.outlook.looks_ahead", lambda words: True)
    lines = [json.loads(line) for line in run(*arguments)[1].splitlines()]
    assert len(lines) == len(games) and all(line["text"].count(". ") == 0 and line["tokens"] for line in lines)
    assert "--no-outlook: " in error_line(run(*arguments, "--must-mention", games[0]["home_name"]))


def test_season_is_part_of_the_fingerprint(file, games, tmp_path):
    season = tmp_path / "season.json"
    season.write_text(json.dumps(games))
    options = generate.parse_arguments(["--games", str(file), "--check", "--season", str(season)])
    before = run_fingerprint(options, games, 1)
    assert run_fingerprint(options, games, 1) == before
    season.write_text(json.dumps(games[:1]))
    assert run_fingerprint(options, games, 1) != before


def test_seasons_of_a_folder_are_part_of_the_fingerprint(file, games, tmp_path):
    folder = tmp_path / "hoopr"
    folder.mkdir()
    (folder / "nba_schedule_2016.parquet").write_text("a")
    options = generate.parse_arguments(["--games", str(file), "--season", str(folder)])
    prints = [run_fingerprint(options, games, 1)]
    for name, content in (("nba_schedule_2017", "a"), ("team_box_2017", "a"), ("team_box_2017", "ab")):
        (folder / f"{name}.parquet").write_text(content)
        prints.append(run_fingerprint(options, games, 1))
    assert len(set(prints)) == 4 and run_fingerprint(options, games, 1) == prints[-1]


@pytest.mark.parametrize("name", ["sample", "rotowire_modified"])
def test_built_datasets_are_part_of_the_fingerprint(file, games, tmp_path, monkeypatch, name):
    monkeypatch.setattr("stg.dataset.card.BUILD_FOLDER", tmp_path / "built")
    options = generate.parse_arguments(["--games", str(file), "--season", name])
    before = run_fingerprint(options, games, 1)
    (tmp_path / "built" / "sample").mkdir(parents=True)
    (tmp_path / "built" / "sample" / "train.parquet").write_text("a")
    assert run_fingerprint(options, games, 1) != before


def test_check_chooses_and_rewrites_by_the_checkers_verdicts(run, file, games, monkeypatch):
    """The checker here counts every distinct word as a true claim."""
    seen, seasons = [], []

    class Checker:
        def __init__(self, extractor):
            assert extractor == "the extractor"

        def parse(self, texts, of_games):
            samples = len(of_games) // len(games)
            seasons.append({facts.season for facts in of_games})
            described = [game["game_id"] for game in games for _ in range(samples)]
            assert [facts.game.game_id for facts in of_games] == described
            seen.append(samples)
            facts = [[Fact(number < len(set(text)), number) for number in range(200)] for text in texts]
            return [Reading(*parts) for parts in zip(texts, facts, strict=True)]

        def check(self, tokens, facts):
            return []

        def findings(self, reading):
            return [Finding(0, 1, "word", "false", "all")] if len(seen) == 1 else []

    class Reading:
        def __init__(self, tokens, relations):
            self.tokens, self.relations = tokens, relations

    class Fact:
        def __init__(self, supported, number):
            self.supported, self.key, self.number_start, self.value = supported, number, number, str(number)

    def different(lines) -> int:
        return sum(
            len({word for token in json.loads(line)["tokens"] for word in token["text"].split()}) for line in lines
        )

    assert "cannot be read" in error_line(run("--games", file, "--check", "--season", f"{file}.none"))
    monkeypatch.setattr("stg.dataset.reading.open_season", lambda name: f"the season of {name}")
    arguments = ("--games", file, "--format", "jsonl", "--set", "consensus=3", "temperature=2.0")
    plain = run(*arguments)[1].splitlines()
    monkeypatch.setattr("stg.extraction.loading.load_extractor", lambda: "the extractor")
    monkeypatch.setattr("stg.checking.checker.Checker", Checker)
    checked = run(*arguments, "rewrites=1", "--check")[1].splitlines()
    assert len(checked) == len(games) and different(plain) < different(checked)
    assert seen == [3, 3], "false text is rewritten"
    calls, original = [], StgForDataToText.generate
    monkeypatch.setattr(
        StgForDataToText, "generate", lambda self, **options: (calls.append(options), original(self, **options))[1]
    )
    assert run("--games", file, "--check", "--season", file)[0] == 0 and seen[2:] == [16]
    assert CHECKED == {"consensus": 16, "temperature": 0.4, "rewrites": 3} and CHECKED.items() <= calls[0].items()
    assert seasons == [{"the season of nba"}] * 2 + [{f"the season of {file}"}]
    assert "judge" in error_line(run("--games", file, "--check", "--set", "consensus=0", "rewrites=0"))
    assert "--check: " in error_line(run("--games", file, "--check", "--set", "num_beams=2"))


def test_bad_game_is_skipped_unless_strict(run, file, games, tmp_path):
    broken = [*games[:2], {**games[2], "day": "yesterday"}, games[3]]
    file.write_text(json.dumps(broken))
    code, out, err = run("--games", file, "--format", "jsonl")
    assert code == 1 and len(out.splitlines()) == 3
    assert re.search(r"skipped .*games\[2\]\.day: 'yesterday'", err) and "1 of 4 games were skipped" in err
    assert run("--games", file, "--format", "jsonl", "--skip-bad")[0] == 0
    output = tmp_path / "strict.jsonl"
    strict = run("--games", file, "--format", "jsonl", "--strict", "--output", output)
    assert "games[2].day" in error_line(strict)
    assert not list(tmp_path.glob("strict.jsonl*"))


def test_plans_reach_the_text(run, file, games, tmp_path):
    one, plan = tmp_path / "one.json", tmp_path / "plan.json"
    one.write_text(json.dumps(games[0]))
    home = games[0]["home_name"]
    plan.write_text(json.dumps([home, f"{home}:TEAM-PTS"]))
    code, out, _ = run("--games", one, "--plan", plan, "--format", "jsonl", "--grounded-only", "--avoid-repeats")
    stated = [(token["entity"], token["attribute"]) for token in json.loads(out)["tokens"] if token["entity"]]
    assert code == 0 and stated == [(home, "TEAM-CITY"), (home, "TEAM-NAME"), (home, "TEAM-PTS")]
    plan.write_text(json.dumps({games[3]["game_id"]: [f"{games[3]['vis_name']}:TEAM-REB"]}))
    code, out, _ = run("--games", file, "--plan", plan, "--format", "jsonl")
    stated = [token["attribute"] for token in json.loads(out.splitlines()[3])["tokens"] if token["entity"]]
    assert code == 0 and stated == ["TEAM-REB"]


def test_bad_input_gives_one_line_and_leaves_no_files(run, file, games, tmp_path):
    def written(name, data):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    players = {column: {"0": cells["0"]} for column, cells in games[0]["box_score"].items()}
    one_player = written("one_player.json", {**games[0], "box_score": players})
    one = written("game.json", games[0])
    output = tmp_path / "out.jsonl"
    name = next(iter(games[0]["box_score"]["PLAYER_NAME"].values()))
    for arguments, message in (
        (("--games", tmp_path / "none.json"), "none.json"),
        (("--games", written("empty.json", [])), "holds no game"),
        (("--games", written("blank.json", "")), "is not a known table"),
        (("--games", written("number.json", 7)), "is not a known table"),
        (("--games", one_player), "1 player; a recap needs two or more"),
        (("--games", file, "--writer", "99"), "writer: '99' is not known"),
        (("--games", written("writer.json", {**games[0], "writer": "Homer"})), "'Homer' is not known"),
        (("--games", one, "--must-mention", "Nobody"), "'Nobody' is no team or player"),
        (("--games", one, "--plan", written("p.json", [[name, "PTTS"]])), "'PTTS' is no attribute"),
        (("--games", file, "--plan", written("q.json", [[name, "PTS"]])), "one plan for 5 games"),
        (("--games", file, "--plan", written("r.json", {"xyz": [name]})), "'xyz' is not the game_id of any"),
        (("--games", one, "--batch-size", "0"), "--batch-size: 0"),
    ):
        assert message in error_line(run(*arguments, "--output", output)), message
        assert not list(tmp_path.glob("out.jsonl*"))
    before = one.read_text()
    assert "is also the --games file" in error_line(run("--games", one, "--output", one))
    assert one.read_text() == before
    assert "is not a folder" in error_line(run("--games", one, model=tmp_path / "nothing"))
    assert "holds no trained model" in error_line(run("--games", one, model=tmp_path))


def test_demo_writes_and_links_the_papers_game(root, paper, tmp_path):
    """The demo has colours in the text, a record for each number, two writers, and a page."""
    command = [sys.executable, "scripts/demo.py", "--recap", str(tmp_path / "new" / "demo.html")]
    environment = {**os.environ, "FORCE_COLOR": "1", "NO_COLOR": ""}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, title, recaps = done.stdout.partition("The paper's game, Milwaukee Bucks at New York Knicks")
    assert title and recaps.count("In the style ") == 2 and "demo.html" in recaps
    facts = GameFacts(paper)
    positions = {entity.name: position for position, entity in enumerate(facts.game.entities)}
    records = re.findall(r"^  \x1b\[1;3[25]m(\S+) *\x1b\[0m (.+) · (\S+) = (\d+)$", recaps, flags=re.MULTILINE)
    assert len(records) > 20 and all(
        facts.value(positions[name], column) == value for _, name, column, value in records
    )
    assert recaps.count("\x1b[1;32m") > sum(word.isdecimal() for word, *_ in records), "numbers in the text too"
    parsed = Cells()
    parsed.feed((tmp_path / "new" / "demo.html").read_text(encoding="utf-8"))
    assert parsed.spans and set(parsed.spans) <= set(parsed.cells)


def test_help_shows_an_example(run):
    code, out, _ = run("--help")
    assert code == 0 and "stg generate --games" in out and out.startswith("usage: stg generate ")


def test_two_processes_share_the_games_in_order(root, folder, file, games, run, tmp_path):
    alone, together = tmp_path / "alone.jsonl", tmp_path / "together.jsonl"
    assert run("--games", file, "--format", "jsonl", "--output", alone, "--batch-size", 2)[0] == 0
    command = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    command += ["--main_process_port", "0", str(root / "scripts" / "generate.py"), "--games", str(file)]
    command += ["--model", str(folder), "--format", "jsonl", "--output", str(together), "--batch-size", "2"]
    environment = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr[-2000:]
    assert together.read_text() == alone.read_text()
