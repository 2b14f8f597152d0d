"""Reads seasons as hoopR publishes them (sportsdataverse/hoopR-nba-data, CC BY 4.0), and wehoop those of the WNBA.

A season is three tables: `player_box_YEAR`, `team_box_YEAR` and `nba_schedule_YEAR`, YEAR being the one in which it
ends; Parquet in a folder, or rows from anywhere. Records are counted here, because the feed of most years has none:
games won and lost after the game, in play-offs of the series. A game without a box score counts for the records, but
is left out; the final of the cup, which counts for nothing, is in the schedule alone.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from modeling_stg.arenas import courts
from modeling_stg.box_score import Entity
from modeling_stg.errors import StgError
from modeling_stg.feed import read_feed
from modeling_stg.game import Game
from modeling_stg.schema import PERCENTAGES, QUARTERS
from modeling_stg.season import Fixture, Season
from modeling_stg.validation import is_absent, read_date
from stg.converters.building import STARTER, percent


_SCHEDULE = re.compile(r"nba_schedule_(\d{4})\.parquet")
_REGULAR, _PLAYOFFS = 2, 3  # season types; others, as the play-in, do not count for the record
_FINAL, _POSTPONED = "STATUS_FINAL", "STATUS_POSTPONED"
_CUP_FINAL = "CC"
_SIDES = ("home", "away")
_LEAST_GAMES = 20  # of a league's team; all-star teams have one
_COUNTS = {
    **{"FGM": "field_goals_made", "FGA": "field_goals_attempted"},
    **{"FG3M": "three_point_field_goals_made", "FG3A": "three_point_field_goals_attempted"},
    **{"FTM": "free_throws_made", "FTA": "free_throws_attempted"},
    **{"OREB": "offensive_rebounds", "DREB": "defensive_rebounds", "AST": "assists"},
    **{"STL": "steals", "BLK": "blocks"},
}
_PLAYER = {
    **{"MIN": "minutes", "PTS": "points", "REB": "rebounds", "TO": "turnovers", "PF": "fouls"},
    **_COUNTS,
}
_TEAM = {"TEAM-REB": "total_rebounds", "TEAM-AST": "assists", "TEAM-TOV": "total_turnovers"}
_FEED = ("largest_lead", "points_in_paint", "fast_break_points", "turnover_points")
Row = Mapping[str, Any]
_MISSING = "-1"  # in the feed of a few games
_WHO = ("game_id", "team_name", "athlete_display_name", "athlete_position_abbreviation", "starter", "did_not_play")
_OPTIONAL = ("home_linescores", "away_linescores", "status_period", *_FEED)  # columns that some years lack
_COLUMNS = {  # what is read of each file
    "nba_schedule": (
        *("game_id", "game_date", "season_type", "status_type_name", "status_period", "type_abbreviation"),
        "venue_full_name",
        *("attendance", *(f"{side}_{name}" for side in _SIDES for name in ("name", "location", "winner"))),
        *("home_linescores", "away_linescores"),
    ),
    "team_box": (
        *("game_id", "team_name", "team_score", *_TEAM.values(), *_FEED),
        *(_COUNTS[column] for columns in PERCENTAGES.values() for column in columns),
    ),
    "player_box": (*_WHO, *_PLAYER.values()),
}
PLAYER_COLUMNS = [*_WHO, *_PLAYER.values()]
_WHOLE_NUMBERS = frozenset(
    ("game_id", "season_type", "status_period", "attendance", "home_score", "away_score", "team_score")
)
_TRUTH_VALUES = frozenset(("home_winner", "away_winner", "starter", "did_not_play"))


def is_hoopr(folder: str | Path) -> bool:
    """Whether a folder holds seasons of hoopR."""
    return Path(folder).is_dir() and any(_SCHEDULE.fullmatch(path.name) for path in Path(folder).iterdir())


def read_hoopr(folder: str | Path, years: Iterable[int] | None = None) -> Season:
    """Reads seasons of hoopR.

    Args:
        folder: holds the three Parquet files of each season.
        years: the years in which the seasons end; all that the folder has by default. A year whose files are
            missing raises an StgError.

    Returns:
        The games and the whole schedule.

    Example:
        >>> season = read_hoopr("hoopr", years=[2017])
    """
    games, fixtures = hoopr_games(folder, years)
    return Season(games, fixtures)


def hoopr_games(folder: str | Path, years: Iterable[int] | None = None) -> tuple[list[Game], list[Fixture]]:
    """The games that were played, in the order of dates, and the whole schedule."""
    games: list[Game] = []
    fixtures: list[Fixture] = []
    if years is None:
        years = [int(match[1]) for path in Path(folder).iterdir() if (match := _SCHEDULE.fullmatch(path.name))]
    for year in tqdm(sorted(set(years)), desc="reading seasons", unit="season", leave=False, delay=1, disable=None):
        of_year = _Year(*(_read(Path(folder), name, year).to_pylist() for name in _COLUMNS))
        games += of_year.games
        fixtures += of_year.fixtures
    return games, fixtures


def ship_hoopr(folder: str | Path, output: str | Path, years: Iterable[int]) -> None:
    """Writes the columns that `read_hoopr` reads, as small Parquet files."""
    for year in years:
        for name in _COLUMNS:
            table = _read(Path(folder), name, year).replace_schema_metadata(None)
            path = Path(output) / f"{name}_{year}.parquet"
            pq.write_table(table, path, compression="zstd", compression_level=19, store_schema=False)


def games_of_tables(
    schedule: Iterable[Row], teams: Iterable[Row], players: Iterable[Row]
) -> tuple[list[Game], list[Fixture]]:
    """The same from rows of the three tables, which may be texts (from CSV) and of several seasons."""
    seasons: dict[int, tuple[list[Row], list[Row], list[Row]]] = defaultdict(lambda: ([], [], []))
    for number, rows in enumerate((schedule, teams, players)):
        for row in rows:
            seasons[int(row["season"])][number].append(_typed(row))
    games: list[Game] = []
    fixtures: list[Fixture] = []
    for _, tables in sorted(seasons.items()):
        of_year = _Year(*tables)
        games += of_year.games
        fixtures += of_year.fixtures
    return games, fixtures


def _typed(row: Row) -> dict[str, Any]:
    """A row with the types of the Parquet files: texts of a CSV become numbers, truth values and dates."""
    typed = {name: None if is_absent(value) else value for name, value in row.items()}
    for name in _WHOLE_NUMBERS.intersection(typed):
        value = typed[name]
        typed[name] = None if value is None else int(float(value))
    for name in _TRUTH_VALUES.intersection(typed):
        typed[name] = str(typed[name]).lower() in ("true", "1")
    if "game_date" in typed:
        typed["game_date"] = read_date(typed["game_date"])
    return typed


class _Year:
    """The games of one season; `records` counts wins and losses as the games are read in order."""

    def __init__(self, schedule: Iterable[Row], teams: Iterable[Row], players: Iterable[Row]):
        schedule = list(schedule)
        counts = Counter(row[f"{side}_name"] for row in schedule for side in _SIDES)
        schedule = [
            row
            for row in sorted(schedule, key=lambda row: row["game_date"])
            if row["status_type_name"] != _POSTPONED
            and min(counts[row["home_name"]], counts[row["away_name"]]) >= _LEAST_GAMES
        ]
        self.teams: dict[tuple[int, str], Mapping[str, Any]] = {}
        for row in teams:
            self.teams[row["game_id"], row["team_name"]] = row
        self.players: dict[tuple[int, str], list[Mapping[str, Any]]] = defaultdict(list)
        for row in players:
            self.players[row["game_id"], row["team_name"]].append(row)
        self.records: Counter[tuple[Any, ...]] = Counter()
        self.fixtures = [
            Fixture(
                row["game_date"], (row["home_name"], row["away_name"]), (row["home_location"], row["away_location"])
            )
            for row in schedule
        ]
        self.games = [game for row in schedule if (game := self._game(row)) is not None]

    def _game(self, row: Mapping[str, Any]) -> Game | None:
        number, names = row["game_id"], (row["home_name"], row["away_name"])
        if row["type_abbreviation"] == _CUP_FINAL:
            return None
        self._count(row, names)
        if any((number, name) not in self.teams or not self.players[number, name] for name in names):
            return None
        teams = []
        for side, name in enumerate(names):
            wins, losses = (self.records[self._key(row, name, names[1 - side]), won] for won in (True, False))
            values = self._team_values(self.teams[number, name], row, _SIDES[side])
            values |= {"TEAM-WINS": str(wins), "TEAM-LOSSES": str(losses)}
            teams.append(Entity(name, True, side == 0, values))
        players = [
            _player(player, side == 0, row[f"{_SIDES[side]}_location"])
            for side in (1, 0)
            for player in self.players[number, names[side]]
        ]
        date = row["game_date"]
        court = courts(names[0], date, row["venue_full_name"])  # the feed has the present name of a building
        feed: dict[str, Any] = {"venue": court[0] if court else None, "attendance": row["attendance"] or None}
        if row["status_type_name"] == _FINAL and (row.get("status_period") or 0) >= len(QUARTERS):
            feed["overtimes"] = int(row["status_period"]) - len(QUARTERS)
        for key, name in zip(("home", "vis"), names, strict=True):
            values = {field: self.teams[number, name].get(field) for field in _FEED}
            feed[key] = {field: value for field, value in values.items() if str(value) != _MISSING}
        game_id = f"{date:%m_%d_%y}-{names[1]}-{names[0]}".replace(" ", "_")
        return Game(game_id, f"{date:%m_%d_%y}", (*teams, *_distinct(players)), read_feed(feed, f"{game_id}."))

    @staticmethod
    def _key(row: Mapping[str, Any], name: str, opponent: str) -> tuple[str, ...]:
        return (name, opponent) if row["season_type"] == _PLAYOFFS else (name,)

    def _count(self, row: Mapping[str, Any], names: tuple[str, str]) -> None:
        if row["status_type_name"] == _FINAL and row["season_type"] in (_REGULAR, _PLAYOFFS):
            for side, name in enumerate(names):
                self.records[self._key(row, name, names[1 - side]), row[f"{_SIDES[side]}_winner"]] += 1

    @staticmethod
    def _team_values(team: Mapping[str, Any], row: Mapping[str, Any], prefix: str) -> dict[str, str | None]:
        values: dict[str, str | None] = {
            "TEAM-NAME": row[f"{prefix}_name"],
            "TEAM-CITY": row[f"{prefix}_location"],
            "TEAM-PTS": _whole(team["team_score"]),
        }
        values |= _quarters(row.get(f"{prefix}_linescores"))
        for name, (made, tried) in PERCENTAGES.items():
            values[f"TEAM-{name}"] = _percentage(team[_COUNTS[made]], team[_COUNTS[tried]])
        return values | {attribute: _whole(team[column]) for attribute, column in _TEAM.items()}


def _player(row: Mapping[str, Any], is_home: bool, city: str) -> Entity:
    name = " ".join(row["athlete_display_name"].split())
    first, _, second = name.partition(" ")
    numbers = {attribute: _whole(row[column]) for attribute, column in _PLAYER.items()}
    for attribute, (made, tried) in PERCENTAGES.items():
        numbers[attribute] = _percentage(row[_COUNTS[made]], row[_COUNTS[tried]])
    if row["did_not_play"] or row["minutes"] is None:
        numbers = dict.fromkeys(numbers)
    position = (row["athlete_position_abbreviation"] or "")[-1:] or STARTER if row["starter"] else None
    values = {"FIRST_NAME": first, "SECOND_NAME": second or None, "TEAM_CITY": city, "START_POSITION": position}
    return Entity(name, False, is_home, {**values, **numbers})


def _distinct(players: list[Entity]) -> list[Entity]:
    """Players by name, each once: the feed lists a few twice, once without numbers."""
    kept: dict[str, Entity] = {}
    for player in players:
        if player.name not in kept or player.did_play:
            kept[player.name] = player
    return list(kept.values())


def _read(folder: Path, name: str, year: int) -> pa.Table:
    path = folder / f"{name}_{year}.parquet"
    if not path.is_file():
        raise StgError(f"{path}: is missing; a season needs player_box, team_box and nba_schedule of its year")
    try:
        known = pq.read_schema(path).names
        wanted = [column for column in dict.fromkeys(_COLUMNS[name]) if column in known or column not in _OPTIONAL]
        return pq.read_table(path, columns=wanted)
    except (OSError, pa.ArrowException) as error:
        raise StgError(f"{path}: cannot be read ({' '.join(str(error).split()):.200}); download it again") from None


def _whole(value: Any) -> str | None:
    return None if value is None else str(int(float(value)))


def _percentage(made: Any, tried: Any) -> str | None:
    return None if made is None or tried is None else percent(int(float(made)), int(float(tried)))


def _quarters(text: str | None) -> dict[str, str | None]:
    """The first four periods of a line score, which the feed stores as the text of a list of objects."""
    periods = ast.literal_eval(re.sub(r"\}\s+\{", "}, {", text)) if text else []
    if len(periods) < len(QUARTERS):
        return dict.fromkeys(QUARTERS)
    return {quarter: _whole(period["value"]) for quarter, period in zip(QUARTERS, periods, strict=False)}
