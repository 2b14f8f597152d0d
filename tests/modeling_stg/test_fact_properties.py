"""Properties of facts that hold for every game, on random leagues."""

import random
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from modeling_stg.fact_schema import FACT_KINDS, PLAYER_FACTS, TEAM_FACTS
from modeling_stg.facts import Token
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Fixture, Season
from tests.helpers.fact_oracle import RULES, recompute
from tests.helpers.random_league import random_league, swapped, without


randoms = st.integers(0, 2**32).map(random.Random)  # a league has too many draws for hypothesis to make each
few = settings(max_examples=25, deadline=None)
OF_PLACE = re.compile("TEAM-(PLACE|ARENA|HOME_.*|ROAD_.*)")


def values(facts: GameFacts) -> dict[tuple[int, str], str]:
    return {(fact.entity, fact.attribute): fact.value for fact in facts if fact.attribute in FACT_KINDS}


def last_game(draw, games=10) -> GameFacts:
    league = random_league(draw, games)
    return GameFacts(league[-1], Season(league))


@few
@given(randoms)
def test_sums(draw):
    facts = last_game(draw, 1)
    for team in (0, 1):
        number = lambda name: facts.number(team, f"TEAM-{name}")  # noqa: B023, E731
        quarters = [number(f"PTS_QTR{n}") for n in (1, 2, 3, 4)]
        assert number("PTS_H1") + number("PTS_H2") == sum(quarters)
        assert number("PTS_AFTER_Q3") + quarters[3] == number("PTS_H1") + number("PTS_H2")
        assert sum(quarters) + (number("PTS_OT") or 0) == number("PTS")
        assert number("PTS_BENCH") + number("PTS_STARTERS") == number("PTS")


@few
@given(randoms)
def test_margins_are_symmetric(draw):
    facts = last_game(draw, 1)
    pairs = [("TEAM-WON_BY", "TEAM-LOST_BY")]
    pairs += [(name, name.replace("LEAD", "DEFICIT")) for name in TEAM_FACTS if name.startswith("TEAM-LEAD_Q")]
    pairs += [(name, name.replace("WON", "LOST")) for name in TEAM_FACTS if name.startswith("TEAM-WON_BY_")]
    for more, less in pairs:
        for team in (0, 1):
            assert facts.value(team, more) == facts.value(1 - team, less)
            assert facts.get(team, more) is None or facts.get(1 - team, more) is None
            assert facts.get(team, more) is None or facts.get(team, less) is None
    for name in TEAM_FACTS:
        if name.endswith("_EDGE"):
            assert facts.get(0, name) is None or facts.get(1, name) is None


@few
@given(randoms)
def test_exchanging_home_and_visitor_exchanges_the_facts(draw):
    league = random_league(draw)
    other = [*league[:-1], swapped(league[-1])]
    direct, exchanged = (values(GameFacts(games[-1], Season(games))) for games in (league, other))
    expected = {(1 - entity if entity < 2 else entity, name): value for (entity, name), value in direct.items()}
    kept = [
        {key: value for key, value in each.items() if not OF_PLACE.match(key[1])} for each in (exchanged, expected)
    ]
    assert kept[0] == kept[1]
    assert [direct[team, "TEAM-PLACE"] for team in (0, 1)] == ["home", "road"]
    for team in (0, 1):  # together, home and road are the whole record
        for result in ("WINS", "LOSSES"):
            parts = [int(direct.get((team, f"TEAM-{place}_{result}"), 0)) for place in ("HOME", "ROAD")]
            assert sum(parts) == league[-1].entities[team].number(f"TEAM-{result}")


@settings(max_examples=15, deadline=None)
@given(randoms)
def test_values_follow_from_the_cells(draw):
    facts = last_game(draw, 16)
    for fact in facts:
        if fact.attribute in FACT_KINDS:
            assert recompute(fact, facts.game) == fact.value, fact.attribute


def test_every_attribute_has_one_rule():
    for attribute, kind in FACT_KINDS.items():
        found = [pattern for pattern in RULES if re.fullmatch(pattern, attribute)]
        assert len(found) == (kind.group != "feed"), attribute


@settings(max_examples=15, deadline=None)
@given(randoms)
def test_sources_lie_in_the_past_and_are_cells(draw):
    league = random_league(draw, 8)
    game = league[5]
    facts = GameFacts(game, Season(league))
    cells = {(game.date.isoformat(), entity.name, name): value for game in league for entity in game.entities
             for name, value in entity.values.items()}  # fmt: skip
    for fact in facts:
        listed = Token(fact.value, fact, "text").to_json(game)["from"]
        if fact.attribute not in FACT_KINDS:
            assert listed == []
            continue
        assert listed or fact.attribute == "TEAM-WEEKDAY"
        for source in listed:
            day = source.get("date", game.date.isoformat())
            assert cells[day, source["entity"], source["attribute"]] == source["value"]
            assert ("date" in source) is ("opponent" in source) is (day != game.date.isoformat())
            assert day <= game.date.isoformat() or fact.attribute.startswith("TEAM-NEXT_")


@settings(max_examples=40, deadline=None)
@given(randoms)
def test_a_missing_cell_changes_no_value(draw):
    """It leaves facts out, of this game and of later ones, but never makes another value."""
    league = random_league(draw, 7)
    whole = values(GameFacts(league[-1], Season(league)))
    at = draw.randrange(len(league))
    entity = draw.randrange(len(league[at].entities))
    known = [name for name, value in league[at].entities[entity].values.items() if value is not None]
    attribute = draw.choice([name for name in known if not name.endswith(("NAME", "CITY"))] or ["START_POSITION"])
    league[at] = without(league[at], entity, attribute)
    part = values(GameFacts(league[-1], Season(league)))
    assert part.items() <= whole.items()


@few
@given(randoms)
def test_an_unknown_game_changes_no_value(draw):
    league = random_league(draw)
    whole = values(GameFacts(league[-1], Season(league)))
    missing = draw.randrange(len(league) - 1)
    part = values(GameFacts(league[-1], Season([*league[:missing], *league[missing + 1 :]])))
    assert part.items() <= whole.items()


@few
@given(randoms)
def test_later_games_change_nothing_but_the_next_game(draw):
    league = random_league(draw)
    now = league[5]
    later = [
        swapped(game) if draw.random() < 0.5 else replace(game, entities=game.entities[:4]) for game in league[6:]
    ]
    seasons = [Season(league), Season(league[:6]), Season([*league[:6], *later])]
    seasons.append(Season(league[:5], map(Fixture.of, league[6:])))
    first, *others = (
        {key: value for key, value in values(GameFacts(now, season)).items() if "TEAM-NEXT_" not in key[1]}
        for season in seasons
    )
    assert all(other == first for other in others)


@few
@given(randoms)
def test_order_and_repetition_of_games_do_not_matter(draw):
    league = random_league(draw)
    mixed = draw.sample([*league, *league[:4]], len(league) + 4)
    assert values(GameFacts(league[-3], Season(mixed))) == values(GameFacts(league[-3], Season(league)))


@settings(max_examples=8, deadline=None)
@given(randoms)
def test_get_agrees_with_iteration(draw):
    league = random_league(draw, 16)
    season = Season(league)
    listed = {(fact.entity, fact.attribute): fact for fact in GameFacts(league[-1], season)}
    facts = GameFacts(league[-1], season)
    for entity in range(len(league[-1].entities)):
        for attribute in TEAM_FACTS if entity < 2 else PLAYER_FACTS:
            assert facts.get(entity, attribute) == listed.get((entity, attribute))
