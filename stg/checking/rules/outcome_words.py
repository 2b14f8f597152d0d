"""Words that a result, a place or a schedule decides: "the host Hawks", "a road win", "struggle", "back-to-back"."""

import re
from collections.abc import Iterator

from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.slots import team_of
from stg.checking.rules.subjects import owners_at
from stg.extraction.candidates import SentenceSpans


_HOSTS = {"host": 0, "hosting": 0, "visiting": 1}
_STRUGGLING = re.compile(r"\bcontinues? to (struggle|falter|flounder|slump|slide)\b")
_PLACED_WIN = re.compile(
    r"\b(?:prevail|pull away|escape|escaped|come away|came away|walked away|pulled away|left) with an? "
    r"(?:\S+ ){0,3}?(road|home) (?:win|victory)\b"
)
_OWN_CROWD = re.compile(r"\b(?:in front of (?:their|its)|on (?:their|its)(?: own)?) home (?:crowd|fans|court|floor)\b")
_BACK_TO_BACK = ("back - to - back", "back-to-back")
_COUNTED = frozenset("games wins losses victories defeats titles nights seasons championships threes three".split())
_MARK = re.compile(r"\b(?:surpassed|surpass|eclipsed|topped|reached|hit|crossed) the $")


def host_and_visitor(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the host Charlotte Hornets", "the visiting Wizards"."""
    for index, sentence in enumerate(recap.sentences):
        for span in sentence.entities:
            role = recap.word(span.start - 1)
            if not span.is_team or span.index is None or role not in ("host", "visiting") or recap.looks_ahead(index):
                continue
            fact = recap.facts.get(span.index, "TEAM-PLACE")
            if recap.word(span.start - 2) in ("the", ",") and fact is not None and not _is_other(recap, span.start):
                claim = f"{recap.name(span.index)}: the {'home' if role == 'host' else 'visiting'} team"
                truth = "visiting" if role == "host" else "host"
                yield decide("word", span.start - 1, span.start, span.index == _HOSTS[role], claim, truth, fact)


def placed_win(recap: ParsedRecap) -> Iterator[Finding]:
    """ "were able to prevail with a huge road win", "in front of their home crowd"."""
    for sentence in recap.sentences:
        text = recap.phrase(sentence.start, sentence.end)
        found = [(match.start(1), match[1]) for match in _PLACED_WIN.finditer(text)]
        found += [(match.start() + match[0].index("home"), "home") for match in _OWN_CROWD.finditer(text)]
        for offset, place in found:
            at = sentence.start + text[:offset].count(" ")
            team = _subject(recap, sentence, at)
            fact = None if team is None else recap.facts.get(team, "TEAM-PLACE")
            is_sure = not _is_other(recap, at) and not recap.looks_ahead(recap.sentence_index(at))
            if team is not None and fact is not None and is_sure:
                claim = f"{recap.name(team)}: played {'at home' if place == 'home' else 'on the road'}"
                yield decide("word", at, at + 1, fact.value == place, claim, None, fact)


def struggling(recap: ParsedRecap) -> Iterator[Finding]:
    """ "as they continue to struggle" is not said of a winner who wins more than it loses, nor of a good team."""
    for sentence in recap.sentences:
        text = recap.phrase(sentence.start, sentence.end)
        for match in _STRUGGLING.finditer(text):
            at = sentence.start + text[: match.start(1)].count(" ")
            team = _subject(recap, sentence, at)
            fact = None if team is None else recap.facts.get(team, "TEAM-RESULT")
            is_general = recap.word(at + 1) in (",", ".")
            if team is None or fact is None or not is_general or _is_other(recap, at):
                continue
            wins, losses = (recap.facts.number(team, f"TEAM-{name}") for name in ("WINS", "LOSSES"))
            won, lost = (recap.facts.number(team, f"TEAM-{name}_LAST5") for name in ("WINS", "LOSSES"))
            is_winner = fact.value == "won" and (won is None or lost is None or won > lost)
            if is_winner or (wins is not None and losses is not None and 2 * wins > 3 * losses):
                yield decide("word", at, at + 1, False, f"{recap.name(team)}: struggles", None, fact)


def both_struggling(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a battle between two struggling teams", if one of them wins more than it loses by far."""
    for start, end in recap.find("two struggling teams", "two losing teams"):
        records = [tuple(recap.facts.get(team, f"TEAM-{name}") for name in ("WINS", "LOSSES")) for team in (0, 1)]
        for wins, losses in records:
            if wins is not None and losses is not None and wins.number > losses.number:
                yield decide("word", start + 1, end, False, "both teams have losing records", None, wins)
                break


def back_to_back(recap: ParsedRecap) -> Iterator[Finding]:
    """ "in the second half of a back - to - back": of this game, or in an outlook of the next one."""
    for start, end in recap.find(*_BACK_TO_BACK):
        sentence, index = recap.sentence_at(start), recap.sentence_index(start)
        before = recap.phrase(max(sentence.start, start - 6), start)
        half = re.search(r"\b(first|second|front|back) (?:half|night|game|end|leg) of (?:a|the|their|its)$", before)
        if (
            half is None
            or "he" in recap.words[sentence.start : start]
            or _COUNTED.intersection(recap.words[end : end + 1])
        ):
            continue
        team = _subject(recap, sentence, start)
        is_first = half[1] in ("first", "front")
        if team is None or (is_first and recap.looks_ahead(index)):
            continue
        is_next = is_first or recap.looks_ahead(index)
        if not is_next and _is_other(recap, start):
            continue
        fact = recap.facts.get(team, "TEAM-NEXT_REST_DAYS" if is_next else "TEAM-REST_DAYS")
        if fact is not None:
            claim = f"{recap.name(team)}: games on two days in a row"
            yield decide("word", start, end, fact.number == 0, claim, None, fact)


def points_mark(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the first time he 's surpassed the 20 - point mark this season", by a player with fewer points."""
    for sentence in recap.sentences:
        for number in sentence.numbers:
            before = recap.phrase(max(sentence.start, number.start - 3), number.start) + " "
            match = _MARK.search(before)
            if match is None or recap.phrase(number.end, number.end + 3) not in ("- point mark", "- point plateau"):
                continue
            player = recap.player_at(number.start)
            fact = None if player is None else recap.facts.get(player, "PTS")
            if player is not None and fact is not None and not recap.mentions_other_game(number.start):
                verb = number.start - 2
                if fact.number < number.value:
                    claim = f"{recap.name(player)}: {number.value} points or more"
                    yield decide("word", verb, verb + 1, False, claim, None, fact)


def _subject(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> int | None:
    """The team that is the subject of a clause, itself or by a player; None where none is named."""
    owners = owners_at(recap, sentence, position).entities
    return team_of(recap, owners[0]) if len(owners) == 1 else None


def _is_other(recap: ParsedRecap, position: int) -> bool:
    return recap.mentions_other_game(position) and recap.sentence_index(position) > 0
