"""Facts from a season's other games against values computed by hand."""

from dataclasses import replace

import pytest

from modeling_stg.facts import Token
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Fixture, Season, player_key
from tests.helpers.made_games import made_game, made_player, made_season, made_team


# The Jazz: lost, won, won, won (at home, road, home, home), with the Heat twice
RESULTS = [
    ("11_01_16", "Jazz", "Heat", 90, 100),
    ("11_03_16", "Suns", "Jazz", 95, 101),
    ("11_04_16", "Jazz", "Bulls", 110, 100),
    ("11_07_16", "Jazz", "Heat", 103, 99),
    ("11_09_16", "Hawks", "Jazz", 80, 85),
]


def facts_of(games, index, **more) -> GameFacts:
    return GameFacts(games[index], Season(games, **more))


def values(facts, entity, *attributes) -> list[str | None]:
    return [facts.value(entity, attribute) for attribute in attributes]


def nights(*points: int, name="Al Jones", first=1, **numbers) -> list:
    """Games of the Jazz against the Suns on 1, 2, ... November, in which a player has these points."""
    days = [f"11_{day:02}_16" for day in range(first, first + len(points))]
    players = {day: [made_player(name, True, PTS=scored, **numbers)] for day, scored in zip(days, points, strict=True)}
    return made_season([(day, "Jazz", "Suns", 100, 90) for day in days], players)


def test_fourth_game_by_hand():
    facts = facts_of(made_season(RESULTS), 3)
    expected = {
        **{"TEAM-WIN_STREAK": "3", "TEAM-WIN_STREAK_BEFORE": "2", "TEAM-WIN_NTH": "third", "TEAM-LOSS_STREAK": None},
        **{"TEAM-WINS_LAST3": "3", "TEAM-WINS_LAST4": "3", "TEAM-LOSSES_LAST4": "1", "TEAM-GAMES_LAST4": "4"},
        **{"TEAM-WINS_LAST5": None, "TEAM-HOME_WINS": "2", "TEAM-HOME_LOSSES": "1"},
        **{"TEAM-ROAD_WINS": "1", "TEAM-ROAD_LOSSES": "0", "TEAM-AVG_PTS": "101"},  # 404 / 4
        **{"TEAM-MEETING_PTS": "90", "TEAM-MEETING_RESULT": "lost"},
        **{"TEAM-SERIES_WINS": "1", "TEAM-SERIES_LOSSES": "1"},
        **{"TEAM-LAST_OPPONENT": "Bulls", "TEAM-LAST_WEEKDAY": "Friday", "TEAM-LAST_RESULT": "won"},
        **{"TEAM-REST_DAYS": "2", "TEAM-NEXT_OPPONENT": "Hawks", "TEAM-NEXT_CITY": "Atlanta"},
        **{"TEAM-NEXT_WEEKDAY": "Wednesday", "TEAM-NEXT_PLACE": "road"},
    }
    assert {attribute: facts.value(0, attribute) for attribute in expected} == expected
    visitor = {"TEAM-MEETING_PTS": "100", "TEAM-MEETING_RESULT": "won", "TEAM-AVG_PTS": "100", "TEAM-REST_DAYS": "5"}
    assert {attribute: facts.value(1, attribute) for attribute in visitor} == visitor  # (100 + 99) / 2, half up
    assert values(facts, 1, "TEAM-HOME_WINS", "TEAM-HOME_LOSSES") == [None, None]  # no home game yet
    assert facts.get(1, "TEAM-NEXT_OPPONENT") is None


def test_first_game_has_no_average_and_no_streak():
    facts = facts_of(made_season(RESULTS), 0)
    assert values(facts, 0, "TEAM-AVG_PTS", "TEAM-LOSS_STREAK", "TEAM-LAST_OPPONENT", "TEAM-REST_DAYS") == [None] * 4
    assert values(facts, 0, "TEAM-HOME_LOSSES", "TEAM-SERIES_LOSSES") == ["1", "1"]


def test_back_to_back_is_no_day_of_rest():
    assert facts_of(made_season(RESULTS), 2).value(0, "TEAM-REST_DAYS") == "0"


def test_unknown_game_leaves_out_what_might_reach_it():
    games = made_season(RESULTS)
    facts = GameFacts(games[4], Season(game for game in games if game is not games[1]))
    assert values(facts, 1, "TEAM-WINS_LAST3", "TEAM-WINS_LAST4") == ["3", None]
    assert values(facts, 1, "TEAM-WIN_STREAK", "TEAM-ROAD_WINS", "TEAM-AVG_PTS", "TEAM-SERIES_WINS") == [None] * 4
    assert facts.value(1, "TEAM-LAST_OPPONENT") == "Heat"
    losers = GameFacts(games[3], Season([games[2], games[3]]))  # a streak of two reaches the gap, before it is unknown
    assert values(losers, 0, "TEAM-WIN_STREAK", "TEAM-WIN_STREAK_BEFORE") == [None, None]


