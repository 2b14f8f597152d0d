"""Compares how often to rewrite what the checker refutes (results/ablations.md)."""

from typing import Any

import torch
from tqdm import tqdm

from modeling_stg.game import Game
from stg.analysis import choices
from stg.analysis.choices import BATCH_SIZE, extractor_halves
from stg.checking.checker import Checker
from stg.checking.findings import FALSE
from stg.checking.judge import CHECKED, Judge
from stg.extraction.loading import load_extractor
from stg.metrics.scores import Scorer
from stg.metrics.table import show


COLUMNS = {name: title for name, title in choices.COLUMNS.items() if name != "sanity_credited"} | {"tokens": "tokens"}


def count_false(checker: Checker, games: list[Game], texts: list[list[str]]) -> dict[str, float]:
    """False claims per recap, the percentage of recaps without any, and tokens per recap."""
    findings = [checker.findings(reading) for reading in checker.parse(texts, games)]
    false = [[finding.kind == "number" for finding in text if finding.verdict == FALSE] for text in findings]
    return {
        "false_numbers": sum(map(sum, false)) / len(games),
        "false_words": sum(len(kinds) - sum(kinds) for kinds in false) / len(games),
        "nothing_false": 100 * sum(not kinds for kinds in false) / len(games),
        "tokens": sum(map(len, texts)) / len(games),
    }


class Comparison:
    """Writes the games with different numbers of rewrites; `scores` collects every measurement."""

    def __init__(self, model, processor, rows: list[dict]):
        self.model, self.processor, self.rows = model, processor, rows
        self.games = [Game.from_json(row) for row in rows]
        self.scores: list[dict[str, Any]] = []

    def write(self, checker: Checker, rewrites: int) -> list[list[str]]:
        """The tokens of one text for each game, with the batches and seeds of `stg generate --check`."""
        texts = []
        for start in tqdm(range(0, len(self.games), BATCH_SIZE), desc=f"{rewrites} rewrites", unit="batch"):
            games, rows = self.games[start : start + BATCH_SIZE], self.rows[start : start + BATCH_SIZE]
            writers = [row["writer"] if self.model.config.use_writer else None for row in rows]
            torch.manual_seed(start)
            options = CHECKED | {"rewrites": rewrites, "judge": Judge(checker, self.processor, games)}
            sequences = self.model.generate(**self.processor(games, writers=writers), **options)
            texts += self.processor.batch_tokens(sequences, games)
        return texts

    def measure(self, texts: list[list[str]], extractor, **labels: Any) -> list[str]:
        """A row of a table: the labels, then the scores."""
        references = [row["summary"] for row in self.rows]
        scores = Scorer(references, self.games, extractor, progress=False).score(texts, "").scores
        counts = count_false(Checker(extractor), self.games, texts)
        self.scores.append({**labels, "games": len(self.games), **scores, **counts})
        return [*map(str, labels.values()), *(show(self.scores[-1][name]) for name in COLUMNS)]

    def by_rewrites(self, numbers: list[int]) -> list[list[str]]:
        extractor = load_extractor()
        checker = Checker(extractor)
        return [self.measure(self.write(checker, number), extractor, rewrites=number) for number in numbers]

    def by_halves(self, rewrites: int) -> list[list[str]]:
        """Rows of a table: either half of the extractor judges, and both measure."""
        table, halves = [], extractor_halves()
        for judged_by, half in halves.items():
            texts = self.write(Checker(half), rewrites)
            for measured_by, extractor in halves.items():
                table.append(self.measure(texts, extractor, judged_by=judged_by, measured_by=measured_by))
        return table
