"""Numbers that both teams' cells decide together: the final score, its margin, halves, the battle on the boards."""

from collections.abc import Iterator

from checking.findings import Finding, judged
from checking.reading import Reading
from extraction_stg.candidates_stg import NumberSpan, SentenceSpans


LEAST_SCORE = 60  # what no team stays below
_RESULTS = frozenset("win victory loss defeat triumph rout blowout".split())
_EARLIER = frozenset("previous last came coming entered entering checked following".split())
_PERIODS = {"first half": (1, 2), "second half": (3, 4), "final 12 minutes": (4,)}  # and their quarters
_OTHERWISE = frozenset("quarter minutes period lead run".split())


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
        if reading.words[first.end : second.start] == ["-"] and reading.words[first.start - 1] != "("
    ]


def _cell(reading: Reading, number: NumberSpan, team: int, attribute: str) -> Finding:
    value = reading.value(team, attribute)
    claim = f"{reading.name(team)}: {number.value} {attribute}"
    cell = (team, attribute)
    return judged("number", number.start, number.end, number.value == value, claim, str(value), cell)


def _final_score(reading: Reading) -> Iterator[Finding]:
    """The first sentence's score, in either order: who won is another matter."""
    first = reading.sentences[0] if reading.sentences else None
    if first is None or sum(span.is_team for span in first.entities) < 2:
        return
    scores = [pair for pair in _dashed(reading, first) if max(pair[0].value, pair[1].value) >= LEAST_SCORE]
    for score in scores[:1]:
        higher = score[0].value >= score[1].value
        first_team = 0 if reading.has_won(0) == higher else 1
        for number, team in zip(score, (first_team, 1 - first_team), strict=True):
            yield _cell(reading, number, team, "TEAM-PTS")


def _margins(reading: Reading) -> Iterator[Finding]:
    """ "a 30 - point win", unless it is another game's."""
    margin = abs(reading.value(0, "TEAM-PTS") - reading.value(1, "TEAM-PTS"))
    for sentence in reading.sentences:
        for number in sentence.numbers:
            before = reading.words[max(sentence.start, number.start - 3) : number.start]
            after = reading.words[number.end : number.end + 3]
            if after[:2] == ["-", "point"] and _RESULTS.intersection(after[2:]) and not _EARLIER.intersection(before):
                claim = f"won by {number.value}"
                yield judged("number", number.start, number.end, number.value == margin, claim, str(margin))


def _periods(reading: Reading) -> Iterator[Finding]:
    """ "outscored the Magic 31 - 19 in the first half": the first number is of the team that is spoken of."""
    words, told = reading.words, reading.find(*_PERIODS)
    for sentence in reading.sentences:
        periods = [(start, end) for start, end in told if sentence.start <= start < sentence.end]
        for first, second in _dashed(reading, sentence) if periods else ():
            start, end = next((period for period in periods if period[0] >= second.end), periods[-1])
            teams = [span for span in sentence.entities if span.is_team and span.start < first.start]
            near = -12 < start - second.end < 8
            if not near or not teams or teams[0].index is None or _OTHERWISE.intersection(words[second.end : start]):
                continue
            if start < first.start and _OTHERWISE.intersection(words[second.end : second.end + 8]):
                continue
            verb, last = words[teams[-1].start - 2], teams[-1].index
            outscored = last is not None and (verb.startswith("outscor") or verb in ("scored", "scoring"))
            subject = 1 - last if outscored else teams[0].index
            period = reading.phrase(start, end)
            for number, team in ((first, subject), (second, 1 - subject)):
                points = sum(reading.value(team, f"TEAM-PTS_QTR{quarter}") for quarter in _PERIODS[period])
                claim = f"{reading.name(team)}: {number.value} points in the {period}"
                yield judged("number", number.start, number.end, number.value == points, claim, str(points))


def _battles(reading: Reading) -> Iterator[Finding]:
    """ "with the Jazz winning that battle , 43 - 34": on the boards."""
    for start, end in reading.find("winning that battle ,", "won that battle ,", "winning the battle ,"):
        sentence, team = reading.sentence(start), reading.team(start)
        told = any(word.startswith("rebound") for word in reading.words[sentence.start : start])
        for score in _dashed(reading, sentence):
            if score[0].start == end and told and team is not None:
                for number, each in zip(score, (team, 1 - team), strict=True):
                    yield _cell(reading, number, each, "TEAM-REB")
