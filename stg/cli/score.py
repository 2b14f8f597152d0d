"""Scores summaries: RG, CS, CO, BLEU, repetition and sanity, all systems in one table.

Examples:
  stg score --predictions results/best/predictions_test.txt --split test --output results.json
  stg score --predictions ours.jsonl theirs.txt --bootstrap --per-game games.csv
  stg score --config sample --also references templates
  stg score --predictions ours.jsonl --also references --sense smollm2    # how odd sentences are to a language model

A predictions file holds one summary per line, tokenized or plain, in the order of the dataset, or the jsonl of
`stg generate`. Use --rotowire-order for published outputs in RotoWire's own order. --also adds rows for the human
references or the Templates baseline. stg/metrics/scores.py and stg/metrics/relations.py define the scores,
stg/metrics/variety.py those of the second table: how long the texts are, and how much alike.
"""

import argparse
import csv
import io
import itertools
import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from modeling_stg.text import detokenize
from stg.baselines import templates
from stg.cli.console import argument_parser, check_inputs, check_output_path, command, write_atomically
from stg.dataset import open_dataset
from stg.extraction.loading import check_extractor
from stg.metrics.bootstrap import SAMPLES, intervals, paired
from stg.metrics.predictions import align, read_predictions
from stg.metrics.relations import ORDERS, VARIANTS
from stg.metrics.scores import Scored, Scorer
from stg.metrics.table import interval_table, paired_table, plain_table, score_table
from stg.metrics.variety import VARIETY, variety


SPLIT_ALIASES = {"valid": "validation", "dev": "validation"}
ROTOWIRE_SPLITS = {"validation": "valid"}  # names that differ in RotoWire's own files
Texts = list[list[str] | None]  # the tokens of each game's summary, None where a system has none


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("score", __doc__)
    parser.add_argument(
        "--predictions", nargs="+", default=[], metavar="FILE", help="summaries in the order of the dataset"
    )
    parser.add_argument(
        "--rotowire-order",
        nargs="+",
        default=[],
        metavar="FILE",
        help="summaries in the order of RotoWire's own split; games of other splits are left out",
    )
    parser.add_argument("--also", nargs="+", default=[], choices=("references", "templates"), help="additional rows")
    parser.add_argument("--dataset", default="rotowire_modified", metavar="NAME", help="folder or Hub dataset")
    parser.add_argument("--config", default="default", help="dataset config: default, sample, ...")
    parser.add_argument("--split", default="test", help="test or validation")
    parser.add_argument(
        "--sense",
        metavar="MODEL",
        help="folder of a causal language model; measures how odd the sentences are to it, beside people's",
    )
    parser.add_argument("--output", metavar="FILE", help="write the scores as JSON")
    parser.add_argument("--per-game", metavar="FILE", help="write a row per game and system, .csv or .jsonl")
    parser.add_argument("--bootstrap", action="store_true", help="95%% intervals, and significance between systems")
    parser.add_argument("--samples", type=int, default=SAMPLES, metavar="N", help="bootstrap samples")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the bootstrap")
    parser.add_argument("--extractor", metavar="DIR", help="relation extractor to use instead of stg/extraction")
    parser.add_argument(
        "--variant",
        choices=VARIANTS,
        default=VARIANTS[0],
        help="published definition of CS and duplicates",
    )
    parser.add_argument("--order", choices=ORDERS, default=ORDERS[0], help="order of relations for CO")
    parser.add_argument("--keep-duplicates", action="store_true", help="count repeated relations again")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N", help="summaries per extractor batch")
    options = parser.parse_args(argv)
    if not (options.predictions or options.rotowire_order or options.also):
        parser.error("nothing to score; give --predictions FILE, --rotowire-order FILE or --also references")
    if options.samples < 1 or options.batch_size < 1 or options.seed < 0:
        parser.error("--samples and --batch-size must be at least 1, --seed at least 0")
    if options.per_game and Path(options.per_game).suffix not in (".csv", ".jsonl"):
        parser.error(f"--per-game {options.per_game}: the name must end in .csv or .jsonl")
    if options.sense and "references" not in options.also:
        parser.error("--sense: compares with people's sentences; add --also references")
    check_inputs(options, "predictions", "rotowire_order")
    check_extractor(options.extractor)
    check_output_path(options.output)
    check_output_path(options.per_game, "--per-game")
    if options.output and options.per_game and os.path.realpath(options.output) == os.path.realpath(options.per_game):
        raise StgError(f"--output {options.output}: is also the --per-game file; name two files")
    options.split = SPLIT_ALIASES.get(options.split, options.split)
    return options


def read_systems(options: argparse.Namespace, rows: Sequence[Mapping], games: Sequence[Game]) -> dict[str, Texts]:
    """The summaries of every system, by its name."""
    systems: dict[str, Texts] = {}
    files = [(file, False) for file in options.predictions] + [(file, True) for file in options.rotowire_order]
    stems = [Path(file).stem for file, _ in files] + [name.capitalize() for name in options.also]
    for file, rotowire_order in files:
        name = Path(file).stem if stems.count(Path(file).stem) == 1 else str(file)
        if name in systems:
            raise StgError(f"{file}: is given twice; leave one out")
        predictions = read_predictions(file)
        if rotowire_order:
            texts = [prediction.tokens for prediction in predictions]
            systems[name] = align_rotowire_order(texts, rows, options.split, file)
        else:
            aligned = align(predictions, [row["game_id"] for row in rows], file)
            systems[name] = [prediction.tokens for prediction in aligned]
    if "templates" in options.also:
        systems["Templates"] = [templates.write(game).words for game in games]
    if "references" in options.also:
        systems["References"] = [row["summary"] for row in rows]
    return systems


