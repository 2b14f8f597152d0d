"""A game: its teams and players with their box-score values.

`Game.from_json` reads both RotoWire's JSON (columns of players keyed by "0", "1", ...) and a row of
`load_dataset("rotowire_modified")` (a list of players); a `feed` may come with either (`feed.py`). Invalid input
raises a `GameError` with a line for each problem: the place, the value and the remedy. Other sources' shapes are
converted by `stg.converters`.
"""

import datetime
import functools
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from .box_score import Entity, read_players, read_team
from .consistency import disagreements
from .errors import GameError, GameWarning
from .facts import Fact
from .feed import NO_FEED, Feed, feed_json, read_feed, read_periods
from .schema import NOT_AVAILABLE
from .shapes import CONVERTED, shape_of
from .validation import Problems, json_type, read_date, read_game_id, show


_GAME_FIELDS = ("day", "home_name", "home_city", "vis_name", "vis_city", "home_line", "vis_line", "box_score")
_NEEDED_FIELDS = ("day", "home_line", "vis_line", "box_score")  # the others repeat what the lines say


@runtime_checkable
class HasJson(Protocol):
    """A `Game` of any copy of this module: code loaded from the Hub brings its own."""

    def to_json(self) -> dict[str, Any]: ...


@runtime_checkable
class HasGame(Protocol):
    """A `GameFacts`, which brings a game and its season (`game_facts.py`)."""

    game: Any


@dataclass(frozen=True)
class Game:
    """One game.

    Args:
        game_id: unique among games; `from_json` makes one from day and teams if there is none.
        day: the date as MM_DD_YY.
        entities: the home team, the visiting team, then the players in the given order.
        feed: what richer feeds add, by attribute, for the home and the visiting team.

    Example:
        >>> [game] = read_games("examples/bucks_at_knicks.json")
        >>> game.home.name, game.home.values["TEAM-PTS"]
        ('Knicks', '104')
    """

    game_id: str
    day: str
    entities: tuple[Entity, ...]
    feed: Feed = NO_FEED

    @property
    def home(self) -> Entity:
        return self.entities[0]

    @property
    def visitor(self) -> Entity:
        return self.entities[1]

    @property
    def players(self) -> tuple[Entity, ...]:
        return self.entities[2:]

    @property
    def date(self) -> datetime.date:
        return _parse_day(self.day)

    @property
    def names(self) -> list[str]:
        return [entity.name for entity in self.entities]

    def team_of(self, entity: int) -> int:
        """Position of the team that an entity is, or plays for."""
        return 0 if self.entities[entity].is_home else 1

    def position(self, name: str) -> int:
        """Position of the entity called `name`."""
        for position, entity in enumerate(self.entities):
            if entity.name == name:
                return position
        raise GameError(f"game {self.game_id}: {name!r} is no team or player of this game; use one of {self.names}")

    def facts(self) -> list[Fact]:
        """Every cell that holds a value, entity by entity."""
        return [
            Fact(position, attribute, value)
            for position, entity in enumerate(self.entities)
            for attribute, value in entity.values.items()
            if value is not None
        ]

    @classmethod
    def from_json(cls, data: Any, place: str = "") -> "Game":
        """Reads and validates a game.

        Args:
            data: RotoWire's JSON of one game, or a row of the dataset.
            place: prefix of the field names in errors, such as "games[3].".

        Returns:
            The game. Totals that do not add up give a `GameWarning`.
        """
        game = cls._parse(data, place)
        overtimes = game.feed[0].get("TEAM-OVERTIMES")
        known = None if overtimes is None else int(overtimes)
        for complaint in disagreements(game.home, game.visitor, game.players, known):
            warnings.warn(f"{place}{complaint}", GameWarning, stacklevel=2)
        return game

    @classmethod
    def _parse(cls, data: Any, place: str) -> "Game":
        if not isinstance(data, Mapping):
            raise GameError(
                f"{place.removesuffix('.') or 'game'}: expected the game's object, got a {json_type(data)}"
            )
        if shape_of(data) in CONVERTED:
            where = place.removesuffix(".").removesuffix(": ") or "game"
            raise GameError(f"{where}: is {shape_of(data)}, not RotoWire's JSON; convert it with `stg convert`")
        problems = Problems()
        for field in _NEEDED_FIELDS:
            if field not in data:
                problems.add(f"{place}{field}: missing; a game needs {', '.join(_GAME_FIELDS)}")
        problems.raise_if_any()
        date = read_date(data["day"])
        if date is None:
            problems.add(
                f"{place}day: {show(data['day'])} is not a date; write it as '01_04_17', '2017-01-04' or '01/04/2017'"
            )
        home = read_team(data, "home", place, problems)
        visitor = read_team(data, "vis", place, problems)
        if home and visitor and home.name == visitor.name != "":
            problems.add(f"{place}vis_name: {visitor.name!r} is the home team too; a team cannot play itself")
        game_id = problems.attempt(read_game_id, data.get("game_id"), f"{place}game_id")
        told = problems.attempt(read_periods, data, place) or {}
        feed = problems.attempt(read_feed, _joined(told, data.get("feed")), place)
        if home is None or visitor is None:
            problems.raise_if_any()
        assert home is not None and visitor is not None
        players = read_players(data["box_score"], home, visitor, place, problems)
        problems.raise_if_any()
        assert date is not None
        day = f"{date:%m_%d_%y}"
        if game_id is None:
            game_id = f"{day}-{visitor.name}-{home.name}".replace(" ", "_")
        return cls(game_id, day, (home, visitor, *players), feed)

    def to_json(self) -> dict[str, Any]:
        """RotoWire's JSON with a `game_id` (and the `feed`): every number a string, "N/A" where there is none."""
        box_score: dict[str, dict[str, str]] = {"PLAYER_NAME": {}}
        for index, player in enumerate(self.players):
            box_score["PLAYER_NAME"][str(index)] = player.name
            for attribute, value in player.values.items():
                box_score.setdefault(attribute, {})[str(index)] = NOT_AVAILABLE if value is None else value
        lines = [
            {attribute: NOT_AVAILABLE if value is None else value for attribute, value in team.values.items()}
            for team in (self.home, self.visitor)
        ]
        return {
            "game_id": self.game_id,
            "day": self.day,
            "home_name": self.home.values["TEAM-NAME"],
            "home_city": self.home.values["TEAM-CITY"],
            "vis_name": self.visitor.values["TEAM-NAME"],
            "vis_city": self.visitor.values["TEAM-CITY"],
            "home_line": lines[0],
            "vis_line": lines[1],
            "box_score": box_score,
            **({} if self.feed == NO_FEED else {"feed": feed_json(self.feed)}),
        }


