"""`stg read` as a user runs it: packets, tallies, bad input."""

import json
import re
from pathlib import Path

import pytest

from modeling_stg.text import detokenize
from stg.cli.read import main
from stg.dataset import open_dataset


DATASET = ("--dataset", "rotowire_modified", "--config", "sample", "--split", "test[:8]")
TOKENS = (
    "The Bucks won , 105 - 104 , on Wednesday . `` Great , '' said Greg Monroe , who did n't start ( 18 points ) ."
)
PLAIN = 'The Bucks won, 105-104, on Wednesday. "Great," said Greg Monroe, who didn\'t start (18 points).'


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as exit:
            main([*map(str, arguments)])
        return exit.value.code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def rows() -> list[dict]:
    return list(open_dataset(config="sample", split="test[:8]"))


@pytest.fixture
def games(tmp_path, paper) -> Path:
    """Three games, a, b and c, without summaries."""
    path = tmp_path / "games.json"
    path.write_text(json.dumps([paper | {"game_id": name} for name in "abc"]))
    return path


@pytest.fixture
def recaps(tmp_path) -> Path:
    """A tokenized text for each of the three games."""
    path = tmp_path / "recaps.txt"
    path.write_text("".join(f"{TOKENS} {name} .\n" for name in "abc"))
    return path


def texts_of(folder: Path, number: int) -> dict[str, str]:
    packet = (folder / "packets" / f"packet_{number:02d}.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## (Text \d+)\n\n(.+)$", packet, flags=re.MULTILINE))


def test_prepare_writes_packets_and_a_key_beside_them(run, rows, tmp_path):
    ours, output = tmp_path / "ours.txt", tmp_path / "reading"
    ours.write_text("".join(f"Written about {row['game_id']} .\n" for row in rows))
    options = (*DATASET, "--texts", "secretname=references", f"otherwise={ours}", "--n", 3, "--season", "sample")
    code, out, err = run("prepare", *options, "--seed", 5, "--output", output)
    assert code == 0 and "3 packets of 2 texts" in out
    assert sorted(path.name for path in output.iterdir()) == ["key.json", "packets"]
    names = ["INSTRUCTIONS.md", *(f"form_0{at}.json" for at in (1, 2, 3)), *(f"packet_0{at}.md" for at in (1, 2, 3))]
    assert sorted(path.name for path in (output / "packets").iterdir()) == names
    key = json.loads((output / "key.json").read_text())
    assert key["seed"] == 5 and key["season"] == "sample"
    assert key["systems"] == {"secretname": "references", "otherwise": str(ours)}
    assert key["made_by"].startswith("stg read prepare --dataset rotowire_modified --config sample --split 'test[:8]'")
    summaries = {row["game_id"]: detokenize(row["summary"]) for row in rows}
    for row in key["packets"]:
        written = {"secretname": summaries[row["game_id"]], "otherwise": f"Written about {row['game_id']}."}
        shown = {row["texts"][label]: text for label, text in texts_of(output, row["packet"]).items()}
        assert shown == written
    for path in (output / "packets").iterdir():
        content = path.read_text(encoding="utf-8")
        assert "secretname" not in content and "otherwise" not in content
    assert "  Season: " in (output / "packets" / "packet_01.md").read_text(encoding="utf-8")


def test_tokens_and_plain_text_look_alike(run, games, tmp_path):
    texts = [TOKENS, PLAIN.replace("-104", "–104"), PLAIN.replace('. "Great,"', ".\n\n“Great,”").replace("'", "’")]
    tokens, plain, paragraphs = (tmp_path / name for name in ("tokens.txt", "plain.txt", "paragraphs.jsonl"))
    tokens.write_text(f"{texts[0]}\n" * 3)
    plain.write_text(f"{texts[1]}\n" * 3, encoding="utf-8")
    lines = [json.dumps({"game_id": name, "text": texts[2]}, ensure_ascii=False) for name in "abc"]
    paragraphs.write_text("\n".join(lines), encoding="utf-8")
    output = tmp_path / "reading"
    sources = (f"one={tokens}", f"two={plain}", f"three={paragraphs}")
    assert run("prepare", "--games", games, "--texts", *sources, "--n", 1, "--output", output)[0] == 0
    assert set(texts_of(output, 1).values()) == {PLAIN}


