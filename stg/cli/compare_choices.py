"""Compares ways of choosing one of several sampled texts, as in results/ablations.md.

Examples:
  stg compare-choices                                          # an hour on one core
  stg compare-choices --split "validation[:64]" --raw rows.jsonl

All ways choose among the same samples; (6) means among the first six. The checker both judges texts and counts false
claims, and its extractor also measures RG, CS and CO, so results are optimistic. To see by how much, the extractor's
ensemble is split (convolutions, LSTMs): one half judges, the other measures.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from stg.cli.console import add_model_option, argument_parser, command, write_atomically
from stg.dataset import open_dataset
from stg.loading import load_model


def comparison_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with the options of both comparisons."""
    parser = argument_parser(name, description)
    add_model_option(parser)
    parser.add_argument("--dataset", default="rotowire_modified", metavar="NAME", help="folder or Hub dataset")
    parser.add_argument("--config", default="default", help="dataset config")
    parser.add_argument("--split", default="validation", help="dataset split")
    parser.add_argument("--raw", type=Path, metavar="FILE", help="write all scores, one JSON object per line")
    return parser


@command
def main(argv: Sequence[str] | None = None) -> None:
    parser = comparison_parser("compare-choices", __doc__)
    parser.add_argument("--samples", type=int, default=16, metavar="N", help="samples per game")
    parser.add_argument("--temperature", type=float, default=0.4, metavar="T", help="sampling temperature")
    options = parser.parse_args(argv)

    from stg.analysis.choices import COLUMNS, HALVES_COLUMNS, Comparison
    from stg.metrics.table import markdown, show

    rows = list(open_dataset(options.dataset, options.config, options.split))
    comparison = Comparison(*load_model(options.model), rows, options.samples, options.temperature)
    results = comparison.by_way()
    table = [[name, *(show(scores[column]) for column in COLUMNS)] for name, scores in results.items()]
    print(markdown(["chosen by", *COLUMNS.values()], table))
    if options.raw:
        lines = [json.dumps({"chosen by": name, "games": len(rows), **scores}) for name, scores in results.items()]
        write_atomically(options.raw, "\n".join(lines) + "\n")
    print(f"\n{markdown(HALVES_COLUMNS, comparison.by_halves())}")
