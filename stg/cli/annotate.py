"""Fills `mentions` of the built dataset: which record every name and number of a summary states.

    python scripts/annotate.py --dataset rotowire_modified                     # default, extra and partial
    python scripts/annotate.py --dataset rotowire_modified --config default --gold-tuples puduppully-train.txt
    python scripts/annotate.py --dataset rotowire_modified --check             # against the sample's known mentions

Parquet files are replaced only when they are whole; an interrupted run goes on where it stopped. Printed for each
file: mentions per summary by kind, the share of numerals that no record explains, and with --gold-tuples (files of
entity|value|type named ...-train.txt, ...-valid.txt or ...-test.txt) the agreement with the official extractor.
"""

import hashlib
import json
import os
import warnings
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from dataset_script.card import FOLDER, stamp_built
from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game
from modeling_stg.numbers import read_number
from modeling_stg.schema import NUMBER_ATTRIBUTES, attribute_of_type
from stg.cli.console import exits_kindly, parser
from stg.extraction.annotation import annotate
from stg.extraction.candidates import Names, entity_spans, number_spans
from stg.extraction.loading import load_extractor
from stg.extraction.modeling_extraction import RelationExtractor
from stg.training.extraction_labels import Tuples, read_tuples


BUILT = ("default", "extra", "partial")
KNOWN = "sample"  # its mentions are exact by construction, so they are never overwritten
CHUNK = 64
KINDS = {"FIRST_NAME": "names", "SECOND_NAME": "names", "TEAM-NAME": "teams", "TEAM-CITY": "cities"}


def arguments():
    options = parser()
    options.add_argument("--dataset", help="folder of the built dataset (default: rotowire_modified)")
    options.add_argument("--config", default="all", choices=[*BUILT, "all"], help="which part (default: all)")
    options.add_argument("--extractor", help="folder or Hub name of the relation extractor (default: stg/extraction)")
    options.add_argument("--no-extractor", action="store_true", help="by rules alone, without the network")
    options.add_argument("--gold-tuples", nargs="*", default=[], metavar="FILE", help="official extractor's output")
    options.add_argument("--check", action="store_true", help="only score against the sample's known mentions")
    return options.parse_args()


@exits_kindly
def main() -> None:
    given = arguments()
    warnings.simplefilter("ignore", GameWarning)
    folder = FOLDER if given.dataset in (None, "rotowire_modified") else Path(given.dataset)
    if not folder.is_dir():
        raise StgError(f"--dataset: {given.dataset!r} is not a folder; build the dataset first")
    extractor = None if given.no_extractor else load_extractor(given.extractor)
    if given.check:
        check(folder, extractor)
        return
    gold = {Path(path).stem.rpartition("-")[2]: read_tuples(path) for path in given.gold_tuples}
    files = [
        path
        for name in (BUILT if given.config == "all" else (given.config,))
        for path in sorted((folder / name).glob("*.parquet"))
    ]
    if not files:
        raise StgError(f"--config: {folder / given.config} has no Parquet files; build the dataset first")
    check_files(files)
    check_gold(files, gold)
    for path in files:
        rows = annotate_file(path, extractor)
        stamp_built(folder)
        print(f"{path.parent.name}/{path.stem}: {coverage(rows)}")
        if gold:
            print(f"  {agreement(rows, gold)}")


def check_files(files: list[Path]) -> None:
    """Before anything is read: whether all of them can be, and have mentions to fill."""
    for path in files:
        try:
            columns = pq.read_schema(path).names
        except (OSError, pa.ArrowException) as error:
            raise StgError(f"{path}: cannot be read ({' '.join(str(error).split())}); build it again") from None
        if "mentions" not in columns:
            raise StgError(f"{path}: has no column 'mentions' to fill; build it again")


def check_gold(files: list[Path], gold: dict[str, list[Tuples]]) -> None:
    """Before anything is replaced: whether the tuples reach as far as the summaries."""
    for path in files if gold else []:
        table = pq.read_table(path, columns=["source_split", "source_index"])
        for split, index in zip(*(table[name].to_pylist() for name in table.column_names), strict=True):
            if split in gold and index >= len(gold[split]):
                raise StgError(
                    f"--gold-tuples: {len(gold[split])} documents of {split}, but {path.parent.name}/{path.stem} "
                    f"needs document {index}; give the whole file"
                )


