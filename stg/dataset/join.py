"""Joins games with writers: the configs `default`, `extra` and `partial` as lists of `Entry`.

`default` is RotoWire-Modified, selected from RotoWire by the lookup tables. `extra` and `partial` are more training
texts, without the games that `default` has in validation and test.
"""

import contextlib
import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling_stg.errors import GameError
from modeling_stg.game import Game
from modeling_stg.schema import UNKNOWN_WRITER
from stg.dataset.archive import SPLITS, ArchiveError, Lookup
from stg.dataset.schema import row


SOURCE_GAMES = {"train": 3398, "valid": 727, "test": 728}
JOINED_ROWS = {"train": 2705, "valid": 532, "test": 497}
NAMES = {"train": "train", "valid": "validation", "test": "test"}  # RotoWire's split names to those of `datasets`


@dataclass(frozen=True)
class Entry:
    """A game as read from its source, with its writer."""

    data: Any
    writer: str
    source_split: str
    source_index: int

    @property
    def place(self) -> str:
        return f"{self.source_split}[{self.source_index}]."

    @property
    def game_id(self) -> str:
        """The day and the teams, normalised as `Game` does, so that sources can be compared."""
        try:
            day, *teams = (" ".join(self.data[name].split()) for name in ("day", "vis_name", "home_name"))
        except (KeyError, TypeError, IndexError, AttributeError):
            raise GameError(f"{self.place}: is not a game with day, vis_name and home_name") from None
        with contextlib.suppress(ValueError):  # not a date: `Game` reports it
            day = f"{datetime.datetime.strptime(day, '%m_%d_%y'):%m_%d_%y}"
        return "-".join([day, *teams]).replace(" ", "_")

    def row(self) -> dict[str, Any]:
        """The dataset row, as `schema.FEATURES` describes it."""
        game = Game.from_json({**self.data, "game_id": self.game_id}, self.place)
        summary = self.data.get("summary")
        if not isinstance(summary, list) or not summary or not all(isinstance(word, str) and word for word in summary):
            raise GameError(f"{self.place}summary: is not a list of words; a game needs its summary's tokens")
        return row(game, summary, self.writer, self.source_split, self.source_index)


@dataclass(frozen=True)
class Joined:
    """The entries of one config by split, and a line for everything left out."""

    entries: dict[str, tuple[Entry, ...]]
    left_out: list[str] = field(default_factory=list)


def join_default(
    games: Mapping[str, Sequence[Any]], lookups: Mapping[str, Sequence[Lookup]], allow_missing: bool = False
) -> Joined:
    """Joins RotoWire-Modified. Rows that the archive lacks are an error unless `allow_missing`."""
    for split in SPLITS:
        if len(lookups[split]) != JOINED_ROWS[split]:
            raise ArchiveError(
                f"{split}-lookup.txt: {len(lookups[split]):,} rows instead of {JOINED_ROWS[split]:,}; "
                "take the tables of aistairc/rotowire-modified"
            )
        if len(games[split]) > SOURCE_GAMES[split]:
            raise ArchiveError(
                f"{split}.json: {len(games[split]):,} games instead of {SOURCE_GAMES[split]:,}; this is not RotoWire"
            )
    left_out = [
        f"{split}.json holds {len(games[split]):,} of {SOURCE_GAMES[split]:,} games"
        for split in SPLITS
        if len(games[split]) < SOURCE_GAMES[split]
    ]
    entries = {}
    for split in SPLITS:
        present = [lookup for lookup in lookups[split] if lookup.index < len(games[lookup.split])]
        missing = [lookup for lookup in lookups[split] if lookup.index >= len(games[lookup.split])]
        if missing:
            left_out.append(
                f"{NAMES[split]} has {len(present):,} of {len(lookups[split]):,} rows; "
                f"{len(missing):,} missing: {_index_ranges(missing)}"
            )
        entries[NAMES[split]] = tuple(
            Entry(games[lookup.split][lookup.index], str(lookup.writer), lookup.split, lookup.index)
            for lookup in present
        )
    if left_out and not allow_missing:
        raise ArchiveError(
            f"the archive is incomplete: {'; '.join(left_out)}; get the whole one, or add --allow-missing to skip them"
        )
    _refuse_leaks(entries)
    return Joined(entries, left_out)


def join_extra(games: Iterable[Any], default: Joined) -> Joined:
    """Joins more games, of unknown writers."""
    entries = [Entry(game, UNKNOWN_WRITER, "extra", index) for index, game in enumerate(games)]
    return _without_held_out(entries, default)


def join_partial(games: Sequence[Any], lookups: Mapping[str, Sequence[Lookup]], default: Joined) -> Joined:
    """Joins excerpts of train games, with the writer if the lookup table has the game."""
    writers = {lookup.index: str(lookup.writer) for lookup in lookups["train"] if lookup.split == "train"}
    whole = {entry.source_index for entry in default.entries["train"] if entry.source_split == "train"}
    entries = []
    for index, game in enumerate(games):
        source = game.get("train_index") if isinstance(game, dict) else None
        if isinstance(source, bool) or not isinstance(source, int) or not 0 <= source < SOURCE_GAMES["train"]:
            raise GameError(
                f"partial[{index}].train_index: {str(source)[:60]!r} is not an index into RotoWire's train.json"
            )
        entries.append(Entry(game, writers.get(source, UNKNOWN_WRITER), "train", source))
    partial = [entry for entry in entries if entry.source_index not in whole]
    joined = _without_held_out(partial, default)
    if len(partial) < len(entries):
        joined.left_out.append(f"{len(entries) - len(partial):,} games whose whole text is in default train")
    return joined


def _without_held_out(entries: list[Entry], default: Joined) -> Joined:
    """Drops the games that `default` has in validation or test."""
    left_out = []
    kept = entries
    for split in ("validation", "test"):
        held_out = {entry.game_id for entry in default.entries[split]}
        overlap = sum(entry.game_id in held_out for entry in entries)
        if overlap:
            left_out.append(f"{overlap:,} games that default has in {split}")
        kept = [entry for entry in kept if entry.game_id not in held_out]
    return Joined({"train": tuple(kept)}, left_out)


def _refuse_leaks(entries: Mapping[str, Sequence[Entry]]) -> None:
    """Refuses a game that is in two splits."""
    split_of: dict[str, str] = {}
    for split, rows in entries.items():
        for entry in rows:
            if split_of.setdefault(entry.game_id, split) != split:
                raise ArchiveError(
                    f"{entry.source_split}.json[{entry.source_index}]: game {entry.game_id} is in both {split} and "
                    f"{split_of[entry.game_id]}; the archive and the lookup tables do not belong together"
                )


def _index_ranges(missing: Sequence[Lookup], most: int = 6) -> str:
    """Indices by split, abbreviated: "train 1009-1011, 1014; test 7"."""
    parts = []
    for split in SPLITS:
        indices = sorted(lookup.index for lookup in missing if lookup.split == split)
        ranges: list[list[int]] = []
        for index in indices:
            if ranges and index == ranges[-1][1] + 1:
                ranges[-1][1] = index
            else:
                ranges.append([index, index])
        shown = [f"{first}" if first == last else f"{first}-{last}" for first, last in ranges]
        if len(shown) > most:
            shown = [*shown[: most - 1], f"... {shown[-1]} ({len(shown):,} ranges)"]
        if shown:
            parts.append(f"{split} {', '.join(shown)}")
    return "; ".join(parts)
