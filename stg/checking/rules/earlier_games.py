"""A team's previous game, and its season series against this opponent.

Texts speak of many earlier games, so these rules only find agreement.
"""

from collections.abc import Iterator

from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import EntitySpan, SentenceSpans


_PAST = frozenset("after coming following since last previous lost losing loss win beating defeating falling".split())
_STANDINGS = frozenset("behind ahead seed standings spot place conference".split())
_SERIES = ("TEAM-SERIES_WINS", "TEAM-SERIES_LOSSES")


def previous_game(recap: ParsedRecap) -> Iterator[Finding]:
    """ "after losing to the Hawks on Monday": the opponent and the day of a team's previous game."""
    for index, sentence in enumerate(recap.sentences):
        words = recap.words[sentence.start : sentence.end]
        if recap.looks_ahead(index) or not _PAST.intersection(words) or _STANDINGS.intersection(words):
            continue
        for span in sentence.entities:
            team = _whose_opponent(recap, span) if span.is_team and span.index is None else None
            opponent = None if team is None else recap.facts.get(team, "TEAM-LAST_OPPONENT")
            if team is not None and opponent is not None:
                claim = f"{span.text}: the previous opponent of the {recap.name(team)}"
                yield decide("name", span.start, span.end, True, claim, fact=opponent)
                yield from _day(recap, sentence, span, team)


def season_series(recap: ParsedRecap) -> Iterator[Finding]:
    """ "won the season series 3 - 1"."""
    for start, _ in recap.find("season series"):
        subject = recap.team_at(start) or 0
        for pair in dashed_pairs(recap, recap.sentence_at(start)):
            fitting = [
                team
                for team in (subject, 1 - subject)
                if all(
                    recap.facts.number(team, attribute) == number.value
                    for number, attribute in zip(pair, _SERIES, strict=True)
                )
            ]
            for number, attribute in zip(pair, _SERIES, strict=True) if fitting else ():
                yield from judge_number(recap, number, fitting[0], attribute)


def _whose_opponent(recap: ParsedRecap, span: EntitySpan) -> int | None:
    """The team of this game that played a third team last; the one the text is about first."""
    subject = recap.team_at(span.start) or 0
    for team in (subject, 1 - subject):
        opponent = recap.facts.value(team, "TEAM-LAST_OPPONENT")
        if opponent is not None and span.text.split()[-1] == opponent.split()[-1]:
            return team
    return None


def _day(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan, team: int) -> Iterator[Finding]:
    """The day that is named within a few words of the opponent."""
    day = recap.facts.get(team, "TEAM-LAST_WEEKDAY")
    for position in range(max(sentence.start, span.start - 6), min(sentence.end, span.end + 6)):
        word = recap.words[position]
        if day is not None and word in WEEKDAY_WORDS and word == day.value.lower():
            claim = f"{day.value}: the day of the previous game of the {recap.name(team)}"
            yield decide("name", position, position + 1, True, claim, fact=day)
            return
