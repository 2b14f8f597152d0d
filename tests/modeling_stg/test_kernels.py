"""The kernels of decoding, in C and in torch, against plain equations in double precision."""

import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import torch

from modeling_stg import kernels
from modeling_stg.kernels import WIDTH, Gru, Product, attend, best, lstm, native


ROWS = [0, 1, 2, 3, 4, 5, 12, 13, 33]  # around the tile sizes of every instruction set
needs_c = pytest.mark.skipif(
    native is None, reason="stg.native is not compiled: no C compiler, or an unsupported processor"
)


def near(result: torch.Tensor, expected: torch.Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(result.double(), expected.double(), atol=atol, rtol=1e-5)


def test_c_is_compiled_where_possible(tmp_path):
    if platform.system() != "Linux" or not re.search("avx2.* fma|fma .*avx2|asimd", Path("/proc/cpuinfo").read_text()):
        pytest.skip("made for Linux on processors with AVX2 and FMA, and on 64-bit ARM")
    (tmp_path / "probe.c").write_text("#include <string.h>\nint probe(void) { return 0; }\n")
    probe = [*sysconfig.get_config_var("CC").split(), "-shared", "-fPIC", "-fopenmp", "probe.c", "-o", "probe.so"]
    if shutil.which(probe[0]) is None or subprocess.run(probe, cwd=tmp_path, capture_output=True).returncode:
        pytest.skip(f"no C compiler with OpenMP here ({probe[0]})")
    assert native is not None, "there is a compiler, but decoding uses torch: run `make setup` again"
    assert native.WIDTH == WIDTH


@pytest.mark.parametrize(
    ("library", "message"),
    [(None, "stg.native: not compiled"), (b"nothing", "stg.native: _kernels.so cannot be used (")],
)
def test_the_model_can_be_imported_without_c(library, message, root, tmp_path):
    """As for users of the Hub, without a compiler, or with a library built elsewhere."""
    (tmp_path / "stg" / "native").mkdir(parents=True)
    (tmp_path / "stg" / "__init__.py").touch()
    shutil.copy(root / "stg" / "native" / "__init__.py", tmp_path / "stg" / "native")
    if library:
        (tmp_path / "stg" / "native" / "_kernels.so").write_bytes(library)
    code = "from stg import native"
    alone = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert f"ImportError: {message}" in alone.stderr
    code = "from modeling_stg.kernels import native; print(native)"
    whole = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert whole.stdout == "None\n", whole.stderr


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("inputs", [12, 200])
@pytest.mark.parametrize("width", [WIDTH, 5, 60])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_products_of_few_rows(rows, inputs, width, dtype, by_c_or_torch):
    torch.manual_seed(rows)
    weight, bias, wider = (torch.randn(*shape, dtype=dtype) for shape in ((300, inputs), (300,), (rows, 250)))
    x = wider[:, 3 : 3 + inputs]
    slice_of_wider = torch.cat([weight, weight], dim=1)[:, inputs:]
    expected = x.double() @ weight.double().t()
    for view in (weight, weight.t().contiguous().t(), slice_of_wider):
        near(Product(view, bias, width)(x), expected + bias, atol=1e-4)
        near(Product(view, None, width)(x), expected, atol=1e-4)
    near(Product(weight, bias, width)(x.t().contiguous().t()), expected + bias, atol=1e-4)


@pytest.mark.parametrize("outputs", [1, 7, 128, 129, 771, 2400])
def test_products_with_any_number_of_outputs(outputs, by_c_or_torch):
    torch.manual_seed(0)
    weight, bias, x = torch.randn(outputs, 16), torch.randn(outputs), torch.randn(3, 16)
    product = Product(weight, bias)
    into = torch.full((3, product.bias.numel()), torch.nan)
    near(product(x), x @ weight.t() + bias)
    near(product(x, out=into), x @ weight.t() + bias)
    near(into[:, :outputs], x @ weight.t() + bias)


@needs_c
def test_wrong_sizes_are_refused():
    product, x = Product(torch.zeros(64, 8), torch.zeros(64)), torch.zeros(3, 8)
    cells, gates = torch.zeros(1, 3, WIDTH), torch.zeros(4, 1, 3, WIDTH)
    for wrong in (
        lambda: product(x[:, :7]),
        lambda: product(x, out=torch.zeros(2, 64)),
        lambda: lstm(product, x, gates, cells, cells),
        lambda: Gru(torch.nn.GRUCell(8, WIDTH))(x[:, :7], torch.zeros(5, WIDTH), torch.arange(3)),
        lambda: attend(x, torch.zeros(4, 2, 9), torch.zeros(4, 2), torch.arange(3)),
        lambda: attend(x, torch.zeros(4, 2, 8), torch.zeros(4, 3), torch.arange(3)),
        lambda: attend(x, torch.zeros(4, 8, 2).transpose(1, 2), torch.zeros(4, 2), torch.arange(3)),
        lambda: attend(x, torch.zeros(4, 2, 8), torch.zeros(4, 2), torch.arange(3).int()),
        lambda: Gru(torch.nn.GRUCell(8, WIDTH))(x, torch.zeros(WIDTH, 5).t(), torch.arange(3)),
        lambda: Gru(torch.nn.GRUCell(8, WIDTH))(x, torch.zeros(5, WIDTH), torch.arange(3), torch.ones(2).bool()),
    ):
        with pytest.raises(ValueError, match="stg.native: a size is"):
            wrong()
    with pytest.raises(RuntimeError):  # torch's own
        product(x.double())
    keys, bias, three = torch.zeros(4, 2, 8), torch.zeros(4, 2), torch.arange(3)
    for wrong in (
        lambda: product(x, out=torch.zeros(3, 64, dtype=torch.float64)),
        lambda: product(x, out=torch.zeros(64, 3).t().half()),
        lambda: attend(x, keys.half(), bias, three),
        lambda: attend(x, keys, bias.double(), three),
        lambda: Gru(torch.nn.GRUCell(8, WIDTH))(x, torch.zeros(5, WIDTH).double(), three),
        lambda: native.best(torch.zeros(3, 4).double()),
    ):
        with pytest.raises(ValueError, match="stg.native: a tensor is torch.float"):
            wrong()
    with pytest.raises(ValueError, match="stg.native: a size is"):
        product(x, out=torch.zeros(64, 3).t())
    with pytest.raises(ValueError, match="an empty row has no largest score"):
        native.best(torch.zeros(3, 0))


def test_product_with_no_inputs_is_the_bias(by_c_or_torch):
    torch.empty(3, 64).fill_(torch.nan)  # what the allocator hands out next
    bias = torch.randn(40)
    assert torch.equal(Product(torch.zeros(40, 0), bias)(torch.zeros(3, 0)), bias.expand(3, -1))


@needs_c
def test_products_are_batch_invariant():
    torch.manual_seed(0)
    product, x = Product(torch.randn(100, 300), torch.randn(100)), torch.randn(40, 300)
    together = product(x)
    for rows in (1, 2, 3, 5, 13, 39):
        assert torch.equal(product(x[:rows]), together[:rows]) and torch.equal(product(x[-rows:]), together[-rows:])


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("scale", [1, 40])  # gates in their linear range, and saturated
def test_lstm(rows, scale, by_c_or_torch):
    torch.manual_seed(rows)
    hidden, inputs = 2 * WIDTH, 2 * WIDTH + 11
    weight, bias, state = scale * torch.randn(4 * hidden, inputs) / 8, torch.randn(4 * hidden), torch.randn(rows, 200)
    reads, h = state[:, 5 : 5 + inputs], state[:, 5 + inputs - hidden : 5 + inputs]
    c = torch.randn(rows, hidden)
    kept = state.clone()
    cells = c.unflatten(1, (-1, WIDTH)).transpose(0, 1).contiguous()
    gates = torch.empty(4, 2, rows, WIDTH)
    step = lstm(Product(weight, bias), reads, gates, cells, h.unflatten(1, (-1, WIDTH)).transpose(0, 1))
    c, x = c.double(), reads.double()
    for _ in range(3):
        out, enter, forget, new = (x @ weight.double().t() + bias).chunk(4, dim=1)
        c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
        x = torch.cat([x[:, :-hidden], out.sigmoid() * c.tanh()], dim=1)
        step()
        near(h, x[:, -hidden:], atol=1e-5 * scale)
        near(cells.transpose(0, 1).flatten(1), c, atol=1e-5 * scale)
    kept[:, 5 + inputs - hidden : 5 + inputs] = h
    assert torch.equal(state, kept)  # nothing else is touched


@pytest.mark.parametrize("hidden", [WIDTH, 5 * WIDTH, 48])
@pytest.mark.parametrize("stays", [None, "some", "all"])
def test_gru(hidden, stays, by_c_or_torch):
    torch.manual_seed(0)
    cell, wider, x = torch.nn.GRUCell(20, hidden), torch.randn(9, hidden + 3), torch.randn(4, 20)
    h, rows = wider[:, 2 : hidden + 2], torch.tensor([8, 0, 3, 5])
    stay = None if stays is None else torch.tensor([stays == "all", True, stays == "all", True])
    kept = wider.clone()
    with torch.no_grad():
        result = Gru(cell)(x, h, rows, stay)
        expected = cell.double()(x.double(), h[rows].double())
    if stay is not None:
        assert torch.equal(result[stay], h[rows][stay])
        result, expected = result[~stay], expected[~stay]
    near(result, expected)
    assert torch.equal(wider, kept)


def test_attend(by_c_or_torch):
    torch.manual_seed(0)
    wide, query, bias = torch.randn(7, 5, 46), torch.randn(4, 45), torch.randn(7, 5)
    bias[2, 3] = -torch.inf
    groups = torch.tensor([6, 2, 2, 0])
    for keys, key_bias in ((wide[:, :, :45], bias), (wide[:, :, :45], wide[:, :, -1])):
        expected = torch.einsum("kd,kmd->km", query.double(), keys[groups].double()) + key_bias[groups]
        near(attend(query, keys, key_bias, groups), expected)
    assert attend(query[:0], wide[:, :, :45], bias, groups[:0]).shape == (0, 5)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 17, 40, 6001])
