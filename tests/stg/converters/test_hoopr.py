"""Seasons of hoopR: records, what is left out, quarters, players, and missing files."""

import datetime
import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.schema import QUARTERS
from stg.converters import hoopr
from stg.converters.hoopr import hoopr_games, is_hoopr, read_hoopr
from stg.dataset.reading import open_season


CITIES = {"Jazz": "Utah", "Heat": "Miami", "Suns": "Phoenix", "Stars": "East"}
COUNTS = sorted({*hoopr._PLAYER.values()} - {"minutes"})
LINE = "[{'value': 25.0, 'period': 1.0}\n {'value': 20.0, 'period': 2.0}\n {'value': 30.0}\n {'value': 25.0}]"


def scheduled(number, date, home, away, points=(100, 90), **more):
    scores = {"home_score": points[0], "away_score": points[1]}
    winner = {"home_winner": points[0] > points[1], "away_winner": points[1] > points[0]}
    names = {f"{side}_name": name for side, name in (("home", home), ("away", away))}
    cities = {f"{side}_location": CITIES[name] for side, name in (("home", home), ("away", away))}
    rest = {
        **{"game_id": number, "game_date": datetime.date.fromisoformat(date), "season_type": 2},
        **{"status_type_name": "STATUS_FINAL", "type_abbreviation": "STD"},
        **{"venue_full_name": "The Arena", "attendance": 18000.0},
    }
    return {**rest, **names, **cities, **scores, **winner, **more}


def team_rows(game):
    for side in ("home", "away"):
        counts = dict.fromkeys(hoopr._COUNTS.values(), 0) | {"field_goals_made": 40, "field_goals_attempted": 80}
        more = {"total_rebounds": 44, "assists": 22, "total_turnovers": 12, "team_score": game[f"{side}_score"]}
        feed = dict.fromkeys(hoopr._FEED, "10") | {"fast_break_points": "-1"}
        yield {"game_id": game["game_id"], "team_name": game[f"{side}_name"], **counts, **more, **feed}


def player_row(game, team, name, points=0, **more):
    row = {"game_id": game, "team_name": team, "athlete_display_name": name, "athlete_position_abbreviation": "G"}
    counts = dict.fromkeys(COUNTS, 0) | {"points": points, "field_goals_made": 1, "field_goals_attempted": 8}
    return {**row, "starter": True, "did_not_play": False, "minutes": 30.0, **counts, **more}


