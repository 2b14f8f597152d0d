"""Annotation: the facts that sentences state, the sample league's known mentions, and the command."""

import json
import shutil
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from modeling_stg.errors import StgError
from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.facts import Fact
from modeling_stg.game import Game
from modeling_stg.numbers import to_word
from modeling_stg.schema import NUMBER_ATTRIBUTES
from modeling_stg.season import Season
from stg.checking.annotator import Annotator
from stg.extraction.annotation import annotate
from stg.extraction.candidates import Names
from stg.extraction.relations import Relation


@pytest.fixture(scope="module")
def game(root) -> Game:
    return Game.from_json(json.loads((root / "examples" / "bucks_at_knicks.json").read_text()))


@pytest.fixture(scope="module")
def sample(root) -> dict[str, list[dict]]:
    folder = root / "rotowire_modified" / "sample"
    return {path.stem: pq.read_table(path).to_pylist() for path in sorted(folder.glob("*.parquet"))}


def numbers(text: str, game: Game, **options) -> list[tuple[str, str, str]]:
    tokens = text.split()
    return [
        (tokens[mention.position], game.names[mention.fact.entity], mention.fact.attribute)
        for mention in annotate(tokens, game, **options)
        if mention.form != "text"
    ]


def names(text: str, game: Game) -> list[tuple[str, str]]:
    tokens = text.split()
    return [
        (" ".join(tokens[mention.position : mention.position + mention.length]), mention.fact.attribute)
        for mention in annotate(tokens, game)
        if mention.form == "text"
    ]


def test_parts_of_a_name_are_separate_mentions(game):
    assert names("Jabari Parker and Rose met the New York Knicks in Milwaukee .", game) == [
        ("Jabari", "FIRST_NAME"),
        ("Parker", "SECOND_NAME"),
        ("Rose", "SECOND_NAME"),
        ("New York", "TEAM-CITY"),
        ("Knicks", "TEAM-NAME"),
        ("Milwaukee", "TEAM-CITY"),
    ]


def test_numbers_are_digits_or_words(game):
    tokens = "Noah had eight points and 16 rebounds".split()
    forms = [(mention.position, mention.form) for mention in annotate(tokens, game) if mention.position]
    assert forms == [(2, "word"), (5, "digits")]