def test_best_is_the_first_of_equals(size, by_c_or_torch):
    torch.manual_seed(size)
    for _ in range(20):
        scores = torch.randint(0, 1 + size // 3, (6, size + 3)).float()[:, 1 : size + 1]
        scores[torch.rand(6, size) < 0.2] = -torch.inf
        scores[-1] = -torch.inf
        expected = [row.index(max(row)) for row in scores.tolist()]
        assert best(scores).tolist() == expected


def test_best_in_other_precisions():
    scores = torch.randn(33, 600)
    for dtype in (torch.bfloat16, torch.float16, torch.float64):
        assert torch.equal(best(scores.to(dtype)), scores.to(dtype).argmax(1))


@needs_c
def test_nonlinearities_over_their_whole_range():
    """tanh and sigmoid, observed through an LSTM whose gates equal its biases."""
    values = torch.tensor([-torch.inf, -1e30, -200, -88, -87, -20, -5, -0.7, -0.62, -1e-3, -1e-20, -0.0])
    values = torch.cat([values, -values.flip(0), torch.linspace(-9, 9, 999), torch.tensor([torch.nan])])
    wide = torch.full((1 + len(values) // WIDTH * WIDTH + WIDTH,), 0.0)[1:]
    wide[: len(values)] = values
    units, open_gate = len(wide) // WIDTH, torch.full_like(wide, 40.0)

    def run(out, enter, forget, new, c):
        bias = torch.cat([out, enter, forget, new])
        layer = Product(torch.zeros(len(bias), 1), bias)
        cells, h = c.view(units, 1, WIDTH).clone(), torch.empty(1, len(wide))
        gates = torch.empty(4, units, 1, WIDTH)
        lstm(layer, torch.zeros(1, 1), gates, cells, h.unflatten(1, (-1, WIDTH)).transpose(0, 1))()
        return cells.flatten(), h.flatten()

    zeros, ones = torch.zeros_like(wide), torch.ones_like(wide)
    for gates, c, expected in (
        ((open_gate, open_gate, -open_gate, wide), zeros, wide.double().tanh()),
        ((open_gate, wide, -open_gate, open_gate), zeros, wide.double().sigmoid()),
        ((open_gate, -open_gate, wide, zeros), ones, wide.double().sigmoid()),
    ):
        cells, h = run(*gates, c)
        torch.testing.assert_close(cells.double(), expected, atol=1e-30, rtol=5e-7, equal_nan=True)
        torch.testing.assert_close(h.double(), expected.tanh(), atol=1e-30, rtol=5e-7, equal_nan=True)


@needs_c
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_the_default_dtype_has_no_effect(dtype):
    torch.manual_seed(0)
    cell, x, h, keys = torch.nn.GRUCell(8, WIDTH), torch.randn(3, 8), torch.randn(5, WIDTH), torch.randn(4, 2, 8)
    rows, bias = torch.tensor([4, 0, 2, 1])[::2][:2], torch.randn(4, 2)  # an index that is a view

    def all_kernels():
        return Gru(cell)(x[:2], h, rows), attend(x[:2], keys, bias, rows % 4), best(x), best(h.t()), Product(h)(h)

    expected = all_kernels()
    try:
        torch.set_default_dtype(dtype)
        result = all_kernels()
    finally:
        torch.set_default_dtype(torch.float32)
    assert all(map(torch.equal, result, expected))
    assert torch.equal(expected[3], h.t().argmax(1))


def test_the_fixture_switches_between_c_and_torch(by_c_or_torch):
    assert Product(torch.zeros(3, 3)).native == (by_c_or_torch == "C") == (kernels.native is not None)
