"""Points of halves, and overtime."""

from collections.abc import Iterator

from modeling_stg.schema import QUARTER_MINUTES, QUARTERS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs, outdoing_team
from stg.checking.rules.judging import is_other_game, judge_number, sentences_of_this_game


_HALVES = {
    "first half": "TEAM-PTS_H1",
    "first - half": "TEAM-PTS_H1",
    "second half": "TEAM-PTS_H2",
    "second - half": "TEAM-PTS_H2",
    f"final {QUARTER_MINUTES} minutes": QUARTERS[3],
    "in overtime": "TEAM-PTS_OT",
    "overtime period": "TEAM-PTS_OT",
}
_NOT_A_HALF = frozenset("quarter minutes period lead run".split())
_OUTSCORED = frozenset("outscored outscoring outscore scored scoring score won winning".split())
_NOT_ALL_POINTS = frozenset("paint bench boards own fast".split())
_OVERTIME_NOUNS = ("win", "victory", "thriller", "loss", "defeat", "period", "session")
_PAST = frozenset("last after following previous earlier season first avoid force".split())
_PRONOUNS = frozenset("them their".split())
_LEAST_IN_A_HALF = 25  # of a team
_NOT_WHOLE_TEAM = frozenset("he his him combined combining combine bench starters reserves paint".split())


def half_score(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outscored the Magic 31 - 19 in the first half": the first number is the outscoring team's."""
    spans = recap.find(*_HALVES)
    for sentence in recap.sentences:
        halves = [(start, end) for start, end in spans if sentence.start <= start < sentence.end]
        for first, second in dashed_pairs(recap, sentence) if halves else ():
            start, end = next((half for half in halves if half[0] >= second.end), halves[-1])
            team = outdoing_team(recap, sentence, first.start, _OUTSCORED)
            between = recap.words[second.end : start if start > second.end else second.end + 8]
            if team is None or not -12 < start - second.end < 8 or _NOT_A_HALF.intersection(between):
                continue
            if _NOT_ALL_POINTS.intersection(recap.words[second.end : second.end + 5]):
                continue
            half = recap.phrase(start, end)
            is_pronoun = _PRONOUNS.intersection(recap.words[first.start - 4 : first.start])
            if is_pronoun and recap.facts.number(1 - team, _HALVES[half]) == first.value:
                team = 1 - team  # "they outscored them 31 - 19": the numbers tell who they are
            for number, owner in ((first, team), (second, 1 - team)):
                claim = f"{recap.name(owner)}: {number.value} points in the {half.removeprefix('in ')}"
                yield from judge_number(recap, number, owner, _HALVES[half], claim)


def half_points(recap: ParsedRecap) -> Iterator[Finding]:
    """ "scored 60 points in the first half", "held to 37 first - half points": of a team, if no player is named."""
    for sentence in sentences_of_this_game(recap):
        words = recap.words[sentence.start : sentence.end]
        if _NOT_WHOLE_TEAM.intersection(words) or not all(span.is_team for span in sentence.entities):
            continue
        for number in sentence.numbers:
            half, team = _half(recap, number.end), recap.team_at(number.start)
            if half is None or team is None or number.value < _LEAST_IN_A_HALF:
                continue
            owners = [side for side in (team, 1 - team) if recap.facts.number(side, half) == number.value]
            if owners:  # whether a team scored or allowed them is not read, so that no number is false
                claim = f"{recap.name(owners[0])}: {number.value} points in a half"
                yield from judge_number(recap, number, owners[0], half, claim)


def halftime_points(recap: ParsedRecap) -> Iterator[Finding]:
    """ "At halftime the Hawks had 55 points and the Heat had 48", "the score was 55 for the Hawks"."""
    for start, _ in recap.find("at halftime"):
        sentence = recap.sentence_at(start)
        teams = [span for span in sentence.entities if span.is_team and span.index is not None]
        if len(teams) < len(sentence.entities):
            continue  # a player's points, or another game's
        for number in sentence.numbers:
            after = [span for span in teams if number.end < span.start <= number.end + 2]
            before = [span for span in teams if span.end <= number.start - 1]
            if recap.word(number.end) == "for" and after:
                owner = after[0].index
            elif recap.word(number.start - 1) in ("had", "scored") and before and recap.word(number.end) != "-":
                owner = before[-1].index
            else:
                continue
            assert owner is not None
            yield from judge_number(recap, number, owner, "TEAM-PTS_H1")


def overtime(recap: ParsedRecap) -> Iterator[Finding]:
    """ "defeated the Bucks 101 - 96 in overtime", "this overtime win"."""
    ends = [end for start, end in recap.find("in overtime", "in double overtime") if recap.sentence_index(start) == 0]
    spans = [(end - 1, end) for end in ends[:1]]
    for start, _ in recap.find(*(f"overtime {noun}" for noun in _OVERTIME_NOUNS)):
        sentence = recap.sentence_at(start)
        is_this = not recap.looks_ahead(recap.sentence_index(start)) and not is_other_game(recap, sentence)
        if is_this and not _PAST.intersection(recap.words[max(sentence.start, start - 5) : start]):
            spans.append((start, start + 1))
    for start, end in spans:
        fact = recap.facts.get(recap.team_at(start) or 0, "TEAM-ENDED_IN")
        if fact is not None:
            yield decide("word", start, end, fact.value == "overtime", "overtime was played", fact=fact)


def _half(recap: ParsedRecap, position: int) -> str | None:
    """The half that "points in the first half" or "first - half points" after a number name."""
    for phrase in ("before halftime", "by halftime", "before the break", "by the break", "before intermission"):
        if recap.phrase(position, position + 1 + len(phrase.split())) == f"points {phrase}":
            return "TEAM-PTS_H1"
    for half, attribute in (("first", "TEAM-PTS_H1"), ("second", "TEAM-PTS_H2")):
        for phrase in (f"points in the {half} half", f"in the {half} half", f"{half} - half points"):
            if recap.phrase(position, position + len(phrase.split())) == phrase:
                return attribute
    return None
