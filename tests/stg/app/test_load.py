"""`stg app` under load and abuse, on the loopback address: it answers everybody else and leaves no trace."""

import json
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
import torch

from modeling_stg.sentence_search import Candidate
from stg.app.server import MAX_CONNECTIONS
from tests.stg.app.test_app import GAME, OPTIONS, lines


@pytest.fixture
def connect(server):
    def connect(sent: bytes = b"") -> socket.socket:
        connection = socket.create_connection(server.server_address, timeout=30)
        connection.sendall(sent)
        return connection

    return connect


def head_of(server, path: str, length: int) -> bytes:
    """The head of a request that promises so many bytes."""
    host = f"127.0.0.1:{server.server_address[1]}"
    headers = f"Host: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    return f"POST {path} HTTP/1.1\r\n{headers}\r\n".encode()


@pytest.fixture
def head(server) -> bytes:
    return head_of(server, "/box", 1000)


def is_closed(connection: socket.socket) -> bool:
    """Waits until the server has closed the connection without an answer."""
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


def test_two_hundred_ask_at_once_while_fifty_drip(ask, server, connect, head, capfd, monkeypatch):
    """Everybody is answered; a connection that drips is closed although it never pauses for long."""
    monkeypatch.setattr(server.RequestHandlerClass, "timeout", 3)
    start = time.monotonic()
    slow = [connect(head if number % 2 else b"GET / HT") for number in range(50)]

    def drip() -> None:
        while time.monotonic() - start < 5:
            for connection in slow:
                try:
                    connection.sendall(b"x")
                except ConnectionError:
                    pass  # closed by the server
            time.sleep(0.5)

    with ThreadPoolExecutor(201) as pool:
        dripping = pool.submit(drip)
        requests = [("POST", "/box", GAME), ("POST", "/check", {**GAME, "text": "The Bucks won."}), ("GET", "/")]
        statuses = list(pool.map(lambda number: ask(*requests[number % 3])[0], range(200)))
        dripping.result()
    assert statuses == [200] * 200
    assert all(is_closed(connection) for connection in slow)
    assert capfd.readouterr().err == ""


def test_resets_and_short_bodies_print_nothing(ask, connect, head, capfd):
    for sent in (b"", b"GET / HTTP/1.1\r\n", head, head + b"{", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"):
        connection = connect(sent)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
        connection.close()
    short = connect(head + b"{")
    short.shutdown(socket.SHUT_WR)
    assert is_closed(short)
    assert ask("POST", "/box", GAME)[0] == 200
    assert capfd.readouterr().err == ""


def test_too_many_connections_are_closed_and_then_served_again(ask, server, connect):
    taken = [server.connections.acquire(timeout=10) for _ in range(MAX_CONNECTIONS)]
    assert all(taken) and is_closed(connect())
    for _ in taken:
        server.connections.release()
    assert ask("GET", "/")[0] == 200


def test_writing_ends_when_the_browser_has_gone(ask, server, monkeypatch, capfd):
    """The recap of a closed tab does not keep the others waiting."""
    app, written = server.RequestHandlerClass.app, []

    def generate(judge, **_):
        for number in range(2000):
            judge([Candidate(0, [5] * number + [6], number, -1.0)])
            written.append(number)
        return torch.tensor([[app.model.config.eos_token_id]])

    monkeypatch.setattr(app.model, "generate", generate)
    monkeypatch.setattr(app.model.generation_config, "sentence_candidates", 2, raising=False)
    content = json.dumps({**GAME, **OPTIONS}).encode()
    with socket.create_connection(server.server_address, timeout=30) as connection:
        connection.sendall(head_of(server, "/write", len(content)) + content)
        assert connection.recv(1000).startswith(b"HTTP/1.0 200")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert app.lock.acquire(timeout=30), "the next one's turn"
    app.lock.release()
    assert len(written) < 2000
    assert capfd.readouterr().err == ""


def test_waiting_is_said(ask, server):
    app = server.RequestHandlerClass.app
    with ThreadPoolExecutor(1) as pool, app.lock:
        waiting = pool.submit(ask, "POST", "/check", {**GAME, "text": "The Bucks won."})
        time.sleep(0.3)
        assert not waiting.done()
        app.lock.release()
        first, last = lines(waiting.result()[2])
        app.lock.acquire()
    assert first["progress"].startswith("Waiting for another recap") and last["done"]


@pytest.mark.slow
def test_memory_is_flat_over_a_thousand_requests(ask):
    """Different texts and games each time, so that a cache by content would show."""

    def some(first: int, last: int) -> None:
        for number in range(first, last):
            text = f"The Milwaukee Bucks beat the New York Knicks, {number}-104. A{number} Smith{number} had {number}."
            assert ask("POST", "/check", {**GAME, "text": text})[0] == 200
            assert ask("POST", "/box", GAME)[0] == 200

    process = psutil.Process()
    some(0, 100)
    before = process.memory_info().rss
    some(100, 600)
    grown = process.memory_info().rss - before
    assert grown < 0.05 * before, f"{grown / 2**20:.0f} MB more"


NASTY = [
    None,
    True,
    -1,
    10**30,
    1e300,
    "",
    "\0",
    "\ud800",
    "<b>",
    "x" * 3000,
    [],
    [None],
    [[1]],
    {},
    {"a": {}},
    [{"name": 1}],
]


@pytest.mark.parametrize("path", ["/read", "/box", "/write", "/check"])
def test_any_value_in_any_field_is_answered(ask, paper, path, capfd):
    """The wrong type or value in any field of a request, or of its game, is a mistake of the request, never a bug."""
    good = {"/read": {"files": []}, "/box": {}, "/write": OPTIONS, "/check": {"text": "The Bucks won."}}[path]
    requests = [{**GAME, **good, field: value} for field in (*good, "known") for value in NASTY]
    if path == "/box":  # the others read games in the same way
        requests += [{**good, "game": json.dumps({**paper, field: value})} for field in paper for value in NASTY]
    for request in requests:
        status, _, answer = ask("POST", path, request)
        assert status in (200, 422) and lines(answer), request
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "sent",
    [b"\0" * 100 + b"\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n"]
    + [b"DELETE / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"GET /\r\n\r\n"],
)
def test_broken_http_is_refused(ask, connect, sent, capfd):
    connection = connect(sent)
    answer = connection.recv(1000)
    assert not answer.startswith(b"HTTP/1.0 2") and b"<title>Box score" not in answer
    assert ask("GET", "/")[0] == 200 and capfd.readouterr().err == ""
