"""Products in blocks of outputs against the plain ones."""

import pytest
import torch

from modeling_stg.products_stg import Product


@pytest.mark.parametrize("rows", [0, 1, 2, 33])
@pytest.mark.parametrize("inputs", [12, 200])
@pytest.mark.parametrize("width", [None, 5, 60, 512])
@pytest.mark.parametrize("turned", [True, False])
def test_products_of_few_rows(rows, inputs, width, turned):
    torch.manual_seed(rows)
    weight, bias, wider = (torch.randn(*shape, dtype=torch.float64) for shape in ((300, inputs), (300,), (rows, 250)))
    x = wider[:, 3 : 3 + inputs]
    slice_of_wider = torch.cat([weight, weight], dim=1)[:, inputs:]
    for view in (weight, weight.t().contiguous().t(), slice_of_wider):
        torch.testing.assert_close(Product(view, bias, width, turned)(x), x @ weight.t() + bias)
        torch.testing.assert_close(Product(view, None, width, turned)(x), x @ weight.t())


@pytest.mark.parametrize("outputs", [1, 7, 128, 129, 771, 2400])
def test_outputs_of_any_number(outputs):
    torch.manual_seed(0)
    weight, bias, x = torch.randn(outputs, 16), torch.randn(outputs), torch.randn(3, 16)
    torch.testing.assert_close(Product(weight, bias)(x), x @ weight.t() + bias, atol=1e-5, rtol=1e-5)
