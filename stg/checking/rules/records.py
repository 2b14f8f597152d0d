"""Records of part of the season: the last games, this opponent, home and road.

"are 7 - 3 in their last 10 games", "is 2 - 1 against the Knicks this season", "its fourth home win against 18 losses".
"""

from collections.abc import Iterator

from modeling_stg.fact_schema import MOST_GAMES
from modeling_stg.facts import Fact
from modeling_stg.numbers import ordinal, read_number, read_ordinal
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_WON = frozenset("win wins won winning victory victories taken took beat swept sweep".split())
_LOST = frozenset("loss losses lost losing defeat defeats dropped dropping fell setback".split())
_GAMES = frozenset("games game meetings matchups contests tries outings times".split())
_PLACES = {"home": "HOME", "road": "ROAD", "away": "ROAD"}
_EARLIER = frozenset("entered entering came coming was were had checked into before prior".split())
_OLD = frozenset("ago stretch midst span opened started began".split())
_MOVED = frozenset("improve improves improved fell falls fall dropped drops drop moved rose slipped".split())
_OTHER_RECORDS = frozenset("home road last past against series away without with when in since over".split())
_SEASON = 82  # games
_REACH = 14
_MOST_MEETINGS = 9  # four in a season; larger numbers are other records


def overall(recap: ParsedRecap) -> Iterator[Finding]:
    """ "to improve to 4 - 3 , while Denver fell to 1 - 5", "reached 70 - 9": the record after this game."""
    for index, sentence in enumerate(recap.sentences):
        for wins, losses in dashed_pairs(recap, sentence):
            before = recap.words[max(sentence.start, wins.start - 3) : wins.start]
            after = recap.words[losses.end : min(sentence.end, losses.end + 5)]
            is_part = _OTHER_RECORDS.intersection(after) or {"record", "series", "home", "road"}.intersection(before)
            is_moved = before[-1:] == ["to"] and _MOVED.intersection(before[:-1])
            if is_part or not (is_moved or before[-1:] == ["reached"]) or wins.value + losses.value > _SEASON:
                continue
            is_aim = before[-3:-1] == ["to", "improve"] and not recap.looks_ahead(index)
            team = recap.winner if is_aim else _team(recap, sentence, wins.start)
            for number, attribute in ((wins, "TEAM-WINS"), (losses, "TEAM-LOSSES")) if team is not None else ():
                yield from judge_number(recap, number, team or 0, attribute)


def last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "are 7 - 3 in their last 10 games", "has gone 1 - 4 over its last five"."""
    for sentence in recap.sentences:
        for wins, losses in dashed_pairs(recap, sentence):
            games, team = _last(recap, losses.end), _team(recap, sentence, wins.start)
            if games is None or team is None or wins.value + losses.value > MOST_GAMES:
                continue
            suffix = f"_LAST{games.value}"
            if _is_earlier(recap, sentence, wins.start):
                suffix += "_BEFORE"
            yield from judge_number(recap, wins, team, f"TEAM-WINS{suffix}")
            yield from judge_number(recap, losses, team, f"TEAM-LOSSES{suffix}")
            yield from judge_number(recap, games, team, f"TEAM-GAMES{suffix}")


def wins_in_last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "eight wins in its last 10 games", "lost four in a row and eight of 10"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            after = number.end
            verb = _result(recap, [recap.word(after)])
            if verb is not None:
                games = _last(recap, after + 1)
            else:
                verb = _result(recap, recap.words[max(sentence.start, number.start - 7) : number.start])
                games = _number(recap, after + 1) if recap.word(after) == "of" else _last(recap, after)
            team = _team(recap, sentence, number.start)
            is_games = games is not None and recap.word(games.end) in (*_GAMES, ",", ".", "and")
            if verb is None or games is None or team is None or not is_games or not 2 < games.value <= MOST_GAMES:
                continue
            if _OLD.intersection(recap.words[sentence.start : sentence.end]):
                continue
            if _is_earlier(recap, sentence, number.start) or _is_series(recap, sentence, number.start):
                continue
            yield from judge_number(recap, number, team, f"TEAM-{verb}_LAST{games.value}")
            yield from judge_number(recap, games, team, f"TEAM-GAMES_LAST{games.value}")


def nth_of_last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "won for the eighth time in 10 games", "the ninth in 10 games", "their fourth win in five"."""
    for sentence in recap.sentences:
        for at in range(sentence.start, sentence.end):
            if read_ordinal(recap.words[at]) is None:
                continue
            end = at + 1 + (recap.word(at + 1) in {"time", *_WON, *_LOST})
            games = _number(recap, end + 1) if recap.word(end) == "in" else None
            before = recap.words[max(sentence.start, at - 8) : at]
            verb, team = _result(recap, [*before, recap.word(at + 1)]), _team(recap, sentence, at)
            if (
                games is None
                or verb is None
                or recap.word(games.end) in ("home", "road", "days", "nights", "meetings")
            ):
                continue
            if _PLACES.keys() & set(recap.words[max(sentence.start, at - 5) : at]) or _is_series(recap, sentence, at):
                continue
            if team is None or recap.winner is None or not 1 < games.value <= MOST_GAMES:
                continue
            team = recap.winner if verb == "WINS" else 1 - recap.winner
            fact = recap.facts.get(team, f"TEAM-{verb}_LAST{games.value}")
            if fact is not None:
                yield _nth(recap, at, fact)
                yield from judge_number(recap, games, team, f"TEAM-GAMES_LAST{games.value}")


