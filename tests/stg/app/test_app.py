"""scripts/app.py over its own socket: what the page asks for, and what nobody else may."""

import http.client
import json
import re
import threading

import pytest

from modeling_stg.errors import StgError
from modeling_stg.modeling_stg import StgForDataToText
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
    """A request as the page makes it: status, headers and text; `headers` override the page's own."""
    host = f"127.0.0.1:{server.server_address[1]}"

    def ask(method, path, content=None, **headers):
        connection = http.client.HTTPConnection(host, timeout=60)
        usual = {"Host": host, "Content-Type": "application/json", "Origin": f"http://{host}"}
        sent = {name: value for name, value in (usual | headers).items() if value is not None}
        body = content if isinstance(content, (str, bytes)) or content is None else json.dumps(content)
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    return ask


WISHES = {"writer": "", "must_mention": [], "grounded_only": False, "avoid_repeats": True, "check": False}


def test_the_page(ask, server):
    status, headers, page = ask("GET", "/")
    assert status == 200 and "Bucks at Knicks, 2017-01-04" in page and "{games}" not in page and "{style}" not in page
    nonce = re.search("'nonce-(.+?)'", headers["Content-Security-Policy"])[1]
    assert page.count("<script") == page.count(f'<script nonce="{nonce}">') == 1 and "http" not in page
    assert nonce not in ask("GET", "/")[2], "another one for every answer"
    assert server.server_address[0] == "127.0.0.1"
    assert ask("GET", "/../pyproject.toml")[0] == 404 and ask("POST", "/else", {})[0] == 404


def test_a_recap_that_is_read_again(ask, monkeypatch):
    given, generate = [], StgForDataToText.generate
    monkeypatch.setattr(
        StgForDataToText, "generate", lambda self, **options: (given.append(options), generate(self, **options))[1]
    )
    status, _, answer = ask("POST", "/write", {"example": "bucks_at_knicks/0", **WISHES, "check": True})
    assert status == 200 and json.loads(answer)["text"]
    assert CHECKED.items() <= given[0].items() and isinstance(given[0]["judge"], Judge)


def test_a_recap_is_written_and_checked(ask):
    game = json.dumps(tiny_model.league()[0], default=str)
    status, _, answer = ask("POST", "/write", {"game": game, **WISHES})
    written = json.loads(answer)
    assert (
        status == 200
        and written["text"]
        and "data-cell" in written["html"]
        and "records are stated" in written["said"]
    )
    text = "The Milwaukee Bucks defeated the New York Knicks, 105-99. <script>"
    status, _, answer = ask("POST", "/check", {"example": "bucks_at_knicks/0", "text": text})
    checked = json.loads(answer)
    assert status == 200 and "class='false'" in checked["html"] and "<ins>[104]</ins>" in checked["html"]
    assert "&lt;script&gt;" in checked["html"] and "<script>" not in checked["html"] and "1 false" in checked["said"]


@pytest.mark.parametrize(
    "path, asked, message",
    [
        ("/write", {"game": "", **WISHES}, "game: nothing was pasted"),
        ("/write", {"game": "{", **WISHES}, "game: is not JSON"),
        ("/write", {"game": "[]", **WISHES}, "game: a list of 0; paste one game"),
        ("/write", {"game": "{}", **WISHES}, "missing"),
        ("/write", {"example": "../pyproject", **WISHES}, "example: '../pyproject' is none"),
        ("/write", {"example": ["x"], **WISHES}, "example: ['x'] is not what the page sends"),
        ("/write", {"example": "bucks_at_knicks/0", **WISHES, "writer": "Homer"}, "Homer"),
        (
            "/write",
            {"example": "bucks_at_knicks/0", **WISHES, "must_mention": ["Homer"]},
            "'Homer' is no team or player",
        ),
        ("/write", {"example": "bucks_at_knicks/0"}, "writer: None is not what the page sends"),
        ("/check", {"example": "bucks_at_knicks/0", "text": " "}, "text: there is nothing to check"),
        ("/check", {"example": "bucks_at_knicks/0", "text": "x" * 30_000}, "text: 30,000 characters are too much"),
        ("/check", {"example": "bucks_at_knicks/0", "text": "Rose had 2 " * 60}, "end sentences with a full stop"),
        ("/check", "[1", "request: is not JSON"),
        ("/check", "[" * 100_000, "request: is not JSON"),
    ],
)
def test_mistakes_are_one_line(ask, path, asked, message):
    status, _, answer = ask("POST", path, asked)
    error = json.loads(answer)["error"]
    assert status == 422 and message in error and "\n" not in error


def test_nobody_else_is_answered(ask):
    good = {"example": "bucks_at_knicks/0", "text": "The Bucks won."}
    assert ask("POST", "/check", good)[0] == 200
    assert ask("POST", "/check", good, Origin=None)[0] == 200  # a program on this machine
    assert ask("POST", "/check", good, Origin="http://evil.example")[0] == 403
    assert ask("POST", "/check", good, Origin="null")[0] == 403
    assert ask("POST", "/check", good, Host="evil.example")[0] == 403  # a name that was made to point here
    assert ask("GET", "/", Host="evil.example")[0] == 403
    assert (
        ask("POST", "/check", good, **{"Content-Type": "text/plain"})[0] == 403
    )  # what a form of another site can send


@pytest.mark.parametrize("size", ["9999999999", "-1", "many"])
def test_too_much_is_refused_unread(ask, size):
    status, _, answer = ask("POST", "/check", b"", **{"Content-Length": size})
    assert status == 422 and f"request: {size} bytes; at most 2,000,000 are taken" in json.loads(answer)["error"]


def test_a_mistake_of_ours_is_answered(ask, server, monkeypatch, capsys):
    monkeypatch.setattr(server.RequestHandlerClass.app.checker, "check", lambda *_: 1 / 0)
    status, _, answer = ask("POST", "/check", {"example": "bucks_at_knicks/0", "text": "The Bucks won."})
    assert status == 500 and "a mistake of the program" in json.loads(answer)["error"].lower()
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_port_that_is_taken(server):
    for port, message in ((server.server_address[1], "cannot be listened on"), (70000, "cannot be listened on")):
        with pytest.raises(StgError, match=message):
            serve(None, port)
