"""Opens box scores of any known source: which one a file is shows in its content, not in its name."""

import csv
import datetime
import io
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from modeling_stg.errors import GameError
from modeling_stg.game import Game, games_of_rows, parse_json, parse_jsonl, read_bytes
from modeling_stg.season import Fixture, Season
from modeling_stg.shapes import (
    ESPN,
    PLAYER_BOX,
    PLAYER_ROWS,
    ROTOWIRE,
    SCHEDULE,
    SEASON_FILE,
    TEAM_BOX,
    shape_of,
    shape_of_columns,
)
from modeling_stg.validation import json_type, read_date
from stg.converters.espn import read_espn
from stg.converters.hoopr import PLAYER_COLUMNS, games_of_tables, hoopr_games, is_hoopr
from stg.converters.nba_feeds import read_nba
from stg.converters.player_rows import is_player_table, read_player_rows
from stg.converters.season_file import read_season_file


KNOWN = (
    "RotoWire's JSON, hoopR's tables, ESPN's summary, the NBA's live box score, its BoxScoreTraditional (V2 or V3) "
    "with summary or scoreboard, or a table with one row per player"
)
_HOOPR = (PLAYER_BOX, TEAM_BOX, SCHEDULE)
_HOOPR_COLUMNS = {PLAYER_BOX: [*PLAYER_COLUMNS, "season"]}
_STDIN = "-"


class Upload(NamedTuple):
    """A file that is held in memory, such as one that the page received."""

    name: str
    content: bytes

    def __str__(self) -> str:
        return self.name


File = str | Path | Upload


@dataclass
class Sources:
    """What files hold: games (each a `Game`, RotoWire's JSON, or the error that says what is wrong) and a schedule."""

    games: list[Any] = field(default_factory=list)
    fixtures: list[Fixture] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)  # the shapes that were found


def read_any(paths: str | Path | Sequence[File], date: Any = None) -> list[Game]:
    """Reads the games of a file, or of several that belong together, from any known source.

    Args:
        paths: files, on disk or in memory, folders of hoopR's seasons, or "-" for standard input.
        date: only the games of this day; also the day of games whose file names none.

    Returns:
        The games. All problems of all games are raised at once.

    Example:
        >>> games = read_any(["boxscoretraditionalv3.json", "scoreboardv3.json"])
    """
    files = [paths] if isinstance(paths, (str, Path)) else list(paths)
    return games_of_rows(read_sources(files, date).games, ", ".join(map(str, files)))


def read_season(paths: str | Path | Sequence[str | Path]) -> Season:
    """Other games of a season, from any known source, with the schedule where the source has one."""
    files = [paths] if isinstance(paths, (str, Path)) else list(paths)
    sources = read_sources(files)
    return Season(games_of_rows(sources.games, ", ".join(map(str, files))), sources.fixtures)


def read_sources(paths: Sequence[File], date: Any = None) -> Sources:
    """Reads files of any known source; files that belong together, as hoopR's three tables, are joined."""
    day = read_date(date)
    if date is not None and day is None:
        raise GameError(f"--date {date}: is not a date; write it as 2025-01-15")
    found = Sources()
    tables: dict[str, list[Any]] = defaultdict(list)  # of hoopR, by kind
    answers: list[tuple[str, Any]] = []  # of the NBA
    for path in paths:
        if not isinstance(path, Upload) and str(path) != _STDIN and Path(path).is_dir():
            _read_folder(path, found)
            continue
        for shape, content in _shapes(path):
            found.kinds.add(shape)
            if shape in _HOOPR:
                tables[shape] += content
            elif shape == ROTOWIRE:
                found.games += content
            elif shape == SEASON_FILE:
                games, fixtures = read_season_file(content, str(path))
                found.games += games
                found.fixtures += fixtures
            elif shape == ESPN:
                found.games.append(_converted(read_espn, content, str(path)))
            elif shape == PLAYER_ROWS:
                found.games += _located(read_player_rows(content, day), str(path))
            else:
                answers.append((shape, content))
    if tables:
        _read_tables(tables, found)
    found.games += _located(read_nba(answers, day), ", ".join(map(str, paths)))
    if not found.games:
        raise GameError(f"{', '.join(map(str, paths))}: holds no game; give {KNOWN}")
    if date is not None:
        found.games = of_day(found.games, date)
    return found


def of_day(games: Sequence[Any], date: Any) -> list[Any]:
    """The games of a day, and errors, whose day is not known."""
    day = read_date(date)
    chosen = [game for game in games if _day_of(game) in (day, None)]
    if not chosen:
        raise GameError(f"--date {date}: none of the {len(games)} games is of that day")
    return chosen


