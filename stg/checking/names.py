"""Names that cannot stand where they stand: people and teams that are not of this game, its weekday, its arena."""

from collections.abc import Iterator

from modeling_stg.nba import ARENA_NAMES, CITY_FORMS, arenas
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, judged
from stg.checking.outlook import is_outlook
from stg.checking.reading import Reading
from stg.extraction.claims import claimed_leaders, team_against_itself


_CONTESTS = frozenset("contest game matchup tilt affair meeting showdown win victory loss defeat".split())
_OTHER_DAYS = frozenset(
    "last since previous missing missed after from put behind following despite until before against over off".split()
)


def name_findings(reading: Reading) -> Iterator[Finding]:
    yield from _outsiders(reading)
    yield from _credits(reading)
    yield from _itself(reading)
    yield from _weekdays(reading)
    yield from _arenas(reading)


def _outsiders(reading: Reading) -> Iterator[Finding]:
    """Players of whom numbers are told, but who did not play."""
    of_outsiders = {
        relation.start
        for relation in reading.relations
        if relation.fact.entity is None or not reading.game.entities[relation.fact.entity].did_play
    }
    for number, sentence in enumerate(reading.sentences):
        for span in sentence.entities if not is_outlook(reading, number) else ():
            if not span.is_team and span.start in of_outsiders:
                claim = f"{span.text}: did not play in this game"
                yield judged("name", span.start, span.end, False, claim)
    yield from _opponents(reading)


def _opponents(reading: Reading) -> Iterator[Finding]:
    """The first sentence's teams: both of this game, unless both are named anyway, and not the same one twice."""
    teams = [span for span in reading.sentences[0].entities if span.is_team] if reading.sentences else []
    own = {span.index for span in teams} - {None}
    cities = {form for team in reading.game.entities[:2] for form in _cities(team.values["TEAM-CITY"])}
    for place, span in enumerate(teams):
        twice = place == 1 and span.index == teams[0].index and _opposes(reading, span.start)
        third = span.index is None and span.text not in cities and len(own) < 2 and _opposes(reading, span.start)
        if third or (twice and span.index is not None):
            named = span.index if span.index is not None else min(own, default=None)
            other = None if named is None else reading.game.entities[1 - named]
            truth = other and reading.team_for(span, other)
            yield judged("name", span.start, span.end, False, f"{span.text}: not the opponent", truth)


def _cities(city: str) -> tuple[str, ...]:
    return city, *CITY_FORMS.get(city, ())


def _opposes(reading: Reading, start: int) -> bool:
    """Whether a team is named as the other's opponent: "defeated the Hawks", "over the host Hawks"."""
    before = [word for word in reading.words[max(0, start - 4) : start] if word not in ("the", "visiting", "host")]
    return bool(before) and before[-1] not in (",", "(", ")", "at", "in", "'s", "former")


def _credits(reading: Reading) -> Iterator[Finding]:
    """Whose leader a player is said to be."""
    for sentence in reading.sentences:
        for player, team in claimed_leaders(reading.tokens, (sentence.start, sentence.end), list(sentence.entities)):
            own = reading.game.team_of(player.index)
            claim = f"{reading.name(player.index)}: plays for {team.text}"
            truth = reading.team_for(team, reading.game.entities[own])
            yield judged("name", team.start, team.end, own == team.index, claim, truth)


def _itself(reading: Reading) -> Iterator[Finding]:
    """A team that is said to play against itself."""
    for sentence in reading.sentences:
        span = team_against_itself(reading.tokens, (sentence.start, sentence.end), list(sentence.entities))
        if span is not None:
            claim = f"{span.text}: plays against itself"
            truth = reading.team_for(span, reading.game.entities[1 - span.index])
            yield judged("name", span.start, span.end, False, claim, truth)


def _weekdays(reading: Reading) -> Iterator[Finding]:
    """The day of this game: in the first sentence, or "came into Friday 's contest"; others may be of any game."""
    day = WEEKDAY_WORDS[reading.game.date.weekday()]
    for position, word in enumerate(reading.words):
        if word not in WEEKDAY_WORDS:
            continue
        before, after = reading.words[max(0, position - 4) : position], reading.words[position + 1 : position + 3]
        number = reading.number(position)
        this_game = after[:1] == ["'s"] and after[1:] and after[1] in _CONTESTS
        sentence = reading.sentence(position)
        said_right = word != day and day in reading.words[sentence.start : sentence.end]
        if (number > 0 and not this_game) or is_outlook(reading, number) or _OTHER_DAYS.intersection(before):
            continue
        if said_right:
            continue  # the other day is of another game
        claim = f"{reading.tokens[position]}: the day of the game"
        yield judged("name", position, position + 1, word == day, claim, day.capitalize())


def _arenas(reading: Reading) -> Iterator[Finding]:
    own = arenas(reading.game.home.values["TEAM-NAME"], reading.game.date)
    for start, end in reading.find(*(name.lower() for name in ARENA_NAMES)) if own else ():
        before = [word for word in reading.words[max(0, start - 2) : start] if word != "the"]
        is_true = reading.phrase(start, end) in [name.lower() for name in own]
        number = reading.number(start)
        elsewhere = is_outlook(reading, number) or (number > 0 and reading.is_elsewhere(start))
        if before[-1:] in (["from"], ["of"]) or (elsewhere and not is_true):
            continue
        claim = f"{' '.join(reading.tokens[start:end])}: where it was played"
        yield judged("name", start, end, is_true, claim, own[0])
