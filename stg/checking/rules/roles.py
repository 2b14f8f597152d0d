"""A player's role: double-doubles, starters and the bench."""

from collections.abc import Iterator

from modeling_stg.schema import DOUBLE_COLUMNS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_DOUBLES = {"double - double": 2, "double-double": 2, "triple - double": 3, "triple-double": 3}
_NEARLY = frozenset(
    "near nearly almost shy flirted flirting short missed missing away close threatened failed not n't without "
    "denied within".split()
)
_BENCH = ("off the bench", "second unit", "reserve role", "in reserve", "bench role", "led the bench")
_NOT_NOW = frozenset("not n't normally usually once formerly , longer".split())
_OTHERS = frozenset("help got get getting support production contributions contribution".split())


def double_doubles(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a double - double", unless he came close to one. A missing cell may complete it."""
    for start, end in recap.find(*_DOUBLES):
        player, sentence = recap.player_at(start), recap.sentence_at(start)
        if player is None or _NEARLY.intersection(recap.words[max(sentence.start, start - 6) : start]):
            continue
        needed, reached = _DOUBLES[recap.phrase(start, end)], recap.facts.get(player, "DOUBLES")
        if reached is None:
            continue
        missing = len(DOUBLE_COLUMNS) - len(reached.sources)
        if reached.number >= needed or reached.number + missing < needed:
            claim = f"{recap.name(player)}: {recap.words[start]}-double"
            fact = recap.facts.get(player, "DOUBLE") or reached
            yield decide("word", start, end, reached.number >= needed, claim, fact=fact)


def bench(recap: ParsedRecap) -> Iterator[Finding]:
    """ "scored 18 points off the bench"."""
    for start, end in recap.find(*_BENCH):
        player = _player(recap, start, end)
        fact = None if player is None else recap.facts.get(player, "ROLE")
        if player is not None and fact is not None:
            first = end - 1 if recap.words[start] == "led" else start
            claim = f"{recap.name(player)}: came off the bench"
            yield decide("word", first, end, fact.value == "bench", claim, "started", fact)


def starter(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the only other starter in double figures"."""
    for start, end in recap.find("other starter", "a starter", "the starter"):
        player = _player(recap, start, end)
        fact = None if player is None else recap.facts.get(player, "ROLE")
        if player is not None and fact is not None and recap.word(start - 1) not in _NOT_NOW:
            claim = f"{recap.name(player)}: started"
            yield decide("word", start + 1, end, fact.value == "starter", claim, "came off the bench", fact)


def _player(recap: ParsedRecap, start: int, end: int) -> int | None:
    """The player that a phrase is about, if its own sentence names him and no other reading is likely.

    "got 46 points off the bench" is about a team, "and off the bench Monroe had" about the player who follows.
    """
    sentence = recap.sentence_at(start)
    players = [span for span in sentence.entities if not span.is_team]
    after = next((span for span in players if span.start == end), None)
    if after is not None and recap.word(start - 1) in ("and", ",", "but", "while"):
        return after.index
    before = [span for span in players if span.start < start]
    if not before:
        return recap.player_at(start) if players else None
    between = range(before[-1].end, start)
    teams = {span.start for span in sentence.entities if span.is_team}
    if teams.intersection(between) or _OTHERS.intersection(recap.words[before[-1].end : start]):
        return None
    return recap.player_at(start)
