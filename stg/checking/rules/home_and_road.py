"""Home and road: where this game was for a team, and its record there."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number, sentences_of_this_game
from stg.extraction.candidates import SentenceSpans


_WON, _LOST = frozenset("win victory".split()), frozenset("loss defeat".split())
_PLACES = {
    "at home": "home",
    "on the road": "road",
    "away from home": "road",
    "in home games": "home",
    "in road games": "road",
}
_MOST = 41  # games at home in a season; larger numbers are points
_NOW = frozenset("now improved improve improves improving fell fall falls move moved moves drop dropped are".split())
_EARLIER = frozenset("entered entering came coming was were had checked into before prior".split())


def records(recap: ParsedRecap) -> Iterator[Finding]:
    """ "improved to 12 - 19 at home", "6 - 4 on the road", "their home record is 20 - 5", "at home , where it is"."""
    for index, sentence in enumerate(recap.sentences):
        for wins, losses in dashed_pairs(recap, sentence):
            places = _places_of_record(recap, wins.start, losses.end)
            before = recap.words[max(sentence.start, wins.start - 8) : wins.start]
            team = _team(recap, sentence, wins.start)
            if not places or team is None or max(wins.value, losses.value) > _MOST:
                continue
            claims = [
                (number, f"TEAM-{places[0]}_{result}") for number, result in ((wins, "WINS"), (losses, "LOSSES"))
            ]
            others = [(number, attribute.replace(places[0], places[-1])) for number, attribute in claims]
            fitting = [
                side
                for side in _sides(recap, sentence, wins.start, team)
                if all(recap.facts.number(side, attribute) == number.value for number, attribute in claims + others)
            ]
            after = recap.words[losses.end : min(sentence.end, losses.end + 8)]
            is_now = bool(_NOW.intersection(before)) and not recap.looks_ahead(index)
            is_old = _EARLIER.intersection(before) or _PART.intersection(after)
            if fitting or (not is_old and (is_now or not _WENT.intersection(before))):
                for number, attribute in claims if fitting or len(places) == 1 else others:
                    yield from judge_number(recap, number, (fitting or [team])[0], attribute)


def wins_at_place(recap: ParsedRecap) -> Iterator[Finding]:
    """ "checked in with only six road wins in 17 tries", "have five home losses in 12 games": before it or now."""
    for sentence in recap.sentences:
        for number, games in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            where, what = recap.word(number.end), recap.word(number.end + 1)
            is_record = where in _AT and what in _RECORDED and recap.word(number.end + 2) == "in"
            team = _team(recap, sentence, number.start)
            if not is_record or games.start != number.end + 3 or team is None or recap.winner is None:
                continue
            attribute = f"TEAM-{where.upper()}_{_RECORDED[what]}"
            is_before = bool(_EARLIER.intersection(recap.words[max(sentence.start, number.start - 10) : number.start]))
            counts_here = is_before and recap.facts.value(team, "TEAM-PLACE") == where
            is_same_result = (team == recap.winner) == (what.startswith("win"))
            for found, name, own in (
                (number, attribute, counts_here and is_same_result),
                (games, f"TEAM-{where.upper()}_GAMES", counts_here),
            ):
                fact = recap.facts.get(team, name)
                if fact is not None:
                    right = fact.number - own
                    claim = f"{recap.name(team)}: {found.value} {name}{' before this game' if is_before else ''}"
                    yield decide("number", found.start, found.end, found.value == right, claim, str(right), fact)


def unbeaten(recap: ParsedRecap) -> Iterator[Finding]:
    """ "are winless in five home games", "unbeaten in 12 games at home"."""
    for start, end in recap.find("winless in", "unbeaten in", "undefeated in"):
        sentence = recap.sentence_at(start)
        number = next((number for number in sentence.numbers if number.start == end), None)
        team = _team(recap, sentence, start)
        near = recap.words[end : end + 5]
        place = next((word.upper() for word in near if word in ("home", "road")), None)
        if number is not None and team is not None and place is not None:
            result = "LOSSES" if recap.words[start] == "winless" else "WINS"
            games = recap.facts.number(team, f"TEAM-{place}_GAMES")
            if recap.facts.number(team, f"TEAM-{place}_{result}") == games:
                yield from judge_number(recap, number, team, f"TEAM-{place}_{result}")


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


def _places_of_record(recap: ParsedRecap, start: int, end: int) -> list[str]:
    """ "HOME" or "ROAD" or both, if the words after a record or before it say so."""
    after = recap.phrase(end, end + 7)
    if after.startswith(("in both", "both at home and on the road", "at home and on the road")):
        return ["HOME", "ROAD"]
    for phrase, where in _PLACES.items():
        if f"{after} ".startswith(f"{phrase} ") or f"{after} ".startswith(f"overall {phrase} "):
            return [where.upper()]
    if recap.word(end) in _AT and recap.word(end + 1) in _MARKS:
        return [recap.words[end].upper()]
    before = recap.words[max(0, start - 7) : start]
    for at in range(len(before) - 1):
        is_record = before[at + 1] in _MARKS and not _OTHER.intersection(before[at + 2 :])
        is_where = before[at + 1 : at + 3] in ([",", "where"], ["at"]) and before[-1] in ("is", "are", "at", "now")
        if before[at] in _AT and (is_record or is_where):
            return [before[at].upper()]
    return []


def _team(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> int | None:
    """The team that a record is of; None if it does not play in this game."""
    teams = [span for span in sentence.entities if span.is_team and span.start < at]
    return None if teams and teams[-1].index is None else recap.team_at(at)


def _sides(recap: ParsedRecap, sentence: SentenceSpans, at: int, team: int) -> list[int]:
    """The teams that a record may be of: the one named before, or either if none or both are named."""
    named = {span.index for span in sentence.entities if span.is_team and span.start < at}
    return [team] if len(named) == 1 else [team, 1 - team]


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


_RECORDED = {"wins": "WINS", "losses": "LOSSES"}
_MARKS = frozenset("record mark ledger".split())
_OTHER = frozenset(", ; and but while".split())  # ends what "their home record" is about
_WENT = frozenset("went going gone go".split())
_PART = frozenset("last month trip swing stretch since homestand past previous".split())
_AT = {"home": "at home", "road": "on the road"}
