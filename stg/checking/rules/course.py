"""The course of a game in words, by the score at the breaks: who pulled away, came back, led throughout, coasted."""

import re
from collections.abc import Iterator

from modeling_stg.fact_schema import BREAKS
from modeling_stg.facts import Fact
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import judge_number
from stg.checking.rules.periods import PRECEDES, Scope, named
from stg.checking.rules.slots import team_of
from stg.checking.rules.subjects import owners_at
from stg.extraction.candidates import SentenceSpans


_PULLED_AWAY = ("pull away", "pulled away", "pulls away", "pulling away", "ran away")
_CAME_BACK = ("battled back", "fought back", "clawed back", "battling back", "stormed back", "roared back")
_COASTED = ("coast to", "coasted to", "coasting to", "cruised to", "cruise to", "coasted", "cruised past")
_OPENED = "(?:led|leading|lead|ahead|in front|in control)"
_THROUGHOUT = re.compile(
    rf"\b(?P<half>{_OPENED}(?: \S+){{0,6}}? for (?:the )?(?:entirety of|entire|whole|all of|rest of)(?: the)? "
    r"(?:second half|final 24 minutes))\b|"
    rf"\b(?P<most>{_OPENED} for (?:the|a) (?:majority|most|bulk) of the (?:game|contest|night|way))\b|"
    rf"\b(?P<all>(?:never|did n't) trail(?:ed|ing)?|wire (?:- )?to (?:- )?wire|{_OPENED} (?:from start to finish|"
    r"throughout|the entire way|the whole way|the entire game|the whole game|from the opening tip))\b|"
    r"\b(?P<never>never (?:led|held a lead|had a lead))\b"
)
_NEITHER = ("neither team leading by more than", "neither side leading by more than")
_DENIED = frozenset(
    "unable not n't attempt attempts attempted tried try trying could never threatened before nearly almost".split()
)
_STARTERS = frozenset("starters reserves bench he him his".split())


def pulled_away(recap: ParsedRecap) -> Iterator[Finding]:
    """ "pulled away in the second half": the winner did, and won the period that is named."""
    winner = recap.winner
    for start, end in recap.find(*_PULLED_AWAY):
        sentence = recap.sentence_at(start)
        if winner is None or recap.mentions_other_game(start) or _is_denied(recap, sentence, start):
            continue
        team = _team(recap, sentence, start)
        if team is None or "overtime" in recap.words[end : end + 6]:
            continue
        period = _period_after(recap, sentence, end)
        names = [period] if period else ["Q2", "Q3", "Q4", "H2", "OT"]
        facts = [fact for name in names if (fact := recap.facts.get(winner, f"TEAM-WON_BY_{name}"))]
        won_by = recap.facts.get(winner, "TEAM-WON_BY")
        if won_by is None or recap.facts.get(0, "TEAM-PTS_H2") is None:
            continue
        claim = f"{recap.name(team)} pulled away"
        yield decide("word", start, end, team == winner and bool(facts), claim, fact=(facts or [won_by])[-1])


def battled_back(recap: ParsedRecap) -> Iterator[Finding]:
    """ "battled back in the second half": the team was behind at the break before, or at some break."""
    for start, end in recap.find(*_CAME_BACK):
        sentence = recap.sentence_at(start)
        team = _team(recap, sentence, start)
        is_players = any(not span.is_team and span.start < start for span in sentence.entities)
        if team is None or is_players or recap.mentions_other_game(start):
            continue
        halftime = recap.facts.get(team, "TEAM-PTS_H1")
        if halftime is None:
            continue
        period = _period_after(recap, sentence, end)
        before = PRECEDES.get(period or "", "")
        names = ["H1", "Q3"] if period == "H2" else [before] if before in BREAKS else list(BREAKS)
        deficits = [fact for name in names if (fact := recap.facts.get(team, f"TEAM-DEFICIT_{name}"))]
        fact = (deficits or [halftime])[-1]
        yield decide("word", start, end, bool(deficits), f"{recap.name(team)} came back", fact=fact)


def coasted(recap: ParsedRecap) -> Iterator[Finding]:
    """ "coasted to a victory": not the loser, nor a winner who was behind after three quarters."""
    winner = recap.winner
    for start, end in recap.find(*_COASTED):
        sentence = recap.sentence_at(start)
        team = _team(recap, sentence, start)
        if winner is None or team is None or recap.mentions_other_game(start):
            continue
        after_three, won_by = recap.facts.get(winner, "TEAM-DEFICIT_Q3"), recap.facts.get(winner, "TEAM-WON_BY")
        if won_by is not None and recap.facts.get(0, "TEAM-PTS_AFTER_Q3") is not None:
            is_true = team == winner and after_three is None
            yield decide("word", start, end, is_true, f"{recap.name(team)} won with ease", fact=after_three or won_by)


