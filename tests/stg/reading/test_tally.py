"""Tallies, agreement and their tables, against values computed by hand."""

import numpy as np
import pytest

from stg.reading.agreement import agreement, kappa
from stg.reading.forms import COUNTED, Reading, Verdict
from stg.reading.report import tally_json, tally_markdown
from stg.reading.tally import interval, tally


KEY = [
    {"packet": packet, "game_id": f"game {packet}", "texts": {"Text 1": "ours", "Text 2": "people"}}
    for packet in (1, 2, 3)
]


def reading(reader: str, packet: int, **systems: tuple) -> Reading:
    """A reading from counts of false, undecidable and senseless, then publish and rank."""
    verdicts = {}
    for system, (*counts, publish, rank) in systems.items():
        quotes = {
            field: [f"{field} {at}" for at in range(count)] for field, count in zip(COUNTED, counts, strict=True)
        }
        verdicts[system] = Verdict(quotes, publish, rank)
    return Reading(reader, packet, verdicts)


READINGS = [
    reading("anna", 1, ours=(2, 0, 1, "no", 2), people=(0, 1, 0, "yes", 1)),
    reading("anna", 2, ours=(4, 0, 0, "no", 2), people=(1, 0, 0, "light edits", 1)),
    reading("bob", 1, ours=(3, 0, 0, "no", 2), people=(0, 0, 0, "yes", 1)),
    reading("bob", 2, ours=(1, 2, 0, "light edits", 1), people=(1, 1, 0, "light edits", 2)),
]


def test_scores_by_hand():
    result = tally(READINGS)
    ours, people = result["systems"]["ours"], result["systems"]["people"]
    assert [ours[field]["mean"] for field in COUNTED] == [2.5, 0.5, 0.25]
    assert [people[field]["mean"] for field in COUNTED] == [0.5, 0.5, 0]
    assert ours["publish"] == {"yes": 0, "light edits": 1, "no": 3}
    assert people["publish"] == {"yes": 2, "light edits": 2, "no": 0}
    assert (ours["rank"], people["rank"]) == (1.75, 1.25)
    assert result["pairs"] == [
        {"system": "ours", "above": "people", "share": 0.25},
        {"system": "people", "above": "ours", "share": 0.75},
    ]
    assert ours["false"]["interval"] == [2.5, 2.5]  # both games have a mean of 2.5
    assert people["false"]["interval"] == [0, 1]  # a quarter of the samples each are (0, 0) and (1, 1)


def test_each_game_counts_once_however_many_read_it():
    more = [*READINGS, reading("cleo", 2, ours=(10, 0, 0, "no", 2), people=(0, 0, 0, "yes", 1))]
    result = tally(more)["systems"]
    assert result["ours"]["false"]["mean"] == pytest.approx((2.5 + 5) / 2)
    assert sum(result["ours"]["publish"].values()) == 5


def test_intervals_resample_games_with_a_fixed_seed():
    counts = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] * 10)
    low, high = interval(counts)
    half_width = 1.96 * counts.std() / 10  # of a normal distribution
    assert (low, high) == pytest.approx((4.5 - half_width, 4.5 + half_width), abs=0.05)
    assert interval(counts) == [low, high]


def test_agreement_by_hand():
    [row] = agreement(READINGS)
    # no-no, yes-yes, no-light, light-light: 3/4 observed; (2 * 1 + 1 * 1 + 1 * 2) / 16 by chance
    assert row["readers"] == ["anna", "bob"] and row["texts"] == 4 and row["publish"] == 0.75
    assert row["kappa"] == pytest.approx((12 - 5) / (16 - 5)) and row["order"] == 0.5


def test_agreement_needs_packets_that_both_read():
    one, other = READINGS[0], reading("bob", 3, ours=(0, 0, 0, "no", 1), people=(0, 0, 0, "no", 2))
    assert agreement([one]) == []
    [row] = agreement([one, other])
    assert row == {"readers": ["anna", "bob"], "texts": 0, "publish": None, "kappa": None, "order": None}
    assert len(agreement([*READINGS, one._replace(reader="cleo")])) == 3


def test_kappa():
    assert kappa([("yes", "yes"), ("no", "no")]) == 1
    assert kappa([("yes", "no"), ("no", "yes")]) == -1
    assert kappa([("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]) == 0
    assert kappa([("no", "no")]) is None  # whoever always says no agrees by chance


def test_tables_and_raw_readings():
    result = tally_json(READINGS, KEY)
    assert result["forms"] == {"anna": 2, "bob": 2} and result["packets"] == 3 and result["games_read"] == 2
    assert result["readings"][0]["game_id"] == "game 1"
    assert result["readings"][0]["texts"]["people"] == {
        **{"false": [], "undecidable": ["undecidable 0"], "senseless": []},
        **{"publish": "yes", "rank": 1},
    }
    assert result["by_reader"]["anna"]["ours"]["false"]["mean"] == 3
    lines = [" ".join(line.split()) for line in tally_markdown(result).splitlines()]
    assert lines[0].startswith("4 forms on 2 of 3 games, by anna (2), bob (2). Claims and sentences per recap")
    ours = "| ours | 2.50 (2.50..2.50) | 0.50 (0.00..1.00) | 0.25 (0.00..0.50) | 0 / 1 / 3 | 1.75 |"
    assert ours in lines and "| people | 75 | - |" in lines
    assert "| ours, anna | 3.00 | 0.00 | 0.50 | 0 / 0 / 2 | 2.00 |" in lines
    assert "| anna / bob | 4 | 75 | 0.64 | 50 |" in lines


def test_one_reader_and_one_system_have_no_comparisons():
    alone = [one._replace(verdicts={"ours": one.verdicts["ours"]}) for one in READINGS[:2]]
    page = tally_markdown(tally_json(alone, KEY))
    assert "2 forms on 2 of 3 games, by anna (2)." in page and "readers" not in page.split("\n", 1)[1]
    assert page.count("\n| ---") == 1
