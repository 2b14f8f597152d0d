"""Scores summaries: RG, CS, CO, BLEU, repetition and sanity, beside each other in one table.

    stg score --predictions results/best/predictions_test.txt --split test --output results.json
    stg score --predictions ours.jsonl theirs.txt --bootstrap --per-game games.csv

A predictions file holds one summary a line, tokenised or plain, in the order of the dataset, or generate.py's jsonl.
Published outputs that follow RotoWire's own order are read by --rotowire-order; --also adds the human references or
the Templates baseline as rows. What every score means: `metrics/scores.py` and `metrics/relations.py`.
"""

import argparse
import csv
import io
import itertools
import json
import os
import sys
import warnings
from pathlib import Path

from dataset_script import open_dataset
from dataset_script.join import SOURCE_GAMES
from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from modeling_stg.text import detokenize
from stg.baselines import templates
from stg.cli.console import check_output, exits_kindly, parser, put
from stg.extraction.loading import load_extractor
from stg.metrics.bootstrap import SAMPLES, intervals, paired
from stg.metrics.predictions import align, read_predictions
from stg.metrics.relations import ORDERS, VARIANTS
from stg.metrics.scores import Scored, Scorer
from stg.metrics.table import interval_table, paired_table, score_table


ALIASES = {"valid": "validation", "dev": "validation"}
ROTOWIRE_SPLITS = {"validation": "valid"}


def arguments() -> argparse.Namespace:
    options = parser()
    options.add_argument(
        "--predictions", nargs="+", default=[], metavar="FILE", help="summaries in the dataset's order"
    )
    options.add_argument(
        "--rotowire-order",
        nargs="+",
        default=[],
        metavar="FILE",
        help="summaries in the order of RotoWire's own split; games from another split are left out",
    )
    options.add_argument("--also", nargs="+", default=[], choices=("references", "templates"), help="further rows")
    options.add_argument("--dataset", default="rotowire_modified", help="folder or Hub name (default: %(default)s)")
    options.add_argument("--config", default="default", help="default, sample, ... (default: %(default)s)")
    options.add_argument("--split", default="test", help="test or validation (default: %(default)s)")
    options.add_argument("--output", metavar="FILE", help="the scores as JSON")
    options.add_argument("--per-game", metavar="FILE", help="a row for every game and system, .csv or .jsonl")
    options.add_argument("--bootstrap", action="store_true", help="95%% intervals, and significance between systems")
    options.add_argument("--samples", type=int, default=SAMPLES, help="resampled corpora (default: %(default)s)")
    options.add_argument("--seed", type=int, default=0, help="of the resampling (default: %(default)s)")
    options.add_argument("--extractor", metavar="DIR", help="another relation extractor than stg/extraction")
    options.add_argument("--variant", choices=VARIANTS, default=VARIANTS[0], help="whose definition of CS and dedupe")
    options.add_argument("--order", choices=ORDERS, default=ORDERS[0], help="of relations, for CO")
    options.add_argument("--keep-duplicates", action="store_true", help="count a repeated relation again")
    options.add_argument("--batch-size", type=int, default=64, help="summaries read at a time (default: %(default)s)")
    chosen = options.parse_args()
    if not (chosen.predictions or chosen.rotowire_order or chosen.also):
        options.error("nothing to score; give --predictions FILE, --rotowire-order FILE or --also references")
    if chosen.samples < 1 or chosen.batch_size < 1 or chosen.seed < 0:
        options.error("--samples and --batch-size must be at least 1, --seed at least 0")
    if chosen.per_game and Path(chosen.per_game).suffix not in (".csv", ".jsonl"):
        options.error(f"--per-game {chosen.per_game}: give a name that ends in .csv or .jsonl")
    check_output(chosen.output)
    check_output(chosen.per_game, "--per-game")
    if chosen.output and chosen.per_game and os.path.realpath(chosen.output) == os.path.realpath(chosen.per_game):
        raise StgError(f"--output {chosen.output}: is --per-game's file too; name two")
    chosen.split = ALIASES.get(chosen.split, chosen.split)
    return chosen


def systems(chosen: argparse.Namespace, rows: list[dict], games: list[Game]) -> dict[str, list[list[str] | None]]:
    """The summaries of every system by its name, None where a file has none of a game."""
    found: dict[str, list[list[str] | None]] = {}
    files = [(file, False) for file in chosen.predictions] + [(file, True) for file in chosen.rotowire_order]
    stems = [Path(file).stem for file, _ in files] + [name.capitalize() for name in chosen.also]
    for file, is_rotowires in files:
        name = Path(file).stem if stems.count(Path(file).stem) == 1 else str(file)
        if name in found:
            raise StgError(f"{file}: is given twice; leave one out")
        predictions = read_predictions(file)
        if is_rotowires:
            found[name] = in_rotowire_order([item.tokens for item in predictions], rows, chosen.split, file)
        else:
            found[name] = [each.tokens for each in align(predictions, [row["game_id"] for row in rows], file)]
    if "templates" in chosen.also:
        found["Templates"] = [templates.write(game).words for game in games]
    if "references" in chosen.also:
        found["References"] = [row["summary"] for row in rows]
    return found


