"""Words that a box score decides: who won, who had a double-double, who came off the bench."""

from collections.abc import Iterator

from checking.findings import Finding, judged
from checking.reading import Reading
from metrics.sanity import winner_told


_DOUBLES = {"double - double": 2, "double-double": 2, "triple - double": 3, "triple-double": 3}
_NEARLY = frozenset("near nearly almost shy flirted flirting short".split())
_COUNTED = ("PTS", "REB", "AST", "STL", "BLK")
_BENCH = ("off the bench", "second unit", "reserve role", "in reserve", "bench role", "led the bench")
_OF_PLAYER = {"in the win": True, "in the victory": True, "in the loss": False, "in the defeat": False}
_OF_TEAM = {"bounce back": False, "build off this win": True, "build on this win": True, "keep rolling": True}


def word_findings(reading: Reading) -> Iterator[Finding]:
    yield from _winner(reading)
    yield from _results(reading)
    yield from _doubles(reading)
    yield from _bench(reading)
    yield from _starters(reading)


def _winner(reading: Reading) -> Iterator[Finding]:
    """The first sentence's verb of victory or defeat."""
    first = reading.sentences[0] if reading.sentences else None
    told = first and winner_told(reading.tokens, (first.start, first.end), list(first.entities))
    if told:
        team, place = told
        truth = f"{reading.name(1 - team)} won"
        yield judged("word", place, place + 1, reading.has_won(team), f"{reading.name(team)}: won", truth)


def _results(reading: Reading) -> Iterator[Finding]:
    """ "in the win", said of a player's game, and what a team looks ahead from: "bounce back" is for losers."""
    for start, end in reading.find(*_OF_PLAYER):
        player = reading.player(start)
        if player is not None:
            is_true = reading.has_won(reading.game.team_of(player)) == _OF_PLAYER[reading.phrase(start, end)]
            yield judged("word", end - 1, end, is_true, f"{reading.name(player)}: {reading.words[end - 1]}")
    for start, end in reading.find(*_OF_TEAM):
        team, won = reading.team(start), _OF_TEAM[reading.phrase(start, end)]
        if team is not None:
            place = end - 1 if reading.words[end - 1] == "win" else start
            claim = f"{reading.name(team)}: {'won' if won else 'lost'}"
            yield judged("word", place, end, reading.has_won(team) == won, claim)


def _doubles(reading: Reading) -> Iterator[Finding]:
    for start, end in reading.find(*_DOUBLES):
        player, sentence = reading.player(start), reading.sentence(start)
        if player is None or _NEARLY.intersection(reading.words[max(sentence.start, start - 6) : start]):
            continue
        tens = sum(reading.value(player, column) >= 10 for column in _COUNTED)
        claim = f"{reading.name(player)}: {reading.words[start]}-double"
        yield judged("word", start, end, tens >= _DOUBLES[reading.phrase(start, end)], claim)


def _bench(reading: Reading) -> Iterator[Finding]:
    for start, end in reading.find(*_BENCH):
        player = _named(reading, start)
        if player is not None:
            place = end - 1 if reading.words[start] == "led" else start
            claim = f"{reading.name(player)}: came off the bench"
            yield judged("word", place, end, not reading.is_starter(player), claim, "started")


def _starters(reading: Reading) -> Iterator[Finding]:
    for start, end in reading.find("other starter", "a starter", "the starter"):
        player = _named(reading, start)
        if player is not None:
            claim = f"{reading.name(player)}: started"
            yield judged("word", start + 1, end, reading.is_starter(player), claim, "came off the bench")


def _named(reading: Reading, start: int) -> int | None:
    """The player of whom a word is said, if its own sentence names him."""
    player = reading.player(start)
    return player if any(span.index == player for span in reading.sentence(start).entities) else None
