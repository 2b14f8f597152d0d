"""Fact sheets: every number equals its fact; overtime, missing cells, no season."""

import re

import pytest

from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.reading.fact_sheet import fact_sheet
from tests.helpers.made_games import idle_player, made_game, made_player, made_season, made_team


COLUMNS = ("MIN", "PTS", "REB", "AST", "STL", "BLK", "TO")
SHOTS = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA")
TEAM = {
    **{"rebounds": "TEAM-REB", "offensive": "TEAM-OREB", "assists": "TEAM-AST", "turnovers": "TEAM-TOV"},
    **{"steals": "TEAM-STL", "blocks": "TEAM-BLK", "bench points": "TEAM-PTS_BENCH"},
    "players in double figures": "TEAM-DOUBLE_FIGURES",
}


@pytest.fixture
def facts(paper) -> GameFacts:
    return GameFacts(Game.from_json(paper))


def line_of(sheet: str, start: str) -> str:
    """The rest of the line that begins like this; players' and teams' lines are indented."""
    [line] = [line for line in sheet.splitlines() if line.strip().startswith(start)]
    return line.strip().removeprefix(start)


def test_title_has_teams_day_and_arena(facts):
    title = "Milwaukee Bucks at New York Knicks, Wednesday 2017-01-04, Madison Square Garden\n"
    assert fact_sheet(facts).startswith(title)


def test_line_score_equals_facts(facts):
    sheet = fact_sheet(facts)
    for team, name in enumerate(("Knicks", "Bucks")):
        attributes = [*(f"TEAM-PTS_QTR{quarter}" for quarter in (1, 2, 3, 4)), "TEAM-PTS"]
        assert line_of(sheet, f"{name}  ").split() == [facts.value(team, attribute) for attribute in attributes]
    breaks = "after Q1 Bucks 27, Knicks 25; halftime Bucks 52, Knicks 52; after Q3 Bucks 73, Knicks 87"
    assert line_of(sheet, "Score ") == breaks and "OT" not in sheet


def test_team_totals_equal_facts(facts):
    sheet = fact_sheet(facts)
    for team, block in zip((1, 0), sheet.split("\n\n")[1:], strict=True):
        totals = line_of(block, "Team: ")
        for words, attribute in TEAM.items():
            assert f", {words} {facts.value(team, attribute)}" in totals
        for words, columns in {"FG": ("FGM", "FGA"), "3P": ("FG3M", "FG3A"), "FT": ("FTM", "FTA")}.items():
            made, taken = (facts.value(team, f"TEAM-{column}") for column in columns)
            percentage = facts.value(team, f"TEAM-{words.replace('3P', 'FG3')}_PCT")
            assert f"{words} {made}-{taken} ({percentage}%)" in totals
        number = len(TEAM) + 3 * len(("made", "taken", "percentage"))
        assert len(re.findall(r"\d+", totals.replace("3P", ""))) == number  # and no other
    assert "MILWAUKEE BUCKS: won, road team, record after the game 18-16\n" in sheet
    assert "NEW YORK KNICKS: lost, home team, record after the game 16-19\n" in sheet


def test_players_equal_facts(facts):
    game, sheet = facts.game, fact_sheet(facts)
    for position in range(2, len(game.entities)):
        player = game.entities[position]
        if not player.did_play:
            assert player.name not in sheet
            continue
        role, *cells = line_of(sheet, player.name).split()
        assert role == facts.value(position, "ROLE")
        assert cells[: len(COLUMNS)] == [facts.value(position, column) for column in COLUMNS]
        shots = "-".join(cells[len(COLUMNS) : len(COLUMNS) + 3]).split("-")
        assert shots == [facts.value(position, column) for column in SHOTS]
        assert (cells[-1] == "double-double") == (facts.value(position, "DOUBLE") is not None)


def test_players_are_sorted_by_points_below_their_team(facts):
    blocks = fact_sheet(facts).split("\n\n")[1:]
    assert "Antetokounmpo" in blocks[0] and "Anthony" in blocks[1]
    for block in blocks:
        points = [int(numbers) for numbers in re.findall(r"(?:starter|bench) +\d+ +(\d+)", block)]
        assert points == sorted(points, reverse=True) and len(points) == 10


def overtime_game(minutes: int | None) -> GameFacts:
    home = made_team("Jazz", True, 110, (1, 0), (25, 25, 25, 20))
    visitor = made_team("Heat", False, 105, (0, 1), (20, 25, 25, 25))
    players = [made_player(name, name[0] == "J", MIN=minutes) for name in ("Jo One", "Jo Two", "Al One", "Al Two")]
    return GameFacts(made_game(home, visitor, players))


