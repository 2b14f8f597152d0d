"""Numbers as English words: 4 is "four", and "twenty - three" is 23."""

from collections.abc import Callable


_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

_SCALES = ("hundred", "thousand")
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()

LARGE_NUMBERS = ("hundred", "hundreds", "thousand", "thousands", "million", "millions", "dozen", "dozens")
_NUMERALS = {*_UNITS, *_TENS, *LARGE_NUMBERS}
LARGEST_WORD = 20  # writers, and the model, write larger numbers in digits
WORDS = {word: number for number, word in enumerate(_UNITS)} | {word: 10 * tens for tens, word in enumerate(_TENS, 2)}


def is_numeral(word: str) -> bool:
    """Whether a word contains a digit or is a number word, alone or in a compound ("twenty-three").

    Ordinals ("third"), fractions ("half") and "double" state no number of a box score and do not count.
    """
    return any(letter.isdigit() for letter in word) or not _NUMERALS.isdisjoint(word.lower().split("-"))


def to_word(number: int) -> str:
    """The English word for 0 to 20 and the tens to ninety; raises KeyError for other numbers."""
    return _SINGLE[number]


def has_word(number: int) -> bool:
    """Whether the number is a single English word."""
    return number in _SINGLE


def ordinal(number: int) -> str:
    """ "first" to "tenth", then "11th", "22nd", as recaps write it."""
    if number <= len(_ORDINAL_WORDS):
        return _ORDINAL_WORDS[number - 1]
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def read_ordinal(word: str) -> int | None:
    """The number of "first" to "tenth", or of "1st", "10th", "22nd" in lower case."""
    if word in _ORDINAL_WORDS:
        return _ORDINAL_WORDS.index(word) + 1
    digits = word[:-2]
    is_number = digits.isascii() and digits.isdecimal() and word[-2:] in ("st", "nd", "rd", "th")
    return int(digits) if is_number else None


def article(number: int) -> str:
    """ "an" before a number that begins with a vowel sound (8, 11, 18, 80 to 89), else "a"; for numbers below 800."""
    return "an" if number in (8, 11, 18) or 80 <= number <= 89 else "a"


def read_number(tokens: list[str], start: int) -> tuple[int, int] | None:
    """Reads the number at `tokens[start]`, in digits or in words below a million.

    Returns the number and its length in tokens. Hyphens may be separate tokens ("twenty", "-", "three") or not
    ("twenty-three"); "two hundred and five" and "a thousand" are numbers, "two hundred two hundred" are two.
    """
    token = tokens[start].lower()
    if token.isascii() and token.isdecimal() and len(token) < 20:
        return int(token), 1
    thousands = _scaled(tokens, start, "thousand", _read_hundreds)
    if thousands is None:
        return _read_hundreds(tokens, start)
    return _with_rest(tokens, start, 1000 * thousands[0], thousands[1], _read_hundreds)


_Reading = tuple[int, int] | None


def _read_hundreds(tokens: list[str], start: int) -> _Reading:
    """A number below a thousand in words."""
    hundreds = _scaled(tokens, start, "hundred", _read_unit)
    if hundreds is None:
        return _read_tens(tokens, start)
    return _with_rest(tokens, start, 100 * hundreds[0], hundreds[1], _read_tens)


def _scaled(tokens: list[str], start: int, scale: str, read: Callable[[list[str], int], _Reading]) -> _Reading:
    """How many times `scale` there is at `start`, and the length with it: "hundred", "a hundred", "two hundred"."""
    word = tokens[start].lower()
    if word == scale:
        return 1, 1
    count = (1, 1) if word == "a" else read(tokens, start)
    if count is None or count[0] == 0:
        return None
    after = start + count[1]
    after += tokens[after : after + 1] == ["-"]  # "two-hundred"
    if after < len(tokens) and tokens[after].lower() == scale:
        return count[0], after + 1 - start
    return None


def _with_rest(
    tokens: list[str], start: int, number: int, length: int, read: Callable[[list[str], int], _Reading]
) -> tuple[int, int]:
    """Adds what follows "one hundred": "five", or "and five". Another hundred begins a new number."""
    after = start + length
    after += tokens[after : after + 1] == ["and"]
    rest = read(tokens, after) if after < len(tokens) else None
    begins_anew = rest is not None and after + rest[1] < len(tokens) and tokens[after + rest[1]].lower() in _SCALES
    if rest is None or begins_anew:
        return number, length
    return number + rest[0], after + rest[1] - start


def _read_tens(tokens: list[str], start: int) -> _Reading:
    """A number below a hundred in words."""
    token = tokens[start].lower()
    if token in WORDS:
        if WORDS[token] >= 20:
            rest = [word.lower() for word in tokens[start + 1 : start + 3]]
            if rest[:1] == ["-"]:
                rest, length = rest[1:], 3
            else:
                rest, length = rest[:1], 2
            if rest and 1 <= WORDS.get(rest[0], 0) <= 9:
                return WORDS[token] + WORDS[rest[0]], length
        return WORDS[token], 1
    tens, hyphen, units = token.partition("-")
    if hyphen and WORDS.get(tens, 0) >= 20 and 1 <= WORDS.get(units, 0) <= 9:
        return WORDS[tens] + WORDS[units], 1
    return None


def _read_unit(tokens: list[str], start: int) -> _Reading:
    """One to nineteen, as in "twelve hundred"."""
    number = WORDS.get(tokens[start].lower(), 0)
    return (number, 1) if 1 <= number <= 19 else None


_SINGLE = {number: word for word, number in WORDS.items()}
