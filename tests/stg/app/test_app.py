"""`stg app` over a real socket: the requests of its page, and the refusal of all others."""

import base64
import json
import re

import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.season import Season
from modeling_stg.sentence_search import Candidate
from stg.app.server import serve
from stg.app.service import App
from stg.checking.judge import CHECKED, Judge
from tests.helpers import tiny_model


GAME = {"known": "Examples/0"}  # the paper's
OPTIONS = {"writer": "", "seed": 0, "must_mention": [], "grounded_only": False, "avoid_repeats": True, "check": False}


def files(*contents: str) -> dict:
    """The request in which the page sends files."""
    encoded = [base64.b64encode(content.encode()).decode() for content in contents]
    return {"files": [{"name": f"file {index}", "content": content} for index, content in enumerate(encoded)]}


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_page_has_one_script_with_a_fresh_nonce(ask, server):
    status, headers, page = ask("GET", "/")
    assert status == 200 and "Bucks 105, Knicks 104 – 4 January 2017" in page and not re.search(r"\{\w+\}<", page)
    nonce = re.search("script-src 'nonce-(.+?)'", headers["Content-Security-Policy"])[1]
    for tag in ("script", "style"):
        assert page.count(f"<{tag}") == page.count(f'<{tag} nonce="{nonce}">') == 1
    assert not re.search(r"\bstyle=|\bon\w+=\"", page), "nothing inline that the policy would block"
    assert set(re.findall(r"https?://[\w./]+", page)) == {"http://www.w3.org/2000/svg"}, "nothing is loaded"
    assert (
        "unsafe" not in headers["Content-Security-Policy"]
        and "default-src 'none'" in headers["Content-Security-Policy"]
    )
    assert nonce not in ask("GET", "/")[2], "every response has a new nonce"
    assert server.server_address[0] == "127.0.0.1"
    assert ask("GET", "/../pyproject.toml")[0] == 404 and ask("POST", "/else", {})[0] == 404


def test_names_of_games_cannot_fill_in_the_page(ask, server, paper, monkeypatch):
    hostile = Game.from_json(json.loads(json.dumps(paper).replace('"Knicks"', '"{nonce}<b>{script}"')))
    monkeypatch.setitem(server.RequestHandlerClass.app.groups, "Examples", [hostile])
    page = ask("GET", "/")[2]
    assert "{nonce}&lt;b&gt;{script} 104" in page


def test_box_score_comes_first_with_what_does_not_add_up(ask, paper):
    [answer] = lines(ask("POST", "/box", GAME)[2])
    assert answer["html"].startswith("<h2>Milwaukee Bucks at New York Knicks</h2>") and answer["complaints"] == []
    assert answer["example"] == "Carmelo Anthony, Knicks:TEAM-REB"
    wrong = json.loads(json.dumps(paper))
    wrong["home_line"]["TEAM-PTS"] = "103"
    [answer] = lines(ask("POST", "/box", {"game": json.dumps(wrong)})[2])
    quarters, players = sorted(answer["complaints"], reverse=True)
    assert quarters == "home_line.TEAM-PTS: 103, but the quarters add up to 104"
    assert players == "home_line.TEAM-PTS: 103, but the players' PTS add up to 104"


def test_games_of_a_file_are_read_and_sent_back(ask):
    rows = [json.loads(json.dumps(row, default=str)) for row in tiny_model.league()[:2]]
    [answer] = lines(ask("POST", "/read", files(json.dumps(rows[0]), json.dumps(rows[1:])))[2])
    assert len(answer["games"]) == 2 and " – " in answer["games"][0]["title"]
    again = json.loads(answer["games"][1]["game"])
    assert Game.from_json(again) == Game.from_json(rows[1])
    assert ask("POST", "/box", {"game": answer["games"][1]["game"]})[0] == 200


def test_check_option_passes_the_judge_to_generate(ask, monkeypatch):
    calls, generate = [], StgForDataToText.generate
    monkeypatch.setattr(
        StgForDataToText, "generate", lambda self, **options: (calls.append(options), generate(self, **options))[1]
    )
    status, _, text = ask("POST", "/write", {**GAME, **OPTIONS, "check": True})
    first, *_, last = lines(text)
    assert status == 200 and last["done"] and last["text"]
    assert CHECKED.items() <= calls[0].items() and isinstance(calls[0]["judge"], Judge)
    assert first["progress"] == f"Writing {CHECKED['consensus']} recaps to choose from ..."
    assert calls[0]["grounded_only"] is False and calls[0]["avoid_repeats"] is True, "also what is switched off"


