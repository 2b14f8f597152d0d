"""Players in double figures: ten points or more."""

from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import NumberSpan, SentenceSpans


_PHRASES = ("double figures", "double digits", "double - figures", "double - digits")
_PLAYERS = frozenset("players starters different guys members reserves men".split())
_OTHERS = frozenset("other others only of additional".split())
_ASIDE = frozenset(") ,".split())


def only_other(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the only other starter in double figures": any other teammate with ten points is named in the text."""
    for start, end in recap.find("only other"):
        sentence, player = recap.sentence_at(start), recap.player_at(start)
        figures = [position for position, _ in recap.find(*_PHRASES) if end <= position < sentence.end]
        if player is None or not figures:
            continue
        team = recap.game.team_of(player)
        of_team = recap.facts.get(team, "TEAM-DOUBLE_FIGURES")
        of_role = recap.facts.get(team, _attribute(" ".join(recap.words[end : figures[0]])))
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
    """ "Six players scored in double figures for the Jazz": of the team named there, else of the sentence's."""
    for start, end in recap.find(*_PHRASES):
        sentence = recap.sentence_at(start)
        near = [number for number in sentence.numbers if 0 <= start - number.end <= 6]
        numbers = near[-1:] if near and recap.word(near[-1].end) in _PLAYERS else near[::-1]
        number = next((number for number in numbers if _counts_players(recap, sentence, number, start)), None)
        team = None if number is None else _team(recap, sentence, number, end)
        if number is None or team is None or any(word.startswith("rebound") for word in recap.words[end : end + 3]):
            continue
        attribute = _attribute(" ".join(recap.words[number.end : start]))
        others = 1 - team
        is_of_other = recap.facts.number(team, attribute) != number.value == recap.facts.number(others, attribute)
        if is_of_other and not _is_named_alone(sentence, team):
            team = others  # "the Jazz took Portland down with six players in double figures"
        claim = f"{recap.name(team)}: {number.value} players in double figures"
        yield from judge_number(recap, number, team, attribute, claim)


def _counts_players(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, start: int) -> bool:
    """Whether a number counts all players, or starters, in double figures: not "the other two", "of their five"."""
    between = recap.words[number.end : start]
    before = recap.words[max(sentence.start, number.start - 2) : number.start]
    of_five = "of" in before and any(item.end >= number.start - 3 for item in sentence.numbers if item is not number)
    named = any(span.is_team and number.end <= span.start < start for span in sentence.entities)
    is_players = named or any(word in _PLAYERS for word in between)
    is_aside = _ASIDE.intersection(between) or "bench" in recap.words[sentence.start : number.start]
    return is_players and not _OTHERS.intersection([*before, *between]) and not of_five and not is_aside


def _team(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, end: int) -> int | None:
    """The team after "six" or after "for", else the last one named before."""
    near = [span for span in sentence.entities if span.is_team and number.start < span.start <= end + 3]
    return near[0].index if near else recap.team_at(number.start)


def _is_named_alone(sentence: SentenceSpans, team: int) -> bool:
    return {span.index for span in sentence.entities if span.is_team} == {team}


def _attribute(words: str) -> str:
    """The fact that "starters in double figures" means, or "reserves", or "players"."""
    if "start" in words:
        return "TEAM-DOUBLE_FIGURES_STARTERS"
    is_bench = "bench" in words or "reserve" in words
    return "TEAM-DOUBLE_FIGURES_RESERVES" if is_bench else "TEAM-DOUBLE_FIGURES"
