"""Pushes with the real huggingface_hub client to a Hub on the loopback interface, then loads in a new process."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stg.training import hub as hub_module
from stg.training.hub import HubError, Publisher, upload
from stg.training.release import ship
from stg.training.settings import Settings
from tests.helpers.hub_server import TOKEN, HubServer, Repository


TINY = [
    *("--documents", "24", "--epochs", "2", "--batch_size", "8", "--eval_documents", "4", "--bleu_from_epoch", "0"),
    *("--max_length", "40", "--model.hidden_size", "16", "--model.embedding_size", "8", "--model.context_size", "8"),
    *("--max_new_tokens", "20"),
]
LOAD = """
import json, sys
import transformers
name, game, place = sys.argv[1], json.load(open(sys.argv[2])), {"subfolder": sys.argv[3]} if sys.argv[3:] else {}
processor = transformers.AutoProcessor.from_pretrained(name, trust_remote_code=True, **place)
model = transformers.AutoModel.from_pretrained(name, trust_remote_code=True, **place)
config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=True, **place)
tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=True, **place)
assert "modeling_stg" not in sys.modules, "the package itself must not be needed"
assert config.hidden_size == 16 and len(tokenizer) == config.vocab_size
ids = model.generate(**processor(game, writers=["1"]), max_new_tokens=12, sentence_candidates=0)
print("wrote:", processor.batch_decode(ids, [game])[0])
"""
SEVERAL = """
import contextlib, io, json, os, runpy, sys
script, outcomes = sys.argv[1], []
for arguments in json.loads(sys.argv[2]):
    sys.argv[1:], err = arguments, io.StringIO()
    with contextlib.redirect_stderr(err):
        try:
            runpy.run_path(script, run_name="__main__")
        except SystemExit as stop:
            outcomes.append({"code": stop.code, "err": err.getvalue()})
print(json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def hub():
    server = HubServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def call(root, hub, tmp_path_factory):
    """Runs Python as a user of that Hub."""
    environment = os.environ | hub.environment(tmp_path_factory.mktemp("hub")) | {"OMP_NUM_THREADS": "1"}

    def run(*command: str, cwd: Path = root, **more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, *command], cwd=cwd, env=environment | more, capture_output=True, text=True, timeout=300
        )

    return run


@pytest.fixture(scope="module")
def pushed(hub, call, tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess]:
    """A training run that pushes, with one dropped connection."""
    hub.drop = 1
    output = tmp_path_factory.mktemp("pushed") / "run"
    push = ("--push_to_hub", "--hub_model_id", "U/recaps", "--hub_private")
    return output, call("scripts/train.py", *TINY, "--output_dir", str(output), *push)


def test_training_pushes_a_complete_model(hub, pushed):
    output, done = pushed
    assert done.returncode == 0, done.stdout + done.stderr
    repository = hub.repositories["models/U/recaps"]
    assert repository.private and hub.drop == 0
    files = repository.head.files
    assert {"config.json", "generation_config.json", "model.safetensors", "processor_config.json"} <= set(files)
    assert {"README.md", "tokenizer.json", "modeling_stg.py", "game.py", "processing_stg.py"} <= set(files)
    assert files["model.safetensors"] == (output / "best" / "model.safetensors").read_bytes()
    data = [path for path in files if not path.endswith(".py")]
    assert not [path for path in data if "optimizer" in path or "state" in path or "step_" in path]
    assert "uploaded to" in done.stdout and TOKEN not in done.stdout + done.stderr


def test_card_has_data_settings_scores_and_usage(hub, pushed):
    card = hub.repositories["models/U/recaps"].head.files["README.md"].decode()
    head = yaml.safe_load(card.split("---")[1])
    assert head["library_name"] == "transformers" and head["license"] == "apache-2.0"
    metrics = head["model-index"][0]["results"][0]["metrics"]
    assert metrics[0]["type"] == "perplexity" and metrics[0]["value"] > 1
    assert 'pipeline("box-score-to-text", model="U/recaps", trust_remote_code=True)' in card
    assert "sample league" in card and "| learning_rate |" in card and "| facts | " in card


def test_pushed_model_loads_and_generates_in_a_new_process(root, call, pushed, tmp_path):
    game = root / "examples" / "bucks_at_knicks.json"
    done = call("-c", LOAD, "U/recaps", str(game), cwd=tmp_path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"wrote: \S+", done.stdout)


@pytest.fixture(scope="module")
def pushes(root, hub, call, pushed, tmp_path_factory) -> dict[str, dict]:
    """Exit code and errors of several runs of `scripts/push_to_hub.py`, in one process to save start-up time."""
    best, folder = pushed[0] / "best", tmp_path_factory.mktemp("pushes")
    pruned = Path(shutil.copytree(best, folder / "pruned"))
    (pruned / "word_loss.py").unlink()
    renamed = Path(shutil.copytree(best, folder / "renamed"))
    card = (renamed / "README.md").read_text(encoding="utf-8")
    (renamed / "README.md").write_text(card.replace("U/recaps", "modeling_stg"), encoding="utf-8")
    hub.repositories["models/someone/public"] = Repository(False)
    commands = {
        "again": [str(best), "--hub_model_id", "U/recaps"],
        "pruned": [str(pruned), "--hub_model_id", "U/recaps"],
        "forbidden": [str(best), "--hub_model_id", "U/forbidden"],
        "dataset": ["--dataset", "U/rotowire_modified"],
        "public": [str(best), "--hub_model_id", "someone/public", "--hub_private"],
        "without code": ["modeling_stg/no_writer", "--hub_model_id", "someone/half"],
        "invalid name": [str(best), "--hub_model_id", "bad//name"],
        "renamed": [str(renamed), "--hub_model_id", "someone/named"],
    }
    before = len(hub.repositories["models/U/recaps"].commits)
    done = call("-c", SEVERAL, str(root / "scripts" / "push_to_hub.py"), json.dumps(list(commands.values())))
    assert done.returncode == 0 and TOKEN not in done.stdout + done.stderr, done.stdout + done.stderr
    outcomes = dict(zip(commands, json.loads(done.stdout.splitlines()[-1]), strict=True))
    return outcomes | {"before": before, "card": card}


