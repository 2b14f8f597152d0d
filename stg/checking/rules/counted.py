"""What a number counts, from the words after it, else from those before it: "47 of 83 shots", "58 bench points"."""

import re

from modeling_stg.fact_schema import missed
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.slots import Slot
from stg.extraction.candidates import NumberSpan, SentenceSpans


_THREE = (
    r"(?:three|3) - point|threes|three - pointers?|3 - pointers?|treys|triples|deep|downtown|distance|long range|arc"
)
_KINDS = {  # words for kinds of shots; where two occur, as in "shooting from deep", the first kind here is meant
    "FG3": re.compile(rf"\b(?:{_THREE}|from three|the three)\b(?! - point play)"),
    "FT": re.compile(r"\b(?:free(?: -)? throws?|line|stripe|foul shots?)\b"),
    "FG": re.compile(r"\b(?:field|floor|shots?|shooting|overall|baskets|tries|attempts)\b"),
}
COUNTED = {  # words right after a number -> column
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
_TOOK = frozenset("took take taking attempted attempting attempt launched tried hoisted fired needed put got".split())
_MADE = frozenset("made make making hit hitting sank sinking drained knocked buried converted connecting".split())
MISSED = frozenset("missed missing misses miss".split())
FORCED = frozenset("forced forcing force forces eliciting allowed allowing surrendered surrendering conceded".split())
STOPS = frozenset(", . ; ( ) and but while for against as with".split())


def words_after(recap: ParsedRecap, sentence: SentenceSpans, position: int, length: int = 8) -> str:
    """The words after a position up to the end of their clause or the next number."""
    words: list[str] = []
    for at in range(position, min(sentence.end, position + length)):
        word = recap.word(at)
        if word in STOPS or (word == "to" and words) or (word.isdigit() and word != "3"):
            break
        words.append(word)
    return " ".join(words)


def kind_of(text: str) -> str | None:
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(text)), None)


def last_kind_of(text: str) -> str | None:
    """The kind of shot named last."""
    found = [(match.start(), kind) for kind, pattern in _KINDS.items() for match in pattern.finditer(text)]
    return max(found)[1] if found else None


def verb_before(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> str:
    """The nearest verb of taking, making, missing or forcing before a number: "took only nine free throws"."""
    for at in range(position - 1, max(sentence.start, position - 6) - 1, -1):
        word = recap.word(at)
        for verbs in (_TOOK, _MADE, MISSED, FORCED):
            if word in verbs:
                return word
        if word in (",", "and", "but", "with") and at < position - 1:
            return ""
    return ""


def columns_of(
    recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, after: str, last: Slot | None
) -> tuple[tuple[str, ...], int]:
    """The columns that the words around a number mean, and where its words end; no columns if none do."""
    words = after.split()
    before = " ".join(recap.words[sentence.start : number.start])
    verb = verb_before(recap, sentence, number.start)
    is_shots = last is not None and last.columns[0][-1:] == "M" and number.start - last.end <= 2
    if last is not None and words[:1] in (["percent"], ["%"]) and before.endswith("(") and is_shots:
        return (f"{last.columns[0][:-1]}_PCT",), number.end + 1  # "45 - of - 75 attempts ( 60 percent )"
    if re.search(r"\boff(?: of)?$|\bby$|\($", before) or words[1:2] == [")"]:
        return (), number.end  # "24 points off of 13 turnovers", "( 21 percent )"
    if words[:1] == ["percent"] or words[:1] == ["%"]:
        return _percentage(recap, sentence, number, last), number.end + 1
    for column, pattern in COUNTED.items():
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
            kind = kind_of(words_after(recap, sentence, number.end)) or kind
        if verb in MISSED:
            return (missed(kind),), end
        if verb in _TOOK or re.search(r"\battempts\b", words_after(recap, sentence, number.end, 4)):
            return (f"{kind}A",), end
        if re.search(r"\b(?:all|both)$", before) or words[:1] == ["of"]:
            return (f"{kind}M",), end
        return (f"{kind}M", f"{kind}A") if verb not in _MADE else (f"{kind}M",), end
    if _TRIES.match(after):
        tried = last_kind_of(before)
        return ((f"{tried}A",) if tried else ()), number.end + 1
    match = re.match(r"of (?:its|their|his) ", after)
    if match and re.search(r"\ball(?: \S+)?$", before):  # "made all nine of its free throws"
        perfect = kind_of(words_after(recap, sentence, number.end))
        return ((f"{perfect}A",) if perfect else ()), number.end
    is_taken = last is not None and last.columns[0] in ("FGA", "FG3A", "FTA")
    if last is not None and is_taken and verb in _MADE and (not words or words[0] in (*STOPS, "of", "for")):
        return (f"{last.columns[0][:-1]}M",), number.end  # "took 66 shots and made 37 of them"
    if verb in _MADE and re.match(r"for \d+ percent", after):
        return ("FGM", "FG3M"), number.end
    return (), number.end


def _percentage(recap: ParsedRecap, sentence: SentenceSpans, number: NumberSpan, last: Slot | None) -> tuple[str, ...]:
    """The percentages that a number may be: of the shot named after it, before it, or counted before it."""
    compared = re.match(r"percent to \d+ percent ", recap.phrase(number.end, number.end + 5) + " ")
    kind = kind_of(words_after(recap, sentence, number.end + (4 if compared else 1)))
    if kind:
        return (f"{kind}_PCT",)
    if compared:
        named = last_kind_of(" ".join(recap.words[sentence.start : number.start]))
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
