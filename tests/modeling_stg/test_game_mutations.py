"""Property tests: a mutated box score is read or refused with GameError, nothing else, and never changed."""

import copy
import json
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeling_stg.errors import GameError, GameWarning
from modeling_stg.game import Game, read_games
from modeling_stg.schema import MAX_PLAYERS, PLAYER_ATTRIBUTES, TEAM_ATTRIBUTES


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**20, -(10**20), 10**4000]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["N/A", "", "0", "27", "-3", "1e3", "٣", "\ud800", "9" * 5000, "Knicks", "Milwaukee"]),
)
NAME = st.text(max_size=4) | st.integers() | st.none()
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAME, inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["day", "game_id", "home_name", "vis_city", "home_line", "box_score", "summary"])
COLUMNS = ("PLAYER_NAME", *PLAYER_ATTRIBUTES)
KEYS = st.sampled_from([str(index) for index in range(28)]) | st.sampled_from(
    ["9" * 5000, "x\ny", 3, None, 2.5, ("a",)]
)


@st.composite
def mutations(draw):
    """A change to a game in place: (path, action, value); a path that does not exist is ignored."""
    path = draw(
        st.one_of(
            st.tuples(FIELDS),
            st.tuples(st.sampled_from(["home_line", "vis_line"]), st.sampled_from(TEAM_ATTRIBUTES) | NAME),
            st.tuples(st.just("box_score"), st.sampled_from(COLUMNS) | NAME),
            st.tuples(st.just("box_score"), st.sampled_from(COLUMNS), KEYS),
        )
    )
    return path, draw(st.sampled_from(["set", "set", "delete", "deep", "huge", "copy_home"])), draw(JSON)


def mutate(game: dict, path: tuple, action: str, value) -> None:
    parent = game
    for key in path[:-1]:
        if not isinstance(parent, dict) or key not in parent:
            return
        parent = parent[key]
    if not isinstance(parent, dict):
        return
    if action == "delete":
        parent.pop(path[-1], None)
    elif action == "huge":
        parent[path[-1]] = -(10**5000)  # Python itself refuses to print it
    elif action == "deep":
        nested: list = []
        for _ in range(3000):
            nested = [nested]
        parent[path[-1]] = nested
    elif action == "copy_home":
        game["vis_line"], game["vis_name"] = copy.copy(game.get("home_line")), game.get("home_name")
    else:
        parent[path[-1]] = value


def same(left, right) -> bool:
    """Equality of nested dictionaries; leaves are compared by identity, so that NaN equals itself."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return left is right


def shallow(game):
    """A copy of all dictionaries with the same leaf objects."""
    return {key: shallow(value) for key, value in game.items()} if isinstance(game, dict) else game


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(mutations(), min_size=1, max_size=4), as_row=st.booleans())
def test_mutated_box_scores_are_read_or_refused(paper, changes, as_row):
    game = copy.deepcopy(paper)
    for change in changes:
        mutate(game, *change)
    if as_row and isinstance(game.get("box_score"), dict):
        columns = {name: column for name, column in game["box_score"].items() if isinstance(column, dict)}
        keys = dict.fromkeys(key for column in columns.values() for key in column)
        game["box_score"] = [{name: column[key] for name, column in columns.items() if key in column} for key in keys]
    before = shallow(game)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        try:
            result = Game.from_json(game, "games[0].")
        except GameError as error:
            assert all(line.startswith(("games[0]", "... and ")) for line in str(error).splitlines())
            str(error).encode("utf-8")
        else:
            assert Game.from_json(result.to_json()) == result
            assert len(set(result.names)) == len(result.entities) <= MAX_PLAYERS + 2
    assert same(game, before)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_any_json_is_refused(data):
    with pytest.raises(GameError):
        Game.from_json(data)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1), noise=st.binary(max_size=3))
def test_truncated_files_are_refused(tmp_path_factory, paper, cut, noise):
    file = tmp_path_factory.getbasetemp() / "truncated.json"
    whole = json.dumps(paper).encode()
    file.write_bytes(whole[: int(cut * (len(whole) - 1))] + noise)
    with pytest.raises(GameError):
        read_games(file)
