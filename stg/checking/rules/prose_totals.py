"""Numbers of this game in running prose: shots, percentages, counts and pairs of both teams, of any wording.

What a number counts is read from the words after it, else from those before it, else from the number before it ("to
Indiana 's four"). Whose it is, `subjects` reads. A team's number that does not fit is false, unless the sentence may
be about a part of the game or another one; of a player only what fits, or was missed, is judged here, since the
extractor reads the rest better.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from modeling_stg.fact_schema import edge, missed
from modeling_stg.facts import Fact
from modeling_stg.schema import COLUMN_OF_NOUN, SHOTS, WEEKDAY_WORDS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.subjects import NOBODY, Owners, named_beside, owners_at, possessor
from stg.extraction.candidates import NumberSpan, SentenceSpans


_THREE = (
    r"(?:three|3) - point|threes|three - pointers?|3 - pointers?|treys|triples|deep|downtown|distance|long range|arc"
)
_KINDS = {  # words for kinds of shots; where two occur, as in "shooting from deep", the first kind here is meant
    "FG3": re.compile(rf"\b(?:{_THREE}|from three|the three)\b(?! - point play)"),
    "FT": re.compile(r"\b(?:free(?: -)? throws?|line|stripe|foul shots?)\b"),
    "FG": re.compile(r"\b(?:field|floor|shots?|shooting|overall|baskets|tries|attempts)\b"),
}
_COUNTED = {  # words right after a number -> column
    "OREB": re.compile(r"(?:of them )?(?:offensive (?:rebounds?|boards?)|on the offensive (?:end|glass|boards))\b"),
    "REB": re.compile(r"(?:team |total )?(?:rebounds?|boards?)\b"),
    "AST": re.compile(r"(?:team |total )?assists?\b"),
    "TO": re.compile(r"(?:team |total )?(?:turnovers?|giveaways?)\b"),
    "STL": re.compile(r"(?:team |total )?steals?\b"),
    "BLK": re.compile(r"(?:team |total )?(?:blocks?|blocked shots?)\b"),
    "PTS_BENCH": re.compile(
        r"bench points\b|points (?:from|by|off|out of) (?:\S+ ){1,4}?(?:bench|reserves|substitutes)\b"
    ),
}
_SHOT_NOUN = re.compile(
    rf"(?:more |fewer )?(?:made )?(?:(?P<FG3>(?:{_THREE})\b|"
    r"(?:shots? |attempts? )?from (?:deep|three|long|beyond|downtown))|"
    r"(?P<FT>free(?: -)? throws?|foul shots?)|(?P<FG>shots?|field(?: -)? goals?|baskets|makes))"
)
_TRIES = re.compile(r"(?:tries|attempts)\b")
_PAIRED = {  # what a pair of both teams' numbers compares, by the words around it
    "OREB": re.compile(r"\boffensive (?:rebound\w*|boards|glass)"),
    "REB": re.compile(r"\b(?:out - )?(?:out)?rebound\w*|\bboards\b|\bglass\b"),
    "PTS_BENCH": re.compile(r"(?<!off the )\bbench(?:es)?\b|\breserves\b"),
    "AST": re.compile(r"\bassists\b"),
    "TO": re.compile(r"\bturnovers\b|\bgiveaways\b"),
    "STL": re.compile(r"\bsteals\b"),
    "BLK": re.compile(r"\bblocks\b|\bblocked\b"),
    "FG3M": re.compile(r"\bthrees\b|\bthree - pointers\b|\bfrom (?:deep|long range|three - point range)\b"),
    "FTM": re.compile(r"\bfree throws\b"),
}
_TOOK = frozenset("took take taking attempted attempting attempt launched tried hoisted fired needed put got".split())
_MADE = frozenset("made make making hit hitting sank sinking drained knocked buried converted connecting".split())
_MISSED = frozenset("missed missing misses miss".split())
_FORCED = frozenset("forced forcing force forces eliciting allowed allowing surrendered surrendering conceded".split())
_ALLOWED = frozenset("TO OREB REB AST STL BLK FG3M".split())  # what a team can force or allow
_THRESHOLDS = frozenset("than over under eclipsed least nearly almost about around above below roughly".split())
_HOLDING = frozenset("held holding hold limited limiting limit keeping kept".split())
_STOPS = frozenset(", . ; ( ) and but while for against as with".split())
_PARTS = frozenset(
    "quarter quarters half halftime period stretch minutes run overtime regulation span first second third fourth "
    "opening final break frame combined late early".split()
)
_PARTIAL = frozenset("defensive paint fast".split())  # of pairs
_OTHER_GAMES = frozenset(
    "season average averages averaged averaging per last past previous previously earlier prior straight row "
    "respectively".split()
)
_BEHIND = frozenset("lost trailed deficit trailing losing".split())
_FILLERS = frozenset("only just the a an mere and".split())
_LARGE = 60  # attempts; only shots from the field are so many
_SCORE = 80  # points; no pair of both teams' counts is so high
_LONGEST_CLAUSE = 14  # words before a pair that may say what it compares
_AFTER_SHOTS = frozenset("from shooting fg ft 3pt 3-pt 3p fgs".split())  # "7 - 14 FG" is no pair of both teams
_BEFORE_SHOTS = frozenset("( shot shoot shooting went going to is are".split())  # or a record
_AFTER_A_PAIR = _STOPS | frozenset("from shooting to at in on mark night or -- than".split())
_ASIDES = (["on"], ["for"], [",", "or"], [",", "a"], ["percent", "on"], ["for", "a"])  # between numbers of one owner
_ROUNDED = 1  # percentage points: writers round up or down


@dataclass(frozen=True)
class _Slot:
    """A number and the columns it may count, likeliest first; `end` is where its own words end."""

    number: NumberSpan
    columns: tuple[str, ...]
    owners: Owners
    end: int


def comparisons(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outrebounded the Hawks 45 - 36", "a 50 - 17 edge in bench points", "fewer turnovers , 16 to 18"."""
    for sentence in _sentences(recap):
        for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            link = recap.words[first.end : second.start]
            if link not in (["-"], ["to"]) or recap.word(first.start - 1) == "(" or recap.word(second.end) == "-":
                continue
            is_shots = recap.word(second.end) in _AFTER_SHOTS or recap.word(first.start - 1) in _BEFORE_SHOTS
            if max(first.value, second.value) >= _SCORE or is_shots:
                continue
            column = _compared(recap, sentence, first, second)
            if column in ("FG3M", "FTM") and link == ["-"]:
                continue  # "11 - 15 free throws"
            if column is not None:
                yield from _judge_pair(recap, sentence, (first, second), column, is_dashed=link == ["-"])


