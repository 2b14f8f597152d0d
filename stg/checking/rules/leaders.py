"""Scoring leaders, game and team highs, and ranks."""

from collections.abc import Iterator

from modeling_stg.fact_schema import ORDINALS
from modeling_stg.facts import Fact
from modeling_stg.schema import COLUMN_OF_NOUN
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import SentenceSpans
from stg.extraction.claims import claimed_leaders


_LED = frozenset("way team bench unit reserves scoring starters".split())  # what a player can lead
_BENCH = frozenset("bench reserves unit".split())
_STARTERS = frozenset("starters starting".split())
_TOGETHER = frozenset("duo trio pair tandem combination".split())
_NOT_POINTS = frozenset("rebounds rebounding boards assists blocks steals double triple".split())
_HIGHS = ("game - high", "game - leading", "team - high", "team - leading")
_PREPOSITIONS = frozenset("in on for to and , .".split())
_HIGH_NOUNS = frozenset(
    "point points rebound rebounds boards assist assists dimes steal steals block blocks minute minutes".split()
)


def top_scorer(recap: ParsedRecap) -> Iterator[Finding]:
    """ "<player> led the team / the way / the bench with 27 points", "were led by <player>", "to lead the Bucks"."""
    for start, _ in recap.find("led", "paced", "leading the way", "to lead the"):
        sentence, is_infinitive = recap.sentence_at(start), recap.word(start) == "to"
        start += is_infinitive
        after = recap.words[start + 1 : sentence.end]
        player, is_misplaced = _leader(recap, sentence, start, after)
        if player is None or _TOGETHER.intersection(after[:5]) or not _is_about_points(recap, sentence, start):
            continue
        before = recap.words[max(0, sentence.start - 6) : start]  # "contributions off their bench . He led ..."
        before = [] if is_infinitive else before  # "came off the bench to lead the Bucks"
        scope = "BENCH" if _BENCH.intersection([*after[:5], *before]) else "TEAM"
        if _STARTERS.intersection([*after[:3], *recap.words[sentence.start : start]]):
            scope = "STARTER"
        leaders = recap.holders(f"{scope}_HIGH_PTS", recap.game.team_of(player))
        points = recap.facts.number(player, "PTS")
        if is_misplaced and player in leaders:
            continue
        if leaders and points is not None:
            claim, truth = f"{recap.name(player)}: led in points", " and ".join(map(recap.name, leaders))
            # a starter with more points than any reserve did not come off the bench, but he led
            led = points >= (recap.facts.number(min(leaders), "PTS") or 0)
            yield decide("word", start, start + 1, led, claim, truth, _deciding(leaders, player))


