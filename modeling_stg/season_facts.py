"""Facts from the season's other games: streaks, records, meetings, averages, highs, and the next game.

Nothing but the schedule of later games is read: who plays whom, where and when.
"""

from collections.abc import Sequence

from .fact_schema import AVERAGED, MOST_GAMES, ORDINALS, RECENT
from .fact_table import FactTable, numbers_of
from .facts import Fact
from .game import Game
from .numbers import ordinal
from .schema import DOUBLE_COLUMNS, DOUBLE_FIGURES, weekday
from .season import Season, has_won, side


_TWENTY = 20
_LEAST_STREAK = 2
_GAMES_BEFORE_A_HIGH = 5  # "season-high" means nothing in the first week
_LEAST_AVERAGED = 2  # the average of one game is its number again
Appearance = tuple[Game, int]


def add_season_of_teams(table: FactTable, season: Season) -> None:
    """Streaks, records, the previous and the next game of both teams."""
    for team in (0, 1):
        games, is_complete = season.before(table.game, team)
        results = _Results(table, season, team, games)
        _add_streaks(table, team, results, is_complete)
        _add_recent(table, team, results)
        if is_complete:
            _add_records(table, team, results)
            _add_average(table, team, "TEAM-AVG_PTS", results.points)
        _add_meeting(table, team, results)
        if games:
            _add_previous(table, season, team, games[0], results)
        _add_next(table, team, season)


class _Results:
    """A team's games, this one first: whether it won, where, and the points of both teams as facts."""

    def __init__(self, table: FactTable, season: Season, team: int, games: Sequence[Game]):
        name = table.game.entities[team].name
        self.games = [table.game, *games]
        self.sides = [team, *(side(game, name) for game in games)]
        self.points: list[Fact | None] = [table.cell(team, "TEAM-PTS")]
        self.allowed: list[Fact | None] = [table.cell(1 - team, "TEAM-PTS")]
        for game, own in zip(games, self.sides[1:], strict=True):
            self.points.append(season.cell(game, own, "TEAM-PTS"))
            self.allowed.append(season.cell(game, 1 - own, "TEAM-PTS"))
        # cut where a score is missing or level: nothing older is known without a gap
        pairs = zip(self.points, self.allowed, strict=True)
        known = next((at for at, pair in enumerate(pairs) if len(set(numbers_of(pair))) < 2), len(self.games))
        self.won = [has_won(game, own) for game, own in zip(self.games[:known], self.sides[:known], strict=True)]

    def sources(self, indices: Sequence[int]) -> list[Fact | None]:
        return [cell for index in indices for cell in (self.points[index], self.allowed[index])]


def _add_streaks(table: FactTable, team: int, results: _Results, is_complete: bool) -> None:
    for suffix, first in (("", 0), ("_BEFORE", 1)):
        won = results.won[first:]
        if not won:
            continue
        length = next((at for at, other in enumerate(won) if other != won[0]), len(won))
        reaches_gap = length == len(won) and not (is_complete and len(results.won) == len(results.games))
        if length < _LEAST_STREAK or reaches_gap:
            continue
        name = "WIN" if won[0] else "LOSS"
        sources = results.sources(range(first, first + length))
        table.add(team, f"TEAM-{name}_STREAK{suffix}", length, sources)
        if first == 0 and length <= len(ORDINALS):
            table.add(team, f"TEAM-{name}_NTH", ORDINALS[length - 1], sources)


def _add_recent(table: FactTable, team: int, results: _Results) -> None:
    """Wins and losses in the last games, with this one and before it."""
    for suffix, first in (("", 0), ("_BEFORE", 1)):
        for games in range(2, min(MOST_GAMES, len(results.won) - first) + 1):
            wins = sum(results.won[first : first + games])
            sources = results.sources(range(first, first + games))
            table.add(team, f"TEAM-GAMES_LAST{games}{suffix}", games, sources)
            table.add(team, f"TEAM-WINS_LAST{games}{suffix}", wins, sources)
            table.add(team, f"TEAM-LOSSES_LAST{games}{suffix}", games - wins, sources)


