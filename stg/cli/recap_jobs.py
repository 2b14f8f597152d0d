"""The jobs of `stg generate`: games, their writers and plans, all checked before any text is generated."""

import argparse
from dataclasses import dataclass
from typing import Any

from modeling_stg.errors import GameError, StgError
from modeling_stg.game import Game, read_json
from modeling_stg.game_facts import GameFacts
from modeling_stg.schema import UNKNOWN_WRITER, WRITER_LABELS
from modeling_stg.season import Season
from stg.converters.sources import read_sources


@dataclass
class Job:
    """A game to write about; `index` is its position among the rows."""

    index: int
    facts: GameFacts
    writer: Any
    must_mention: list[str] | None
    plan: list | None


def generation_option(options: argparse.Namespace, model, name: str) -> Any:
    """The value of a generation option in this run: from the command line, or else from the model."""
    return options.generation.get(name, vars(model.generation_config).get(name))


def read_rows(options: argparse.Namespace) -> list[Any]:
    """The games of the dataset or files, not yet validated. One that cannot be read gives its error instead."""
    if options.dataset is not None:
        from stg.dataset import open_dataset

        return list(open_dataset(options.dataset, options.config, options.split))
    return read_sources(options.games, options.date).games


def source_of(options: argparse.Namespace) -> str:
    """What the games come from, for errors."""
    return ", ".join(options.games) if options.games else f"{options.dataset}/{options.split}"


def read_plans(path: str | None, rows: list[Any]) -> dict[str | None, list]:
    """Plans by game_id; the key None holds the plan of a single game."""
    if path is None:
        return {}
    data = read_json(path)
    if isinstance(data, dict):
        return data
    if not isinstance(data, list):
        raise StgError(f"--plan {path}: needs a list of records, or an object with such a list for each game_id")
    if len(rows) > 1:
        raise StgError(f"--plan {path}: one plan for {len(rows)} games; give an object with a plan for each game_id")
    return {None: data}


def read_jobs(
    options: argparse.Namespace, rows: list[Any], model, processor, season: Season
) -> tuple[list[Job], list[StgError]]:
    """Jobs of the valid games, and the errors of the others. A bad plan or writer raises."""
    plans = read_plans(options.plan, rows)
    named = options.writer is not None and processor.writer_id(options.writer) < len(processor.writers)
    if named and not model.config.use_writer:
        raise StgError(f"--writer {options.writer}: {options.model} was trained without writers; leave --writer out")
    jobs, errors = [], []
    unused = {game_id for game_id in plans if game_id is not None}
    source = source_of(options)
    for index, row in enumerate(rows):
        place = f"{source}: games[{index}]" if len(rows) > 1 else source
        try:
            if isinstance(row, StgError):
                raise row
            game = row if isinstance(row, Game) else Game.from_json(row, f"{place}.")
            if len(game.players) < 2:
                raise GameError(f"{place}.box_score: {len(game.players)} player; a recap needs two or more")
            writer = options.writer if options.writer is not None else _own_writer(row, processor)
            if writer is None:
                writer = processor.default_writer_of(game)
        except StgError as error:
            errors.append(_located(place, error))
            continue
        facts = GameFacts(game, season)
        unused.discard(game.game_id)
        plan = plans.get(game.game_id, plans.get(None))
        try:
            check_controls(options, model, processor, facts, None, plan)
        except StgError as error:
            raise StgError(f"--plan {options.plan}: {error}") from None  # the plan is wrong, not the game
        try:
            check_controls(options, model, processor, facts, options.must_mention, plan)
        except StgError as error:
            errors.append(_located(place, error))
            continue
        writer = writer if model.config.use_writer else UNKNOWN_WRITER
        jobs.append(Job(index, facts, writer, options.must_mention, plan))
    if unused and not errors:  # otherwise the plan may be for a bad game
        raise StgError(f"--plan {options.plan}: {min(unused)!r} is not the game_id of any of the games")
    return jobs, errors


def _own_writer(row: Any, processor) -> Any:
    """The writer that a game names; None, for the default one, if the model does not know the dataset's writers."""
    writer = None if isinstance(row, Game) else row.get("writer")
    if isinstance(writer, int) and 0 <= writer < len(WRITER_LABELS) and WRITER_LABELS[writer] not in processor.writers:
        return None
    if writer is not None:
        processor.writer_id(writer)
    return writer


def check_controls(
    options: argparse.Namespace, model, processor, facts: GameFacts, must_mention: list[str] | None, plan: list | None
) -> None:
    """Raises what `generate` would raise for these controls, without generating."""
    from modeling_stg.controls import check_demands, read_controls
    from modeling_stg.settings import DEFAULTS

    max_new_tokens = generation_option(options, model, "max_new_tokens") or DEFAULTS["max_new_tokens"]
    avoid_repeats = bool(generation_option(options, model, "avoid_repeats"))
    read_controls(processor.layout, [facts], [must_mention], [plan])
    check_demands(processor.layout, facts, must_mention, plan, max_new_tokens, avoid_repeats)


def _located(place: str, error: StgError) -> StgError:
    lines = [line if line.startswith(place) else f"{place}: {line}" for line in str(error).splitlines()]
    return StgError("\n".join(lines))
