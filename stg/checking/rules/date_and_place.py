"""The weekday and the arena of the game."""

from collections.abc import Iterator

from modeling_stg.arenas import ARENA_NAMES, courts
from modeling_stg.fact_schema import WEEKDAY
from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_CONTESTS = frozenset("contest game matchup tilt affair meeting showdown win victory loss defeat".split())
_OTHER_DAYS = frozenset(
    "last since previous missing missed after from put behind following despite until before against over off".split()
)


def weekday(recap: ParsedRecap) -> Iterator[Finding]:
    """The day of this game: in the first sentence, or "came into Friday 's contest"."""
    for position, word in enumerate(recap.words):
        fact = recap.facts.get(recap.team_at(position) or 0, WEEKDAY) if word in WEEKDAY_WORDS else None
        if fact is None:
            continue
        day = fact.value.lower()
        before, after = recap.words[max(0, position - 4) : position], recap.words[position + 1 : position + 3]
        index, sentence = recap.sentence_index(position), recap.sentence_at(position)
        is_this_game = after[:1] == ["'s"] and after[1:] and after[1] in _CONTESTS
        if (index > 0 and not is_this_game) or recap.looks_ahead(index) or _OTHER_DAYS.intersection(before):
            continue
        others = [span for span in sentence.entities if span.is_team and span.index is None]
        if index > 0 and word != day and any(position < span.start < position + 9 for span in others):
            continue  # "in Wednesday 's win over the Orlando Magic"
        if word != day and day in recap.words[sentence.start : sentence.end]:
            continue  # the right day is named too, so this one is another game's
        claim = f"{recap.tokens[position]}: the day of the game"
        yield decide("name", position, position + 1, word == day, claim, fact.value, fact)


def arena(recap: ParsedRecap) -> Iterator[Finding]:
    """The home team's court, unless the sentence is about another game."""
    fact = recap.facts.get(0, "TEAM-ARENA")
    game = recap.game
    names = [name.lower() for name in courts(game.home.name, game.date, game.feed[0].get("TEAM-VENUE"))]
    if fact is None:
        return
    for start, end in recap.find(*{name.lower() for name in ARENA_NAMES} | set(names)):
        before = [word for word in recap.words[max(0, start - 2) : start] if word != "the"]
        is_true = recap.phrase(start, end) in names
        index = recap.sentence_index(start)
        is_elsewhere = recap.looks_ahead(index) or (index > 0 and recap.mentions_other_game(start))
        if before[-1:] in (["from"], ["of"]) or (is_elsewhere and not is_true):
            continue
        claim = f"{' '.join(recap.tokens[start:end])}: where the game was played"
        yield decide("name", start, end, is_true, claim, fact.value, fact)