def _add_records(table: FactTable, team: int, results: _Results) -> None:
    if len(results.won) < len(results.games):
        return
    for place, own in (("HOME", 0), ("ROAD", 1)):
        played = [index for index, where in enumerate(results.sides) if where == own]
        if not played:
            continue
        wins = sum(results.won[index] for index in played)
        table.add(team, f"TEAM-{place}_WINS", wins, results.sources(played))
        table.add(team, f"TEAM-{place}_LOSSES", len(played) - wins, results.sources(played))
        table.add(team, f"TEAM-{place}_GAMES", len(played), results.sources(played))
    series = _meetings(table, team, results)
    wins = sum(results.won[index] for index in [0, *series])
    table.add(team, "TEAM-SERIES_WINS", wins, results.sources([0, *series]))
    table.add(team, "TEAM-SERIES_LOSSES", len(series) + 1 - wins, results.sources([0, *series]))
    table.add(team, "TEAM-SERIES_GAMES", len(series) + 1, results.sources([0, *series]))


def _meetings(table: FactTable, team: int, results: _Results) -> list[int]:
    """Indices of the earlier games against the same opponent, the latest first."""
    opponent = table.game.entities[1 - team].name
    known = list(zip(results.games, results.sides, strict=True))[: len(results.won)]
    return [index for index, (game, own) in enumerate(known) if index and game.entities[1 - own].name == opponent]


def _add_meeting(table: FactTable, team: int, results: _Results) -> None:
    meetings = _meetings(table, team, results)
    if meetings:
        points, allowed = results.sources(meetings[:1])
        table.add(team, "TEAM-MEETING_PTS", None if points is None else points.value, (points,))
        result = "won" if results.won[meetings[0]] else "lost"
        table.add(team, "TEAM-MEETING_RESULT", result, (points, allowed))


def _add_previous(table: FactTable, season: Season, team: int, game: Game, results: _Results) -> None:
    opponent = season.cell(game, 1 - results.sides[1], "TEAM-NAME")
    table.add(team, "TEAM-LAST_OPPONENT", None if opponent is None else opponent.value, (opponent,))
    table.add(team, "TEAM-LAST_WEEKDAY", weekday(game.date), (opponent,))
    table.add(team, "TEAM-REST_DAYS", (table.game.date - game.date).days - 1, (opponent,))
    if len(results.won) > 1:
        table.add(team, "TEAM-LAST_RESULT", "won" if results.won[1] else "lost", results.sources([1]))


def _add_next(table: FactTable, team: int, season: Season) -> None:
    fixture = season.next(table.game, team)
    if fixture is None:
        return
    own = fixture.names.index(table.game.entities[team].name)
    cells = season.fixture_cells(fixture, 1 - own)
    table.add(team, "TEAM-NEXT_OPPONENT", fixture.names[1 - own], cells[:1])
    table.add(team, "TEAM-NEXT_CITY", fixture.cities[1 - own], cells[1:])
    table.add(team, "TEAM-NEXT_WEEKDAY", weekday(fixture.date), cells[:1])
    names = [season.fixture_cells(fixture, side)[0] for side in (1, 0)]
    table.add(team, "TEAM-NEXT_PLACE", "home" if own == 0 else "road", names)
    table.add(team, "TEAM-NEXT_REST_DAYS", (fixture.date - table.game.date).days - 1, cells[:1])


