"""What is fuzzed. A target takes a random generator and a folder of its own, and may raise an StgError only."""

import argparse
import bz2
import contextlib
import gzip
import io
import json
import lzma
import random
import tarfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from modeling_stg.controls import check_demands, read_controls
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from modeling_stg.settings import GenerationSettings
from modeling_stg.text import detokenize, tokenize
from stg.checking.alignment import recap_tokens
from stg.checking.checker import Checker
from stg.checking.report import check_report
from stg.cli import facts as facts_command
from stg.cli.check import render_text
from stg.cli.console import parse_generation_options
from stg.cli.resume import PartialOutput
from stg.dataset import archive
from stg.dataset.join import join_default
from stg.dataset.reading import open_season
from stg.extraction.loading import load_extractor
from stg.training import checkpoint
from stg.training.settings import Settings, add_options, merge, read_settings
from stg.training.state import State, from_json, to_json
from tests.fuzz import grammar
from tests.helpers import tiny_model


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
Target = Callable[[random.Random, Path], None]


@cache
def paper() -> dict:
    return json.loads((EXAMPLES / "bucks_at_knicks.json").read_text(encoding="utf-8"))


@cache
def league() -> list[dict]:
    return [json.loads((EXAMPLES / "sample_league.json").read_text(encoding="utf-8"))]


@cache
def checker() -> Checker:
    torch.set_num_threads(1)
    return Checker(load_extractor())


@cache
def processor() -> Any:
    return tiny_model.processor()


@cache
def paper_facts() -> GameFacts:
    return GameFacts(Game.from_json(paper()), Season())


@cache
def good_games() -> list[Game]:
    return [Game.from_json(paper()), *read_games(EXAMPLES / "sample_league.json")]


def box_scores(rng: random.Random, folder: Path) -> None:
    """A mutated game: read, all facts, a round trip."""
    game = Game.from_json(grammar.mutated(rng, rng.choice([paper(), rng.choice(league())])))
    known = GameFacts(game, Season([game, *good_games()]) if rng.random() < 0.3 else Season())
    for fact in known:
        known.formula(fact)
    assert Game._parse(json.loads(json.dumps(game.to_json())), "") == game


def games_files(rng: random.Random, folder: Path) -> None:
    """A file of games, through `stg facts` and as a season."""
    path = folder / rng.choice(["games.json", "games.jsonl"])
    path.write_text(grammar.json_text(rng, rng.choice([paper(), league()[:2]])), encoding="utf-8", errors="replace")
    if rng.random() < 0.5:
        open_season(str(path))
        return
    arguments = ["--games", str(path)]
    if rng.random() < 0.3:
        arguments += [rng.choice(["--entity", "--group", "--season", "--format"]), rng.choice(grammar.STRINGS)]
    run_command(facts_command.main, arguments)


def run_command(main: Callable, arguments: list[str]) -> None:
    """Runs a command in this process: any exit code but 70, the one of bugs."""
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(shown):
            main(arguments)
    except SystemExit as stopped:
        assert stopped.code != 70, shown.getvalue()
        if stopped.code == 2:
            lines = shown.getvalue().splitlines()  # one for each problem
            assert lines and all(line.startswith("error: ") for line in lines), shown.getvalue()


def recaps(rng: random.Random, folder: Path) -> None:
    """A text, checked and reported as `stg check` does."""
    text, known = grammar.text(rng), rng.choice([paper_facts(), GameFacts(rng.choice(good_games()), Season())])
    tokens = recap_tokens(text)
    report = check_report(known.game, text, tokens, checker().check(tokens, known))
    shown = render_text(known.game, report, coloured=True)
    assert "\x1b" not in shown and "\u202e" not in shown
    json.dumps(report)
    for finding in report["findings"]:
        assert text[finding["start"] : finding["end"]] == finding["text"]


