"""The HTTP server behind `stg app`: serves one page on the loopback address and answers only its requests."""

import json
import secrets
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from stg.app.links import has_cell
from stg.checking.alignment import recap_tokens
from stg.checking.report import check_report
from stg.files import shipped


HOST = "127.0.0.1"
EXAMPLES = shipped("examples")
EXAMPLE_FILES = ("bucks_at_knicks", "sample_league")
MAX_REQUEST_BYTES = 2_000_000  # a box score has about 20,000 bytes
MAX_TEXT_LENGTH = 20_000  # characters of a recap to check
REQUEST_TIMEOUT = 30  # seconds
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class App:
    """The page and its requests. They run one at a time, because two at once would only share the CPU.

    Args:
        model: A model folder or Hub repository.
        season: Other games of the season, as `--season` names them; None for none.
    """

    def __init__(self, model: str, season: str | None):
        from stg.checking.checker import Checker
        from stg.extraction.loading import load_extractor
        from stg.loading import load_model, load_season

        self.lock = threading.Lock()
        self.model, self.processor = load_model(model)
        self.checker, self.season = Checker(load_extractor()), load_season(season)
        self.examples = {
            f"{name}/{index}": game
            for name in EXAMPLE_FILES
            for index, game in enumerate(read_games(EXAMPLES / f"{name}.json"))
        }

    def page(self, nonce: str) -> str:
        """The page; only scripts that carry `nonce` run on it."""
        from stg.app.page import SCRIPT, STYLE

        titles = {key: f"{game.visitor.name} at {game.home.name}, {game.date}" for key, game in self.examples.items()}
        games = "".join(f"<option value='{key}'>{escape(title)}</option>" for key, title in titles.items())
        names = self.processor.writers if self.model.config.use_writer else []
        writers = "".join(f"<option>{escape(str(name))}</option>" for name in names)
        page = Path(__file__).with_name("app.html").read_text(encoding="utf-8")
        contents = {"style": STYLE, "script": SCRIPT, "games": games, "writers": writers, "nonce": nonce}
        for name, content in contents.items():
            page = page.replace(f"{{{name}}}", content, 1)
        return page

    def write(self, request: Mapping[str, Any]) -> dict[str, str]:
        """Writes a recap of the request's game."""
        import torch

        from stg.app.page import RECAP_NOTE, recap_section
        from stg.checking.judge import CHECKED, Judge
        from stg.checking.sentence_judge import SentenceJudge

        facts = GameFacts(self._game(request), self.season)
        writer = _field(request, "writer", str) or None
        must_mention = _field(request, "must_mention", list) or None
        chosen = ("grounded_only", "avoid_repeats")
        options: dict[str, Any] = {name: True for name in chosen if _field(request, name, bool)}
        if _field(request, "check", bool) and self.model.generation_config.to_dict().get("sentence_candidates"):
            options["judge"] = SentenceJudge(self.checker, self.processor, [facts])
        elif _field(request, "check", bool):
            options |= CHECKED | {"judge": Judge(self.checker, self.processor, [facts])}
        batch = self.processor([facts], writers=[writer], must_mention=[must_mention])
        with self.lock:
            torch.manual_seed(0)
            sequences = self.model.generate(**batch, **options)
        [text], [tokens] = self.processor.batch_decode(sequences, [facts]), self.processor.trace(sequences, [facts])
        result = {"writer": writer or self.processor.default_writer_of(facts.game), "text": text, "tokens": tokens}
        cells = [has_cell(token["attribute"]) for token in tokens if token["entity"] is not None]
        message = f"The recap states {cells.count(True)} box-score cells and {cells.count(False)} computed facts."
        return {"html": _with_note(RECAP_NOTE, recap_section(0, facts, result)), "text": text, "message": message}

    def check(self, request: Mapping[str, Any]) -> dict[str, str]:
        """Checks the request's text against its game."""
        from stg.app.page import CHECK_NOTE, check_section

        facts, text = GameFacts(self._game(request), self.season), _field(request, "text", str).strip()
        if not text:
            raise StgError("text: is empty; paste a recap")
        if len(text) > MAX_TEXT_LENGTH:
            raise StgError(f"text: {len(text):,} characters is too long; the limit is {MAX_TEXT_LENGTH:,}")
        tokens = recap_tokens(text)
        with self.lock:
            findings = self.checker.check(tokens, facts)
        result = check_report(facts.game, text, tokens, findings)
        return {"html": _with_note(CHECK_NOTE, check_section(0, facts, result)), "message": result["summary"]}

    def _game(self, request: Mapping[str, Any]) -> Game:
        """The example or the pasted game of a request."""
        if "example" in request:
            name = _field(request, "example", str)
            if name not in self.examples:
                raise StgError(f"example: {name!r:.60} does not exist; choose one from the list")
            return self.examples[name]
        text = _field(request, "game", str)
        if not text.strip():
            raise StgError("game: is empty; paste the RotoWire JSON of one game")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise StgError(f"game: is not JSON ({error}); paste the RotoWire JSON of one game") from None
        if isinstance(data, list):
            if len(data) != 1:
                raise StgError(f"game: a list of {len(data)} games; paste one game")
            [data] = data
        return Game.from_json(data)


