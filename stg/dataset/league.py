"""The sample league: a fictional season, simulated from a seed, with recaps by four writers.

Every shot, free throw, rebound and turnover is credited to a player, so points, quarters and totals agree by
construction. When all games are played, `league_text` writes the recaps. The command is `stg league`.
"""

import datetime
import functools
import itertools
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import NOT_AVAILABLE, PLAYER_NUMBERS
from modeling_stg.season import Season
from stg.dataset import league_names, league_text
from stg.dataset.card import BUILD_FOLDER


SEED = 7
OUTPUT = BUILD_FOLDER / "sample"
SPLITS = {"train": 400, "validation": 60, "test": 60}
ROSTER, DRESSED = 15, 13
FIRST_DAY = datetime.date(2024, 10, 22)
LINEUP = ("F", "F", "C", "G", "G")
COUNTED = ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "OREB", "DREB", "AST", "TO", "STL", "BLK", "PF")


@dataclass
class Player:
    """A player's talents, constant over the season: weights, and probabilities per shot."""

    first: str
    second: str
    position: str
    quality: float
    usage: float
    three_rate: float
    two: float
    three: float
    free: float
    rebounding: float
    passing: float
    stealing: float
    blocking: float

    @property
    def name(self) -> str:
        return f"{self.first} {self.second}".strip()


@dataclass
class Team:
    city: str
    name: str
    roster: list[Player]
    strength: float
    wins: int = 0
    losses: int = 0


@dataclass
class Side:
    """One team in one game."""

    team: Team
    dressed: list[Player]
    starters: list[Player]
    minutes: dict[str, float]
    form: dict[str, float]
    stats: dict[str, dict[str, int]]
    quarters: list[int] = field(default_factory=list)
    odds: dict[str, list[float]] = field(default_factory=dict)  # cumulative weights of `playing`, by talent

    @functools.cached_property
    def playing(self) -> list[Player]:
        return [player for player in self.dressed if player.name in self.minutes]

    @property
    def points(self) -> int:
        return sum(self.quarters)

    def pick(self, generator: random.Random, talent: str) -> Player:
        """Draws a player, weighted by minutes and talent."""
        if talent not in self.odds:
            weights = (self.minutes[player.name] * vars(player)[talent] for player in self.playing)
            self.odds[talent] = list(itertools.accumulate(weights))
        return generator.choices(self.playing, cum_weights=self.odds[talent])[0]

    def foul(self, generator: random.Random) -> None:
        """Credits a foul to a player who has fewer than six."""
        eligible = [player for player in self.playing if self.stats[player.name]["PF"] < 6]
        self.book(generator.choices(eligible, [self.minutes[player.name] for player in eligible])[0], "PF")

    def book(self, player: Player, *columns: str) -> None:
        for column in columns:
            self.stats[player.name][column] += 1


def league(seed: int = SEED, progress: bool = False) -> dict[str, list[dict]]:
    """The rows of every split; a seed always gives the same rows."""
    from stg.dataset import schema  # imports datasets and torch

    generator = random.Random(seed)
    teams = _teams(generator)
    schedule = _schedule(generator, count := sum(SPLITS.values()))
    # Each block of 26 games is split 20 : 3 : 3 and each split deals its writers in shuffled fours, so that neither
    # depends on date or team.
    splits: list[str] = []
    while len(splits) < count:
        block = ["train"] * 20 + ["validation"] * 3 + ["test"] * 3
        generator.shuffle(block)
        splits += block
    hands: dict[str, list[str]] = {split: [] for split in SPLITS}
    rows: dict[str, list[dict]] = {split: [] for split in SPLITS}
    games = [_game(day, teams[home], teams[visitor], generator) for day, home, visitor in schedule]
    season = Season(games)  # all games are known, so that each game's next one is in the season too
    for game, split in tqdm(zip(games, splits, strict=True), total=count, desc="games", disable=not progress):
        if not hands[split]:
            hands[split] = generator.sample(league_text.WRITERS, len(league_text.WRITERS))
        writer = hands[split].pop()
        summary, mentions = league_text.write(GameFacts(game, season), writer, generator)
        rows[split].append(schema.row(game, summary, writer, split, len(rows[split]), mentions))
    return rows


def _teams(generator: random.Random) -> list[Team]:
    names = league_names.players(ROSTER * len(league_names.TEAMS), generator)
    teams = []
    for city, name in league_names.TEAMS:
        roster = []
        for number in range(ROSTER):
            first, second = names.pop()
            roster.append(_player(first, second, LINEUP[number % 5], number, generator))
        teams.append(Team(city, name, roster, generator.gauss(0, 0.014)))
    return teams


