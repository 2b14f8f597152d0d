"""A player's totals and averages over several games, decided by the season."""

from collections.abc import Iterator

from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import COLUMN_OF_NOUN
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.streaks import MAX_GAMES
from stg.extraction.candidates import NumberSpan, SentenceSpans


_COUNTED = frozenset("points rebounds assists steals blocks".split())
_TOTALING = frozenset("combined combining totaled totaling".split())
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
        games = recap.season.last(recap.game, recap.game.team_of(player), number)
        if games is None:
            continue
        for span, column in _counts(recap, sentence, start):
            total = sum(_values(recap, player, column, games))
            claim = f"{recap.name(player)}: {span.value} {column} in the last {number} games"
            yield decide("number", span.start, span.end, span.value == total, claim, str(total))


def player_averages(recap: ParsedRecap) -> Iterator[Finding]:
    """ "averaging 17 points over his last three games", "on the season"; a mean may be rounded up or down."""
    for sentence in recap.sentences:
        words = recap.words[sentence.start : sentence.end]
        start = next((sentence.start + at for at, word in enumerate(words) if word.startswith("averag")), None)
        player = None if start is None else recap.player_at(start)
        if start is None or player is None:
            continue
        team, number = recap.game.team_of(player), _number_of_games(words)
        if {"season", "year"}.intersection(words):
            if number is not None:
                continue  # the average may be over the season or over those games
            number = recap.number(team, "TEAM-WINS") + recap.number(team, "TEAM-LOSSES")
        games = recap.season.last(recap.game, team, number) if number else None
        for span, column in _counts(recap, sentence, start) if games else ():
            values = _values(recap, player, column, games or [])
            if values:
                mean = sum(values) / len(values)
                claim = f"{recap.name(player)}: {span.value} {column} per game in {number} games"
                yield decide("number", span.start, span.end, abs(mean - span.value) < 1, claim, f"{mean:.1f}")


def _counts(recap: ParsedRecap, sentence: SentenceSpans, start: int) -> list[tuple[NumberSpan, str]]:
    """Numbers after a position with the column they count: "42 points"."""
    return [
        (number, COLUMN_OF_NOUN[recap.words[number.end]])
        for number in sentence.numbers
        if number.start > start and number.end < sentence.end and recap.words[number.end] in _COUNTED
    ]


def _number_of_games(words: list[str]) -> int | None:
    """The number of games in "last two games", "two - game stretch" or "second double - double in a row"."""
    for position, word in enumerate(words):
        number = read_number(words, position)
        games = number[0] if number else _ORDINALS.get(word, 0)
        if not 1 < games <= MAX_GAMES:
            continue
        after = " ".join(words[position + 1 : position + 7])
        is_span = words[position - 1 : position] in (["last"], ["past"]) or after.startswith("- game")
        if (is_span and number) or "in a row" in after:
            return games
    return None


def _values(recap: ParsedRecap, player: int, column: str, games: list[Game]) -> list[int]:
    """A player's numbers in the games in which he played."""
    name = recap.name(player)
    numbers = [game.entities[game.position(name)].number(column) for game in games if name in game.names]
    return [number for number in numbers if number is not None]
