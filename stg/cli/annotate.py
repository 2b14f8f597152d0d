"""Fills the column `mentions` of the built dataset: the record behind every name and number of a summary.

Examples:
  stg annotate --dataset rotowire_modified                     # default, extra and partial
  stg annotate --dataset rotowire_modified --config default --gold-tuples puduppully-train.txt
  stg annotate --dataset rotowire_modified --check             # scores the annotation on the sample league

Parquet files are replaced only once they are complete, and an interrupted run continues where it stopped. For each
file the command prints the mentions per summary by kind and the share of numerals that no record explains. With
--gold-tuples (files of entity|value|type named ...-train.txt, ...-valid.txt or ...-test.txt) it also prints the
agreement with the official extractor.
"""

import argparse
import hashlib
import json
import os
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from dataset_script.card import FOLDER, stamp_built
from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import NUMBER_ATTRIBUTES, attribute_of_type
from stg.cli.console import argument_parser, command
from stg.extraction.annotation import annotate
from stg.extraction.candidates import Names, entity_spans, number_spans


if TYPE_CHECKING:
    from stg.extraction.modeling_extraction import RelationExtractor
    from stg.training.extraction_labels import Tuples

BUILT = ("default", "extra", "partial")
SAMPLE = "sample"  # its mentions are exact by construction, so they are never overwritten
CHUNK = 64
KINDS = {"FIRST_NAME": "names", "SECOND_NAME": "names", "TEAM-NAME": "teams", "TEAM-CITY": "cities"}


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("annotate", __doc__)
    parser.add_argument("--dataset", metavar="DIR", help="folder of the built dataset (default: rotowire_modified)")
    parser.add_argument("--config", default="all", choices=[*BUILT, "all"], help="dataset config")
    parser.add_argument("--extractor", metavar="DIR", help="relation extractor to use instead of stg/extraction")
    parser.add_argument("--no-extractor", action="store_true", help="annotate by rules alone, without the network")
    parser.add_argument(
        "--gold-tuples",
        nargs="*",
        default=[],
        metavar="FILE",
        help="the official extractor's output, to compare with",
    )
    parser.add_argument("--check", action="store_true", help="only score against the sample league's known mentions")
    return parser.parse_args(argv)


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)

    from stg.extraction.loading import load_extractor
    from stg.training.extraction_labels import read_tuples

    warnings.simplefilter("ignore", GameWarning)
    folder = FOLDER if options.dataset in (None, "rotowire_modified") else Path(options.dataset)
    if not folder.is_dir():
        raise StgError(f"--dataset: {options.dataset!r} is not a folder; build the dataset first (`stg build`)")
    extractor = None if options.no_extractor else load_extractor(options.extractor)
    if options.check:
        score_on_sample(folder, extractor)
        return
    gold = {Path(path).stem.rpartition("-")[2]: read_tuples(path) for path in options.gold_tuples}
    files = [
        path
        for name in (BUILT if options.config == "all" else (options.config,))
        for path in sorted((folder / name).glob("*.parquet"))
    ]
    if not files:
        raise StgError(
            f"--config {options.config}: {folder} has no Parquet files of it; build them first (`stg build`)"
        )
    check_files(files)
    check_gold(files, gold)
    for path in files:
        rows = annotate_file(path, extractor)
        stamp_built(folder)
        print(f"{path.parent.name}/{path.stem}: {coverage(rows)}")
        if gold:
            print(f"  {agreement(rows, gold)}")


def check_files(files: list[Path]) -> None:
    """Raises, before any work, if a file cannot be read or has no mentions to fill."""
    for path in files:
        try:
            columns = pq.read_schema(path).names
        except (OSError, pa.ArrowException) as error:
            raise StgError(f"{path}: cannot be read ({' '.join(str(error).split())}); build it again") from None
        if "mentions" not in columns:
            raise StgError(f"{path}: has no column 'mentions' to fill; build it again")


def check_gold(files: list[Path], gold: "dict[str, list[Tuples]]") -> None:
    """Raises, before any file is replaced, if there are fewer tuples than summaries."""
    for path in files if gold else []:
        table = pq.read_table(path, columns=["source_split", "source_index"])
        for split, index in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
            if split in gold and index >= len(gold[split]):
                raise StgError(
                    f"--gold-tuples: {len(gold[split])} documents of {split}, but {path.parent.name}/{path.stem} "
                    f"needs document {index}; give the whole file"
                )


