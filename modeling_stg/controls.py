"""Turns a user's demands (names and attributes) into tensors, and refuses impossible ones."""

import difflib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from .configuration_stg import StgConfig
from .errors import StgError
from .fact_schema import TEAM_FACTS, is_stated
from .game import Game
from .game_facts import GameFacts
from .numbers import is_numeral
from .schema import NAME_ATTRIBUTES, PLAYER_FULL_NAME, TEAM_FULL_NAME, attribute_of_type
from .text import plain_letters
from .validation import show


MOST_ENTRIES = 2000  # a recap has some 400 tokens; each entry is a tensor of all records


def number_words(vocabulary: Mapping[str, int]) -> list[int]:
    """Ids of the numerals, which may be written only as facts with `grounded_only`."""
    return sorted(index for word, index in vocabulary.items() if is_numeral(word))


def read_controls(
    config: StgConfig, games: Sequence[GameFacts], must_mention: Sequence | None, plan: Sequence | None
) -> dict[str, torch.Tensor]:
    """Builds the tensors `required` and `plan` of a batch.

    Args:
        must_mention, plan: a list of entries for each game, or None. An entry is "Name", "Name:ATTRIBUTE" or
            (name, attribute). In must_mention, "Name" is met by any of the entity's names, "Name:ATTRIBUTE" by that
            record. In a plan, "Name" stands for the full name (city and name of a team, first and second name of a
            player).
    """
    tensors = {}
    if must_mention is not None:
        required_groups = [
            _required_groups(config, facts, entries, f"must_mention[{index}]")
            for index, (facts, entries) in enumerate(_by_game("must_mention", games, must_mention))
        ]
        most_groups, entities = max(map(len, required_groups)), max(len(facts.game.entities) for facts in games)
        required = torch.zeros(len(games), most_groups, entities, config.num_slots, dtype=torch.bool)
        for row, groups in enumerate(required_groups):
            for column, records in enumerate(groups):
                for entity, slot in records:
                    required[row, column, entity, slot] = True
        if most_groups:
            tensors["required"] = required
    if plan is not None:
        plans = [
            _plan(config, facts, entries, f"plan[{index}]")
            for index, (facts, entries) in enumerate(_by_game("plan", games, plan))
        ]
        cells = torch.full((len(games), max(map(len, plans))), -1)
        for row, records in enumerate(plans):
            for column, (entity, slot) in enumerate(records):
                cells[row, column] = config.record_ids.cell(entity, slot)
        if cells.shape[1]:
            tensors["plan"] = cells
        both = zip(plans, required_groups if must_mention is not None else [], strict=False)
        for row, (records, groups) in enumerate(both):
            for group in groups:
                if records and not set(group) & set(records):
                    entity, slot = group[0]
                    record = f"{games[row].game.entities[entity].name}'s {config.attribute(entity, slot)}"
                    raise StgError(
                        f"must_mention[{row}]: {record} is not in the plan, which is followed exactly; add it"
                    )
    return tensors


def check_demands(
    config: StgConfig, facts: GameFacts, must_mention: Iterable | None, plan: Iterable | None, room: int, once: bool
) -> None:
    """Raises an StgError if `room` tokens are too few, or if the plan states a number twice that may be stated `once`.

    `generate` checks this too, but cannot name players and teams.
    """
    game, records = facts.game, _plan(config, facts, plan, "plan")
    needed = len(records) or 2 * len(_entries(must_mention, "must_mention"))
    if needed + 1 > room:
        raise StgError(
            f"max_new_tokens: {room} leaves no room for the {needed} tokens demanded of game {game.game_id}; "
            f"raise it to {needed + 1} or more"
        )
    for entity, slot in records:
        attribute = config.attribute(entity, slot)
        if once and config.is_number(attribute) and records.count((entity, slot)) > 1:
            name = game.entities[entity].name
            raise StgError(
                f"plan of game {game.game_id}: states {name}'s {attribute} twice; drop one, or turn off avoid_repeats"
            )


def _by_game(field: str, games: Sequence[GameFacts], lists: Sequence) -> list[tuple[GameFacts, Sequence]]:
    if isinstance(lists, (str, Mapping)) or len(lists) != len(games):
        count = "a single entry" if isinstance(lists, (str, Mapping)) else f"{len(lists)} lists"
        raise StgError(f"{field}: {count} for {len(games)} games; give one list of entries for each game, or None")
    return list(zip(games, lists, strict=True))


