"""Sentences that look ahead ("The Lakers head home to face the Pistons on Friday"): opponent, day and place."""

from collections.abc import Iterator

from checking.findings import Finding, judged
from checking.reading import Reading
from checking.season import Season, side
from extraction_stg.candidates_stg import EntitySpan, SentenceSpans
from metrics.sanity import WEEKDAYS
from modeling_stg.game_stg import Game


_AHEAD = frozenset("head heads heading travel travels traveling next will upcoming deck await awaits looking".split())
_PHRASES = (
    *("remain home", "remain at home", "remain in", "return home", "returns home", "return to", "back home"),
    *("stay home", "stays home", "stay at home", "remain on the road", "look to bounce", "up next"),
    *("remains home", "remains at home", "stay on the road", "look to rebound", "play again", "continue their"),
    *("home again", "back in action", "will be"),
)
_MEET = frozenset(
    "against face faces facing host hosts hosting visit visits visiting play plays playing on welcome welcomes await "
    "awaits meet meets battle battles with hosted versus vs. tangle to from".split()
)
_SERIES = frozenset("series playoff playoffs game-7 round sweep standings place seed season".split())
_HOME = frozenset("home host hosts hosting welcome welcomes".split())
_AWAY = frozenset("road travel travels traveling visit visits".split())
_CLAUSES = ("while", "whereas", ";", "before", "after")


def is_outlook(reading: Reading, number: int) -> bool:
    """Whether a sentence, not the first, speaks of games to come."""
    sentence = reading.sentences[number]
    words = reading.words[sentence.start : sentence.end]
    text = " ".join(words)
    ahead = _AHEAD.intersection(words) or any(f" {phrase} " in f" {text} " for phrase in _PHRASES)
    return number > 0 and bool(ahead) and not _SERIES.intersection(words)


def outlook_findings(reading: Reading, season: Season) -> Iterator[Finding]:
    for number, sentence in enumerate(reading.sentences):
        if not is_outlook(reading, number):
            continue
        for start, end in _clauses(reading, sentence):
            yield from _clause(reading, season, sentence, start, end)


def _clauses(reading: Reading, sentence: SentenceSpans) -> list[tuple[int, int]]:
    """Parts of a sentence that may speak of different games: cut at "while", "before" and ", and the Spurs"."""
    named = {span.start for span in sentence.entities if span.is_team and span.index is not None}
    cuts = [
        place
        for place in range(sentence.start + 1, sentence.end)
        if reading.words[place] in _CLAUSES
        or (reading.words[place] == "and" and named.intersection((place + 1, place + 2)))
    ]
    return list(zip([sentence.start, *cuts], [*cuts, sentence.end], strict=True))


def _clause(reading: Reading, season: Season, sentence: SentenceSpans, start: int, end: int) -> Iterator[Finding]:
    """One team's next game: it is named first in its clause, or spoken of before."""
    teams = [span for span in sentence.entities if span.is_team and start <= span.start < end]
    subject = _subject(reading, teams, start)
    if subject is None:
        return
    team, rivals = subject
    name = reading.game.entities[team].values["TEAM-NAME"]
    coming = season.next(reading.game, team)
    rivals = [span for span in rivals if span.index != team and _is_met(reading, span)]
    if coming is None or not (rivals or "next" in reading.words[start:end]):
        return
    own = side(coming, name)
    yield from _opponents(reading, rivals, coming, 1 - own)
    yield from _days(reading, coming, start, end, name)
    yield from _places(reading, start, end, own == 0, name)


def _is_met(reading: Reading, span: EntitySpan) -> bool:
    """Whether a team is named as one to play against: "face off with the Pistons", "in a matchup against them"."""
    before = [word for word in reading.words[max(0, span.start - 4) : span.start] if word not in ("the", "a")]
    return bool(_MEET.intersection(before[-2:]))


def _subject(reading: Reading, teams: list[EntitySpan], start: int) -> tuple[int, list[EntitySpan]] | None:
    """The team whose next game is told, and those that are named as its opponent."""
    if teams and teams[0].index is not None and teams[0].start - start <= 4:
        return teams[0].index, teams[1:]
    for place, span in enumerate(teams):
        for_team = reading.words[span.start - 1] in ("for", "the") and "for" in reading.words[start : span.start]
        if span.index is not None and for_team:  # "on deck for Los Angeles is a matchup against the Blazers"
            return span.index, teams[place + 1 :]
    team = reading.team(start)
    return None if team is None else (team, teams)


def _opponents(reading: Reading, rivals: list[EntitySpan], coming: Game, other: int) -> Iterator[Finding]:
    opponent = coming.entities[other]
    city, name = opponent.values["TEAM-CITY"], opponent.values["TEAM-NAME"]
    for span in rivals:
        is_place = reading.words[span.start - 1] in ("to", "in")
        fits = span.text in (city, name, f"{city} {name}") or name in span.text
        fits = fits or (is_place and span.text in (coming.home.values["TEAM-CITY"], "Los Angeles", "LA"))
        truth = coming.home.values["TEAM-CITY"] if is_place else reading.team_for(span, opponent)
        yield judged("name", span.start, span.end, fits, f"{span.text}: the next opponent", truth)


def _days(reading: Reading, coming: Game, start: int, end: int, name: str) -> Iterator[Finding]:
    day = WEEKDAYS[coming.date.weekday()]
    for place in range(start, end):
        if reading.words[place] in WEEKDAYS:
            claim = f"{name}: play next on {reading.tokens[place]}"
            yield judged("name", place, place + 1, reading.words[place] == day, claim, day.capitalize())


def _places(reading: Reading, start: int, end: int, at_home: bool, name: str) -> Iterator[Finding]:
    for place in range(start, end):
        word = reading.words[place]
        if word in _HOME or word in _AWAY:
            claim = f"{name}: play next {'at home' if word in _HOME else 'away'}"
            truth = "at home" if at_home else "away"
            yield judged("word", place, place + 1, (word in _HOME) == at_home, claim, truth)
