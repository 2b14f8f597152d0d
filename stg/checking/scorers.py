"""Who scored how much beside whom: who led, who was next, whose was the game's high, who else had ten points."""

from collections.abc import Iterator

from stg.checking.findings import Finding, judged
from stg.checking.reading import Reading
from stg.extraction.candidates import SentenceSpans
from stg.extraction.claims import claimed_leaders


_LED = frozenset("way team bench unit reserves scoring starters".split())  # what a player can lead
_BENCH = frozenset("bench reserves unit".split())
_TOGETHER = frozenset("duo trio pair tandem combination".split())
_NOT_POINTS = frozenset("rebounds rebounding boards assists blocks steals double triple".split())
_HIGHS = ("game - high", "game - leading", "team - high", "team - leading")
_COLUMNS = {"point": "PTS", "points": "PTS", "rebound": "REB", "rebounds": "REB", "assist": "AST", "assists": "AST"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def scorer_findings(reading: Reading) -> Iterator[Finding]:
    yield from _leaders(reading)
    yield from _highs(reading)
    yield from _next(reading)
    yield from _ranks(reading)
    yield from _only_other(reading)
    yield from _in_double_figures(reading)


def _leaders(reading: Reading) -> Iterator[Finding]:
    """ "<player> led the team / the way / the bench with 27 points", "were led by <player>"."""
    for start, _ in reading.find("led", "paced", "leading the way"):
        sentence = reading.sentence(start)
        after = reading.words[start + 1 : sentence.end]
        player = _leader(reading, sentence, start, after)
        if player is None or _TOGETHER.intersection(after[:5]) or not _in_points(reading, sentence, start):
            continue
        mates = reading.teammates(player)
        before = reading.words[max(0, sentence.start - 6) : start]  # "contributions off their bench . He led ..."
        if _BENCH.intersection([*after[:5], *before]):
            mates = [mate for mate in mates if not reading.is_starter(mate)]
        best = max((reading.points(mate) for mate in mates), default=0)
        leaders = " and ".join(reading.name(mate) for mate in mates if reading.points(mate) == best)
        claim = f"{reading.name(player)}: led"
        yield judged("word", start, start + 1, reading.points(player) >= best, claim, leaders)


def _leader(reading: Reading, sentence: SentenceSpans, start: int, after: list[str]) -> int | None:
    """Who is said to lead; None where it is nobody, or the wrong team: then the team's name is what is false."""
    if after[:1] == ["by"]:
        if reading.word(start - 1) == ",":
            return None  # an afterthought on whatever came before
        player = next(
            (span.index for span in sentence.entities if not span.is_team and 0 < span.start - start <= 4), None
        )
    else:
        team = any(span.is_team and 0 < span.start - start <= 3 for span in sentence.entities)
        player = reading.player(start) if team or _LED.intersection(after[:6]) else None
    credited = claimed_leaders(reading.tokens, (sentence.start, sentence.end), list(sentence.entities))
    wrongly = [span for span, team in credited if team.index != reading.game.team_of(span.index)]
    return None if any(span.index == player for span in wrongly) else player


def _in_points(reading: Reading, sentence: SentenceSpans, start: int) -> bool:
    """Whether it is points that he led in, and not rebounds: the first number after it tells."""
    first = next((number for number in sentence.numbers if number.start > start), None)
    if first is None or _NOT_POINTS.intersection(reading.words[start : first.start]):
        return False
    told = reading.told.get(first.start)
    return told is not None and told[0].type.endswith("-PTS")


def _highs(reading: Reading) -> Iterator[Finding]:
    """ "a game - high 31 points", "a team - high nine assists"."""
    for start, end in reading.find(*_HIGHS):
        words = reading.words[end : min(end + 5, reading.sentence(start).end)]
        column = next((_COLUMNS[word] for word in words if word in _COLUMNS), None)
        player = reading.player(start)
        if player is None or column is None or reading.game.entities[player].values[column] is None:
            continue
        of_team = reading.words[start] == "team"
        rivals = reading.teammates(player) if of_team else range(2, len(reading.game.entities))
        best = max((reading.value(rival, column) for rival in rivals), default=0)
        claim = f"{reading.name(player)}: {reading.words[start]}-high in {column}"
        yield judged("word", start, end, reading.value(player, column) == best, claim, f"{best} is the most")


def _next(reading: Reading) -> Iterator[Finding]:
    """ "X was next with 18 points": whoever of his team scored more has been named before."""
    for start, _ in reading.find("was next"):
        player, last = reading.player(start), reading.before(start)
        if player is None or last == player or last not in reading.teammates(player):
            continue
        named, own = reading.named(start), reading.points(player)
        missed = [mate for mate in reading.teammates(player) if mate not in named and reading.points(mate) > own]
        truth = " and ".join(map(reading.name, missed))
        yield judged("word", start + 1, start + 2, not missed, f"{reading.name(player)}: next in points", truth)


def _ranks(reading: Reading) -> Iterator[Finding]:
    """ "was second on the team", in points."""
    for rank, word in enumerate(_ORDINALS[:4], 1):
        for start, _ in reading.find(f"{word} on the team", f"{word} - leading scorer", f"{word} - highest scorer"):
            player = reading.player(start)
            if player is None or not _in_points(reading, reading.sentence(start), start):
                continue
            scored = [reading.points(mate) for mate in reading.teammates(player)]
            above = sum(points > reading.points(player) for points in scored)
            least = sum(points >= reading.points(player) for points in scored)
            truth = _ORDINALS[above] if above < len(_ORDINALS) else None
            claim = f"{reading.name(player)}: {word} in points on his team"
            yield judged("number", start, start + 1, above < rank <= least, claim, truth)


def _only_other(reading: Reading) -> Iterator[Finding]:
    """ "the only other starter in double figures": whoever else of his team has ten points is named in the text."""
    for start, end in reading.find("only other"):
        sentence, player = reading.sentence(start), reading.player(start)
        figures = [
            place for place, _ in reading.find("double figures", "double digits") if end <= place < sentence.end
        ]
        if player is None or not figures:
            continue
        if reading.points(player) < 10:
            claim = f"{reading.name(player)}: in double figures"
            yield judged("word", figures[0], figures[0] + 2, False, claim, str(reading.points(player)))
            continue
        mates, named = reading.teammates(player), reading.named(sentence.end)
        if reading.word(end) == "starter":
            mates = [mate for mate in mates if reading.is_starter(mate)]
        missed = [mate for mate in mates if mate not in named and reading.points(mate) >= 10]
        claim = f"{reading.name(player)}: the only other in double figures"
        yield judged("word", start, end, not missed, claim, " and ".join(map(reading.name, missed)))


def _in_double_figures(reading: Reading) -> Iterator[Finding]:
    """ "Six players scored in double figures": of the team that is spoken of."""
    for start, _ in reading.find("double figures", "double digits"):
        team = reading.team(start)
        counted = [number for number in reading.sentence(start).numbers if 0 <= start - number.end <= 6]
        if team is None or not counted or reading.word(counted[-1].end) not in ("players", "starters", "different"):
            continue
        number = counted[-1]
        players = [
            index
            for index in range(2, len(reading.game.entities))
            if reading.game.team_of(index) == team and reading.points(index) >= 10
        ]
        if reading.word(number.end) == "starters":
            players = [index for index in players if reading.is_starter(index)]
        claim = f"{reading.name(team)}: {number.value} players in double figures"
        yield judged("number", number.start, number.end, number.value == len(players), claim, str(len(players)))
