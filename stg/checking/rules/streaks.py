"""Streaks and recent records, decided by the season: "won three of their last five", "their third straight loss"."""

from collections.abc import Iterator

from modeling_stg.fact_schema import MOST_GAMES
from modeling_stg.numbers import ordinal, read_number, read_ordinal
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import NumberSpan, SentenceSpans


_RESULTS = {  # words for a result -> the names of its facts, of one and of several games
    **dict.fromkeys("won win wins winning winner winners victory victories taken".split(), ("WIN", "WINS")),
    **dict.fromkeys(
        "lost loss losses losing loser losers dropped dropping defeat defeats skid slide setback".split(),
        ("LOSS", "LOSSES"),
    ),
}
_BETWEEN = frozenset("of in now just only their its a row straight and games game - also the , for time".split())
_IN_A_ROW = (["straight"], ["consecutive"], ["in", "a", "row"], ["games", "in", "a", "row"], ["games", "straight"])
_SOME_GAMES = frozenset("home road at on against over versus to away vs. without with when here".split())
_ENDED = frozenset(
    "snapped snaps snapping ended ends ending broke broken breaking halted stopped capped cracked lid".split()
)
_END = frozenset("end snap break stop halt".split())  # in an outlook, of a streak that goes on
_EARLIER = frozenset(
    "into entering entered had midst prior before previous came coming checked after following bounced "
    "embarked".split()
)
_HOPES = frozenset(
    "look looks looking hope hopes hoping seek seeks seeking try trying tried avoid will could aim enough n't "
    "not".split()
)
_CLAUSE = frozenset(", and but who which while ;".split())
_ACTIVE = frozenset("snapped ended broke halted stopped".split())
_STREAKS = frozenset("streak skid slide".split())
_LONG_AGO = frozenset("began start started starting opened begin earlier month n't not never since".split())


