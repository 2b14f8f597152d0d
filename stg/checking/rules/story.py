"""How a game went, in one word: comebacks, routs, narrow wins, leads at every break."""

from collections.abc import Iterator

from modeling_stg.fact_schema import BREAKS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject


_COMEBACK = (
    *("rallied", "rally", "rallying", "comeback", "come - from - behind", "came back", "came from behind"),
    *("erased", "wiped out", "come back", "coming back", "overturned"),
)
_OF_WINNER = ("comeback", "come - from - behind")
_ROUT = (
    "routed",
    "rout",
    "routing",
    "blew out",
    "blowout",
    "crushed",
    "demolished",
    "cruised",
    "rolled past",
    "rolled",
)
_NARROW = ("edged", "edging", "nipped", "squeaked", "slipped past", "escaped", "nosed")
_HELD_OFF = ("held off", "held on", "hung on", "holding off", "withstood")
_PULLED_AWAY = ("pulled away", "pulling away", "ran away")
_EVERY_BREAK = (
    *("at every break", "at each break", "at all three breaks", "at the first three breaks", "after every quarter"),
    "after each quarter",
)
_ATTEMPTS = frozenset(
    "unable not n't attempt attempts survived survive withstand withstood any erasing mount weathered stave staved "
    "fended thwarted series effort efforts bid try".split()
)
_RETURNS = frozenset("down firing from to after on".split())  # "came back down to earth", "coming back from an injury"
LEAST_ROUT, MOST_NARROW, MOST_HELD_OFF = 12, 6, 14  # points


def comeback(recap: ParsedRecap) -> Iterator[Finding]:
    """ "rallied", "came from behind": the winner was behind at a break."""
    winner = recap.winner
    breaks = [f"TEAM-DEFICIT_{name}" for name in BREAKS]
    for start, end in recap.find(*_COMEBACK):
        if winner is not None and not recap.mentions_other_game(start) and not _is_attempt(recap, start, end):
            is_winners = recap.sentence_index(start) == 0 or recap.phrase(start, end) in _OF_WINNER
            team = winner if is_winners else recap.team_at(start)
            facts = [recap.facts.get(team, name) for name in breaks] if team is not None else []
            known = recap.facts.get(winner, "TEAM-PTS_H1") is not None
            if known and team is not None:
                deficit = next((fact for fact in reversed(facts) if fact), None)
                yield decide("word", start, end, deficit is not None, f"{recap.name(team)} came back", fact=deficit)


def _is_attempt(recap: ParsedRecap, start: int, end: int) -> bool:
    """A comeback that fell short, a team's named before it, or a player's return."""
    sentence = recap.sentence_at(start)
    near = recap.words[max(sentence.start, start - 7) : min(sentence.end, end + 5)]
    is_named = any(span.end in (start, start - 1) and span.is_team for span in sentence.entities)
    is_noun = recap.phrase(start, end) in ("comeback", "rally")
    is_return = recap.word(end - 1) == "back" and (
        recap.word(end) in _RETURNS or any(not span.is_team and span.start < start for span in sentence.entities)
    )
    return bool(_ATTEMPTS.intersection(near)) or (is_noun and is_named) or is_return


def margin_words(recap: ParsedRecap) -> Iterator[Finding]:
    """ "routed", "edged", "held off", "pulled away": the margin, and who won the fourth quarter."""
    winner = recap.winner
    if winner is None:
        return
    won_by = recap.facts.get(winner, "TEAM-WON_BY")
    fourth_lost = recap.facts.get(winner, "TEAM-LOST_BY_Q4")
    won_late = any(recap.facts.get(winner, f"TEAM-WON_BY_{period}") for period in ("Q3", "Q4", "H2", "OT"))
    if won_by is None:
        return
    margin = won_by.number
    verdicts = [
        (_ROUT, margin >= LEAST_ROUT, "won by a wide margin"),
        (_NARROW, margin <= MOST_NARROW, "won by a narrow margin"),
        (_HELD_OFF, margin <= MOST_HELD_OFF or fourth_lost is not None, "held on to win"),
        (_PULLED_AWAY, won_late, "pulled away"),
    ]
    for phrases, is_true, claim in verdicts:
        for start, end in recap.find(*phrases):
            if recap.sentence_index(start) == 0 or phrases in (_HELD_OFF, _PULLED_AWAY):  # "edged in front" may follow
                yield decide("word", start, end, is_true, claim, fact=won_by)


def every_break(recap: ParsedRecap) -> Iterator[Finding]:
    """ "led at every break", "trailed at each break"."""
    for start, end in recap.find(*_EVERY_BREAK):
        sentence = recap.sentence_at(start)
        words = recap.words[sentence.start : start]
        is_behind = bool({"trailed", "trailing", "behind", "down"}.intersection(words))
        team, _ = clause_subject(recap, sentence, start)
        if "changed" in words or team is None or recap.facts.get(team, "TEAM-PTS_H1") is None:
            continue
        side = "DEFICIT" if is_behind else "LEAD"
        facts = [recap.facts.get(team, f"TEAM-{side}_{name}") for name in BREAKS]
        claim = f"{recap.name(team)} {'behind' if is_behind else 'ahead'} at every break"
        yield decide("word", start, end, all(facts), claim, fact=facts[-1])
