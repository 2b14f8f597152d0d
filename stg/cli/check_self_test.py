"""`stg check --self-test`: runs the mutation test and prints its table."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from stg.checking.batches import in_processes
from stg.checking.checker import Checker
from stg.checking.mutation import KINDS
from stg.checking.reports import read_seasons
from stg.checking.self_test import SelfTest, self_test, tally
from stg.cli.console import write_atomically
from stg.metrics.predictions import read_predictions


RECAPS = Path(__file__).resolve().parents[1] / "data" / "recaps"
PARTS = ("development", "measurement")


def shipped_recaps() -> tuple[list[Game], list[str]]:
    """The games and texts that come with the package: those that the rules were developed on, then the others."""
    games = [game for part in PARTS for game in read_games(RECAPS / f"{part}_games.json")]
    return games, [found.text for part in PARTS for found in read_predictions(RECAPS / f"{part}.jsonl")]


def run(options: argparse.Namespace, checker: Checker, texts: Sequence[str], games: Sequence[GameFacts]) -> int:
    tests = run_tests(checker, texts, games, options.processes, options.seed)
    text = render_lines(texts, games, tests) if options.format == "jsonl" else render_table(tally(tests))
    if options.output:
        write_atomically(options.output, text)
    else:
        sys.stdout.write(text)
    return int(tally(tests)["unmutated"]["false"] > 0)


def run_tests(
    checker: Checker, texts: Sequence[str], games: Sequence[GameFacts], processes: int, seed: int
) -> list[SelfTest]:
    """The mutation tests of recaps, in their order."""
    read_seasons(games)

    def work(at: int) -> SelfTest:
        return self_test(checker, texts[at], games[at], seed)

    return [*tqdm(in_processes(work, len(texts), processes), total=len(texts), unit="recap", disable=None)]


def render_table(counts: dict) -> str:
    plain, recaps = counts["unmutated"], counts["recaps"]
    unclear = plain["not understood"]
    lines = [
        f"{recaps} recaps as they are: {plain['true']:,} claims true; {plain['false']} false alarms, "
        f"{plain['false'] / recaps:.2f} a recap; {unclear} of {plain['numbers']:,} numbers not understood, "
        f"{100 * unclear / max(plain['numbers'], 1):.1f}%",
        "",
        f"{'one change at a time':28} {'changes':>8} {'noticed':>8} {'at the right place':>19}",
    ]
    for kind, row in counts["mutations"].items():
        total = row["mutations"]
        shares = [f"{100 * row[name] / total:.1f}%" for name in ("noticed", "placed")]
        lines.append(f"{KINDS.get(kind, kind):28} {total:8,} {shares[0]:>8} {shares[1]:>19}")
    return "\n".join(lines) + "\n"


def render_lines(texts: Sequence[str], games: Sequence[GameFacts], tests: Sequence[SelfTest]) -> str:
    """A line for every change: what was changed, where the checker noticed it, and what it said there."""
    lines = []
    for text, facts, test in zip(texts, games, tests, strict=True):
        for outcome in test.outcomes:
            mutation = outcome.mutation
            lines.append(
                {
                    **{"game_id": facts.game.game_id, "change": mutation.kind},
                    **{"start": mutation.start, "end": mutation.end},
                    **{"text": text[mutation.start : mutation.end], "new": mutation.new},
                    "sentence": text[slice(*mutation.sentence)],
                    **{"noticed": outcome.where, "right_place": outcome.is_placed},
                    "said": [f"{finding.verdict}: {finding.claim}" for finding in outcome.said],
                }
            )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
