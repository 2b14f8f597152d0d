"""`stg check` as a user runs it: formats, exit codes, bad input."""

import io
import json
import os
import stat
import sys
import threading

import pytest

from stg.cli.check import main


TRUE_TEXT = 'The Milwaukee Bucks defeated the New York Knicks, 105-104. "Great," said Greg Monroe, who had 18 points.'
FALSE_TEXT = (
    "The Milwaukee Bucks defeated the New York Knicks, 105–101. Giannis Antetokounmpo had 27 points & a <b>block</b>."
)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as exit:
            main([*map(str, arguments)])
        return exit.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def game(root):
    return root / "examples" / "bucks_at_knicks.json"


@pytest.fixture
def text(tmp_path):
    def write(content: str):
        file = tmp_path / "recap.txt"
        file.write_text(content, encoding="utf-8")
        return file

    return write


def test_exit_code_is_1_if_something_is_false(run, game, text):
    code, out, _ = run("--games", game, "--text", text(TRUE_TEXT))
    assert code == 0 and "3 numbers: 3 true, 0 false, 0 unknown" in out and TRUE_TEXT in out
    code, out, _ = run("--games", game, "--text", text(FALSE_TEXT))
    assert code == 1 and "'101'  Knicks: 101 TEAM-PTS (should be: 104)" in out


def test_sentences_without_a_claim_are_counted(run, game, text):
    content = f"{TRUE_TEXT} It was a lovely evening. The crowd went home."
    code, out, _ = run("--games", game, "--text", text(content))
    assert code == 0 and out.splitlines()[0].endswith("; 2 sentences without a claim that it can judge")
    _, out, _ = run("--games", game, "--text", text(content), "--format", "jsonl")
    assert json.loads(out)["unjudged"] == ["It was a lovely evening.", "The crowd went home."]
    _, out, _ = run("--games", game, "--text", text(TRUE_TEXT))
    assert "can judge" not in out


def test_jsonl_gives_character_positions_in_the_original_text(run, game, text):
    code, out, _ = run("--games", game, "--text", text(FALSE_TEXT), "--format", "jsonl")
    result = json.loads(out)
    assert code == 1 and result["text"] == FALSE_TEXT
    for finding in result["findings"]:
        assert FALSE_TEXT[finding["start"] : finding["end"]] == finding["text"]
    [false] = [finding for finding in result["findings"] if finding["verdict"] == "false"]
    assert (false["text"], false["truth"], false["entity"], false["attribute"]) == ("101", "104", "Knicks", "TEAM-PTS")


def test_mended_format_replaces_false_numbers(run, game, text):
    code, out, _ = run("--games", game, "--text", text(FALSE_TEXT), "--format", "mended")
    assert code == 1 and out == FALSE_TEXT.replace("101", "104") + "\n"


def test_page_shows_verdicts_and_escapes(run, game, text, tmp_path):
    output = tmp_path / "checked.html"
    code, out, _ = run("--games", game, "--text", text(FALSE_TEXT), "--format", "html", "--output", output)
    page = output.read_text(encoding="utf-8")
    assert (
        code == 1 and out == "" and sorted(file.name for file in tmp_path.iterdir()) == ["checked.html", "recap.txt"]
    )
    assert "<mark class='false' data-cell='0-0-TEAM-PTS'" in page and "<ins>104</ins>" in page
    assert "&lt;b&gt;" in page and "points &amp; " in page and "<b>" not in page


def test_recaps_are_matched_to_games_by_id(run, game, tmp_path, paper):
    games, recaps = tmp_path / "games.json", tmp_path / "recaps.jsonl"
    games.write_text(json.dumps([paper | {"game_id": "a"}, paper | {"game_id": "b"}]))
    lines = [{"game_id": "b", "text": FALSE_TEXT}, {"game_id": "a", "text": TRUE_TEXT}]
    recaps.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, _ = run("--games", games, "--recaps", recaps, "--season", games, "--format", "jsonl")
    results = [json.loads(line) for line in out.splitlines()]
    assert code == 1 and [result["game_id"] for result in results] == ["a", "b"]
    assert [any(finding["verdict"] == "false" for finding in result["findings"]) for result in results] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    "options, message",
    [
        (["--text", "{tmp}/nowhere.txt"], "nowhere.txt: cannot be read (No such file or directory); check the path"),
        (["--text", "{tmp}/empty.txt"], "empty.txt: is empty; there is nothing to check"),
        (["--text", "{tmp}/binary.txt"], "binary.txt: is not UTF-8 text"),
        (
            ["--text", "{tmp}/good.txt", "--season", "{tmp}/nowhere.json"],
            "nowhere.json: cannot be read (no such file or",
        ),
        (
            ["--text", "{tmp}/good.txt", "--season", "{tmp}"],
            "has neither nba_schedule_YEAR.parquet nor games (.json); give nba, which",
        ),
        (["--text", "{tmp}/good.txt", "--extractor", "{tmp}"], "cannot be loaded"),
        (["--text", "{tmp}/good.txt", "--output", "{tmp}/none/out.html"], "its folder does not exist"),
        (["--recaps", "{tmp}/three.txt"], "3 summaries for 1 games"),
        (["--recaps", "{tmp}/blank.jsonl"], "blank.jsonl, text 1: is empty"),
    ],
)
def test_bad_input_gives_one_line_and_leaves_no_files(run, game, tmp_path, options, message):
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "good.txt").write_text(TRUE_TEXT)
    (tmp_path / "blank.jsonl").write_text('{"text": " "}\n')
    (tmp_path / "three.txt").write_text("One .\nTwo .\nThree .\n")
    before = sorted(tmp_path.iterdir())
    code, out, err = run("--games", game, *(option.format(tmp=tmp_path) for option in options))
    assert code == 2 and out == "" and err.startswith("error: ") and message in err and err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_output_follows_links_and_writes_to_pipes(run, game, text, tmp_path):
    """A folder is refused, a link stays a link, a pipe is written to, and no other files are left behind."""
    arguments = ("--games", game, "--text", text(TRUE_TEXT), "--format", "mended", "--output")
    assert run(*arguments, tmp_path)[0] == 2
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("before")
    link.symlink_to(target)
    assert run(*arguments, link)[0] == 0 and link.is_symlink() and target.read_text() == TRUE_TEXT + "\n"
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert run(*arguments, pipe)[0] == 0
    reader.join()
    assert read == [TRUE_TEXT + "\n"] and stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "pipe", "recap.txt", "target.txt"]


