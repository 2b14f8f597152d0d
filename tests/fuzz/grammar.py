"""Hostile inputs: random, mutated from good ones, or built from the pieces that broke something before."""

import copy
import json
import random
from typing import Any


NUMBERS = [0, 1, -1, 27, 105, 2**31, 2**63, 10**20, -(2**63), 10**4000, 0.5, 1e308, -0.0, float("nan"), float("inf")]
STRINGS = [
    *(
        "",
        " ",
        "N/A",
        "n/a",
        "0",
        "-1",
        "27",
        "027",
        "1e3",
        "٢٧",
        "２７",
        "½",
        "\u0000",
        "\x1b[2J",
        "\u202e",
        "\ud800",
        "ﬁ",
    ),
    *(
        "Los Angeles",
        "Knicks",
        "a" * 70,
        "x" * 5000,
        "__proto__",
        "../../x",
        "%s%n",
        "{0}",
        "'; --",
        "<script>",
        "9" * 5000,
    ),
    *(
        "01_04_17",
        "13_45_99",
        "02_29_17",
        "01_04_17_1",
        "TEAM-PTS",
        "PTS",
        "Milwaukee Bucks",
        "Bucks:TEAM-PTS",
        ":",
        "::",
    ),
]
WORDS = (
    "the The Bucks Knicks Milwaukee New York Giannis Antetokounmpo Carmelo Anthony Jabari Parker Derrick Rose "
    "Lakers Los Angeles LeBron James he He they won lost beat defeated led trailed by after before through in "
    "at on of to with for and but while who which as off bench starter first second third fourth quarter half "
    "overtime game games points point rebounds assists steals blocks turnovers percent from field three-point "
    "three - pointers double-double triple-double season streak straight row consecutive last next five six 27 "
    "13 105 104 105-104 27-13 1-1 -27 27.5 1,000 99% twenty thirty-one twenty - three hundred thousand a an "
    "one two three zero Wednesday Thursday Friday January road home host visit against Jr. C.J. No. 3 . , ; : "
    "? ! ... ( ) `` '' ' \" - – — ‑ ’ 's n't % $ & \x00 \x1b[31m \u202e 9\u200b9 half-time season-high "
    "team-high game-high record (16-19)"
).split(" ")


def scalar(rng: random.Random) -> Any:
    return rng.choice(
        [None, True, False, rng.choice(NUMBERS), rng.choice(STRINGS), rng.randrange(200), str(rng.randrange(200))]
    )


def value(rng: random.Random, depth: int = 0) -> Any:
    """A JSON value, at times nested, large or not JSON at all."""
    kind = rng.random()
    if depth > 3 or kind < 0.6:
        return scalar(rng)
    if kind < 0.8:
        return [value(rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 3, 30]))]
    return {rng.choice(STRINGS): value(rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 8]))}


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every container of a JSON value, with a key of it."""
    found, stack = [], [data]
    while stack:
        holder = stack.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        for key, child in items:
            found.append((holder, key))
            stack.append(child)
    return found


def mutated(rng: random.Random, data: Any) -> Any:
    """A copy with a few values replaced, removed, moved or added."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        spots = places(data)
        if not spots:
            return value(rng)
        holder, key = rng.choice(spots)
        action = rng.random()
        if action < 0.6:
            holder[key] = value(rng)
        elif action < 0.75:
            del holder[key]
        elif action < 0.9:
            other, at = rng.choice(spots)
            try:
                holder[key] = copy.deepcopy(other[at])
            except (KeyError, IndexError):
                continue
        elif isinstance(holder, dict):
            holder[rng.choice([*STRINGS, "feed", "season"])] = value(rng)
        else:
            holder.insert(rng.randrange(len(holder) + 1), value(rng))
    return data


def text(rng: random.Random) -> str:
    """A recap: words, pieces of sentences, or one piece repeated."""
    if rng.random() < 0.05:
        unit = " ".join(rng.choices(WORDS, k=rng.choice([1, 2, 3]))) + rng.choice(["", " ", ". "])
        return (unit * (rng.choice([500, 3000]) // max(1, len(unit)) + 1))[: rng.choice([500, 3000])]
    joiner = rng.choice([" ", " ", " ", "", "-", "\n", "\u00a0"])
    return joiner.join(rng.choices(WORDS, k=rng.choice([1, 3, 10, 10, 25, 60])))


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes with some flipped, cut, doubled or put in."""
    content = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 10])):
        at = rng.randrange(len(content) + 1)
        action = rng.randrange(5)
        if action == 0 and content:
            content[at % len(content)] = rng.randrange(256)
        elif action == 1:
            del content[at:]
        elif action == 2:
            del content[at : at + rng.choice([1, 10, 1000])]
        elif action == 3:
            content[at:at] = rng.randbytes(rng.choice([1, 8, 100]))
        else:
            content[at:at] = content[: rng.choice([1, 50, 500])]
    return bytes(content)


def json_text(rng: random.Random, data: Any) -> str:
    """JSON, at times broken."""
    try:
        written = json.dumps(data)
    except ValueError:
        written = "[" * 3000
    if rng.random() < 0.15:
        return damaged(rng, written.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    return rng.choice(["", "\ufeff"]) + written if rng.random() < 0.1 else written
