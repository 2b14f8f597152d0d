"""The next game ("The Lakers head home to face the Pistons on Friday"): opponent, day and place."""

from collections.abc import Iterator

from modeling_stg.facts import Fact
from modeling_stg.nba import FULL_CITY
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import EntitySpan, SentenceSpans, team_forms


_MEET = frozenset(
    "against face faces facing host hosts hosting visit visits visiting play plays playing on welcome welcomes await "
    "awaits meet meets battle battles with hosted versus vs. tangle to from".split()
)
_HOME = frozenset("home host hosts hosting welcome welcomes".split())
_AWAY = frozenset("road travel travels traveling visit visits".split())
_NEXT = ("TEAM-NEXT_OPPONENT", "TEAM-NEXT_CITY", "TEAM-NEXT_WEEKDAY", "TEAM-NEXT_PLACE")
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


def days_off(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have two days off before hosting the Suns"; writers count days in their own ways, so none is false."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            after, team = recap.words[number.end : number.end + 3], recap.team_at(number.start)
            is_rest = after[:2] in (["days", "off"], ["days", "rest"]) or after == ["days", "of", "rest"]
            is_next = "before" in recap.words[number.end : sentence.end]
            if is_rest and is_next and team is not None:
                if recap.facts.number(team, "TEAM-NEXT_REST_DAYS") == number.value:
                    yield from judge_number(recap, number, team, "TEAM-NEXT_REST_DAYS")


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
    opponent, city, day, place = (recap.facts.get(team, attribute) for attribute in _NEXT)
    opponents = [span for span in teams if span.index != team and _is_opponent(recap, span)]
    outsiders = [
        span for span in teams if span.index is None and span not in opponents
    ]  # "The Hawks visit the Knicks"
    if outsiders or not (opponents or "next" in recap.words[start:end]):
        return
    if opponent is not None and city is not None and day is not None and place is not None:
        own_city = recap.facts.get(team, "TEAM-CITY") if place.value == "home" else None
        yield from _opponents(recap, opponents[:2], opponent, city, own_city or city)
        yield from _days(recap, day, start, end, recap.name(team))
        yield from _places(recap, place, start, end, recap.name(team))


def _is_opponent(recap: ParsedRecap, span: EntitySpan) -> bool:
    """Whether a team is named as one to play against: "face off with the Pistons", "in a matchup against them"."""
    before = [word for word in recap.words[max(0, span.start - 4) : span.start] if word not in ("the", "a")]
    return bool(_MEET.intersection(before[-2:]))


def _opponents(
    recap: ParsedRecap, spans: list[EntitySpan], opponent: Fact, city: Fact, where: Fact
) -> Iterator[Finding]:
    """`where` is the city of the game, `city` the opponent's."""
    for span in spans:
        is_place = recap.word(span.start - 1) in ("to", "in")
        is_opponent = span.text in team_forms(opponent.value, city.value) or opponent.value in span.text
        fits = is_opponent or (is_place and span.text in (where.value, *_SHARED_CITY))
        truth = where.value if is_place else recap.team_in_place_of(span, opponent.value, city.value)
        fact = where if is_place else city if span.text == city.value else opponent
        yield decide("name", span.start, span.end, fits, f"{span.text}: the next opponent", truth, fact)


def _days(recap: ParsedRecap, day: Fact, start: int, end: int, name: str) -> Iterator[Finding]:
    for position in range(start, end):
        word = recap.words[position]
        if word in WEEKDAY_WORDS and recap.word(position + 1) != "'s":
            claim = f"{name}: play next on {recap.tokens[position]}"
            yield decide("name", position, position + 1, word == day.value.lower(), claim, day.value, day)


def _places(recap: ParsedRecap, place: Fact, start: int, end: int, name: str) -> Iterator[Finding]:
    at_home = place.value == "home"
    for position in range(start, end):
        word = recap.words[position]
        if word in _HOME or word in _AWAY:
            claim = f"{name}: play next {'at home' if word in _HOME else 'away'}"
            truth = "at home" if at_home else "away"
            yield decide("word", position, position + 1, (word in _HOME) == at_home, claim, truth, place)