def test_text_is_read_from_standard_input(run, game, monkeypatch):
    for content, code in ((b"\xef\xbb\xbf" + TRUE_TEXT.encode(), 0), (b"\xff", 2), (b"", 2)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        actual, out, _ = run("-", "--games", game, "--format", "jsonl")
        assert actual == code and (code == 2 or json.loads(out)["text"] == TRUE_TEXT)


def test_references_come_from_the_dataset(run, game, tmp_path):
    output = tmp_path / "checked.jsonl"
    arguments = ("--references", "--format", "jsonl", "--output", output)
    code, _, err = run("--dataset", "rotowire_modified", "--config", "sample", "--split", "test[:3]", *arguments)
    assert code == 0 and "3 recaps, " in err and " 0 false, " in err and len(output.read_text().splitlines()) == 3
    assert (
        run("--games", game, *arguments)[2]
        == "error: --references: only a dataset has them; give --dataset instead of --games\n"
    )


def test_one_text_for_two_games_is_an_error(run, tmp_path, paper, text):
    games = tmp_path / "games.json"
    games.write_text(json.dumps([paper | {"game_id": "a"}, paper | {"game_id": "b"}]))
    code, _, err = run("--games", games, "--text", text(TRUE_TEXT))
    assert code == 2 and "holds 2 games; give --recaps instead, one text per line" in err


def test_file_may_be_named_without_an_option(run, game, text):
    assert run(text(TRUE_TEXT), "--games", game)[:2] == run("--games", game, "--text", text(TRUE_TEXT))[:2]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["recap.txt"], "--games: is missing"),
        (["--games", "game.json"], "FILE: is missing; name the recap, or give - for standard input"),
        (["--self-test", "--games", "game.json"], "the recaps of these games are missing; give --recaps"),
        (["--self-test", "--format", "html"], "--format html: is not for --self-test"),
        (["recap.txt", "--text", "other.txt", "--games", "game.json"], "not allowed with"),
        (["recap.txt", "--games", "game.json", "--strict", "--lenient"], "not allowed with"),
    ],
)
def test_missing_and_contradictory_options(run, arguments, message):
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and err.startswith("error: ") and message in err and err.count("\n") == 1


def test_strict_reports_only_what_is_sure(run, game, text):
    """A top scorer is misread now and then, a day of the week hardly ever."""
    unsure = text("The Bucks beat the Knicks, 105-104. Jabari Parker led the Bucks with 15 points.")
    code, out, _ = run(unsure, "--games", game)
    assert code == 1 and "  false " in out
    code, out, _ = run(unsure, "--games", game, "--strict")
    assert code == 0 and "  unsure " in out and "  false " not in out
    assert run(text("The Bucks beat the Knicks, 105-104, on Monday."), "--games", game, "--strict")[0] == 1


def test_season_is_known_without_asking(run, game, text):
    recap = text("The Bucks beat the Knicks, 105-104. The Knicks have lost five games in a row.")
    code, out, _ = run(recap, "--games", game)
    assert code == 1 and "'five'" in out and "(should be: 6)" in out
    assert run(recap, "--games", game, "--season", "none")[0] == 0
    assert run(recap, "--games", game, "--season")[0] == 1


def test_self_test_of_ones_own_recaps(run, game, text, tmp_path):
    recap = text(
        "The Milwaukee Bucks edged the New York Knicks, 105-104, on Wednesday. Carmelo Anthony had 30 points."
    )
    code, out, _ = run("--self-test", recap, "--games", game)
    assert code == 0 and "0 false alarms, 0.00 a recap" in out
    assert "a number changed                    3   100.0%              100.0%" in out
    code, out, _ = run("--self-test", recap, "--games", game, "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (
        code == 0 and len(lines) == 9 and {line["change"] for line in lines} >= {"number", "order", "player", "team"}
    )
    assert {line["noticed"] for line in lines if line["change"] == "number"} == {"on the words"}
    code, out, _ = run("--self-test", text(FALSE_TEXT), "--games", game)
    assert code == 1 and "1 false alarms, 1.00 a recap" in out
