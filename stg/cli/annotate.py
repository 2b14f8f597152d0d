"""Fills the columns `mentions` and `unexplained` of the built dataset.

Mentions are the facts behind the names, numbers and words of a summary: cells of the box score, and what the cells and
the season imply, as the checker reads them. `unexplained` marks the sentences that say something no fact explains.

Examples:
  stg annotate --dataset rotowire_modified --season hoopr      # default, extra and partial
  stg annotate --dataset rotowire_modified --config default --gold-tuples puduppully-train.txt
  stg annotate --dataset rotowire_modified --check             # scores the annotation on the sample league

Parquet files are replaced only once they are complete, and an interrupted run continues where it stopped. For each
file the command prints the mentions per summary by kind, the share of numerals that facts explain, by group of facts,
and what marks sentences as unexplained. With --gold-tuples (files of entity|value|type named ...-train.txt,
...-valid.txt or ...-test.txt) it also prints the agreement with the official extractor.
"""

import argparse
import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import NUMBER_ATTRIBUTES, attribute_of_type
from modeling_stg.text import sentences as sentence_bounds
from stg.cli.console import add_season_option, argument_parser, check_inputs, command
from stg.dataset.card import BUILD_FOLDER, config_folder, stamp_built, stamp_committed
from stg.extraction.candidates import Names, entity_spans, number_spans
from stg.extraction.loading import check_extractor
from stg.outputs import named_errors, open_new, replacing, sole_writer


if TYPE_CHECKING:
    from stg.checking.annotator import Annotator
    from stg.training.extraction_labels import Tuples

BUILT = ("default", "extra", "partial")
HOUSE = "house"  # committed with its mentions; annotated again only when asked for by name
SAMPLE = "sample"  # its mentions are exact by construction, so they are never overwritten
CHUNK = 64
FILLED = ("mentions", "unexplained")
KINDS = {"FIRST_NAME": "names", "SECOND_NAME": "names", "TEAM-NAME": "teams", "TEAM-CITY": "cities"}


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("annotate", __doc__)
    parser.add_argument("--dataset", metavar="DIR", help="folder of the built dataset (default: rotowire_modified)")
    parser.add_argument("--config", default="all", choices=[*BUILT, HOUSE, "all"], help="dataset config")
    parser.add_argument("--extractor", metavar="DIR", help="relation extractor to use instead of stg/extraction")
    add_season_option(parser, "streaks, averages and next games can be annotated")
    parser.add_argument("--no-extractor", action="store_true", help="annotate by rules alone, without the network")
    parser.add_argument(
        "--gold-tuples",
        nargs="*",
        default=[],
        metavar="FILE",
        help="the official extractor's output, to compare with",
    )
    parser.add_argument("--check", action="store_true", help="only score against the sample league's known mentions")
    options = parser.parse_args(argv)
    check_inputs(options, "gold_tuples")
    check_extractor(options.extractor)
    return options


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)

    warnings.simplefilter("ignore", GameWarning)
    is_ours = options.dataset in (None, "rotowire_modified")
    folder = BUILD_FOLDER if is_ours else Path(options.dataset)
    if not folder.is_dir():
        raise StgError(f"--dataset: {options.dataset!r} is not a folder; build the dataset first (`stg data`)")

    from stg.checking.annotator import Annotator
    from stg.dataset.reading import open_season
    from stg.extraction.loading import load_extractor
    from stg.training.extraction_labels import read_tuples

    extractor = None if options.no_extractor else load_extractor(options.extractor)
    if options.check:
        sample = config_folder(SAMPLE) if is_ours else folder / SAMPLE
        score_on_sample(sample, Annotator(extractor, open_season("sample")))
        return
    annotator = Annotator(extractor, open_season(options.season))
    gold = {Path(path).stem.rpartition("-")[2]: read_tuples(path) for path in options.gold_tuples}
    files = [
        path
        for name in (BUILT if options.config == "all" else (options.config,))
        for path in sorted((folder / name).glob("*.parquet"))
    ]
    if not files:
        raise StgError(
            f"--config {options.config}: {folder} has no Parquet files of it; build them first (`stg data`)"
        )
    check_files(files)
    check_gold(files, gold)
    for path in files:
        with sole_writer(path.parent):
            rows = annotate_file(path, annotator, options.season)
        stamp_built(folder)
        if path.parent.name == HOUSE:
            stamp_committed(folder)
        print(f"{path.parent.name}/{path.stem}: {coverage(rows)}")
        print(f"  {reasons(rows)}")
        if gold:
            print(f"  {agreement(rows, gold)}")


def check_files(files: list[Path]) -> None:
    """Raises, before any work, if a file cannot be read or has no mentions to fill."""
    for path in files:
        try:
            columns = pq.read_schema(path).names
        except (OSError, pa.ArrowException) as error:
            raise StgError(f"{path}: cannot be read ({' '.join(str(error).split())}); build it again") from None
        for column in FILLED:
            if column not in columns:
                raise StgError(f"{path}: has no column {column!r} to fill; build it again")


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