def texts(rng: random.Random, folder: Path) -> None:
    """Tokens: no token is empty or lost, and printing them fails for none."""
    text = grammar.text(rng) * rng.choice([1, 1, 1, 20])
    tokens = tokenize(text)
    assert all(tokens) and "".join(text.split()).count("7") == "".join(tokens).count("7")
    detokenize(tokens)


def controls(rng: random.Random, folder: Path) -> None:
    """must_mention and plans."""
    names = [
        *paper_facts().game.names,
        "Knicks:TEAM-PTS",
        ["Knicks", "LEAD_Q3"],
        {"entity": "Bucks", "attribute": "PTS"},
    ]

    def entries() -> Any:
        if rng.random() < 0.2:
            return grammar.value(rng)
        return [
            rng.choice(names) if rng.random() < 0.95 else grammar.value(rng) for _ in range(rng.choice([0, 1, 3, 20]))
        ]

    config, mention, plan = processor().layout, entries(), entries()
    read_controls(config, [paper_facts()], [mention], [plan])
    check_demands(config, paper_facts(), mention, plan, rng.choice([1, 100, 850]), rng.random() < 0.5)


def options(rng: random.Random, folder: Path) -> None:
    """`--set NAME=VALUE`, and the settings made of it."""
    names = [*vars(GenerationSettings()), "min_plan_length", "x", ""]
    pairs = [f"{rng.choice(names)}{rng.choice(['=', '=', '=', '', '=='])}{grammar.scalar(rng)}" for _ in range(3)]
    parsed = parse_generation_options(pairs)
    known = set(vars(GenerationSettings()))
    GenerationSettings(**{name: value for name, value in parsed.items() if name in known})


def settings(rng: random.Random, folder: Path) -> None:
    """Settings files and command lines."""
    content = yaml.safe_load(rng.choice(sorted(CONFIGS.glob("*.yaml"))).read_text(encoding="utf-8"))
    names = list(vars(Settings()))
    for _ in range(rng.choice([1, 1, 2, 4])):
        content[rng.choice(names)] = grammar.value(rng)
    try:
        written = yaml.safe_dump(content, allow_unicode=True)
    except (yaml.YAMLError, ValueError, UnicodeError):
        written = "model: [[["
    for trap in rng.sample(
        ["2020-13-45", "0b_", "!!float x", "&a [*a]", "[" * 500, "9" * 5000, "!!bool x", "? x", "<<"], 1
    ):
        if rng.random() < 0.4:
            written += f"\n{rng.choice(names)}: {trap}\n"
    if rng.random() < 0.3:
        written = grammar.damaged(rng, written.encode("utf-8", "replace")).decode("utf-8", "replace")
    path = folder / "settings.yaml"
    path.write_text(written, encoding="utf-8", errors="replace")
    if rng.random() < 0.5:
        merge(path, {rng.choice(names): str(grammar.scalar(rng))})
        return
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.error = _refused  # type: ignore[assignment]
    add_options(parser)
    size = rng.choice(["hidden_size", "x", "", "writer_size"])
    try:
        read_settings(parser, ["--config", str(path), f"--model.{size}", str(grammar.scalar(rng))])
    except (argparse.ArgumentError, _Refused):
        pass


class _Refused(Exception):
    """The command line was refused with one line."""


def _refused(message: str) -> None:
    raise _Refused(message)


