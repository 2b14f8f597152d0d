"""The field `feed` of a game: reading, writing, and what is said about mistakes."""

import pytest

from modeling_stg.errors import GameError, GameWarning
from modeling_stg.feed import NO_FEED, feed_json, read_feed
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts


FEED = {
    **{"venue": "Madison Square Garden", "attendance": 19812, "lead_changes": "9", "ties": 5},
    "home": {"largest_lead": 17, "points_in_paint": "50", "fast_break_points": 10, "turnover_points": 12.0},
    "vis": {"largest_lead": 4},
}


def test_values_by_team():
    home, visitor = read_feed(FEED, "")
    of_game = {
        **{"TEAM-VENUE": "Madison Square Garden", "TEAM-ATTENDANCE": "19812"},
        **{"TEAM-LEAD_CHANGES": "9", "TEAM-TIES": "5"},
    }
    of_home = {
        **{"TEAM-LARGEST_LEAD": "17", "TEAM-PTS_PAINT": "50"},
        **{"TEAM-PTS_FAST_BREAK": "10", "TEAM-PTS_OFF_TOV": "12"},
    }
    assert home == of_game | of_home
    assert visitor == of_game | {"TEAM-LARGEST_LEAD": "4"}


@pytest.mark.parametrize("feed", [FEED, {"venue": "Moda Center"}, {"vis": {"largest_lead": 0}}, {}, None])
def test_round_trip(paper, feed):
    game = Game.from_json({**paper, "feed": feed})
    assert Game.from_json(game.to_json()) == game
    assert read_feed(feed_json(game.feed), "") == game.feed
    assert ("feed" in game.to_json()) is bool(feed)


@pytest.mark.parametrize("absent", [None, "N/A", ""])
def test_absent_fields_are_no_facts(paper, absent):
    feed = {"venue": absent, "attendance": absent, "home": {"largest_lead": absent}, "vis": None}
    assert read_feed(feed, "") == NO_FEED
    assert GameFacts({**paper, "feed": feed}).get(0, "TEAM-VENUE") is None


@pytest.mark.parametrize(
    "feed, message",
    [
        ([], "games[2].feed: expected an object, got a list"),
        ({"home": 3}, "games[2].feed.home: expected an object, got a number"),
        ({"venue": 7}, "games[2].feed.venue: 7 is a number; a name is a string"),
        ({"attendance": "many"}, "games[2].feed.attendance: 'many' is not a whole number; write digits, or 'N/A'"),
        (
            {"attendance": 200_001},
            "games[2].feed.attendance: 200001 is out of range; it must lie between 0 and 200000",
        ),
        ({"vis": {"largest_lead": -1}}, "games[2].feed.vis.largest_lead: -1 is out of range"),
    ],
)
def test_mistakes_name_place_value_and_remedy(feed, message):
    with pytest.raises(GameError) as error:
        read_feed(feed, "games[2].")
    assert message in str(error.value)


def test_unknown_fields_warn():
    with pytest.warns(GameWarning, match="feed: unknown columns ignored: mascot"):
        assert read_feed({"mascot": "none"}, "") == NO_FEED
    with pytest.warns(GameWarning, match="feed.vis: unknown columns ignored: smallest_lead"):
        read_feed({"vis": {"smallest_lead": 1}}, "")