def in_rotowire_order(texts: list[list[str]], rows: list[dict], split: str, file: str) -> list[list[str] | None]:
    split = split.partition("[")[0]
    split = ROTOWIRE_SPLITS.get(split, split)
    last = max((row["source_index"] for row in rows if row["source_split"] == split), default=-1)
    if last < 0:
        raise StgError(f"{file}: none of the games asked for is of RotoWire's own {split}")
    if len(texts) != SOURCE_GAMES.get(split) and len(texts) in SOURCE_GAMES.values():
        raise StgError(f"{file}: {len(texts)} summaries are those of another split than RotoWire's {split}")
    if last >= len(texts):
        raise StgError(
            f"{file}: {len(texts)} summaries, but game {last} of RotoWire {split} is asked for; "
            "it needs a line for every game of that split"
        )
    return [texts[row["source_index"]] if row["source_split"] == split else None for row in rows]


def significance(scored: dict[str, Scored], samples: int, seed: int) -> dict[str, dict[str, float | None]]:
    """p of every pair of systems, on the games that both wrote about."""
    found = {}
    for one, other in itertools.combinations(scored, 2):
        shared = sorted(set(scored[one].games) & set(scored[other].games))
        if shared:
            counts = [
                scored[name].counts[[scored[name].games.index(game) for game in shared]] for name in (one, other)
            ]
            found[f"{one} / {other}"] = paired(*counts, samples, seed)
    return found


def per_game_rows(scored: dict[str, Scored], texts: dict[str, list], rows: list[dict]) -> list[dict]:
    table = []
    for name, system in scored.items():
        for game, counts, relations in zip(system.games, system.per_game(), system.relations, strict=True):
            wrong = [relation for relation in relations if not relation.supported]
            table.append(
                {
                    "system": name,
                    "game_id": rows[game]["game_id"],
                    **counts,
                    "unsupported": "; ".join(f"{item.entity}|{item.value}|{item.type}" for item in wrong),
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


@exits_kindly
def main() -> None:
    chosen = arguments()
    warnings.simplefilter("ignore", GameWarning)
    rows = list(open_dataset(chosen.dataset, chosen.config, chosen.split))
    games = [Game.from_json(row) for row in rows]
    texts = systems(chosen, rows, games)
    extractor = load_extractor(chosen.extractor)
    references = [row["summary"] for row in rows]
    definition = {"variant": chosen.variant, "order": chosen.order, "keep_duplicates": chosen.keep_duplicates}
    scorer = Scorer(references, games, extractor, batch_size=chosen.batch_size, progress=True, **definition)
    scored = {name: scorer.score(summaries, name) for name, summaries in texts.items()}
    signature = next(iter(scored.values())).bleu_signature
    results = {
        "dataset": chosen.dataset,
        "config": chosen.config,
        "split": chosen.split,
        "games": len(games),
        **definition,
        "extractor": chosen.extractor or "stg/extraction",
        "bleu_signature": signature,
        "systems": {name: {"games": len(item.games), "scores": item.scores} for name, item in scored.items()},
    }
    print(
        f"{chosen.dataset}, config {chosen.config}, split {chosen.split}: {len(games)} games; relations as "
        f"{chosen.variant}, {chosen.order} order{', duplicates kept' if chosen.keep_duplicates else ''}, "
        f"read by {results['extractor']}; BLEU {signature}\n"
    )
    print(
        score_table({name: item.scores for name, item in scored.items()}, {n: len(s.games) for n, s in scored.items()})
    )
    if chosen.bootstrap:
        bounds = {name: intervals(item.counts, chosen.samples, chosen.seed) for name, item in scored.items()}
        for name, limits in bounds.items():
            results["systems"][name]["intervals"] = limits
        print(f"\n{interval_table(bounds)}")
        results["paired"] = significance(scored, chosen.samples, chosen.seed)
        if results["paired"]:
            print(f"\n{paired_table(results['paired'])}")
    if chosen.per_game:
        put(chosen.per_game, render_rows(per_game_rows(scored, texts, rows), chosen.per_game.endswith(".jsonl")))
        print(f"\nper game: {chosen.per_game}", file=sys.stderr)
    if chosen.output:
        put(chosen.output, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
        print(f"scores: {chosen.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
