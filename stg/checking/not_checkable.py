"""Why a number stays unknown: no box score or schedule could decide it, or the checker does not understand it.

What is recognised here is of another time or another kind than any fact: the clock, runs, injuries, ages, careers,
standings, other games, parts of a player's game. What remains is a defect of the rules, and is counted as such.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from modeling_stg.schema import WEEKDAY_WORDS
from stg.checking.findings import NOT_CHECKABLE, NOT_UNDERSTOOD, UNKNOWN, Finding
from stg.checking.parsed_recap import ParsedRecap


_NEAR = 7  # words around a number that say what it counts
_CLOCK = re.compile(
    r"\b(?:minutes?|seconds?|clock|buzzer|mark|remaining|straight points|unanswered|run|runs|spurt|surge|"
    r"burst|stretch|swing|possessions?|timeouts?|fouls?|fouled|technical|feet|foot|footer|ejected|"
    r"suspension|suspended)\b|\d:\d\d"
)
_TIME = re.compile(
    r"\b(?:years?|year - old|months?|weeks?|days?|nights?|hours?|seasons?|career|since|ago|streak|trip|"
    r"homestand|consecutive|straight|in a row|rookie|draft|pick|picks|drafted|overall pick|age|birthday|"
    r"history|franchise|all - time|nba 's|league 's|league|conference|seed|place|standings|games? back|"
    r"playoffs?|series|championships?|titles?|all - stars?|mvp|million|contract|injury|injured|surgery|"
    r"missed|absence|return|returned|january|february|march|april|may|june|october|november|december|"
    r"nov\.|dec\.|jan\.|feb\.|game \d|debut|fans|coach|attendance|points? per|per game|averag\w+|"
    r"on average|percentile|odds|favorites?|underdogs?|margin of victory)\b"
)
_PART = re.compile(
    r"\b(?:quarter|quarters|half|halftime|period|frame|overtime|regulation|stanza|down the stretch|"
    r"at one point|at times|as many as|as much as|largest|biggest|lead|leads|led|deficit|trailed|"
    r"advantage|ties|tied|lead changes|up by|down by|within|comeback|rally|rallied|cut|margin|paint|"
    r"fast - break|fast break|second - chance|transition|off (?:of )?(?:\S+ ){0,2}turnovers|clutch|"
    r"go - ahead|game - winning|game - tying|dunks?|layups?|jumpers?|floater|alley - oop|free throws with|"
    r"heaves?|more than|fewer than|less than|at least|just shy|shy of|short of|"
    r"(?:in|of|during|through|into|entering|opened) the (?:\S+ )?(?:first|second|third|fourth))\b"
)
_OTHERS = re.compile(
    r"\b(?:last|previous|previously|earlier|prior|past|recent|recently|next|upcoming|coming off|"
    r"season - high|career - high|was averaging|came in|entered|entering|before this|ranked|ranks?|rated|"
    r"two teams|these two|both teams|no\.|jersey|rings?|all - star)\b"
)


def with_reasons(recap: ParsedRecap, findings: Iterable[Finding]) -> list[Finding]:
    """The findings, every unknown one with its reason."""
    return [
        replace(finding, unknown_because=_reason(recap, finding)) if finding.verdict == UNKNOWN else finding
        for finding in findings
    ]


def _reason(recap: ParsedRecap, finding: Finding) -> str:
    if finding.unknown_because == NOT_CHECKABLE or finding.fact is not None:
        return NOT_CHECKABLE  # the rule that read it found no fact, or the box score has no value
    sentence = recap.sentence_at(finding.start)
    if finding.kind != "number":
        return NOT_UNDERSTOOD
    if recap.looks_ahead(recap.sentence_index(finding.start)):
        return NOT_CHECKABLE
    words = recap.words[sentence.start : sentence.end]
    own = WEEKDAY_WORDS[recap.game.date.weekday()]
    is_third = any(span.is_team and span.index is None for span in sentence.entities)
    if is_third or any(word in WEEKDAY_WORDS and word != own for word in words):
        return NOT_CHECKABLE
    near = recap.phrase(max(sentence.start, finding.start - _NEAR), min(sentence.end, finding.end + _NEAR))
    is_known = any(pattern.search(near) for pattern in (_CLOCK, _TIME, _PART, _OTHERS))
    is_outsiders = any(
        not span.is_team and (span.index is None or not _played(recap, span.index)) for span in sentence.entities
    )
    is_aside = recap.word(finding.start - 1) == "," == recap.word(finding.end)  # an age
    return NOT_CHECKABLE if is_known or is_outsiders or is_aside else NOT_UNDERSTOOD


def _played(recap: ParsedRecap, entity: int) -> bool:
    return recap.game.entities[entity].did_play
