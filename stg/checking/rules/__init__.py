"""The rules, one file per kind of claim.

Every rule is a function `recap -> Iterator[Finding]`; what is true it takes from `recap.facts`. To add one, write it
in the file of its kind of claim and enter it in RULES.
"""

from collections.abc import Callable, Iterator

from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules import (
    bench,
    date_and_place,
    double_figures,
    doubles,
    earlier_games,
    final_score,
    home_and_road,
    leaders,
    line_score,
    margins,
    names,
    numbers,
    outlook,
    period_points,
    player_streaks,
    prose_totals,
    recent_games,
    records,
    result,
    roles,
    scores,
    story,
    streaks,
    team_pairs,
    team_totals,
)


Rule = Callable[[ParsedRecap], Iterator[Finding]]

# Earlier rules take precedence where findings overlap, so the more specific claim comes first: names and weekdays of
# the next game before those of this game, numbers that several games or cells decide before numbers of one cell.
RULES: tuple[Rule, ...] = (
    outlook.next_game,
    outlook.days_off,
    earlier_games.previous_game,
    records.series,
    records.meetings,
    earlier_games.season_series,
    names.absent_players,
    names.opponents,
    names.leaders_team,
    names.own_opponent,
    date_and_place.weekday,
    date_and_place.arena,
    streaks.wins_of_last_games,
    streaks.streak,
    streaks.nth_in_a_row,
    records.overall,
    records.last_games,
    records.wins_in_last_games,
    records.nth_of_last_games,
    records.nth_at_place,
    player_streaks.twenties,
    player_streaks.doubles_in_a_row,
    recent_games.player_totals,
    recent_games.player_averages,
    scores.scores,
    scores.tied,
    margins.margins,
    margins.period_margins,
    margins.final_margin,
    period_points.period_points,
    line_score.overtime,
    home_and_road.records,
    home_and_road.unbeaten,
    numbers.other_teams_numbers,
    team_pairs.comparisons,
    prose_totals.prose,
    team_totals.rebounding_edge,
    bench.bench_points,
    final_score.final_score,
    final_score.margin,
    line_score.half_score,
    line_score.half_points,
    team_totals.rebounding_battle,
    leaders.top_scorer,
    leaders.high,
    leaders.season_high,
    leaders.next_scorer,
    leaders.scoring_rank,
    double_figures.only_other,
    double_figures.players_in_double_figures,
    # Any number that no rule above has judged, by the extractor's relations
    numbers.pairs,
    numbers.numbers,
    numbers.unreadable_numbers,
    # Words, which no number rule judges
    result.winner,
    result.players_result,
    result.teams_result,
    story.comeback,
    story.margin_words,
    story.every_break,
    home_and_road.place,
    doubles.double_doubles,
    doubles.nth_double,
    roles.bench,
    roles.starter,
)
