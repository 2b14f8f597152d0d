"""A recap without its sentences about games to come, of which no box score tells: a model can only invent them."""

from collections.abc import Iterable, Sequence

from stg.checking.outlook import looks_ahead


def without_outlook(sequences, processor, games: Sequence) -> list[list[int]]:
    """Each sequence of ids, up to its end, without the sentences but the first that look ahead."""
    layout = processor.layout
    hidden = (layout.pad_token_id, layout.bos_token_id, layout.eos_token_id)  # a trace has none of them
    kept = []
    for row, trace in zip(sequences.tolist(), processor.trace(sequences, games), strict=True):
        written = zip((token for token in row if token not in hidden), trace, strict=True)
        first, *others = _sentences(written, layout.period_token_id)
        kept.append([token for part in (first, *filter(_stays, others)) for token, _ in part])
    return kept


def _sentences(written: Iterable[tuple[int, dict]], period: int) -> list[list[tuple[int, dict]]]:
    sentences: list[list[tuple[int, dict]]] = [[]]
    for token, told in written:
        sentences[-1].append((token, told))
        if token == period:
            sentences.append([])
    return sentences


def _stays(sentence: list[tuple[int, dict]]) -> bool:
    return not looks_ahead([word for _, told in sentence for word in told["text"].lower().split(" ")])
