"""A player's totals and averages over several games, decided by the season."""

from collections.abc import Iterator

from modeling_stg.fact_schema import MOST_GAMES
from modeling_stg.numbers import read_number
from modeling_stg.schema import COLUMN_OF_NOUN
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_COUNTED = frozenset("points rebounds assists steals blocks".split())
_TOTALING = frozenset("combined combining totaled totaling".split())
_OTHER_UNITS = ("weeks", "months", "seasons", "years", "days")
_REACH = 7  # words from one number of a list to the next
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}


def player_totals(recap: ParsedRecap) -> Iterator[Finding]:
    """ "combined for 42 points and 11 rebounds over his last two games"."""
    for sentence in recap.sentences:
        words = recap.words[sentence.start : sentence.end]
        start = next((sentence.start + at for at, word in enumerate(words) if word in _TOTALING), None)
        number = _number_of_games(words)
        player = None if start is None else recap.player_at(start)
        if start is None or number is None or player is None:
            continue
        for span, column in _counts(recap, sentence, start):
            claim = f"{recap.name(player)}: {span.value} {column} in the last {number} games"
            yield from judge_number(recap, span, player, f"TOTAL_{column}_LAST{number}", claim)


def player_averages(recap: ParsedRecap) -> Iterator[Finding]:
    """ "averaging 17 points over his last three games", "17 points per game this season"; rounded up or down."""
    for sentence in recap.sentences:
        words = recap.words[sentence.start : sentence.end]
        start = next((sentence.start + at for at, word in enumerate(words) if word.startswith("averag")), None)
        if start is None and " points per game " in f" {' '.join(words)} ":
            start = sentence.start + words.index("points") - 2  # before "17 points per game"
        player = None if start is None else recap.player_at(start)
        if start is None or player is None or "last season" in " ".join(words):
            continue
        number, is_season = _number_of_games(words), bool({"season", "year"}.intersection(words))
        if is_season == (number is not None):
            continue  # neither, or the average may be over the season or over those games
        suffix, when = ("", "this season") if is_season else (f"_LAST{number}", f"in {number} games")
        for span, column in _counts(recap, sentence, start):
            mean = recap.facts.get(player, f"MEAN_{column}{suffix}")
            if mean is not None:
                rounded = recap.facts.get(player, f"AVG_{column}{suffix}")
                is_over = bool({"over", "than", "least"}.intersection(recap.words[span.start - 2 : span.start]))
                is_true = abs(float(mean.value) - span.value) < 1 or (is_over and float(mean.value) >= span.value)
                fact = rounded if rounded and rounded.number == span.value else mean
                claim = f"{recap.name(player)}: {span.value} {column} per game {when}"
                yield decide("number", span.start, span.end, is_true, claim, mean.value, fact)


def _counts(recap: ParsedRecap, sentence: SentenceSpans, start: int) -> list[tuple[NumberSpan, str]]:
    """The list of numbers that begins after a position, with the columns they count: "42 points and 11 rebounds"."""
    counts: list[tuple[NumberSpan, str]] = []
    end = start
    for number in sentence.numbers:
        if start < number.start <= end + _REACH and recap.word(number.end) in _COUNTED:
            counts.append((number, COLUMN_OF_NOUN[recap.words[number.end]]))
            end = number.end
    return counts


def _number_of_games(words: list[str]) -> int | None:
    """The number of games in "last two games", "two - game stretch" or "second double - double in a row"."""
    for position, word in enumerate(words):
        number = read_number(words, position)
        games = number[0] if number else _ORDINALS.get(word, 0)
        if not 1 < games <= MOST_GAMES:
            continue
        after = " ".join(words[position + 1 : position + 7])
        if after.startswith(_OTHER_UNITS):
            continue  # "over the past two weeks"
        is_span = words[position - 1 : position] in (["last"], ["past"]) or after.startswith("- game")
        if (is_span and number) or "in a row" in after:
            return games
    return None
