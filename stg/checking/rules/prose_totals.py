"""Numbers of this game in running prose: shots, percentages, counts and differences, of any wording.

What a number counts, `counted` reads, or else it is that of the number before it ("to Indiana 's four"); whose it is,
`subjects` and `slots` read.
"""

import re
from collections.abc import Iterator

from modeling_stg.fact_schema import edge, missed
from modeling_stg.schema import COLUMN_OF_NOUN, SHOTS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.counted import (
    COUNTED,
    FORCED,
    MISSED,
    STOPS,
    columns_of,
    kind_of,
    last_kind_of,
    verb_before,
    words_after,
)
from stg.checking.rules.slots import (
    FILLERS,
    Slot,
    attribute_of,
    is_whole_game,
    judge,
    number_of,
    owners_of,
    sentences,
    team_of,
)
from stg.checking.rules.subjects import NOBODY, Owners, named_beside, owners_at
from stg.extraction.candidates import NumberSpan, SentenceSpans


_ALLOWED = frozenset("TO OREB REB AST STL BLK FG3M".split())  # what a team can force or allow
_LARGE = 60  # attempts; only shots from the field are so many
_BENCH = re.compile(r"(?<!off the )\b(?:bench|reserves)(?: (?!missing|missed|and|but)\S+)?$")
_AFTER_A_PAIR = STOPS | frozenset("from shooting to at in on mark night or -- than".split())


def prose(recap: ParsedRecap) -> Iterator[Finding]:
    """Shots, percentages and counts: "made 47 of 83 shots for 57 percent", "15 threes to the Hornets ' eight"."""
    for sentence in sentences(recap):
        last: Slot | None = None
        numbers = list(sentence.numbers)
        while numbers:
            number = numbers.pop(0)
            attempted = numbers[0] if numbers and _is_shots(recap, number, numbers[0]) else None
            if attempted is not None:
                numbers.pop(0)
                slots, findings = _shots(recap, sentence, number, attempted, last)
                yield from findings
                last = slots or last
                continue
            if recap.word(number.end) == "-" and recap.word(number.end + 1)[:1].isdigit():
                if numbers:
                    numbers.pop(0)
                continue  # a score or a record
            if recap.word(number.start - 1) == "without" and recap.word(number.end) == "turnover":
                yield from _no_turnover(recap, sentence, number)
                continue
            difference = _difference(recap, sentence, number, last)
            if difference is not None:
                yield from difference
                continue
            slot = _single(recap, sentence, number, last)
            if slot is not None:
                yield from judge(recap, sentence, slot)
                last = slot


def _is_shots(recap: ParsedRecap, first: NumberSpan, second: NumberSpan) -> bool:
    between = [word for word in recap.words[first.end : second.start] if word != "-"]
    return between[:1] in (["of"], ["for"]) and all(
        word in ("his", "its", "their", "the", "team", "'s") for word in between[1:]
    )


def _shots(
    recap: ParsedRecap, sentence: SentenceSpans, made: NumberSpan, attempted: NumberSpan, last: Slot | None
) -> tuple[Slot | None, list[Finding]]:
    """ "42 - of - 74 from the field", "missed 26 of its 36": both numbers, and the first one as a slot."""
    after = words_after(recap, sentence, attempted.end)
    noun = recap.word(attempted.end)
    part = next((column for column, pattern in COUNTED.items() if pattern.match(after)), None)
    if re.search(r"\b(?:assisted|assists) on$", " ".join(recap.words[sentence.start : made.start])):
        owners = owners_at(recap, sentence, made.start)
        slots = [
            Slot(number, (column,), owners, attempted.end)
            for number, column in ((made, "AST"), (attempted, "FGM"))
            if owners.entities
        ]
        return None, [finding for slot in slots for finding in judge(recap, sentence, slot)]
    if part is not None:
        return None, list(_part_of_team(recap, sentence, made, attempted, part))
    kind = kind_of(after)
    is_of_bench = _BENCH.search(recap.phrase(sentence.start, made.start))
    if is_of_bench or (kind is None and noun not in _AFTER_A_PAIR):
        return None, []  # "the Bucks ' bench went 1 - of - 9", "four of their five starters"
    verb = verb_before(recap, sentence, made.start)
    before = " ".join(recap.words[sentence.start : made.start])
    named = last_kind_of(before) if noun in ("tries", "attempts") else kind
    kinds: tuple[str, ...] = (
        (named,) if named else tuple(dict.fromkeys(kind for kind in (last_kind_of(before), "FG", *SHOTS) if kind))
    )
    if not named and attempted.value >= _LARGE:
        kinds = ("FG",)
    owners = owners_of(recap, sentence, made, (f"{kinds[0]}M",), attempted.end, last)
    if not owners.entities:
        return None, []
    if named is None and "FG3" in kinds and owners.is_sure:
        fitting = [kind for kind in kinds if _fits_shots(recap, owners, made, attempted, kind, verb in MISSED)]
        kinds = tuple(fitting or kinds)
    kind = kinds[0]
    columns = (missed(kind) if verb in MISSED else f"{kind}M", f"{kind}A")
    slots = [
        Slot(number, (column,), owners, attempted.end)
        for number, column in zip((made, attempted), columns, strict=True)
    ]
    if not owners.is_sure:
        fitting_owner = [
            entity
            for entity in owners.entities
            if _fits_shots(recap, Owners((entity,)), made, attempted, kind, verb in MISSED)
        ]
        if fitting_owner:
            slots = [Slot(slot.number, slot.columns, Owners((fitting_owner[0],)), slot.end) for slot in slots]
    findings = [finding for slot in slots for finding in judge(recap, sentence, slot)]
    is_of_team = slots[0].owners.entities[0] < 2
    if is_of_team and len(findings) < len(slots):  # "9 - of - 10 in the third quarter": one number fits by chance
        findings = []
    return slots[0], findings


