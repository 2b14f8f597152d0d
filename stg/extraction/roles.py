"""Reads from the words around numbers what they count. `annotation` decides whose numbers they are."""

from dataclasses import dataclass

from modeling_stg.numbers import read_number
from modeling_stg.schema import ATTEMPTS, COLUMN_OF_NOUN, QUARTER_WORDS, QUARTERS, SHOTS, column_of
from stg.extraction.candidates import THREE_POINT_WORDS, NumberSpan


@dataclass(frozen=True)
class Role:
    """The columns that the numbers of a group count, without team prefix, such as ("PTS",) or ("FGM", "FGA").

    `compares_teams` marks a score of both teams ("105 - 104") as opposed to one entity's pair ("18 - 16").
    """

    columns: tuple[str, ...]
    compares_teams: bool = False


@dataclass
class NumberGroup:
    """A number, or two that belong together ("6 - of - 13", "105 - 104"), with its possible roles, likeliest first.

    `end` is where its words end. An `elliptic` number takes its noun from before ("and nine by Vesper Bay").
    """

    numbers: tuple[NumberSpan, ...]
    roles: list[Role]
    end: int
    elliptic: bool = False

    @property
    def start(self) -> int:
        return self.numbers[0].start


_STOPS = frozenset(
    ", . ( ) ; : and for with in on while as but from to of by at before after off during who which that over against "
    "including was were is are had his their the a an -- than or games game".split()
)
_NOT_TOTALS = frozenset(
    "lead leads deficit deficits advantage advantages run runs margin victory win loss losses edge cushion swing "
    "spurt underdog favorite favorites blowout defeat gap hole comeback".split()
)
_CLOCK = frozenset("left remaining to into mark restriction".split())
_THREES = frozenset("three threes 3pt 3 arc deep downtown distance long 3-point three-point 3-pt treys".split())
_LINE = frozenset("free line ft stripe foul charity".split())
_FIELD = frozenset("field floor fg shooting shot shots".split())
_SCORING = frozenset(
    "scored scoring scores score added adding had led leading poured finished tallied posted dropped totaled netted "
    "contributed chipped with put notched".split()
)
_LED = frozenset("led paced headlined highlighted spearheaded fueled boosted".split())
_RECORD_WORDS = frozenset("record improved improve improves fell falls dropped drop now moved moves at".split())
_ATTEMPTING = frozenset("on attempted attempting took taking tried missed launched hoisted".split())
_SHOT_ROLES = {shot: Role((f"{shot}M", f"{shot}A")) for shot in SHOTS}


def number_groups(words: list[str], start: int, end: int, numbers: list[NumberSpan]) -> list[NumberGroup]:
    """The roles of the numbers of a sentence, `words[start:end]` of a text in lower case.

    Numbers without a role are left out.
    """
    groups: list[NumberGroup] = []
    position = 0
    while position < len(numbers):
        first = numbers[position]
        second = numbers[position + 1] if position + 1 < len(numbers) else None
        link = _link(words, first, second) if second else None
        if _is_combined(words, start, first.start):
            position += 1
        elif link == "shots" and _noun(words, second.end, end)[0] in ("PTS", "REB", "AST"):
            position += 1  # "11 of his 23 points": no cell holds the first
        elif link:
            groups.append(_pair(words, start, end, first, second, link))
            position += 2
        else:
            group = _single(words, start, end, first, groups)
            if group:
                groups.append(group)
            position += 1
    return groups


def _is_combined(words: list[str], start: int, position: int) -> bool:
    """Whether the number sums several players, so that it can equal one player's cell only by chance."""
    for before in range(position - 1, max(start, position - 16) - 1, -1):
        if words[before] in ("while", "whereas", "but", ";", "who", "as"):
            return False
        if words[before].startswith("combin"):
            return True
    return False


def _link(words: list[str], first: NumberSpan, second: NumberSpan) -> str | None:
    """How two numbers belong together: "shots", "dash" or "to"; None if they do not."""
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