def _required_groups(
    config: StgConfig, facts: GameFacts, entries: Iterable | None, place: str
) -> list[list[tuple[int, int]]]:
    """For each entry, the records that satisfy it."""
    groups = []
    for number, entry in enumerate(_entries(entries, place)):
        entity, attribute = _parse(facts.game, entry, f"{place}[{number}]")
        if attribute is not None:
            groups.append([_record(config, facts, entity, attribute, f"{place}[{number}]")])
            continue
        names = [name for name in NAME_ATTRIBUTES if facts.game.entities[entity].values.get(name) is not None]
        groups.append([_record(config, facts, entity, name, f"{place}[{number}]") for name in names])
    return groups


def _plan(config: StgConfig, facts: GameFacts, entries: Iterable | None, place: str) -> list[tuple[int, int]]:
    if entries is None:
        return []
    records = []
    for number, entry in enumerate(_entries(entries, place)):
        entity, attribute = _parse(facts.game, entry, f"{place}[{number}]")
        values = facts.game.entities[entity].values
        attributes = (TEAM_FULL_NAME if entity < 2 else PLAYER_FULL_NAME) if attribute is None else [attribute]
        for name in attributes:
            if attribute is not None or values[name] is not None:
                records.append(_record(config, facts, entity, name, f"{place}[{number}]"))
    if not records:
        raise StgError(f"{place}: an empty plan; name at least one record, or use None for no plan")
    return records


def _entries(entries: Iterable | None, place: str) -> list:
    if isinstance(entries, (str, Mapping)) or not (entries is None or isinstance(entries, Iterable)):
        raise StgError(f"{place}: {show(entries)} is not a list of entries")
    listed = list(itertools.islice(entries or [], MOST_ENTRIES + 1))
    if len(listed) > MOST_ENTRIES:
        raise StgError(f"{place}: has more than {MOST_ENTRIES} entries; no recap states so many")
    return listed


def _parse(game: Game, entry: Any, place: str) -> tuple[int, str | None]:
    pair: tuple[Any, Any]
    if isinstance(entry, str):
        name, colon, attribute = entry.rpartition(":")
        pair = (name.strip(), attribute.strip()) if colon else (entry.strip(), None)
    elif isinstance(entry, Mapping) and set(entry) == {"entity", "attribute"}:
        pair = (entry["entity"], entry["attribute"])
    elif isinstance(entry, Sequence) and len(entry) == 2:
        pair = tuple(entry)
    else:
        raise StgError(f"{place}: {show(entry)} is not an entry; write 'Name', 'Name:ATTRIBUTE' or [name, attribute]")
    names: dict[str, int] = {}
    for position, entity in enumerate(game.entities):
        names[entity.name] = position
        names.setdefault(plain_letters(entity.name), position)
        if entity.is_team:
            names.setdefault(entity.full_name, position)
    if isinstance(entry, str) and entry.strip() in names:
        pair = (entry.strip(), None)  # a name may contain a colon
    if isinstance(pair[0], str) and pair[0] not in names:
        pair = plain_letters(pair[0]), pair[1]
    if not isinstance(pair[0], str) or pair[0] not in names:
        matches = difflib.get_close_matches(show(pair[0]).strip("'"), names, n=1, cutoff=0.6)
        hint = f"did you mean {matches[0]!r}?" if matches else f"it has {', '.join(game.names)}"
        raise StgError(f"{place}: {show(pair[0])} is no team or player of game {game.game_id}; {hint}")
    return names[pair[0]], pair[1]


def _record(config: StgConfig, facts: GameFacts, entity: int, attribute: str, place: str) -> tuple[int, int]:
    slots = config.team_attributes if entity < 2 else config.player_attributes
    attributes = [attribute for attribute in slots if is_stated(attribute)]
    name = facts.game.entities[entity].name
    if isinstance(attribute, str):
        attribute = attribute_of_type(attribute)  # accepts "PLAYER-PTS", as in relations
        if entity < 2 and f"TEAM-{attribute}" in TEAM_FACTS:
            attribute = f"TEAM-{attribute}"  # accepts "LEAD_Q3" for a team's fact
    if attribute not in attributes:
        matches = difflib.get_close_matches(show(attribute).strip("'"), attributes, n=1, cutoff=0.5)
        hint = f"did you mean {matches[0]!r}? " if matches else ""
        kind, known = "team" if entity < 2 else "player", ", ".join(attributes)
        raise StgError(f"{place}: {show(attribute)} is no attribute of a {kind}; {hint}use one of {known}")
    if facts.get(entity, attribute) is None:
        raise StgError(f"{place}: {name}'s {attribute} is N/A in game {facts.game.game_id} and cannot be stated")
    return entity, list(slots).index(attribute)
