"""Push with the real huggingface_hub client to a Hub on the loopback interface, then load in a fresh process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hub_server import TOKEN, HubServer


TINY = [
    *("--documents", "24", "--epochs", "2", "--batch_size", "8", "--eval_documents", "4", "--bleu_from_epoch", "0"),
    *("--max_length", "40", "--model.hidden_size", "16", "--model.embedding_size", "8", "--model.context_size", "8"),
    *("--max_new_tokens", "20"),
]
LOAD = """
import json, sys
import transformers
name, game = sys.argv[1], json.load(open(sys.argv[2]))
processor = transformers.AutoProcessor.from_pretrained(name, trust_remote_code=True)
model = transformers.AutoModel.from_pretrained(name, trust_remote_code=True)
config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=True)
tokenizer = transformers.AutoTokenizer.from_pretrained(name)
assert "modeling_stg" not in sys.modules, "the package itself must not be needed"
assert config.hidden_size == 16 and len(tokenizer) == config.vocab_size
ids = model.generate(**processor(game, writers=["1"]), max_new_tokens=12)
print("wrote:", processor.batch_decode(ids, [game])[0])
"""


@pytest.fixture(scope="module")
def hub():
    server = HubServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def call(root, hub, tmp_path_factory):
    """Runs a command as a user of that Hub."""
    environment = os.environ | hub.environment(tmp_path_factory.mktemp("hub")) | {"OMP_NUM_THREADS": "1"}

    def run(*command: str, cwd: Path = root, **more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, *command], cwd=cwd, env=environment | more, capture_output=True, text=True, timeout=300
        )

    return run


@pytest.fixture(scope="module")
def pushed(hub, call, tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess]:
    """A training run that pushes, over a line that drops at first."""
    hub.drop = 1
    output = tmp_path_factory.mktemp("pushed") / "run"
    push = ("--push_to_hub", "--hub_model_id", "U/recaps", "--hub_private")
    return output, call("scripts/train.py", *TINY, "--output_dir", str(output), *push)


def test_training_pushes_what_a_user_needs(hub, pushed):
    output, done = pushed
    assert done.returncode == 0, done.stdout + done.stderr
    repository = hub.repositories["models/U/recaps"]
    assert repository.private and hub.drop == 0
    files = repository.head.files
    assert {"config.json", "generation_config.json", "model.safetensors", "processor_config.json"} <= set(files)
    assert {"README.md", "tokenizer.json", "modeling_stg.py", "game_stg.py", "processing_stg.py"} <= set(files)
    assert files["model.safetensors"] == (output / "best" / "model.safetensors").read_bytes()
    assert not [path for path in files if "optimizer" in path or "state" in path or "step_" in path]
    assert "uploaded to" in done.stdout and TOKEN not in done.stdout + done.stderr


def test_the_card_has_data_settings_scores_and_use(hub, pushed):
    card = hub.repositories["models/U/recaps"].head.files["README.md"].decode()
    head = yaml.safe_load(card.split("---")[1])
    assert head["library_name"] == "transformers" and head["license"] == "apache-2.0"
    metrics = head["model-index"][0]["results"][0]["metrics"]
    assert metrics[0]["type"] == "perplexity" and metrics[0]["value"] > 1
    assert 'AutoModel.from_pretrained("U/recaps", trust_remote_code=True)' in card
    assert "sample league" in card and "| learning_rate |" in card


def test_it_loads_and_writes_in_a_fresh_process(root, call, pushed, tmp_path):
    game = root / "examples" / "bucks_at_knicks.json"
    done = call("-c", LOAD, "U/recaps", str(game), cwd=tmp_path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"wrote: \S+", done.stdout)


def test_pushing_the_same_again_makes_no_mess(hub, call, pushed):
    output, _ = pushed
    before = len(hub.repositories["models/U/recaps"].commits)
    done = call("scripts/push_to_hub.py", str(output / "best"), "--hub_model_id", "U/recaps")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(hub.repositories["models/U/recaps"].commits) == before
    (output / "best" / "words_stg.py").rename(output / "words_stg.py")
    done = call("scripts/push_to_hub.py", str(output / "best"), "--hub_model_id", "U/recaps")
    (output / "words_stg.py").rename(output / "best" / "words_stg.py")
    assert done.returncode == 0 and "words_stg.py" not in hub.repositories["models/U/recaps"].head.files


def test_a_refusal_is_one_line_without_the_token(hub, call, pushed):
    output, _ = pushed
    hub.refuse = True
    done = call("scripts/push_to_hub.py", str(output / "best"), "--hub_model_id", "U/forbidden")
    hub.refuse = False
    assert done.returncode == 2
    assert done.stderr.startswith("error: U/forbidden: upload failed") and done.stderr.count("\n") == 1
    assert TOKEN not in done.stderr


def test_the_dataset_card_goes_with_the_sample_only(hub, call):
    done = call("scripts/push_to_hub.py", "--dataset", "U/rotowire_modified")
    assert done.returncode == 0, done.stdout + done.stderr
    files = hub.repositories["datasets/U/rotowire_modified"].head.files
    assert set(files) == {"README.md", *(f"sample/{split}.parquet" for split in ("train", "validation", "test"))}


@pytest.mark.parametrize("arguments", [[], ["runs/x"], ["nowhere", "--hub_model_id", "U/x"]])
def test_what_cannot_be_pushed_is_said_in_one_line(call, arguments):
    done = call("scripts/push_to_hub.py", *arguments)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
