"""A Hub on the loopback interface, with as much of the protocol as the real client needs to push and load.

Start it with `HubServer()`; the client finds it through HF_ENDPOINT (see `environment`).
"""

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


TOKEN = "hf_this-is-not-a-secret"
LFS_SUFFIXES = (".safetensors", ".parquet")


@dataclass
class Commit:
    oid: str
    title: str
    files: dict[str, bytes]


@dataclass
class Repository:
    private: bool
    commits: list[Commit] = field(default_factory=list)

    def __post_init__(self):
        self.commit("initial commit", {})

    def commit(self, title: str, files: dict[str, bytes]) -> Commit:
        oid = hashlib.sha1(f"{len(self.commits)} {title}".encode()).hexdigest()
        self.commits.append(Commit(oid, title, files))
        return self.commits[-1]

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    def at(self, revision: str) -> Commit:
        return next((commit for commit in self.commits if commit.oid == revision), self.head)


class HubServer:
    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}  # by "models/U/NAME" or "datasets/U/NAME"
        self.blobs: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.drop = 0  # number of upcoming uploads whose connection is dropped
        self.answer: int | None = None  # status of the upcoming answers to all requests
        self.answers: float = float("inf")  # how many of them
        self.stall: str | None = None  # requests whose path contains it are never answered
        self.closing = threading.Event()
        handler = type("Handler", (_Handler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def environment(self, home: Path) -> dict[str, str]:
        """Environment of a client in another process: this Hub, an empty cache, online mode."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_DATASETS_OFFLINE": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        self._route("GET")

    def do_HEAD(self) -> None:
        self._route("HEAD")

    def do_POST(self) -> None:
        self._route("POST")

    def do_PUT(self) -> None:
        self._route("PUT")

    def _route(self, method: str) -> None:
        path = unquote(urlsplit(self.path).path)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.hub.requests.append(f"{method} {path}")
        if self.hub.stall is not None and self.hub.stall in path:
            self.hub.closing.wait()
            self.close_connection = True
            return None
        if self.hub.answer is not None and self.hub.answers > 0:
            self.hub.answers -= 1
            return self._json({"error": f"no, {self.headers.get('Authorization')}"}, self.hub.answer)
        for methods, pattern, answer in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and method in methods:
                return answer(self, *match.groups())
        return self._json({"error": "not found"}, 404)

    def _send(self, data: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _json(self, value, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), status, {"Content-Type": "application/json"})

    def _missing(self) -> None:
        self._send(b"", 404, {"X-Error-Code": "EntryNotFound"})

    def create(self) -> None:
        request = json.loads(self.body)
        owner = request.get("organization") or "U"
        key = f"{request.get('type') or 'model'}s/{owner}/{request['name']}"
        if request["name"] == "forbidden" or self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._json({"error": f"{self.headers.get('Authorization')} may not write here"}, 403)
        known = key in self.hub.repositories
        if not known:
            self.hub.repositories[key] = Repository(request.get("visibility") == "private")
        name = f"{owner}/{request['name']}"
        address = name if key.startswith("models/") else key
        return self._json({"url": f"{self.hub.url}/{address}", "name": name, "id": name}, 409 if known else 200)

    def preupload(self, key: str) -> None:
        if self.hub.drop:
            self.hub.drop -= 1
            self.close_connection = True
            self.connection.close()
            return None
        files = self.hub.repositories[key].head.files
        answer = []
        for file in json.loads(self.body)["files"]:
            lfs = file["path"].endswith(LFS_SUFFIXES)
            known = files.get(file["path"])
            oid = None if known is None else hashlib.sha256(known).hexdigest() if lfs else _git_oid(known)
            answer.append(
                {"path": file["path"], "uploadMode": "lfs" if lfs else "regular", "shouldIgnore": False, "oid": oid}
            )
        return self._json({"files": answer})

    def lfs_batch(self, _key: str) -> None:
        objects = [
            {**request, "actions": {"upload": {"href": f"{self.hub.url}/lfs/{request['oid']}"}}}
            for request in json.loads(self.body)["objects"]
        ]
        self._json({"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str) -> None:
        assert hashlib.sha256(self.body).hexdigest() == oid
        self.hub.blobs[oid] = self.body
        self._send(b"")

    def commit(self, key: str) -> None:
        repository = self.hub.repositories[key]
        files, title = dict(repository.head.files), ""
        for line in self.body.splitlines():
            entry = json.loads(line)
            value = entry["value"]
            if entry["key"] == "header":
                title = value["summary"]
            elif entry["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif entry["key"] == "lfsFile":
                files[value["path"]] = self.hub.blobs[value["oid"]]
            elif entry["key"] == "deletedFile":
                del files[value["path"]]
        made = repository.commit(title, files)
        self._json({"commitUrl": f"{self.hub.url}/{key}/commit/{made.oid}", "commitOid": made.oid, "success": True})

    def info(self, key: str, revision: str | None) -> None:
        if key not in self.hub.repositories:
            return self._send(b"{}", 404, {"X-Error-Code": "RepoNotFound"})
        repository = self.hub.repositories[key]
        commit = repository.at(revision or "main")
        name = key.split("/", 1)[1]
        siblings = [{"rfilename": path} for path in commit.files]
        return self._json(
            {"id": name, "sha": commit.oid, "private": repository.private, "siblings": siblings, "tags": []}
        )

    def tree(self, key: str, revision: str) -> None:
        files = self.hub.repositories[key].at(revision).files
        self._json(
            [{"type": "file", "path": path, "oid": _git_oid(data), "size": len(data)} for path, data in files.items()]
        )

    def resolve(self, repo_type: str | None, name: str, revision: str, path: str) -> None:
        key = f"{repo_type or 'models'}/{name}"
        if key not in self.hub.repositories:
            return self._send(b"", 404, {"X-Error-Code": "RepoNotFound"})
        commit = self.hub.repositories[key].at(revision)
        if path not in commit.files:
            return self._missing()
        data = commit.files[path]
        return self._send(data, 200, {"X-Repo-Commit": commit.oid, "ETag": f'"{_git_oid(data)}"'})

    def validate(self) -> None:
        self._json({"errors": [], "warnings": []})


_KEY = r"((?:models|datasets)/[^/]+/[^/]+)"
ROUTES = [
    ("POST", r"/api/repos/create", _Handler.create),
    ("POST", r"/api/validate-yaml", _Handler.validate),
    ("POST", rf"/api/{_KEY}/preupload/main", _Handler.preupload),
    ("POST", rf"/api/{_KEY}/commit/main", _Handler.commit),
    ("POST", r"/((?:datasets/)?[^/]+/[^/]+)\.git/info/lfs/objects/batch", _Handler.lfs_batch),
    ("PUT", r"/lfs/([0-9a-f]{64})", _Handler.lfs_put),
    ("GET", rf"/api/{_KEY}/tree/([^/]+)(?:/.*)?", _Handler.tree),
    ("GET", rf"/api/{_KEY}(?:/revision/([^/]+))?", _Handler.info),
    ("GET HEAD", r"/(?:(datasets)/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", _Handler.resolve),
]


def _git_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
