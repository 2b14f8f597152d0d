"""Compares how often to rewrite what the checker refutes, as in results/ablations.md.

Example:
  stg compare-rewrites --split "validation[:128]" --rewrites 0 1 2 3 6 --raw results/rewrites.jsonl

The texts are those of `stg generate --check`, with the same batches and seeds. The checker both judges texts and
counts false claims, and its extractor also measures RG, CS and CO, so results are optimistic. To see by how much, the
extractor's ensemble is split: for the last number of rewrites, either half judges and both measure.
"""

import json
from collections.abc import Sequence

from stg.cli.compare_choices import comparison_parser
from stg.cli.console import command, write_atomically
from stg.dataset import open_dataset
from stg.loading import load_model


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = comparison_parser("compare-rewrites", __doc__)
    parser.add_argument(
        "--rewrites",
        type=int,
        nargs="+",
        default=[0, 1, 2, 3],
        metavar="N",
        help="numbers to compare (default: 0 1 2 3)",
    )
    options = parser.parse_args(argv)

    from stg.analysis.rewrites import COLUMNS, Comparison
    from stg.metrics.table import markdown

    rows = list(open_dataset(options.dataset, options.config, options.split))
    comparison = Comparison(*load_model(options.model), rows)
    print(markdown(["rewrites", *COLUMNS.values()], comparison.by_rewrites(options.rewrites)))
    table = comparison.by_halves(options.rewrites[-1])
    print(f"\n{markdown(['judged by', 'measured by', *COLUMNS.values()], table)}")
    if options.raw:
        lines = (f"{json.dumps(scores)}\n" for scores in comparison.scores)
        write_atomically(options.raw, "".join(lines))