def _shapes(path: File) -> Iterable[tuple[str, Any]]:
    """The shapes of a file and their content: RotoWire's games and tables are lists, answers are objects."""
    content = _content(path)
    if content.startswith(b"PAR1"):
        return [_parquet(content, path)]
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GameError(f"{path}: is not UTF-8 text (byte {error.start}) nor Parquet; save it as UTF-8") from None
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        rows = _csv(text)
        return [_table(list(rows[0]) if rows else [], rows, path)]
    if str(path).endswith(".jsonl") or (start == "{" and _is_jsonl(text)):
        data: Any = parse_jsonl(text, str(path))
    else:
        data = parse_json(text, str(path))
    if isinstance(data, list):
        if not data:
            raise GameError(f"{path}: an empty list holds no game; give at least one")
        return _list(data, path)
    return [_object(data, path)]


def _content(path: File) -> bytes:
    if isinstance(path, Upload):
        return path.content
    return sys.stdin.buffer.read() if str(path) == _STDIN else read_bytes(path)


def _object(data: Any, path: File) -> tuple[str, Any]:
    shape = shape_of(data)
    if shape == ROTOWIRE:
        return ROTOWIRE, [data]
    if shape is None:
        content = f"fields {', '.join(map(str, list(data)[:6]))}" if isinstance(data, dict) else json_type(data)
        raise GameError(f"{path}: is not a known box score ({content}); give {KNOWN}")
    return shape, data


def _list(data: list[Any], path: File) -> list[tuple[str, Any]]:
    """Games or answers in a list, or the rows of a table."""
    first = next((entry for entry in data if isinstance(entry, dict)), None)
    if first is not None and shape_of(first) is None and (shape_of_columns(first) or is_player_table(first)):
        return [_table(list(first), data, path)]
    known = [(shape_of(entry) or ROTOWIRE, entry) for entry in data]
    return [(shape, [entry] if shape == ROTOWIRE else entry) for shape, entry in known]


def _table(columns: Sequence[str], rows: list[Any], path: File) -> tuple[str, Any]:
    shape = shape_of_columns(columns) or (PLAYER_ROWS if is_player_table(columns) else None)
    if shape is None:
        raise GameError(f"{path}: is not a known table (columns {', '.join(map(str, columns[:6]))}); give {KNOWN}")
    return shape, rows


def _parquet(content: bytes, path: File) -> tuple[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        names = file.schema_arrow.names
        wanted = _HOOPR_COLUMNS.get(shape_of_columns(names) or "")
        rows = file.read(columns=wanted).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise GameError(f"{path}: cannot be read ({' '.join(str(error).split()):.200}); download it again") from None
    return _table(names, rows, path)


def _csv(text: str) -> list[dict[str, str]]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    names = [name.strip() or f"Unnamed: {index}" for index, name in enumerate(next(rows, []))]
    return [dict(zip(names, row, strict=False)) for row in rows if any(row)]


def _is_jsonl(text: str) -> bool:
    """Whether a second line begins an object too."""
    lines = [line for line in text.split("\n", 50) if line.strip()]
    return len(lines) > 1 and lines[0].rstrip().endswith("}") and lines[1].startswith("{")


def _read_folder(path: str | Path, found: Sources) -> None:
    if not is_hoopr(path):
        raise GameError(f"{path}: is a folder without nba_schedule_YEAR.parquet; name files: {KNOWN}")
    games, fixtures = hoopr_games(path)
    found.games += games
    found.fixtures += fixtures
    found.kinds.update(_HOOPR)


def _read_tables(tables: dict[str, list[Any]], found: Sources) -> None:
    missing = [kind for kind in _HOOPR if not tables[kind]]
    if missing:
        raise GameError(f"{' and '.join(missing)}: missing; a season of hoopR needs {', '.join(_HOOPR)}")
    games, fixtures = games_of_tables(tables[SCHEDULE], tables[TEAM_BOX], tables[PLAYER_BOX])
    found.games += games
    found.fixtures += fixtures


def _converted(read: Callable[[Any], Any], content: Any, place: str) -> Any:
    """What a converter makes of an answer, or the error that says which part of it is missing."""
    try:
        return read(content)
    except GameError as error:
        return GameError(f"{place}: {error}")
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        return GameError(f"{place}: is incomplete ({type(error).__name__}: {error}); save the whole answer")


def _located(games: Iterable[Any], place: str) -> list[Any]:
    return [GameError(f"{place}: {game}") if isinstance(game, GameError) else game for game in games]


def _day_of(game: Any) -> datetime.date | None:
    """A game's day; None for an error."""
    if isinstance(game, Game):
        return game.date
    return read_date(game.get("day")) if isinstance(game, dict) else None