def throughout(recap: ParsedRecap) -> Iterator[Finding]:
    """ "led for the entirety of the second half", "never trailed", "wire to wire": by the score at the breaks."""
    for index, sentence in enumerate(recap.sentences):
        text = recap.phrase(sentence.start, sentence.end)
        for match in _THROUGHOUT.finditer(text):
            start = sentence.start + text[: match.start()].count(" ")
            end = start + match[0].count(" ") + 1
            is_wire = match[0].startswith("wire")
            team = recap.winner if is_wire else _team(recap, sentence, start)
            is_of_players = _STARTERS.intersection(recap.words[max(sentence.start, start - 6) : start])
            if recap.looks_ahead(index) or recap.mentions_other_game(start) or is_of_players or team is None:
                continue
            if is_wire and not {"win", "victory"}.intersection(recap.words[end : end + 1]):
                continue  # "was close wire to wire"
            halftime = recap.facts.get(team, "TEAM-PTS_H1")
            if halftime is None or recap.facts.get(team, "TEAM-PTS_AFTER_Q3") is None:
                continue
            behind = [fact for name in BREAKS if (fact := recap.facts.get(team, f"TEAM-DEFICIT_{name}"))]
            ahead = [fact for name in BREAKS if (fact := recap.facts.get(team, f"TEAM-LEAD_{name}"))]
            late = [name for name in ("H1", "Q3") if recap.facts.get(team, f"TEAM-DEFICIT_{name}")]
            refuting: list[Fact]
            if match["never"]:
                refuting = ahead
            elif match["half"]:
                names = [f"TEAM-{side}_{name}" for name in ("H1", "Q3") for side in ("DEFICIT", "TIED")]
                refuting = [fact for name in names if (fact := recap.facts.get(team, name))]
            elif match["most"]:
                refuting = behind if len(late) == 2 else []
            else:
                refuting = behind
            until = recap.words[end : end + 3]
            if until[:1] in (["in"], ["after"], ["by"], ["again"]):
                continue  # "never trailed in the second half", "never led by more than 12"
            fact = (refuting or ahead or behind or [halftime])[-1]
            end = end - 3 if match["half"] else start + 1 if match["most"] else end  # without "the second half"
            yield decide("word", start, end, not refuting, f"{recap.name(team)}: {match[0]}", fact=fact)


def neither_by_more(recap: ParsedRecap) -> Iterator[Finding]:
    """ "with neither team leading by more than eight points": false where a break or the end says otherwise."""
    for _, end in recap.find(*_NEITHER):
        number = next((number for number in recap.sentence_at(end).numbers if number.start == end), None)
        margins = [f"TEAM-LEAD_{name}" for name in BREAKS] + ["TEAM-WON_BY"]
        facts = [fact for team in (0, 1) for name in margins if (fact := recap.facts.get(team, name))]
        largest = max(facts, key=lambda fact: fact.number, default=None)
        if number is not None and largest is not None and largest.number > number.value:
            claim = f"no lead larger than {number.value}"
            yield decide("number", number.start, number.end, False, claim, None, largest)


def game_of_points(recap: ParsedRecap) -> Iterator[Finding]:
    """ "to make it a one - point game at the end of the third quarter": the margin at that break."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            if recap.phrase(number.end, number.end + 3) != "- point game":
                continue
            found = named(recap.phrase(number.end + 3, min(sentence.end, number.end + 10)), "break")
            if found is None or found[0] > 2 or found[1].name not in BREAKS:
                if recap.phrase(number.end + 3, number.end + 9) != "at the end of the third":
                    continue
                found = (0, Scope("Q3", is_break=True))
            for team in (0, 1):
                name = f"TEAM-LEAD_{found[1].name}"
                if recap.facts.get(team, name):
                    yield from judge_number(recap, number, team, name, f"{number.value} points {found[1].words}")


def superior_shooters(recap: ParsedRecap) -> Iterator[Finding]:
    """ "were the superior shooters": a higher share of shots from the field, unless another is said."""
    for start, end in recap.find("the superior shooters", "the better shooters", "the better shooting team"):
        team = _team(recap, recap.sentence_at(start), start)
        is_named_twice = len({span.index for span in recap.sentence_at(start).entities if span.is_team}) < 2
        if team is None or recap.mentions_other_game(start) or is_named_twice:
            continue
        own, other = (recap.facts.get(side, "TEAM-FG_PCT") for side in (team, 1 - team))
        if own is not None and other is not None:
            claim = f"{recap.name(team)}: shot better"
            yield decide("word", start + 1, end - 1, own.number >= other.number, claim, fact=own)


def _team(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> int | None:
    """The team that is the subject of a clause, itself or by a player; None for another team or if none is named."""
    if "them" in recap.words[max(sentence.start, position - 3) : position]:
        return None  # "allowing them to coast to victory"
    owners = owners_at(recap, sentence, position).entities
    return team_of(recap, owners[0]) if len(owners) == 1 else None


def _period_after(recap: ParsedRecap, sentence: SentenceSpans, end: int) -> str | None:
    """The period that the words right after a verb name: "in the second half"."""
    text = recap.phrase(end, min(sentence.end, end + 7))
    found = named(text, "period")
    return found[1].name if found is not None and found[0] <= 2 and text.startswith(("in ", "during ")) else None


def _is_denied(recap: ParsedRecap, sentence: SentenceSpans, start: int) -> bool:
    return bool(_DENIED.intersection(recap.words[max(sentence.start, start - 6) : start]))
