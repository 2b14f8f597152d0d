"""Uploads to the Hub: in the background, retried, never stopping a run and never printing the token."""

import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HFValidationError

from modeling_stg.errors import StgError
from stg.training.settings import Settings


TRIES = 4
WAIT = 2.0  # seconds before the second try, doubled before each further one
LATER = "push later with `stg push-to-hub`"
# the files of a released model; nothing else is uploaded
RELEASED = ["*.py", "*.json", "*.safetensors", "README.md"]


class HubError(StgError):
    """The upload failed or was refused."""


class Publisher:
    """Uploads folders one after another in the background; a failure prints a warning and training goes on."""

    def __init__(self, settings: Settings, print_line: Callable[[str], None]):
        self.repo = settings.hub_model_id if settings.push_to_hub else None
        self.private, self.print_line = settings.hub_private, print_line
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.last: Future | None = None

    def publish(self, folder: Path, message: str) -> None:
        """Uploads a copy of `folder`, which may change in the meantime."""
        if self.repo is None:
            return
        if self.last is not None and self.last.cancel():  # a newer model replaces one that is still waiting
            shutil.rmtree(self.waiting, ignore_errors=True)
        copy = None
        try:
            copy = Path(tempfile.mkdtemp(prefix="stg-release-"))
            shutil.copytree(folder, copy, dirs_exist_ok=True)
        except OSError as error:  # including shutil.Error; most likely no space
            if copy is not None:
                shutil.rmtree(copy, ignore_errors=True)
            self.print_line(f"warning: {folder}: cannot be copied for the upload ({_without_token(error)}); {LATER}")
            return
        self.last, self.waiting = self.pool.submit(self._publish, copy, message), copy

    def _publish(self, copy: Path, message: str) -> None:
        try:
            self.print_line(f"uploaded to {upload(copy, self.repo, private=self.private, message=message)}")
        except HubError as error:
            self.print_line(f"warning: {error}; {LATER}")
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def close(self) -> None:
        """Waits for the last upload."""
        self.pool.shutdown(wait=True)


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
    api = HfApi()
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
            reason = _without_token(error)
            if attempt + 1 == TRIES or _is_refusal(error):
                raise HubError(f"{repo}: upload failed ({reason})") from None
            time.sleep(WAIT * 2**attempt)
    raise AssertionError("unreachable")


def _is_refusal(error: Exception) -> bool:
    """Whether the Hub refused, so that a retry would not help."""
    if isinstance(error, HFValidationError):  # not a valid repository name
        return True
    response = error.response if isinstance(error, OSError) and "response" in vars(error) else None
    return response is not None and response.status_code in (400, 401, 403, 404)


def _without_token(error: Exception) -> str:
    """The error's message on one line, with the token masked."""
    text = " ".join(str(error).split())[:300]
    token = get_token()
    return text.replace(token, "***") if token else text