def nth_at_place(recap: ParsedRecap) -> Iterator[Finding]:
    """ "its fourth home win against 18 losses", "lost at home for only the fourth time in 16 games"."""
    for sentence in recap.sentences:
        for at in range(sentence.start, sentence.end):
            if read_ordinal(recap.words[at]) is None:
                continue
            after, before = recap.words[at + 1 : at + 3], recap.words[max(sentence.start, at - 6) : at]
            place, end = None, at + 3
            if after[:1] and after[0] in _PLACES and _result(recap, after[1:]):
                place, verb = _PLACES[after[0]], _result(recap, after[1:])
            elif after[:1] == ["time"]:
                games = _number(recap, at + 3)
                late = {} if games is None else _PLACES.keys() & {recap.word(games.end)}
                places = [word for word in (*before, *late) if word in _PLACES]
                place, verb, end = (_PLACES[places[-1]] if places else None), _result(recap, before), at + 2
            if place is None or verb is None or recap.winner is None:
                continue
            team = recap.winner if verb == "WINS" else 1 - recap.winner
            fact = recap.facts.get(team, f"TEAM-{place}_{verb}")
            if fact is None:
                continue
            yield _nth(recap, at, fact)
            number = _number(recap, end + 1)
            if number is not None and recap.word(end) == "in":
                yield from judge_number(recap, number, team, f"TEAM-{place}_GAMES")
            elif number is not None and recap.word(end) == "against":
                other = _result(recap, [recap.word(number.end)])
                if other is not None:
                    yield from judge_number(recap, number, team, f"TEAM-{place}_{other}")


def series(recap: ParsedRecap) -> Iterator[Finding]:
    """ "is 2 - 1 against the Knicks this season", "leads the season series 2 - 1", "even at 1 - 1 this season"."""
    for sentence in recap.sentences:
        for wins, losses in dashed_pairs(recap, sentence):
            is_series = _is_series(recap, sentence, losses.end) and not _last(recap, losses.end)
            if not is_series or max(wins.value, losses.value) > _MOST_MEETINGS:
                continue
            team = _team(recap, sentence, wins.start)
            if team is None:
                continue
            claims = [(wins, "TEAM-SERIES_WINS"), (losses, "TEAM-SERIES_LOSSES")]
            if _is_earlier(recap, sentence, wins.start):
                continue
            fits = [
                side
                for side in _sides(recap, sentence, wins.start, team)
                if all(recap.facts.number(side, attribute) == number.value for number, attribute in claims)
            ]
            for number, attribute in claims:
                yield from judge_number(recap, number, (fits or [team])[0], attribute)


def meetings(recap: ParsedRecap) -> Iterator[Finding]:
    """ "won all four of its meetings with Orlando this season", "took three of four games", "split two"."""
    for sentence in recap.sentences:
        words = recap.words[sentence.start : sentence.end]
        for number in sentence.numbers:
            after = [word for word in recap.words[number.end : number.end + 4] if word not in ("of", "its", "their")]
            if after[:1] and after[0] in _GAMES and _is_season(recap, sentence, number.end):
                yield from _meetings(recap, sentence, number, words)


