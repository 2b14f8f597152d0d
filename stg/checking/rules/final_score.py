"""The final score and its margin: "105 - 104", "a 30 - point win"."""

from collections.abc import Iterator

from modeling_stg.nba import LEAST_TOTAL
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.team_totals import team_number


_RESULTS = frozenset("win victory loss defeat triumph rout blowout".split())
_EARLIER = frozenset("previous last came coming entered entering checked following".split())


def final_score(recap: ParsedRecap) -> Iterator[Finding]:
    """The first sentence's score, in either order; who won is judged separately."""
    first = recap.sentences[0] if recap.sentences else None
    if first is None or not recap.both_have("TEAM-PTS") or sum(span.is_team for span in first.entities) < 2:
        return
    for span in first.entities:  # "Bucks 105 , Knicks 104"
        for number in first.numbers:
            follows = number.start == span.end and recap.word(number.end) != "-"
            if follows and span.is_team and span.index is not None and number.value >= LEAST_TOTAL["TEAM-PTS"]:
                yield team_number(recap, number, span.index, "TEAM-PTS")
    scores = [
        pair for pair in dashed_pairs(recap, first) if max(pair[0].value, pair[1].value) >= LEAST_TOTAL["TEAM-PTS"]
    ]
    for score in scores[:1]:
        winner_first = score[0].value >= score[1].value
        first_team = 0 if recap.has_won(0) == winner_first else 1
        for number, team in zip(score, (first_team, 1 - first_team), strict=True):
            yield team_number(recap, number, team, "TEAM-PTS")


def margin(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a 30 - point win", "won by 30", unless it is another game's."""
    if not recap.both_have("TEAM-PTS"):
        return
    truth = abs(recap.number(0, "TEAM-PTS") - recap.number(1, "TEAM-PTS"))
    for sentence in recap.sentences:
        for number in sentence.numbers:
            before = recap.words[max(sentence.start, number.start - 3) : number.start]
            after = recap.words[number.end : number.end + 3]
            is_result = after[:2] == ["-", "point"] and _RESULTS.intersection(after[2:])
            is_won_by = before[-2:] in (["won", "by"], ["lost", "by"], ["win", "by"]) and after[:1] != ["-"]
            if not (is_result or is_won_by) or _EARLIER.intersection(before):
                continue
            if number.value == truth or not recap.mentions_other_game(number.start):
                claim = f"won by {number.value}"
                yield decide("number", number.start, number.end, number.value == truth, claim, str(truth))