def _pair(words: list[str], start: int, end: int, first: NumberSpan, second: NumberSpan, link: str) -> NumberGroup:
    after = words[second.end : end]
    numbers = (first, second)
    shot = _shot(words, second.end, end)
    if link == "shots":
        order = [shot] if shot else []
        order += [other for other in SHOTS if other not in order]
        return NumberGroup(numbers, [_SHOT_ROLES[name] for name in order], second.end)
    if after[:1] and after[0] in ("fg", "3pt", "3-pt", "ft", "3p", "fgs", "fts"):
        shot = "FG" if after[0].startswith("fg") else "FT" if after[0].startswith("ft") else "FG3"
        return NumberGroup(numbers, [_SHOT_ROLES[shot]], second.end)
    compared = []
    quarter = _quarter(words, start, end, first.start)
    if quarter:
        compared.append(column_of(QUARTERS[quarter - 1]))
    sentence = words[start:end]
    for column, stems in (("REB", ("rebound", "board", "glass")), ("TO", ("turnover",)), ("AST", ("assist",))):
        if any(stem in word for word in sentence for stem in stems):
            compared.append(column)
    record = Role(("WINS", "LOSSES"))
    final = Role(("PTS", "PTS"), compares_teams=True)
    others = [Role((column, column), compares_teams=True) for column in compared]
    in_brackets = words[first.start - 1] == "(" if first.start > start else False
    before = words[max(start, first.start - 4) : first.start]
    if link == "dash" and (in_brackets or _RECORD_WORDS & set(before)):
        roles = [record, final, *others]
    elif quarter:
        roles = [*others, final, record]
    else:
        roles = [final, *others, record]
    if link == "dash" and shot:
        roles.append(_SHOT_ROLES[shot])
    return NumberGroup(numbers, roles, second.end)


def _single(
    words: list[str], start: int, end: int, number: NumberSpan, earlier: list[NumberGroup]
) -> NumberGroup | None:
    column, noun = _noun(words, number.end, end)
    if column is None:
        column, noun = _shared_noun(words, start, end, number)
        scored = _SCORING & set(words[max(start, number.start - 2) : number.start])
        if scored and column not in (None, "PTS", "PCT"):  # "added 15 and eight rebounds"
            return NumberGroup((number,), [Role((column,)), Role(("PTS",))], number.end)
    before = words[max(start, number.start - 5) : number.start]
    averaged = any(word.startswith("averag") for word in before) or "per" in words[noun + 1 : noun + 3]
    if column is not None and averaged:
        return None
    if column == "PTS":
        return _points(words, start, end, number, noun)
    if column == "PCT":
        shot = _shot(words, noun + 1, end)
        percentages = [group for group in reversed(earlier) if group.roles[0].columns[0].endswith("_PCT")]
        if not shot:
            shot = _shot(words, max(start, number.start - 8), number.start)
        order = [f"{shot}_PCT"] if shot else []
        order += [column for group in percentages for role in group.roles for column in role.columns]
        order += [f"{name}_PCT" for name in SHOTS]
        return NumberGroup((number,), [Role((column,)) for column in dict.fromkeys(order)], noun + 1)
    if column == "MIN":
        return None if words[noun + 1 : noun + 2] and words[noun + 1] in _CLOCK else _plain(number, "MIN", noun)
    if column == "REB":
        near = words[number.end : noun + 3]
        sided = "OREB" if "offensive" in near or "offense" in near else "DREB" if "defensive" in near else None
        return _plain(number, sided or "REB", noun)
    if column == "FGM" and any(word.startswith("block") for word in before):
        return _plain(number, "BLK", noun)
    if column in ATTEMPTS:
        attempted = "attempts" in words[noun + 1 : noun + 5] or bool(_ATTEMPTING & set(before[-3:]))
        columns = (ATTEMPTS[column], column) if attempted else (column, ATTEMPTS[column])
        return NumberGroup((number,), [Role((column,)) for column in columns], noun + 1)
    if column is not None:
        return _plain(number, column, noun)
    if words[number.end : number.end + 1] == ["times"] and "ball" in before:
        return _plain(number, "TO", number.end)
    return _elliptic(words, start, number, earlier)


def _plain(number: NumberSpan, column: str, noun: int) -> NumberGroup:
    return NumberGroup((number,), [Role((column,))], noun + 1)


