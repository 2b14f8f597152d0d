"""A player's streaks: games in a row with 20 points or more, and double-doubles in a row."""

from collections.abc import Iterator

from modeling_stg.numbers import read_ordinal
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_ROW = frozenset("straight consecutive row".split())
_TWENTY = 20
_REACHED = frozenset("reaching reached reaches scoring scored scores topped topping with of least had".split())
_ENDED = frozenset("broke snapped ended halted stopped before entering entered previous".split())
_REACH = 12


def twenties(recap: ParsedRecap) -> Iterator[Finding]:
    """ "his fifth straight game with 20 or more", "reached 20 for the fourth game in a row"."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            read = _games(recap, sentence, number) if number.value >= 10 else None
            player = None if read is None else recap.player_at(read.start)
            if read is None or player is None:
                continue
            is_nth = read_ordinal(recap.words[read.start]) is not None
            fact = recap.facts.get(player, f"TWENTY_STREAK{'_NTH' if is_nth else ''}")
            most = fact or recap.facts.get(player, "PTS")
            claim = f"{recap.name(player)}: {number.value} points in {read.text} games in a row"
            if most is None or number.value != _TWENTY:
                continue  # other limits are no facts
            length = recap.facts.number(player, "TWENTY_STREAK")
            if length is None and not _is_known(recap, player):
                continue
            is_true = read.value == length
            truth = None if fact is None else fact.value
            yield decide("word" if is_nth else "number", read.start, read.end, is_true, claim, truth, most)
            yield decide("number", number.start, number.end, length is not None, claim, None, most)


def doubles_in_a_row(recap: ParsedRecap) -> Iterator[Finding]:
    """ "has 12 double - doubles in a row", "opened the season with three straight double - doubles"."""
    for start, end in recap.find("double - doubles", "double-doubles"):
        sentence, player = recap.sentence_at(start), recap.player_at(start)
        is_row = recap.word(start - 1) in _ROW
        number = next((number for number in sentence.numbers if number.end == start - is_row), None)
        if player is not None and number is not None and (is_row or recap.phrase(end, end + 3) == "in a row"):
            yield from judge_number(recap, number, player, "DOUBLE_STREAK")


def done_again(recap: ParsedRecap) -> Iterator[Finding]:
    """ "for a double - double . He has done so in four straight games": the sentence before says what."""
    for start, end in recap.find("done so in"):
        sentence, index = recap.sentence_at(start), recap.sentence_index(start)
        number = next((number for number in sentence.numbers if number.start == end), None)
        before = recap.sentences[index - 1] if index else sentence
        what = recap.words[before.start : before.end]
        player = recap.player_at(start)
        if player is not None and number and recap.word(number.end) in _ROW and what.count("double") == 2:
            yield from judge_number(recap, number, player, "DOUBLE_STREAK")


def _is_known(recap: ParsedRecap, player: int) -> bool:
    """Whether the season knows all his games."""
    return recap.facts.get(player, "MEAN_PTS") is not None


def _games(recap: ParsedRecap, sentence: SentenceSpans, limit: NumberSpan) -> NumberSpan | None:
    """The number of games in a row with at least so many points, as an ordinal or not."""
    if not _is_limit(recap, limit) or _ENDED.intersection(recap.words[sentence.start : sentence.end]):
        return None
    near = range(max(sentence.start, limit.start - _REACH), min(sentence.end, limit.end + _REACH))
    for at in sorted(near, key=lambda place: abs(place - limit.start)):
        word = recap.words[at]
        number = next((other for other in sentence.numbers if other.start == at and other is not limit), None)
        nth = read_ordinal(word)
        if nth is None and number is None:
            continue
        end = at + 1 if number is None else number.end
        after = [other for other in recap.words[end : end + 5] if other != "-"]
        is_games = bool({"game", "games", "time"}.intersection(after[:2])) or after[:2] == ["straight", "20"]
        if _ROW.intersection(after[:4]) and is_games:
            return number or NumberSpan(at, at + 1, word, nth or 0)
    return None


def _is_limit(recap: ParsedRecap, number: NumberSpan) -> bool:
    """ "20 or more", "20 points or more", "20 - plus", "at least 20", "20 - point game", "reached 20"."""
    after = recap.words[number.end : number.end + 4]
    is_open = "more" in after[1:4] or "plus" in after[:2] or after[:2] == ["-", "point"]
    return is_open or recap.word(number.start - 1) in _REACHED
