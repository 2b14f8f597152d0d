"""A Hub that refuses, drops, answers late or not at all: one line, no token, and never for ever."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from stg import hub_client
from stg.training import hub
from stg.training.hub import HubError, Publisher, upload
from stg.training.settings import Settings
from tests.helpers.hub_server import TOKEN, HubServer


@pytest.fixture
def server(tmp_path, monkeypatch):
    server = HubServer()
    for name, value in server.environment(tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(hub, "HfApi", lambda: __import__("huggingface_hub").HfApi(endpoint=server.url, token=TOKEN))
    monkeypatch.setattr(hub_client, "TIMEOUT", 0.5)
    monkeypatch.setattr(hub, "WAIT", 0.01)
    monkeypatch.setattr(hub, "TRIES", 2)
    monkeypatch.setattr("time.sleep", lambda seconds, sleep=time.sleep: sleep(min(seconds, 0.01)))
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "best").mkdir()
    (tmp_path / "best" / "README.md").write_text("---\nlicense: mit\n---\ntext")
    (tmp_path / "best" / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    return tmp_path / "best"


@pytest.mark.parametrize("status", [500, 401, 429])
def test_a_refusal_is_one_line_without_the_token(server, folder, status):
    server.answer = status
    with pytest.raises(HubError) as error:
        upload(folder, "U/x")
    assert str(error.value).startswith("U/x: upload failed") and TOKEN not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_passing_error_loses_nothing(server, folder):
    server.answer, server.answers = 500, 1
    upload(folder, "U/x")
    assert set(server.repositories["models/U/x"].head.files) == {"README.md", "model.safetensors"}


def test_a_stalled_commit_ends_with_an_error(server, folder):
    server.stall = "/commit/"
    started = time.monotonic()
    with pytest.raises(HubError, match="U/x: upload failed"):
        upload(folder, "U/x")
    assert time.monotonic() - started < 60


def test_closing_waits_only_so_long(server, folder, monkeypatch):
    monkeypatch.setattr(hub_client, "TIMEOUT", 60.0)
    server.stall, printed = "/commit/", []
    publisher = Publisher(Settings(push_to_hub=True, hub_model_id="U/x"), printed.append)
    publisher.publish(folder, "Epoch 1")
    copies = set(publisher._copies)
    publisher.close(patience=1.0)
    assert printed == ["warning: U/x: the upload has not ended after 1 s; push later with `stg push-to-hub`"]
    assert copies and not any(copy.exists() for copy in copies)
    assert all(thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread())


def test_the_token_is_masked_before_the_message_is_cut(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for shift in range(len(TOKEN) + 1):
        reason = hub_client.reason_without_token("x" * (300 - shift) + TOKEN + " and more")
        assert TOKEN[:4] not in reason and len(reason) <= 300


def test_sigterm_ends_a_training_whose_upload_stalls(root, tmp_path):
    from tests.stg.training.test_hub import TINY

    server = HubServer()
    server.stall = "/commit/"
    environment = os.environ | server.environment(tmp_path / "home") | {"OMP_NUM_THREADS": "1"}
    arguments = ["--output_dir", str(tmp_path / "run"), "--push_to_hub", "--hub_model_id", "U/x", "--no-recap"]
    command = [sys.executable, "-c", "from stg.cli import main; main()", "train", *TINY, *arguments, "--epochs", "200"]
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + 120
        while not any("/commit/" in request for request in server.requests) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        server.close()
    assert process.returncode == 128 + signal.SIGTERM, output
    assert b"everything is saved" in output and TOKEN.encode() not in output
