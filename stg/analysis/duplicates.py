"""Section 6.3: the share of summaries that state a relation more than once."""

from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from modeling_stg.game import Game
from stg.extraction.relations import said_again


MOST = 4  # the last class: this many duplicated relations or more
BATCH = 32


def duplicated(extractor, texts: Sequence[list[str]], games: Sequence[Game], name: str) -> list[int]:
    """The number of repeated relations in each text."""
    counts: list[int] = []
    for start in tqdm(range(0, len(texts), BATCH), desc=name, unit="batch", leave=False):
        batch = slice(start, start + BATCH)
        counts += map(said_again, extractor.extract_batch(texts[batch], games[batch]))
    return counts


def shares(counts: Sequence[int]) -> dict[str, float]:
    """The percentage of texts with 1, 2, ... duplicated relations: {"1": ..., "4+": ...}."""
    classes = Counter(min(count, MOST) for count in counts)
    names = [*map(str, range(1, MOST)), f"{MOST}+"]
    return {name: 100 * classes[number] / len(counts) for number, name in enumerate(names, 1)}
