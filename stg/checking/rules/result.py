"""Who won: the first sentence's verb, and words that fit only a winner or a loser."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.claims import claimed_winner


_DOUBTS = frozenset(
    "not n't lead led leading quarter half period boards but watched watch avoided avoiding suffered hands while "
    "entering couldn outscored outrebounded with".split()
)
_HE = frozenset("he his him".split())
_OF_PLAYER = {"in the win": "won", "in the victory": "won", "in the loss": "lost", "in the defeat": "lost"}
_OF_TEAM = {
    **dict.fromkeys(("bounce back", "get back on track", "right the ship", "get back in the win column"), "lost"),
    **dict.fromkeys(("build off this win", "build on this win", "keep rolling", "their winning ways"), "won"),
}


def winner(recap: ParsedRecap) -> Iterator[Finding]:
    """The first sentence's verb of victory or defeat; false only if it cannot mean anything else."""
    first = recap.sentences[0] if recap.sentences else None
    if first is None:
        return
    entities = [span for span in first.entities if recap.word(span.start - 1) not in ("in", "at", "from")]
    claimed = claimed_winner(recap.tokens, (first.start, first.end), entities)
    if claimed is None:
        return
    team, position = claimed
    fact = recap.facts.get(team, "TEAM-RESULT")
    teams = [span for span in entities if span.is_team and span.index is not None]
    is_between = teams[0].end <= position < teams[1].start
    is_doubtful = not is_between or _DOUBTS.intersection(recap.words[first.start : first.end])
    if fact is not None and (fact.value == "won" or not is_doubtful):
        claim, truth = f"{recap.name(team)}: won", f"{recap.name(1 - team)} won"
        yield decide("word", position, position + 1, fact.value == "won", claim, truth, fact)


def players_result(recap: ParsedRecap) -> Iterator[Finding]:
    """ "in the win", about a player's game."""
    for start, end in recap.find(*_OF_PLAYER):
        player = _player(recap, start)
        fact = None if player is None else recap.facts.get(player, "RESULT")
        if player is not None and fact is not None and not recap.mentions_other_game(start):
            is_true = fact.value == _OF_PLAYER[recap.phrase(start, end)]
            claim = f"{recap.name(player)}: {recap.words[end - 1]}"
            yield decide("word", end - 1, end, is_true, claim, fact=fact)


def _player(recap: ParsedRecap, position: int) -> int | None:
    """The player whose result it is: named in the sentence before it, or "he"; "they" may be the other team."""
    sentence = recap.sentence_at(position)
    is_named = any(not span.is_team and span.start < position for span in sentence.entities)
    is_he = _HE.intersection(recap.words[sentence.start : position])
    return recap.player_at(position) if is_named or is_he else None


def teams_result(recap: ParsedRecap) -> Iterator[Finding]:
    """The result that an outlook implies: a team that will "bounce back" has lost."""
    for start, end in recap.find(*_OF_TEAM):
        team, result = recap.team_at(start), _OF_TEAM[recap.phrase(start, end)]
        fact = None if team is None else recap.facts.get(team, "TEAM-RESULT")
        if team is not None and fact is not None and recap.looks_ahead(recap.sentence_index(start)):
            first = end - 1 if recap.words[end - 1] == "win" else start
            yield decide("word", first, end, fact.value == result, f"{recap.name(team)}: {result}", fact=fact)
