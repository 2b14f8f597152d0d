"""Numbers that both teams' cells decide together: the final score, its margin, halves, the battle on the boards."""

from collections.abc import Iterator

from modeling_stg.nba import LEAST_TOTAL
from stg.checking.findings import Finding, judged
from stg.checking.reading import Reading
from stg.extraction.candidates import NumberSpan, SentenceSpans


_RESULTS = frozenset("win victory loss defeat triumph rout blowout".split())
_EARLIER = frozenset("previous last came coming entered entering checked following".split())
_PERIODS = {"first half": (1, 2), "second half": (3, 4), "final 12 minutes": (4,)}  # and their quarters
_OTHERWISE = frozenset("quarter minutes period lead run".split())
_OUTSCORED = frozenset("outscored outscoring outscore scored scoring score won winning".split())
_NOT_TOTALS = frozenset("led trailed tied late trailing".split())


def count_findings(reading: Reading) -> Iterator[Finding]:
    yield from _final_score(reading)
    yield from _margins(reading)
    yield from _periods(reading)
    yield from _battles(reading)


def _dashed(reading: Reading, sentence: SentenceSpans) -> list[tuple[NumberSpan, NumberSpan]]:
    """Numbers that a hyphen joins, "105 - 104", but not a record in brackets."""
    return [
        (first, second)
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False)
        if reading.words[first.end : second.start] == ["-"] and reading.word(first.start - 1) != "("
    ]


def _cell(reading: Reading, number: NumberSpan, team: int, attribute: str) -> Finding:
    value = reading.value(team, attribute)
    claim = f"{reading.name(team)}: {number.value} {attribute}"
    cell = (team, attribute)
    return judged("number", number.start, number.end, number.value == value, claim, str(value), cell)


def _final_score(reading: Reading) -> Iterator[Finding]:
    """The first sentence's score, in either order: who won is another matter."""
    first = reading.sentences[0] if reading.sentences else None
    if first is None or not reading.has("TEAM-PTS") or sum(span.is_team for span in first.entities) < 2:
        return
    for span in first.entities:  # "Bucks 105 , Knicks 104"
        for number in first.numbers:
            after = number.start == span.end and reading.word(number.end) != "-"
            if after and span.is_team and span.index is not None and number.value >= LEAST_TOTAL["TEAM-PTS"]:
                yield _cell(reading, number, span.index, "TEAM-PTS")
    scores = [pair for pair in _dashed(reading, first) if max(pair[0].value, pair[1].value) >= LEAST_TOTAL["TEAM-PTS"]]
    for score in scores[:1]:
        higher = score[0].value >= score[1].value
        first_team = 0 if reading.has_won(0) == higher else 1
        for number, team in zip(score, (first_team, 1 - first_team), strict=True):
            yield _cell(reading, number, team, "TEAM-PTS")


def _margins(reading: Reading) -> Iterator[Finding]:
    """ "a 30 - point win", "won by 30", unless it is another game's."""
    if not reading.has("TEAM-PTS"):
        return
    margin = abs(reading.value(0, "TEAM-PTS") - reading.value(1, "TEAM-PTS"))
    for sentence in reading.sentences:
        for number in sentence.numbers:
            before = reading.words[max(sentence.start, number.start - 3) : number.start]
            after = reading.words[number.end : number.end + 3]
            result = after[:2] == ["-", "point"] and _RESULTS.intersection(after[2:])
            won_by = before[-2:] in (["won", "by"], ["lost", "by"], ["win", "by"]) and after[:1] != ["-"]
            earlier = _EARLIER.intersection(before)
            if (
                (result or won_by)
                and not earlier
                and (number.value == margin or not reading.is_elsewhere(number.start))
            ):
                claim = f"won by {number.value}"
                yield judged("number", number.start, number.end, number.value == margin, claim, str(margin))


def _periods(reading: Reading) -> Iterator[Finding]:
    """ "outscored the Magic 31 - 19 in the first half": the first number is of the team that outscored the other."""
    told = reading.find(*_PERIODS) if reading.has("TEAM-PTS_QTR4") else []
    for sentence in reading.sentences:
        periods = [(start, end) for start, end in told if sentence.start <= start < sentence.end]
        for first, second in _dashed(reading, sentence) if periods else ():
            start, end = next((period for period in periods if period[0] >= second.end), periods[-1])
            subject = outdoing(reading, sentence, first.start, _OUTSCORED)
            otherwise = reading.words[second.end : start if start > second.end else second.end + 8]
            if subject is None or not -12 < start - second.end < 8 or _OTHERWISE.intersection(otherwise):
                continue
            period = reading.phrase(start, end)
            for number, team in ((first, subject), (second, 1 - subject)):
                points = sum(reading.value(team, f"TEAM-PTS_QTR{quarter}") for quarter in _PERIODS[period])
                claim = f"{reading.name(team)}: {number.value} points in the {period}"
                yield judged("number", number.start, number.end, number.value == points, claim, str(points))


def outdoing(reading: Reading, sentence: SentenceSpans, place: int, verbs: frozenset[str]) -> int | None:
    """The team that is said by one of the verbs to outdo the other, before a place; None where none is, or whoever
    was outdone is spoken of."""
    words = reading.words[sentence.start : place]
    told = [sentence.start + at for at, word in enumerate(words) if word in verbs]
    if not told or _NOT_TOTALS.intersection(words) or reading.word(told[-1] + 1) == "by":
        return None
    if {"were", "was", "being"}.intersection(reading.words[max(0, told[-1] - 3) : told[-1]]):
        return None
    teams = [span for span in sentence.entities if span.is_team and span.index is not None and span.start < place]
    objects = [span.index for span in teams if span.start > told[-1]]
    subjects = [span.index for span in teams if span.start < told[-1]]
    if objects:
        return 1 - objects[-1]
    return subjects[-1] if subjects else None


def _battles(reading: Reading) -> Iterator[Finding]:
    """ "with the Jazz winning that battle , 43 - 34": on the boards."""
    for start, end in reading.find("winning that battle ,", "won that battle ,", "winning the battle ,"):
        sentence, team = reading.sentence(start), reading.team(start)
        told = any(word.startswith("rebound") for word in reading.words[sentence.start : start]) and reading.has(
            "TEAM-REB"
        )
        for score in _dashed(reading, sentence):
            if score[0].start == end and told and team is not None:
                for number, each in zip(score, (team, 1 - team), strict=True):
                    yield _cell(reading, number, each, "TEAM-REB")
