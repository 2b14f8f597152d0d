"""Section 6.3: how many summaries state a relation more than once."""

from collections import Counter
from collections.abc import Sequence

from tqdm import tqdm

from modeling_stg.game import Game
from stg.extraction.relations import count_repeats


MOST = 4  # the last class: this many duplicated relations or more
BATCH = 32


def duplicated(extractor, texts: Sequence[list[str]], games: Sequence[Game], name: str) -> list[int]:
    """Counts the numbers of each text that repeat an earlier statement."""
    counts = []
    for start in tqdm(range(0, len(texts), BATCH), desc=name, unit="batch", leave=False):
        batch = slice(start, start + BATCH)
        counts += map(count_repeats, extractor.extract_batch(texts[batch], games[batch]))
    return counts


def shares(counts: Sequence[int]) -> dict[str, float]:
    """Percent of the texts with 1, 2, ... duplicated relations, the last class open: {"1": ..., "4+": ...}."""
    texts = Counter(min(count, MOST) for count in counts)
    names = [*map(str, range(1, MOST)), f"{MOST}+"]
    return {name: 100 * texts[number] / len(counts) for number, name in enumerate(names, 1)}