def archives(rng: random.Random, folder: Path) -> None:
    """Compressed games, lookup tables and tar archives."""
    row = {**paper(), "summary": ["The", "Bucks", "won", "."]}
    content = grammar.json_text(rng, grammar.mutated(rng, [row] * 3)).encode("utf-8", "replace")
    kind = rng.randrange(3)
    if kind == 0:
        suffix, compress = rng.choice(
            [(".xz", lzma.compress), (".bz2", bz2.compress), (".gz", gzip.compress), ("", bytes)]
        )
        packed = compress(content)
        path = folder / f"games.json{suffix}"
        path.write_bytes(grammar.damaged(rng, packed) if rng.random() < 0.7 else packed)
        archive.read_games_file(path)
    elif kind == 1:
        good = [f"{split},{index},{index}" for split in range(3) for index in range(4)]
        for split in archive.SPLITS:
            lines = [line if rng.random() < 0.9 else str(grammar.scalar(rng)) for line in good]
            (folder / f"{split}-lookup.txt").write_text("\n".join(lines), encoding="utf-8", errors="replace")
        lookups = archive.read_lookups(folder)
        join_default(dict.fromkeys(archive.SPLITS, [row] * 4), lookups, allow_missing=True)
    else:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:bz2", compresslevel=1) as tar:
            for split in archive.SPLITS:
                member = tarfile.TarInfo(
                    rng.choice([f"rotowire/{split}.json", f"../../{split}.json", f"/{split}.json"])
                )
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        path = folder / "rotowire.tar.bz2"
        path.write_bytes(grammar.damaged(rng, packed.getvalue()) if rng.random() < 0.7 else packed.getvalue())
        archive.read_archive(path)


def checkpoints(rng: random.Random, folder: Path) -> None:
    """Damaged files of a checkpoint, and tampered ones whose checksums fit."""
    state = to_json(State(), {"seed": 0})
    tensors = {"words.weight": torch.zeros(3, 2)}
    path = checkpoint.save(
        folder, checkpoint.Checkpoint(tensors, {"words.weight/exp_avg": torch.zeros(3, 2)}, state), 2
    )
    if rng.random() < 0.5:
        file = rng.choice(sorted(path.iterdir()))
        file.write_bytes(grammar.damaged(rng, file.read_bytes()))
        checkpoint.load(path)
        return
    tampered = grammar.mutated(rng, state)
    from_json(tampered, {"seed": 0}, Settings())
    model, optimizer = torch.nn.Embedding(3, 2), None
    optimizer = torch.optim.Adam(model.parameters())
    names = [f"{rng.choice(['weight', 'x', ''])}{rng.choice(['/', '', '//'])}{rng.choice(['exp_avg', 'step', ''])}"]
    checkpoint.restore_optimizer(
        model, optimizer, {name: torch.zeros(rng.choice([(3, 2), (2,), ()])) for name in names}
    )


def progress_files(rng: random.Random, folder: Path) -> None:
    """What an interrupted `stg generate` left, damaged: never taken for other rows."""
    rows = [[index, f"game{index}"] for index in range(4)]
    results = [{"game_id": name, "text": "x"} for _, name in rows]
    run = PartialOutput(str(folder / "out"), "run", rows)
    with run.written_by_this_run():
        run.read()
        run.append(results)
    content = grammar.damaged(rng, run.path.read_bytes())
    run.path.write_bytes(content)
    resumed = PartialOutput(str(folder / "out"), "run", rows)
    kept = resumed.read()
    assert len(kept) <= len(rows)


def arrays(rng: random.Random, folder: Path) -> None:
    """Rows of the dataset: games with NumPy's values, as Parquet gives them."""
    row = dict(paper())
    row["home_line"] = {
        name: rng.choice([np.int64(3), np.str_("5"), cell, cell]) for name, cell in row["home_line"].items()
    }
    Game.from_json(grammar.mutated(rng, row))


# Shares: the cheap ones run more often. A recap or a settings file takes tens of milliseconds, the others a few.
TARGETS: dict[Target, int] = {
    box_scores: 15,
    games_files: 4,
    recaps: 3,
    texts: 20,
    controls: 20,
    options: 20,
    settings: 3,
    archives: 3,
    checkpoints: 1,
    progress_files: 3,
    arrays: 10,
}


def prepare() -> None:
    """Loads what targets share, outside the time that is measured."""
    warnings.simplefilter("ignore")
    for load in (checker, processor, paper_facts, good_games):
        load()
