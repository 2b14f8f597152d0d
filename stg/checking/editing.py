"""What an editor would not let pass although it is true: a sentence in the wrong place, or told in the wrong way.

Every fault is a function of a text, its findings and the position where its last sentence starts.
"""

import re
from collections.abc import Callable, Sequence

from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap


_COUNTS = frozenset("PTS REB OREB DREB AST STL BLK TO PF MIN".split())
_WITHOUT_NOUN = re.compile(
    r"\b(an? \d+ - (?:of - \d+|point))(?= (?:[.,;)]|and|or|but|from|with|while|as|in|on|at|to|for|by|including) )"
)
_PERIOD = re.compile(r"TEAM-.*_(QTR[1-4]|Q[1-4]|H1|H2|OT)")
_ORDER = {"Q1": 1, "Q2": 2, "H1": 2, "Q3": 3, "Q4": 4, "H2": 4, "OT": 5}  # when what is told of a period has happened
# The margins in points of the winner's verbs in our own recaps.
_CLOSE, _CLEAR = range(1, 7), range(15, 200)
_MARGINS = {verb: _CLOSE for verb in ("edged", "outlasted", "survived", "squeezed past", "escaped", "slipped past")}
_MARGINS |= {verb: _CLEAR for verb in ("routed", "crushed", "rolled", "ran past", "blew out", "cruised", "dominated")}
_MARGINS |= {"held off": range(1, 9), "held on": range(1, 9), "pulled away": range(7, 200)}
_BODY = 150  # tokens of a recap before its outlook: an opening, how the game went, and five or six players
_PLURAL = frozenset(["are", "were", "have", "host", "visit", "play"])
_SINGULAR = frozenset(["is", "was", "has", "hosts", "visits", "plays"])


def goes_back(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """Periods are told in order, each once; the opening may anticipate any."""
    moments = _moments(recap, findings)
    told = [moment for at, moment in moments if at < start]
    told_now = [moment for at, moment in moments if at >= start]
    return "goes back in time" if told and told_now and min(told_now) <= max(told) else None


def _moments(recap: ParsedRecap, findings: Sequence[Finding]) -> list[tuple[int, int]]:
    """(position, moment) of every number about a period after the opening."""
    moments = []
    for finding in findings:
        if finding.kind == "number" and finding.fact is not None and finding.start >= recap.sentences[0].end:
            match = _PERIOD.fullmatch(finding.fact.attribute)
            if match:
                moments.append((finding.start, _ORDER[match[1].replace("QTR", "Q")]))
    return moments


def skips_the_turn(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """How the winner turned the game comes before the players: the third quarter, or the fourth if that was needed."""
    winner = recap.winner
    if winner is None or start == 0 or recap.facts.get(winner, "TEAM-PTS_AFTER_Q3") is None:
        return None
    behind = [_ORDER[name] for name in ("H1", "Q3") if not recap.facts.get(winner, f"TEAM-LEAD_{name}")]
    has_players = any(not span.is_team and span.start >= start for span in recap.sentences[-1].entities)
    if not behind or not has_players:
        return None
    is_told = any(moment > max(behind) for _, moment in _moments(recap, findings))
    return None if is_told else "skips how the game turned"


def buries_the_leader(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """A team's best scorer is told of before its other players, or together with them."""
    spans = [span for sentence in recap.sentences for span in sentence.entities if span.index is not None]
    told = {span.index for span in spans}
    now = {span.index for span in spans if span.start >= start and not span.is_team and span.index is not None}
    for team in (0, 1):
        leaders = recap.holders("TEAM_HIGH_PTS", team)
        if leaders and not told.intersection(leaders) and any(recap.game.team_of(player) == team for player in now):
            return f"{recap.name(min(leaders))} has more points"
    return None


def shortens_a_name(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """A player is introduced by his full name."""
    known: set[int | None] = {None}
    for sentence in recap.sentences:
        for span in sentence.entities:
            is_new = span.start >= start and span.index not in known and not span.is_team
            if is_new and span.end - span.start == 1 and span.index is not None and " " in recap.name(span.index):
                return f"{span.text}: introduced without his first name"
            known.add(span.index)
    return None


def repeats_the_next_game(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """Where the teams meet again, that game is told once."""
    opponents = [recap.facts.value(team, "TEAM-NEXT_OPPONENT") for team in (0, 1)]
    told = [finding for finding in findings if finding.fact and finding.fact.attribute == "TEAM-NEXT_OPPONENT"]
    is_rematch = opponents == [recap.team_names(team)[0] for team in (1, 0)]
    return "tells of the next game twice" if is_rematch and len(told) > 1 else None


def hides_the_overtime(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """An overtime is told before the players."""
    is_over = recap.facts.value(0, "TEAM-ENDED_IN") == "overtime"
    has_players = any(not span.is_team and span.start >= start for span in recap.sentences[-1].entities)
    if start > 0 and is_over and has_players and not {"overtime", "overtimes", "extra"}.intersection(recap.words):
        return "players before the overtime"
    return None


def exaggerates(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """The verb of the opening fits the margin: nobody edges a team by nine or routs it by seven."""
    margin = None if recap.winner is None else recap.facts.value(recap.winner, "TEAM-MARGIN")
    if start > 0 or margin is None:
        return None
    words = " ".join(recap.words)
    wrong = (verb for verb, margins in _MARGINS.items() if int(margin) not in margins and f" {verb} " in words)
    verb = next(wrong, None)
    return f"{verb} by {margin}" if verb else None


def looks_ahead_early(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """The next games come last, after the players of both teams."""
    ahead = [finding.start for finding in findings if finding.fact and "NEXT_" in finding.fact.attribute]
    if any(position >= start for position in ahead) and start < _BODY:
        return "looks ahead too early"
    has_players = any(not span.is_team and span.start >= start for span in recap.sentences[-1].entities)
    return "players after the next games" if has_players and any(position < start for position in ahead) else None


def disagrees(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """A city is singular, a nickname plural: "Utah has", "the Jazz have"."""
    for sentence in recap.sentences:
        first = next(iter(sentence.entities), None)
        if sentence.start < start or first is None or not first.is_team or first.index is None:
            continue
        if first.start - sentence.start > (recap.word(sentence.start) == "the"):  # not the subject
            continue
        is_city = first.start == sentence.start
        end = min([span.start for span in sentence.entities if span.start >= first.end], default=sentence.end)
        for position in range(first.end, end):
            if recap.word(position) in (_PLURAL if is_city else _SINGULAR):
                return f"{first.text} {recap.word(position)}"
    return None


def tells_a_zero(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """ "Zero steals" is true and says nothing; shots, records and shutouts of a period may have zeros."""
    for finding in findings:
        fact = finding.fact
        if finding.start >= start and fact is not None and fact.attribute in _COUNTS and fact.value == "0":
            return f"tells of zero {fact.attribute}"
    return None


def lacks_its_noun(recap: ParsedRecap, findings: Sequence[Finding], start: int) -> str | None:
    """ "Had a 3-of-8", "took an 18-point": an article wants a noun after the number."""
    match = _WITHOUT_NOUN.search(" ".join(recap.words[start:]) + " ")
    return f"no noun after {match[1]!r}" if match else None


FAULTS: tuple[Callable[[ParsedRecap, Sequence[Finding], int], str | None], ...] = (
    *(goes_back, skips_the_turn, buries_the_leader, shortens_a_name, repeats_the_next_game, hides_the_overtime),
    *(exaggerates, looks_ahead_early, disagrees),
    *(tells_a_zero, lacks_its_noun),
)