def _part_of_team(
    recap: ParsedRecap, sentence: SentenceSpans, part: NumberSpan, whole: NumberSpan, column: str
) -> Iterator[Finding]:
    """ "had six of their 21 turnovers": a player's number and his team's."""
    owners = owners_at(recap, sentence, part.start)
    if len(owners.entities) == 1 and owners.entities[0] > 1:
        team = Owners((team_of(recap, owners.entities[0]),))
        yield from judge(recap, sentence, Slot(part, (column,), owners, whole.end))
        yield from judge(recap, sentence, Slot(whole, (column,), team, whole.end))


def _fits_shots(
    recap: ParsedRecap, owners: Owners, made: NumberSpan, attempted: NumberSpan, kind: str, is_missed: bool
) -> bool:
    columns = (missed(kind) if is_missed else f"{kind}M", f"{kind}A")
    return all(
        number_of(recap, entity, column) == number.value
        for entity in owners.entities
        for column, number in zip(columns, (made, attempted), strict=True)
    )


def _single(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: Slot | None) -> Slot | None:
    """What a number without a partner counts, and whose it is."""
    after = " ".join(recap.words[number.end : min(sentence.end, number.end + 8)])
    columns, end = columns_of(recap, sentence, number, after, last)
    is_elliptic = not columns
    topic = re.search(
        r"(?<!offensive )\b(turnovers|rebounds|assists|steals|blocks)(?: were)?(?: \S+)?(?: ,)?$",
        recap.phrase(max(sentence.start, number.start - 4), number.start),
    )
    if is_elliptic and topic and named_beside(recap, sentence, number, number.end) is not None:
        columns = (COLUMN_OF_NOUN[topic[1]],)  # "turnovers were 15 for the Magic"
    elif is_elliptic:
        if last is None or not _is_elliptic(recap, sentence, number):
            return None
        columns = last.columns
    owners = owners_of(recap, sentence, number, columns, end, last)
    if columns[0] in _ALLOWED and verb_before(recap, sentence, number.start) in FORCED and len(owners.entities) == 1:
        owners = Owners((1 - owners.entities[0],)) if owners.entities[0] < 2 else NOBODY
    if columns == ("PTS_BENCH",) and any(entity > 1 for entity in owners.entities):
        return None  # "scored 18 points off the bench"
    return Slot(number, columns, owners, end) if owners.entities else None


def _is_elliptic(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool:
    """A number that takes its noun from before: "to Indiana 's four", "against nine for the Mavericks"."""
    if recap.word(number.end) not in (".", ",", "for", "and", ";", "while", "but", "of", "on") or (
        recap.word(number.end) == "on" and recap.word(number.end + 1) not in ("the",)
    ):
        return False
    position = number.start - 1
    while recap.word(position) in FILLERS - {"and"}:
        position -= 1
    if recap.word(position) in ("'s", "'"):
        return True
    return recap.word(position) in ("to", "against", "and", "than") and (
        named_beside(recap, sentence, number, number.end) is not None
    )


def _no_turnover(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> Iterator[Finding]:
    """ "without a turnover"."""
    owners = owners_at(recap, sentence, number.start)
    fact = recap.facts.get(owners.entities[0], "TO") if owners.entities and owners.entities[0] > 1 else None
    if fact is not None:
        claim = f"{recap.name(owners.entities[0])}: no turnover"
        yield decide("number", number.start, number.end, fact.number == 0, claim, fact.value, fact)


def _difference(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: Slot | None
) -> Iterator[Finding] | None:
    """ "10 fewer turnovers than Portland", "six more than the Raptors made"; None if it is none."""
    word = recap.word(number.end)
    behind = re.match(r"(\S+) (behind|ahead of)\b", recap.phrase(number.end, number.end + 3))
    if behind:  # "finished 21 rebounds behind Utah"
        word = "fewer" if behind[2] == "behind" else "more"
    if word not in ("more", "fewer"):
        return None
    skipped = 0 if behind else 1
    after = " ".join(recap.words[number.end + skipped : min(sentence.end, number.end + 8)])
    counted = NumberSpan(number.start, number.end + skipped, number.text, number.value)
    columns, _ = columns_of(recap, sentence, counted, after, last)
    if not columns:
        columns = last.columns if last is not None and re.match(r"than\b|\.|,", after) else ()
    owners = owners_at(recap, sentence, number.start)
    if not columns or len(owners.entities) != 1 or owners.entities[0] > 1:
        return iter(())
    team = owners.entities[0]
    most = team if word == "more" else 1 - team
    return _judge_edge(recap, sentence, number, most, columns)


def _judge_edge(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, most: int, columns: tuple[str, ...]
) -> Iterator[Finding]:
    facts = []
    for column in columns:
        name = edge(attribute_of(column, 0))
        holder = 1 - most if column == "TO" else most  # the edge in turnovers is of the team with fewer
        fact = recap.facts.get(holder, name)
        if fact is not None and fact.number == number.value:
            yield decide("number", number.start, number.end, True, f"{number.value} {name}", fact=fact)
            return
        facts += [fact or recap.facts.get(1 - holder, name)]
    known = next((fact for fact in facts if fact is not None), None)
    if known is not None and is_whole_game(recap, sentence):
        yield decide(
            "number", number.start, number.end, False, f"{number.value} {known.attribute}", known.value, known
        )
