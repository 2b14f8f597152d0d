"""Converts between RotoWire's tokens and printable text.

The dataset is tokenised like the Penn Treebank and then split at hyphens of words that do not begin with a capital:
"three - point", "105 - 104", "Wednesday 's", "was n't", "( 16 - 19 )", but "All-Star" and "Three-point". Full stops
stay on most abbreviations ("J.J.", "Jr.", "Dec."), but not on a few initials ("C.J . McCollum") nor in "No . 3".
`tokenize` follows these conventions, so that plain text can be compared with the dataset; `detokenize` reverses them.
"""

import re
import unicodedata


_KEEP_PERIOD = re.compile(
    r"(?:[A-Z]\.)+|(?:[a-z]\.){2,}|Jr\.|Sr\.|Dr\.|Mr\.|Mrs\.|St\.|Mt\.|Bros\.|Co\.|vs\.|"
    r"(?:Jan|Feb|Aug|Sept?|Oct|Nov|Dec)\."
)
_SPLIT_INITIALS = ("A.J.", "C.J.", "D.J.", "K.J.", "O.J.", "P.J.")
_SUFFIX = re.compile(r"(?:n't|'s|'ll|'ve|'re|'d|'m|')$", re.IGNORECASE)
_LONGEST_SUFFIX = 3
_NEGATIVE = re.compile(r"-[0-9]")
_ALONE = re.compile(r"(?:^|\s)[.,](?:\s|$)")
_ATTACHED = re.compile(r"\w,(?:\s|$)|\(\w|\d[-–]\d")
_HYPHENABLE = re.compile(r"[A-Za-z0-9]+|\.[0-9]+")
_SPACED_DASH = frozenset(
    "a an and as at both but he his including it its led or she that the their they this thus what when where which "
    "while who whom with".split()
)
_NO_SPACE_BEFORE = frozenset([".", ",", ";", ":", "!", "?", "%", ")", "]", "''", "'", "...", "n't"])
_WITHOUT_MARKS = str.maketrans({"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "ı": "i", "ß": "ss"})
_NO_SPACE_AFTER = frozenset(["(", "[", "$", "``"])


def tokenize(text: str) -> list[str]:
    """Splits plain text into the dataset's tokens; text that is already tokenised is only split at spaces."""
    if _ALONE.search(text) and not _ATTACHED.search(text):
        return text.split()
    text = re.sub(r"(?<=\d)[–‒‑](?=\d)", "-", text)  # a typographic dash in a score
    text = re.sub(r"\b(can)(not)\b", r"\1 \2", text, flags=re.IGNORECASE)
    text = re.sub(r"(^|[\s(\[])\"", r"\1 `` ", text)
    text = text.replace('"', " '' ")
    text = re.sub(r"([()\[\]{}<>;@#$%&?!—–]|\.{3,})", r" \1 ", text)
    text = re.sub(r"([,:])(?=\D|$)", r" \1 ", text)
    tokens: list[str] = []
    for chunk in text.split():
        parts = _split(chunk)
        is_score = bool(tokens) and tokens[-1][-1].isdecimal()  # "105 -104"
        if _NEGATIVE.match(chunk) and not is_score:
            parts[:2] = ["".join(parts[:2])]
        tokens += parts
    return tokens


def plain_letters(text: str) -> str:
    """A name without accents: "Doncic" for "Dončić"."""
    if text.isascii():
        return text
    letters = unicodedata.normalize("NFKD", text.translate(_WITHOUT_MARKS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def detokenize(tokens: list[str]) -> str:
    """Joins tokens into printable text ("105-104", "Wednesday's", "(16-19)", "wasn't"); the inverse of `tokenize`."""
    pieces: list[str] = []
    glue = True  # whether the next token follows without a space
    joins = _joins(tokens)
    for position, token in enumerate(tokens):
        if token == "-":
            joined = position in joins
            double = position > 0 and tokens[position - 1] == "-"
            pieces.append("-" if glue or joined or double else " -")
            glue = joined
            continue
        if token == "&" and _is_name_part(tokens, position):
            pieces.append("&")
            glue = True
            continue
        attached = glue or token in _NO_SPACE_BEFORE or (token[0] == "'" and _SUFFIX.search(token))
        shown = '"' if token in ("``", "''") else token
        pieces.append(shown if attached else f" {shown}")
        glue = token in _NO_SPACE_AFTER
    return "".join(pieces)


def is_attached(token: str) -> bool:
    """Whether no space stands before a token, whatever it follows."""
    return token == "-" or token in _NO_SPACE_BEFORE or bool(token[0] == "'" and _SUFFIX.fullmatch(f"x{token}"))


def opens(token: str) -> bool:
    """Whether no space stands after a token; of a hyphen, which `detokenize` joins to most words."""
    return token == "-" or token in _NO_SPACE_AFTER


def sentences(tokens: list[str]) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences. "." ends one, but not in "C.J . McCollum" or "No . 3"."""
    spans, start = [], 0
    for position, token in enumerate(tokens):
        if position < start:
            continue
        if token in (".", "!", "?", "...") and not (token == "." and _is_abbreviated(tokens, position)):
            end = position + 1
            while end < len(tokens) and tokens[end] in ("''", ")", "."):
                end += 1
            spans.append((start, end))
            start = end
    if start < len(tokens):
        spans.append((start, len(tokens)))
    return spans


def _split(chunk: str) -> list[str]:
    """Splits a chunk without spaces at its final full stop, quotes, clitics, then hyphens."""
    endings: list[str] = []
    while chunk not in ("``", "''", "...", "'") and len(chunk) > 1:
        if chunk.endswith(".") and not chunk.endswith("..") and not _keeps_period(chunk):
            ending = "."
        elif match := _SUFFIX.search(chunk, max(1, len(chunk) - _LONGEST_SUFFIX)):
            ending = match.group()
        else:
            break
        chunk = chunk[: -len(ending)]
        endings.append(ending)
    splits = len(chunk) > 1 and "-" in chunk and not chunk[0].isupper()
    parts = [part for part in re.split(r"(-)", chunk) if part] if splits else [chunk]
    return parts + endings[::-1]


def _keeps_period(chunk: str) -> bool:
    return bool(_KEEP_PERIOD.fullmatch(chunk.rpartition("-")[2])) and chunk not in _SPLIT_INITIALS


def _joins(tokens: list[str]) -> set[int]:
    """Positions of hyphens printed without spaces, only where `tokenize` would split them again."""
    joins: set[int] = set()
    first = 0  # start of the hyphenated run that the last token belongs to
    for position, token in enumerate(tokens):
        if token != "-":
            first = first if position - 1 in joins else position
            continue
        left, right = tokens[max(position - 1, 0)], tokens[min(position + 1, len(tokens) - 1)]
        before_hyphen = tokens[position + 2 : position + 3] == ["-"]  # "back - and - forth"
        if not (_HYPHENABLE.fullmatch(left) and _HYPHENABLE.fullmatch(right)) or tokens[first][0].isupper():
            continue
        if right not in _SPACED_DASH or before_hyphen:
            joins.add(position)
    return joins


def _is_name_part(tokens: list[str], position: int) -> bool:
    """ "AT & T", but not "points & rebounds"."""
    return 0 < position < len(tokens) - 1 and tokens[position - 1].isupper() and tokens[position + 1].isupper()


def _is_abbreviated(tokens: list[str], position: int) -> bool:
    before = tokens[position - 1] if position else ""
    after = tokens[position + 1] if position + 1 < len(tokens) else ""
    if before in ("No", "Mar", "Apr"):
        return after.isdecimal()
    return f"{before}." in _SPLIT_INITIALS and after[:1].isupper()