def _with_note(note: str, section: str) -> str:
    return f"<p class='note'>{note}</p>\n{section}"


def _field(request: Mapping[str, Any], name: str, expected: type) -> Any:
    """The value of a field, if it has the expected type."""
    if not isinstance(request.get(name), expected):
        raise StgError(f"{name}: {request.get(name)!r:.60} is not a {expected.__name__}; reload the page")
    return request[name]


class Handler(BaseHTTPRequestHandler):
    """Handles the requests of the page. `serve` sets `app` and `hosts`, the host names that requests may use."""

    app: App
    hosts: frozenset[str]
    timeout = REQUEST_TIMEOUT

    def do_GET(self) -> None:
        if not self._is_from_our_page():
            self._refuse()
        elif self.path == "/":
            nonce = secrets.token_urlsafe(16)
            self._respond(HTTPStatus.OK, "text/html", self.app.page(nonce), nonce)
        else:
            self._not_found()

    def do_POST(self) -> None:
        actions = {"/write": self.app.write, "/check": self.app.check}
        # Another site's form can post text/plain, but not JSON.
        if not self._is_from_our_page() or self.headers.get_content_type() != "application/json":
            self._refuse()
        elif self.path not in actions:
            self._not_found()
        else:
            status, response = self._run(actions[self.path])
            self._respond(status, "application/json", json.dumps(response))

    def _run(self, action: Callable[[Mapping[str, Any]], dict[str, str]]) -> tuple[HTTPStatus, dict[str, str]]:
        try:
            return HTTPStatus.OK, action(self._read_request())
        except StgError as error:
            return HTTPStatus.UNPROCESSABLE_ENTITY, {"error": " ".join(str(error).split())}
        except Exception:  # a bug; the page still needs an answer
            traceback.print_exc()
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "Internal error; the terminal shows the traceback."}

    def _read_request(self) -> dict[str, Any]:
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > MAX_REQUEST_BYTES:
            self.close_connection = True
            raise StgError(f"request: {size or 'unknown'} bytes; the limit is {MAX_REQUEST_BYTES:,}")
        try:
            request = json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError) as error:
            raise StgError(f"request: is not JSON ({error})") from None
        return request if isinstance(request, dict) else {}

    def _is_from_our_page(self) -> bool:
        """Whether a request is ours, not of another site (Origin) or by a host name rebound to this address (Host)."""
        origin = self.headers.get("Origin")
        same_origin = origin is None or origin in {f"http://{host}" for host in self.hosts}
        return self.headers.get("Host") in self.hosts and same_origin

    def _refuse(self) -> None:
        self._respond(HTTPStatus.FORBIDDEN, "text/plain", "This server answers only its own page.")

    def _not_found(self) -> None:
        self._respond(HTTPStatus.NOT_FOUND, "text/plain", "Not found; the page is at /.")

    def _respond(self, status: HTTPStatus, content_type: str, text: str, nonce: str = "") -> None:
        content = text.encode()
        headers = {"Content-Type": f"{content_type}; charset=utf-8", "Content-Length": str(len(content))}
        headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.format(nonce=nonce)
        self.send_response(status)
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Logs nothing: what users write stays private."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """Ignores browsers that disconnect."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def serve(app: App, port: int) -> Server:
    """Creates a server on the loopback address, ready for `serve_forever`; port 0 takes any free port."""

    class BoundHandler(Handler):
        """The handler of this server alone."""

    BoundHandler.app = app
    try:
        server = Server((HOST, port), BoundHandler)
    except (OSError, OverflowError) as error:
        raise StgError(f"--port {port}: cannot listen on it ({error}); choose another") from None
    BoundHandler.hosts = frozenset(f"{name}:{server.server_address[1]}" for name in (HOST, "localhost"))
    return server
