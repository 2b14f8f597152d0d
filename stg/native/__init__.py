"""Decoding's products, LSTM, GRU, dot products and argmax in C, for float32 on a CPU.

Decoding is memory-bound: torch is optimised for large products, and with a few rows it waits for weights. The C code
lays weights out in the order they are read and prefetches them. It is compiled on installation if there is a C
compiler. Importing this package without the compiled library, or on an unsupported processor, raises ImportError;
`modeling_stg/kernels.py` then uses torch.

Tensors are passed to C by address, without gradients. Types, shapes and strides are checked here; callers guarantee
indices within bounds.
"""

import ctypes
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import torch


VERSION = 1  # of the signatures here and in C


def _load() -> ctypes.CDLL:
    built = [path for suffix in EXTENSION_SUFFIXES if (path := Path(__file__).with_name(f"_kernels{suffix}")).exists()]
    if not built:
        raise ImportError("stg.native: not compiled; install a C compiler, then the project again")
    try:
        library = ctypes.CDLL(str(built[0]))
        version, width = library.stg_version(), library.stg_begin()
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"stg.native: {built[0].name} cannot be used ({error}); install the project again"
        ) from error
    if version != VERSION:
        raise ImportError(f"stg.native: {built[0].name} has another version; install the project again")
    if width != WIDTH:
        raise ImportError("stg.native: this processor has neither AVX2, AVX-512 nor 64-bit ARM")
    return library


WIDTH = 32  # outputs of a block
_library = _load()
_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_long
_SLICE = _POINTER, _COUNT  # the address of the first row, and the distance between rows in floats
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
    """Returns x [R, K] with contiguous rows."""
    return x if x.stride(1) == 1 else x.contiguous()


def _check(*pairs) -> None:
    for size, expected in pairs:
        if size != expected:
            raise ValueError(f"stg.native: a size is {size} and must be {expected}")


def _check_floats(*tensors) -> None:
    for tensor in tensors:
        if tensor.dtype != torch.float32 or not tensor.is_cpu:
            raise ValueError(f"stg.native: a tensor is {tensor.dtype} on {tensor.device} and must be float32 on a cpu")


def _index(index, count: int):
    """Checks index [K] and returns it as contiguous int64."""
    _check((index.dtype, torch.int64), (len(index), count))
    return index.contiguous()


def product(x, weight, bias, out) -> None:
    """Computes out [R, blocks * WIDTH] = x [R, K] W^T + b; weight [blocks, K, WIDTH], bias contiguous."""
    x, (blocks, inputs, width) = _in_rows(x), weight.shape
    _check_floats(x, weight, bias, out)
    _check((x.shape[1], inputs), (out.shape, (len(x), blocks * WIDTH)), (width, WIDTH), (out.stride(1), 1))
    _check((bias.numel(), blocks * WIDTH), (weight.is_contiguous() and bias.is_contiguous(), True))
    _product(
        *(x.data_ptr(), x.stride(0), weight.data_ptr(), bias.data_ptr()),
        *(out.data_ptr(), out.stride(0), WIDTH, len(x), inputs, blocks),
    )


def lstm(x, weight, bias, gates, cells, h) -> Callable[[], None]:
    """A function that advances cells [units, R, WIDTH] and h (the same, a view of [R, H]) by one step when called.

    Its input is the current content of x [R, K]. weight [4 * units, K, WIDTH] and gates (scratch) [4, units, R, WIDTH]
    are in the order output, input, forget, new. x and h may be slices of wider rows, and h a slice of x.
    """
    units, rows, _ = cells.shape
    _check_floats(x, weight, bias, gates, cells, h)
    _check((cells.shape[2], WIDTH), (weight.shape[2], WIDTH), (bias.numel(), len(weight) * WIDTH))
    _check((weight.is_contiguous() and bias.is_contiguous(), True))
    _check((x.shape, (rows, weight.shape[1])), (len(weight), 4 * units), (gates.shape, (4, *cells.shape)))
    _check((h.shape, cells.shape), (h.stride(0), WIDTH), (h.stride(2), 1), (x.stride(1), 1))
    _check((gates.is_contiguous(), True), (cells.is_contiguous(), True))
    arguments = (
        *(x.data_ptr(), x.stride(0), weight.data_ptr(), bias.data_ptr(), gates.data_ptr(), cells.data_ptr()),
        *(h.data_ptr(), h.stride(1), *x.shape, units),
    )

    def step() -> None:
        _lstm(*arguments)

    step.tensors = x, weight, bias, gates, cells, h  # keeps them alive
    return step


def gru(x, from_input, from_hidden, h, rows, stays=None):
    """The next h [K, H] of `rows` [K] of h [R, H] with input x [K, I]; rows where `stays` [K] keep theirs.

    from_input and from_hidden: weight [blocks, I or H, WIDTH] and bias of each, with H a multiple of WIDTH.
    """
    x, count, hidden = _in_rows(x), len(x), h.shape[1]
    rows, stays = _index(rows, count), None if stays is None else stays.contiguous()
    blocks = 3 * hidden // WIDTH
    _check_floats(x, h, *from_input, *from_hidden)
    _check((hidden % WIDTH, 0), (from_input[1].numel(), blocks * WIDTH), (from_hidden[1].numel(), blocks * WIDTH))
    _check((torch.bool if stays is None else stays.dtype, torch.bool))
    _check(
        (from_input[0].shape, (blocks, x.shape[1], WIDTH)),
        (from_hidden[0].shape, (blocks, hidden, WIDTH)),
        (h.stride(1), 1),
    )
    _check((count if stays is None else len(stays), count))
    out, scratch = h.new_empty(count, hidden), h.new_empty(7, count, hidden)
    start, size = scratch.data_ptr(), out.nbytes
    _gru(
        *(x.data_ptr(), x.stride(0), *(part.data_ptr() for part in from_input), x.shape[1], h.data_ptr(), h.stride(0)),
        *(rows.data_ptr(), None if stays is None else stays.data_ptr(), *(part.data_ptr() for part in from_hidden)),
        *(start, start + 3 * size, start + 6 * size, out.data_ptr(), count, hidden),
    )
    return out


def attend(query, keys, bias, groups):
    """Scores [K, M]: query [K, D] times each of the M keys of its group, plus the key's bias.

    keys [G, M, D], bias [G, M], groups [K]; each key and each query is contiguous.
    """
    query, groups = _in_rows(query), _index(groups, len(query))
    _check_floats(query, keys, bias)
    _check((query.shape[1], keys.shape[2]), (bias.shape, keys.shape[:2]), (keys.stride(2), 1))
    out = query.new_empty(len(query), keys.shape[1])
    _attend(
        *(query.data_ptr(), query.stride(0), keys.data_ptr(), keys.stride(0), keys.stride(1), bias.data_ptr()),
        *(bias.stride(0), bias.stride(1), groups.data_ptr(), out.data_ptr(), *out.shape, query.shape[1]),
    )
    return out


def best(scores):
    """The index [R] of the largest score in each row of scores [R, N], the first on ties. NaNs are skipped."""
    scores = _in_rows(scores)
    _check_floats(scores)
    if not scores.shape[1]:
        raise ValueError("stg.native: an empty row has no largest score")
    out = scores.new_empty(len(scores), dtype=torch.int64)
    _best(scores.data_ptr(), scores.stride(0), out.data_ptr(), *scores.shape)
    return out