def annotate_file(path: Path, extractor: RelationExtractor | None) -> list[dict]:
    """Rows with their new mentions; the file is swapped at the end, and what was done is kept beside it till then."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    done = Progress(path, table, extractor)
    bar = tqdm(total=len(rows), initial=len(done.mentions), desc=f"{path.parent.name}/{path.stem}", unit="doc")
    for start in range(len(done.mentions), len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        done.add(annotate_rows(chunk, extractor))
        bar.update(len(chunk))
    bar.close()
    column = table.schema.get_field_index("mentions")
    table = table.set_column(
        column, table.schema.field("mentions"), pa.array(done.mentions, table.schema.field("mentions").type)
    )
    swap = path.with_suffix(".parquet.new")
    pq.write_table(table, swap)
    os.replace(swap, path)
    done.path.unlink()
    return [row | {"mentions": mentions} for row, mentions in zip(rows, done.mentions, strict=True)]


def annotate_rows(rows: list[dict], extractor: RelationExtractor | None) -> list[list[dict]]:
    games = [Game.from_json(row) for row in rows]
    texts = [row["summary"] for row in rows]
    if extractor is None:
        return [annotate(tokens, game) for tokens, game in zip(texts, games, strict=True)]
    names = extractor.vocabulary.names
    told = extractor.extract_batch(texts, games)
    return [annotate(*one, names) for one in zip(texts, games, told, strict=True)]


class Progress:
    """What an interrupted run had done, a line per summary. Other data or another extractor make it start anew."""

    def __init__(self, path: Path, table: pa.Table, extractor: RelationExtractor | None):
        self.path = path.with_suffix(".parquet.progress")
        texts = table.column("summary").to_pylist()
        weights = "" if extractor is None else str(sum(float(one.detach().sum()) for one in extractor.parameters()))
        mark = hashlib.sha256(json.dumps([texts, weights]).encode()).hexdigest()
        self.mentions: list[list[dict]] = []
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        if lines and lines[0] == mark:
            for line in lines[1:]:
                try:
                    self.mentions.append(json.loads(line))
                except json.JSONDecodeError:
                    break  # the line at which the run was cut off
        self._write("w", [mark, *map(json.dumps, self.mentions)])

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


def agreement(rows: list[dict], gold: dict[str, list[Tuples]]) -> str:
    """Number mentions against the official extractor's tuples, by (entity, column, value), distinct per summary."""
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
        for entity, value, kind in gold[row["source_split"]][row["source_index"]]:
            spans = entity_spans(entity.split(), game, Names())
            if spans and spans[0].index is not None:
                theirs.add((spans[0].index, attribute_of_type(kind), _value(value)))
        ours_count, theirs_count, both = ours_count + len(ours), theirs_count + len(theirs), both + len(ours & theirs)
    if not summaries:
        return "agreement with the official extractor: no summary of these splits"
    return (
        f"agreement with the official extractor on {summaries} summaries: "
        f"precision {both / max(ours_count, 1):.3f}, recall {both / max(theirs_count, 1):.3f}"
    )


def _value(text: str) -> int | None:
    found = read_number(text.split(), 0)
    return found[0] if found else None


def check(folder: Path, extractor: RelationExtractor | None) -> None:
    """Precision, recall and F1 on the sample league, whose mentions are known by construction."""
    found = known = both = 0
    files = sorted((folder / KNOWN).glob("*.parquet"))
    if not files:
        raise StgError(f"--check: {folder / KNOWN} has no Parquet files; build the sample first")
    for path in files:
        rows = pq.read_table(path).to_pylist()
        bar = tqdm(range(0, len(rows), CHUNK), desc=f"{KNOWN}/{path.stem}")
        for start in bar:
            chunk = rows[start : start + CHUNK]
            for row, mentions in zip(chunk, annotate_rows(chunk, extractor), strict=True):
                ours = {tuple(sorted(mention.items())) for mention in mentions}
                theirs = {tuple(sorted(mention.items())) for mention in row["mentions"]}
                found, known, both = found + len(ours), known + len(theirs), both + len(ours & theirs)
    precision, recall = both / max(found, 1), both / max(known, 1)
    f1 = 2 * both / max(found + known, 1)
    print(f"sample: {known} known mentions, precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}")


if __name__ == "__main__":
    main()