@pytest.mark.parametrize("score", [None, 95], ids=["missing", "level"])
def test_unknown_result_is_neither_won_nor_lost(score):
    games = made_season(RESULTS)
    teams = [
        replace(team, values={**team.values, "TEAM-PTS": None if score is None else str(score)})
        for team in games[1].entities[:2]
    ]
    games[1] = replace(games[1], entities=tuple(teams))
    facts = facts_of(games, 2)
    assert values(facts, 0, "TEAM-LAST_RESULT", "TEAM-WINS_LAST2", "TEAM-HOME_WINS") == [None] * 3
    assert facts.value(0, "TEAM-LAST_OPPONENT") == "Suns"


def test_averages_round_half_up():
    facts = facts_of(nights(20, 21), 1)
    assert values(facts, 2, "AVG_PTS", "AVG_PTS_LAST2", "TOTAL_PTS_LAST2") == ["21", "21", "41"]
    assert values(facts_of(nights(20, 21, 20, 20), 3), 2, "AVG_PTS", "TOTAL_PTS_LAST3") == ["20", "61"]
    assert facts_of(nights(20), 0).get(2, "AVG_PTS") is None


def test_season_high_needs_five_earlier_games_and_no_tie():
    assert facts_of(nights(9, 8, 7, 6, 10), 4).get(2, "SEASON_HIGH_PTS") is None
    assert facts_of(nights(9, 8, 7, 6, 5, 10), 5).value(2, "SEASON_HIGH_PTS") == "season - high"
    assert facts_of(nights(9, 8, 10, 6, 5, 10), 5).get(2, "SEASON_HIGH_PTS") is None


def test_streaks_of_a_player():
    facts = facts_of(nights(19, 20, 25, 30, REB=10), 3)
    assert values(facts, 2, "TWENTY_STREAK", "DOUBLE_STREAK", "DOUBLE_COUNT") == ["3", "4", "4"]
    assert values(facts_of(nights(20, 19, REB=9), 1), 2, "TWENTY_STREAK", "DOUBLE_COUNT") == [None, None]


def test_traded_player_brings_his_games():
    players = {
        "11_01_16": [made_player("Al Jones", False, PTS=10)],
        "11_02_16": [made_player("Al Jones", True, PTS=20)],
    }
    games = made_season([("11_01_16", "Suns", "Heat", 90, 80), ("11_02_16", "Jazz", "Bulls", 90, 80)], players)
    average = facts_of(games, 1).get(2, "AVG_PTS")
    assert average.value == "15"
    token = Token("15", average, "digits").to_json(games[1])
    assert token["from"] == [
        {"entity": "Al Jones", "attribute": "PTS", "value": "20"},
        {"entity": "Al Jones", "attribute": "PTS", "value": "10", "date": "2016-11-01", "opponent": "Suns"},
    ]


@pytest.mark.parametrize(
    "one, other",
    [
        ("Luka Dončić", "Luka Doncic"),
        ("Larry Nance Jr.", "Larry Nance"),
        ("Derrick Jones, Jr.", "Derrick Jones Jr."),
        ("T.J. Warren", "TJ Warren"),
        ("Kyle O'Quinn", "Kyle OQuinn"),
        ("Karl-Anthony Towns", "Karl Anthony Towns"),
        ("Glenn Robinson III", "Glenn Robinson"),
        ("Enes Kanter", "Enes Freedom"),
    ],
)
def test_name_variants_are_one_player(one, other):
    assert player_key(one) == player_key(other)
    games = [*nights(10, name=one), *nights(10, 30, name=other)[1:]]
    assert facts_of(games, 1).value(2, "AVG_PTS") == "20"


def test_namesakes_in_part_are_two_players():
    assert len({player_key(name) for name in ("Marcus Morris", "Markieff Morris", "Chris Paul", "Jr.")}) == 4


def test_games_listed_twice_count_once():
    games = nights(10, 20, 40)
    facts = GameFacts(games[2], Season([*games, *games]))
    assert values(facts, 2, "AVG_PTS", "TOTAL_PTS_LAST3") == ["23", "70"]
    assert facts.value(0, "TEAM-WIN_STREAK") == "3"


def test_unknown_games_leave_out_a_players_last_games():
    games = nights(10, 20, 30, 40, 50)
    facts = GameFacts(games[4], Season(game for game in games if game is not games[1]))
    assert values(facts, 2, "TOTAL_PTS_LAST2", "TOTAL_PTS_LAST3", "TOTAL_PTS_LAST4") == ["90", "120", None]
    assert values(facts, 2, "AVG_PTS", "AVG_PTS_LAST5", "TWENTY_STREAK") == [None] * 3


