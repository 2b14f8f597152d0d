"""A running `stg app` with the tiny model, and a way to ask it."""

import http.client
import json
import threading
from collections.abc import Callable, Iterator

import pytest

from stg.app.server import Server, serve
from stg.app.service import App


@pytest.fixture(scope="module")
def server(model, processor, tmp_path_factory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    yield from running(App(str(folder), None))


def running(app: App) -> Iterator[Server]:
    """Serves an app in a thread, until the generator is closed."""
    server = serve(app, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def ask(server) -> Callable:
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