def test_recap_comes_sentence_by_sentence(ask, server, monkeypatch):
    """The text so far is shown before the candidates for the next sentence are judged, and begins again if stuck."""
    app = server.RequestHandlerClass.app
    period, end = app.model.config.period_token_id, app.model.config.eos_token_id
    word = next(iter(set(range(5, 30)) - {period, end}))
    drafts = [[], [word, period], [word, period], [], [word, period]]
    accepted = []

    def generate(judge, **_):
        for draft in drafts:
            accepted.append(judge([Candidate(0, [*draft, word], len(draft), -1.0)]))
        return torch.tensor([[word, period, end]])

    monkeypatch.setattr(app.model, "generate", generate)
    monkeypatch.setattr(app.model.generation_config, "sentence_candidates", 7, raising=False)
    answers = lines(ask("POST", "/write", {**GAME, **OPTIONS})[2])
    progress = [answer.get("progress") for answer in answers]
    assert accepted == [[0.0]] * len(drafts), "unchecked, every candidate is accepted"
    choosing = "choosing one of 7 candidates ..."
    again = "Nothing more to say, so begun again (text 2)."
    assert progress[:2] == [f"Sentence 1: {choosing}", f"Sentence 2: {choosing}"]
    assert progress[2:] == [
        f"{again} Sentence 1: {choosing}",
        f"{again} Sentence 2: {choosing}",
        "Checking it ...",
        None,
    ]
    assert ["html" in answer for answer in answers] == [False, True, False, True, True, True]
    assert "class='verdict" in answers[-1]["html"] and "verdict" not in answers[-2]["html"]


def test_another_seed_is_another_version(ask, monkeypatch, server):
    seeds = []
    monkeypatch.setattr("torch.manual_seed", seeds.append)
    for seed in (0, 3):
        assert ask("POST", "/write", {**GAME, **OPTIONS, "seed": seed})[0] == 200
    assert seeds == [0, 3]


def test_recap_is_written_and_checked(ask):
    game = json.dumps(tiny_model.league()[0], default=str)
    status, _, text = ask("POST", "/write", {"game": game, **OPTIONS})
    *_, written = lines(text)
    assert status == 200 and written["text"] and "data-cell" in written["html"] and "class='legend'" in written["html"]
    text = "The Milwaukee Bucks defeated the New York Knicks, 105-99. <script>"
    status, headers, answer = ask("POST", "/check", {**GAME, "text": text})
    [checked] = lines(answer)
    assert status == 200 and headers["Content-Type"] == "application/x-ndjson; charset=utf-8"
    assert "class='false'" in checked["html"] and "<ins>104</ins>" in checked["html"]
    assert "&lt;script&gt;" in checked["html"] and "<script>" not in checked["html"]
    assert "1 claim refuted" in checked["html"] and checked["text"] == text.replace("99", "104")


def test_recap_is_written_and_checked_with_the_season(model, tmp_path, monkeypatch):
    """A model with facts of the season writes them, and the answer says where they come from."""
    league = tiny_model.league()
    season = tmp_path / "season.json"
    games = [Game.from_json(row) for row in league]
    season.write_text(json.dumps([game.to_json() for game in games]))
    facts = next(known for game in games if (known := GameFacts(game, Season(games))).get(0, "TEAM-WIN_STREAK"))
    processor = StgProcessor.from_dataset(league, facts=["season"], season=Season(games))
    record = processor.layout.record_id(0, processor.team_attributes.index("TEAM-WIN_STREAK"), False)
    judged = []

    def generate(**options):
        judged.append(options["judge"].games[0].season)
        return torch.tensor([[record, processor.layout.eos_token_id]])

    monkeypatch.setattr("stg.loading.load_model", lambda name: (model, processor))
    monkeypatch.setattr(model, "generate", generate)
    app = App("tiny", str(season), str(season))
    assert app.groups["Your games"][0].date >= app.groups["Your games"][-1].date, "the latest first"
    answers = []
    app.write({"game": json.dumps(facts.game.to_json()), **OPTIONS, "check": True}, answers.append)
    written = answers[-1]["html"]
    assert judged == [app.season] and "1 computed fact, with formulas" in written
    assert "games won in a row, this one included" in written
    streak = facts.number(0, "TEAM-WIN_STREAK")
    text = f"The {facts.game.home.name} have now won {streak} straight games."
    app.check({"game": json.dumps(facts.game.to_json()), "text": text}, answers.append)
    assert "Nothing refuted, and every number is a fact." in answers[-1]["html"]


