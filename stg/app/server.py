"""The server behind `stg app`: one page on the loopback address, answering nobody but the page that it serves."""

import json
import secrets
import sys
import threading
import traceback
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import Game, read_games
from stg.checking.alignment import recap_tokens
from stg.checking.report import check_report


HOST = "127.0.0.1"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHOWN = ("bucks_at_knicks", "sample_league")
LARGEST = 2_000_000  # bytes of a request; a box score has some 20,000
LONGEST = 20_000  # characters of a text to check
PATIENCE = 30  # seconds that a request may take to arrive
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class App:
    """What the page can ask for. One thing at a time: a model is no faster when two wait for it."""

    def __init__(self, folder: str, season: str | None):
        from dataset_script.reading import open_season
        from stg.checking.checker import Checker
        from stg.extraction.loading import load_extractor
        from stg.loading import load

        self.lock = threading.Lock()
        self.model, self.processor = load(folder)
        self.checker = Checker(load_extractor(), open_season(season))
        self.examples = {
            f"{name}/{index}": game
            for name in SHOWN
            for index, game in enumerate(read_games(EXAMPLES / f"{name}.json"))
        }

    def page(self, nonce: str) -> str:
        """`nonce`: what scripts of this page, and no others, carry."""
        from stg.app.page import SCRIPT, STYLE

        titles = {key: f"{game.visitor.name} at {game.home.name}, {game.date}" for key, game in self.examples.items()}
        games = "".join(f"<option value='{key}'>{escape(title)}</option>" for key, title in titles.items())
        known = self.processor.writers if self.model.config.use_writer else []
        writers = "".join(f"<option>{escape(str(writer))}</option>" for writer in known)
        page = Path(__file__).with_name("app.html").read_text(encoding="utf-8")
        filled = {"style": STYLE, "script": SCRIPT, "games": games, "writers": writers, "nonce": nonce}
        for place, content in filled.items():
            page = page.replace(f"{{{place}}}", content, 1)
        return page

    def game(self, asked: dict) -> Game:
        if "example" in asked:
            name = _kind(asked, "example", str)
            if name not in self.examples:
                raise StgError(f"example: {name!r:.60} is none; choose one of the list")
            return self.examples[name]
        text = _kind(asked, "game", str)
        if not text.strip():
            raise StgError("game: nothing was pasted; paste RotoWire's JSON of one game")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise StgError(f"game: is not JSON ({error}); paste RotoWire's JSON of one game") from None
        if isinstance(data, list):
            if len(data) != 1:
                raise StgError(f"game: a list of {len(data)}; paste one game")
            [data] = data
        return Game.from_json(data)

    def write(self, asked: dict) -> dict[str, str]:
        import torch

        from stg.app.page import recap_section
        from stg.checking.judge import CHECKED, Judge

        game = self.game(asked)
        writer = _kind(asked, "writer", str) or None
        must_mention = _kind(asked, "must_mention", list) or None
        options: dict[str, Any] = {name: _kind(asked, name, bool) for name in ("grounded_only", "avoid_repeats")}
        if _kind(asked, "check", bool):
            options |= CHECKED | {"judge": Judge(self.checker, self.processor, [game])}
        batch = self.processor([game], writers=[writer], must_mention=[must_mention])
        with self.lock:
            torch.manual_seed(0)
            sequences = self.model.generate(**batch, **options)
        [text], [tokens] = self.processor.batch_decode(sequences, [game]), self.processor.trace(sequences, [game])
        result = {"writer": writer or "unknown", "text": text, "tokens": tokens}
        stated = sum(token["entity"] is not None for token in tokens)
        return {"html": recap_section(0, game, result), "text": text, "said": f"{stated} records are stated."}

    def check(self, asked: dict) -> dict[str, str]:
        from stg.app.page import check_section

        game, text = self.game(asked), _kind(asked, "text", str).strip()
        if not text:
            raise StgError("text: there is nothing to check; paste a recap")
        if len(text) > LONGEST:
            raise StgError(f"text: {len(text):,} characters are too much; {LONGEST:,} are taken")
        tokens = recap_tokens(text)
        with self.lock:
            findings = self.checker.check(tokens, game)
        result = check_report(game, text, tokens, findings)
        return {"html": check_section(0, game, result), "said": result["summary"]}


def _kind(asked: dict, name: str, kind: type) -> Any:
    if not isinstance(asked.get(name), kind):
        raise StgError(f"{name}: {asked.get(name)!r:.60} is not what the page sends")
    return asked[name]


class Handler(BaseHTTPRequestHandler):
    """`app` and `hosts` (how the page may be called) are set by `serve`."""

    app: App
    hosts: frozenset[str]
    timeout = PATIENCE

    def do_GET(self) -> None:
        if not self._is_ours():
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", "This server only answers its own page.")
        elif self.path == "/":
            nonce = secrets.token_urlsafe(16)
            self._answer(HTTPStatus.OK, "text/html", self.app.page(nonce), nonce)
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", "There is nothing here but /.")

    def do_POST(self) -> None:
        actions = {"/write": self.app.write, "/check": self.app.check}
        if not self._is_ours() or self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", "This server only answers its own page.")
        elif self.path not in actions:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", "There is nothing here but /.")
        else:
            status, answer = self._do(actions[self.path])
            self._answer(status, "application/json", json.dumps(answer))

    def _do(self, action) -> tuple[HTTPStatus, dict[str, str]]:
        try:
            return HTTPStatus.OK, action(self._asked())
        except StgError as error:
            return HTTPStatus.UNPROCESSABLE_ENTITY, {"error": " ".join(str(error).split())}
        except Exception:  # whatever else is our mistake; the page must not wait for ever
            traceback.print_exc()
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "A mistake of the program; the terminal says more."}

    def _asked(self) -> dict:
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > LARGEST:
            self.close_connection = True
            raise StgError(f"request: {size or 'unknown'} bytes; at most {LARGEST:,} are taken")
        try:
            asked = json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError) as error:
            raise StgError(f"request: is not JSON ({error})") from None
        return asked if isinstance(asked, dict) else {}

    def _is_ours(self) -> bool:
        """Not another site's page that has this address in a link, nor one whose name was made to point here."""
        origin = self.headers.get("Origin")
        asked_by_us = origin is None or origin in {f"http://{host}" for host in self.hosts}
        return self.headers.get("Host") in self.hosts and asked_by_us

    def _answer(self, status: HTTPStatus, kind: str, text: str, nonce: str = "") -> None:
        content = text.encode()
        sent = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        sent["Content-Security-Policy"] = POLICY.format(nonce=nonce)
        self.send_response(status)
        for name, value in {**HEADERS, **sent}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Silence: what people write about is nobody's business."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """A browser that has gone away is no mistake."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def serve(app: App, port: int) -> Server:
    """A server that waits for `serve_forever`; port 0 takes any that is free."""
    try:
        server = Server((HOST, port), type("BoundHandler", (Handler,), {"app": app}))
    except (OSError, OverflowError) as error:
        raise StgError(f"--port {port}: cannot be listened on ({error}); give another one") from None
    bound = server.server_address[1]
    server.RequestHandlerClass.hosts = frozenset(f"{name}:{bound}" for name in (HOST, "localhost"))
    return server
