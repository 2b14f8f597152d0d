"""Players in double figures: ten points or more."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number


_PHRASES = ("double figures", "double digits")


def only_other(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the only other starter in double figures": any other teammate with ten points is named in the text."""
    for start, end in recap.find("only other"):
        sentence, player = recap.sentence_at(start), recap.player_at(start)
        figures = [position for position, _ in recap.find(*_PHRASES) if end <= position < sentence.end]
        if player is None or not figures:
            continue
        team = recap.game.team_of(player)
        of_team = recap.facts.get(team, "TEAM-DOUBLE_FIGURES")
        of_role = recap.facts.get(team, _attribute(recap.word(end)))
        if of_team is None or of_role is None:
            continue
        if player not in [cell.entity for cell in of_team.sources]:
            claim, points = f"{recap.name(player)}: in double figures", recap.facts.get(player, "PTS")
            truth = None if points is None else points.value
            yield decide("word", figures[0], figures[0] + 2, False, claim, truth, points)
            continue
        named = recap.players_named_before(sentence.end)
        missed = [cell.entity for cell in of_role.sources if cell.entity is not None and cell.entity not in named]
        claim = f"{recap.name(player)}: the only other in double figures"
        yield decide("word", start, end, not missed, claim, " and ".join(map(recap.name, missed)), of_role)


def players_in_double_figures(recap: ParsedRecap) -> Iterator[Finding]:
    """ "Six players scored in double figures": of the team the sentence is about."""
    for start, _ in recap.find(*_PHRASES):
        team = recap.team_at(start)
        before = [number for number in recap.sentence_at(start).numbers if 0 <= start - number.end <= 6]
        if team is None or not before or recap.word(before[-1].end) not in ("players", "starters", "different"):
            continue
        number = before[-1]
        claim = f"{recap.name(team)}: {number.value} players in double figures"
        yield from judge_number(recap, number, team, _attribute(recap.word(number.end)), claim)


def _attribute(word: str) -> str:
    """The fact that "starters in double figures" means, or "players"."""
    return "TEAM-DOUBLE_FIGURES_STARTERS" if word.startswith("starter") else "TEAM-DOUBLE_FIGURES"
