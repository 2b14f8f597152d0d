"""What the numbers of a sentence count, by the words around them; of whom is settled elsewhere.

A `Statement` holds one number or two that belong together ("6 - of - 13", "105 - 104", "( 18 - 16 )") and the
readings that its words allow, the likeliest first. A reading names columns without the team's prefix: ("PTS",),
("FGM", "FGA"), and `across` tells a comparison of both teams ("105 - 104") from one entity's pair ("18 - 16").
"""

from dataclasses import dataclass

from modeling_stg.numbers import read_number
from modeling_stg.schema import ATTEMPTS
from stg.extraction.candidates import NumberSpan


@dataclass(frozen=True)
class Reading:
    columns: tuple[str, ...]
    across: bool = False


@dataclass
class Statement:
    """`elliptic`: the noun is not said here but before ("and nine by Vesper Bay"). `end`: where its words end."""

    numbers: tuple[NumberSpan, ...]
    readings: list[Reading]
    end: int
    elliptic: bool = False

    @property
    def start(self) -> int:
        return self.numbers[0].start


_NOUNS = {
    "PTS": "point points pts",
    "REB": "rebound rebounds board boards rebs",
    "AST": "assist assists dime dimes helper helpers",
    "STL": "steal steals theft thefts swipe swipes",
    "BLK": "block blocks rejection rejections swat swats",
    "TO": "turnover turnovers giveaway giveaways",
    "MIN": "minute minutes",
    "PF": "foul fouls",
    "FG3M": "threes treys trey 3-pointers three-pointers triples 3s",
    "FGM": "shots baskets buckets shot field",
    "FTM": "free ft",
    "FGA": "attempts",
    "PCT": "percent % percentage",
}
_COLUMN_OF = {noun: column for column, nouns in _NOUNS.items() for noun in nouns.split()}
_STOPS = frozenset(
    ", . ( ) ; : and for with in on while as but from to of by at before after off during who which that over against "
    "including was were is are had his their the a an -- than or games game".split()
)
_SHOT_TAILS = frozenset("point pointer pointers pt pter pters ball balls".split())
_NOT_TOTALS = frozenset(
    "lead leads deficit deficits advantage advantages run runs margin victory win loss losses edge cushion swing "
    "spurt underdog favorite favorites blowout defeat gap hole comeback".split()
)
_CLOCK = frozenset("left remaining to into mark restriction".split())
_THREES = frozenset("three threes 3pt 3 arc deep downtown distance long 3-point three-point 3-pt treys".split())
_LINE = frozenset("free line ft stripe foul charity".split())
_FIELD = frozenset("field floor fg shooting shot shots".split())
_QUARTERS = {"first": 1, "opening": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
_SCORING = frozenset(
    "scored scoring scores score added adding had led leading poured finished tallied posted dropped totaled netted "
    "contributed chipped with put notched".split()
)
_LED = frozenset("led paced headlined highlighted spearheaded fueled boosted".split())
_RECORD_WORDS = frozenset("record improved improve improves fell falls dropped drop now moved moves at".split())
_TRYING = frozenset("on attempted attempting took taking tried missed launched hoisted".split())
_SHOTS = {kind: Reading((f"{kind}M", f"{kind}A")) for kind in ("FG", "FG3", "FT")}


def statements(tokens: list[str], start: int, end: int, numbers: list[NumberSpan]) -> list[Statement]:
    """Readings of the numbers that stand in the sentence `tokens[start:end]`; those without any are left out."""
    words = [token.lower() for token in tokens]
    found: list[Statement] = []
    position = 0
    while position < len(numbers):
        first = numbers[position]
        second = numbers[position + 1] if position + 1 < len(numbers) else None
        joint = _joint(words, first, second) if second else None
        if _is_combined(words, start, first.start):
            position += 1
        elif joint == "shots" and _noun(words, second.end, end)[0] in ("PTS", "REB", "AST"):
            position += 1  # "11 of his 23 points": the first is a part that no record holds
        elif joint:
            found.append(_pair(words, start, end, first, second, joint))
            position += 2
        else:
            statement = _single(words, start, end, first, found)
            if statement:
                found.append(statement)
            position += 1
    return found


def _is_combined(words: list[str], start: int, position: int) -> bool:
    """Whether a sum of several players is told here, which may equal one's own record by chance only."""
    for before in range(position - 1, max(start, position - 16) - 1, -1):
        if words[before] in ("while", "whereas", "but", ";", "who", "as"):
            return False
        if words[before].startswith("combin"):
            return True
    return False


def _joint(words: list[str], first: NumberSpan, second: NumberSpan) -> str | None:
    """How two numbers hang together: "shots", "dash", "to", or not at all."""
    between = words[first.end : second.start]
    if between == ["-"]:
        return "dash"
    if between == ["to"]:
        return "to"
    if len(between) > 4:
        return None
    plain = [word for word in between if word != "-"]
    if plain[:1] == ["out"]:
        plain = plain[1:]
    if plain[:1] == ["for"]:
        return "shots" if len(plain) == 1 else None
    if plain[:1] == ["of"] and all(word in ("his", "their", "its") for word in plain[1:]):
        return "shots"
    return None


def _pair(words: list[str], start: int, end: int, first: NumberSpan, second: NumberSpan, joint: str) -> Statement:
    after = words[second.end : end]
    numbers = (first, second)
    kind = _shot_kind(words, second.end, end)
    if joint == "shots":
        order = [kind] if kind else []
        order += [other for other in ("FG", "FG3", "FT") if other not in order]
        return Statement(numbers, [_SHOTS[one] for one in order], second.end)
    if after[:1] and after[0] in ("fg", "3pt", "3-pt", "ft", "3p", "fgs", "fts"):
        kind = "FG" if after[0].startswith("fg") else "FT" if after[0].startswith("ft") else "FG3"
        return Statement(numbers, [_SHOTS[kind]], second.end)
    compared = []
    quarter = _quarter(words, start, end, first.start)
    if quarter:
        compared.append(f"PTS_QTR{quarter}")
    sentence = words[start:end]
    for column, told in (("REB", ("rebound", "board", "glass")), ("TO", ("turnover",)), ("AST", ("assist",))):
        if any(word.startswith(prefix) or prefix in word for word in sentence for prefix in told):
            compared.append(column)
    record = Reading(("WINS", "LOSSES"))
    final = Reading(("PTS", "PTS"), across=True)
    others = [Reading((column, column), across=True) for column in compared]
    in_brackets = words[first.start - 1] == "(" if first.start > start else False
    before = words[max(start, first.start - 4) : first.start]
    if joint == "dash" and (in_brackets or _RECORD_WORDS & set(before)):
        readings = [record, final, *others]
    elif quarter:
        readings = [*others, final, record]
    else:
        readings = [final, *others, record]
    if joint == "dash" and kind:
        readings.append(_SHOTS[kind])
    return Statement(numbers, readings, second.end)


def _single(words: list[str], start: int, end: int, number: NumberSpan, earlier: list[Statement]) -> Statement | None:
    column, place = _noun(words, number.end, end)
    if column is None:
        column, place = _shared_noun(words, start, end, number)
        scored = _SCORING & set(words[max(start, number.start - 2) : number.start])
        if scored and column not in (None, "PTS", "PCT"):  # "added 15 and eight rebounds"
            return Statement((number,), [Reading((column,)), Reading(("PTS",))], number.end)
    before = words[max(start, number.start - 5) : number.start]
    averaged = any(word.startswith("averag") for word in before) or "per" in words[place + 1 : place + 3]
    if column is not None and averaged:
        return None
    if column == "PTS":
        return _points(words, start, end, number, place)
    if column == "PCT":
        kind = _shot_kind(words, place + 1, end)
        told = [other for other in reversed(earlier) if other.readings[0].columns[0].endswith("_PCT")]
        if not kind:
            kind = _shot_kind(words, max(start, number.start - 8), number.start)
        order = [f"{kind}_PCT"] if kind else []
        order += [one for other in told for reading in other.readings for one in reading.columns]
        order += ["FG_PCT", "FG3_PCT", "FT_PCT"]
        return Statement((number,), [Reading((one,)) for one in dict.fromkeys(order)], place + 1)
    if column == "MIN":
        return None if words[place + 1 : place + 2] and words[place + 1] in _CLOCK else _plain(number, "MIN", place)
    if column == "REB":
        near = words[number.end : place + 3]
        sided = "OREB" if "offensive" in near or "offense" in near else "DREB" if "defensive" in near else None
        return _plain(number, sided or "REB", place)
    if column == "FGM" and any(word.startswith("block") for word in before):
        return _plain(number, "BLK", place)
    if column in ATTEMPTS:
        tried = "attempts" in words[place + 1 : place + 5] or bool(_TRYING & set(before[-3:]))
        columns = (ATTEMPTS[column], column) if tried else (column, ATTEMPTS[column])
        return Statement((number,), [Reading((one,)) for one in columns], place + 1)
    if column is not None:
        return _plain(number, column, place)
    if words[number.end : number.end + 1] == ["times"] and "ball" in before:
        return _plain(number, "TO", number.end)
    return _elliptic(words, start, number, earlier)


def _plain(number: NumberSpan, column: str, place: int) -> Statement:
    return Statement((number,), [Reading((column,))], place + 1)


def _points(words: list[str], start: int, end: int, number: NumberSpan, place: int) -> Statement | None:
    after = words[place + 1 : place + 3]
    before = words[max(start, number.start - 2) : number.start]
    is_margin = before[-1:] == ["by"] and before[0] not in _LED  # "won by 12 points", but "were led by 23 points from"
    if is_margin or (after and after[0] in _NOT_TOTALS):
        return None
    part_of_game = {"paint", "half", "turnovers"} & set(words[place + 1 : min(end, place + 5)])
    if part_of_game and after[0] in ("in", "during", "off"):
        return None
    quarter = _quarter(words, place + 1, min(end, place + 7), place)
    columns = [f"PTS_QTR{quarter}"] if quarter else ["PTS"]
    return Statement((number,), [Reading((column,)) for column in columns], place + 1)


def _elliptic(words: list[str], start: int, number: NumberSpan, earlier: list[Statement]) -> Statement | None:
    """No noun: the one of the number before ("17 turnovers by A and nine by B"), or points after a scorer's verb."""
    if words[number.start - 1] == "(" and words[number.end : number.end + 1] == [")"]:
        return Statement(
            (number,), [Reading(("PTS",))], number.end, elliptic=True
        )  # "Parsons ( 12 ) and Ellis ( 10 )"
    readings: list[Reading] = []
    singles = [other for other in earlier if len(other.numbers) == 1]
    if singles and number.start - singles[-1].end <= 8:
        readings += singles[-1].readings
    if _SCORING & set(words[max(start, number.start - 3) : number.start]) and Reading(("PTS",)) not in readings:
        readings.append(Reading(("PTS",)))
    return Statement((number,), readings, number.end, elliptic=True) if readings else None


def _shared_noun(words: list[str], start: int, end: int, number: NumberSpan) -> tuple[str | None, int]:
    """ "17 and 12 points": the noun of the number that follows; "in assists ( 10 )": the one before the bracket."""
    if words[number.start - 1] == "(" and words[number.end : number.end + 1] == [")"] and number.start - 2 >= start:
        return _COLUMN_OF.get(words[number.start - 2]), number.end
    position = number.end
    while position < end and words[position] in ("and", ",", "or"):
        position += 1
    follows = read_number(words, position) if number.end < position < end else None
    return _noun(words, position + follows[1], end) if follows else (None, number.end)


def _noun(words: list[str], position: int, end: int) -> tuple[str | None, int]:
    """The column of the noun that a number counts, and where that noun stands; a few adjectives may come between."""
    seen = 0
    while position < end and seen <= 3:
        word = words[position]
        if word in ("three", "3") and _SHOT_TAILS & set(words[position + 1 : position + 3]):
            last = position + 1 if words[position + 1] != "-" else position + 2
            return "FG3M", last
        if word == "blocked" and words[position + 1 : position + 2] and words[position + 1].startswith("shot"):
            return "BLK", position + 1
        if word == "free" and words[position + 1 : position + 2] == ["throw"] and "attempts" in words[position:end]:
            return "FTM", position
        if word in _COLUMN_OF:
            return _COLUMN_OF[word], position
        if word in _STOPS or word.isdecimal():
            return None, position
        if word != "-":
            seen += 1
        position += 1
    return None, position


def _shot_kind(words: list[str], start: int, end: int) -> str | None:
    """Which shots are spoken of: the first telling word before the next number or the end of the clause."""
    for position in range(start, min(end, start + 9)):
        word = words[position]
        if word in (";", ".", "(", ")", "while") or (word.isdecimal() and word != "3"):
            return None
        if word in _THREES:
            return "FG3"
        if word in _LINE:
            return "FT"
        if word in _FIELD:
            rest = set(words[position + 1 : min(end, position + 5)])
            return "FG3" if word.startswith("shoot") and rest & (_THREES - {"3"}) else "FG"
    return None


def _quarter(words: list[str], start: int, end: int, near: int) -> int | None:
    """The quarter that is named nearest to a place: "in the third quarter", "won the second"."""
    named = [
        (abs(position - near), quarter)
        for position in range(start, end)
        for quarter in [_QUARTERS.get(words[position])]
        if quarter and _is_period(words, position, end)
    ]
    return min(named)[1] if named else None


def _is_period(words: list[str], position: int, end: int) -> bool:
    following = words[position + 1] if position + 1 < end else ""
    if following in ("quarter", "period", "frame"):
        return True
    bare = following in (",", ".", "it", "belonged", "went") or following.isdecimal()
    return words[position - 1] == "the" and words[position] not in ("final", "opening") and bare
