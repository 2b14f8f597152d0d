"""The next game ("The Lakers head home to face the Pistons on Friday"): opponent, day and place."""

from collections.abc import Iterator

from modeling_stg.nba import FULL_CITY
from modeling_stg.schema import WEEKDAY_WORDS
from modeling_stg.season import Fixture
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import EntitySpan, SentenceSpans, team_forms


_MEET = frozenset(
    "against face faces facing host hosts hosting visit visits visiting play plays playing on welcome welcomes await "
    "awaits meet meets battle battles with hosted versus vs. tangle to from".split()
)
_HOME = frozenset("home host hosts hosting welcome welcomes".split())
_AWAY = frozenset("road travel travels traveling visit visits".split())
_OTHER_SUBJECT = ("while", "whereas", ";")
_NEW_CLAUSE = (*_OTHER_SUBJECT, "before", "after")
_SHARED_CITY = (*FULL_CITY, *FULL_CITY.values())  # the city of two teams, so a trip there fits either


def next_game(recap: ParsedRecap) -> Iterator[Finding]:
    """Claims about each team's next game; "before hosting the Spurs" is the game after that."""
    for index, sentence in enumerate(recap.sentences):
        done: set[int] = set()
        for start, end in _clauses(recap, sentence) if recap.looks_ahead(index) else ():
            teams = [span for span in sentence.entities if span.is_team and start <= span.start < end]
            team = _subject(recap, teams, start)
            if team is not None and (team not in done or recap.words[start] in _OTHER_SUBJECT):
                findings = list(_clause_findings(recap, team, teams, start, end))
                done.update([team] if findings else [])
                yield from findings


def _clauses(recap: ParsedRecap, sentence: SentenceSpans) -> list[tuple[int, int]]:
    """Parts of a sentence that may be about different games: cut at "while", "before" and ", and the Spurs"."""
    named = {span.start for span in sentence.entities if span.is_team}
    cuts = [
        position
        for position in range(sentence.start + 1, sentence.end)
        if recap.words[position] in _NEW_CLAUSE
        or (recap.words[position] == "and" and named.intersection((position + 1, position + 2)))
    ]
    return list(zip([sentence.start, *cuts], [*cuts, sentence.end], strict=True))


def _subject(recap: ParsedRecap, teams: list[EntitySpan], start: int) -> int | None:
    """The team of this game whose next game a clause is about.

    A team that is not named as an opponent; else, if an outsider plays it ("The Hawks visit the Knicks next"), the
    opponent; else the running subject.
    """
    own = [span for span in teams if span.index is not None]
    subjects = [span.index for span in own if not _is_opponent(recap, span)]
    if subjects:
        return subjects[0]
    is_visited = own and any(span.index is None and not _is_opponent(recap, span) for span in teams)
    return own[0].index if is_visited else recap.team_at(start)


def _clause_findings(
    recap: ParsedRecap, team: int, teams: list[EntitySpan], start: int, end: int
) -> Iterator[Finding]:
    game = recap.season.next(recap.game, team)
    opponents = [span for span in teams if span.index != team and _is_opponent(recap, span)]
    outsiders = [
        span for span in teams if span.index is None and span not in opponents
    ]  # "The Hawks visit the Knicks"
    if game is None or outsiders or not (opponents or "next" in recap.words[start:end]):
        return
    name = recap.name(team)
    own = game.names.index(name)
    yield from _opponents(recap, opponents[:2], game, 1 - own)
    yield from _days(recap, game, start, end, name)
    yield from _places(recap, start, end, own == 0, name)


def _is_opponent(recap: ParsedRecap, span: EntitySpan) -> bool:
    """Whether a team is named as one to play against: "face off with the Pistons", "in a matchup against them"."""
    before = [word for word in recap.words[max(0, span.start - 4) : span.start] if word not in ("the", "a")]
    return bool(_MEET.intersection(before[-2:]))


def _opponents(recap: ParsedRecap, spans: list[EntitySpan], game: Fixture, other: int) -> Iterator[Finding]:
    opponent, city, home_city = game.names[other], game.cities[other], game.cities[0]
    for span in spans:
        is_place = recap.word(span.start - 1) in ("to", "in")
        fits = span.text in team_forms(opponent, city) or opponent in span.text
        fits = fits or (is_place and span.text in (home_city, *_SHARED_CITY))
        truth = home_city if is_place else recap.team_in_place_of(span, opponent, city)
        yield decide("name", span.start, span.end, fits, f"{span.text}: the next opponent", truth)


def _days(recap: ParsedRecap, game: Fixture, start: int, end: int, name: str) -> Iterator[Finding]:
    day = WEEKDAY_WORDS[game.date.weekday()]
    for position in range(start, end):
        word = recap.words[position]
        if word in WEEKDAY_WORDS and recap.word(position + 1) != "'s":
            claim = f"{name}: play next on {recap.tokens[position]}"
            yield decide("name", position, position + 1, word == day, claim, day.capitalize())


def _places(recap: ParsedRecap, start: int, end: int, at_home: bool, name: str) -> Iterator[Finding]:
    for position in range(start, end):
        word = recap.words[position]
        if word in _HOME or word in _AWAY:
            claim = f"{name}: play next {'at home' if word in _HOME else 'away'}"
            truth = "at home" if at_home else "away"
            yield decide("word", position, position + 1, (word in _HOME) == at_home, claim, truth)
