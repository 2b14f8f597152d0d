"""Recognises sentences about coming games and removes them from generated recaps.

A box score says nothing about the next game, so a model can only invent it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any


_AHEAD = frozenset("travel travels traveling next will upcoming deck await awaits".split())
_PHRASES = (
    *("head to", "head back", "head home", "head out", "head on", "heads to", "heads back", "heads home", "head into"),
    *("remain home", "remain at home", "remain in", "return home", "returns home", "return to", "back home"),
    *("stay home", "stays home", "stay at home", "remain on the road", "look to bounce", "up next"),
    *("remains home", "remains at home", "stay on the road", "look to rebound", "play again", "continue their"),
    *("home again", "back in action", "will be", "play host", "plays host", "come to town", "comes to town"),
)
_WHEN = re.compile(
    r"\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(same|that|next|following) (day|night)\b|\bday later\b"
)
_PRESENT = re.compile(  # "The Nets visit the Knicks on Wednesday" needs no word about the future
    r"(?<!\bthe )(?<!\bto )\b(hosts?|visits?|plays?|faces?|meets?|welcomes?|takes? on|travels?|heads?|returns?|stays?|"
    r"(go|goes) (home|on the road|out|to)|(is|are)( back)? (at( home)?|home|away|off|on the road|in action)|"
    r"(get|gets|leave|leaves|take|takes) (the|their|its|right|for)|(try|tries|look|looks) again|up next|next|"
    r"entertains?|(have|has) a( home| road)? game|(begins?|opens?|continues?|concludes?) (a|the))\b"
)
_NEXT = "TEAM-NEXT_"  # the beginning of the facts about coming games
_SERIES = frozenset("series playoff playoffs game-7 round sweep standings place seed season".split())


def looks_ahead(words: Sequence[str]) -> bool:
    """Whether a sentence, in lower-case words, is about coming games."""
    text = " ".join(words)
    ahead = _AHEAD.intersection(words) or any(f" {phrase} " in f" {text} " for phrase in _PHRASES)
    if ahead and not _SERIES.intersection(words):
        return True
    return bool(_WHEN.search(text) and _PRESENT.search(text))


def without_outlook(sequences: Any, processor: Any, games: Sequence) -> list[list[int]]:
    """Removes sentences about coming games from sequences of ids, up to their ends; the first sentence stays."""
    layout = processor.layout
    hidden = (layout.pad_token_id, layout.bos_token_id, layout.eos_token_id)  # absent from traces
    kept = []
    for row, trace in zip(sequences.tolist(), processor.trace(sequences, games), strict=True):
        traced = zip((token for token in row if token not in hidden), trace, strict=True)
        first, *others = _sentences(traced, layout.period_token_id)
        kept.append([token for sentence in (first, *filter(_stays, others)) for token, _ in sentence])
    return kept


def _sentences(traced: Iterable[tuple[int, dict]], period: int) -> list[list[tuple[int, dict]]]:
    sentences: list[list[tuple[int, dict]]] = [[]]
    for token, trace in traced:
        sentences[-1].append((token, trace))
        if token == period:
            sentences.append([])
    return sentences


def _stays(sentence: list[tuple[int, dict]]) -> bool:
    if any((trace.get("attribute") or "").startswith(_NEXT) for _, trace in sentence):
        return False
    return not looks_ahead([word for _, trace in sentence for word in trace["text"].lower().split(" ")])