def align_rotowire_order(texts: list[list[str]], rows: Sequence[Mapping], split: str, file: str) -> Texts:
    """Moves summaries from the order of RotoWire's own split to that of `rows`."""
    from stg.dataset.join import SOURCE_GAMES

    split = split.partition("[")[0]
    split = ROTOWIRE_SPLITS.get(split, split)
    last = max((row["source_index"] for row in rows if row["source_split"] == split), default=-1)
    if last < 0:
        raise StgError(f"{file}: none of the requested games is in RotoWire's own {split} split")
    if len(texts) != SOURCE_GAMES.get(split) and len(texts) in SOURCE_GAMES.values():
        raise StgError(f"{file}: {len(texts)} summaries match another split than RotoWire's {split}; see --split")
    if last >= len(texts):
        raise StgError(
            f"{file}: {len(texts)} summaries, but game {last} of RotoWire's {split} is needed; "
            "give a line for every game of that split"
        )
    return [texts[row["source_index"]] if row["source_split"] == split else None for row in rows]


def significance(scored: Mapping[str, Scored], samples: int, seed: int) -> dict[str, dict[str, float | None]]:
    """p-values of every pair of systems, on the games that both wrote about."""
    p_values = {}
    for first, second in itertools.combinations(scored, 2):
        shared = sorted(set(scored[first].games) & set(scored[second].games))
        if shared:
            one, other = (
                scored[name].counts[[scored[name].games.index(game) for game in shared]] for name in (first, second)
            )
            p_values[f"{first} / {second}"] = paired(one, other, samples, seed)
    return p_values


def per_game_rows(
    scored: Mapping[str, Scored], texts: Mapping[str, list], rows: Sequence[Mapping]
) -> list[dict[str, Any]]:
    table = []
    for name, system in scored.items():
        for game, counts, relations in zip(system.games, system.per_game(), system.relations, strict=True):
            unsupported = [relation for relation in relations if not relation.supported]
            table.append(
                {
                    "system": name,
                    "game_id": rows[game]["game_id"],
                    **counts,
                    "unsupported": "; ".join(
                        f"{relation.entity}|{relation.value}|{relation.type}" for relation in unsupported
                    ),
                    "text": detokenize(texts[name][game]),
                }
            )
    return table


def render_rows(table: list[dict], as_jsonl: bool) -> str:
    if as_jsonl:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return stream.getvalue()


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)
    warnings.simplefilter("ignore", GameWarning)
    rows = list(open_dataset(options.dataset, options.config, options.split))
    games = [Game.from_json(row) for row in rows]
    texts = read_systems(options, rows, games)

    from stg.extraction.loading import load_extractor

    extractor = load_extractor(options.extractor)
    references = [row["summary"] for row in rows]
    definition = {"variant": options.variant, "order": options.order, "keep_duplicates": options.keep_duplicates}
    scorer = Scorer(references, games, extractor, batch_size=options.batch_size, progress=True, **definition)
    scored = {name: scorer.score(summaries, name) for name, summaries in texts.items()}
    signature = next(iter(scored.values())).bleu_signature
    varied = {
        name: variety([texts[name][game] or [] for game in system.games], [games[game] for game in system.games])
        for name, system in scored.items()
    }
    results: dict[str, Any] = {
        "dataset": options.dataset,
        "config": options.config,
        "split": options.split,
        "games": len(games),
        **definition,
        "extractor": options.extractor or "stg/extraction",
        "bleu_signature": signature,
        "systems": {
            name: {"games": len(system.games), "scores": system.scores, "variety": varied[name]}
            for name, system in scored.items()
        },
    }
    print(
        f"{options.dataset}, config {options.config}, split {options.split}: {len(games)} games; "
        f"relations: {options.variant} variant, {options.order} order"
        f"{', duplicates kept' if options.keep_duplicates else ''}, extractor {results['extractor']}; "
        f"BLEU {signature}\n"
    )
    print(
        score_table(
            {name: system.scores for name, system in scored.items()},
            {name: len(system.games) for name, system in scored.items()},
        )
    )
    print(f"\n{plain_table(varied, VARIETY)}")
    if options.sense:
        from stg.metrics.sense import SENSE, sense

        written = {name: [tokens for tokens in system if tokens] for name, system in texts.items()}
        read = sense(written, "References", options.sense)
        for name, scores in read.items():
            results["systems"][name]["sense"] = scores
        print(f"\n{plain_table(read, SENSE)}")
    if options.bootstrap:
        bounds = {name: intervals(system.counts, options.samples, options.seed) for name, system in scored.items()}
        for name, limits in bounds.items():
            results["systems"][name]["intervals"] = limits
        print(f"\n{interval_table(bounds)}")
        results["paired"] = significance(scored, options.samples, options.seed)
        if results["paired"]:
            print(f"\n{paired_table(results['paired'])}")
    if options.per_game:
        table = per_game_rows(scored, texts, rows)
        write_atomically(options.per_game, render_rows(table, options.per_game.endswith(".jsonl")))
        print(f"\nper game: {options.per_game}", file=sys.stderr)
    if options.output:
        write_atomically(options.output, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
        print(f"scores: {options.output}", file=sys.stderr)
