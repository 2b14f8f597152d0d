"""Filled-in forms: read by the key, and every mistake named."""

import copy
import json
import re

import pytest

from modeling_stg.errors import StgError
from stg.reading.forms import Verdict, blank_form, read_forms, read_key
from stg.reading.packets import INSTRUCTIONS


KEY = [
    {"packet": 1, "game_id": "a", "texts": {"Text 1": "ours", "Text 2": "people"}},
    {"packet": 2, "game_id": "b", "texts": {"Text 1": "people", "Text 2": "ours"}},
]
GOOD = {
    "packet": 2,
    "texts": {
        "Text 1": {"false": ["on Thursday"], "undecidable": [], "senseless": [], "publish": "light edits"},
        "Text 2": {"false": [], "undecidable": ["a sore knee"], "senseless": ["So so ."], "publish": "no"},
    },
    "rank": ["Text 2", "Text 1"],
}


@pytest.fixture
def read(tmp_path):
    def read(form, name="form_02.json"):
        (tmp_path / name).write_text(form if isinstance(form, str) else json.dumps(form), encoding="utf-8")
        return read_forms(tmp_path, "anna", KEY)

    return read


def test_labels_become_systems_by_the_key(read):
    [reading], problems = read(GOOD)
    assert problems == [] and (reading.reader, reading.packet) == ("anna", 2)
    assert reading.verdicts == {
        "people": Verdict({"false": ["on Thursday"], "undecidable": [], "senseless": []}, "light edits", 2),
        "ours": Verdict({"false": [], "undecidable": ["a sore knee"], "senseless": ["So so ."]}, "no", 1),
    }


def test_the_example_of_the_instructions_is_a_good_form(read):
    [example] = re.findall(r"```json\n(.*?)```", INSTRUCTIONS.read_text(encoding="utf-8"), flags=re.S)
    [reading], problems = read(example, "form_01.json")
    assert problems == [] and reading.verdicts["ours"].publish == "no"


def test_blank_form_is_not_filled_in(read):
    [], [problem] = read(blank_form(2, ["Text 1", "Text 2"]))
    assert 'Text 1, publish: "" is no verdict; write yes, light edits or no; Text 2, publish: ""' in problem
    assert 'rank: [] does not list every text once; write ["Text 1", "Text 2"], but the best first' in problem


def changed(path: str, value: object) -> dict:
    form = copy.deepcopy(GOOD)
    *parents, last = path.split("/")
    place: dict = form
    for name in parents:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return form


@pytest.mark.parametrize(
    "form, message",
    [
        ("{", "is not valid JSON"),
        ([], "[] is not an object with packet, texts, rank; start again from the blank form"),
        (changed("packet", 1), "packet: 1 is not 2; is this the form of another packet?"),
        (changed("packet", None), "packet: is missing; write it as in the blank form"),
        (changed("remarks", "x"), "remarks: is not a field of the form; remove it"),
        (changed("texts", []), "texts: [] is not an object with Text 1, Text 2"),
        (changed("texts/Text 2", None), "texts, Text 2: is missing"),
        (changed("texts/Text 3", {}), "texts, Text 3: is not a field of the form"),
        (changed("texts/Text 1", "good"), 'Text 1: "good" is not an object with false, undecidable, senseless'),
        (changed("texts/Text 1/false", None), "Text 1, false: is missing"),
        (changed("texts/Text 1/flase", []), "Text 1, flase: is not a field of the form"),
        (changed("texts/Text 1/false", 3), 'Text 1, false: 3 is not a list; write [] or ["a quotation"]'),
        (changed("texts/Text 1/false", [3]), "Text 1, false: 3 is not a quotation; write the words of the text"),
        (changed("texts/Text 1/false", [" "]), 'Text 1, false: " " is not a quotation'),
        (changed("texts/Text 1/false", ["x", "x"]), 'Text 1, false: "x" is also in false; count each claim once'),
        (changed("texts/Text 1/senseless", ["on  Thursday"]), 'senseless: "on  Thursday" is also in false; count'),
        (changed("texts/Text 2/publish", "maybe"), 'Text 2, publish: "maybe" is no verdict; write yes, light edits'),
        (changed("rank", ["Text 1", "Text 1"]), 'rank: ["Text 1", "Text 1"] does not list every text once'),
        (changed("rank", [1, 2]), "rank: [1, 2] does not list every text once"),
        (changed("rank", "Text 1"), 'rank: "Text 1" does not list'),
    ],
)
def test_mistakes_name_file_text_and_field(read, tmp_path, form, message):
    readings, [problem] = read(form)
    assert readings == [] and problem.startswith(f"{tmp_path / 'form_02.json'}: ") and message in problem


def test_all_problems_of_a_form_are_reported_at_once(read):
    form = changed("rank", [])
    form["texts"]["Text 1"]["publish"] = form["texts"]["Text 2"]["false"] = "?"
    [], [problem] = read(form)
    assert [part.split(":")[0] for part in problem.split(": ", 1)[1].split("; ") if "write" not in part] == [
        "Text 1, publish",
        "Text 2, false",
        "rank",
    ]


def test_a_reader_may_leave_out_packets_but_not_invent_any(read, tmp_path):
    assert len(read(GOOD)[0]) == 1
    [_], [problem] = read(GOOD, "form_03.json")
    assert problem == f"{tmp_path / 'form_03.json'}: is the form of no packet in the key; remove it"


def test_folders_without_forms_are_errors(tmp_path):
    with pytest.raises(StgError, match="holds no form; name the folder with form_01.json"):
        read_forms(tmp_path, "anna", KEY)
    with pytest.raises(StgError, match="none: is not a folder; name one folder of forms for each reader"):
        read_forms(tmp_path / "none", "anna", KEY)


@pytest.mark.parametrize("key", [[], {}, {"packets": []}, {"packets": [{}]}, {"packets": [*KEY, {"packet": 3}]}])
def test_a_file_that_is_no_key_is_an_error(tmp_path, key):
    (tmp_path / "key.json").write_text(json.dumps({"packets": KEY}))
    assert read_key(tmp_path) == KEY
    (tmp_path / "key.json").write_text(json.dumps(key))
    with pytest.raises(StgError, match="key.json: is not a key of `stg read prepare`; name the folder that it made"):
        read_key(tmp_path)
