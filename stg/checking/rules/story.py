"""How a game went, in one word: comebacks, routs, narrow wins, leads at every break."""

from collections.abc import Iterator

from modeling_stg.fact_schema import BREAKS
from modeling_stg.schema import QUARTERS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import clause_subject, dashed_pairs


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
_EVERY_BREAK = (
    *("at every break", "at each break", "at all three breaks", "at the first three breaks", "after every quarter"),
    "after each quarter",
)
_OF_BOTH = (
    *(f"TEAM-{column}" for column in ("FG_PCT", "FG3_PCT", "FT_PCT", "REB", "AST", "TOV", "STL", "BLK", "OREB")),
    *(f"TEAM-{column}" for column in ("FGM", "FGA", "FG3M", "FG3A", "FTM", "FTA", "DOUBLE_FIGURES", "PTS_BENCH")),
    *QUARTERS,
    *("TEAM-PTS_H1", "TEAM-PTS_H2", "TEAM-PTS_OT", "TEAM-WINS_LAST5", "TEAM-WINS_LAST10", "TEAM-PTS_AFTER_Q4"),
    *("TEAM-PTS_AFTER_Q3", "TEAM-WINS", "TEAM-LOSSES"),
)
_OUTDID = frozenset("outrebounded outrebounding outscored outscoring outshot outshooting".split())
_REBOUNDS = frozenset("rebounds rebounding boards battle".split())
_IMPROVED = ("improved to", "improve to", "improving to", "moved to", "climbed to", "rose to")
_FELL = ("fell to", "dropped to", "slipped to", "fall to", "dropping to")
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
    """ "routed", "edged", "held off": the margin, and who won the fourth quarter."""
    winner = recap.winner
    if winner is None:
        return
    won_by = recap.facts.get(winner, "TEAM-WON_BY")
    fourth_lost = recap.facts.get(winner, "TEAM-LOST_BY_Q4")
    if won_by is None:
        return
    margin = won_by.number
    verdicts = [
        (_ROUT, margin >= LEAST_ROUT, "won by a wide margin"),
        (_NARROW, margin <= MOST_NARROW, "won by a narrow margin"),
        (_HELD_OFF, margin <= MOST_HELD_OFF or fourth_lost is not None, "held on to win"),
    ]
    for phrases, is_true, claim in verdicts:
        for start, end in recap.find(*phrases):
            if recap.sentence_index(start) == 0 or phrases is _HELD_OFF:  # "edged in front" may follow
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


def both_teams(recap: ParsedRecap) -> Iterator[Finding]:
    """ "both teams shot 45 percent": the number that follows is of both, so both must have it."""
    for start, end in recap.find("both teams"):
        sentence = recap.sentence_at(start)
        number = next((number for number in sentence.numbers if end <= number.start < end + 6), None)
        if number is None or recap.looks_ahead(recap.sentence_index(start)):
            continue
        owned = [
            attribute
            for attribute in _OF_BOTH
            if all(recap.facts.number(team, attribute) == number.value for team in (0, 1))
        ]
        fact = recap.facts.get(0, owned[0]) if owned else recap.facts.get(0, "TEAM-PTS")
        if not owned:
            yield decide("word", start, end, False, f"both teams: {number.value}", fact=fact)


def outdone(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outrebounded the Thunder 38 - 38" and "outrebounded them 36 - 38" are false."""
    for sentence in recap.sentences:
        for first, second in dashed_pairs(recap, sentence):
            before = range(max(sentence.start, first.start - 6), first.start)
            verb = next((at for at in reversed(before) if recap.word(at) in _OUTDID), None)
            if recap.word(first.start - 1) in _REBOUNDS and "won" in recap.words[before.start : before.stop]:
                verb = first.start - 1  # "won the rebounds 52 - 52"
            is_passive = verb is not None and {"were", "was", "be", "being"} & set(
                recap.words[max(0, verb - 3) : verb]
            )
            if verb is not None and not is_passive and first.value <= second.value:
                claim = f"{recap.word(verb)} {first.value} - {second.value}"
                yield decide("word", verb, verb + 1, False, claim, fact=recap.facts.get(0, "TEAM-PTS"))


def led_all_scorers(recap: ParsedRecap) -> Iterator[Finding]:
    """ "led all scorers with 28 points"."""
    for start, end in recap.find("led all scorers", "led everyone", "led both teams"):
        player = recap.player_at(start)
        if player is not None:
            fact = recap.facts.get(player, "GAME_HIGH_PTS")
            best = next(iter(recap.holders("GAME_HIGH_PTS").values()), None)
            claim = f"{recap.name(player)}: most points of the game"
            truth = None if best is None or best.entity is None else recap.name(best.entity)
            yield decide("word", start, end, fact is not None, claim, truth, fact or best)


def improved(recap: ParsedRecap) -> Iterator[Finding]:
    """ "improved to 14 - 14" is said of the winner, "fell to" of the loser."""
    for phrases, result in ((_IMPROVED, "won"), (_FELL, "lost")):
        for start, end in recap.find(*phrases):
            team, _ = clause_subject(recap, recap.sentence_at(start), start)
            fact = None if team is None else recap.facts.get(team, "TEAM-RESULT")
            if team is not None and fact is not None and recap.word(end).isdecimal():
                claim = f"{recap.name(team)} {recap.phrase(start, end)}"
                yield decide("word", start, end, fact.value == result, claim, fact=fact)


def meet_again(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the teams play again on Friday": against each other, unless "both teams" play."""
    for start, end in recap.find("the teams play again"):
        facts = [recap.facts.get(team, "TEAM-NEXT_OPPONENT") for team in (0, 1)]
        names = [recap.team_names(team)[0] for team in (1, 0)]
        if all(facts):
            is_true = [fact.value for fact in facts if fact] == names
            yield decide("word", start, end, is_true, "the teams meet again in their next game", fact=facts[0])
