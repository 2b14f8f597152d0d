"""Players in double figures: ten points or more."""

from collections.abc import Iterator

from modeling_stg.schema import DOUBLE_FIGURES
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap


_PHRASES = ("double figures", "double digits")


def only_other(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the only other starter in double figures": any other teammate with ten points is named in the text."""
    for start, end in recap.find("only other"):
        sentence, player = recap.sentence_at(start), recap.player_at(start)
        figures = [position for position, _ in recap.find(*_PHRASES) if end <= position < sentence.end]
        if player is None or not figures:
            continue
        if recap.points(player) < DOUBLE_FIGURES:
            claim = f"{recap.name(player)}: in double figures"
            yield decide("word", figures[0], figures[0] + 2, False, claim, str(recap.points(player)))
            continue
        mates, named = recap.teammates(player), recap.players_named_before(sentence.end)
        if recap.word(end) == "starter":
            mates = [mate for mate in mates if recap.is_starter(mate)]
        missed = [mate for mate in mates if mate not in named and recap.points(mate) >= DOUBLE_FIGURES]
        claim = f"{recap.name(player)}: the only other in double figures"
        yield decide("word", start, end, not missed, claim, " and ".join(map(recap.name, missed)))


def players_in_double_figures(recap: ParsedRecap) -> Iterator[Finding]:
    """ "Six players scored in double figures": of the team the sentence is about."""
    for start, _ in recap.find(*_PHRASES):
        team = recap.team_at(start)
        before = [number for number in recap.sentence_at(start).numbers if 0 <= start - number.end <= 6]
        if team is None or not before or recap.word(before[-1].end) not in ("players", "starters", "different"):
            continue
        number = before[-1]
        players = [
            index
            for index in range(2, len(recap.game.entities))
            if recap.game.team_of(index) == team and recap.points(index) >= DOUBLE_FIGURES
        ]
        if recap.word(number.end) == "starters":
            players = [player for player in players if recap.is_starter(player)]
        claim = f"{recap.name(team)}: {number.value} players in double figures"
        yield decide("number", number.start, number.end, number.value == len(players), claim, str(len(players)))
