"""Builds never overwrite foreign files, and leave out held-out games however they are spelled."""

from pathlib import Path

import pytest

from modeling_stg.errors import GameError
from modeling_stg.game import Game
from stg.dataset import build
from stg.dataset.archive import ArchiveError
from stg.dataset.join import Entry, Joined, join_extra
from tests.helpers import tiny_model


@pytest.fixture(scope="module")
def game() -> dict:
    return Game.from_json(tiny_model.league()[0]).to_json()


@pytest.mark.parametrize("field", ["day", "vis_name", "home_name"])
def test_held_out_game_is_left_out_however_it_is_spelled(field, game):
    date = game["day"].split("_")
    other = "_".join(str(int(part)) for part in date) if field == "day" else f" {game[field]} "
    held_out = Entry(game, "3", "test", 0)
    default = Joined({"train": (), "validation": (), "test": (held_out,)})
    joined = join_extra([{**game, field: other}, {**game, "day": "11_11_11"}], default)
    assert [entry.data["day"] for entry in joined.entries["train"]] == ["11_11_11"]
    assert joined.left_out == ["1 games that default has in test"]
    assert Entry({**game, field: other, "summary": ["Hi"]}, "3", "test", 0).row()["game_id"] == held_out.game_id


@pytest.mark.parametrize("invalid", [{}, {"day": 5, "vis_name": "A", "home_name": "B"}, [], None])
def test_entry_without_day_or_teams_is_refused(invalid):
    with pytest.raises(GameError, match="is not a game with day, vis_name and home_name"):
        _ = Entry(invalid, "3", "test", 0).game_id


@pytest.mark.parametrize("name", ["README.md", "default/thesis.txt"])
def test_build_overwrites_only_builds(name, tmp_path):
    file = tmp_path / "out" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(ArchiveError, match=f"--output .*: {name.split('/')[0]} exists and is not from a build"):
        build.build_all(["default"], {}, tmp_path / "out")
    assert file.read_text() == "mine"


def half_swapped(output: Path) -> None:
    """Two configs on their way into place."""
    for name in ("default", "extra"):
        for folder, text in ((output / name, "old"), (output / build.SWAPPING / name, "new")):
            folder.mkdir(parents=True)
            (folder / "x").write_text(text)


def test_folders_that_cannot_be_replaced_are_kept(tmp_path, monkeypatch):
    half_swapped(tmp_path)
    rename, calls = Path.rename, []

    def failing(self, target):
        calls.append(self)
        if len(calls) == 4:  # the second new folder
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError):
        build.finish_swap(tmp_path)
    assert [(tmp_path / name / "x").read_text() for name in ("default", "extra")] == ["old", "old"]
    assert not (tmp_path / build.SWAPPING).exists()


@pytest.mark.parametrize("renames", range(5))
def test_a_build_killed_between_two_exchanges_is_completed(renames, tmp_path, monkeypatch):
    half_swapped(tmp_path)
    monkeypatch.setattr(build, "build_page", lambda folder: "page")
    monkeypatch.setattr(build, "card", lambda folder: "card")
    monkeypatch.setattr(build, "stamp_built", lambda folder: None)
    rename, calls = Path.rename, []

    class Killed(BaseException):
        pass

    def killed(self, target):
        if len(calls) == renames:
            raise Killed
        calls.append(self)
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", killed)
        if renames < 4:
            with pytest.raises(Killed):
                build.finish_swap(tmp_path)
    build.finish_swap(tmp_path)
    assert [(tmp_path / name / "x").read_text() for name in ("default", "extra")] == ["new", "new"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["BUILD.md", "README.md", "default", "extra"]


def test_failed_push_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setattr("huggingface_hub.HfApi.create_repo", lambda *_, **__: 1 / 0)
    with pytest.raises(ArchiveError, match="--push_to_hub a/b: division by zero; the data is built"):
        build.push(tmp_path, "a/b")