def test_overtime_has_its_own_column(facts):
    sheet = fact_sheet(overtime_game(145))  # 290 minutes a team: two overtimes
    assert "Q4  OT  total\n" in sheet and "\n(2 overtimes)\n" in sheet
    assert line_of(sheet, "Heat ").split() == ["20", "25", "25", "25", "10", "105"]
    assert line_of(sheet, "Jazz ").split() == ["25", "25", "25", "20", "15", "110"]
    assert sheet.splitlines()[5].endswith("end of regulation Heat 95, Jazz 95")


def test_overtime_is_shown_if_the_number_of_periods_is_unknown():
    sheet = fact_sheet(overtime_game(None))
    assert line_of(sheet, "Heat ").split() == ["20", "25", "25", "25", "10", "105"]
    assert "end of regulation Heat 95, Jazz 95" in sheet and "overtime" not in sheet


def test_missing_cells_are_question_marks():
    home = made_team("Jazz", True, 100, None, (25, 25, None, 25))
    visitor = made_team("Heat", False, 90, (3, 4), (20, 20, 30, 20))
    sheet = fact_sheet(GameFacts(made_game(home, visitor, [made_player("Jo One", True, PTS=None)])))
    assert line_of(sheet, "Jazz ").split() == ["25", "25", "?", "25", "100"]
    assert line_of(sheet, "Score ") == "after Q1 Heat 20, Jazz 25; halftime Heat 40, Jazz 50"
    assert "UTAH JAZZ: won, home team, record after the game ?-?\n" in sheet
    assert line_of(sheet, "Jo One").split()[:3] == ["?", "0", "?"] and "None" not in sheet
    assert "FG ?-? (0%)" in sheet  # shots of players who do not add up are not summed


def test_a_game_without_points_has_no_result():
    teams = made_team("Jazz", True, None), made_team("Heat", False, None)
    sheet = fact_sheet(GameFacts(made_game(*teams)))
    assert "UTAH JAZZ: result unknown, home team" in sheet and "None" not in sheet
    assert line_of(sheet, "Jazz ").split() == ["?"] * 5


def test_long_names_keep_the_columns_apart():
    players = [made_player("Kentavious Caldwell-Pope", True), idle_player("Jo Idle", True)]
    sheet = fact_sheet(GameFacts(made_game(made_team("Jazz", True, 100), made_team("Heat", False, 90), players)))
    assert "  Kentavious Caldwell-Pope ?           0    0" in sheet and "Idle" not in sheet
    head, row = [line for line in sheet.splitlines() if "MIN" in line or "Caldwell" in line][-2:]
    assert head.index("MIN") + len("MIN") == row.index("0") + 1


def test_season_is_shown_only_if_given(facts):
    assert "Season:" not in fact_sheet(facts) and "NEXT" not in fact_sheet(facts)
    results = [
        ("01_01_17", "Jazz", "Bulls", 90, 80),
        ("01_02_17", "Heat", "Jazz", 80, 90),
        ("01_04_17", "Jazz", "Heat", 100, 90),
        ("01_06_17", "Suns", "Jazz", 90, 80),
        ("01_07_17", "Heat", "Bulls", 90, 80),
    ]
    games = made_season(results)
    sheet = fact_sheet(GameFacts(games[2], Season(games)))
    jazz = (
        "Season: has won 3 in a row including this one; had won 2 in a row before this one; 2-0 at home; "
        "1-0 on the road; 2-0 against this opponent this season; NEXT: at the Phoenix Suns on Friday"
    )
    heat = (
        "Season: has lost 2 in a row including this one; 0-1 at home; 0-1 on the road; "
        "0-2 against this opponent this season; NEXT: at home against the Chicago Bulls on Saturday"
    )
    assert [line.strip() for line in sheet.splitlines() if "Season:" in line] == [heat, jazz]


def test_streaks_and_highs_of_players_are_remarks():
    days = [f"01_{day:02d}_17" for day in range(1, 8)]
    results = [(day, "Jazz", "Heat", 100, 90) for day in days]
    players = {day: [made_player("Jo One", True, PTS=20 + at, REB=10)] for at, day in enumerate(days)}
    games = made_season(results, players)
    remarks = "double-double, 7 double-doubles in a row, 7 games in a row with 20+ points, season-high PTS"
    assert fact_sheet(GameFacts(games[-1], Season(games))).rstrip().endswith(remarks)
    assert line_of(fact_sheet(GameFacts(games[0], Season(games))), "Jo One").endswith("  double-double")
