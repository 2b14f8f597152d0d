"""Streaks and recent records, decided by the season: "won three of their last five", "lost two straight"."""

from collections.abc import Iterator

from modeling_stg.fact_schema import MOST_GAMES
from modeling_stg.numbers import read_number
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_RESULTS = {"won": ("WIN", "WINS"), "lost": ("LOSS", "LOSSES")}  # as facts call one and several
_EARLIER = frozenset("snapped ended snapping ending into entering had midst prior before previous".split())


def wins_of_last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won three of their last five games"."""
    words = recap.words
    for start, end in recap.find("of their last", "of its last"):
        count = read_number(words, start - 1) if start else None
        games = read_number(words, end) if end < len(words) else None
        verb, team = words[start - 2] if start > 1 else "", recap.team_at(start)
        if not count or not games or verb not in _RESULTS or team is None:
            continue
        fact = recap.facts.get(team, f"TEAM-{_RESULTS[verb][1]}_LAST{games[0]}")
        if fact is not None:
            claim = f"{recap.name(team)}: {verb} {count[0]} of the last {games[0]}"
            yield decide("number", start - 1, start, count[0] == fact.number, claim, fact.value, fact)


def streak(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won five straight games", "lost two in a row", "a three - game winning streak"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            after = [word for word in recap.words[number.end : number.end + 5] if word != "-"]
            verb = recap.words[number.start - 1] if number.start else ""
            if verb in _RESULTS and (after[:1] == ["straight"] or after[:3] == ["in", "a", "row"]):
                result = verb
            elif after[:1] == ["game"] and after[1:3] in (["winning", "streak"], ["losing", "streak"]):
                result = "won" if after[1] == "winning" else "lost"
            else:
                continue
            team = recap.team_at(number.start)
            is_earlier = _EARLIER.intersection(recap.words[sentence.start : sentence.end])
            if team is None or is_earlier or not 1 < number.value <= MOST_GAMES:
                continue
            claim = f"{recap.name(team)}: {result} {number.value} in a row"
            streak = recap.facts.get(team, f"TEAM-{_RESULTS[result][0]}_STREAK")
            # without a streak: one game or none in a row, or a streak that began before the known games
            fact = streak or recap.facts.get(team, f"TEAM-{_RESULTS[result][1]}_LAST{number.value}")
            if fact is not None:
                truth = streak.value if streak else None
                yield decide("number", number.start, number.end, number.value == fact.number, claim, truth, fact)