@pytest.mark.parametrize(
    "path, content, message",
    [
        ("/write", {"game": "", **OPTIONS}, "game: is empty; paste or open the RotoWire JSON"),
        ("/read", files("{"), "file 0: is not valid JSON"),
        ("/read", files("[]"), "file 0: an empty list holds no game"),
        ("/read", files("[1]"), "file 0: games[0]: expected the game's object, got a number"),
        ("/read", files("[" * 5000), "file 0: is not valid JSON"),
        ("/read", files("1" * 5000), "file 0: is not a known table"),
        ("/read", {"files": [{"name": "a", "content": "~"}]}, "files: are not names with contents in base64"),
        ("/read", {"files": [["a"]]}, "files: are not names with contents in base64"),
        ("/box", {"known": "../pyproject"}, "game: '../pyproject' does not exist"),
        ("/box", {"known": ["x"]}, "known: ['x'] is not a str"),
        ("/write", {**GAME, **OPTIONS, "writer": "Homer"}, "Homer"),
        ("/write", {**GAME, **OPTIONS, "must_mention": ["Homer"]}, "'Homer' is no team or player"),
        ("/write", {**GAME, **OPTIONS, "must_mention": ["Bucks"] * 60_000}, "60,000 names; the limit is 50"),
        ("/write", {**GAME, **OPTIONS, "seed": -1}, "seed: -1 is not between 0"),
        ("/write", {**GAME, **OPTIONS, "seed": True}, "seed: True is not a int"),
        ("/write", GAME, "writer: None is not a str"),
        ("/check", {**GAME, "text": " "}, "text: is empty"),
        ("/check", {**GAME, "text": "x" * 30_000}, "text: 30,000 characters is too long"),
        ("/check", {**GAME, "text": "Rose had 2 " * 60}, "end sentences with a full stop"),
    ],
)
def test_bad_requests_get_one_line(ask, path, content, message):
    status, _, answer = ask("POST", path, content)
    *_, last = lines(answer)
    assert status == (200 if len(lines(answer)) > 1 else 422) and message in last["error"]
    assert "\n" not in last["error"]


@pytest.mark.parametrize("content", ["[1", "[" * 100_000, b"\xff"])
def test_requests_that_are_not_json_are_bad_requests(ask, content):
    status, _, answer = ask("POST", "/check", content)
    assert status == 400 and "request: is not JSON" in json.loads(answer)["error"]


def test_other_sites_are_refused(ask):
    good = {**GAME, "text": "The Bucks won."}
    assert ask("POST", "/check", good)[0] == 200
    assert ask("POST", "/check", good, Origin=None)[0] == 200  # a program on this machine
    assert ask("POST", "/check", good, Origin="http://evil.example")[0] == 403
    assert ask("POST", "/check", good, Origin="null")[0] == 403
    assert ask("POST", "/check", good, Host="evil.example")[0] == 403  # DNS rebinding
    assert ask("GET", "/", Host="evil.example")[0] == 403
    text_plain = {"Content-Type": "text/plain"}  # the type that another site's form sends
    assert ask("POST", "/check", good, **text_plain)[0] == 403


@pytest.mark.parametrize(
    "size, status", [("9999999999", 413), ("9" * 5000, 413), ("-1", 411), ("many", 411), ("٣", 411)]
)
def test_requests_of_bad_size_are_refused_unread(ask, size, status):
    answer = ask("POST", "/check", b"", **{"Content-Length": size.encode()})
    assert answer[0] == status and "the limit is 2,000,000" in json.loads(answer[2])["error"]


def test_bugs_are_answered_and_logged(ask, server, monkeypatch, capsys):
    monkeypatch.setattr(server.RequestHandlerClass.app.checker, "check", lambda *_: 1 / 0)
    status, _, answer = ask("POST", "/check", {**GAME, "text": "The Bucks won."})
    assert status == 500 and "internal error" in json.loads(answer)["error"].lower()
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_unusable_ports_are_errors(server):
    for port, message in ((server.server_address[1], "cannot listen on it"), (70000, "cannot listen on it")):
        with pytest.raises(StgError, match=message):
            serve(None, port)
