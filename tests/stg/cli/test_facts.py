"""`stg facts` as a user runs it: formats, selection, bad input."""

import json
import re

import pytest

from modeling_stg.fact_schema import FACT_KINDS
from stg.cli.facts import main


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


def test_text_has_name_value_and_formula_by_entity(run, game):
    code, out, _ = run("--games", game, "--entity", "New York Knicks", "--group", "line_score")
    assert code == 0 and out.startswith("Milwaukee Bucks at New York Knicks, 2017-01-04\n\nKnicks\n")
    assert re.search(r"\n  TEAM-LEAD_Q3 = 14 +lead after three quarters: 87 - 73\n", out)
    assert "Bucks\n" not in out and "TEAM-PTS_BENCH" not in out
    assert "\nGiannis Antetokounmpo\n" in run("--games", game)[1]


def test_text_marks_facts_that_no_plan_may_name(run, game):
    out = run("--games", game)[1]
    [result] = [line for line in out.splitlines() if line.startswith("  TEAM-RESULT = won ")]
    [high] = [line for line in out.splitlines() if "GAME_HIGH_STL" in line][:1]
    [double] = [line for line in out.splitlines() if "DOUBLE = double-double" in line][:1]
    assert result.endswith(" (input only)") and high.endswith(" (check only)") and not double.endswith(" only)")


def test_jsonl_has_the_cells_of_every_fact(run, game):
    code, out, _ = run("--games", game, "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and {line["attribute"] for line in lines} <= set(FACT_KINDS)
    [lead] = [line for line in lines if line["attribute"] == "TEAM-LEAD_Q3"]
    quarters = [
        ("Knicks", "25"),
        ("Knicks", "27"),
        ("Knicks", "35"),
        ("Bucks", "27"),
        ("Bucks", "25"),
        ("Bucks", "21"),
    ]
    assert [(cell["entity"], cell["value"]) for cell in lead.pop("from")] == quarters
    assert lead == {
        "game_id": "01_04_17-Bucks-Knicks",
        "entity": "Knicks",
        "attribute": "TEAM-LEAD_Q3",
        "value": "14",
        "group": "line_score",
        "meaning": "lead after three quarters",
    }


def test_season_names_the_cells_of_other_games(run, root):
    games = root / "examples" / "sample_league.json"
    code, out, _ = run("--games", games, "--season", "sample", "--group", "season", "--format", "jsonl")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and {line["group"] for line in lines} == {"season"}
    assert all({"date", "opponent"} <= set(line["from"][0]) for line in lines if "NEXT" in line["attribute"])
    assert any(line["attribute"] == "TEAM-NEXT_OPPONENT" for line in lines)


def test_games_without_the_entity_are_left_out(run, paper, tmp_path):
    other = paper | {"game_id": "other", "vis_name": "Comets", "vis_line": paper["vis_line"] | {"TEAM-NAME": "Comets"}}
    games = tmp_path / "games.json"
    games.write_text(json.dumps([paper | {"game_id": "paper"}, other]))
    out = run("--games", games, "--entity", "Comets", "--format", "jsonl")[1]
    assert {json.loads(line)["game_id"] for line in out.splitlines()} == {"other"}
    assert run("--games", games, "--entity", "Knicks")[1].count("2017-01-04\n\nKnicks\n") == 2


@pytest.mark.parametrize(
    "options, message",
    [
        (["--entity", "Knics"], "--entity Knics: no game has this team or player; did you mean 'Knicks'?"),
        (["--entity", "xyzzy"], "use one of Knicks, New York Knicks, Bucks"),
        (["--group", "season", "--season", "none"], "--group season: is computed from other games; give --season"),
        (["--group", "cells"], "argument --group: invalid choice: 'cells'"),
        (
            ["--season", "{tmp}"],
            "this folder has neither nba_schedule_YEAR.parquet nor games (.json); give nba, which is shipped",
        ),
        (["--season", "{tmp}/none"], "none: cannot be read (no such file or folder); give nba"),
        (["--season", "{tmp}/incomplete"], "nba_schedule_2017.parquet: cannot be read ("),
        (["--season", "{tmp}/damaged"], "nba_schedule_2017.parquet: cannot be read ("),
    ],
)
def test_bad_input_gives_one_line(run, game, tmp_path, options, message):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("incomplete", "damaged"):
        (tmp_path / name).mkdir()
    empty = pa.table({name: pa.array([], pa.string()) for name in ("home_name", "away_name", "game_date")})
    pq.write_table(empty, tmp_path / "incomplete" / "nba_schedule_2017.parquet")
    (tmp_path / "damaged" / "nba_schedule_2017.parquet").write_bytes(b"not Parquet")
    code, out, err = run("--games", game, *(option.format(tmp=tmp_path) for option in options))
    assert code == 2 and out == "" and err.startswith("error: ") and message in err and err.count("\n") == 1
