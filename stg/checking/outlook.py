"""Sentences that look ahead ("The Lakers head home to face the Pistons on Friday"): opponent, day and place."""

from collections.abc import Iterator, Sequence

from modeling_stg.game import Game
from modeling_stg.schema import WEEKDAY_WORDS
from modeling_stg.season import Season, side
from stg.checking.findings import Finding, judged
from stg.checking.reading import Reading
from stg.extraction.candidates import EntitySpan, SentenceSpans, team_forms


_AHEAD = frozenset("travel travels traveling next will upcoming deck await awaits".split())
_PHRASES = (
    *("head to", "head back", "head home", "head out", "head on", "heads to", "heads back", "heads home", "head into"),
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
_BESIDE = ("while", "whereas", ";")
_CLAUSES = (*_BESIDE, "before", "after")


def is_outlook(reading: Reading, number: int) -> bool:
    """Whether a sentence, not the first, speaks of games to come."""
    sentence = reading.sentences[number]
    return number > 0 and looks_ahead(reading.words[sentence.start : sentence.end])


def looks_ahead(words: Sequence[str]) -> bool:
    """Whether the words of a sentence, in lower case, are about games to come."""
    text = " ".join(words)
    ahead = _AHEAD.intersection(words) or any(f" {phrase} " in f" {text} " for phrase in _PHRASES)
    return bool(ahead) and not _SERIES.intersection(words)


def outlook_findings(reading: Reading, season: Season) -> Iterator[Finding]:
    """What a sentence says of each team's next game; "before hosting the Spurs" is of the game after that."""
    for number, sentence in enumerate(reading.sentences):
        told: set[int] = set()
        for start, end in _clauses(reading, sentence) if is_outlook(reading, number) else ():
            teams = [span for span in sentence.entities if span.is_team and start <= span.start < end]
            team = _subject(reading, teams, start)
            if team is not None and (team not in told or reading.words[start] in _BESIDE):
                findings = list(_next_game(reading, season, team, teams, start, end))
                told.update([team] if findings else [])
                yield from findings


def _clauses(reading: Reading, sentence: SentenceSpans) -> list[tuple[int, int]]:
    """Parts of a sentence that may speak of different games: cut at "while", "before" and ", and the Spurs"."""
    named = {span.start for span in sentence.entities if span.is_team}
    cuts = [
        place
        for place in range(sentence.start + 1, sentence.end)
        if reading.words[place] in _CLAUSES
        or (reading.words[place] == "and" and named.intersection((place + 1, place + 2)))
    ]
    return list(zip([sentence.start, *cuts], [*cuts, sentence.end], strict=True))


def _subject(reading: Reading, teams: list[EntitySpan], start: int) -> int | None:
    """The team of this game whose next one is told: named otherwise than as an opponent, or spoken of before; where
    another team meets it ("The Hawks visit the Knicks next"), the one that is met."""
    own = [span for span in teams if span.index is not None]
    subjects = [span.index for span in own if not _is_met(reading, span)]
    if subjects:
        return subjects[0]
    met_by_others = own and any(span.index is None and not _is_met(reading, span) for span in teams)
    return own[0].index if met_by_others else reading.team(start)


def _next_game(
    reading: Reading, season: Season, team: int, teams: list[EntitySpan], start: int, end: int
) -> Iterator[Finding]:
    name = reading.game.entities[team].values["TEAM-NAME"]
    coming = season.next(reading.game, team)
    rivals = [span for span in teams if span.index != team and _is_met(reading, span)]
    hosts = [span for span in teams if span.index is None and span not in rivals]  # "The Hawks visit the Knicks next"
    if coming is None or hosts or not (rivals or "next" in reading.words[start:end]):
        return
    own = side(coming, name)
    yield from _opponents(reading, rivals[:2], coming, 1 - own)
    yield from _days(reading, coming, start, end, name)
    yield from _places(reading, start, end, own == 0, name)


def _is_met(reading: Reading, span: EntitySpan) -> bool:
    """Whether a team is named as one to play against: "face off with the Pistons", "in a matchup against them"."""
    before = [word for word in reading.words[max(0, span.start - 4) : span.start] if word not in ("the", "a")]
    return bool(_MEET.intersection(before[-2:]))


def _opponents(reading: Reading, rivals: list[EntitySpan], coming: Game, other: int) -> Iterator[Finding]:
    opponent = coming.entities[other]
    city, name = opponent.values["TEAM-CITY"], opponent.values["TEAM-NAME"]
    for span in rivals:
        is_place = reading.word(span.start - 1) in ("to", "in")
        fits = span.text in team_forms(name, city) or name in span.text
        fits = fits or (is_place and span.text in (coming.home.values["TEAM-CITY"], "Los Angeles", "LA"))
        truth = coming.home.values["TEAM-CITY"] if is_place else reading.team_for(span, opponent)
        yield judged("name", span.start, span.end, fits, f"{span.text}: the next opponent", truth)


def _days(reading: Reading, coming: Game, start: int, end: int, name: str) -> Iterator[Finding]:
    day = WEEKDAY_WORDS[coming.date.weekday()]
    for place in range(start, end):
        if reading.words[place] in WEEKDAY_WORDS and reading.word(place + 1) != "'s":
            claim = f"{name}: play next on {reading.tokens[place]}"
            yield judged("name", place, place + 1, reading.words[place] == day, claim, day.capitalize())


def _places(reading: Reading, start: int, end: int, at_home: bool, name: str) -> Iterator[Finding]:
    for place in range(start, end):
        word = reading.words[place]
        if word in _HOME or word in _AWAY:
            claim = f"{name}: play next {'at home' if word in _HOME else 'away'}"
            truth = "at home" if at_home else "away"
            yield judged("word", place, place + 1, (word in _HOME) == at_home, claim, truth)
