"""`stg app` over a real socket: the requests of its page, and the refusal of all others."""

import http.client
import json
import re
import threading

import pytest

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.season import Season
from stg.app.server import App, serve
from stg.checking.judge import CHECKED, Judge
from tests.helpers import tiny_model


@pytest.fixture(scope="module")
def server(model, processor, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    server = serve(App(str(folder), None), 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def ask(server):
    """Makes a request as the page does: status, headers and text; `headers` override the page's own."""
    host = f"127.0.0.1:{server.server_address[1]}"

    def ask(method, path, content=None, **headers):
        connection = http.client.HTTPConnection(host, timeout=60)
        defaults = {"Host": host, "Content-Type": "application/json", "Origin": f"http://{host}"}
        sent = {name: value for name, value in (defaults | headers).items() if value is not None}
        body = content if isinstance(content, (str, bytes)) or content is None else json.dumps(content)
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    return ask


OPTIONS = {"writer": "", "must_mention": [], "grounded_only": False, "avoid_repeats": True, "check": False}


def test_page_has_one_script_with_a_fresh_nonce(ask, server):
    status, headers, page = ask("GET", "/")
    assert status == 200 and "Bucks at Knicks, 2017-01-04" in page and "{games}" not in page and "{style}" not in page
    nonce = re.search("'nonce-(.+?)'", headers["Content-Security-Policy"])[1]
    assert page.count("<script") == page.count(f'<script nonce="{nonce}">') == 1 and "http" not in page
    assert nonce not in ask("GET", "/")[2], "every response has a new nonce"
    assert server.server_address[0] == "127.0.0.1"
    assert ask("GET", "/../pyproject.toml")[0] == 404 and ask("POST", "/else", {})[0] == 404


def test_check_option_passes_the_judge_to_generate(ask, monkeypatch):
    calls, generate = [], StgForDataToText.generate
    monkeypatch.setattr(
        StgForDataToText, "generate", lambda self, **options: (calls.append(options), generate(self, **options))[1]
    )
    status, _, answer = ask("POST", "/write", {"example": "bucks_at_knicks/0", **OPTIONS, "check": True})
    assert status == 200 and json.loads(answer)["text"]
    assert CHECKED.items() <= calls[0].items() and isinstance(calls[0]["judge"], Judge)


def test_recap_is_written_and_checked(ask):
    game = json.dumps(tiny_model.league()[0], default=str)
    status, _, answer = ask("POST", "/write", {"game": game, **OPTIONS})
    written = json.loads(answer)
    assert (
        status == 200
        and written["text"]
        and "data-cell" in written["html"]
        and re.fullmatch(r"The recap states [1-9]\d* box-score cells and 0 computed facts\.", written["message"])
    )
    text = "The Milwaukee Bucks defeated the New York Knicks, 105-99. <script>"
    status, _, answer = ask("POST", "/check", {"example": "bucks_at_knicks/0", "text": text})
    checked = json.loads(answer)
    assert status == 200 and "class='false'" in checked["html"] and "<ins>[104]</ins>" in checked["html"]
    assert "&lt;script&gt;" in checked["html"] and "<script>" not in checked["html"]
    assert "1 false" in checked["message"]


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
        return [[record, processor.layout.eos_token_id]]

    monkeypatch.setattr("stg.loading.load_model", lambda name: (model, processor))
    monkeypatch.setattr(model, "generate", generate)
    app = App("tiny", str(season))
    request = {"game": json.dumps(facts.game.to_json()), **OPTIONS, "check": True}
    written = app.write(request)
    assert written["message"] == "The recap states 0 box-score cells and 1 computed facts." and judged == [app.season]
    assert "Computed facts" in written["html"] and "games won in a row, this one included" in written["html"]
    streak = facts.number(0, "TEAM-WIN_STREAK")
    checked = app.check(request | {"text": f"The {facts.game.home.name} have now won {streak} straight games."})
    assert checked["message"].startswith("1 numbers: 1 true")


@pytest.mark.parametrize(
    "path, content, message",
    [
        ("/write", {"game": "", **OPTIONS}, "game: is empty; paste the RotoWire JSON"),
        ("/write", {"game": "{", **OPTIONS}, "game: is not JSON"),
        ("/write", {"game": "[]", **OPTIONS}, "game: a list of 0 games; paste one game"),
        ("/write", {"game": "{}", **OPTIONS}, "missing"),
        ("/write", {"example": "../pyproject", **OPTIONS}, "example: '../pyproject' does not exist"),
        ("/write", {"example": ["x"], **OPTIONS}, "example: ['x'] is not a str"),
        ("/write", {"example": "bucks_at_knicks/0", **OPTIONS, "writer": "Homer"}, "Homer"),
        (
            "/write",
            {"example": "bucks_at_knicks/0", **OPTIONS, "must_mention": ["Homer"]},
            "'Homer' is no team or player",
        ),
        ("/write", {"example": "bucks_at_knicks/0"}, "writer: None is not a str"),
        ("/check", {"example": "bucks_at_knicks/0", "text": " "}, "text: is empty"),
        ("/check", {"example": "bucks_at_knicks/0", "text": "x" * 30_000}, "text: 30,000 characters is too long"),
        ("/check", {"example": "bucks_at_knicks/0", "text": "Rose had 2 " * 60}, "end sentences with a full stop"),
        ("/check", "[1", "request: is not JSON"),
        ("/check", "[" * 100_000, "request: is not JSON"),
    ],
)
def test_bad_requests_get_one_line(ask, path, content, message):
    status, _, answer = ask("POST", path, content)
    error = json.loads(answer)["error"]
    assert status == 422 and message in error and "\n" not in error


def test_other_sites_are_refused(ask):
    good = {"example": "bucks_at_knicks/0", "text": "The Bucks won."}
    assert ask("POST", "/check", good)[0] == 200
    assert ask("POST", "/check", good, Origin=None)[0] == 200  # a program on this machine
    assert ask("POST", "/check", good, Origin="http://evil.example")[0] == 403
    assert ask("POST", "/check", good, Origin="null")[0] == 403
    assert ask("POST", "/check", good, Host="evil.example")[0] == 403  # DNS rebinding
    assert ask("GET", "/", Host="evil.example")[0] == 403
    assert (
        ask("POST", "/check", good, **{"Content-Type": "text/plain"})[0] == 403
    )  # the type that another site's form sends


@pytest.mark.parametrize("size", ["9999999999", "-1", "many"])
def test_oversized_requests_are_refused_unread(ask, size):
    status, _, answer = ask("POST", "/check", b"", **{"Content-Length": size})
    assert status == 422 and f"request: {size} bytes; the limit is 2,000,000" in json.loads(answer)["error"]


def test_bugs_are_answered_and_logged(ask, server, monkeypatch, capsys):
    monkeypatch.setattr(server.RequestHandlerClass.app.checker, "check", lambda *_: 1 / 0)
    status, _, answer = ask("POST", "/check", {"example": "bucks_at_knicks/0", "text": "The Bucks won."})
    assert status == 500 and "internal error" in json.loads(answer)["error"].lower()
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_unusable_ports_are_errors(server):
    for port, message in ((server.server_address[1], "cannot listen on it"), (70000, "cannot listen on it")):
        with pytest.raises(StgError, match=message):
            serve(None, port)
