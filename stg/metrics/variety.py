"""How much a system's texts are alike, and how they are written: lengths, numbers, openings.

Names and numbers are masked where wording is compared, so that "The Bucks beat the Knicks 105-104" and "The Jazz beat
the Suns 98-90" are one form.

    words                 median length in words
    words_150             share of texts of 150 to 400 words, what a sports desk would print
    digits                share of numbers that are written in digits
    player_first          share of texts that name a player before a team
    distinct_openings     share of the first sentences whose form occurs in no other text
    shared_sentences      share of sentences whose form occurs in another text
    same_skeleton         share of texts whose sentences have the forms of another text's, in the same order
    self_bleu             BLEU of each text against all others
All depend on the number of texts but for the first four; compare systems on the same games.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from modeling_stg.game import Game
from modeling_stg.text import detokenize, sentences
from stg.extraction.candidates import entity_spans, number_spans
from stg.metrics.bleu import ORDER, from_statistics, ngrams
from stg.metrics.relations import NBA_NAMES


VARIETY = (
    *("words", "words_150", "digits", "player_first"),
    *("distinct_openings", "shared_sentences", "same_skeleton", "self_bleu"),
)
PRINTABLE = range(150, 401)  # words
Form = tuple[str, ...]  # a sentence with masked names and numbers


def variety(texts: Sequence[list[str]], games: Sequence[Game]) -> dict[str, float]:
    """The scores of one system's texts, each with its game, in percent but for `words`."""
    forms = [masked_sentences(tokens, game) for tokens, game in zip(texts, games, strict=True)]
    lengths = [len(detokenize(tokens).split()) for tokens in texts]
    numbers = [span.text for tokens in texts for span in number_spans(tokens)]
    openings = Counter(form[0] for form in forms if form)
    users = Counter(form for text in forms for form in set(text))  # in how many texts a form occurs
    skeletons = Counter(forms)
    return {
        "words": float(median(lengths)),
        "words_150": _percent([length in PRINTABLE for length in lengths]),
        "digits": _percent([text[0].isdigit() for text in numbers]),
        "player_first": _percent([_opens_with_player(*pair) for pair in zip(texts, games, strict=True)]),
        "distinct_openings": _percent([bool(text) and openings[text[0]] == 1 for text in forms]),
        "shared_sentences": _percent([users[form] > 1 for text in forms for form in text]),
        "same_skeleton": _percent([skeletons[text] > 1 for text in forms]),
        "self_bleu": self_bleu(texts),
    }


def masked_sentences(tokens: list[str], game: Game) -> tuple[Form, ...]:
    """The sentences of a text with "NAME" and "NUMBER" in place of names and numbers."""
    masks = [(span.start, span.end, "NAME") for span in entity_spans(tokens, game, NBA_NAMES)]
    masks += [(span.start, span.end, "NUMBER") for span in number_spans(tokens)]
    masked: list[str | None] = [*tokens]
    for start, end, mask in masks:
        masked[start:end] = [mask, *([None] * (end - start - 1))]
    return tuple(tuple(token for token in masked[start:end] if token is not None) for start, end in sentences(tokens))


def self_bleu(texts: Sequence[list[str]]) -> float:
    """Corpus BLEU in percent, every text against all others as its references."""
    matched, total = [], []
    for order in range(1, ORDER + 1):
        counts = [ngrams(tokens, order) for tokens in texts]
        most = _two_largest(counts)
        matched.append(sum(min(n, _other(most[gram], n)) for count in counts for gram, n in count.items()))
        total.append(sum(count.total() for count in counts))
    length = sum(map(len, texts))
    return from_statistics([*matched, *total, length, length])


def _two_largest(counts: Sequence[Counter]) -> Mapping[tuple, tuple[int, int]]:
    """The largest and second largest count of every n-gram in a text."""
    most: dict[tuple, tuple[int, int]] = {}
    for count in counts:
        for gram, n in count.items():
            first, second = most.get(gram, (0, 0))
            most[gram] = (n, first) if n > first else (first, max(n, second))
    return most


def _other(most: tuple[int, int], own: int) -> int:
    """The largest count in the other texts."""
    first, second = most
    return second if own == first else first


def _opens_with_player(tokens: list[str], game: Game) -> bool:
    spans = entity_spans(tokens, game, NBA_NAMES)
    return bool(spans) and not spans[0].is_team


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags) if flags else 0.0
