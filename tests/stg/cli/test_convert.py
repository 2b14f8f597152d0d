"""`stg convert`, and other sources as --games."""

import json

import pytest

from modeling_stg.game import Game, read_games
from stg.cli import main
from tests.helpers import feeds


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return caught.value.code, *capsys.readouterr()


@pytest.fixture
def espn(paper, tmp_path) -> str:
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(feeds.espn(Game.from_json(paper))))
    return str(path)


def test_games_file_and_standard_output(capsys, espn, tmp_path):
    code, out, _ = run(capsys, "convert", espn)
    assert code == 0
    [printed] = [Game.from_json(row) for row in json.loads(out)]
    for name in ("games.json", "games.jsonl"):
        assert run(capsys, "convert", espn, "--output", str(tmp_path / name))[0] == 0
        assert read_games(tmp_path / name) == [printed]
    assert printed.home.values["TEAM-PTS"] == "104"


def test_skipped_games_give_a_non_zero_exit(capsys, paper, tmp_path):
    path = tmp_path / "games.json"
    path.write_text(json.dumps([paper, {**paper, "day": "soon"}]))
    code, out, err = run(capsys, "convert", str(path))
    assert code == 1 and len(json.loads(out)) == 1
    assert "skipped" in err and "games[1].day: 'soon' is not a date" in err and "1 of 2 games were skipped" in err
    assert run(capsys, "convert", str(path), "--skip-bad")[0] == 0
    path.write_text(json.dumps([{**paper, "day": "soon"}, {**paper, "home_line": 3}]))
    code, out, err = run(capsys, "convert", str(path))
    assert code == 2 and out == "" and [line[:7] for line in err.splitlines()] == ["error: "] * 2


def test_season_file(capsys, paper, tmp_path):
    path = tmp_path / "games.json"
    path.write_text(json.dumps([paper, {**paper, "day": "2017-01-05"}]))
    names = ["--output", str(tmp_path / "day.json"), "--season", str(tmp_path / "season.json")]
    assert run(capsys, "convert", str(path), "--date", "2017-01-05", *names)[0] == 0
    assert len(read_games(tmp_path / "day.json")) == 1
    assert len(json.loads((tmp_path / "season.json").read_text())["games"]) == 2


def test_other_commands_take_the_same_files(capsys, espn):
    code, out, _ = run(capsys, "facts", "--games", espn, "--entity", "Knicks", "--group", "line_score")
    assert code == 0 and "TEAM-LEAD_Q3 = 14" in out
    code, _, err = run(capsys, "facts", "--games", espn, "--date", "2016-01-01")
    assert code == 2 and "none of the 1 games is of that day" in err