def wins_of_last_games(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won three of their last five games", "losers of four of their last five"."""
    words = recap.words
    for start, end in recap.find(*(f"of {whose} {which}" for whose in ("their", "its") for which in ("last", "past"))):
        start -= recap.word(start - 1) == "out"
        count = read_number(words, start - 1) if start else None
        games = read_number(words, end) if end < len(words) else None
        team, sentence = _subject(recap, start), recap.sentence_at(start)
        result = _result_before(recap, sentence, start - 1)
        if not count or not games or result is None or team is None:
            continue
        if _SOME_GAMES.intersection(words[end + games[1] : end + games[1] + 2]):
            continue
        last = f"_LAST{games[0]}"
        # "after a bad start, they have won": before this game or with it, whichever agrees
        suffixes = [f"{last}_BEFORE", last] if _is_earlier(recap, sentence, start) else [last]
        facts = [fact for suffix in suffixes if (fact := recap.facts.get(team, f"TEAM-{result[1]}{suffix}"))]
        fact = next((fact for fact in facts if fact.number == count[0]), facts[0] if facts else None)
        if fact is not None:
            claim = f"{recap.name(team)}: {_past(result)} {count[0]} of the last {games[0]}"
            is_true = count[0] == fact.number
            yield decide("number", start - 1, start, is_true, claim, fact.value, fact)
            if is_true:
                number = recap.facts.get(team, fact.attribute.replace(result[1], "GAMES"))
                yield decide("number", end, end + games[1], True, claim, fact=number)


def streak(recap: ParsedRecap) -> Iterator[Finding]:
    """ "have now won five straight games", "a three - game winning streak", "snapped a five - game losing streak"."""
    for index, sentence in enumerate(recap.sentences):
        for number in sentence.numbers:
            result = _streak_of(recap, sentence, number)
            if result is None or not 1 < number.value <= MOST_GAMES:
                continue
            near = _near(recap, sentence, number)
            is_outlook = recap.looks_ahead(index) and " an end " not in " ".join(near)
            is_stopped = recap.word(number.end + 4) in ("end", "come")  # "saw a two - game winning streak end"
            if _ENDED.intersection(near) or is_stopped or (_END.intersection(near) and not is_outlook):
                yield from _ended_streak(recap, sentence, number, result)
            elif _is_earlier(recap, sentence, number.start):
                yield from _earlier_streak(recap, number, result)
            elif not (is_outlook and recap.word(number.start - 1) in ("to", "it")):  # "extend it to four"
                yield from _current_streak(recap, sentence, number, result)


def _near(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> list[str]:
    """The words around a number that tell whether its streak ended; ", and the loss ended" is of another one."""
    after = recap.words[number.end : min(sentence.end, number.end + 8)]
    end = next((at for at, word in enumerate(after) if word in (",", "and", "while", "but", ";")), len(after))
    before = recap.words[max(sentence.start, number.start - 12) : number.start]
    start = max((at for at, word in enumerate(before) if word in ("while", ";", "but")), default=0)
    return before[start:] + after[:end]


def nth_in_a_row(recap: ParsedRecap) -> Iterator[Finding]:
    """ "their third straight win", "handing the Hawks a second consecutive loss": of this game's winner or loser."""
    for index, sentence in enumerate(recap.sentences):
        for position in range(sentence.start, sentence.end):
            nth_word = read_ordinal(recap.words[position]) or 0
            result = _nth_of(recap, sentence, position) if 1 < nth_word <= MOST_GAMES else None
            if result is None or recap.winner is None or _hopes(recap, sentence, position):
                continue
            if recap.looks_ahead(index) and not _is_told(recap, sentence, position):
                continue
            team, word = recap.winner if result[0] == "WIN" else 1 - recap.winner, recap.words[position]
            nth = recap.facts.get(team, f"TEAM-{result[0]}_NTH")
            fact = nth or recap.facts.get(team, f"TEAM-{result[1]}_LAST{nth_word}")
            is_true = nth is not None and nth.value == ordinal(nth_word)
            if fact is None or not (is_true or _is_certain(recap, team, position) or _is_own(recap, team, position)):
                continue
            claim = f"{recap.name(team)}: {word} {'win' if result[0] == 'WIN' else 'loss'} in a row"
            yield decide("word", position, position + 1, is_true, claim, nth.value if nth else None, fact)


def _hopes(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> bool:
    """Whether a claim is only wished for or denied: "were looking to snap a four - game losing streak"."""
    before = recap.words[max(sentence.start, position - 14) : position]
    start = max((at + 1 for at, word in enumerate(before) if word in _CLAUSE), default=0)
    return bool(_HOPES.intersection(before[start:]))


def _is_told(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> bool:
    """Whether an outlook also tells of this game: "who lost their second straight , play at"."""
    return bool(
        {"lost", "won", "after", "with"}.intersection(recap.words[max(sentence.start, position - 6) : position])
    )


def _ended_streak(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, result: tuple[str, str]
) -> Iterator[Finding]:
    """A streak that this game ended: of losses, the winner's; of wins, the loser's."""
    if recap.winner is None or _hopes(recap, sentence, number.start):
        return
    team = recap.winner if result[0] == "LOSS" else 1 - recap.winner
    fact = recap.facts.get(team, f"TEAM-{result[0]}_STREAK_BEFORE")
    if fact is not None and _names_other(recap, sentence, number, team, result):
        claim = f"{recap.name(1 - team)}: had {_past(result)} {number.value} in a row"
        yield decide("number", number.start, number.end, False, claim, None, fact)
        return
    if fact is not None and (fact.number == number.value or _is_certain(recap, team, number.start)):
        claim = f"{recap.name(team)}: had {_past(result)} {number.value} in a row"
        yield decide("number", number.start, number.end, fact.number == number.value, claim, fact.value, fact)


def _names_other(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, team: int, result: tuple[str, str]
) -> bool:
    """Whether the text gives an ended streak to the wrong team: "<loser> snapped", "a streak for <winner>"."""
    for span in sentence.entities:
        if not span.is_team or span.index is None:
            continue
        is_subject = recap.word(span.end) in _ACTIVE and recap.word(span.start - 1) != "for" != recap.word(
            span.start - 2
        )
        if is_subject and 0 < number.start - span.end < 5 and span.index != recap.winner:
            return True
        end = next((at for at in range(number.end, number.end + 6) if recap.word(at) in _STREAKS), None)
        if end is not None and recap.word(end + 1) == "for" and span.start - end in (2, 3) and span.index != team:
            return True
    return False


def _earlier_streak(recap: ParsedRecap, number: NumberSpan, result: tuple[str, str]) -> Iterator[Finding]:
    """A streak before this game. It may be an older one, so it is never called false."""
    team = _subject(recap, number.start)
    fact = None if team is None else recap.facts.get(team, f"TEAM-{result[0]}_STREAK_BEFORE")
    if team is not None and fact is not None and fact.number == number.value:
        claim = f"{recap.name(team)}: had {_past(result)} {number.value} in a row"
        yield decide("number", number.start, number.end, True, claim, fact=fact)


def _current_streak(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, result: tuple[str, str]
) -> Iterator[Finding]:
    team = _subject(recap, number.start)
    if team is None or _LONG_AGO.intersection(recap.words[sentence.start : sentence.end]):
        return
    streaks = [recap.facts.get(side, f"TEAM-{result[0]}_STREAK") for side in (0, 1)]
    other = streaks[1 - team]
    names = [span.end for span in sentence.entities if span.is_team and span.end <= number.start]
    between = recap.words[names[-1] : number.start] if names else []
    is_plain = bool({"have", "has"}.intersection(between)) and not {",", "and"}.intersection(between)
    if streaks[team] is None and other is not None and other.number == number.value and not is_plain:
        team = 1 - team  # "Phoenix is in the opposite position of Houston, having lost four straight"
    streak = streaks[team]
    # without a streak: one game or none in a row, or a streak that began before the known games
    fact = streak or recap.facts.get(team, f"TEAM-{result[1]}_LAST{number.value}")
    if fact is not None:
        claim = f"{recap.name(team)}: {_past(result)} {number.value} in a row"
        truth = streak.value if streak else None
        yield decide("number", number.start, number.end, number.value == fact.number, claim, truth, fact)


def _streak_of(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> tuple[str, str] | None:
    """Whether a number counts wins or losses in a row; None if neither, or only some games are counted."""
    named = {at for span in sentence.entities if span.is_team for at in range(span.start, span.end)}
    near = range(number.end, min(sentence.end, number.end + 10))
    after = [recap.words[at] for at in near if recap.words[at] != "-" and (at not in named or at > number.end + 4)]
    if after[:2] == ["game", "streak"] and _ENDED.intersection(_near(recap, sentence, number)):
        is_winners = recap.team_at(number.start) == recap.winner
        return _RESULTS["loss" if is_winners else "win"]
    if recap.words[number.start - 2 : number.start] == ["streak", "to"]:
        is_of_some = _SOME_GAMES.intersection(recap.words[max(0, number.start - 5) : number.start - 2])
        return None if is_of_some else _RESULTS.get(recap.word(number.start - 3))
    if after[:1] == ["game"]:
        kind = after[1] if len(after) > 1 else ""
        tail = after[2 + (after[2:3] in (["streak"], ["skid"], ["slide"])) :]
        is_streak = kind in ("skid", "slide") or after[2:3] in (["streak"], ["skid"], ["slide"])
        is_against_one = not {"over", "against", "home", "road"}.isdisjoint(tail[:4])
        return _RESULTS.get(kind) if is_streak and not is_against_one else None
    row = next((row for row in _IN_A_ROW if after[: len(row)] == row), None)
    if row is None:
        return None
    tail = [word for word in after[len(row) :] if word not in ("games", "contests", "matchups")]
    if tail[:1] and tail[0] in _RESULTS:
        return None if _SOME_GAMES.intersection(tail[1:2]) else _RESULTS[tail[0]]
    return None if _SOME_GAMES.intersection(tail[:1]) else _result_before(recap, sentence, number.start)


def _nth_of(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> tuple[str, str] | None:
    """Whether an ordinal counts wins or losses in a row."""
    after = [word for word in recap.words[position + 1 : min(sentence.end, position + 7)] if word != "-"]
    if after[:1] in (["straight"], ["consecutive"]):
        tail = after[1:]
        if tail[:1] in (["game"], ["contest"], ["time"], [","], ["."], ["and"], ["for"]):
            result = _result_before(recap, sentence, position)
        else:
            result = _RESULTS.get(tail[0]) if tail else None
        return None if _SOME_GAMES.union(["in"]).intersection(tail[1:2]) else result
    if after[1:4] == ["in", "a", "row"]:
        return _RESULTS.get(after[0]) or _result_before(recap, sentence, position)
    return _result_before(recap, sentence, position) if after[:3] == ["in", "a", "row"] else None


def _result_before(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> tuple[str, str] | None:
    """The result that the verb before a position means, past words such as "now" and other numbers."""
    for at in range(position - 1, max(sentence.start, position - 8) - 1, -1):
        word = recap.words[at]
        if word in _RESULTS:
            return _RESULTS[word]
        if word not in _BETWEEN and read_number(recap.words, at) is None:
            return None
    return None


def _subject(recap: ParsedRecap, position: int) -> int | None:
    """The team that a position is about; None if it is one that does not play in this game."""
    teams = [span for span in recap.sentence_at(position).entities if span.is_team and span.start < position]
    if "having" in recap.words[position - 4 : position]:  # "host the Magic on Friday , having won six of their last"
        return recap.team_at(position)
    return None if teams and teams[-1].index is None else recap.team_at(position)


def _is_earlier(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> bool:
    """Whether a claim is about the time before this game: "entered with", "were on a"."""
    near = recap.words[max(sentence.start, position - 4) : position]
    if {"have", "has"}.intersection(near) and not {"after", "coming"}.intersection(recap.words[sentence.start :][:3]):
        return False  # "had 18 turnovers and have lost four in a row"
    was = {"was", "were"}.intersection(near)
    is_before = bool(was or _EARLIER.intersection(recap.words[sentence.start : sentence.end]))
    return is_before and "now" not in near


def _is_certain(recap: ParsedRecap, team: int, position: int) -> bool:
    """Whether a claim is surely about this game and this team."""
    return recap.team_at(position) == team and not recap.mentions_other_game(position)


def _is_own(recap: ParsedRecap, team: int, position: int) -> bool:
    """Whether a team is named right before or after: "The Nets won their second straight", "a loss for them"."""
    sentence = recap.sentence_at(position)
    own = [span for span in sentence.entities if span.is_team and span.index == team]
    before = any(0 < position - span.end < 9 and recap.team_at(position) == team for span in own)
    after = any(0 < span.start - position < 9 and "for" in recap.words[span.start - 2 : span.start] for span in own)
    is_first = sentence.start == 0 and recap.word(position - 1) in ("its", "their")
    return (before or after or is_first) and not any(span.is_team and span.index is None for span in sentence.entities)


def _past(result: tuple[str, str]) -> str:
    return "won" if result[0] == "WIN" else "lost"
