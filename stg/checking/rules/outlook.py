"""The next game ("The Lakers head home to face the Pistons on Friday"): opponent, day and place.

A *fixture* is a team named as one to play against: "host the Pistons", "are at home against the Pistons", "the Nuggets
at the Phoenix Suns", with the team of this game that plays it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from modeling_stg.facts import Fact
from modeling_stg.nba import CITY_FORMS, FULL_CITY
from modeling_stg.numbers import read_number
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import EntitySpan, SentenceSpans, team_forms


_HOSTING = frozenset("host hosts hosting welcome welcomes welcoming entertain entertains".split())
_VISITING = frozenset("visit visits visiting".split())
_PLAYING = frozenset(
    "face faces facing play plays playing meet meets meeting battle battles await awaits tangle challenge off get "
    "gets".split()
)
_AGAINST = frozenset("against versus vs. with".split())
_TRIPS = frozenset("go goes going travel travels traveling head heads heading trip visit take takes".split())
_CUES = frozenset(  # before "against the Pistons" and "at the Pistons"
    "play plays playing is are be action home road away game games stop contest matchup date continue continues next "
    "again when with tilt showdown meeting return returns resume resumes stay stays back will 'll look looks try "
    "opener".split()
)
_HOME = frozenset("home homestand".split())
_AWAY = frozenset("road away travel travels traveling".split())
_BREAKS = frozenset(", and but when who which while whereas ; where".split())
_LATER = frozenset("before after then followed until".split())  # another game, or another time
_OBJECT = frozenset("against over versus to beat beating defeated beats with from".split())
_STAYING = frozenset("remain remains stay stays head heads return returns".split())
_BOTH = frozenset("both teams clubs each".split())
_SAME_DAY = {  # phrase -> days after the day named last
    **dict.fromkeys(("same day", "that day", "same night", "that night", "same evening", "that evening"), 0),
    **dict.fromkeys(("a day later", "one day later", "a night later", "next day", "following day"), 1),
    **dict.fromkeys(("next night", "following night", "day after", "night after"), 1),
    **dict.fromkeys(("a day earlier", "one day earlier", "a night earlier", "day before", "night before"), -1),
    **dict.fromkeys(("two days later", "two nights later"), 2),
}
_NEXT = ("TEAM-NEXT_OPPONENT", "TEAM-NEXT_CITY", "TEAM-NEXT_WEEKDAY", "TEAM-NEXT_PLACE")
_SHARED_CITY = (*FULL_CITY, *FULL_CITY.values())  # the city of two teams, so a trip there fits either
_AT = {"home": "at home", "road": "away"}


@dataclass(frozen=True)
class _Fixture:
    """A game to come: `team` of this game, the opponent's name, and the words between which its day is named.

    `verb` is where the words that join them begin, and `place` where they say it is, if they do. `phrase` is where
    the clause begins that may say so too: "return home to face".
    """

    team: int
    opponent: EntitySpan
    verb: int
    place: str | None
    phrase: int
    start: int
    end: int


def next_game(recap: ParsedRecap) -> Iterator[Finding]:
    """Claims about each team's next game; "before hosting the Spurs" is the game after that."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index):
            continue
        fixtures = _fixtures(recap, sentence)
        for fixture in fixtures:
            yield from _opponent(recap, fixture)
            yield from _place(recap, fixture)
            yield from _days(recap, [fixture.team], fixture.start, fixture.end)
            yield from _same_day(recap, fixture)
        yield from _shared(recap, sentence, fixtures)


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


def _fixtures(recap: ParsedRecap, sentence: SentenceSpans) -> list[_Fixture]:
    """The next games of a sentence, one per team; a second one of the same team is a later game."""
    teams = [span for span in sentence.entities if span.is_team]
    joints = {span.start: joint for span in teams if (joint := _joint(recap, sentence, span))}
    found: list[_Fixture] = []
    for span in teams:
        if span.start not in joints:
            continue
        verb, place = joints[span.start]
        subject = _subject(recap, [other for other in teams if other.start not in joints and other.end <= verb], verb)
        team, opponent = (None if subject is None else subject.index), span
        is_own_city = subject is not None and subject.index is not None and subject.index == span.index
        if is_own_city and recap.word(span.start - 1) in ("to", "in"):  # "head back to New York for their opener"
            continue
        if subject is not None and subject.index is None:  # "The Hawks visit the Knicks"
            team, opponent, place = span.index, subject, {"home": "road", "road": "home"}.get(place or "")
        elif subject is None:
            team = _unnamed(recap, verb, span)
        last = found[-1].end if found else sentence.start
        start = max(last, subject.start if subject is not None else sentence.start)
        is_again = any(other.team == team for other in found) and (subject is None or subject.start < last)
        if is_again and found[-1].team == team and _is_same(recap, found[-1], verb):
            found.append(_Fixture(team, opponent, verb, place, verb, verb, verb))
            continue
        if team is None or is_again or _is_later(recap, start, verb):
            continue
        phrase = _phrase(recap, start, verb)
        end = _end(recap, sentence, teams, span)
        found.append(_Fixture(team, opponent, verb, place, phrase, start, end))
    return found


