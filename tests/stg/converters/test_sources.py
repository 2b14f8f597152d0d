"""Every source's shape of one game is read back into the same box score."""

import csv
import io
import json
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modeling_stg.errors import GameError
from modeling_stg.game import Game
from modeling_stg.schema import PLAYER_NUMBERS, QUARTERS, TEAM_ATTRIBUTES
from stg.converters.player_rows import games_of_frame
from stg.converters.season_file import season_json
from stg.converters.sources import read_any, read_season, read_sources
from tests.helpers import feeds


UNKNOWN_IN_TABLES = (*QUARTERS, "TEAM-WINS", "TEAM-LOSSES", "TEAM-TOV", "TEAM-REB")


@pytest.fixture
def game(paper) -> Game:
    return Game.from_json(paper)


@pytest.fixture
def write(tmp_path):
    def write_files(*contents) -> list[str]:
        paths = []
        for index, content in enumerate(contents):
            path = tmp_path / f"{index}.dat"  # the name says nothing
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
            paths.append(str(path))
        return paths

    return write_files


def check_same(read: Game, game: Game, unknown: tuple[str, ...] = ()) -> None:
    """Cells agree, but for percentages, which RotoWire rounds otherwise: 10 of 23 are 44."""
    assert (read.day, read.home.name, read.visitor.name) == (game.day, game.home.name, game.visitor.name)
    for own, expected in zip(read.entities[:2], game.entities[:2], strict=True):
        for attribute in TEAM_ATTRIBUTES:
            if not attribute.endswith("_PCT") and attribute not in unknown:
                assert own.values[attribute] == expected.values[attribute], attribute
    players = {player.name: player for player in read.players}
    assert set(players) == {player.name for player in game.players}
    for expected in game.players:
        own = players[expected.name]
        assert own.is_home == expected.is_home
        assert own.values["START_POSITION"] == expected.values["START_POSITION"], own.name
        for attribute in PLAYER_NUMBERS:
            values = (own.number(attribute), expected.number(attribute))
            if attribute.endswith("_PCT") and None not in values:
                assert abs(values[0] - values[1]) <= 1, (own.name, attribute)
            else:
                assert values[0] == values[1], (own.name, attribute)


def test_espn(game, write):
    [read] = read_any(write(feeds.espn(game)))
    check_same(read, game)
    assert read.feed[0]["TEAM-VENUE"] == "Madison Square Garden" and read.feed[0]["TEAM-ATTENDANCE"] == "19812"
    assert read.feed[1]["TEAM-PTS_PAINT"] == "46" and read.feed[0]["TEAM-OVERTIMES"] == "0"


def test_espn_overtime_and_evening_of_the_day_before(game, write):
    data = feeds.espn(game, "2017-01-05T03:30Z")
    for competitor in data["header"]["competitions"][0]["competitors"]:
        competitor["linescores"] += [{"value": 9.0}, {"value": 4.0}]
    [read] = read_any(write(data))
    assert read.day == "01_04_17" and read.feed[0]["TEAM-OVERTIMES"] == "2"


@pytest.mark.parametrize("more", [feeds.scoreboard_v3, feeds.summary_v3])
def test_traditional_v3_with_what_holds_the_quarters(game, write, more):
    for files in ([feeds.traditional_v3(game), more(game)], [more(game), feeds.traditional_v3(game)]):
        [read] = read_any(write(*files))
        check_same(read, game)
    assert ("TEAM-VENUE" in read.feed[0]) is (more is feeds.summary_v3)


def test_traditional_v3_alone_needs_a_date(game, write):
    [path] = write(feeds.traditional_v3(game))
    with pytest.raises(GameError, match=r"names no date; give its summary or the scoreboard .* or --date"):
        read_any(path)
    [read] = read_any(path, "2017-01-04")
    check_same(read, game, (*QUARTERS, "TEAM-WINS", "TEAM-LOSSES"))
    assert read.home.values["TEAM-PTS_QTR1"] is None


def test_traditional_v2_with_the_summary(game, write):
    [read] = read_any(write(feeds.traditional_v2(game), feeds.summary_v2(game)))
    check_same(read, game)
    assert read.feed[0]["TEAM-OVERTIMES"] == "0"
    with pytest.raises(GameError, match="names no date"):
        read_any(write(feeds.traditional_v2(game)))
    with pytest.raises(GameError, match="does not say which team is at home"):
        read_any(write(feeds.traditional_v2(game)), "2017-01-04")
    with pytest.raises(GameError, match="only scores; give the game's box score too"):
        read_any(write(feeds.summary_v2(game)))


def test_live_box_score_counts_players_rebounds(game, write):
    [read] = read_any(write(feeds.live(game)))
    check_same(read, game)
    assert read.feed[0]["TEAM-LARGEST_LEAD"] == "12"


