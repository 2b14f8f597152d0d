"""Who won: the first sentence's verb, and words that fit only a winner or a loser."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.claims import claimed_winner


_DOUBTS = frozenset(
    "not n't lead led leading quarter half period boards but watched watch avoided avoiding suffered hands while "
    "entering couldn outscored outrebounded with".split()
)
_OF_PLAYER = {"in the win": True, "in the victory": True, "in the loss": False, "in the defeat": False}
_OF_TEAM = {"bounce back": False, "build off this win": True, "build on this win": True, "keep rolling": True}


def winner(recap: ParsedRecap) -> Iterator[Finding]:
    """The first sentence's verb of victory or defeat; false only if it cannot mean anything else."""
    first = recap.sentences[0] if recap.sentences else None
    if first is None or not recap.both_have("TEAM-PTS"):
        return
    entities = [span for span in first.entities if recap.word(span.start - 1) not in ("in", "at", "from")]
    claimed = claimed_winner(recap.tokens, (first.start, first.end), entities)
    if claimed is None:
        return
    team, position = claimed
    teams = [span for span in entities if span.is_team and span.index is not None]
    is_between = teams[0].end <= position < teams[1].start
    is_doubtful = not is_between or _DOUBTS.intersection(recap.words[first.start : first.end])
    if recap.has_won(team) or not is_doubtful:
        truth = f"{recap.name(1 - team)} won"
        yield decide("word", position, position + 1, recap.has_won(team), f"{recap.name(team)}: won", truth)


def players_result(recap: ParsedRecap) -> Iterator[Finding]:
    """ "in the win", about a player's game."""
    for start, end in recap.find(*_OF_PLAYER) if recap.both_have("TEAM-PTS") else ():
        player = recap.player_at(start)
        if player is not None and not recap.mentions_other_game(start):
            is_true = recap.has_won(recap.game.team_of(player)) == _OF_PLAYER[recap.phrase(start, end)]
            yield decide("word", end - 1, end, is_true, f"{recap.name(player)}: {recap.words[end - 1]}")


def teams_result(recap: ParsedRecap) -> Iterator[Finding]:
    """The result that an outlook implies: a team that will "bounce back" has lost."""
    for start, end in recap.find(*_OF_TEAM) if recap.both_have("TEAM-PTS") else ():
        team, won = recap.team_at(start), _OF_TEAM[recap.phrase(start, end)]
        if team is not None:
            first = end - 1 if recap.words[end - 1] == "win" else start
            claim = f"{recap.name(team)}: {'won' if won else 'lost'}"
            yield decide("word", first, end, recap.has_won(team) == won, claim)
