"""Decoding's products, LSTM, GRU, dot products and argmax in C, for float32 on a CPU.

The libraries that torch has are made for large products; with the few rows of decoding they wait for weights (README,
"The model"). This package is compiled when the project is installed, where there is a C compiler. To import it where
it was not, or on a processor that it does not know, is an ImportError: `modeling_stg/kernels.py` does without it.

Tensors go to C by their addresses, and no gradient passes. How they lie is looked at here; that they are float32 on a
CPU, and indices within their table, is for the caller to see to.
"""

import ctypes
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import torch


VERSION = 1  # of what the functions here and in C are called with


def _load() -> ctypes.CDLL:
    built = [path for suffix in EXTENSION_SUFFIXES if (path := Path(__file__).with_name(f"_kernels{suffix}")).exists()]
    if not built:
        raise ImportError("stg.native: not compiled; install the project where there is a C compiler")
    try:
        library = ctypes.CDLL(str(built[0]))
        version, width = library.stg_version(), library.stg_begin()
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"stg.native: {built[0].name} cannot be used ({error}); install the project again"
        ) from error
    if version != VERSION:
        raise ImportError(f"stg.native: {built[0].name} is of another version; install the project again")
    if width != WIDTH:
        raise ImportError("stg.native: made for AVX2, AVX-512 and 64-bit ARM, and this processor has none of them")
    return library


WIDTH = 32  # outputs of a block
_library = _load()
_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_long
_SLICE = _POINTER, _COUNT  # where its first row lies, and the floats from one row to the next
_product, _lstm, _gru, _attend, _best = (
    _library[f"stg_{name}"] for name in ("product", "lstm", "gru", "attend", "best")
)
_product.argtypes = [*_SLICE, _POINTER, _POINTER, *_SLICE, *[_COUNT] * 4]
_lstm.argtypes = [*_SLICE, *[_POINTER] * 4, *_SLICE, *[_COUNT] * 3]
_gru.argtypes = [*_SLICE, _POINTER, _POINTER, _COUNT, *_SLICE, *[_POINTER] * 8, _COUNT, _COUNT]
_attend.argtypes = [*_SLICE, *_SLICE, _COUNT, *_SLICE, _COUNT, _POINTER, _POINTER, *[_COUNT] * 3]
_best.argtypes = [*_SLICE, _POINTER, _COUNT, _COUNT]
for _function in (_product, _lstm, _gru, _attend, _best):
    _function.restype = None


def _in_rows(x):
    """x [R, K] with every row in one piece."""
    return x if x.stride(1) == 1 else x.contiguous()


def _fit(*pairs) -> None:
    for found, wanted in pairs:
        if found != wanted:
            raise ValueError(f"stg.native: a size is {found} and must be {wanted}")


def _index(index, count: int):
    """index [K] as C reads it."""
    _fit((index.dtype, torch.int64), (len(index), count))
    return index.contiguous()


def product(x, weight, bias, out) -> None:
    """out [R, blocks * WIDTH] = x [R, K] W^T + b; weight [blocks, K, WIDTH], bias in one piece. All are tensors."""
    x, (blocks, inputs, _) = _in_rows(x), weight.shape
    _fit((x.shape[1], inputs), (out.shape, (len(x), blocks * WIDTH)))
    _product(
        *(x.data_ptr(), x.stride(0), weight.data_ptr(), bias.data_ptr()),
        *(out.data_ptr(), out.stride(0), WIDTH, len(x), inputs, blocks),
    )


def lstm(x, weight, bias, gates, cells, h) -> Callable[[], None]:
    """What moves cells [units, R, WIDTH] and h (the same, a view of [R, H]) on by what x [R, K] holds then.

    weight [4 * units, K, WIDTH] and gates (scratch) [4, units, R, WIDTH], in the order output, input, forget, new. x
    and h may be slices of wider rows, and h one of x.
    """
    units, rows, _ = cells.shape
    _fit((x.shape, (rows, weight.shape[1])), (len(weight), 4 * units), (gates.shape, (4, *cells.shape)))
    _fit((h.shape, cells.shape), (h.stride(0), WIDTH), (h.stride(2), 1), (x.stride(1), 1))
    _fit((gates.is_contiguous(), True), (cells.is_contiguous(), True))
    arguments = (
        *(x.data_ptr(), x.stride(0), weight.data_ptr(), bias.data_ptr(), gates.data_ptr(), cells.data_ptr()),
        *(h.data_ptr(), h.stride(1), *x.shape, units),
    )

    def step() -> None:
        _lstm(*arguments)

    step.moves = x, weight, bias, gates, cells, h  # they live as long as it does
    return step


def gru(x, read, recall, h, rows, stays=None):
    """The next h [K, H] of `rows` [K] of h [R, H], by what they read, x [K, I]; those that stay [K] keep theirs.

    read and recall: weight [blocks, I or H, WIDTH] and bias of each, with H a multiple of WIDTH.
    """
    x, count, hidden = _in_rows(x), len(x), h.shape[1]
    rows, stays = _index(rows, count), None if stays is None else stays.contiguous()
    blocks = 3 * hidden // WIDTH
    _fit((read[0].shape, (blocks, x.shape[1], WIDTH)), (recall[0].shape, (blocks, hidden, WIDTH)), (h.stride(1), 1))
    _fit((count if stays is None else len(stays), count))
    out, scratch = h.new_empty(count, hidden), h.new_empty(7, count, hidden)
    start, size = scratch.data_ptr(), out.nbytes
    _gru(
        *(x.data_ptr(), x.stride(0), *(part.data_ptr() for part in read), x.shape[1], h.data_ptr(), h.stride(0)),
        *(rows.data_ptr(), None if stays is None else stays.data_ptr(), *(part.data_ptr() for part in recall)),
        *(start, start + 3 * size, start + 6 * size, out.data_ptr(), count, hidden),
    )
    return out


def attend(query, keys, bias, names):
    """Scores [K, M]: query [K, D] times each of the M keys of the group that it names, plus the key's bias.

    keys [G, M, D], bias [G, M], names [K]; only a key's own numbers and a query's have to lie side by side.
    """
    query, names = _in_rows(query), _index(names, len(query))
    _fit((query.shape[1], keys.shape[2]), (bias.shape, keys.shape[:2]), (keys.stride(2), 1))
    out = query.new_empty(len(query), keys.shape[1])
    _attend(
        *(query.data_ptr(), query.stride(0), keys.data_ptr(), keys.stride(0), keys.stride(1), bias.data_ptr()),
        *(bias.stride(0), bias.stride(1), names.data_ptr(), out.data_ptr(), *out.shape, query.shape[1]),
    )
    return out


def best(scores):
    """Where the largest of each row of scores [R, N] stands, the first of several: [R]. NaNs are passed over."""
    scores = _in_rows(scores)
    out = scores.new_empty(len(scores), dtype=torch.int64)
    _best(scores.data_ptr(), scores.stride(0), out.data_ptr(), *scores.shape)
    return out
