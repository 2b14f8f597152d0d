"""Scoring leaders, game and team highs, and ranks."""

from collections.abc import Iterator

from modeling_stg.schema import COLUMN_OF_NOUN
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import SentenceSpans
from stg.extraction.claims import claimed_leaders


_LED = frozenset("way team bench unit reserves scoring starters".split())  # what a player can lead
_BENCH = frozenset("bench reserves unit".split())
_TOGETHER = frozenset("duo trio pair tandem combination".split())
_NOT_POINTS = frozenset("rebounds rebounding boards assists blocks steals double triple".split())
_HIGHS = ("game - high", "game - leading", "team - high", "team - leading")
_HIGH_NOUNS = frozenset("point points rebound rebounds assist assists".split())
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def top_scorer(recap: ParsedRecap) -> Iterator[Finding]:
    """ "<player> led the team / the way / the bench with 27 points", "were led by <player>"."""
    for start, _ in recap.find("led", "paced", "leading the way"):
        sentence = recap.sentence_at(start)
        after = recap.words[start + 1 : sentence.end]
        player = _leader(recap, sentence, start, after)
        if player is None or _TOGETHER.intersection(after[:5]) or not _is_about_points(recap, sentence, start):
            continue
        mates = recap.teammates(player)
        before = recap.words[max(0, sentence.start - 6) : start]  # "contributions off their bench . He led ..."
        if _BENCH.intersection([*after[:5], *before]):
            mates = [mate for mate in mates if not recap.is_starter(mate)]
        best = max((recap.points(mate) for mate in mates), default=0)
        leaders = " and ".join(recap.name(mate) for mate in mates if recap.points(mate) == best)
        claim = f"{recap.name(player)}: led in points"
        yield decide("word", start, start + 1, recap.points(player) >= best, claim, leaders)


def high(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a game - high 31 points", "a team - high nine assists"."""
    for start, end in recap.find(*_HIGHS):
        words = recap.words[end : min(end + 5, recap.sentence_at(start).end)]
        column = next((COLUMN_OF_NOUN[word] for word in words if word in _HIGH_NOUNS), None)
        player = recap.player_at(start)
        if player is None or column is None or recap.game.entities[player].values[column] is None:
            continue
        rivals = recap.teammates(player) if recap.words[start] == "team" else list(range(2, len(recap.game.entities)))
        best = max((recap.number(rival, column) for rival in rivals), default=0)
        claim = f"{recap.name(player)}: {recap.words[start]}-high in {column}"
        yield decide("word", start, end, recap.number(player, column) == best, claim, f"{best} is the most")


def next_scorer(recap: ParsedRecap) -> Iterator[Finding]:
    """ "X was next with 18 points": any teammate with more points has been named before."""
    for start, _ in recap.find("was next"):
        player, previous = recap.player_at(start), recap.previous_player(start)
        if player is None or previous == player or previous not in recap.teammates(player):
            continue
        named, own = recap.players_named_before(start), recap.points(player)
        missed = [mate for mate in recap.teammates(player) if mate not in named and recap.points(mate) > own]
        truth = " and ".join(map(recap.name, missed))
        yield decide("word", start + 1, start + 2, not missed, f"{recap.name(player)}: next in points", truth)


def scoring_rank(recap: ParsedRecap) -> Iterator[Finding]:
    """ "was second on the team", in points."""
    for rank, word in enumerate(_ORDINALS[:4], 1):
        for start, _ in recap.find(f"{word} on the team", f"{word} - leading scorer", f"{word} - highest scorer"):
            player = recap.player_at(start)
            if player is None or not _is_about_points(recap, recap.sentence_at(start), start):
                continue
            points = [recap.points(mate) for mate in recap.teammates(player)]
            above = sum(other > recap.points(player) for other in points)
            not_below = sum(other >= recap.points(player) for other in points)
            truth = _ORDINALS[above] if above < len(_ORDINALS) else None
            claim = f"{recap.name(player)}: {word} in points on his team"
            yield decide("number", start, start + 1, above < rank <= not_below, claim, truth)


def _leader(recap: ParsedRecap, sentence: SentenceSpans, start: int, after: list[str]) -> int | None:
    """The claimed leader; None if there is none, or if he plays for the other team, whose name is then the mistake."""
    if after[:1] == ["by"]:
        if recap.word(start - 1) == ",":
            return None  # ", led by" may refer to either team
        player = next(
            (span.index for span in sentence.entities if not span.is_team and 0 < span.start - start <= 4), None
        )
    else:
        team = any(span.is_team and 0 < span.start - start <= 3 for span in sentence.entities)
        player = recap.player_at(start) if team or _LED.intersection(after[:6]) else None
    for span, claimed in claimed_leaders(recap.tokens, (sentence.start, sentence.end), list(sentence.entities)):
        if span.index is not None and span.index == player and claimed.index != recap.game.team_of(span.index):
            return None
    return player


def _is_about_points(recap: ParsedRecap, sentence: SentenceSpans, start: int) -> bool:
    """Whether the first number after a position counts points."""
    first = next((number for number in sentence.numbers if number.start > start), None)
    if first is None or _NOT_POINTS.intersection(recap.words[start : first.start]):
        return False
    relations = recap.relations_at.get(first.start)
    return relations is not None and relations[0].fact.attribute in ("PTS", "TEAM-PTS")
