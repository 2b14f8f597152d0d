"""Draws the paper's figures for this project's models, with the numbers behind them.

Examples:
  stg figures                                    # all of them, into figures/; about 4 minutes
  stg figures --only saliency example            # these need no RotoWire-Modified
  stg figures --model runs/paper/best --output runs/figures

saliency    p(E) at every record a text states: which entity the tracker considers salient
example     what the systems in results/ wrote about the paper's game, unsupported numbers in orange (HTML)
static      players by their embedding e before any game (PCA), the top scorers in colour
dynamic     the two games of the paper's figure by e-bar, and how close similar players are in all validation games
duplicates  the share of validation summaries that state a relation more than once

Each figure is a PNG or HTML file with a JSON file of the measurements beside it. The last three need
RotoWire-Modified.
"""

import argparse
import json
import warnings
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from tqdm import tqdm

from modeling_stg.errors import GameWarning
from modeling_stg.game import Game, read_games, read_json
from modeling_stg.text import tokenize
from stg.cli.console import argument_parser, command, write_atomically
from stg.cli.results import RESULTS, scored, systems
from stg.dataset.reading import DatasetError, open_dataset
from stg.files import CHECKOUT, shipped
from stg.loading import load_model
from stg.metrics.predictions import align, read_predictions


MODEL = "modeling_stg/no_writer"  # the paper's figures show the model without writers
TOP, SHOWN = 100, "LeBron James"  # as in the paper's figures
PAIR = ("Cavaliers", "Pistons"), (date(2016, 4, 22), date(2016, 12, 26))
MENTIONS = 60  # more are not legible in one picture
PAPER_GAME = shipped("examples/bucks_at_knicks.json")
Drawing = tuple[Any, dict[str, Any]]  # a matplotlib figure or an HTML page, and its measurements


@cache
def rows(split: str) -> list[dict]:
    return list(open_dataset(config="default", split=split))


@cache
def games(split: str) -> list[Game]:
    return [Game.from_json(row) for row in rows(split)]


def draw_saliency(model, processor) -> Drawing:
    from stg.analysis import drawing, saliency

    [game] = read_games(PAPER_GAME)
    sequence = model.generate(**processor([game]))[0]
    mentions = saliency.mentions(model, processor, game, sequence)
    chosen = mentions.probabilities[range(len(mentions.entity)), mentions.entity]
    numbers = {
        "mentions": len(chosen),
        "mean_chance_of_the_chosen": float(chosen.mean()),
    }
    return drawing.saliency(game.names, mentions, MENTIONS), numbers


def draw_example(model, processor) -> Drawing:
    from stg.analysis import example
    from stg.extraction.loading import load_extractor

    [game] = read_games(PAPER_GAME)
    texts = {}
    for name, system in systems().items():
        file = RESULTS / name / "sample.txt"
        # Neural baselines copy sentences of their training texts, which are not ours to publish.
        if file.is_file() and system["settings"]["task"] == "model":
            texts[system["title"]] = tokenize(file.read_text(encoding="utf-8"))
    extracted = load_extractor().extract_batch(list(texts.values()), [game] * len(texts))
    relations = dict(zip(texts, extracted, strict=True))
    numbers = {}
    for system in texts:
        verdicts = example.verdicts(relations[system])
        unsupported = sum(not supported for supported, _ in verdicts.values())
        numbers[system] = {"numbers": len(verdicts), "not_borne_out": unsupported}
    return example.page("The paper's own game: Milwaukee Bucks at New York Knicks", texts, relations), numbers


def draw_static(model, processor) -> Drawing:
    from stg.analysis import drawing, embeddings

    average = embeddings.averages(games("train"))
    known, vectors = embeddings.static(model, processor)
    kept = [index for index, name in enumerate(known) if name in average]
    names, vectors = [known[index] for index in kept], vectors[kept]
    top = sorted(names, key=lambda name: average[name], reverse=True)[:TOP]
    members = [names.index(name) for name in top]
    points, shares = embeddings.principal(vectors)
    numbers = {
        "players": len(names),
        "top": f"the {len(top)} with most points a game in the box scores of train (the paper: a newspaper's top 100)",
        "closeness_of_the_top": embeddings.closeness(vectors, members),
        "share_of_variance": shares.tolist(),
        "place_and_points": {
            name: [*point, average[name]] for name, point in zip(names, points.tolist(), strict=True)
        },
    }
    return drawing.static_entities(names, points, shares, top, SHOWN), numbers