def annotate_file(path: Path, extractor: "RelationExtractor | None") -> list[dict]:
    """Annotates a file and returns its rows. Progress is kept in a file beside it until it is replaced at the end."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    progress = Progress(path, table, extractor)
    bar = tqdm(total=len(rows), initial=len(progress.mentions), desc=f"{path.parent.name}/{path.stem}", unit="doc")
    for start in range(len(progress.mentions), len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        progress.add(annotate_rows(chunk, extractor))
        bar.update(len(chunk))
    bar.close()
    column = table.schema.get_field_index("mentions")
    table = table.set_column(
        column, table.schema.field("mentions"), pa.array(progress.mentions, table.schema.field("mentions").type)
    )
    replacement = path.with_suffix(".parquet.new")
    pq.write_table(table, replacement)
    os.replace(replacement, path)
    progress.path.unlink()
    return [row | {"mentions": mentions} for row, mentions in zip(rows, progress.mentions, strict=True)]


def annotate_rows(rows: list[dict], extractor: "RelationExtractor | None") -> list[list[dict]]:
    games = [Game.from_json(row) for row in rows]
    texts = [row["summary"] for row in rows]
    if extractor is None:
        annotated = [annotate(tokens, game) for tokens, game in zip(texts, games, strict=True)]
    else:
        assert extractor.vocabulary is not None
        names, relations = extractor.vocabulary.names, extractor.extract_batch(texts, games)
        annotated = [annotate(*summary, names) for summary in zip(texts, games, relations, strict=True)]
    return [[mention.to_json(game) for mention in mentions] for mentions, game in zip(annotated, games, strict=True)]


class Progress:
    """The mentions of an interrupted run, a line per summary; discarded if the data or the extractor changed."""

    def __init__(self, path: Path, table: pa.Table, extractor: "RelationExtractor | None"):
        self.path = path.with_suffix(".parquet.progress")
        texts = table.column("summary").to_pylist()
        weights = (
            "" if extractor is None else str(sum(float(weight.detach().sum()) for weight in extractor.parameters()))
        )
        fingerprint = hashlib.sha256(json.dumps([texts, weights]).encode()).hexdigest()
        self.mentions: list[list[dict]] = []
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        if lines and lines[0] == fingerprint:
            for line in lines[1:]:
                try:
                    self.mentions.append(json.loads(line))
                except json.JSONDecodeError:
                    break  # the run was interrupted while writing this line
        self._write("w", [fingerprint, *map(json.dumps, self.mentions)])

    def add(self, mentions: list[list[dict]]) -> None:
        self.mentions += mentions
        self._write("a", list(map(json.dumps, mentions)))

    def _write(self, mode: str, lines: list[str]) -> None:
        with open(self.path, mode, encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def coverage(rows: list[dict]) -> str:
    kinds: Counter[str] = Counter()
    numerals = explained = 0
    for row in rows:
        for mention in row["mentions"]:
            attribute = mention["attribute"]
            default = "team numbers" if attribute.startswith("TEAM-") else "player numbers"
            kinds[KINDS.get(attribute, default)] += 1
        stated = {mention["position"] for mention in row["mentions"]}
        spans = number_spans(row["summary"])
        numerals += len(spans)
        explained += sum(span.start in stated for span in spans)
    count = max(len(rows), 1)
    parts = ", ".join(f"{kind} {number / count:.1f}" for kind, number in sorted(kinds.items()))
    return (
        f"{len(rows)} summaries, {sum(kinds.values()) / count:.1f} mentions each ({parts}); "
        f"{1 - explained / max(numerals, 1):.1%} of {numerals / count:.1f} numerals unexplained"
    )


def agreement(rows: list[dict], gold: "dict[str, list[Tuples]]") -> str:
    """Compares number mentions with the official extractor's tuples: distinct (entity, column, value) per summary."""
    ours_count = theirs_count = both = summaries = 0
    for row in rows:
        if row["source_split"] not in gold:
            continue
        summaries += 1
        game = Game.from_json(row)
        ours = {
            (game.position(mention["entity"]), mention["attribute"], _value(row["summary"][mention["position"]]))
            for mention in row["mentions"]
            if mention["attribute"] in NUMBER_ATTRIBUTES
        }
        theirs = set()
        for entity, value, type in gold[row["source_split"]][row["source_index"]]:
            spans = entity_spans(entity.split(), game, Names())
            if spans and spans[0].index is not None:
                theirs.add((spans[0].index, attribute_of_type(type), _value(value)))
        ours_count, theirs_count, both = ours_count + len(ours), theirs_count + len(theirs), both + len(ours & theirs)
    if not summaries:
        return "agreement with the official extractor: no summaries of these splits"
    return (
        f"agreement with the official extractor on {summaries} summaries: "
        f"precision {both / max(ours_count, 1):.3f}, recall {both / max(theirs_count, 1):.3f}"
    )


def _value(text: str) -> int | None:
    number = read_number(text.split(), 0)
    return number[0] if number else None


def score_on_sample(folder: Path, extractor: "RelationExtractor | None") -> None:
    """Prints precision, recall and F1 on the sample league, whose mentions are known by construction."""
    annotated = known = both = 0
    files = sorted((folder / SAMPLE).glob("*.parquet"))
    if not files:
        raise StgError(f"--check: {folder / SAMPLE} has no Parquet files; make the sample league first (`stg league`)")
    for path in files:
        rows = pq.read_table(path).to_pylist()
        bar = tqdm(range(0, len(rows), CHUNK), desc=f"{SAMPLE}/{path.stem}")
        for start in bar:
            chunk = rows[start : start + CHUNK]
            for row, mentions in zip(chunk, annotate_rows(chunk, extractor), strict=True):
                ours = {tuple(sorted(mention.items())) for mention in mentions}
                theirs = {tuple(sorted(mention.items())) for mention in row["mentions"]}
                annotated, known, both = annotated + len(ours), known + len(theirs), both + len(ours & theirs)
    precision, recall = both / max(annotated, 1), both / max(known, 1)
    f1 = 2 * both / max(annotated + known, 1)
    print(f"sample: {known} known mentions, precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}")
