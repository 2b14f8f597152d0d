"""A player's role: starters and the bench."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_BENCH = ("off the bench", "second unit", "reserve role", "in reserve", "bench role", "led the bench")
_NOT_NOW = frozenset("not n't normally usually once formerly , longer".split())
_USUALLY = frozenset("after from instead previous majority season last usually normally".split())
_OTHERS = frozenset("help got get getting support production contributions contribution".split())


def bench(recap: ParsedRecap) -> Iterator[Finding]:
    """ "scored 18 points off the bench"."""
    for start, end in recap.find(*_BENCH):
        player = _player(recap, start, end)
        fact = None if player is None else recap.facts.get(player, "ROLE")
        near = [*recap.words[max(0, start - 3) : start], *recap.words[end : end + 4]]
        is_usual = fact is not None and fact.value != "bench" and _USUALLY.intersection(near)
        if player is not None and fact is not None and not is_usual:
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
