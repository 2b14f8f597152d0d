"""Numbers that other games of the season decide: streaks, wins of the last few games, a player's sums and averages."""

from collections.abc import Iterator

from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.season import Season, has_won, side
from stg.checking.findings import Finding, judged
from stg.checking.reading import Reading
from stg.extraction.candidates import NumberSpan, SentenceSpans


_COLUMNS = {"points": "PTS", "rebounds": "REB", "assists": "AST", "steals": "STL", "blocks": "BLK"}
_SUMS = frozenset("combined combining totaled totaling".split())
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_EARLIER = frozenset("snapped ended snapping ending into entering had midst prior before previous".split())
_MOST = 15  # games; longer spans are told of whole seasons


def streak_findings(reading: Reading, season: Season) -> Iterator[Finding]:
    yield from _of_the_last(reading, season)
    yield from _straight(reading, season)
    for sentence in reading.sentences:
        yield from _sums(reading, season, sentence)
        yield from _averages(reading, season, sentence)


def _of_the_last(reading: Reading, season: Season) -> Iterator[Finding]:
    """ "have now won three of their last five games"."""
    words = reading.words
    for start, end in reading.find("of their last", "of its last"):
        told = read_number(words, start - 1) if start else None
        games = read_number(words, end) if end < len(words) else None
        verb, team = words[start - 2] if start > 1 else "", reading.team(start)
        if not told or not games or verb not in ("won", "lost") or team is None or not 1 < games[0] <= _MOST:
            continue
        results = _results(reading, season, team, games[0])
        if results is not None:
            true = results.count(verb == "won")
            claim = f"{reading.name(team)}: {verb} {told[0]} of the last {games[0]}"
            yield judged("number", start - 1, start, told[0] == true, claim, str(true))


def _straight(reading: Reading, season: Season) -> Iterator[Finding]:
    """ "have now won five straight games", "lost two in a row", "a three - game winning streak"."""
    for sentence in reading.sentences:
        for number in sentence.numbers:
            after = [word for word in reading.words[number.end : number.end + 5] if word != "-"]
            verb = reading.words[number.start - 1] if number.start else ""
            if verb in ("won", "lost") and (after[:1] == ["straight"] or after[:3] == ["in", "a", "row"]):
                winning = verb == "won"
            elif after[:1] == ["game"] and after[1:3] in (["winning", "streak"], ["losing", "streak"]):
                winning = after[1] == "winning"
            else:
                continue
            team = reading.team(number.start)
            earlier = _EARLIER.intersection(reading.words[sentence.start : sentence.end])
            if team is None or earlier or not 1 < number.value <= _MOST:
                continue
            results = _results(reading, season, team, number.value)
            if results is not None:
                run = next((at for at, won in enumerate(results) if won != winning), number.value)
                claim = f"{reading.name(team)}: {'won' if winning else 'lost'} {number.value} in a row"
                truth = str(run) if run > 1 else None  # "won zero straight games" says nobody
                yield judged("number", number.start, number.end, run == number.value, claim, truth)


def _results(reading: Reading, season: Season, team: int, number: int) -> list[bool] | None:
    """Whether a team won each of its last so many games, this one first."""
    name = reading.game.entities[team].values["TEAM-NAME"]
    games = season.last(reading.game, team, number)
    if games is None or any(team.values["TEAM-PTS"] is None for game in games for team in game.entities[:2]):
        return None
    return [has_won(game, side(game, name)) for game in games]


def _sums(reading: Reading, season: Season, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "combined for 42 points and 11 rebounds over his last two games"."""
    words = reading.words[sentence.start : sentence.end]
    start = next((sentence.start + at for at, word in enumerate(words) if word in _SUMS), None)
    number = next(filter(None, (_games(words, place) for place in range(len(words)))), None)
    player = None if start is None else reading.player(start)
    if number is None or player is None:
        return
    games = season.last(reading.game, reading.game.team_of(player), number)
    if games is None:
        return
    for said, column in _counted(reading, sentence, start):
        total = sum(_values(reading, player, column, games))
        claim = f"{reading.name(player)}: {said.value} {column} in the last {number} games"
        yield judged("number", said.start, said.end, said.value == total, claim, str(total))


def _averages(reading: Reading, season: Season, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "averaging 17 points over his last three games", "on the season"; a mean may be rounded up or down."""
    words = reading.words[sentence.start : sentence.end]
    start = next((sentence.start + at for at, word in enumerate(words) if word.startswith("averag")), None)
    player = None if start is None else reading.player(start)
    if player is None:
        return
    team = reading.game.team_of(player)
    number = next(filter(None, (_games(words, place) for place in range(len(words)))), None)
    whole = {"season", "year"}.intersection(words)
    if whole and number is not None:
        return  # of which of the two the mean is told, nobody knows
    if whole:
        values = reading.game.entities[team].values
        number = int(values["TEAM-WINS"] or 0) + int(values["TEAM-LOSSES"] or 0)
    games = season.last(reading.game, team, number) if number else None
    for said, column in _counted(reading, sentence, start) if games else ():
        values = _values(reading, player, column, games)
        if values:
            mean = sum(values) / len(values)
            claim = f"{reading.name(player)}: {said.value} {column} a game in {number} games"
            yield judged("number", said.start, said.end, abs(mean - said.value) < 1, claim, f"{mean:.1f}")


def _counted(reading: Reading, sentence: SentenceSpans, start: int) -> list[tuple[NumberSpan, str]]:
    """Numbers after a place that count a column: "42 points"."""
    return [
        (number, _COLUMNS[reading.words[number.end]])
        for number in sentence.numbers
        if number.start > start and number.end < sentence.end and reading.words[number.end] in _COLUMNS
    ]


def _games(words: list[str], place: int) -> int | None:
    """How many games "last two games", "two - game stretch" or "second double - double in a row" are."""
    number = read_number(words, place)
    games = number[0] if number else _ORDINALS.get(words[place], 0)
    if not 1 < games <= _MOST:
        return None
    after = " ".join(words[place + 1 : place + 7])
    over = words[place - 1 : place] in (["last"], ["past"]) or after.startswith("- game")
    return games if (over and number) or "in a row" in after else None


def _values(reading: Reading, player: int, column: str, games: list[Game]) -> list[int]:
    """What a player had in each of these games in which he played."""
    name = reading.name(player)
    lines = [game.entities[game.position(name)] for game in games if name in game.names]
    return [int(line.values[column]) for line in lines if line.values[column] is not None]