def _player(first: str, second: str, position: str, number: int, generator: random.Random) -> Player:
    """Numbers 0 to 4 usually start, 5 to 9 come off the bench, the rest rarely play."""
    big, guard = position == "C", position == "G"
    star = 0.45 if number in (0, 4) else 0.0
    usage = (1.0 + star if number < 5 else 0.9) * generator.uniform(0.75, 1.3)
    return Player(
        first=first,
        second=second,
        position=position,
        quality=10.0 - number + generator.uniform(-0.4, 0.4),
        usage=usage,
        three_rate=generator.uniform(0.0, 0.12) if big else generator.uniform(0.15, 0.5),
        two=generator.gauss(0.56 if big else 0.49, 0.025),
        three=generator.gauss(0.36, 0.025),
        free=generator.gauss(0.68 if big else 0.79, 0.06),
        rebounding=(2.2 if big else 0.6 if guard else 1.2) * generator.uniform(0.7, 1.4),
        passing=(2.2 if guard else 0.5 if big else 0.8) * generator.uniform(0.5, 1.5),
        stealing=(1.4 if guard else 0.8) * generator.uniform(0.4, 1.7),
        blocking=(2.6 if big else 0.3 if guard else 0.9) * generator.uniform(0.4, 1.6),
    )


def _schedule(generator: random.Random, count: int) -> list[tuple[datetime.date, int, int]]:
    """(day, home, visitor) of repeated round robins, each round spread over two days."""
    circle = list(range(len(league_names.TEAMS)))
    half = len(circle) // 2
    games: list[tuple[datetime.date, int, int]] = []
    day = FIRST_DAY
    while len(games) < count:
        pairs = list(zip(circle[:half], reversed(circle[half:]), strict=True))
        generator.shuffle(pairs)
        matches = []
        for number, pair in enumerate(pairs):
            home, visitor = generator.sample(pair, 2)
            matches.append((day + datetime.timedelta(days=number % 2), home, visitor))
        games += sorted(matches)
        circle = [circle[0], circle[-1], *circle[1:-1]]
        day += datetime.timedelta(days=2)
    return games[:count]


def _side(team: Team, generator: random.Random) -> Side:
    absent = generator.sample(team.roster, ROSTER - DRESSED)
    dressed = sorted((player for player in team.roster if player not in absent), key=lambda player: -player.quality)
    starters = []
    for position in LINEUP:
        starters.append(next(player for player in dressed if player.position == position and player not in starters))
    bench = [player for player in dressed if player not in starters]
    rotation = bench[: generator.randint(4, 6)]
    minutes = {player.name: generator.uniform(27, 37) for player in starters}
    minutes |= {player.name: generator.uniform(22, 25) - 3.2 * rank for rank, player in enumerate(rotation)}
    form = {player.name: generator.gauss(0, 0.03) for player in dressed}
    stats = {name: dict.fromkeys(COUNTED, 0) for name in minutes}
    return Side(team, starters + bench, starters, minutes, form, stats)


def _game(day: datetime.date, home_team: Team, visiting_team: Team, generator: random.Random) -> Game:
    home, visitor = _side(home_team, generator), _side(visiting_team, generator)
    sides = (home, visitor)
    overtimes = 0
    while len(home.quarters) < 4 or home.points == visitor.points:
        overtimes = max(0, len(home.quarters) - 3)
        before = {side.team.name: side.points for side in sides}
        for side, other, edge in ((home, visitor, 0.012), (visitor, home, 0.0)):
            chance = edge + side.team.strength - other.team.strength
            chance += 0.004 * (27 * len(side.quarters) - side.points)  # regression to the mean
            if len(visitor.quarters) == 3:
                chance += 0.003 * (before[other.team.name] - before[side.team.name])  # a comeback in the fourth
            side.quarters.append(_period(side, other, chance, 1.0 if len(side.quarters) < 4 else 0.4, generator))
    for side, other in (sides, sides[::-1]):
        won = side.points > other.points
        side.team.wins += won
        side.team.losses += not won
    data: dict[str, Any] = {
        "game_id": f"{day:%Y%m%d}-{visiting_team.name}-{home_team.name}".replace(" ", "_"),
        "day": f"{day:%m_%d_%y}",
        "box_score": [row for side in (visitor, home) for row in _box(side, overtimes)],
    }
    for prefix, side in (("home", home), ("vis", visitor)):
        data |= {f"{prefix}_name": side.team.name, f"{prefix}_city": side.team.city, f"{prefix}_line": _line(side)}
    return Game.from_json(data)


