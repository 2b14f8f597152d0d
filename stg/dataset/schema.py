"""The schema of a row, shared by the configs `default`, `extra`, `partial` and `sample`."""

from collections.abc import Mapping, Sequence

import datasets

from modeling_stg.game import Entity, Game
from modeling_stg.schema import NOT_AVAILABLE, PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES, UNKNOWN_WRITER, WRITER_LABELS


_TEXT = datasets.Value("string")
_COUNT = datasets.Value("int32")

# Lists are written [feature] because datasets < 4 has no datasets.List.
FEATURES = datasets.Features(
    {
        "game_id": _TEXT,
        "day": _TEXT,
        "home_name": _TEXT,
        "home_city": _TEXT,
        "vis_name": _TEXT,
        "vis_city": _TEXT,
        "home_line": {attribute: _TEXT for attribute in TEAM_ATTRIBUTES},
        "vis_line": {attribute: _TEXT for attribute in TEAM_ATTRIBUTES},
        "box_score": [{column: _TEXT for column in ("PLAYER_NAME", *PLAYER_ATTRIBUTES)}],
        "summary": [_TEXT],
        "writer": datasets.ClassLabel(names=list(WRITER_LABELS)),
        "source_split": _TEXT,
        "source_index": _COUNT,
        "mentions": [{"position": _COUNT, "length": _COUNT, "entity": _TEXT, "attribute": _TEXT, "form": _TEXT}],
        "unexplained": [{"start": _COUNT, "end": _COUNT, "reasons": [_TEXT]}],
    }
)


def row(
    game: Game,
    summary: Sequence[str],
    writer: str | int = UNKNOWN_WRITER,
    source_split: str = "",
    source_index: int = -1,
    mentions: Sequence[Mapping] = (),
) -> dict:
    """A row of the schema FEATURES; `writer` is one of WRITER_LABELS, `mentions` are sorted and do not overlap."""
    teams = {
        "home_name": game.home.values["TEAM-NAME"],
        "home_city": game.home.values["TEAM-CITY"],
        "vis_name": game.visitor.values["TEAM-NAME"],
        "vis_city": game.visitor.values["TEAM-CITY"],
        "home_line": _cells(game.home),
        "vis_line": _cells(game.visitor),
    }
    return {
        "game_id": game.game_id,
        "day": game.day,
        **teams,
        "box_score": [{"PLAYER_NAME": player.name, **_cells(player)} for player in game.players],
        "summary": list(summary),
        "writer": str(writer),
        "source_split": source_split,
        "source_index": source_index,
        "mentions": [dict(mention) for mention in mentions],
        "unexplained": [],
    }


def _cells(entity: Entity) -> dict[str, str]:
    return {attribute: NOT_AVAILABLE if value is None else value for attribute, value in entity.values.items()}
