"""The HTTP server behind `stg app`: serves one page on the loopback address and answers only its requests.

An answer is one JSON object on each line, sent as the work goes on. The last one is the result or an `error`.
"""

import io
import json
import re
import secrets
import socket
import sys
import threading
import time
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from modeling_stg.errors import StgError
from stg.app.service import App


HOST = "127.0.0.1"
MAX_REQUEST_BYTES = 2_000_000  # a box score has about 20,000 bytes
MAX_CONNECTIONS = 500  # each has a thread
REQUEST_TIMEOUT = 30  # seconds for a whole request to arrive, and for each part of the answer to leave
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class RequestError(StgError):
    """A request that is refused before it is read."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(message)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Handles the requests of the page. `serve` sets `app` and `hosts`, the host names that requests may use."""

    app: App
    hosts: frozenset[str]
    timeout = REQUEST_TIMEOUT
    server_version, sys_version = "stg", ""

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_TimedReader(self.connection, self.timeout))
        self.has_answered = False

    def do_GET(self) -> None:
        if not self._is_from_our_page():
            self._refuse()
        elif self.path == "/":
            nonce = secrets.token_urlsafe(16)
            self._start(HTTPStatus.OK, "text/html", nonce)
            self.wfile.write(self.app.page(nonce).encode())
        else:
            self._not_found()

    def do_POST(self) -> None:
        actions = {"/read": self.app.read, "/box": self.app.box, "/write": self.app.write, "/check": self.app.check}
        # Another site's form can post text/plain, but not JSON.
        if not self._is_from_our_page() or self.headers.get_content_type() != "application/json":
            self._refuse()
        elif self.path not in actions:
            self._not_found()
        else:
            try:
                request = self._read_request()
                self.connection.settimeout(self.timeout)
                actions[self.path](request, self._report)
            except StgError as error:
                status = error.status if isinstance(error, RequestError) else HTTPStatus.UNPROCESSABLE_ENTITY
                lines = [" ".join(line.split()) for line in str(error).splitlines()]  # one for each problem
                self._report({"error": "\n".join(lines)}, status)
            except OSError:  # the browser has gone, or is too slow
                raise
            except Exception:  # a bug; the page still needs an answer
                traceback.print_exc()
                message = "Internal error; the terminal shows the traceback."
                self._report({"error": message}, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _read_request(self) -> dict[str, Any]:
        size = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,20}", size) or int(size) > MAX_REQUEST_BYTES:
            is_number = re.fullmatch("[0-9]+", size)
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if is_number else HTTPStatus.LENGTH_REQUIRED
            raise RequestError(status, f"request: {size[:30] or 'unknown'} bytes; the limit is {MAX_REQUEST_BYTES:,}")
        content = self.rfile.read(int(size))
        if len(content) < int(size):
            raise ConnectionError("the request ends early")
        try:
            request = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"request: is not JSON ({error})") from None
        return request if isinstance(request, dict) else {}

    def _is_from_our_page(self) -> bool:
        """Whether a request is ours, not of another site (Origin) or by a host name rebound to this address (Host)."""
        origin = self.headers.get("Origin")
        same_origin = origin is None or origin in {f"http://{host}" for host in self.hosts}
        return self.headers.get("Host") in self.hosts and same_origin

    def _refuse(self) -> None:
        self._start(HTTPStatus.FORBIDDEN, "text/plain")
        self.wfile.write(b"This server answers only its own page.\n")

    def _not_found(self) -> None:
        self._start(HTTPStatus.NOT_FOUND, "text/plain")
        self.wfile.write(b"Not found; the page is at /.\n")

    def _report(self, answer: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Sends a part of the answer; the status counts if it is the first one."""
        if not self.has_answered:
            self._start(status, "application/x-ndjson")
        self.wfile.write(json.dumps(answer).encode() + b"\n")

    def _start(self, status: HTTPStatus, content_type: str, nonce: str = "") -> None:
        self.has_answered = True
        self.send_response(status)
        policy = CONTENT_SECURITY_POLICY.format(nonce=nonce)
        headers = {"Content-Type": f"{content_type}; charset=utf-8", "Content-Security-Policy": policy}
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Logs nothing: what users write stays private."""


class _TimedReader(io.RawIOBase):
    """Reads from a connection until a deadline, however often a byte drips in."""

    def __init__(self, connection: socket.socket, seconds: float):
        self.connection, self.deadline = connection, time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request takes too long")
        self.connection.settimeout(left)
        return self.connection.recv_into(buffer)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # the default of 5 drops connections when many arrive at once

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.connections = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def process_request(self, request, client_address) -> None:
        """Handles a connection in a thread of its own, or closes it if there are too many."""
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request, client_address) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def handle_error(self, request, client_address) -> None:
        """Ignores browsers that disconnect or stall."""
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
