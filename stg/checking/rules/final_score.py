"""The final score and its margin: "105 - 104", "a 30 - point win"."""

from collections.abc import Iterator

from modeling_stg.nba import LEAST_TOTAL
from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number


_LOST = frozenset("loss defeat lost".split())
_RESULTS = frozenset("win victory triumph rout blowout".split()) | _LOST
_WON_BY = (["won", "by"], ["lost", "by"], ["win", "by"])
_EARLIER = frozenset("previous last came coming entered entering checked following".split())


def final_score(recap: ParsedRecap) -> Iterator[Finding]:
    """The first sentence's score, in either order; who won is judged separately."""
    first, winner = recap.sentences[0] if recap.sentences else None, recap.winner
    if first is None or winner is None or sum(span.is_team for span in first.entities) < 2:
        return
    for span in first.entities:  # "Bucks 105 , Knicks 104"
        for number in first.numbers:
            follows = number.start == span.end and recap.word(number.end) != "-"
            if follows and span.is_team and span.index is not None and number.value >= LEAST_TOTAL["TEAM-PTS"]:
                yield from judge_number(recap, number, span.index, "TEAM-PTS")
    scores = [
        pair for pair in dashed_pairs(recap, first) if max(pair[0].value, pair[1].value) >= LEAST_TOTAL["TEAM-PTS"]
    ]
    for score in scores[:1]:
        first_team = winner if score[0].value >= score[1].value else 1 - winner
        for number, team in zip(score, (first_team, 1 - first_team), strict=True):
            yield from judge_number(recap, number, team, "TEAM-PTS")


def margin(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a 30 - point win", "won by 30", unless it is another game's."""
    winner = recap.winner
    if winner is None:
        return
    for sentence in recap.sentences:
        for number in sentence.numbers:
            before = recap.words[max(sentence.start, number.start - 3) : number.start]
            after = recap.words[number.end : number.end + 3]
            is_result = after[:2] == ["-", "point"] and _RESULTS.intersection(after[2:])
            is_won_by = before[-2:] in _WON_BY and after[:1] != ["-"]
            if not (is_result or is_won_by) or _EARLIER.intersection(before):
                continue
            is_lost = bool(_LOST.intersection(after[2:] if is_result else before[-2:]))
            team, attribute = (1 - winner, "TEAM-LOST_BY") if is_lost else (winner, "TEAM-WON_BY")
            is_true = number.value == recap.facts.number(team, attribute)
            if is_true or not recap.mentions_other_game(number.start):
                yield from judge_number(recap, number, team, attribute, f"won by {number.value}")
