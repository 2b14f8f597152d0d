"""Facts from the line score: the result, points and margins of periods, who led at each break, overtime."""

from .arenas import courts
from .fact_schema import BREAKS, ORDINALS, PERIODS, WEEKDAY
from .fact_table import FactTable, numbers_of
from .facts import Fact
from .nba import game_minutes
from .schema import DOUBLE_COLUMNS, QUARTERS, weekday


_PLAYERS, _OVERTIME = 5, 25  # on the court, and their minutes in an overtime period
_ROUNDING = 6  # by which they may differ in a box score of whole minutes


def add_result(table: FactTable) -> None:
    """The group `result`. A tie gives no fact."""
    game = table.game
    points = [table.cell(team, "TEAM-PTS") for team in (0, 1)]
    for team in (0, 1):
        own, other = points[team], points[1 - team]
        _add_comparison(table, team, "TEAM-RESULT", (own, other), ("won", "lost"))
        if own is not None and other is not None:
            table.add(team, "TEAM-MARGIN", abs(own.number - other.number), (own, other))
        table.add_sum(team, "TEAM-PTS_HALF", [table.cell(team, quarter) for quarter in QUARTERS[:2]])
        table.add(team, WEEKDAY, weekday(game.date))
        for quarter in QUARTERS:
            pair = (table.cell(team, quarter), table.cell(1 - team, quarter))
            name = f"TEAM-{quarter.removeprefix('TEAM-PTS_')}"
            _add_comparison(table, team, name, pair, ("won", "lost"))
    for team in (0, 1):
        pair = (table.computed(team, "TEAM-PTS_HALF"), table.computed(1 - team, "TEAM-PTS_HALF"))
        _add_comparison(table, team, "TEAM-HALF", pair, ("ahead", "behind"))
    for team in (0, 1):
        players = [position for position in range(2, len(game.entities)) if game.team_of(position) == team]
        result = table.computed(team, "TEAM-RESULT")
        scored = [fact for position in table.players_of(team) if (fact := table.cell(position, "PTS"))]
        is_known = len(scored) == len(table.players_of(team))
        ranked = sorted(scored, key=lambda fact: -fact.number) if is_known else []
        for rank, fact in enumerate(ranked, 1):
            assert fact.entity is not None
            table.add(fact.entity, "RANK", rank, ranked)
        for position in players:
            table.add(position, "RESULT", None if result is None else result.value, (result,))
            table.add(position, "TEAM_NAME", game.entities[team].name, (table.cell(team, "TEAM-NAME"),))
            cells = [table.cell(position, column) for column in DOUBLE_COLUMNS]
            table.add(position, "DOUBLES", len(game.entities[position].doubles()), cells)


def _add_comparison(
    table: FactTable, team: int, attribute: str, pair: tuple[Fact | None, Fact | None], words: tuple[str, str]
) -> None:
    own, other = pair
    if own is not None and other is not None and own.number != other.number:
        table.add(team, attribute, words[own.number < other.number], pair)


