"""Draws the paper's figures for this project's models, with the numbers behind them.

    python scripts/figures.py                                    # all of them, into figures/; some 4 minutes
    python scripts/figures.py --only saliency example            # without RotoWire-Modified
    python scripts/figures.py --model runs/paper/best --output runs/figures

saliency   p(E) at every record that a text states: whom the tracker thinks the text is about
example    what the models in results/ wrote about the paper's own game, false numbers in orange (HTML)
static     players by their embedding e before any game (PCA), the best scorers in colour
dynamic    the two games of the paper's figure by e-bar, and how close players of a kind are in all validation games
duplicates summaries of validation in which a relation is said more than once

Figures are PNG; beside each stands a JSON file with what was measured. The last three read RotoWire-Modified.
"""

import argparse
import json
import warnings
from datetime import date
from functools import cache
from pathlib import Path

import torch
from tqdm import tqdm

from dataset_script.reading import DatasetError, open_dataset
from modeling_stg.errors import GameWarning
from modeling_stg.game import Game, read_games, read_json
from modeling_stg.text import tokenize
from stg.analysis import drawing, duplicates, embeddings, example, saliency
from stg.cli.console import ROOT, exits_kindly, parser
from stg.cli.results import RESULTS, scored, systems
from stg.extraction.loading import load_extractor
from stg.loading import load
from stg.metrics.predictions import align, read_predictions


MODEL = "modeling_stg/no_writer"  # as the paper's figures are of the model without writers
TOP, SHOWN = 100, "LeBron James"  # as the paper's figures have them
PAIR = ("Cavaliers", "Pistons"), (date(2016, 4, 22), date(2016, 12, 26))
MENTIONS = 60  # as many as can be read in one picture
PAPER_GAME = ROOT / "examples" / "bucks_at_knicks.json"


@cache
def rows(split: str) -> list[dict]:
    return list(open_dataset(config="default", split=split))


@cache
def games(split: str) -> list[Game]:
    return [Game.from_json(row) for row in rows(split)]


def draw_saliency(model, processor):
    [game] = read_games(PAPER_GAME)
    sequence = model.generate(**processor([game]))[0]
    found = saliency.mentions(model, processor, game, sequence)
    chosen = found.probabilities[range(len(found.entity)), found.entity]
    numbers = {
        "mentions": len(chosen),
        "mean_chance_of_the_chosen": float(chosen.mean()),
    }
    return drawing.saliency(game.names, found, MENTIONS), numbers


def draw_example(model, processor):
    [game] = read_games(PAPER_GAME)
    texts = {}
    for name, system in systems().items():
        file = RESULTS / name / "sample.txt"
        # not the neural baselines': they repeat sentences of their training texts, which are not ours to show
        if file.is_file() and system["settings"]["task"] == "model":
            texts[system["title"]] = tokenize(file.read_text(encoding="utf-8"))
    found = load_extractor().extract_batch(list(texts.values()), [game] * len(texts))
    relations = dict(zip(texts, found, strict=True))
    numbers = {}
    for system in texts:
        read = example.verdicts(relations[system])
        numbers[system] = {"numbers": len(read), "not_borne_out": sum(not supported for supported, _ in read.values())}
    return example.page("The paper's own game: Milwaukee Bucks at New York Knicks", texts, relations), numbers


def draw_static(model, processor):
    average = embeddings.averages(games("train"))
    known, vectors = embeddings.static(model, processor)
    kept = [index for index, name in enumerate(known) if name in average]
    names, vectors = [known[index] for index in kept], vectors[kept]
    top = sorted(names, key=average.get, reverse=True)[:TOP]
    members = [names.index(name) for name in top]
    places, shares = embeddings.principal(vectors)
    numbers = {
        "players": len(names),
        "top": f"the {len(top)} with most points a game in the box scores of train (the paper: a newspaper's top 100)",
        "closeness_of_the_top": embeddings.closeness(vectors, members),
        "share_of_variance": shares.tolist(),
        "place_and_points": {
            name: [*place, average[name]] for name, place in zip(names, places.tolist(), strict=True)
        },
    }
    return drawing.static_entities(names, places, shares, top, SHOWN), numbers


