"""Uploads to the Hub that never stop or spoil a run: in the background, tried again, without a word of the token."""

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
WAIT = 2.0  # seconds before the second try; doubled before each further one
# Only files of these kinds are uploaded: what a released model is made of.
LATER = "push later with scripts/push_to_hub.py"
RELEASED = ["*.py", "*.json", "*.safetensors", "README.md"]


class HubError(StgError):
    """The Hub did not take it."""


class Publisher:
    """Uploads folders one after another in the background; a failure is said in one line and training goes on."""

    def __init__(self, settings: Settings, say: Callable[[str], None]):
        self.repo = settings.hub_model_id if settings.push_to_hub else None
        self.private, self.say = settings.hub_private, say
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.last: Future | None = None

    def publish(self, folder: Path, message: str) -> None:
        """Uploads what `folder` holds now, whatever becomes of it in the meantime."""
        if self.repo is None:
            return
        if self.last is not None and self.last.cancel():  # a better one is here before it was begun
            shutil.rmtree(self.waiting, ignore_errors=True)
        copy = None
        try:
            copy = Path(tempfile.mkdtemp(prefix="stg-release-"))
            shutil.copytree(folder, copy, dirs_exist_ok=True)
        except OSError as error:  # shutil's own too: no room, most likely
            if copy is not None:
                shutil.rmtree(copy, ignore_errors=True)
            self.say(f"warning: {folder}: cannot be copied for its upload ({_without_token(error)}); {LATER}")
            return
        self.last, self.waiting = self.pool.submit(self._publish, copy, message), copy

    def _publish(self, copy: Path, message: str) -> None:
        try:
            self.say(f"uploaded to {upload(copy, self.repo, private=self.private, message=message)}")
        except HubError as error:
            self.say(f"warning: {error}; {LATER}")
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
    kind: str = "model",
    patterns: list[str] | None = None,
) -> str:
    """Creates the repository if need be and uploads what has changed; files it no longer has are removed.

    A dropped connection is tried again. Uploading the same twice makes no commit.
    """
    api = HfApi()
    for attempt in range(TRIES):
        try:
            url = api.create_repo(repo, private=private, repo_type=kind, exist_ok=True)
            if private and not api.repo_info(repo, repo_type=kind).private:
                raise HubError(f"{repo}: is public and was there before; make it private, or name another")
            api.upload_folder(
                repo_id=repo,
                repo_type=kind,
                folder_path=folder,
                commit_message=message,
                allow_patterns=patterns or RELEASED,
                delete_patterns=patterns or RELEASED,
            )
            return str(url)
        except HubError:
            raise
        except Exception as error:  # whatever the client raises: the network has a hundred ways to fail
            reason = _without_token(error)
            if attempt + 1 == TRIES or _is_refusal(error):
                raise HubError(f"{repo}: upload failed ({reason})") from None
            time.sleep(WAIT * 2**attempt)
    raise AssertionError("unreachable")


def _is_refusal(error: Exception) -> bool:
    """The Hub answered and said no: trying again would not help."""
    if isinstance(error, HFValidationError):  # no name of a repository
        return True
    response = error.response if isinstance(error, OSError) and "response" in vars(error) else None
    return response is not None and response.status_code in (400, 401, 403, 404)


def _without_token(error: Exception) -> str:
    """What the error says, on one line."""
    text = " ".join(str(error).split())[:300]
    token = get_token()
    return text.replace(token, "***") if token else text
