"""Streaks and recent records, decided by the season: "won three of their last five", "lost two straight"."""

from collections.abc import Iterator

from modeling_stg.numbers import read_number
from modeling_stg.season import has_won, side
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


MAX_GAMES = 15  # texts about more games mean whole seasons
_EARLIER = frozenset("snapped ended snapping ending into entering had midst prior before previous".split())


def wins_of_last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won three of their last five games"."""
    words = recap.words
    for start, end in recap.find("of their last", "of its last"):
        count = read_number(words, start - 1) if start else None
        games = read_number(words, end) if end < len(words) else None
        verb, team = words[start - 2] if start > 1 else "", recap.team_at(start)
        if not count or not games or verb not in ("won", "lost") or team is None or not 1 < games[0] <= MAX_GAMES:
            continue
        results = _results(recap, team, games[0])
        if results is not None:
            truth = results.count(verb == "won")
            claim = f"{recap.name(team)}: {verb} {count[0]} of the last {games[0]}"
            yield decide("number", start - 1, start, count[0] == truth, claim, str(truth))


def streak(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won five straight games", "lost two in a row", "a three - game winning streak"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            after = [word for word in recap.words[number.end : number.end + 5] if word != "-"]
            verb = recap.words[number.start - 1] if number.start else ""
            if verb in ("won", "lost") and (after[:1] == ["straight"] or after[:3] == ["in", "a", "row"]):
                winning = verb == "won"
            elif after[:1] == ["game"] and after[1:3] in (["winning", "streak"], ["losing", "streak"]):
                winning = after[1] == "winning"
            else:
                continue
            team = recap.team_at(number.start)
            is_earlier = _EARLIER.intersection(recap.words[sentence.start : sentence.end])
            if team is None or is_earlier or not 1 < number.value <= MAX_GAMES:
                continue
            results = _results(recap, team, number.value)
            if results is not None:
                length = next((at for at, won in enumerate(results) if won != winning), number.value)
                claim = f"{recap.name(team)}: {'won' if winning else 'lost'} {number.value} in a row"
                truth = str(length) if length > 1 else None  # "won zero straight games" is not a correction
                yield decide("number", number.start, number.end, length == number.value, claim, truth)


def _results(recap: ParsedRecap, team: int, number: int) -> list[bool] | None:
    """Whether a team won each of its last games, this one first; None if one is unknown."""
    games = recap.season.last(recap.game, team, number)
    if games is None or any(entity.values["TEAM-PTS"] is None for game in games for entity in game.entities[:2]):
        return None
    return [has_won(game, side(game, recap.name(team))) for game in games]
