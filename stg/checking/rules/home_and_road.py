"""Home and road: where this game was for a team, and its record there."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number, sentences_of_this_game
from stg.extraction.candidates import SentenceSpans


_WON, _LOST = frozenset("win victory".split()), frozenset("loss defeat".split())
_PLACES = {"at home": "home", "on the road": "road", "away from home": "road"}
_MOST = 41  # games at home in a season; larger numbers are points
_NOW = frozenset("now improved improve improves improving fell fall falls move moved moves drop dropped are".split())
_EARLIER = frozenset("entered entering came coming was were had checked into before prior".split())


def records(recap: ParsedRecap) -> Iterator[Finding]:
    """ "improved to 12 - 19 at home", "are now 6 - 4 on the road", "improved their home record to 20 - 5"."""
    for index, sentence in enumerate(recap.sentences):
        for wins, losses in dashed_pairs(recap, sentence):
            place = _place_of_record(recap, wins.start, losses.end)
            before = recap.words[max(sentence.start, wins.start - 8) : wins.start]
            team = recap.team_at(wins.start)
            teams = [span for span in sentence.entities if span.is_team and span.start < wins.start]
            is_outsider = bool(teams) and teams[-1].index is None
            if place is None or team is None or is_outsider or max(wins.value, losses.value) > _MOST:
                continue
            claims = [(wins, f"TEAM-{place.upper()}_WINS"), (losses, f"TEAM-{place.upper()}_LOSSES")]
            fitting = [
                side
                for side in (team, 1 - team)
                if all(recap.facts.number(side, attribute) == number.value for number, attribute in claims)
            ]
            is_now = _NOW.intersection(before) and not _EARLIER.intersection(before)
            if fitting or (is_now and not recap.looks_ahead(index)):
                for number, attribute in claims:
                    yield from judge_number(recap, number, (fitting or [team])[0], attribute)


def place(recap: ParsedRecap) -> Iterator[Finding]:
    """ "an impressive road win", "a loss at home": of this game's winner or loser.

    Later sentences also speak of wins that were not to be, so only the first one can be false.
    """
    winner = recap.winner
    for sentence in sentences_of_this_game(recap) if winner is not None else ():
        for position in range(sentence.start, sentence.end):
            read = _place_and_result(recap, sentence, position)
            if read is None or winner is None:
                continue
            where, is_won = read
            team = winner if is_won else 1 - winner
            fact = recap.facts.get(team, "TEAM-PLACE")
            if fact is not None and (fact.value == where or recap.sentence_index(position) == 0):
                claim = f"{recap.name(team)}: {'won' if is_won else 'lost'} {_AT[where]}"
                yield decide("word", position, position + 1, fact.value == where, claim, _AT[fact.value], fact)


def _place_of_record(recap: ParsedRecap, start: int, end: int) -> str | None:
    """ "home" or "road", if the words after a record or before it say so."""
    for phrase, where in _PLACES.items():
        if recap.phrase(end, end + len(phrase.split())) == phrase:
            return where
    before = recap.words[max(0, start - 4) : start]
    return next(
        (where for where in ("home", "road") if [where, "record"] == before[-3:-1] and before[-1] == "to"), None
    )


def _place_and_result(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> tuple[str, bool] | None:
    """What "home win" and "win at home" say: where, and whether it was won."""
    word = recap.words[position]
    if word not in _AT:
        return None
    after = recap.word(position + 1)
    if after in _WON | _LOST:
        is_about_many = recap.word(position + 2) in ("streak", "in", "of")
        return None if is_about_many else (word, after in _WON)
    before = recap.words[max(sentence.start, position - 4) : position]
    if before[-1:] == ["at"] and word == "home":
        result = before[-2:-1]
    elif before[-2:] == ["on", "the"] and word == "road":
        result = before[-3:-2]
    else:
        return None
    return (word, result[0] in _WON) if result and result[0] in _WON | _LOST else None


_AT = {"home": "at home", "road": "on the road"}
