"""Random leagues of a few games whose scores, quarters, players and records agree."""

import datetime
import random
from dataclasses import replace

from modeling_stg.box_score import Entity
from modeling_stg.game import Game
from tests.helpers.made_games import CITIES, idle_player, made_game, made_player, made_team


LEAGUE = ("Jazz", "Heat", "Suns", "Bulls")
ROSTER = 8
_STATISTICS = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "OREB", "REB", "AST", "STL", "BLK")


def random_league(
    draw: random.Random, games: int = 12, first: datetime.date = datetime.date(2016, 11, 1)
) -> list[Game]:
    """Games in the order of dates; two of the four teams play each other every one to three days."""
    records = {name: [0, 0] for name in LEAGUE}
    date, played = first, []
    waiting = list(LEAGUE)  # the one that has waited longest plays: no team rests for eleven days
    for _ in range(games):
        rested, *others = waiting
        rival = draw.choice(others)
        home, visitor = draw.sample((rested, rival), 2)
        waiting = [*(name for name in waiting if name not in (home, visitor)), home, visitor]
        overtimes = draw.choice((0, 0, 0, 1, 2))
        quarters = [[draw.randint(15, 35) for _ in range(4)] for _ in range(2)]
        if overtimes:  # level after four quarters
            quarters[1] = draw.sample(quarters[0], 4)
        finals = [sum(row) + (draw.randint(2, 20) if overtimes else 0) for row in quarters]
        if finals[0] == finals[1]:
            finals[0] += 1
            quarters[0][3] += 0 if overtimes else 1
        teams, players = [], []
        for side, name in enumerate((home, visitor)):
            records[name][finals[side] < finals[1 - side]] += 1
            record = (records[name][0], records[name][1])
            numbers = {column: draw.randint(10, 50) for column in ("REB", "AST", "TOV", "FG_PCT", "FG3_PCT", "FT_PCT")}
            teams.append(made_team(name, side == 0, finals[side], record, quarters[side], **numbers))
            players += _players(draw, name, side == 0, finals[side], 240 + 25 * overtimes)
        played.append(made_game(*teams, players, f"{date:%m_%d_%y}"))
        date += datetime.timedelta(days=draw.randint(1, 3))
    return played


def _players(draw: random.Random, team: str, is_home: bool, points: int, minutes: int) -> list[Entity]:
    names = [f"{team} Player{letter}" for letter in "ABCDEFGH"[:ROSTER]]
    cuts = sorted(draw.randint(0, points) for _ in range(ROSTER - 2))
    scored = [high - low for low, high in zip([0, *cuts], [*cuts, points], strict=True)]
    each, rest = divmod(minutes, ROSTER - 1)
    players = []
    for index, name in enumerate(names[:-1]):
        numbers = {column: draw.randint(0, 14) for column in _STATISTICS}
        numbers |= {"PTS": scored[index], "MIN": each + (rest if index == 0 else 0)}
        start = "G" if index < 5 else None
        players.append(made_player(name, is_home, CITIES[team], start, **numbers))
    return [*players, idle_player(names[-1], is_home, CITIES[team])]


def swapped(game: Game) -> Game:
    """The same game with home and visitor exchanged."""
    home, visitor, *players = (replace(entity, is_home=not entity.is_home) for entity in game.entities)
    return replace(game, entities=(visitor, home, *players), feed=game.feed[::-1])


def without(game: Game, entity: int, attribute: str) -> Game:
    """The game with one cell N/A."""
    blank = replace(game.entities[entity], values={**game.entities[entity].values, attribute: None})
    return replace(game, entities=(*game.entities[:entity], blank, *game.entities[entity + 1 :]))