def test_push_commits_changes_only(hub, pushes):
    commits, before = hub.repositories["models/U/recaps"].commits, pushes["before"]
    assert pushes["again"]["code"] == 0 and pushes["pruned"]["code"] == 0
    assert len(commits) == before + 1, "unchanged content makes no commit, a change makes one"
    assert "word_loss.py" in commits[before - 1].files and "word_loss.py" not in commits[before].files


def test_refused_push_is_one_line(pushes):
    refused = pushes["forbidden"]
    assert refused["code"] == 2 and refused["err"].startswith("error: U/forbidden: upload failed")
    assert refused["err"].count("\n") == 1


def test_dataset_push_has_only_the_sample(hub, pushes):
    assert pushes["dataset"]["code"] == 0, pushes["dataset"]
    files = hub.repositories["datasets/U/rotowire_modified"].head.files
    assert set(files) == {"README.md", *(f"sample/{split}.parquet" for split in ("train", "validation", "test"))}


def test_private_push_refuses_a_public_repository(hub, pushes):
    assert pushes["public"]["code"] == 2 and "someone/public: is public" in pushes["public"]["err"]
    assert hub.repositories["models/someone/public"].head.files == {}


def test_folder_without_code_is_not_pushed(pushes):
    refused = pushes["without code"]
    assert refused["code"] == 2 and "has no configuration_stg.py, which its config.json names" in refused["err"]


def test_invalid_repository_name_is_refused(pushes):
    assert pushes["invalid name"]["code"] == 2 and "bad//name: upload failed" in pushes["invalid name"]["err"]


def test_pushed_card_names_its_repository(hub, pushes):
    assert pushes["renamed"]["code"] == 0, pushes["renamed"]
    card = hub.repositories["models/someone/named"].head.files["README.md"].decode()
    assert card == pushes["card"].replace("U/recaps", "someone/named")


@pytest.mark.slow
def test_subfolder_is_pushed_and_loads(root, hub, call, pushed, tmp_path):
    """As modeling_stg/no_writer: code from the repository, everything else from the subfolder."""
    both = shutil.copytree(pushed[0] / "best", tmp_path / "both")
    ship(pushed[0] / "best", both / "no_writer", {"max_new_tokens": 9, "min_new_tokens": 9, "sentence_candidates": 0})
    (both / "no_writer" / "state.bin").write_bytes(b"not to be uploaded")
    for name in ("config.json", "processor_config.json", "tokenizer.json", "generation_config.json"):
        (both / name).write_text("{}", encoding="utf-8")  # must not be read
    done = call("scripts/push_to_hub.py", str(both), "--hub_model_id", "U/both")
    assert done.returncode == 0, done.stderr
    files = {path for path in hub.repositories["models/U/both"].head.files if path.startswith("no_writer/")}
    needed = ("config", "generation_config", "processor_config", "tokenizer", "tokenizer_config", "training", "game")
    assert files == {"no_writer/model.safetensors", *(f"no_writer/{name}.json" for name in needed)}
    game = root / "examples" / "bucks_at_knicks.json"
    done = call("-c", LOAD, "U/both", str(game), "no_writer", cwd=tmp_path, PYTHONPATH="")
    assert done.returncode == 0 and re.search(r"wrote: \S+", done.stdout), done.stdout + done.stderr
    done = call("scripts/generate.py", "--games", str(game), "--model", "U/both/no_writer", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["tokens"]) == 9


@pytest.mark.parametrize("arguments", [[], ["runs/x"], ["nowhere", "--hub_model_id", "U/x"]])
def test_invalid_push_arguments_are_one_line(root, monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["push_to_hub.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(root / "scripts" / "push_to_hub.py"), run_name="__main__")
    error = capsys.readouterr().err
    assert stopped.value.code == 2 and error.startswith("error: ") and error.count("\n") == 1


class FlakyClient:
    """A client whose connection drops `times` times."""

    def __init__(self, times: int):
        self.times, self.calls = times, 0

    def __call__(self) -> "FlakyClient":
        return self

    def create_repo(self, repo, **_) -> str:
        return f"https://hub/{repo}"

    def upload_folder(self, **_) -> None:
        self.calls += 1
        if self.calls <= self.times:
            raise ConnectionError(f"reset by peer ({TOKEN})")


def test_dropped_connection_is_retried(monkeypatch, tmp_path):
    client = FlakyClient(times=2)
    monkeypatch.setattr(hub_module, "HfApi", client)
    monkeypatch.setattr(hub_module, "WAIT", 0.0)
    assert upload(tmp_path, "U/x") == "https://hub/U/x"
    assert client.calls == 3


def test_unreachable_hub_does_not_stop_training(monkeypatch, tmp_path):
    monkeypatch.setattr(hub_module, "HfApi", FlakyClient(times=100))
    monkeypatch.setattr(hub_module, "WAIT", 0.0)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with pytest.raises(HubError):
        upload(tmp_path, "U/x")
    printed = []
    publisher = Publisher(Settings(push_to_hub=True, hub_model_id="U/x"), printed.append)
    publisher.publish(tmp_path, "Epoch 1")
    publisher.close()
    assert len(printed) == 1 and printed[0].startswith("warning: U/x: upload failed") and TOKEN not in printed[0]
