"""Numbers as English words: 4 is "four", and "twenty - three" is 23."""

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

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
    """Reads the number at `tokens[start]`, in digits or in words below 200; returns it and its length in tokens.

    Hyphens may be separate tokens ("twenty", "-", "three") or not ("twenty-three").
    """
    token = tokens[start].lower()
    if token.isascii() and token.isdecimal() and len(token) < 20:
        return int(token), 1
    if token == "hundred":
        return _read_hundred(tokens, start, 1)
    if token in ("one", "a") and tokens[start + 1 : start + 2] and tokens[start + 1].lower() == "hundred":
        return _read_hundred(tokens, start, 2)
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


def _read_hundred(tokens: list[str], start: int, length: int) -> tuple[int, int]:
    """ "one hundred", "one hundred five" or "one hundred and five"."""
    after = start + length + (tokens[start + length : start + length + 1] == ["and"])
    is_word = after < len(tokens) and tokens[after].lower().partition("-")[0] in WORDS
    rest = read_number(tokens, after) if is_word else None
    return (100 + rest[0], after + rest[1] - start) if rest else (100, length)


_SINGLE = {number: word for word, number in WORDS.items()}