def test_jsonl_is_matched_by_id_and_may_lack_games(run, games, recaps, tmp_path):
    skipping = tmp_path / "skipping.jsonl"
    skipping.write_text('{"game_id": "c", "text": "About c."}\n{"game_id": "a", "text": "About a."}\n')
    options = ("--games", games, "--texts", f"x={recaps}", f"y={skipping}", "--output", tmp_path / "reading")
    code, _, err = run("prepare", *options, "--n", 3)
    assert code == 2 and "--n 3: only 2 of 3 games have a text of every system" in err
    assert run("prepare", *options, "--n", 2)[0] == 0
    for row in json.loads((tmp_path / "reading" / "key.json").read_text())["packets"]:
        shown = {row["texts"][label]: text for label, text in texts_of(tmp_path / "reading", row["packet"]).items()}
        assert shown["y"] == f"About {row['game_id']}." and shown["x"].endswith(f" {row['game_id']}.")


def test_the_same_seed_gives_the_same_packets(run, tmp_path):
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        options = ("--texts", "x=references", "--n", 5, "--seed", seed, "--output", tmp_path / name)
        assert run("prepare", *DATASET, *options)[0] == 0
    one, same, other = (
        {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / name / "packets").iterdir()}
        for name in ("one", "same", "other")
    )
    assert one == same != other


@pytest.mark.parametrize(
    "options, message",
    [
        (["--texts", "x"], "--texts x: is not NAME=FILE; name the system, such as ours=recaps.txt"),
        (["--texts", "=f.txt"], "--texts =f.txt: is not NAME=FILE"),
        (["--texts", "x={recaps}", "x={recaps}"], "x is given twice; name every system differently"),
        (["--texts", "x={tmp}/none.txt"], "none.txt: cannot be read (No such file or directory); check the path"),
        (["--texts", "x={tmp}/two.txt"], "two.txt: 2 summaries for 3 games; write one line for every game"),
        (["--texts", "x=references"], "--texts x=references: no game has a summary; give --dataset with human texts"),
        (["--texts", "x={recaps}", "--n", "4"], "--n 4: only 3 of 3 games have a text of every system"),
        (["--texts", "x={recaps}", "--n", "0"], "--n must be at least 1, --seed at least 0"),
        (["--texts", "x={recaps}", "--seed", "-1"], "--seed -1: --n must be at least 1, --seed at least 0"),
        (["--texts", "x={recaps}", "--season", "{tmp}/none"], "--season {tmp}/none: cannot be read"),
        (["--texts", "x={recaps}", "--output", "{tmp}"], "exists and is not an empty folder; name another"),
        (["--texts", "x={recaps}", "--output", "{recaps}"], "exists and is not an empty folder; name another"),
        (["--texts", "x={recaps}", "--output", "{tmp}/no/where"], "its parent folder does not exist; create it first"),
        (["--texts", "x={recaps}", "--games", "{tmp}/bad.json"], "bad.json: games[0].day: missing; a game needs"),
        (["--texts", "x={recaps}", "--games", "{tmp}/bad.jsonl"], "bad.jsonl, line 1: is not JSON"),
        ([], "the following arguments are required: --texts; see `stg read prepare --help`"),
    ],
)
def test_bad_input_gives_one_line_and_writes_nothing(run, games, recaps, tmp_path, options, message):
    (tmp_path / "two.txt").write_text("One .\nTwo .\n")
    (tmp_path / "bad.json").write_text("[{}]")
    (tmp_path / "bad.jsonl").write_text("{\n")
    before = sorted(tmp_path.rglob("*"))
    options = [option.format(tmp=tmp_path, recaps=recaps) for option in options]
    code, out, err = run("prepare", "--games", games, "--n", 1, "--output", tmp_path / "reading", *options)
    assert code == 2 and out == "" and all(line.startswith("error: ") for line in err.splitlines())
    assert message.format(tmp=tmp_path) in err and sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_is_filled(run, games, recaps, tmp_path):
    (tmp_path / "reading").mkdir()
    options = ("--games", games, "--texts", f"x={recaps}", "--n", 1, "--output", tmp_path / "reading")
    assert run("prepare", *options)[0] == 0 and (tmp_path / "reading" / "key.json").is_file()
    assert run("prepare", *options)[0] == 2  # not a second time


@pytest.fixture
def reading(run, games, recaps, tmp_path) -> Path:
    """A prepared reading of three games with two systems, good and bad; bad has the wrong day."""
    bad, output = tmp_path / "bad.txt", tmp_path / "reading"
    bad.write_text(recaps.read_text().replace("Wednesday", "Thursday"))
    options = ("--texts", f"good={recaps}", f"bad={bad}", "--n", 3, "--output", output)
    assert run("prepare", "--games", games, *options)[0] == 0
    return output