def test_player_table_as_csv_frame_parquet_and_json(game, write, tmp_path):
    rows = feeds.player_table(game)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    [from_csv] = read_any(write(text.getvalue()))
    [from_json] = read_any(write(rows))
    named = [{("place" if name == "" else name): value for name, value in row.items()} for row in rows]
    [home] = {row["Team"] for row in rows if row[""] == ""}
    frame = pd.DataFrame([{**row, "home": row["Team"] == home} for row in named]).drop(columns="place")
    numbers = [column for column in ("MP", "PTS", "FG", "FGA", "TRB") if column in frame]
    frame[numbers] = frame[numbers].apply(pd.to_numeric)  # who did not play has NaN
    [from_frame] = [Game.from_json(row) for row in games_of_frame(frame)]
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "table")
    [from_parquet] = read_any(tmp_path / "table")
    for read in (from_csv, from_json, from_frame, from_parquet):
        check_same(read, game, UNKNOWN_IN_TABLES)
        assert read.home.values["TEAM-PTS_QTR1"] is None


def test_player_table_says_what_it_lacks(game, write):
    rows = feeds.player_table(game)
    for lacking, message in (
        ("Date", "has no date; add a column 'date', or give --date"),
        ("Team", "has no team; add a column 'team'"),
    ):
        with pytest.raises(GameError, match=message):
            read_any(write([{name: value for name, value in row.items() if name != lacking} for row in rows]))
    with pytest.raises(GameError, match="does not say which team is at home; add a column 'home'"):
        read_any(write([{name: value for name, value in row.items() if name not in ("", "Opp")} for row in rows]))
    with pytest.raises(GameError, match=r"'Sharks' is no known team; add a column 'team_city'"):
        read_any(write(_renamed(rows, "Sharks")))
    [read] = read_any(write(_renamed(rows, "Bay Sharks")))
    assert (read.home.values["TEAM-CITY"], read.home.name) == ("Bay", "Sharks")


def _renamed(rows: list[dict], name: str) -> list[dict]:
    """The rows with another name of the home team."""
    names = {"NYK": name, "MIL": "MIL"}
    return [{**row, "Team": names[row["Team"]], "Opp": names[row["Opp"]]} for row in rows]


def test_rotowire_in_json_jsonl_parquet_and_standard_input(paper, game, write, tmp_path, monkeypatch):
    lines = f"{json.dumps(paper)}\n{json.dumps(paper)}\n"
    assert read_any(write(paper)) == [game] and read_any(write([paper, paper])) == [game, game]
    assert read_any(write(lines)) == [game, game]
    row = {**paper, "box_score": [dict(zip(paper["box_score"], cells, strict=True)) for cells in _cells(paper)]}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "games")
    assert read_any(tmp_path / "games") == [game]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert read_any("-") == [game, game]


def _cells(paper: dict) -> list[list[str]]:
    box = paper["box_score"]
    return [[box[column][key] for column in box] for key in sorted(box["PLAYER_NAME"], key=int)]


@pytest.mark.parametrize(
    "content, message",
    [
        ({"tables": [1]}, "is not a known box score (fields tables); give RotoWire's JSON, hoopR's tables"),
        ("a,b\n1,2\n", "is not a known table (columns a, b); give"),
        ([], "an empty list"),
        ("{", "is not valid JSON"),
        ({"boxscore": {"players": []}, "header": {}}, "has no header with two competitors"),
        ({"boxscore": {"teams": []}, "header": {"competitions": [{"competitors": [1, 2]}]}}, "is incomplete ("),
    ],
)
def test_unknown_and_damaged_files_are_named(write, content, message):
    [path] = write(content)
    with pytest.raises(GameError) as error:
        read_any(path)
    assert message in str(error.value) and path in str(error.value)


def test_foreign_shape_given_to_the_reader_is_named(game):
    with pytest.raises(
        GameError, match=r"game: is ESPN's summary, not RotoWire's JSON; convert it with `stg convert`"
    ):
        Game.from_json(feeds.espn(game))


def test_all_problems_of_all_games_are_reported(paper, write):
    broken = {**paper, "day": "soon", "home_line": {**paper["home_line"], "TEAM-AST": "many"}}
    [path] = write([broken, paper, {**paper, "box_score": 3}])
    with pytest.raises(GameError) as error:
        read_any(path)
    lines = str(error.value).splitlines()
    assert [line.removeprefix(f"{path}: ").split(":")[0] for line in lines] == [
        *("games[0].day", "games[0].home_line.TEAM-AST", "games[2].box_score"),
    ]


def test_date_chooses_games(paper, game, write):
    [path] = write([paper, {**paper, "day": "2017-01-05"}])
    assert [read.day for read in read_any(path, "01/05/2017")] == ["01_05_17"]
    with pytest.raises(GameError, match="--date 2016-01-01: none of the 2 games is of that day"):
        read_any(path, "2016-01-01")
    with pytest.raises(GameError, match="--date soon: is not a date"):
        read_any(path, "soon")


def test_season_file_keeps_games_and_schedule(paper, game, write):
    [first] = read_any(write(paper))
    later = read_sources(write({"games": [], "schedule": []} | season_json([first], []))).games
    assert [Game.from_json(row) for row in later] == [first]
    fixture = {"date": "2017-01-06", "home_name": "Bucks", "home_city": "Milwaukee"}
    fixture |= {"vis_name": "Knicks", "vis_city": "New York"}
    today = {**fixture, "date": "2017-01-04", "home_name": "Knicks", "vis_name": "Bucks"}
    season = read_season(write({**season_json([first], []), "schedule": [today, fixture]}))
    assert season.next(first, 0).names == ("Bucks", "Knicks")
