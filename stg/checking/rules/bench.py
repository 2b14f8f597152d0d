"""A team's bench: "the bench scored 46 points", "got 46 points from their reserves", "outscored their bench 46 - 33".

Texts rarely say whose bench is meant without doubt, so a number that fits neither team's bench stays undecided.
"""

from collections.abc import Iterator

from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number, sentences_of_this_game
from stg.extraction.candidates import NumberSpan, SentenceSpans


_BENCH = frozenset("bench benches reserves reserve".split())
_NOT_A_TEAMS = frozenset("he his him led paced spearheaded starter starters pair duo trio lead".split())
_LEAST = 8  # of a whole bench; a smaller number is a player's


def bench_points(recap: ParsedRecap) -> Iterator[Finding]:
    """Points of a bench, in a sentence that says so and names no player before them."""
    for sentence in sentences_of_this_game(recap):
        if not _BENCH.intersection(recap.words[sentence.start : sentence.end]):
            continue
        for number in sentence.numbers:
            if number.value >= _LEAST and _is_of_a_bench(recap, sentence, number):
                team = _owner(recap, number)
                if team is not None:
                    yield from judge_number(recap, number, team, "TEAM-PTS_BENCH")


def _is_of_a_bench(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool:
    before = recap.words[max(sentence.start, number.start - 12) : number.start]
    after = recap.words[number.end : min(sentence.end, number.end + 8)]
    players = [span for span in sentence.entities if not span.is_team and span.start < number.start]
    if players or _NOT_A_TEAMS.intersection(before) or not _BENCH.intersection([*before, *after]):
        return False
    is_in_pair = recap.word(number.end) in ("-", "to") or recap.word(number.start - 1) in ("-", "to")
    return is_in_pair or "points" in after[:2] or after[:1] == ["-"]


def _owner(recap: ParsedRecap, number: NumberSpan) -> int | None:
    """The team whose bench has this number, if only one has."""
    owners = [team for team in (0, 1) if recap.facts.number(team, "TEAM-PTS_BENCH") == number.value]
    return owners[0] if len(owners) == 1 else recap.team_at(number.start) if owners else None