def _period(side: Side, other: Side, edge: float, share: float, generator: random.Random) -> int:
    """Simulates one team's quarter, or overtime (`share` of a quarter), and returns its points."""
    points = 0
    for _ in range(round(generator.gauss(21.5, 1.6) * share)):
        shooter = side.pick(generator, "usage")
        three = generator.random() < shooter.three_rate
        chance = (shooter.three if three else shooter.two) + side.form[shooter.name] + edge
        side.book(shooter, "FGA", *(["FG3A"] if three else []))
        if generator.random() < chance:
            side.book(shooter, "FGM", *(["FG3M"] if three else []))
            points += 3 if three else 2
            if generator.random() < 0.58:
                passer = side.pick(generator, "passing")
                while passer is shooter:
                    passer = side.pick(generator, "passing")
                side.book(passer, "AST")
            continue
        if not three and generator.random() < 0.11:
            other.book(other.pick(generator, "blocking"), "BLK")
        if generator.random() < 0.23:
            side.book(side.pick(generator, "rebounding"), "OREB")
        else:
            other.book(other.pick(generator, "rebounding"), "DREB")
    for _ in range(round(generator.gauss(2.9, 1.0) * share)):
        shooter = side.pick(generator, "usage")
        other.foul(generator)
        for _ in range(2):
            made = generator.random() < shooter.free
            side.book(shooter, "FTA", *(["FTM"] if made else []))
            points += made
    for _ in range(round(generator.gauss(2.0, 1.0) * share)):
        other.foul(generator)
    for _ in range(max(0, round(generator.gauss(3.4, 1.0) * share))):
        side.book(side.pick(generator, "usage"), "TO")
        if generator.random() < 0.55:
            other.book(other.pick(generator, "stealing"), "STL")
    return points


def _box(side: Side, overtimes: int) -> list[dict[str, str]]:
    minutes = _whole_minutes(side.minutes, 240 + 25 * overtimes, 48 + 5 * overtimes)
    rows = []
    for player in side.dressed:
        row = dict.fromkeys(PLAYER_NUMBERS, NOT_AVAILABLE)
        if player.name in minutes:
            counts = side.stats[player.name]
            row |= {column: str(value) for column, value in counts.items()} | _percentages(counts)
            row["MIN"] = str(minutes[player.name])
            row["PTS"] = str(2 * counts["FGM"] + counts["FG3M"] + counts["FTM"])
            row["REB"] = str(counts["OREB"] + counts["DREB"])
        position = player.position if player in side.starters else NOT_AVAILABLE
        who = {"PLAYER_NAME": player.name, "FIRST_NAME": player.first, "SECOND_NAME": player.second or NOT_AVAILABLE}
        rows.append(who | {"TEAM_CITY": side.team.city, "START_POSITION": position} | row)
    return rows


def _line(side: Side) -> dict[str, str]:
    total = {column: sum(stats[column] for stats in side.stats.values()) for column in COUNTED}
    line = {"WINS": side.team.wins, "LOSSES": side.team.losses, "PTS": side.points} | _percentages(total)
    line |= {f"PTS_QTR{number}": points for number, points in enumerate(side.quarters[:4], 1)}
    line |= {"REB": total["OREB"] + total["DREB"], "AST": total["AST"], "TOV": total["TO"]}
    line |= {"NAME": side.team.name, "CITY": side.team.city}
    return {f"TEAM-{column}": str(value) for column, value in line.items()}


def _percentages(counts: dict[str, int]) -> dict[str, str]:
    """Percentages, rounded half up; 0 without an attempt, as in RotoWire."""
    pairs = {"FG_PCT": ("FGM", "FGA"), "FG3_PCT": ("FG3M", "FG3A"), "FT_PCT": ("FTM", "FTA")}
    return {
        name: str((200 * counts[made] + counts[tried]) // (2 * counts[tried] or 1))
        for name, (made, tried) in pairs.items()
    }


def _whole_minutes(minutes: dict[str, float], total: int, most: int) -> dict[str, int]:
    """Rounds minutes so that they add up to `total`; each is between 1 and `most`."""
    scale = total / sum(minutes.values())
    whole = {name: min(most, max(1, int(value * scale))) for name, value in minutes.items()}
    by_remainder = sorted(minutes, key=lambda name: -(minutes[name] * scale % 1))
    while sum(whole.values()) != total:
        step = 1 if sum(whole.values()) < total else -1
        name = next(name for name in by_remainder if 1 <= whole[name] + step <= most)
        by_remainder.append(by_remainder.pop(by_remainder.index(name)))
        whole[name] += step
    return whole


def save(splits: dict[str, list[dict]], folder: Path) -> None:
    """Writes a Parquet file per split, each to a temporary name first: a failure keeps the old files."""
    import datasets

    from stg.dataset import schema

    folder.mkdir(parents=True, exist_ok=True)
    drafts = {split: folder / f".{split}.{os.getpid()}.parquet" for split in splits}
    try:
        for split, rows in splits.items():
            datasets.Dataset.from_list(rows, features=schema.FEATURES).to_parquet(drafts[split])
        for split, path in drafts.items():
            path.replace(folder / f"{split}.parquet")
    finally:
        for path in drafts.values():
            path.unlink(missing_ok=True)
