"""Words that a box score decides: who won, who had a double-double, who came off the bench."""

from collections.abc import Iterator

from modeling_stg.schema import DOUBLE_COLUMNS
from stg.checking.findings import Finding, judged
from stg.checking.reading import Reading
from stg.extraction.claims import claimed_winner


_DOUBLES = {"double - double": 2, "double-double": 2, "triple - double": 3, "triple-double": 3}
_NEARLY = frozenset(
    "near nearly almost shy flirted flirting short missed missing away close threatened failed not n't without "
    "denied within".split()
)
_DOUBTS = frozenset(
    "not n't lead led leading quarter half period boards but watched watch avoided avoiding suffered hands while "
    "entering couldn outscored outrebounded with".split()
)
_BENCH = ("off the bench", "second unit", "reserve role", "in reserve", "bench role", "led the bench")
_NOT_NOW = frozenset("not n't normally usually once formerly , longer".split())
_OTHERS = frozenset("help got get getting support production contributions contribution".split())
_OF_PLAYER = {"in the win": True, "in the victory": True, "in the loss": False, "in the defeat": False}
_OF_TEAM = {"bounce back": False, "build off this win": True, "build on this win": True, "keep rolling": True}


def word_findings(reading: Reading) -> Iterator[Finding]:
    yield from _winner(reading)
    yield from _results(reading)
    yield from _doubles(reading)
    yield from _bench(reading)
    yield from _starters(reading)


def _winner(reading: Reading) -> Iterator[Finding]:
    """The first sentence's verb of victory or defeat. False only where nothing else could be meant."""
    first = reading.sentences[0] if reading.sentences else None
    if first is None or not reading.has("TEAM-PTS"):
        return
    teams = [span for span in first.entities if reading.word(span.start - 1) not in ("in", "at", "from")]
    told = claimed_winner(reading.tokens, (first.start, first.end), teams)
    if told is None:
        return
    team, place = told
    between = [span for span in teams if span.is_team and span.index is not None]
    is_between = between[0].end <= place < between[1].start
    doubtful = not is_between or _DOUBTS.intersection(reading.words[first.start : first.end])
    if reading.has_won(team) or not doubtful:
        truth = f"{reading.name(1 - team)} won"
        yield judged("word", place, place + 1, reading.has_won(team), f"{reading.name(team)}: won", truth)


def _results(reading: Reading) -> Iterator[Finding]:
    """ "in the win", said of a player's game, and what a team looks ahead from: "bounce back" is for losers."""
    if not reading.has("TEAM-PTS"):
        return
    for start, end in reading.find(*_OF_PLAYER):
        player = reading.player(start)
        if player is not None and not reading.is_elsewhere(start):
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
        wanted = _DOUBLES[reading.phrase(start, end)]
        tens = sum(reading.value(player, column) >= 10 for column in DOUBLE_COLUMNS)
        missing = sum(reading.game.entities[player].values[column] is None for column in DOUBLE_COLUMNS)
        if tens >= wanted or tens + missing < wanted:
            claim = f"{reading.name(player)}: {reading.words[start]}-double"
            yield judged("word", start, end, tens >= wanted, claim)


def _bench(reading: Reading) -> Iterator[Finding]:
    for start, end in reading.find(*_BENCH) if reading.has_positions else ():
        player = _named(reading, start, end)
        if player is not None:
            place = end - 1 if reading.words[start] == "led" else start
            claim = f"{reading.name(player)}: came off the bench"
            yield judged("word", place, end, not reading.is_starter(player), claim, "started")


def _starters(reading: Reading) -> Iterator[Finding]:
    for start, end in reading.find("other starter", "a starter", "the starter") if reading.has_positions else ():
        player = _named(reading, start, end)
        if player is not None and reading.word(start - 1) not in _NOT_NOW:
            claim = f"{reading.name(player)}: started"
            yield judged("word", start + 1, end, reading.is_starter(player), claim, "came off the bench")


def _named(reading: Reading, start: int, end: int) -> int | None:
    """The player of whom words are said, if their own sentence names him and nobody comes between: "got 46 points off
    the bench" is said of a team, "and off the bench Monroe had" of who follows."""
    players = [span for span in reading.sentence(start).entities if not span.is_team]
    after = next((span for span in players if span.start == end), None)
    if after is not None and reading.word(start - 1) in ("and", ",", "but", "while"):
        return after.index
    before = [span for span in players if span.start < start]
    if not before:
        return reading.player(start) if players else None
    between = range(before[-1].end, start)
    teams = {span.start for span in reading.sentence(start).entities if span.is_team}
    if teams.intersection(between) or _OTHERS.intersection(reading.words[before[-1].end : start]):
        return None
    return reading.player(start)