def _joined(told: Mapping[str, Any], feed: Any) -> Any:
    """The feed with what the lines tell of periods; the feed itself takes precedence."""
    if not told or not (feed is None or isinstance(feed, Mapping)):
        return feed
    given = {name: value for name, value in (feed or {}).items() if value is not None}
    of_teams = {
        side: {**told[side], **given[side]}
        for side in ("home", "vis")
        if side in told and isinstance(given.get(side), Mapping)
    }
    return {**told, **given, **of_teams}


@functools.cache  # a season asks for the same few hundred days over and over
def _parse_day(day: str) -> datetime.date:
    return datetime.datetime.strptime(day, "%m_%d_%y").date()


def as_game(game: Any) -> Game:
    """Converts a `Game` (also one of another copy of this module), a `GameFacts` or JSON to a `Game`."""
    if isinstance(game, Game):
        return game
    if isinstance(game, HasGame) and not isinstance(game, type):
        return as_game(game.game)
    if isinstance(game, HasJson) and not isinstance(game, type):
        return Game._parse(game.to_json(), "")  # validated before
    if isinstance(game, Mapping):
        return Game.from_json(game)
    raise GameError(f"games: {show(game)} is not a game; give RotoWire's JSON, or a list of several")


def read_json(path: str | Path) -> Any:
    """Reads a JSON file; raises a GameError that says what is wrong with it."""
    return parse_json(_read_text(path), path)


def parse_json(text: str, path: str | Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"{path}: is not valid JSON ({error}); is the file truncated?") from None


def read_jsonl(path: str | Path) -> list[Any]:
    """Reads a file with one JSON object per line. A line that cannot be read gives its GameError instead."""
    return parse_jsonl(_read_text(path), path)


def parse_jsonl(text: str, path: str | Path) -> list[Any]:
    """The objects of JSON Lines; `path` names the file in errors."""
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError) as error:
            rows.append(GameError(f"{path}, line {number}: is not JSON ({error})"))
    if not rows:
        raise GameError(f"{path}: holds no game; give at least one")
    return rows


def read_bytes(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise GameError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except ValueError as error:  # a null byte in the path
        raise GameError(f"{str(path)!r}: cannot be read ({error}); check the path") from None


def _read_text(path: str | Path) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GameError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8 JSON") from None


def read_games(path: str | Path) -> list[Game]:
    """Reads a JSON file with one game or a list of games, or a file with one game per line (.jsonl).

    All problems of all games are reported at once. `stg.converters` reads other formats.
    """
    if str(path).endswith(".jsonl"):
        return games_of_rows(read_jsonl(path), path)
    data = read_json(path)
    if isinstance(data, list):
        if not data:
            raise GameError(f"{path}: an empty list; give at least one game")
        return games_of_rows(data, path)
    return [Game.from_json(data, f"{path}: ")]


def games_of_rows(rows: Sequence[Any], path: str | Path) -> list[Game]:
    """The games of unvalidated rows, each a game, its JSON or an error; raises all problems of all rows at once."""
    games, problems = [], Problems()
    for index, row in enumerate(rows):
        if isinstance(row, GameError):
            problems.add(str(row))
        elif isinstance(row, Game):
            games.append(row)
        else:
            games.append(problems.attempt(Game.from_json, row, f"{path}: games[{index}]."))
    problems.raise_if_any()
    return games