def _add_average(table: FactTable, entity: int, attribute: str, cells: Sequence[Fact | None]) -> None:
    """The mean of two games or more, rounded to a whole number, halves up."""
    numbers = numbers_of(cells)
    if len(numbers) >= _LEAST_AVERAGED:
        table.add(entity, attribute, (2 * sum(numbers) + len(numbers)) // (2 * len(numbers)), cells)


def _add_mean(table: FactTable, player: int, attribute: str, cells: Sequence[Fact | None]) -> None:
    """The mean with one decimal."""
    numbers = [cell.number for cell in cells if cell]
    if len(numbers) == len(cells):
        table.add(player, attribute, f"{sum(numbers) / len(numbers):.1f}", cells)


def add_season_of_player(table: FactTable, season: Season, player: int) -> None:
    """Averages, highs and streaks of a player who played, from all his games of the season, if all are known."""
    earlier = season.appearances(table.game, table.game.entities[player])
    columns = {column: _values(table, season, player, earlier, column) for column in DOUBLE_COLUMNS}
    for column in DOUBLE_COLUMNS:
        _add_average(table, player, f"AVG_{column}", columns[column])
        _add_mean(table, player, f"MEAN_{column}", columns[column])
    for column in AVERAGED:
        _add_high(table, player, column, columns[column])
        if len(columns[column]) >= RECENT[0]:
            _add_average(table, player, f"AVG_{column}_LAST{RECENT[0]}", columns[column][: RECENT[0]])
    _add_player_streaks(table, player, columns)


def add_recent_of_player(table: FactTable, season: Season, player: int) -> None:
    """One player's totals and averages over his last 2, 3, ... games: many facts, which few texts state."""
    known = season.before(table.game, table.game.team_of(player))
    earlier = season.appearances(table.game, table.game.entities[player])[: MOST_GAMES - 1]
    if not known.is_complete:
        earlier = [(game, position) for game, position in earlier if known.games and game.date >= known.games[-1].date]
    for column in DOUBLE_COLUMNS:
        cells = _values(table, season, player, earlier, column)
        for games in range(2, len(cells) + 1):
            table.add_sum(player, f"TOTAL_{column}_LAST{games}", cells[:games])
            _add_average(table, player, f"AVG_{column}_LAST{games}", cells[:games])
            _add_mean(table, player, f"MEAN_{column}_LAST{games}", cells[:games])


def _values(
    table: FactTable, season: Season, player: int, earlier: Sequence[Appearance], column: str
) -> list[Fact | None]:
    """A player's cells in a column, this game's first."""
    return [table.cell(player, column), *(season.cell(game, position, column) for game, position in earlier)]


def _add_high(table: FactTable, player: int, column: str, cells: Sequence[Fact | None]) -> None:
    """His most so far, and "season - high" for more than in every earlier game; as many again only ties it."""
    numbers = numbers_of(cells)
    if len(numbers) > _GAMES_BEFORE_A_HIGH and max(numbers):
        table.add(player, f"SEASON_MOST_{column}", max(numbers), cells)
        if numbers[0] > max(numbers[1:]):
            table.add(player, f"SEASON_HIGH_{column}", "season - high", cells)


def _add_player_streaks(table: FactTable, player: int, columns: dict[str, list[Fact | None]]) -> None:
    """Only with all cells: a missing one might end a streak, or go on with it."""
    numbers = [numbers_of(cells) for cells in columns.values()]
    if not all(numbers):
        return
    games = list(zip(*columns.values(), strict=True))
    tens = [sum(number >= DOUBLE_FIGURES for number in game) for game in zip(*numbers, strict=True)]
    doubles, triples = [number >= 2 for number in tens], [number >= 3 for number in tens]
    twenties = [number >= _TWENTY for number in numbers_of(columns["PTS"])]
    points = [(cell,) for cell in columns["PTS"]]
    for name, reached, cells in (("DOUBLE", doubles, games), ("TWENTY", twenties, points)):
        streak = _add_player_streak(table, player, f"{name}_STREAK", reached, cells)
        if streak is not None:
            table.add(player, f"{name}_STREAK_NTH", ordinal(streak.number), (streak,))
    for name, reached in (("DOUBLE", doubles), ("TRIPLE", triples)):
        if reached[0]:
            lines = [cell for game, yes in zip(games, reached, strict=True) if yes for cell in game]
            table.add(player, f"{name}_NTH", ordinal(sum(reached)), lines)
            if name == "DOUBLE":
                table.add(player, "DOUBLE_COUNT", sum(reached), lines)


def _add_player_streak(
    table: FactTable, player: int, attribute: str, reached: list[bool], games: Sequence[tuple[Fact | None, ...]]
) -> Fact | None:
    length = next((at for at, yes in enumerate(reached) if not yes), len(reached))
    if length < _LEAST_STREAK:
        return None
    return table.add(player, attribute, length, [cell for game in games[:length] for cell in game])
