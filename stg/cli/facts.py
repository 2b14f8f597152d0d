"""Lists what a game and its season imply beyond the box score: leads, margins, totals, highs, streaks, averages.

Examples:
  stg facts --games examples/bucks_at_knicks.json
  stg facts --games examples/bucks_at_knicks.json --entity Knicks --group line_score
  stg facts --games game.json --season season.json --group season --format jsonl

Each line is a fact with its name, value and formula. Use the names in `stg generate`: --must-mention "Knicks:LEAD_Q3",
or in a plan. A model states the facts of the groups that it was trained with. It never states those marked "input
only"; those marked "check only" are used by the checker and to annotate texts.
"""

import argparse
import difflib
import json
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from modeling_stg.box_score import Entity
from modeling_stg.errors import GameWarning, StgError
from modeling_stg.fact_schema import FACT_KINDS, GROUPS, OF_SEASON
from modeling_stg.facts import Fact
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.text import detokenize, plain_letters
from stg.cli.console import (
    GAMES_HELP,
    add_date_option,
    add_season_option,
    argument_parser,
    check_inputs,
    colour,
    command,
)
from stg.converters.sources import read_any
from stg.files import project_path
from stg.loading import load_season


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser("facts", __doc__)
    parser.add_argument("--games", required=True, nargs="+", type=project_path, metavar="FILE", help=GAMES_HELP)
    add_date_option(parser)
    add_season_option(parser, "they give streaks, averages and the next game", default="nba")
    parser.add_argument("--entity", metavar="NAME", help="only facts of this team or player")
    parser.add_argument("--group", choices=GROUPS, help="only facts of this group")
    parser.add_argument("--format", choices=("text", "jsonl"), default="text", help="output format")
    options = parser.parse_args(argv)
    if options.group in OF_SEASON and options.season in (None, "none"):
        raise StgError(f"--group {options.group}: is computed from other games; give --season")
    check_inputs(options, "games")
    return options


def check_entity(games: Sequence[Game], name: str) -> None:
    """Raises if no game has a team or player of this name."""
    names = dict.fromkeys(known for game in games for entity in game.entities for known in names_of(entity))
    if name not in names:
        matches = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {matches[0]!r}?" if matches else f"use one of {', '.join(names)}"
        raise StgError(f"--entity {name}: no game has this team or player; {hint}")


def names_of(entity: Entity) -> tuple[str, ...]:
    """The names by which --entity may give a team or player."""
    return entity.name, entity.full_name, plain_letters(entity.name)


def select(facts: GameFacts, name: str | None, group: str | None) -> dict[int, list[Fact]]:
    """The computed facts of each entity, in the order of the box score."""
    selected: dict[int, list[Fact]] = {}
    for position, entity in enumerate(facts.game.entities):
        if name is None or name in names_of(entity):
            selected[position] = []
    for fact in facts:
        kind = FACT_KINDS.get(fact.attribute)
        if kind is not None and fact.entity in selected and group in (None, kind.group):
            selected[fact.entity].append(fact)
    return {position: found for position, found in selected.items() if found}


def render_text(facts: GameFacts, selected: dict[int, list[Fact]]) -> str:
    game = facts.game
    lines = [colour(f"{game.visitor.full_name} at {game.home.full_name}, {game.date}", "bold")]
    for position, found in selected.items():
        lines += ["", colour(game.entities[position].name, "bold")]
        names = [f"{fact.attribute} = {detokenize(fact.value.split(' '))}" for fact in found]
        width = max(map(len, names))
        for name, fact in zip(names, found, strict=True):
            lines.append(f"  {name:{width}}   {facts.formula(fact)}{_use(fact)}")
    return "".join(f"{line}\n" for line in lines)


def _use(fact: Fact) -> str:
    kind = FACT_KINDS[fact.attribute]
    return "" if kind.is_stated and kind.is_record else " (check only)" if kind.is_stated else " (input only)"


def render_jsonl(facts: GameFacts, selected: dict[int, list[Fact]]) -> str:
    lines = []
    for fact in (fact for found in selected.values() for fact in found):
        kind = FACT_KINDS[fact.attribute]
        line: dict[str, Any] = {"game_id": facts.game.game_id, **fact.to_json(facts.game)}
        line |= {"group": kind.group, "meaning": kind.meaning}
        line["from"] = [cell.to_json(facts.game) for cell in dict.fromkeys(fact.cells())]
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


@command
def main(argv: Sequence[str] | None = None) -> None:
    options = parse_arguments(argv)
    warnings.simplefilter("ignore", GameWarning)
    games = read_any(options.games, options.date)
    if options.entity is not None:
        check_entity(games, options.entity)
    season = load_season(options.season)
    render = render_text if options.format == "text" else render_jsonl
    separator = ""
    for game in games:
        facts = GameFacts(game, season)
        selected = select(facts, options.entity, options.group)
        if selected:
            sys.stdout.write(separator + render(facts, selected))
            separator = "\n" if options.format == "text" else ""