def _points(words: list[str], start: int, end: int, number: NumberSpan, noun: int) -> NumberGroup | None:
    after = words[noun + 1 : noun + 3]
    before = words[max(start, number.start - 2) : number.start]
    is_margin = before[-1:] == ["by"] and before[0] not in _LED  # "won by 12 points", but "were led by 23 points from"
    if is_margin or (after and after[0] in _NOT_TOTALS):
        return None
    part_of_game = {"paint", "half", "turnovers"} & set(words[noun + 1 : min(end, noun + 5)])
    if part_of_game and after[0] in ("in", "during", "off"):
        return None
    quarter = _quarter(words, noun + 1, min(end, noun + 7), noun)
    return _plain(number, column_of(QUARTERS[quarter - 1]) if quarter else "PTS", noun)


def _elliptic(words: list[str], start: int, number: NumberSpan, earlier: list[NumberGroup]) -> NumberGroup | None:
    """A number without a noun: the previous noun ("17 turnovers by A and nine by B"), or points after "scored"."""
    if words[number.start - 1] == "(" and words[number.end : number.end + 1] == [")"]:
        # "Parsons ( 12 ) and Ellis ( 10 )"
        return NumberGroup((number,), [Role(("PTS",))], number.end, elliptic=True)
    roles: list[Role] = []
    singles = [group for group in earlier if len(group.numbers) == 1]
    if singles and number.start - singles[-1].end <= 8:
        roles += singles[-1].roles
    if _SCORING & set(words[max(start, number.start - 3) : number.start]) and Role(("PTS",)) not in roles:
        roles.append(Role(("PTS",)))
    return NumberGroup((number,), roles, number.end, elliptic=True) if roles else None


def _shared_noun(words: list[str], start: int, end: int, number: NumberSpan) -> tuple[str | None, int]:
    """ "17 and 12 points": the noun of the next number; "in assists ( 10 )": the noun before the bracket."""
    if words[number.start - 1] == "(" and words[number.end : number.end + 1] == [")"] and number.start - 2 >= start:
        return COLUMN_OF_NOUN.get(words[number.start - 2]), number.end
    position = number.end
    while position < end and words[position] in ("and", ",", "or"):
        position += 1
    follows = read_number(words, position) if number.end < position < end else None
    return _noun(words, position + follows[1], end) if follows else (None, number.end)


def _noun(words: list[str], position: int, end: int) -> tuple[str | None, int]:
    """The column of the noun after a number, and the noun's position; a few adjectives may come between."""
    skipped = 0
    while position < end and skipped <= 3:
        word = words[position]
        if word in ("three", "3") and THREE_POINT_WORDS.intersection(words[position + 1 : position + 3]):
            last = position + 1 if words[position + 1] != "-" else position + 2
            return "FG3M", last
        if word == "blocked" and words[position + 1 : position + 2] and words[position + 1].startswith("shot"):
            return "BLK", position + 1
        if word == "free" and words[position + 1 : position + 2] == ["throw"] and "attempts" in words[position:end]:
            return "FTM", position
        if word in COLUMN_OF_NOUN:
            return COLUMN_OF_NOUN[word], position
        if word in _STOPS or word.isdecimal():
            return None, position
        if word != "-":
            skipped += 1
        position += 1
    return None, position


def _shot(words: list[str], start: int, end: int) -> str | None:
    """The kind of shot that a clause is about, by its first shooting term before the next number or clause."""
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
    """The quarter named nearest to a position: "in the third quarter", "won the second"."""
    named = [
        (abs(position - near), quarter)
        for position in range(start, end)
        for quarter in [QUARTER_WORDS.get(words[position])]
        if quarter and _is_period(words, position, end)
    ]
    return min(named)[1] if named else None


def _is_period(words: list[str], position: int, end: int) -> bool:
    following = words[position + 1] if position + 1 < end else ""
    if following in ("quarter", "period", "frame"):
        return True
    bare = following in (",", ".", "it", "belonged", "went") or following.isdecimal()
    return words[position - 1] == "the" and words[position] not in ("final", "opening") and bare