def annotate_file(path: Path, annotator: "Annotator", season: str | None) -> list[dict]:
    """Annotates a file and returns its rows. Progress is kept in a file beside it until it is replaced at the end."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    progress = Progress(path, table, annotator, season)
    bar = tqdm(total=len(rows), initial=len(progress.done), desc=f"{path.parent.name}/{path.stem}", unit="doc")
    for start in range(len(progress.done), len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        progress.add(annotator.annotate_rows(chunk))
        bar.update(len(chunk))
    bar.close()
    progress.close()
    for name in FILLED:
        field = table.schema.field(name)
        values = pa.array([annotation[name] for annotation in progress.done], field.type)
        table = table.set_column(table.schema.get_field_index(name), field, values)
    with replacing(path) as stream:
        pq.write_table(table, stream)
    progress.path.unlink()
    return [row | annotation for row, annotation in zip(rows, progress.done, strict=True)]


class Progress:
    """What an interrupted run has done, a line per summary; discarded if data, season or extractor changed.

    Each line repeats which summary it is of. Lines are kept as far as they are of the right ones.
    """

    def __init__(self, path: Path, table: pa.Table, annotator: "Annotator", season: str | None):
        self.path = path.with_suffix(".parquet.progress")
        texts = table.column("summary").to_pylist()
        fingerprint = hashlib.sha256(json.dumps([texts, annotator.identity, season]).encode()).hexdigest()
        self.rows = [f"{index} {_digest(text)}" for index, text in enumerate(texts)]
        self.done: list[dict] = []
        kept = self._read(fingerprint)
        with named_errors(self.path):
            self._file = open_new(self.path)
        self._write([fingerprint])
        self.add(kept)

    def _read(self, fingerprint: str) -> list[dict]:
        lines = self.path.read_bytes().split(b"\n") if self.path.is_file() and not self.path.is_symlink() else []
        kept: list[dict] = []
        for line, row in zip(lines[1:] if lines[:1] == [fingerprint.encode()] else (), self.rows, strict=False):
            try:
                written, annotation = json.loads(line)
            except (ValueError, TypeError, RecursionError):
                break  # the run was interrupted while writing this line
            if written != row or not isinstance(annotation, dict) or set(annotation) != set(FILLED):
                break
            kept.append(annotation)
        return kept

    def add(self, annotations: list[dict]) -> None:
        rows = self.rows[len(self.done) :]
        self._write([json.dumps(entry) for entry in zip(rows, annotations, strict=False)])
        self.done += annotations

    def close(self) -> None:
        self._file.close()

    def _write(self, lines: list[str]) -> None:
        with named_errors(self.path):
            self._file.write("".join(f"{line}\n" for line in lines).encode())
            self._file.flush()


def _digest(tokens: list[str]) -> str:
    return hashlib.sha256(json.dumps(tokens).encode()).hexdigest()[:16]


def coverage(rows: list[dict]) -> str:
    """Mentions per summary by kind, and the share of numerals explained, by group of facts."""
    kinds: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    numerals = 0
    for row in rows:
        group_at = {}
        for mention in row["mentions"]:
            attribute = mention["attribute"]
            fact = FACT_KINDS.get(attribute)
            default = "team numbers" if attribute.startswith("TEAM-") else "player numbers"
            kinds[fact.group if fact else KINDS.get(attribute, default)] += 1
            group_at[mention["position"]] = fact.group if fact else "cells"
        spans = number_spans(row["summary"])
        numerals += len(spans)
        groups.update(group_at[span.start] for span in spans if span.start in group_at)
    count = max(len(rows), 1)
    parts = ", ".join(f"{kind} {number / count:.1f}" for kind, number in sorted(kinds.items()))
    shares = ", ".join(f"{group} {number / max(numerals, 1):.1%}" for group, number in groups.most_common())
    return (
        f"{len(rows)} summaries, {sum(kinds.values()) / count:.1f} mentions each ({parts}); "
        f"{groups.total() / max(numerals, 1):.1%} of {numerals / count:.1f} numerals explained ({shares})"
    )


def reasons(rows: list[dict]) -> str:
    """How many sentences are unexplained, and why; a sentence may have several reasons."""
    sentences = sum(len(sentence_bounds(row["summary"])) for row in rows)
    marked = [sentence for row in rows for sentence in row["unexplained"]]
    counts = Counter(reason for sentence in marked for reason in sentence["reasons"])
    parts = ", ".join(f"{reason} {number / max(sentences, 1):.1%}" for reason, number in counts.most_common())
    return f"{len(marked) / max(sentences, 1):.1%} of {sentences:,} sentences unexplained ({parts})"


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


def score_on_sample(folder: Path, annotator: "Annotator") -> None:
    """Prints precision, recall and F1 on the sample league, whose mentions are known by construction."""
    annotated = known = both = 0
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise StgError(f"--check: {folder} has no Parquet files; make the sample league first (`stg league`)")
    for path in files:
        rows = pq.read_table(path).to_pylist()
        bar = tqdm(range(0, len(rows), CHUNK), desc=f"{SAMPLE}/{path.stem}")
        for start in bar:
            chunk = rows[start : start + CHUNK]
            for row, annotation in zip(chunk, annotator.annotate_rows(chunk), strict=True):
                ours = {tuple(sorted(mention.items())) for mention in annotation["mentions"]}
                theirs = {tuple(sorted(mention.items())) for mention in row["mentions"]}
                annotated, known, both = annotated + len(ours), known + len(theirs), both + len(ours & theirs)
    precision, recall = both / max(annotated, 1), both / max(known, 1)
    f1 = 2 * both / max(annotated + known, 1)
    print(f"sample: {known} known mentions, precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}")