def fill_in(reading: Path, folder: Path, packets=(1, 2, 3), **changes) -> Path:
    """Fills in forms by what the packets show: a text with the wrong day is not fit to print and comes last."""
    folder.mkdir()
    for number in packets:
        name = f"form_{number:02d}.json"
        form = json.loads((reading / "packets" / name).read_text())
        shown = texts_of(reading, number)
        for label, text in shown.items():
            form["texts"][label]["false"] = ["on Thursday"] if "on Thursday" in text else []
            form["texts"][label]["publish"] = "no" if "on Thursday" in text else "yes"
        form["rank"] = sorted(shown, key=lambda label: "on Thursday" in shown[label])
        (folder / name).write_text(json.dumps(form | changes))
    return folder


def test_tally_undoes_the_shuffling(run, reading, tmp_path):
    """Fails if labels and key disagree."""
    anna, output = fill_in(reading, tmp_path / "anna"), tmp_path / "tally.json"
    code, out, _ = run("tally", reading, "--forms", anna, "--output", output)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0 and lines[0].startswith("3 forms on 3 of 3 games, by anna (3).")
    assert "| bad | 1.00 (1.00..1.00) | 0.00 (0.00..0.00) | 0.00 (0.00..0.00) | 0 / 0 / 3 | 2.00 |" in lines
    assert "| good | 0.00 (0.00..0.00) | 0.00 (0.00..0.00) | 0.00 (0.00..0.00) | 3 / 0 / 0 | 1.00 |" in lines
    result = json.loads(output.read_text())
    assert result["systems"]["bad"]["publish"] == {"yes": 0, "light edits": 0, "no": 3}
    assert all(one["texts"]["bad"]["false"] == ["on Thursday"] for one in result["readings"])


def test_several_readers_are_compared(run, reading, tmp_path):
    folders = [fill_in(reading, tmp_path / "one"), fill_in(reading, tmp_path / "two", packets=(2, 3))]
    code, out, _ = run("tally", reading, "--forms", *folders, "--readers", "anna", "bob")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0 and lines[0].startswith("5 forms on 3 of 3 games, by anna (3), bob (2).")
    assert (
        "| anna / bob | 4 | 100 | 1.00 | 100 |" in lines
        and "| bad, bob | 1.00 | 0.00 | 0.00 | 0 / 0 / 2 | 2.00 |" in lines
    )


def test_bad_forms_are_reported_a_line_each_and_nothing_is_written(run, reading, tmp_path):
    anna, bob = fill_in(reading, tmp_path / "anna", rank=[]), fill_in(reading, tmp_path / "bob", packets=(1,), texts=0)
    code, out, err = run("tally", reading, "--forms", anna, bob, "--output", tmp_path / "tally.json")
    lines = err.splitlines()
    assert code == 2 and out == "" and len(lines) == 4 and not (tmp_path / "tally.json").exists()
    assert lines[0].startswith(f"error: {anna / 'form_01.json'}: rank: [] does not list every text once")
    assert lines[3] == f"error: {bob / 'form_01.json'}: texts: 0 is not an object with Text 1, Text 2"


@pytest.mark.parametrize(
    "options, message",
    [
        (["{tmp}", "--forms", "{anna}"], "key.json: cannot be read (No such file or directory); check the path"),
        (["{reading}", "--forms", "{tmp}/none"], "none: is not a folder; name one folder of forms for each reader"),
        (["{reading}", "--forms", "{tmp}"], "holds no form; name the folder with form_01.json and so on, filled in"),
        (["{reading}", "--forms", "{anna}", "{anna}"], "--readers: anna would be two readers; name every reader"),
        (["{reading}", "--forms", "{anna}", "--readers", "a", "b"], "--readers: 2 names for 1 folders of --forms"),
        (["{reading}", "--forms", "{anna}", "--output", "{tmp}"], "is a folder; name a file"),
        (["{reading}"], "the following arguments are required: --forms; see `stg read tally --help`"),
    ],
)
def test_bad_tallies_give_one_line(run, reading, tmp_path, options, message):
    anna = fill_in(reading, tmp_path / "anna")
    code, out, err = run("tally", *(option.format(tmp=tmp_path, reading=reading, anna=anna) for option in options))
    assert code == 2 and out == "" and err.startswith("error: ") and message in err and err.count("\n") == 1


def test_an_action_is_needed(run):
    assert run()[2] == "error: the following arguments are required: ACTION; see `stg read --help`\n"
