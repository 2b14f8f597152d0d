"""Double-doubles and triple-doubles: whether a player had one, and which one of the season or in a row."""

from collections.abc import Iterator

from modeling_stg.numbers import read_ordinal
from modeling_stg.schema import DOUBLE_COLUMNS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_DOUBLES = {"double - double": 2, "double-double": 2, "triple - double": 3, "triple-double": 3}
_NEARLY = frozenset(
    "near neared nearing nearly "
    "almost shy flirted flirting short missed missing away close threatened failed not n't without "
    "denied within".split()
)
_IN_A_ROW = frozenset("straight consecutive".split())
_SEASON = (["of", "the", "season"], ["of", "the", "year"], ["on", "the", "season"], ["on", "the", "year"])


def double_doubles(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a double - double", unless he came close to one. A missing cell may complete it."""
    for start, end in recap.find(*_DOUBLES):
        player = _player(recap, start)
        if player is None:
            continue
        needed, reached = _DOUBLES[recap.phrase(start, end)], recap.facts.get(player, "DOUBLES")
        if reached is None:
            continue
        missing = len(DOUBLE_COLUMNS) - len(reached.sources)
        if reached.number >= needed or reached.number + missing < needed:
            kind = recap.words[start].split("-")[0]
            claim, is_true = f"{recap.name(player)}: {kind}-double", reached.number >= needed
            fact = recap.facts.get(player, "DOUBLE") or reached
            nth = start - 1 - (recap.word(start - 1) in _IN_A_ROW)
            if not is_true and read_ordinal(recap.word(nth)) and _is_counted(recap, nth, end):
                yield decide("number", nth, end, False, f"{claim}, {recap.words[nth]}", None, fact)
            else:
                yield decide("word", start, end, is_true, claim, fact=fact)


def _is_counted(recap: ParsedRecap, nth: int, end: int) -> bool:
    """Whether an ordinal counts double-doubles: "second double - double in a row", "of the season"."""
    after = recap.words[end : end + 3]
    is_row = recap.word(nth + 1) in _IN_A_ROW or after == ["in", "a", "row"] or after[:2] == ["in", "the"]
    return is_row or after in _SEASON


def nth_double(recap: ParsedRecap) -> Iterator[Finding]:
    """ "his ninth double - double of the season", "a third straight double - double"."""
    for start, end in recap.find(*_DOUBLES):
        player, after = _player(recap, start), recap.words[end : end + 3]
        is_in_a_row = recap.word(start - 1) in _IN_A_ROW
        position = start - 1 - is_in_a_row
        kind = "TRIPLE" if recap.words[start].startswith("triple") else "DOUBLE"
        if player is None or read_ordinal(recap.word(position)) is None:
            continue
        if is_in_a_row or after == ["in", "a", "row"]:
            attribute, what = f"{kind}_STREAK_NTH", "in a row"
        elif after in _SEASON:
            attribute, what = f"{kind}_NTH", "of the season"
        else:
            continue
        fact = recap.facts.get(player, attribute)
        if fact is not None:
            claim = f"{recap.name(player)}: {recap.words[position]} {kind.lower()}-double {what}"
            is_true = read_ordinal(recap.words[position]) == read_ordinal(fact.value)
            yield decide("word", position, position + 1, is_true, claim, fact.value, fact)


def _player(recap: ParsedRecap, start: int) -> int | None:
    """The player who had it, according to the text; None if he only came close."""
    before = recap.words[max(recap.sentence_at(start).start, start - 9) : start]
    return None if _NEARLY.intersection(before) else recap.player_at(start)