def _meetings(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, words: list[str]) -> Iterator[Finding]:
    at, team = number.start, _team(recap, sentence, number.start)
    before = recap.words[max(sentence.start, at - 6) : at]
    if team is None:
        return
    if "split" in before:
        fact = recap.facts.get(team, "TEAM-SERIES_GAMES")
        even = recap.facts.number(team, "TEAM-SERIES_WINS") == recap.facts.number(team, "TEAM-SERIES_LOSSES")
        if fact is not None:
            is_true = even and fact.number == number.value
            yield decide("number", at, number.end, is_true, f"{number.value} games of the series split", None, fact)
    elif (recap.word(at - 1) == "all" or "swept" in before) and (verb := _result(recap, before)):
        yield from judge_number(recap, number, team, f"TEAM-SERIES_{verb}")
    elif recap.word(at - 1) == "of" and (verb := _result(recap, before)):
        first = next((other for other in sentence.numbers if other.end == at - 1), None)
        if first is not None:
            yield from judge_number(recap, first, team, f"TEAM-SERIES_{verb}")
            yield from judge_number(recap, number, team, "TEAM-SERIES_GAMES")
    elif recap.word(at - 1) == "in" and read_ordinal(recap.word(at - 3)) and (verb := _result(recap, before[-2:])):
        fact = recap.facts.get(team, f"TEAM-SERIES_{verb}")
        if fact is not None:
            yield _nth(recap, at - 3, fact)
            yield from judge_number(recap, number, team, "TEAM-SERIES_GAMES")


def _nth(recap: ParsedRecap, at: int, fact: Fact) -> Finding:
    claim = f"{recap.name(fact.entity or 0)}: {recap.words[at]} of {fact.attribute}"
    return decide("word", at, at + 1, read_ordinal(recap.words[at]) == fact.number, claim, ordinal(fact.number), fact)


def _last(recap: ParsedRecap, at: int) -> NumberSpan | None:
    """The number in "in their last 10 games" and "over its past five" that begins at a position."""
    words = recap.words[at : at + 3]
    if len(words) == 3 and words[0] in ("in", "over", "of") and words[1] in ("its", "their", "the"):
        return _number(recap, at + 3) if words[2] in ("last", "past") else None
    return None


def _number(recap: ParsedRecap, at: int) -> NumberSpan | None:
    read = read_number(recap.words, at) if at < len(recap.words) else None
    return None if read is None else NumberSpan(at, at + read[1], recap.phrase(at, at + read[1]), read[0])


def _result(recap: ParsedRecap, words: list[str]) -> str | None:
    """ "WINS" or "LOSSES", by the last word for a result."""
    for word in reversed(words):
        if word in _WON | _LOST:
            return "WINS" if word in _WON else "LOSSES"
    return None


def _is_season(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> bool:
    """Whether "this season" follows soon."""
    return "this season" in recap.phrase(at, min(sentence.end, at + _REACH))


def _is_series(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> bool:
    """Whether a number is of the games against this opponent: "against the Knicks this season", "season series"."""
    after = recap.words[at : min(sentence.end, at + _REACH)]
    others = [number.end for number in sentence.numbers if number.end < at - 2]
    before = recap.words[max([sentence.start, at - 12, *others]) : at]
    if {"home", "road"}.intersection(after[:3]):
        return False
    if "series" in before or "series" in _until_number(after)[:6]:
        return True
    third = [span for span in sentence.entities if span.is_team and span.index is None and at <= span.start < at + 5]
    is_opponent = bool({"against", "over", "meetings", "from"}.intersection(after)) or "even" in before
    return is_opponent and not third and _is_season(recap, sentence, at)


def _until_number(words: list[str]) -> list[str]:
    return words[: next((at for at in range(len(words)) if read_number(words, at)), len(words))]


def _team(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> int | None:
    """The team that a number is about; None if it does not play in this game."""
    teams = [span for span in sentence.entities if span.is_team and span.start < at]
    subjects = [
        span
        for span in teams
        if recap.word(span.start - 1 - (recap.word(span.start - 1) == "the"))
        not in ("against", "over", "visit", "host")
    ]
    if subjects:
        return subjects[-1].index
    return recap.team_at(sentence.start if teams else at)


def _sides(recap: ParsedRecap, sentence: SentenceSpans, at: int, team: int) -> list[int]:
    """The teams that a record may belong to: the subject, and the other one if none or both are named before."""
    named = {span.index for span in sentence.entities if span.is_team and span.start < at}
    return [team] if len(named) == 1 and team in named else [team, 1 - team]


def _is_earlier(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> bool:
    """Whether a record is the one before this game: "were 7 - 3 in their last 10"."""
    return bool(_EARLIER.intersection(recap.words[max(sentence.start, at - 5) : at]))