def test_unknown_number_of_a_player_ends_nothing():
    games = nights(20, 25, 30, REB=12)
    blank = made_player("Al Jones", True, PTS=25, REB=None)
    games[1] = replace(games[1], entities=(*games[1].entities[:2], blank))
    facts = facts_of(games, 2)
    assert values(facts, 2, "DOUBLE_STREAK", "DOUBLE_COUNT", "AVG_REB") == [None] * 3
    assert facts.value(2, "AVG_PTS") == "25"


def series(*days: str, rival: str = "Heat", wins: int = 0) -> list:
    """Play-off games that the Jazz win, after `wins`."""
    return [
        made_game(
            made_team("Jazz", True, 100, (number, 0)),
            made_team(rival, False, 90, (0, number)),
            [made_player("Al Jones", True, PTS=10 * number)],
            day,
        )
        for number, day in enumerate(days, wins + 1)
    ]


def test_playoffs_have_no_season_averages():
    facts = facts_of(series("04_20_17", "04_22_17", "04_24_17"), 2)
    unknown = ("TEAM-AVG_PTS", "AVG_PTS", "TEAM-HOME_WINS", "TEAM-WIN_STREAK", "TEAM-SERIES_WINS", "SEASON_HIGH_PTS")
    assert values(facts, 0, *(name for name in unknown if name.startswith("TEAM-"))) == [None] * 4
    assert values(facts, 2, "AVG_PTS", "SEASON_HIGH_PTS") == [None, None]
    assert values(facts, 0, "TEAM-WINS_LAST3", "TEAM-LAST_OPPONENT") == ["3", "Heat"]
    assert values(facts, 2, "TOTAL_PTS_LAST3", "TOTAL_PTS_LAST4") == ["60", None]


def test_playoff_series_are_not_confused():
    """A sweep, then the next round: both have a game 1 within eleven days."""
    first = series("04_20_17", "04_22_17", "04_24_17", "04_26_17")
    second = series("04_28_17", "04_30_17", "05_02_17", "05_04_17", "05_06_17", rival="Bulls")
    season = Season([*first, *second])
    assert season.before(second[1], 0).games == (second[0],)
    assert season.next(first[3], 0) is None  # its fifth game is one of the next round
    without_its_first = Season([*first, *second[1:]])
    assert without_its_first.before(second[1], 0).games == ()


def test_next_game_across_the_break_and_at_the_end():
    def next_of(first, second):
        games = made_season([(first, "Jazz", "Heat", 90, 80), (second, "Bulls", "Jazz", 90, 80)])
        by_games = Season(games).next(games[0], 0)
        assert Season([], map(Fixture.of, games)).next(games[0], 0) == by_games
        return by_games and by_games.names

    assert next_of("02_15_17", "02_26_17") == ("Bulls", "Jazz")
    assert next_of("02_15_17", "02_27_17") is None
    games = made_season(RESULTS)
    assert facts_of(games, 4).get(1, "TEAM-NEXT_OPPONENT") is None


def test_fixtures_come_before_games():
    games = made_season(RESULTS)
    fixtures = [Fixture.of(game) for game in games]
    fixtures[4] = replace(fixtures[4], names=("Suns", "Jazz"), cities=("Phoenix", "Utah"))
    facts = facts_of(games, 3, fixtures=fixtures)
    assert values(facts, 0, "TEAM-NEXT_OPPONENT", "TEAM-NEXT_CITY") == ["Suns", "Phoenix"]
    assert facts.formula(facts.get(0, "TEAM-NEXT_PLACE")) == "next game at home or on the road: Jazz at Suns"
    source = Token("Suns", facts.get(0, "TEAM-NEXT_OPPONENT"), "text").to_json(games[3])["from"]
    assert source == [
        {"entity": "Suns", "attribute": "TEAM-NAME", "value": "Suns", "date": "2016-11-09", "opponent": "Jazz"}
    ]


def test_game_of_the_schedule_without_a_record_is_the_previous_one():
    """A cup final between two numbered games: the game before by record was not the last one played."""
    games = made_season(RESULTS)
    final = Fixture(games[1].date.replace(day=6), ("Jazz", "Suns"), ("Utah", "Phoenix"))
    season = Season(games, [*map(Fixture.of, games), final])
    assert GameFacts(games[3], season).get(0, "TEAM-LAST_OPPONENT") is None
    assert GameFacts(games[4], season).value(1, "TEAM-LAST_OPPONENT") == "Heat"


def test_without_a_season_or_a_record_there_are_no_facts_of_it():
    games = made_season(RESULTS)
    assert GameFacts(games[3]).get(0, "TEAM-WIN_STREAK") is None
    unnumbered = made_game(made_team("Jazz", True, 103), made_team("Heat", False, 99), day="11_07_16")
    facts = GameFacts(unnumbered, Season(games))
    assert values(facts, 0, "TEAM-WIN_STREAK", "TEAM-LAST_OPPONENT", "TEAM-NEXT_OPPONENT") == [None] * 3