def draw_dynamic(model, processor):
    teams, days = PAIR
    drawn, numbers = [], {"games": {}}
    for row, game in zip(rows("validation"), games("validation"), strict=True):
        if {game.home.name, game.visitor.name} != set(teams) or game.date not in days:
            continue
        if not row["mentions"]:
            raise DatasetError("rotowire_modified: has no mentions; run: python scripts/annotate.py")
        in_reference = {mention["entity"] for mention in row["mentions"]}
        sequences = model.generate(**processor([game]))
        in_text = {token["entity"] for token in processor.trace(sequences, [game])[0]} - {None}
        players = game.entities[2:]  # teams have a W_a of their own and lie far off
        names = [player.name for player in players]
        places, shares = embeddings.principal(embeddings.dynamic(model, processor, game)[2:])
        forms = [embeddings.form(player) for player in players]
        said = [_said(name in in_reference, name in in_text) for name in names]
        title = f"{game.visitor.name} at {game.home.name}, {game.date:%d %B %Y}"
        drawn.append(
            {"title": title, "names": names, "places": places, "shares": shares, "forms": forms, "said": said}
            | {"shown": SHOWN}
        )
        columns = (places.tolist(), forms, said)
        numbers["games"][title] = {name: each for name, *each in zip(names, *columns, strict=True)}
    if not drawn:
        raise DatasetError(
            "rotowire_modified: validation lacks the games of the paper's figure; build it from RotoWire"
        )
    every = tqdm(games("validation"), desc="dynamic", unit="game", leave=False)
    numbers["spread_by_form"] = embeddings.spread_by_form(model, processor, every)
    return drawing.dynamic_entities(drawn), numbers


def _said(in_reference: bool, in_text: bool) -> str:
    if in_reference and in_text:
        return "reference and generated"
    return "reference only" if in_reference else "generated only" if in_text else "neither"


def draw_duplicates(model, processor):
    extractor, shares = load_extractor(), {}
    texts = {"human references": [row["summary"] for row in rows("validation")]}
    ids = [game.game_id for game in games("validation")]
    for name, system in systems().items():
        if scored(name, "validation"):
            file = RESULTS / name / "predictions_validation.txt"
            texts[system["title"]] = [each.tokens for each in align(read_predictions(file), ids, file)]
    for title, written in texts.items():
        counts = duplicates.duplicated(extractor, written, games("validation"), title)
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


OF_RESULTS = ("example", "duplicates")  # what stands in results/, whatever --model says


def save(folder: Path, name: str, drawn, numbers: dict, model: str | None) -> Path:
    """The picture, and what was measured for it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.{'html' if isinstance(drawn, str) else 'png'}"
    if isinstance(drawn, str):
        file.write_text(drawn, encoding="utf-8")
    else:
        drawn.savefig(file, metadata={"Software": None})
    command = f"python scripts/figures.py --only {name}"
    about = {"model": model, "made_by": f"{command} --model {model}"} if model else {"made_by": command}
    about |= numbers
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in about.items())
    (folder / f"{name}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return file


def arguments() -> argparse.Namespace:
    options = parser()
    options.add_argument("--only", nargs="+", choices=DRAW, default=list(DRAW), metavar="NAME", help=", ".join(DRAW))
    options.add_argument(
        "--model", default=MODEL, help="folder or Hub name (default: %(default)s of the repository, as in the paper)"
    )
    options.add_argument("--output", type=Path, default=ROOT / "figures", help="folder (default: figures/)")
    return options.parse_args()


@exits_kindly
def main() -> int:
    options = arguments()
    warnings.simplefilter("ignore", GameWarning)
    model, processor = load(str(ROOT / MODEL) if options.model == MODEL else options.model)
    left_out = 0
    for name in options.only:
        torch.manual_seed(0)
        try:
            drawn, numbers = DRAW[name](model, processor)
        except DatasetError as error:
            print(f"{name}: left out; {error}")
            left_out += 1
            continue
        model_name = None if name in OF_RESULTS else options.model
        print(f"{name}: {save(options.output, name, drawn, numbers, model_name)}")
    return 2 if left_out == len(options.only) else 0


if __name__ == "__main__":
    main()