def draw_dynamic(model, processor) -> Drawing:
    from stg.analysis import drawing, embeddings

    teams, days = PAIR
    drawn: list[dict] = []
    numbers: dict[str, Any] = {"games": {}}
    for row, game in zip(rows("validation"), games("validation"), strict=True):
        if {game.home.name, game.visitor.name} != set(teams) or game.date not in days:
            continue
        if not row["mentions"]:
            raise DatasetError("rotowire_modified: has no mentions; run `stg annotate`")
        in_reference = {mention["entity"] for mention in row["mentions"]}
        sequences = model.generate(**processor([game]))
        in_text = {token["entity"] for token in processor.trace(sequences, [game])[0]} - {None}
        players = game.entities[2:]  # teams have their own W_a, so their vectors are far from players'
        names = [player.name for player in players]
        points, shares = embeddings.principal(embeddings.dynamic(model, processor, game)[2:])
        forms = [embeddings.form(player) for player in players]
        mentioned = [_mentioned_in(name in in_reference, name in in_text) for name in names]
        title = f"{game.visitor.name} at {game.home.name}, {game.date:%d %B %Y}"
        drawn.append(
            {
                "title": title,
                "names": names,
                "points": points,
                "shares": shares,
                "forms": forms,
                "mentioned": mentioned,
            }
            | {"shown": SHOWN}
        )
        columns = (points.tolist(), forms, mentioned)
        numbers["games"][title] = {name: values for name, *values in zip(names, *columns, strict=True)}
    if not drawn:
        raise DatasetError(
            "rotowire_modified: validation lacks the games of the paper's figure; build it from RotoWire"
        )
    validation = tqdm(games("validation"), desc="dynamic", unit="game", leave=False)
    numbers["spread_by_form"] = embeddings.spread_by_form(model, processor, validation)
    return drawing.dynamic_entities(drawn), numbers


def _mentioned_in(in_reference: bool, in_text: bool) -> str:
    if in_reference and in_text:
        return "reference and generated"
    return "reference only" if in_reference else "generated only" if in_text else "neither"


def draw_duplicates(model, processor) -> Drawing:
    from stg.analysis import drawing, duplicates
    from stg.extraction.loading import load_extractor

    extractor, shares = load_extractor(), {}
    texts = {"human references": [row["summary"] for row in rows("validation")]}
    ids = [game.game_id for game in games("validation")]
    for name, system in systems().items():
        if scored(name, "validation"):
            file = str(RESULTS / name / "predictions_validation.txt")
            texts[system["title"]] = [prediction.tokens for prediction in align(read_predictions(file), ids, file)]
    for title, summaries in texts.items():
        counts = duplicates.duplicated(extractor, summaries, games("validation"), title)
        shares[title] = duplicates.shares(counts)
    printed = read_json(RESULTS / "published.json")["duplicates"]
    printed = {f"{system}, printed in the paper": share for system, share in printed.items()}
    return drawing.duplicates(shares, printed), {"measured": shares, "printed": printed}


DRAW = {
    "saliency": draw_saliency,
    "example": draw_example,
    "static": draw_static,
    "dynamic": draw_dynamic,
    "duplicates": draw_duplicates,
}
OF_RESULTS = ("example", "duplicates")  # drawn from results/, independent of --model


def rounded(value: Any) -> Any:
    """Measurements with the digits that are the same on every machine: drawing again changes no file."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(inner) for inner in value]
    return round(value, 4) if isinstance(value, float) else value


def save(folder: Path, name: str, figure, numbers: dict, model: str | None) -> Path:
    """Writes the figure, and the measurements behind it as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.{'html' if isinstance(figure, str) else 'png'}"
    if isinstance(figure, str):
        write_atomically(file, figure)
    else:
        figure.savefig(file, metadata={"Software": None})
    made_by = f"stg figures --only {name}"
    about = {"model": model, "made_by": f"{made_by} --model {model}"} if model else {"made_by": made_by}
    about |= rounded(numbers)
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in about.items())
    write_atomically(folder / f"{name}.json", f"{{\n{lines}\n}}\n")
    return file


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("figures", __doc__)
    parser.add_argument(
        "--only", nargs="+", choices=DRAW, default=list(DRAW), metavar="NAME", help="figures to draw (default: all)"
    )
    parser.add_argument(
        "--model",
        default=MODEL,
        metavar="DIR",
        help="model folder or Hub repository",
    )
    folder = (CHECKOUT or Path()) / "figures"
    parser.add_argument("--output", type=Path, default=folder, metavar="DIR", help="output folder (default: figures/)")
    return parser.parse_args(argv)


@command
def main(argv: Sequence[str] | None = None) -> int:
    options = parse_arguments(argv)

    import torch

    warnings.simplefilter("ignore", GameWarning)
    model, processor = load_model(str(shipped(MODEL)) if options.model == MODEL else options.model)
    skipped = 0
    for name in options.only:
        torch.manual_seed(0)
        try:
            figure, numbers = DRAW[name](model, processor)
        except DatasetError as error:
            print(f"{name}: skipped; {error}")
            skipped += 1
            continue
        model_name = None if name in OF_RESULTS else options.model
        print(f"{name}: {save(options.output, name, figure, numbers, model_name)}")
    return 2 if skipped == len(options.only) else 0