def prose(recap: ParsedRecap) -> Iterator[Finding]:
    """Shots, percentages and counts: "made 47 of 83 shots for 57 percent", "15 threes to the Hornets ' eight"."""
    for sentence in _sentences(recap):
        last: _Slot | None = None
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
                yield from _judge(recap, sentence, slot)
                last = slot


def _sentences(recap: ParsedRecap) -> Iterator[SentenceSpans]:
    """Sentences that are not about coming games."""
    for index, sentence in enumerate(recap.sentences):
        if not recap.looks_ahead(index):
            yield sentence


def _after(recap: ParsedRecap, sentence: SentenceSpans, position: int, length: int = 8) -> str:
    """The words after a position up to the end of their clause or the next number."""
    words: list[str] = []
    for at in range(position, min(sentence.end, position + length)):
        word = recap.word(at)
        if word in _STOPS or (word == "to" and words) or (word.isdigit() and word != "3"):
            break
        words.append(word)
    return " ".join(words)


def _kind(text: str) -> str | None:
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(text)), None)


def _last_kind(text: str) -> str | None:
    """The kind of shot named last."""
    found = [(match.start(), kind) for kind, pattern in _KINDS.items() for match in pattern.finditer(text)]
    return max(found)[1] if found else None


def _verb(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> str:
    """The nearest verb of taking, making, missing or forcing before a number: "took only nine free throws"."""
    for at in range(position - 1, max(sentence.start, position - 6) - 1, -1):
        word = recap.word(at)
        for verbs in (_TOOK, _MADE, _MISSED, _FORCED):
            if word in verbs:
                return word
        if word in (",", "and", "but", "with") and at < position - 1:
            return ""
    return ""


# Shots


def _is_shots(recap: ParsedRecap, first: NumberSpan, second: NumberSpan) -> bool:
    between = [word for word in recap.words[first.end : second.start] if word != "-"]
    return between[:1] == ["of"] and all(word in ("his", "its", "their", "the", "team", "'s") for word in between[1:])


def _shots(
    recap: ParsedRecap, sentence: SentenceSpans, made: NumberSpan, attempted: NumberSpan, last: _Slot | None
) -> tuple[_Slot | None, list[Finding]]:
    """ "42 - of - 74 from the field", "missed 26 of its 36": both numbers, and the first one as a slot."""
    after = _after(recap, sentence, attempted.end)
    noun = recap.word(attempted.end)
    part = next((column for column, pattern in _COUNTED.items() if pattern.match(after)), None)
    if re.search(r"\b(?:assisted|assists) on$", " ".join(recap.words[sentence.start : made.start])):
        owners = owners_at(recap, sentence, made.start)
        slots = [
            _Slot(number, (column,), owners, attempted.end)
            for number, column in ((made, "AST"), (attempted, "FGM"))
            if owners.entities
        ]
        return None, [finding for slot in slots for finding in _judge(recap, sentence, slot)]
    if part is not None:
        return None, list(_part_of_team(recap, sentence, made, attempted, part))
    kind = _kind(after)
    if kind is None and noun not in _AFTER_A_PAIR:
        return None, []  # "four of their five starters"
    verb = _verb(recap, sentence, made.start)
    before = " ".join(recap.words[sentence.start : made.start])
    named = _last_kind(before) if noun in ("tries", "attempts") else kind
    kinds: tuple[str, ...] = (
        (named,) if named else tuple(dict.fromkeys(kind for kind in (_last_kind(before), "FG", *SHOTS) if kind))
    )
    if not named and attempted.value >= _LARGE:
        kinds = ("FG",)
    owners = _owners(recap, sentence, made, (f"{kinds[0]}M",), attempted.end, last)
    if not owners.entities:
        return None, []
    if named is None and "FG3" in kinds and owners.is_sure:
        fitting = [kind for kind in kinds if _fits_shots(recap, owners, made, attempted, kind, verb in _MISSED)]
        kinds = tuple(fitting or kinds)
    kind = kinds[0]
    columns = (missed(kind) if verb in _MISSED else f"{kind}M", f"{kind}A")
    slots = [
        _Slot(number, (column,), owners, attempted.end)
        for number, column in zip((made, attempted), columns, strict=True)
    ]
    if not owners.is_sure:
        fitting_owner = [
            entity
            for entity in owners.entities
            if _fits_shots(recap, Owners((entity,)), made, attempted, kind, verb in _MISSED)
        ]
        if fitting_owner:
            slots = [_Slot(slot.number, slot.columns, Owners((fitting_owner[0],)), slot.end) for slot in slots]
    findings = [finding for slot in slots for finding in _judge(recap, sentence, slot)]
    return slots[0], findings


def _part_of_team(
    recap: ParsedRecap, sentence: SentenceSpans, part: NumberSpan, whole: NumberSpan, column: str
) -> Iterator[Finding]:
    """ "had six of their 21 turnovers": a player's number and his team's."""
    owners = owners_at(recap, sentence, part.start)
    if len(owners.entities) == 1 and owners.entities[0] > 1:
        team = Owners((_team_of(recap, owners.entities[0]),))
        yield from _judge(recap, sentence, _Slot(part, (column,), owners, whole.end))
        yield from _judge(recap, sentence, _Slot(whole, (column,), team, whole.end))


def _fits_shots(
    recap: ParsedRecap, owners: Owners, made: NumberSpan, attempted: NumberSpan, kind: str, is_missed: bool
) -> bool:
    columns = (missed(kind) if is_missed else f"{kind}M", f"{kind}A")
    return all(
        _number(recap, entity, column) == number.value
        for entity in owners.entities
        for column, number in zip(columns, (made, attempted), strict=True)
    )


# Single numbers


def _single(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: _Slot | None) -> _Slot | None:
    """What a number without a partner counts, and whose it is."""
    after = " ".join(recap.words[number.end : min(sentence.end, number.end + 8)])
    columns, end = _columns(recap, sentence, number, after, last)
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
    owners = _owners(recap, sentence, number, columns, end, last)
    if columns[0] in _ALLOWED and _verb(recap, sentence, number.start) in _FORCED and len(owners.entities) == 1:
        owners = Owners((1 - owners.entities[0],)) if owners.entities[0] < 2 else NOBODY
    if columns == ("PTS_BENCH",) and any(entity > 1 for entity in owners.entities):
        return None  # "scored 18 points off the bench"
    return _Slot(number, columns, owners, end) if owners.entities else None


def _columns(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, after: str, last: _Slot | None
) -> tuple[tuple[str, ...], int]:
    """The columns that the words around a number mean, and where its words end; no columns if none do."""
    words = after.split()
    before = " ".join(recap.words[sentence.start : number.start])
    verb = _verb(recap, sentence, number.start)
    if re.search(r"\boff(?: of)?$|\bby$|\($", before) or words[1:2] == [")"]:
        return (), number.end  # "24 points off of 13 turnovers", "( 21 percent )"
    if words[:1] == ["percent"] or words[:1] == ["%"]:
        return _percentage(recap, sentence, number, last), number.end + 1
    for column, pattern in _COUNTED.items():
        match = pattern.match(after)
        if match:
            return (column,), number.end + len(match[0].split())
    if words[:1] == ["points"] and _is_of_bench(recap, sentence, number):
        return ("PTS_BENCH",), number.end + 1
    if words[:1] == ["times"]:
        if re.search(r"\bball (?:over|away)(?: \S+)?$", before):
            return ("TO",), number.end + 1
        if re.search(r"\bto the (?:free - throw |foul )?line(?: \S+)?$", before):
            return ("FTA",), number.end + 1
        return (), number.end
    match = _SHOT_NOUN.match(after)
    if match:
        kind = next(kind for kind in ("FG3", "FT", "FG") if match[kind])
        end = number.end + len(match[0].split())
        if kind == "FG" and re.search(r"\bblock(?:ed|ing)(?: \S+){0,2}$", before):
            return ("BLK",), end
        if kind == "FG" and (number.value == 1 or words[0] == "makes"):
            return (), end
        if kind == "FG":
            kind = _kind(_after(recap, sentence, number.end)) or kind
        if verb in _MISSED:
            return (missed(kind),), end
        if verb in _TOOK or re.search(r"\battempts\b", _after(recap, sentence, number.end, 4)):
            return (f"{kind}A",), end
        if re.search(r"\b(?:all|both)$", before) or words[:1] == ["of"]:
            return (f"{kind}M",), end
        return (f"{kind}M", f"{kind}A") if verb not in _MADE else (f"{kind}M",), end
    if _TRIES.match(after):
        tried = _last_kind(before)
        return ((f"{tried}A",) if tried else ()), number.end + 1
    match = re.match(r"of (?:its|their|his) ", after)
    if match and re.search(r"\ball(?: \S+)?$", before):  # "made all nine of its free throws"
        perfect = _kind(_after(recap, sentence, number.end))
        return ((f"{perfect}A",) if perfect else ()), number.end
    is_taken = last is not None and last.columns[0] in ("FGA", "FG3A", "FTA")
    if last is not None and is_taken and verb in _MADE and (not words or words[0] in (*_STOPS, "of", "for")):
        return (f"{last.columns[0][:-1]}M",), number.end  # "took 66 shots and made 37 of them"
    if verb in _MADE and re.match(r"for \d+ percent", after):
        return ("FGM", "FG3M"), number.end
    return (), number.end


def _percentage(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: _Slot | None
) -> tuple[str, ...]:
    """The percentages that a number may be: of the shot named after it, before it, or counted before it."""
    compared = re.match(r"percent to \d+ percent ", recap.phrase(number.end, number.end + 5) + " ")
    kind = _kind(_after(recap, sentence, number.end + (4 if compared else 1)))
    if kind:
        return (f"{kind}_PCT",)
    if compared:
        named = _last_kind(" ".join(recap.words[sentence.start : number.start]))
        return tuple(dict.fromkeys(f"{kind}_PCT" for kind in (named, "FG") if kind))
    near = recap.words[max(sentence.start, number.start - 4) : number.start]
    of_them = recap.words[number.end + 1 : number.end + 3] == ["of", "them"]
    if last is not None and last.columns[0][-1] in "MA" and (number.start - last.end <= 4 or of_them):
        return (f"{last.columns[0][:-1]}_PCT",)
    if last is not None and last.columns[0].endswith("_PCT") and {"to", "against", "with", "and"}.intersection(near):
        return last.columns
    return ("FG_PCT",)


def _is_of_bench(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool:
    """ "The Dallas reserves totaled 58 points": "bench" is the subject of the verb before the number."""
    before = " ".join(recap.words[max(sentence.start, number.start - 8) : number.start])
    return bool(
        re.search(r"\b(?:bench|reserves|second unit)(?: that| ,)?(?: \S+)?(?: \S+)?(?: \S+)?$", before)
    ) and not (re.search(r"\boff the bench\b|\bfrom the bench\b", before))


def _is_elliptic(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan) -> bool:
    """A number that takes its noun from before: "to Indiana 's four", "against nine for the Mavericks"."""
    if recap.word(number.end) not in (".", ",", "for", "and", ";", "while", "but", "of", "on") or (
        recap.word(number.end) == "on" and recap.word(number.end + 1) not in ("the",)
    ):
        return False
    position = number.start - 1
    while recap.word(position) in _FILLERS - {"and"}:
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


# Differences


def _difference(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: _Slot | None
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
    columns, _ = _columns(recap, sentence, counted, after, last)
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
        name = edge(_attribute(column, 0))
        holder = 1 - most if column == "TO" else most  # the edge in turnovers is of the team with fewer
        fact = recap.facts.get(holder, name)
        if fact is not None and fact.number == number.value:
            yield decide("number", number.start, number.end, True, f"{number.value} {name}", fact=fact)
            return
        facts += [fact or recap.facts.get(1 - holder, name)]
    known = next((fact for fact in facts if fact is not None), None)
    if known is not None and _is_whole_game(recap, sentence):
        yield decide(
            "number", number.start, number.end, False, f"{number.value} {known.attribute}", known.value, known
        )


# Pairs of both teams


def _compared(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan, second: NumberSpan) -> str | None:
    """The column that a pair compares; None if it is a score or a record."""
    after = []
    for at in range(second.end, min(sentence.end, second.end + 9)):
        word = recap.word(at)
        if word in (",", ".", "and", "but", "while", ";") or word[:1].isdigit():
            break
        after.append(word)
    text = " ".join(after)
    start = max(sentence.start, first.start - _LONGEST_CLAUSE)
    before = recap.words[start : first.start]
    for at in range(len(before) - 1, -1, -1):  # back to the clause's start or the number before
        is_number = before[at][:1].isdigit()
        if is_number or (before[at] in ("while", ";", "but") or (before[at] == "and" and at < len(before) - 1)):
            before = before[at + 1 :]
            break
    clause = " ".join(before)
    if (_PARTS | _PARTIAL).intersection([*after, *before]):
        return None
    for column, pattern in _PAIRED.items():
        if pattern.search(text):
            return column
    if text.startswith("overall") and "offensive" in recap.words[sentence.start : first.start]:
        return "REB"
    found = [(match.start(), column) for column, pattern in _PAIRED.items() for match in pattern.finditer(clause)]
    if not found:
        return None
    column = max(found)[1]
    return "OREB" if column == "REB" and "offensive" in before[-4:] else column


def _judge_pair(
    recap: ParsedRecap, sentence: SentenceSpans, pair: tuple[NumberSpan, NumberSpan], column: str, is_dashed: bool
) -> Iterator[Finding]:
    first, second = pair
    attribute = _attribute(column, 0)
    values = [recap.facts.number(team, attribute) for team in (0, 1)]
    if None in values:
        return
    beside = re.match(r"(?:for|in favor of|to) ", recap.phrase(second.end, second.end + 4) + " ")
    subject = named_beside(recap, sentence, second, second.end) if beside else None
    if subject is None:
        subject = _pair_subject(recap, sentence, first)
    before = recap.words[max(sentence.start, first.start - _LONGEST_CLAUSE) : first.start]
    after = recap.words[second.end : second.end + 2]
    if subject is None:
        team = 0 if [first.value, second.value] == values else 1
    elif is_dashed and not {"fewer", "more"}.intersection(before[-4:]):
        is_passive = re.search(
            r"\b(?:were|was|being|got|been) (?:\S+ )?(?:out - )?(?:out)?(?:rebound|scor|shot|beat)", " ".join(before)
        )
        is_behind = bool(is_passive) or bool(_BEHIND.intersection([*before[-5:], *after]))
        leader = 1 - subject if is_behind else subject
        team = leader if first.value >= second.value else 1 - leader
    else:
        team = subject
    findings = []
    for number, owner in ((first, team), (second, 1 - team)):
        fact = recap.facts.get(owner, attribute)
        assert fact is not None  # both values are known
        claim = f"{recap.name(owner)}: {number.value} {attribute}"
        findings.append(
            decide("number", number.start, number.end, number.value == fact.number, claim, fact.value, fact)
        )
    if all(finding.verdict == "true" for finding in findings) or _is_whole_game(recap, sentence):
        yield from findings


def _pair_subject(recap: ParsedRecap, sentence: SentenceSpans, first: NumberSpan) -> int | None:
    """The team that a pair is said of; None if either order is right: "turnovers were close at 14 to 13"."""
    near = recap.phrase(max(sentence.start, first.start - 6), first.start)
    is_named = any(first.start - 4 <= span.start < first.start for span in sentence.entities)
    counted = r"\b(?:turnovers|rebounds|boards|assists|benches|rebounding|steals|blocks) (?:was|were)\b"
    if re.search(counted, near) and not is_named:
        return None
    owners = owners_at(recap, sentence, first.start)
    if len(owners.entities) != 1:
        return None
    return _team_of(recap, owners.entities[0])


# Judging


def _owners(
    recap: ParsedRecap,
    sentence: SentenceSpans,
    number: NumberSpan,
    columns: tuple[str, ...],
    end: int,
    last: _Slot | None,
) -> Owners:
    """Whose number it is: of the team named beside it, of the clause's subject, or of the other team after "to"."""
    subject = owners_at(recap, sentence, number.start)
    is_players = len(subject.entities) == 1 and subject.entities[0] > 1
    team = possessor(recap, sentence, number)
    if team is None and not is_players:
        team = named_beside(recap, sentence, number, end)
    if team is not None:
        return Owners((team,))
    before = recap.words[sentence.start : number.start]
    while before and before[-1] in _FILLERS - {"and"}:
        before.pop()
    if last is not None and last.owners.is_sure and not last.owners.together:
        [owner] = last.owners.entities
        if recap.words[last.end : number.start] in _ASIDES:
            return last.owners  # "to 42 percent on 36 - of - 86"
        is_held = _HOLDING.intersection(before[-10:])
        if before[-1:] in (["to"], ["against"]) and owner < 2 and not is_held:
            if _is_alike(columns[0], last.columns[0]):
                return Owners((1 - owner,))
    if _HOLDING.intersection(before) and not is_players:
        if last is not None and last.columns[0].endswith("_PCT") and columns[0].endswith("_PCT"):
            if "and" in recap.words[last.end : number.start]:
                return last.owners  # "held Dallas to 39 percent from the field and 28 percent from deep"
        if re.search(r"\b(?:held|holding|limited|limiting) (?:\S+ ){1,4}to$", " ".join(before)) and subject.is_sure:
            return NOBODY if subject.together else Owners((1 - subject.entities[0],))
        return Owners((0, 1))
    if is_players and (before[-2:] == ["team", "'s"] or before[-2:] in (["of", "its"], ["of", "their"])):
        return Owners((_team_of(recap, subject.entities[0]),))  # "eight of the team 's 22 turnovers"
    return subject


def _is_alike(column: str, other: str) -> bool:
    """Whether two numbers may be compared: the same column, both shots, or both percentages."""
    if column.endswith("_PCT") and other[-1] in "MA":
        return True
    return column == other or (column[-1] in "MA" and other[-1] in "MA") or column[-4:] == other[-4:] == "_PCT"


def _judge(recap: ParsedRecap, sentence: SentenceSpans, slot: _Slot) -> Iterator[Finding]:
    """True if the owners have the number; else false if nothing else can be meant."""
    number, owners = slot.number, slot.owners
    for column in slot.columns:
        fitting = [fact for entity in owners.entities if (fact := _fitting(recap, entity, column, number.value))]
        if len(fitting) == len(owners.entities) or (fitting and not owners.together):
            claim = f"{recap.name(fitting[0].entity or 0)}: {number.value} {fitting[0].attribute}"
            yield decide("number", number.start, number.end, True, claim, fact=fitting[0])
            return
    entity, column = owners.entities[0], slot.columns[0]
    fact = recap.facts.get(entity, _attribute(column, entity))
    is_named = owners.is_sure or {"they", "it", "their", "its"}.intersection(
        recap.words[sentence.start : number.start]
    )
    if _THRESHOLDS.intersection(recap.words[max(sentence.start, number.start - 3) : number.start]):
        return
    is_judged = column.endswith("_MISSED") if entity > 1 else is_named
    if fact is not None and is_judged and _is_whole_game(recap, sentence):
        claim = f"{recap.name(entity)}: {number.value} {fact.attribute}"
        truth = fact.value if len(owners.entities) == 1 else None
        yield decide("number", number.start, number.end, False, claim, truth, fact)


def _fitting(recap: ParsedRecap, entity: int, column: str, value: int) -> Fact | None:
    fact = recap.facts.get(entity, _attribute(column, entity))
    tolerance = _ROUNDED if column.endswith("_PCT") else 0
    return fact if fact is not None and abs(fact.number - value) <= tolerance else None


def _is_whole_game(recap: ParsedRecap, sentence: SentenceSpans) -> bool:
    """Whether a sentence can only be about this game, and all of it."""
    words = recap.words[sentence.start : sentence.end]
    own = WEEKDAY_WORDS[recap.game.date.weekday()]
    is_third = any(span.is_team and span.index is None for span in sentence.entities)
    is_other_day = any(word in WEEKDAY_WORDS and word != own for word in words)
    return not ((_PARTS | _OTHER_GAMES).intersection(words) or is_third or is_other_day)


def _number(recap: ParsedRecap, entity: int, column: str) -> int | None:
    return recap.facts.number(entity, _attribute(column, entity))


def _attribute(column: str, entity: int) -> str:
    if entity > 1:
        return column
    return "TEAM-TOV" if column == "TO" else f"TEAM-{column}"


def _team_of(recap: ParsedRecap, entity: int) -> int:
    return entity if entity < 2 else recap.game.team_of(entity)