def player_rows(game):
    return [player_row(game["game_id"], game[f"{side}_name"], f"Al {side.title()}", 7) for side in ("home", "away")]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes the files of one year and returns the folder; a team needs only two games to be of the league."""
    monkeypatch.setattr(hoopr, "_LEAST_GAMES", 2)

    def write_year(schedule, teams=None, players=None, year=2017):
        rows = {
            "nba_schedule": schedule,
            "team_box": [row for game in schedule for row in team_rows(game)] if teams is None else teams,
            "player_box": [row for game in schedule for row in player_rows(game)] if players is None else players,
        }
        for name, table in rows.items():
            pq.write_table(pa.Table.from_pylist(table), tmp_path / f"{name}_{year}.parquet")
        return tmp_path

    return write_year


def records(games):
    return [
        tuple(team.number(f"TEAM-{kind}") for team in game.entities[:2] for kind in ("WINS", "LOSSES"))
        for game in games
    ]


REGULAR = [
    scheduled(3, "2016-11-05", "Jazz", "Suns", (95, 99)),
    scheduled(1, "2016-11-01", "Jazz", "Heat"),
    scheduled(2, "2016-11-03", "Heat", "Suns"),
]


def test_records_are_counted_in_the_order_of_dates(write):
    games, fixtures = hoopr_games(write(REGULAR))
    assert [game.day for game in games] == ["11_01_16", "11_03_16", "11_05_16"]
    assert records(games) == [(1, 0, 0, 1), (1, 1, 0, 1), (1, 1, 1, 1)]
    assert [fixture.names for fixture in fixtures] == [("Jazz", "Heat"), ("Heat", "Suns"), ("Jazz", "Suns")]
    assert is_hoopr(write(REGULAR)) and not is_hoopr(write(REGULAR) / "team_box_2017.parquet")


def test_playoff_records_are_of_the_series(write):
    playoffs = [
        scheduled(4, "2017-04-20", "Jazz", "Heat", season_type=3),
        scheduled(5, "2017-04-22", "Jazz", "Heat", (80, 90), season_type=3),
        scheduled(6, "2017-05-02", "Jazz", "Suns", season_type=3),
    ]
    games, _ = hoopr_games(write([*REGULAR, *playoffs]))
    assert records(games)[3:] == [(1, 0, 0, 1), (1, 1, 1, 1), (1, 0, 0, 1)]


def test_game_without_a_box_score_counts_for_the_records(write):
    """Otherwise the rest of the season has records of one game too few."""
    rest = [game for game in REGULAR if game["game_id"] != 1]
    folder = write(REGULAR, players=[row for game in rest for row in player_rows(game)])
    games, fixtures = hoopr_games(folder)
    assert len(fixtures) == 3 and records(games) == [(1, 1, 0, 1), (1, 1, 1, 1)]
    season = read_hoopr(folder)
    assert not season.before(games[1], 0).is_complete and season.before(games[1], 1).is_complete


def test_what_is_no_game_of_the_season_is_left_out(write):
    more = [
        scheduled(7, "2016-11-02", "Jazz", "Suns", (0, 0), status_type_name="STATUS_POSTPONED"),
        scheduled(8, "2017-02-19", "Stars", "Jazz"),
    ]
    games, fixtures = hoopr_games(write([*REGULAR, *more]))
    assert len(games) == len(fixtures) == 3 and records(games)[2] == (1, 1, 1, 1)


def test_cup_final_is_in_the_schedule_alone(write):
    final = scheduled(9, "2016-11-04", "Jazz", "Heat", type_abbreviation="CC")
    games, fixtures = hoopr_games(write([*REGULAR, final]))
    assert len(games) == 3 and len(fixtures) == 4 and records(games)[2] == (1, 1, 1, 1)


def test_play_in_and_coming_games_do_not_count(write):
    coming = scheduled(11, "2017-04-18", "Jazz", "Suns", (0, 0), status_type_name="STATUS_SCHEDULED")
    play_in = scheduled(10, "2017-04-15", "Jazz", "Heat", season_type=5)
    games, fixtures = hoopr_games(
        write([*REGULAR, play_in, coming], players=[row for game in [*REGULAR, play_in] for row in player_rows(game)])
    )
    assert records(games)[3:] == [(1, 1, 1, 1)] and len(fixtures) == 5


def test_quarters(write):
    with_line = [
        scheduled(1, "2024-11-01", "Jazz", "Heat", home_linescores=LINE, away_linescores=LINE.replace("25", "9"))
    ]
    three = "[{'value': 25.0}\n {'value': 20.0}\n {'value': 30.0}]"
    short = [scheduled(2, "2024-11-03", "Jazz", "Heat", home_linescores=three, away_linescores=None)]
    games, _ = hoopr_games(write([*with_line, *short], year=2025))
    assert [games[0].home.values[quarter] for quarter in QUARTERS] == ["25", "20", "30", "25"]
    assert [games[0].visitor.values[quarter] for quarter in QUARTERS] == ["9", "20", "30", "9"]
    for team in games[1].entities[:2]:
        assert [team.values[quarter] for quarter in QUARTERS] == [None] * 4
    absent, _ = hoopr_games(write(REGULAR), [2017])
    assert absent[0].home.values["TEAM-PTS_QTR1"] is None


def test_cells_and_feed(write):
    game = hoopr_games(write(REGULAR))[0][0]
    team = game.home.values
    assert (game.game_id, team["TEAM-CITY"], team["TEAM-PTS"]) == ("11_01_16-Heat-Jazz", "Utah", "100")
    assert [team[f"TEAM-{name}"] for name in ("FG_PCT", "FG3_PCT", "REB", "TOV")] == ["50", "0", "44", "12"]
    player = game.entities[game.position("Al Home")]
    assert player.is_home and player.values["START_POSITION"] == "G" and player.values["FG_PCT"] == "13"  # 12.5
    assert game.feed[0]["TEAM-LARGEST_LEAD"] == "10" and game.feed[0]["TEAM-ATTENDANCE"] == "18000"
    assert "TEAM-PTS_FAST_BREAK" not in game.feed[0]  # "-1" in the feed
    assert Game.from_json(game.to_json()) == game


def test_player_listed_twice_keeps_his_numbers(write):
    idle = {"did_not_play": True, "minutes": None, "starter": False}
    rows = [
        [
            player_row(n, "Heat", "Bo  Away", 5),
            player_row(n, "Jazz", "Al Home", 0, **idle),
            player_row(n, "Jazz", "Al Home", 9),
        ]
        for n in (1, 2, 3)
    ]
    players = list(
        itertools.chain(*rows, [player_row(1, "Jazz", "Cy Idle", 0, **idle), player_row(1, "Jazz", "Al Home", **idle)])
    )
    game = hoopr_games(write(REGULAR, players=players))[0][0]
    assert game.names[2:] == ["Bo Away", "Al Home", "Cy Idle"]
    assert game.entities[3].values["PTS"] == "9"
    assert not game.entities[4].did_play and game.entities[4].values["FG_PCT"] is None


@pytest.mark.parametrize("name", ["nba_schedule", "team_box", "player_box"])
def test_missing_file_is_named(write, name):
    folder = write(REGULAR)
    (folder / f"{name}_2017.parquet").unlink()
    with pytest.raises(StgError, match=f"{name}_2017.parquet: is missing; a season needs"):
        read_hoopr(folder, [2017])


def test_years(write):
    write([{**game, "game_date": game["game_date"].replace(year=2015)} for game in REGULAR], year=2016)
    folder = write(REGULAR)
    assert len(hoopr_games(folder)[0]) == 6
    for year, begins in ((2016, 2015), (2017, 2016)):
        games, _ = hoopr_games(folder, iter([year]))
        assert {game.date.year for game in games} == {begins} and len(games) == 3
    assert len(hoopr_games(folder, iter([2016, 2017, 2016]))[0]) == 6
    with pytest.raises(StgError, match="nba_schedule_2030.parquet: is missing"):
        read_hoopr(folder, [2017, 2030])


def test_open_season_reads_the_folder(write):
    folder = write(REGULAR)
    games, _ = hoopr_games(folder)
    assert open_season(str(folder)).next(games[0], 0).names == ("Jazz", "Suns")


@pytest.mark.rotowire
@pytest.mark.parametrize("split, number", [("validation", 532), ("test", 497)])
def test_every_game_of_rotowire_is_in_the_feed_with_its_records(split, number, modified_games, hoopr_dir):
    by_day = {
        (game.day, game.home.name, game.visitor.name): game for game in hoopr_games(hoopr_dir, range(2014, 2018))[0]
    }
    pairs = [(game, by_day[game.day, game.home.name, game.visitor.name]) for game in modified_games[split]]
    assert len(pairs) == number
    agree = [
        a.entities[side].number(f"TEAM-{kind}") == b.entities[side].number(f"TEAM-{kind}")
        for a, b in pairs
        for side in (0, 1)
        for kind in ("WINS", "LOSSES")
    ]
    assert sum(agree) / len(agree) > 0.995  # all of them, when this was written
