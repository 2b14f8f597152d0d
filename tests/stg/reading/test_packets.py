"""Packets: what is drawn, what readers see, and that the key belongs to it."""

import json
import re
from collections import Counter

import pytest

from modeling_stg.errors import StgError
from modeling_stg.game_facts import GameFacts
from stg.reading.fact_sheet import fact_sheet
from stg.reading.packets import draw_packets, key_file, packet_files
from tests.helpers.made_games import made_game, made_team


SYSTEMS = ("alphasystem", "betasystem", "gammasystem")


@pytest.fixture
def games() -> list[GameFacts]:
    days = [f"01_{day:02d}_17" for day in range(1, 21)]
    return [
        GameFacts(made_game(made_team("Jazz", True, 100 + at), made_team("Heat", False, 90), day=day))
        for at, day in enumerate(days)
    ]


@pytest.fixture
def texts(games) -> dict[str, list[str]]:
    return {name: [f"Recap {at} in style {style}." for at in range(len(games))] for style, name in enumerate(SYSTEMS)}


def texts_of(packet: str) -> dict[str, str]:
    """The texts of a packet's page by their labels, read as a reader sees them."""
    return dict(re.findall(r"^## (Text \d+)\n\n(.+)$", packet, flags=re.MULTILINE))


def test_key_names_the_system_of_every_text(games, texts):
    """Fails if labels and key disagree, or if a text is shown with another game."""
    packets = draw_packets(games, texts, 12, seed=3)
    files, key = packet_files(packets), json.loads(key_file(packets, seed=3))
    assert key["seed"] == 3 and [row["packet"] for row in key["packets"]] == list(range(1, 13))
    game_ids = [facts.game.game_id for facts in games]
    for row in key["packets"]:
        shown = texts_of(files[f"packet_{row['packet']:02d}.md"])
        at = game_ids.index(row["game_id"])
        assert shown == {label: texts[system][at] for label, system in row["texts"].items()}
        assert fact_sheet(games[at]) in files[f"packet_{row['packet']:02d}.md"]
        form = json.loads(files[f"form_{row['packet']:02d}.json"])
        assert form["packet"] == row["packet"] and list(form["texts"]) == list(shown) == ["Text 1", "Text 2", "Text 3"]


def test_readers_never_see_a_system_or_game_id(games, texts):
    files = packet_files(draw_packets(games, texts, 5, seed=0))
    assert len(files) == 2 * 5 + 1
    for content in files.values():
        assert not any(name in content for name in [*SYSTEMS, "01_"])


def test_seed_decides_games_and_order(games, texts):
    drawn = {seed: packet_files(draw_packets(games, texts, 6, seed)) for seed in (1, 2)}
    assert drawn[1] != drawn[2] and drawn[1] == packet_files(draw_packets(games, texts, 6, 1))
    reordered = dict(reversed(texts.items()))  # the order of --texts does not matter
    assert drawn[1] == packet_files(draw_packets(games, reordered, 6, 1))


def test_every_system_stands_in_every_place(games, texts):
    first = Counter(packet.systems["Text 1"] for seed in range(30) for packet in draw_packets(games, texts, 10, seed))
    assert set(first) == set(SYSTEMS) and min(first.values()) > 70  # of 300; 100 expected


def test_only_games_with_all_texts_are_drawn(games, texts):
    texts["betasystem"][4:] = [" "] * 16
    packets = draw_packets(games, texts, 4, seed=0)
    assert {packet.facts.game.game_id for packet in packets} == {facts.game.game_id for facts in games[:4]}
    with pytest.raises(StgError, match="--n 5: only 4 of 20 games have a text of every system; give a smaller"):
        draw_packets(games, texts, 5, seed=0)


def test_blank_forms_and_file_names(games, texts):
    files = packet_files(draw_packets(games, {"one": texts["alphasystem"]}, 1, seed=0))
    assert sorted(files) == ["INSTRUCTIONS.md", "form_01.json", "packet_01.md"]
    blank = {"false": [], "undecidable": [], "senseless": [], "publish": ""}
    assert json.loads(files["form_01.json"]) == {"packet": 1, "texts": {"Text 1": blank}, "rank": []}


def test_file_names_sort_by_number(games, texts):
    hundred = packet_files(draw_packets(games, texts, 1, seed=0) * 100)
    assert [name for name in sorted(hundred) if "form" in name][0::99] == ["form_001.json", "form_100.json"]