def high(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a game - high 31 points", "a team - high nine assists"."""
    for start, end in recap.find(*_HIGHS):
        player, column = _high_of(recap, start, end)
        if player is None or column is None:
            continue
        scope = recap.words[start]
        team = recap.game.team_of(player) if scope == "team" else None
        leaders = recap.holders(f"{scope.upper()}_HIGH_{column}", team)
        if leaders:
            claim, best = f"{recap.name(player)}: {scope}-high in {column}", recap.facts.value(min(leaders), column)
            truth = f"{best} is the most"
            yield decide("word", start, end, player in leaders, claim, truth, _deciding(leaders, player))


def season_high(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a season - high 33 points"."""
    for start, end in recap.find("season - high", "season - best"):
        player, column = _high_of(recap, start, end)
        own = None if player is None or column is None else recap.facts.get(player, column)
        most = None if player is None else recap.facts.get(player, f"SEASON_MOST_{column}")
        if player is None or own is None or most is None or not _is_followed_by(recap, end, own.number):
            continue  # another player's, a team's, or of another game
        fact = recap.facts.get(player, f"SEASON_HIGH_{column}") or most
        claim, truth = f"{recap.name(player)}: season-high in {column}", f"{most.value} is the most"
        yield decide("word", start, end, own.value == most.value, claim, truth, fact)


def _is_followed_by(recap: ParsedRecap, position: int, value: int) -> bool:
    """Whether a number follows, perhaps after "of"."""
    numbers = recap.sentence_at(position - 1).numbers
    return any(position <= number.start <= position + 1 and number.value == value for number in numbers)


def _high_of(recap: ParsedRecap, start: int, end: int) -> tuple[int | None, str | None]:
    """The player and column of a high: "a game - high 31 points from Westbrook" is of whom has 31, if he is named."""
    sentence = recap.sentence_at(start)
    number = next((number for number in sentence.numbers if end <= number.start <= end + 1), None)
    if recap.word(end) == "scoring":
        return recap.player_at(start), "PTS"
    if number is None:
        return None, None
    nouns = [word for word in recap.words[number.end : number.end + 2] if word != "-"]
    column = COLUMN_OF_NOUN[nouns[0]] if nouns and nouns[0] in _HIGH_NOUNS else None
    if column is None and (nouns[:1] or [""])[0] in _PREPOSITIONS:
        column = "PTS"  # "a team - high 18 in 25 minutes"
    players = [span.index for span in sentence.entities if not span.is_team and span.index is not None]
    subject = recap.player_at(start)
    fitting = [player for player in (subject, *players) if player is not None and column is not None]
    owner = (player for player in fitting if recap.facts.number(player, column or "") == number.value)
    return next(owner, subject), column


def top_man(recap: ParsedRecap) -> Iterator[Finding]:
    """ "was the high - point man for the Bucks", "a bench - leading 22 points"."""
    for start, end in recap.find("the high - point man", "high - point man", "bench - leading", "bench - high"):
        player = recap.player_at(start)
        sentence = recap.sentence_at(start)
        scope = "BENCH" if recap.words[start] == "bench" else "TEAM"
        leaders = {} if player is None else recap.holders(f"{scope}_HIGH_PTS", recap.game.team_of(player))
        is_later = any(not span.is_team and span.start > start for span in sentence.entities)
        if player is not None and leaders and not is_later and not recap.mentions_other_game(start):
            claim, truth = f"{recap.name(player)}: led in points", " and ".join(map(recap.name, leaders))
            yield decide("word", start, end, player in leaders, claim, truth, _deciding(leaders, player))


def next_scorer(recap: ParsedRecap) -> Iterator[Finding]:
    """ "X was next with 18 points", "right behind him": any teammate with more points has been named before."""
    for start, end in recap.find("was next", "was right behind", "was close behind", "was n't far behind"):
        if recap.word(end) == "among":
            continue  # "next among the starters"
        player, previous = recap.player_at(start), recap.previous_player(start)
        places = {} if player is None else recap.holders("PTS_NTH", recap.game.team_of(player))
        if player is None or player not in places or previous == player or previous not in places:
            continue
        named, own = recap.players_named_before(start), ORDINALS.index(places[player].value)
        missed = [mate for mate, fact in places.items() if ORDINALS.index(fact.value) < own and mate not in named]
        claim, truth = f"{recap.name(player)}: next in points", " and ".join(map(recap.name, missed))
        yield decide("word", end - 1, end, not missed, claim, truth, places[player])


def scoring_rank(recap: ParsedRecap) -> Iterator[Finding]:
    """ "was second on the team", in points."""
    for word in ORDINALS[:4]:
        for start, _ in recap.find(f"{word} on the team", f"{word} - leading scorer", f"{word} - highest scorer"):
            player = recap.player_at(start)
            places = {} if player is None else recap.holders("PTS_NTH", recap.game.team_of(player))
            if player not in places or not _is_about_points(recap, recap.sentence_at(start), start):
                continue
            fact = places[player]
            equals = sum(other.value == fact.value for other in places.values())
            first = ORDINALS.index(fact.value)
            claim = f"{recap.name(player)}: {word} in points on his team"
            is_true = word in ORDINALS[first : first + equals]
            yield decide("number", start, start + 1, is_true, claim, fact.value, fact)


def _deciding(leaders: dict[int, Fact], player: int) -> Fact:
    """The player's own fact if he is a leader, else that of the one who is."""
    return leaders.get(player) or next(iter(leaders.values()))


def _leader(recap: ParsedRecap, sentence: SentenceSpans, start: int, after: list[str]) -> tuple[int | None, bool]:
    """The claimed leader, or None, and whether he plays for the other team, whose name is then a mistake too."""
    if after[:1] == ["by"]:
        if recap.word(start - 1) == ",":
            return None, False  # ", led by" may refer to either team
        player = next(
            (span.index for span in sentence.entities if not span.is_team and 0 < span.start - start <= 4), None
        )
    else:
        team = any(span.is_team and 0 < span.start - start <= 3 for span in sentence.entities)
        player = recap.player_at(start) if team or _LED.intersection(after[:6]) else None
    for span, claimed in claimed_leaders(recap.tokens, (sentence.start, sentence.end), list(sentence.entities)):
        if span.index is not None and span.index == player and claimed.index != recap.game.team_of(span.index):
            return player, True
    return player, False


def _is_about_points(recap: ParsedRecap, sentence: SentenceSpans, start: int) -> bool:
    """Whether the first number after a position counts points."""
    first = next((number for number in sentence.numbers if number.start > start), None)
    if first is None or _NOT_POINTS.intersection(recap.words[start : first.start]):
        return False
    relations = recap.relations_at.get(first.start)
    return relations is not None and relations[0].fact.attribute in ("PTS", "TEAM-PTS")
