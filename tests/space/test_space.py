"""The Gradio Space: started as it is on the Hub, its API called, its tools listed. Skipped without gradio."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import yaml


def test_card_and_requirements_fit_the_app(root):
    _, header, body = (root / "space" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(header)
    assert card["sdk"] == "gradio" and (root / "space" / card["app_file"]).is_file()
    assert len(card["short_description"]) <= 60, "the Hub refuses longer ones"
    requirements = (root / "space" / "requirements.txt").read_text().split()
    assert {"gradio[mcp]", "stg-data-to-text", "torch==2.13.0"} == set(requirements)


@pytest.fixture(scope="module")
def client(root, tmp_path_factory):
    pytest.importorskip("gradio", reason="the Space needs gradio[mcp], in an environment of its own")
    from gradio_client import Client

    environment = {**os.environ, "GRADIO_SERVER_PORT": "7871", "GRADIO_ANALYTICS_ENABLED": "False"}
    log = tmp_path_factory.mktemp("space") / "log"
    command = [sys.executable, str(root / "space" / "app.py")]
    with log.open("w") as file, subprocess.Popen(command, cwd=root, env=environment, stdout=file, stderr=file) as app:
        try:
            for _ in range(300):
                if "Running on local URL" in log.read_text() or app.poll() is not None:
                    break
                time.sleep(1)
            assert app.poll() is None, log.read_text()
            yield Client("http://127.0.0.1:7871", verbose=False)
        finally:
            app.terminate()


@pytest.fixture(scope="module")
def box_score(root) -> str:
    return Path(root / "examples" / "bucks_at_knicks.json").read_text(encoding="utf-8")


def test_generate_writes_a_recap_with_its_facts(client, box_score):
    text, facts = client.predict(box_score, "story", 1, api_name="/generate")
    assert "Bucks" in text and {"Knicks", "Bucks"} <= {fact["entity"] for fact in facts}
    assert all(fact["form"] != "free" for fact in facts)


def test_check_finds_what_is_false(client, box_score):
    summary, findings = client.predict(box_score, "Carmelo Anthony had 31 points.", api_name="/check")
    assert "1 false" in summary and [finding["truth"] for finding in findings] == ["30"]


def test_mistakes_are_shown(client):
    with pytest.raises(Exception, match="box score: is not JSON"):
        client.predict("{", "Some text.", api_name="/check")


def test_generate_and_check_are_tools_of_the_mcp_server(client):
    with urllib.request.urlopen("http://127.0.0.1:7871/gradio_api/mcp/schema") as answer:
        tools = {tool["name"]: tool for tool in json.load(answer)}
    assert set(tools) == {"generate", "check"}
    assert tools["check"]["description"].startswith("Check a recap of an NBA game")
    assert set(tools["generate"]["inputSchema"]["properties"]) == {"box_score", "style", "seed"}
