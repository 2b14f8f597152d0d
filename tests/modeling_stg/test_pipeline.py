"""The pipeline "box-score-to-text", from the folder alone, as on the Hub."""

import json
import subprocess
import sys

import pytest


PROGRAM = """
import json, sys, warnings
from transformers import pipeline

warnings.simplefilter("ignore")
write = pipeline("box-score-to-text", model="modeling_stg", trust_remote_code=True)
game = json.load(open("examples/bucks_at_knicks.json"))
quick = {"sentence_candidates": 0, "known_phrases": False, "max_new_tokens": 30, "min_new_tokens": 30}
one = write(game, writer="story", **quick)
two = write([game, game], must_mention=["Knicks:TEAM-REB"], **quick)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    write(game, **quick)
try:
    write(game, warmth=1)
except Exception as error:
    refused = str(error)
print(json.dumps({"one": one, "two": two, "refused": refused, "module": type(write).__module__,
                  "warned": [str(warning.message) for warning in caught]}))
"""


@pytest.fixture(scope="module")
def done(root) -> dict:
    process = subprocess.run([sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


def test_pipeline_is_the_folders_own_code(done):
    assert done["module"].startswith("transformers_modules.")


def test_games_become_texts_with_the_facts_behind_them(done):
    assert len(done["one"]["tokens"]) == 30 and not isinstance(done["one"], list)
    stated = [token for token in done["one"]["tokens"] if token["entity"] is not None]
    assert stated and all(token["text"] in done["one"]["text"] for token in stated)
    assert len(done["two"]) == 2


def test_controls_reach_the_processor(done):
    for recap in done["two"]:
        assert ("Knicks", "TEAM-REB") in {(token["entity"], token["attribute"]) for token in recap["tokens"]}


def test_unknown_parameters_are_refused_by_name(done):
    assert done["refused"].startswith("pipeline: warmth not known; it takes writer, must_mention, plan, seed, judge")


def test_it_says_where_the_checker_is(done):
    assert any("pip install stg-data-to-text" in message for message in done["warned"])
