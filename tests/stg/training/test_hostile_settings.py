"""Settings files and checkpoint states made to break training: one line, no traceback, no waiting."""

import pytest

from modeling_stg.errors import StgError
from stg.training.plain_yaml import NotYaml, load_yaml
from stg.training.settings import Settings, SettingsError, merge
from stg.training.state import State, from_json, to_json


BOMB = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = [
    *("epochs: 2020-13-45", "epochs: 0b_", "epochs: !!float x", "seed: !!timestamp x", "writer: !!bool maybe"),
    *("use: &a [*a]", "only: [1, 2]", "epochs: true", "learning_rate: yes", "epochs: .nan", "epochs: 1e400"),
    *("model: 3", "model: {1: 2}", "1: 2", "? [1, 2]\n: 3", "<<: {epochs: 3}", "optimizer: [adam]", "facts: {a: 1}"),
    *("output_dir: ''", 'init_from: "a\\0b"', "model: {hidden_size: 99999999999}", "epochs: 1e300", "[" * 500),
    *(
        "epochs: " + "9" * 5000,
        "{" * 5000,
        "a: " * 300,
        "- x",
        BOMB,
        "use: " + BOMB.splitlines()[-1],
        "\x00",
        "\x1b[2J: 1",
    ),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_settings_are_one_short_line(text, tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError) as error:
        merge(file, {})
    assert len(str(error.value)) < 1500 and "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 500, "!!python/object:x.y {}", "0b_", "&a [*a]"])
def test_hostile_sizes_from_the_command_line(value):
    with pytest.raises(NotYaml):
        load_yaml(value)


def test_plain_settings_still_read(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text(
        "epochs: 1_000\nlearning_rate: 2e-3\nuse: [extra, partial]\noutput_dir: 2020-01-01\nseason: null\n"
    )
    settings = merge(file, {"seed": "7"}, {"hidden_size": 64})
    assert (settings.epochs, settings.learning_rate, settings.use) == (1000, 0.002, ["extra", "partial"])
    assert (settings.output_dir, settings.season, settings.model) == ("2020-01-01", None, {"hidden_size": 64})


@pytest.mark.parametrize(
    "change",
    [
        *({"step": "9"}, {"step": -1}, {"step": True}, {"epoch": 1.5}, {"finished": 1}, {"losses": []}),
        *({"rate_factor": float("nan")}, {"merit": None}, {"course": []}, {"unknown": 1}, {"step": 2**60}),
    ],
    ids=str,
)
def test_tampered_state_is_refused(change):
    saved = to_json(State(), {})
    assert from_json(saved, {}, Settings()) == State()
    with pytest.raises(StgError, match=r"state\.json: is not the state of a run"):
        from_json(saved | change, {}, Settings())
    for missing in ("course", "step"):
        with pytest.raises(StgError, match=r"state\.json: is not the state of a run"):
            from_json({name: value for name, value in saved.items() if name != missing}, {}, Settings())