def add_line_score(table: FactTable) -> None:
    """The group `line_score`. Quarters that do not add up to the final score give no facts."""
    game = table.game
    names = courts(game.home.name, game.date, game.feed[0].get("TEAM-VENUE"))
    for team in (0, 1):
        table.add(team, "TEAM-ARENA", names[0] if names else None, (table.cell(0, "TEAM-NAME"),))
        place = "home" if team == 0 else "road"
        table.add(team, "TEAM-PLACE", place, (table.cell(1, "TEAM-NAME"), table.cell(0, "TEAM-NAME")))
        final = (table.cell(team, "TEAM-PTS"), table.cell(1 - team, "TEAM-PTS"))
        table.add_difference(team, "TEAM-WON_BY", final)
        table.add_difference(team, "TEAM-LOST_BY", final[::-1])
    if not _adds_up(table):
        return
    for team in (0, 1):
        final = (table.cell(team, "TEAM-PTS"), table.cell(1 - team, "TEAM-PTS"))
        quarters = [table.cell(team, quarter) for quarter in QUARTERS]
        if not table.add_sum(team, "TEAM-PTS_H1", quarters[:2]):
            half = table.add(team, "TEAM-PTS_H1", game.feed[team].get("TEAM-PTS_H1"), final[:1])
            if not _is_overtime(table):
                table.add_difference(team, "TEAM-PTS_H2", (final[0], half))
        table.add_sum(team, "TEAM-PTS_H2", quarters[2:])
        table.add_sum(team, "TEAM-PTS_AFTER_Q3", quarters[:3])
        points = [0 if quarter is None else quarter.number for quarter in quarters]
        if None not in quarters and points.count(max(points)) == 1:
            table.add(team, "TEAM-BEST_QTR", ORDINALS[points.index(max(points))], quarters)
        ended_in = "overtime" if _is_overtime(table) else "regulation"
        known = () if _told_overtimes(table) is not None else quarters
        table.add(team, "TEAM-ENDED_IN", ended_in, (table.cell(team, "TEAM-PTS"), *known))
    if _is_overtime(table):
        minutes = [table.cell(player, "MIN") for team in (0, 1) for player in table.players_of(team)]
        overtimes = _overtimes(sum(numbers_of(minutes)) / 2, _PLAYERS * (game_minutes(game.home.full_name) or 48))
        for team in (0, 1):
            scored = table.cell(team, "TEAM-PTS")
            regulation = table.add_sum(team, "TEAM-PTS_AFTER_Q4", [table.cell(team, quarter) for quarter in QUARTERS])
            if _told_overtimes(table) is not None:
                table.add(team, "TEAM-OVERTIMES", _told_overtimes(table), (scored,))
            else:
                table.add(team, "TEAM-OVERTIMES", overtimes, (scored, regulation, *minutes))
            table.add_difference(team, "TEAM-PTS_OT", (scored, regulation))
    for name in BREAKS:
        names = (f"TEAM-LEAD_{name}", f"TEAM-DEFICIT_{name}", f"TEAM-TIED_{name}")
        _add_margins(table, names, [score_at(table, team, name) for team in (0, 1)])
    for name, quarters_of in PERIODS.items():
        attribute = quarters_of[0] if len(quarters_of) == 1 else f"TEAM-PTS_{name}"
        names = (f"TEAM-WON_BY_{name}", f"TEAM-LOST_BY_{name}", f"TEAM-TIED_IN_{name}")
        _add_margins(table, names, [_points(table, team, attribute) for team in (0, 1)])


def _overtimes(minutes: float, regulation: int) -> int | None:
    """Overtime periods by a team's minutes; None if players or minutes are missing."""
    periods = round((minutes - regulation) / _OVERTIME)
    is_plausible = periods > 0 and abs(minutes - regulation - periods * _OVERTIME) <= _ROUNDING
    return periods if is_plausible else None


def score_at(table: FactTable, team: int, name: str) -> Fact | None:
    """A team's points at a break, such as "H1"."""
    return _points(table, team, {"Q1": QUARTERS[0], "H1": "TEAM-PTS_H1", "Q3": "TEAM-PTS_AFTER_Q3"}[name])


def _points(table: FactTable, team: int, attribute: str) -> Fact | None:
    return table.cell(team, attribute) if attribute in QUARTERS else table.computed(team, attribute)


def _add_margins(table: FactTable, names: tuple[str, str, str], scores: list[Fact | None]) -> None:
    """The same margin under two names: one for the team with more points, one for the other; or a tie for both."""
    more, less, tied = names
    for team in (0, 1):
        own, other = scores[team], scores[1 - team]
        if table.add_difference(team, more, (own, other)):
            table.add_difference(1 - team, less, (own, other))
        if own is not None and other is not None and own.number == other.number:
            table.add(team, tied, "tied", (own, other))


def _adds_up(table: FactTable) -> bool:
    """Whether quarters and final score agree; missing ones do not disagree."""
    scores = [_regulation_and_final(table, team) for team in (0, 1)]
    return _is_overtime(table) or all(score is None or score[0] == score[1] for score in scores)


def _told_overtimes(table: FactTable) -> int | None:
    """The overtime periods that the feed tells of; None if it does not."""
    told = table.game.feed[0].get("TEAM-OVERTIMES")
    return None if told is None else int(told)


def _is_overtime(table: FactTable) -> bool:
    """Whether both teams had the same score after four quarters, and more in the end, or the feed says so."""
    if _told_overtimes(table) is not None:
        return bool(_told_overtimes(table))
    home, visitor = (_regulation_and_final(table, team) for team in (0, 1))
    if home is None or visitor is None or home[0] != visitor[0]:
        return False
    return min(home[1], visitor[1]) > home[0]


def _regulation_and_final(table: FactTable, team: int) -> tuple[int, int] | None:
    """A team's points in four quarters and in the end; None if one is missing."""
    numbers = numbers_of([table.cell(team, attribute) for attribute in (*QUARTERS, "TEAM-PTS")])
    return (sum(numbers[:-1]), numbers[-1]) if numbers else None