def _phrase(recap: ParsedRecap, start: int, verb: int) -> int:
    """Where the clause of a verb begins; "remain home and await" is one clause."""
    breaks = [start, *(at + 1 for at in range(start, verb) if recap.words[at] in _BREAKS)]
    if len(breaks) > 1 and breaks[-1] == verb and recap.words[verb - 1] == "and":
        if _STAYING.intersection(recap.words[breaks[-2] : verb]):
            return breaks[-2]
    return breaks[-1]


def _is_same(recap: ParsedRecap, fixture: _Fixture, verb: int) -> bool:
    """Whether a second name is still of the same game: "head to Miami on Friday to face the Heat"."""
    between = recap.words[fixture.opponent.end : verb]
    is_place = recap.word(fixture.opponent.start - 1) in ("to", "in")
    return not _LATER.intersection(between) and (is_place or "and" not in between)


def _joint(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> tuple[int, str | None] | None:
    """Where the words begin that name a team as one to play against, and the place they imply."""
    at = span.start - 1
    known = _HOSTING | _VISITING | {"the", "host"}
    if recap.word(at) not in known and recap.word(at - 1) == "the":  # "the struggling Hawks"
        at -= 1
    at -= recap.word(at) == "the"
    word, before = recap.word(at), recap.word(at - 1)
    if at < sentence.start:
        return None
    if word in ("visiting", "host") and before == "the":  # "against the visiting Hawks"
        joint = _joint(recap, sentence, EntitySpan(at, span.end, span.text, True, span.index))
        return None if joint is None else (joint[0], "home" if word == "visiting" else "road")
    if word in _HOSTING:
        return at, "home"
    if word in _VISITING:
        return at, "road"
    if word in _PLAYING:
        return at, None
    if word == "on" and before in ("take", "takes", "taking"):
        return at - 1, None
    if word == "with" and before == "off":
        return at - 1, None
    phrase = recap.words[max(sentence.start, at - 8) : at]
    broken = max((place + 1 for place, other in enumerate(phrase) if other in _BREAKS), default=0)
    near = phrase[broken:]
    if word == "to":
        first = at - len(near)
        homes = [first + place for place, other in enumerate(near) if other in ("host", "home")]
        trips = [first + place for place, other in enumerate(near) if other in _TRIPS]
        return (homes[-1], "home") if homes else (trips[-1], "road") if trips else None
    is_game = bool(_CUES.intersection(near) or set(WEEKDAY_WORDS).intersection(near))
    is_elliptic = bool(_BOTH.union(["when"]).intersection(recap.words[sentence.start : at]))
    follows_team = any(other.is_team and other.end in (at, at + 1) for other in sentence.entities)
    if word in _AGAINST or word == "at":
        is_record = read_number(recap.words, at - 1) is not None or "season" in recap.words[span.end : span.end + 2]
        is_told = not is_record and "series" not in near and (is_game or (is_elliptic and follows_team))
        return (at, "road" if word == "at" else None) if is_told else None
    if word == "in" and is_game and span.index is None:
        return at, "road"
    return (span.start, None) if is_elliptic and follows_team and span.index is None else None


def _subject(recap: ParsedRecap, teams: list[EntitySpan], verb: int) -> EntitySpan | None:
    """The team that plays: the last one named before, if it is no object ("beat the Hawks and host")."""
    is_relative = any(recap.word(at) in ("who", "which") for at in (verb - 1, verb - 2))
    subjects = [
        span
        for span in teams
        if (is_relative and span is teams[-1])
        or recap.word(span.start - 1 - (recap.word(span.start - 1) == "the")) not in _OBJECT
    ]
    return subjects[-1] if subjects else None


def _unnamed(recap: ParsedRecap, verb: int, opponent: EntitySpan) -> int | None:
    """The team that "they" are: the one with this opponent, else the running subject."""
    running = recap.team_at(recap.sentence_at(verb).start)
    if running is None:
        return None
    return next((team for team in (running, 1 - running) if _is_next(recap, team, opponent)), running)


def _is_next(recap: ParsedRecap, team: int, span: EntitySpan) -> bool:
    """Whether a name is that of a team's next opponent."""
    name, city = (recap.facts.value(team, attribute) for attribute in _NEXT[:2])
    if name is None or city is None:
        return False
    cities = (city, *CITY_FORMS.get(city, ()))
    return span.text in (*team_forms(name, city), *(f"{form} {name}" for form in cities))


def _is_later(recap: ParsedRecap, start: int, verb: int) -> bool:
    """Whether a fixture is the game after the next: "visit the Wizards before hosting the Spurs"."""
    words = recap.words[start:verb]
    return "then" in words[-3:] or (start > 0 and words[:1] == ["before"])


def _end(recap: ParsedRecap, sentence: SentenceSpans, teams: list[EntitySpan], span: EntitySpan) -> int:
    """Where the words about a fixture end: at "while", "before", or "and the Spurs"."""
    named = {other.start for other in teams if other.start > span.start}
    for at in range(span.end, sentence.end):
        follows = named.intersection((at + 1, at + 2))
        if recap.words[at] in _LATER | {"while", "whereas", ";", "when"} or (
            recap.words[at] in ("and", ",", "with", "but") and follows
        ):
            return at
    return sentence.end


def _opponent(recap: ParsedRecap, fixture: _Fixture) -> Iterator[Finding]:
    span = fixture.opponent
    name, city, _, place = (recap.facts.get(fixture.team, attribute) for attribute in _NEXT)
    if name is None or city is None or place is None:
        return
    own = recap.facts.get(fixture.team, "TEAM-CITY") if place.value == "home" else None
    where = own or city
    is_place = recap.word(span.start - 1) in ("to", "in")
    fits = _is_next(recap, fixture.team, span) or (is_place and span.text in (where.value, *_SHARED_CITY))
    truth = where.value if is_place else recap.team_in_place_of(span, name.value, city.value)
    fact = where if is_place else city if span.text == city.value else name
    yield decide("name", span.start, span.end, fits, f"{span.text}: the next opponent", truth, fact)


def _place(recap: ParsedRecap, fixture: _Fixture) -> Iterator[Finding]:
    """The verb, "host" or "visit", and the words around it: "return home to face", "play them on the road"."""
    fact = recap.facts.get(fixture.team, "TEAM-NEXT_PLACE")
    if fact is None:
        return
    if fixture.place is not None and recap.word(fixture.verb) != "in":  # "in Denver": the name is judged
        yield _place_finding(recap, fixture.verb, fixture.team, fixture.place, fact)
    for at in [*range(fixture.phrase, fixture.verb), *range(fixture.opponent.end, fixture.end)]:
        yield from _place_word(recap, at, [fixture.team])


def _place_word(recap: ParsedRecap, at: int, teams: list[int]) -> Iterator[Finding]:
    """ "home" or "road", unless it is part of a record or of a longer word: "4 - 9 on the road", "home floor"."""
    word = recap.words[at]
    before = recap.words[max(0, at - 3) : at]
    is_record = any(read_number(before, place) for place in range(len(before))) or recap.word(at + 1) == "record"
    if word not in _HOME | _AWAY or is_record or recap.words[at - 2 : at] == ["away", "from"]:
        return
    place = "home" if word in _HOME else "road"
    for team in teams:
        fact = recap.facts.get(team, "TEAM-NEXT_PLACE")
        if fact is not None and (fact.value != place or team == teams[-1]):
            yield _place_finding(recap, at, team, place, fact)
            return


def _place_finding(recap: ParsedRecap, at: int, team: int, place: str, fact: Fact) -> Finding:
    claim = f"{recap.name(team)}: play next {_AT[place]}"
    return decide("word", at, at + 1, place == fact.value, claim, _AT[fact.value], fact)


def _days(recap: ParsedRecap, teams: list[int], start: int, end: int) -> Iterator[Finding]:
    """Weekdays between two positions, which must be the next game's of all teams."""
    for at in range(start, end):
        if recap.words[at] not in WEEKDAY_WORDS or recap.word(at + 1) == "'s":
            continue
        facts = [fact for team in teams if (fact := recap.facts.get(team, "TEAM-NEXT_WEEKDAY"))]
        if facts:
            wrong = [fact for fact in facts if fact.value.lower() != recap.words[at]]
            fact = (wrong or facts)[0]
            claim = f"{recap.name(fact.entity or 0)}: play next on {recap.tokens[at]}"
            yield decide("name", at, at + 1, not wrong, claim, fact.value, fact)


def _same_day(recap: ParsedRecap, fixture: _Fixture) -> Iterator[Finding]:
    """ "the same day", "a day later" and "on Friday , when the Hawks host": the day named last, or one near it."""
    own = [at for at in range(fixture.start, fixture.end) if recap.words[at] in WEEKDAY_WORDS]
    fact = recap.facts.get(fixture.team, "TEAM-NEXT_WEEKDAY")
    earlier = [at for at in range(max(0, fixture.start - 40), fixture.start) if recap.words[at] in WEEKDAY_WORDS]
    if own or fact is None or not earlier:
        return
    day = WEEKDAY_WORDS.index(recap.words[earlier[-1]])
    spans = [
        (start, end, _SAME_DAY[recap.phrase(start, end)])
        for start, end in recap.find(*_SAME_DAY)
        if fixture.start <= start < fixture.end
    ]
    opening = [at for at in (fixture.start - 1, fixture.start - 2) if recap.word(at) == "when"]
    spans += [(at, at + 1, 0) for at in opening if not spans]
    for start, end, shift in spans:
        named = WEEKDAY_WORDS[(day + shift) % len(WEEKDAY_WORDS)]
        claim = f"{recap.name(fixture.team)}: play next on {named}"
        yield decide("word", start, end, named == fact.value.lower(), claim, fact.value, fact)


def _shared(recap: ParsedRecap, sentence: SentenceSpans, fixtures: list[_Fixture]) -> Iterator[Finding]:
    """What is said before the first fixture or without one.

    "Both teams are home on Friday , when ..." and "On Friday the Pacers visit ..." are of all fixtures; "The teams
    meet again on Saturday in Miami" is of both teams; "The Knicks play next on Friday" is of one.
    """
    start, end = sentence.start, min((fixture.start for fixture in fixtures), default=sentence.end)
    words = recap.words[start:end]
    teams = [fixture.team for fixture in fixtures if not _has_day(recap, fixture)]
    if _BOTH.intersection(words) or {"two", "teams"} <= set(words):
        teams = [0, 1]
    elif fixtures and words[:1] != ["on"]:
        return
    elif not fixtures:
        subject = recap.team_at(start if not _own(sentence) else _own(sentence)[0].end)
        teams = [subject] if "next" in words and subject is not None else []
    if not teams:
        return
    named = [span.start for span in _own(sentence)] if not fixtures and "again" not in words else []
    yield from _days(recap, teams, start, min([end, *named]) if len(teams) > 1 else end)
    if not fixtures and _is_rematch(words):
        yield from _rematch(recap, sentence)
        return
    for at in range(start, end):
        yield from _place_word(recap, at, teams)


def _has_day(recap: ParsedRecap, fixture: _Fixture) -> bool:
    return any(recap.words[at] in WEEKDAY_WORDS for at in range(fixture.start, fixture.end))


def _own(sentence: SentenceSpans) -> list[EntitySpan]:
    return [span for span in sentence.entities if span.is_team and span.index is not None]


def _is_rematch(words: list[str]) -> bool:
    """ "The two teams meet again", "The same teams play again"; "Both teams play again" are two games."""
    return "again" in words and "both" not in words and bool({"meet", "same", "two", "play"}.intersection(words))


def _rematch(recap: ParsedRecap, sentence: SentenceSpans) -> Iterator[Finding]:
    """A next game of the two teams against each other, and where: "in Miami", "with the Clippers at home"."""
    opponent = recap.facts.get(0, "TEAM-NEXT_OPPONENT")
    if opponent is None:
        return
    is_true = opponent.value == recap.team_names(1)[0]
    for start, end in recap.find("again"):
        if sentence.start <= start < sentence.end:
            yield decide("word", start, end, is_true, "the teams play each other next", None, opponent)
    for start, _ in recap.find("two teams"):
        if sentence.start <= start < sentence.end:
            yield decide("word", start, start + 1, is_true, "the two teams of this game", None, opponent)
    for span in _own(sentence) if is_true else ():
        place = recap.facts.get(span.index or 0, "TEAM-NEXT_PLACE")
        is_there = recap.word(span.start - 1) in ("in", "on", "at") or "home" in recap.words[span.end : span.end + 5]
        if place is not None and is_there:
            claim = f"{span.text}: the place of the next game"
            yield decide("name", span.start, span.end, place.value == "home", claim, None, place)
