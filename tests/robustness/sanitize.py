"""Calls the C kernels with random shapes, strides and types under AddressSanitizer and UndefinedBehaviorSanitizer.

  python -m tests.robustness.sanitize --calls 10000

Results are compared with torch's, wrong calls must be refused, and any report of a sanitizer ends the run.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path


SOURCE = Path(__file__).resolve().parents[2] / "stg" / "native" / "kernels.c"
FLAGS = ["-g", "-O1", "-fopenmp", "-shared", "-fPIC", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.library:
        return call(options.library, options.calls, options.seed)
    compiler = os.environ.get("CC", "gcc")
    with tempfile.TemporaryDirectory(prefix="stg-sanitize-") as folder:
        library = str(Path(folder) / "kernels.so")
        subprocess.run(
            [compiler, *FLAGS, "-fsanitize=address,undefined", str(SOURCE), "-o", library, "-lgomp"], check=True
        )
        preloaded = [
            subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
            for name in ("libasan.so", "libubsan.so")
        ]
        environment = os.environ | {
            "LD_PRELOAD": " ".join(map(str.strip, preloaded)),
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "OMP_NUM_THREADS": "2",
        }
        command = [sys.executable, "-m", "tests.robustness.sanitize", "--library", library]
        command += ["--calls", str(options.calls), "--seed", str(options.seed)]
        return subprocess.run(command, env=environment).returncode


def call(library: str, calls: int, seed: int) -> int:
    import ctypes

    real = ctypes.CDLL
    ctypes.CDLL = lambda name, *rest, **named: real(  # type: ignore[assignment,misc]
        library if "_kernels" in str(name) else name, *rest, **named
    )
    import torch

    from modeling_stg import kernels
    from modeling_stg.kernels import WIDTH, Gru, Product, attend, best, lstm

    assert kernels.native is not None and kernels.native._library._name == library
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = random.Random(seed)

    def size(*more: int) -> int:
        return rng.choice([0, 1, 2, 3, 5, 7, 11, 12, 13, 31, 32, 33, 64, 65, 100, *more])

    def matrix(rows: int, columns: int) -> torch.Tensor:
        """Contiguous, a slice of wider rows, or transposed."""
        layout = rng.randrange(3)
        if layout == 0:
            return torch.randn(rows, columns)
        if layout == 1:
            before = rng.randrange(5)
            return torch.randn(rows, columns + before + rng.randrange(5))[:, before : before + columns]
        return torch.randn(columns, rows).t()

    def product() -> None:
        inputs, outputs, rows = size(700), 1 + size(2400), size(300)
        weight, bias, x = matrix(outputs, inputs), torch.randn(outputs), matrix(rows, inputs)
        out = None
        if rng.random() < 0.5:
            wide = -(-outputs // WIDTH) * WIDTH
            out = torch.randn(rows, wide + 8)[:, 3 : 3 + wide]
        torch.testing.assert_close(Product(weight, bias)(x, out=out), x @ weight.t() + bias, atol=1e-3, rtol=1e-3)

    def gru() -> None:
        inputs, hidden, rows, count = 1 + size(), WIDTH * rng.choice([1, 2, 5]), 1 + size(), size()
        cell, h = torch.nn.GRUCell(inputs, hidden), torch.randn(rows, hidden + 7)[:, 2 : 2 + hidden]
        index, stays = torch.randint(rows, (count,)), torch.rand(count) < 0.5
        with torch.no_grad():
            x = matrix(count, inputs)
            result = Gru(cell)(x, h, index, stays if rng.random() < 0.7 else None)
        assert result.shape == (count, hidden) and result.isfinite().all()

    def lstm_() -> None:
        units, inputs, rows = rng.choice([1, 2, 5]), size(), 1 + size()
        hidden = units * WIDTH
        state = torch.randn(rows, inputs + hidden + 3)
        reads, h = state[:, : inputs + hidden], state[:, inputs : inputs + hidden]
        cells = torch.randn(units, rows, WIDTH)
        layer = Product(torch.randn(4 * hidden, inputs + hidden) / 8, torch.randn(4 * hidden))
        step = lstm(
            layer, reads, torch.empty(4, units, rows, WIDTH), cells, h.unflatten(1, (-1, WIDTH)).transpose(0, 1)
        )
        for _ in range(rng.choice([1, 3])):
            step()
        assert state.isfinite().all()

    def attend_() -> None:
        groups, members, dim, rows = 1 + size(), size(), size(), size()
        keys = torch.randn(groups, members, dim + 4)[:, :, 1 : 1 + dim]
        query, bias, index = matrix(rows, dim), matrix(groups, members), torch.randint(groups, (rows,))
        expected = torch.einsum("kd,kmd->km", query, keys[index]) + bias[index]
        torch.testing.assert_close(attend(query, keys, bias, index), expected, atol=1e-3, rtol=1e-3)

    def best_() -> None:
        rows, columns = size(), 1 + size(6001)
        scores = matrix(rows, columns)
        assert torch.equal(best(scores), scores.argmax(1))

    def wrong() -> None:
        """Direct calls with a wrong type or size, which C would read or write beyond the end."""
        native, x = kernels.native, torch.randn(3, 8)
        layer = Product(torch.randn(64, 8), torch.randn(64))
        keys, bias, index = torch.randn(2, 4, 8), torch.randn(2, 4), torch.tensor([0, 1, 1])
        out, half, short = torch.empty(3, 64), torch.float16, torch.randn(1, 64)
        attempts = [
            lambda: native.product(x, layer.weight, layer.bias, out.to(half)),
            lambda: native.product(x, layer.weight, layer.bias, out[:, : size() % 64]),
            lambda: native.product(x.double(), layer.weight, layer.bias, out),
            lambda: native.product(x, layer.weight, layer.bias.flatten()[:7], out),
            lambda: native.product(x, layer.weight[:, :, :5], layer.bias, out),
            lambda: native.attend(x, keys.to(half), bias, index),
            lambda: native.attend(x, keys, bias[:, :2], index),
            lambda: native.attend(x, keys, bias, index[:1]),
            lambda: native.gru(x, (layer.weight, layer.bias), (layer.weight, layer.bias), short, index),
            lambda: native.best(torch.empty(3, 0)),
        ]
        try:
            rng.choice(attempts)()
        except (ValueError, RuntimeError):
            return
        raise AssertionError("a wrong call was taken")

    kinds = [product, product, gru, lstm_, attend_, attend_, best_, wrong]
    for number in range(calls):
        rng.choice(kinds)()
        if number % 1000 == 999:
            print(f"{number + 1:,} calls", flush=True)
    print(f"{calls:,} calls, seed {seed}: no report")
    return 0


if __name__ == "__main__":
    sys.exit(main())