CASES = {
    "score and records": (
        "The Milwaukee Bucks ( 18 - 16 ) beat the New York Knicks ( 16 - 19 ) 105 - 104 .",
        [
            ("18", "Bucks", "TEAM-WINS"),
            ("16", "Bucks", "TEAM-LOSSES"),
            ("16", "Knicks", "TEAM-WINS"),
            ("19", "Knicks", "TEAM-LOSSES"),
            ("105", "Bucks", "TEAM-PTS"),
            ("104", "Knicks", "TEAM-PTS"),
        ],
    ),
    "the loser first": (
        "The Knicks lost to the Bucks , 105 - 104 .",
        [("105", "Bucks", "TEAM-PTS"), ("104", "Knicks", "TEAM-PTS")],
    ),
    "shooting in brackets": (
        "Rose had 15 points ( 7 - 18 FG , 1 - 2 3Pt , 0 - 0 FT ) in 33 minutes .",
        [
            ("15", "Derrick Rose", "PTS"),
            ("7", "Derrick Rose", "FGM"),
            ("18", "Derrick Rose", "FGA"),
            ("1", "Derrick Rose", "FG3M"),
            ("2", "Derrick Rose", "FG3A"),
            ("0", "Derrick Rose", "FTM"),
            ("0", "Derrick Rose", "FTA"),
            ("33", "Derrick Rose", "MIN"),
        ],
    ),
    "shooting in words": (
        "Monroe went 7 - of - 10 from the field but 4 - for - 10 at the line .",
        [
            ("7", "Greg Monroe", "FGM"),
            ("10", "Greg Monroe", "FGA"),
            ("4", "Greg Monroe", "FTM"),
            ("10", "Greg Monroe", "FTA"),
        ],
    ),
    "shots of the kind that the noun names": (
        "Anthony hit 4 of his 10 threes .",
        [("4", "Carmelo Anthony", "FG3M"), ("10", "Carmelo Anthony", "FG3A")],
    ),
    "several with the same number": (
        "Jabari Parker , Derrick Rose and Mindaugas Kuzminskas all scored 15 points .",
        [("15", "Mindaugas Kuzminskas", "PTS")],
    ),
    "respectively": (
        "Anthony and Noah pulled down 11 and 16 rebounds , respectively .",
        [("11", "Carmelo Anthony", "REB"), ("16", "Joakim Noah", "REB")],
    ),
    "in brackets after the name": (
        "Anthony ( 30 ) and Kuzminskas ( 15 ) led the bench .",
        [("30", "Carmelo Anthony", "PTS"), ("15", "Mindaugas Kuzminskas", "PTS")],
    ),
    "a compound": (
        "Carmelo Anthony posted a 30 - point , 11 - rebound night .",
        [
            ("30", "Carmelo Anthony", "PTS"),
            ("11", "Carmelo Anthony", "REB"),
        ],
    ),
    "the running subject": (
        "Giannis Antetokounmpo scored 27 points . He added 13 rebounds , three blocks and 4 assists in 39 minutes .",
        [
            ("27", "Giannis Antetokounmpo", "PTS"),
            ("13", "Giannis Antetokounmpo", "REB"),
            ("three", "Giannis Antetokounmpo", "BLK"),
            ("4", "Giannis Antetokounmpo", "AST"),
            ("39", "Giannis Antetokounmpo", "MIN"),
        ],
    ),
    "the running team": (
        "The Knicks fell apart . They shot 45 percent from the field and 46 percent from deep .",
        [("45", "Knicks", "TEAM-FG_PCT"), ("46", "Knicks", "TEAM-FG3_PCT")],
    ),
    "a quarter": (
        "Milwaukee outscored New York 32 - 17 in the fourth quarter .",
        [("32", "Bucks", "TEAM-PTS_QTR4"), ("17", "Knicks", "TEAM-PTS_QTR4")],
    ),
    "a player named after the number": (
        "A game - high 30 points from Carmelo Anthony were not enough .",
        [("30", "Carmelo Anthony", "PTS")],
    ),
    "offensive rebounds": ("Noah had seven offensive rebounds .", [("seven", "Joakim Noah", "OREB")]),
    "shots taken": (
        "Rose scored 15 points on 18 shots .",
        [("15", "Derrick Rose", "PTS"), ("18", "Derrick Rose", "FGA")],
    ),
    "a part of his points": ("Anthony scored 11 of his 30 points late .", [("30", "Carmelo Anthony", "PTS")]),
    # Numbers that equal a record only by chance:
    "a lead": ("The Bucks trimmed a 15 - point deficit and Parker smiled .", []),
    "an average": ("Derrick Rose is averaging 15 points this season .", []),
    "a sum": ("Rose and Jennings combined for 15 points .", []),
    "a clock": ("Noah sat down with 31 minutes left .", []),
    "another value": ("Derrick Rose scored 16 points .", []),
    "a player who did not play": ("Thon Maker had 0 points .", []),
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_assigned_to_their_cells(case, game):
    text, expected = CASES[case]
    assert numbers(text, game) == expected


def test_record_of_a_third_team_is_not_annotated(game):
    outsiders = Names(teams=frozenset({"Bulls"}), cities=frozenset({"Chicago"}))
    text = "The Bucks next host the Chicago Bulls ( 18 - 16 ) ."
    assert numbers(text, game, names=outsiders) == []


def test_extractor_explains_numbers_that_words_do_not(game):
    tokens = "Anthony went for 30 in a loss .".split()
    player = game.position("Carmelo Anthony")
    relation = Relation("Anthony", "30", 30, Fact(player, "PTS", "30"), 0, 1, 3, 4, 0.9, True)
    numbers = [mention for mention in annotate(tokens, game, [relation]) if mention.form == "digits"]
    assert [mention.fact for mention in numbers] == [Fact(player, "PTS", "30")]
    assert [mention for mention in annotate(tokens, game) if mention.form == "digits"] == []


def test_unsupported_relations_are_not_mentions(game):
    tokens = "Anthony went for 31 .".split()
    relation = Relation("Anthony", "31", 31, Fact(2, "PTS", "31"), 0, 1, 3, 4, 0.9, False)
    assert all(mention.form == "text" for mention in annotate(tokens, game, [relation]))


def of_cells(mentions: list[dict]) -> list[dict]:
    """The mentions of box-score cells, which annotation reads; other facts are not read yet."""
    return [mention for mention in mentions if mention["attribute"] not in FACT_KINDS]


def test_sample_leagues_known_mentions_are_found(sample):
    annotated = known = both = 0
    for row in [row for rows in sample.values() for row in rows]:
        game = Game.from_json(row)
        ours = {tuple(sorted(mention.to_json(game).items())) for mention in annotate(row["summary"], game)}
        theirs = {tuple(sorted(mention.items())) for mention in of_cells(row["mentions"])}
        annotated, known, both = annotated + len(ours), known + len(theirs), both + len(ours & theirs)
    assert known > 10_000
    assert 2 * both / (annotated + known) >= 0.99


def test_mentions_state_their_values_without_overlap(sample):
    for row in sample["test"]:
        game = Game.from_json(row)
        end = 0
        for mention in annotate(row["summary"], game):
            assert mention.position >= end
            end = mention.position + mention.length
            fact = mention.fact
            assert fact in game.facts()
            words = " ".join(row["summary"][mention.position : end])
            assert words == (to_word(int(fact.value)) if mention.form == "word" else fact.value)
            assert (mention.form == "text") == (fact.attribute not in NUMBER_ATTRIBUTES)


# The command


@pytest.fixture
def built(root, tmp_path):
    """A dataset of nine games without mentions, as the builder leaves it."""
    folder = tmp_path / "built"
    (folder / "default").mkdir(parents=True)
    table = pq.read_table(root / "rotowire_modified" / "sample" / "test.parquet").slice(0, 9)
    empty = table.column("mentions").combine_chunks().filter([False] * 9)
    field = table.schema.field("mentions")
    column = type(table.column("mentions").chunk(0)).from_arrays([0] * 10, empty.flatten()).cast(field.type)
    table = table.set_column(table.schema.get_field_index("mentions"), field, column)
    pq.write_table(table, folder / "default" / "train.parquet")
    shutil.copytree(root / "rotowire_modified" / "sample", folder / "sample")
    return folder


def run(root, *arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, str(root / "scripts" / "annotate.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_command_fills_the_mentions(root, built, sample):
    done = run(root, "--dataset", built, "--config", "default", "--season", "sample", "--no-extractor")
    assert done.returncode == 0, done.stderr
    assert "9 summaries" in done.stdout and "numerals explained (cells" in done.stdout
    assert "sentences unexplained" in done.stdout
    table = pq.read_table(built / "default" / "train.parquet")
    found = [row["mentions"] for row in table.to_pylist()]
    known = [row["mentions"] for row in sample["test"][:9]]
    assert [of_cells(mentions) for mentions in found] == [of_cells(mentions) for mentions in known]
    computed = [[mention for mention in mentions if mention not in of_cells(mentions)] for mentions in found]
    assert all(mention in of_row for of_row, of_found in zip(known, computed, strict=True) for mention in of_found)
    assert sum(map(len, computed)) > 20
    assert table.schema.equals(pq.read_schema(built / "sample" / "test.parquet"), check_metadata=True)
    assert sorted(path.name for path in (built / "default").iterdir()) == ["train.parquet"]


def test_command_resumes(built, load_script):
    script, annotator = load_script("annotate"), Annotator(None, Season())
    path = built / "default" / "train.parquet"
    progress = script.Progress(path, pq.read_table(path), annotator, None)
    mention = {"position": 0, "length": 1, "entity": "x", "attribute": "PTS", "form": "digits"}
    progress.add([{"mentions": [mention], "unexplained": []}, {"mentions": [], "unexplained": []}])
    with open(progress.path, "a") as file:
        file.write('{"mentions": [{"position": 1, "len')  # cut off while writing
    again = script.Progress(path, pq.read_table(path), annotator, None)
    assert len(again.done) == 2 and again.done[0]["mentions"][0]["entity"] == "x"
    assert not script.Progress(path, pq.read_table(path), annotator, "other").done, "another season"
    progress.add(again.done)
    script.Progress(path, pq.read_table(path), annotator, None).add(again.done)
    rows = script.annotate_file(path, annotator, None)
    assert rows[0]["mentions"][0]["entity"] == "x" and len(rows) == 9 and rows[8]["mentions"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "nowhere"], "--dataset: 'nowhere' is not a folder"),
        (["--dataset", "{built}", "--config", "extra"], "has no Parquet files"),
        (["--dataset", "{built}", "--gold-tuples", "missing.txt"], "missing.txt"),
    ],
)
def test_command_errors_are_one_line(built, load_script, monkeypatch, capsys, arguments, message):
    script = load_script("annotate")
    arguments = [argument.format(built=built) for argument in arguments]
    monkeypatch.setattr(sys, "argv", ["annotate.py", "--no-extractor", *arguments])
    with pytest.raises(SystemExit) as end:
        script.main()
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert error.startswith("error: ") and message in error and error.count("\n") == 1


def test_short_tuple_files_are_refused_before_writing(root, tmp_path, load_script):
    script = load_script("annotate")
    file = tmp_path / "train.parquet"
    shutil.copyfile(root / "rotowire_modified" / "sample" / "train.parquet", file)
    split = pq.read_table(file, columns=["source_split"])["source_split"][0].as_py()
    script.check_gold([file], {split: [[]] * 400})
    with pytest.raises(StgError, match=f"--gold-tuples: 3 documents of {split}, but .* needs document 3"):
        script.check_gold([file], {split: [[]] * 3})


def test_command_works_from_any_folder(root, tmp_path):
    command = [sys.executable, str(root / "scripts" / "annotate.py"), "--check", "--no-extractor"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
