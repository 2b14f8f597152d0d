"""Uploads to the Hub: in the background, retried, never stopping a run and never printing the token."""

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HFValidationError

from modeling_stg.errors import StgError
from stg.hub_client import limit_waiting, reason_without_token
from stg.training.settings import Settings


TRIES = 4
WAIT = 2.0  # seconds before the second try, doubled before each further one
LONGEST = 600.0  # seconds after which an upload is not tried again
PATIENCE = 600.0  # seconds that a finished training waits for its last upload
LATER = "push later with `stg push-to-hub`"
# the files of a released model; nothing else is uploaded
RELEASED = ["*.py", "*.json", "*.safetensors", "README.md"]


class HubError(StgError):
    """The upload failed or was refused."""


class Publisher:
    """Uploads folders one after another in the background; a failure prints a warning and training goes on.

    The thread is a daemon: an upload that stalls must not keep a process alive that was told to stop.
    """

    def __init__(self, settings: Settings, print_line: Callable[[str], None]):
        self.repo = settings.hub_model_id if settings.push_to_hub else None
        self.private, self.print_line = settings.hub_private, print_line
        self._lock = threading.Lock()
        self._waiting: tuple[Path, str] | None = None
        self._thread: threading.Thread | None = None
        self._copies: set[Path] = set()

    def publish(self, folder: Path, message: str) -> None:
        """Uploads a copy of `folder`, which may change in the meantime."""
        if self.repo is None:
            return
        copy = None
        try:
            copy = Path(tempfile.mkdtemp(prefix="stg-release-"))
            self._copies.add(copy)
            shutil.copytree(folder, copy, dirs_exist_ok=True)
        except OSError as error:  # including shutil.Error; most likely no space
            if copy is not None:
                self._remove(copy)
            reason = reason_without_token(error)
            self.print_line(f"warning: {folder}: cannot be copied for the upload ({reason}); {LATER}")
            return
        with self._lock:
            if self._waiting is not None:  # a newer model replaces one that is still waiting
                self._remove(self._waiting[0])
            self._waiting = copy, message
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._waiting is None:
                    self._thread = None
                    return
                (copy, message), self._waiting = self._waiting, None
            try:
                self.print_line(f"uploaded to {upload(copy, self.repo, private=self.private, message=message)}")
            except HubError as error:
                self.print_line(f"warning: {error}; {LATER}")
            self._remove(copy)

    def close(self, patience: float = PATIENCE) -> None:
        """Waits for the last upload, but no longer than `patience` seconds, and removes all copies."""
        thread = self._thread
        if thread is not None:
            thread.join(patience)
            if thread.is_alive() and patience:
                self.print_line(f"warning: {self.repo}: the upload has not ended after {patience:.0f} s; {LATER}")
        for copy in list(self._copies):
            self._remove(copy)

    def _remove(self, copy: Path) -> None:
        shutil.rmtree(copy, ignore_errors=True)
        self._copies.discard(copy)


def upload(
    folder: Path,
    repo: str,
    private: bool = False,
    message: str = "Upload",
    repo_type: str = "model",
    patterns: list[str] | None = None,
) -> str:
    """Creates the repository if necessary and uploads what changed; files that no longer exist are deleted there.

    Dropped connections are retried. Uploading the same content twice makes no second commit.
    """
    limit_waiting()
    api, started = HfApi(), time.monotonic()
    for attempt in range(TRIES):
        try:
            url = api.create_repo(repo, private=private, repo_type=repo_type, exist_ok=True)
            if private and not api.repo_info(repo, repo_type=repo_type).private:
                raise HubError(f"{repo}: is public; make it private, or give another repository")
            api.upload_folder(
                repo_id=repo,
                repo_type=repo_type,
                folder_path=folder,
                commit_message=message,
                allow_patterns=patterns or RELEASED,
                delete_patterns=patterns or RELEASED,
            )
            return str(url)
        except HubError:
            raise
        except Exception as error:  # the client raises many types of error
            reason = reason_without_token(error)
            if attempt + 1 >= TRIES or _is_refusal(error) or time.monotonic() - started > LONGEST:
                raise HubError(f"{repo}: upload failed ({reason})") from None
            time.sleep(WAIT * 2**attempt)
    raise AssertionError("unreachable")


def _is_refusal(error: Exception) -> bool:
    """Whether the Hub refused, so that a retry would not help."""
    if isinstance(error, HFValidationError):  # not a valid repository name
        return True
    response = error.response if isinstance(error, OSError) and "response" in vars(error) else None
    return response is not None and response.status_code in (400, 401, 403, 404)
