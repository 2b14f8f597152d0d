"""The analyses: vectors against the plain twin, statistics by hand, and figures that agree with results/."""

import json
import sys
import tarfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from modeling_stg.game import Entity, Game, read_games
from modeling_stg.schema import DOUBLE_COLUMNS
from stg.analysis import drawing, duplicates, embeddings, example, saliency
from stg.dataset.reading import DatasetError
from stg.loading import load_model
from tests.twins.model_twin import Twin


@pytest.fixture(scope="module")
def script(load_script):
    return load_script("figures")


@pytest.fixture
def run(script, monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["figures.py", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            script.main()
        return ended.value.code, capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def game(root):
    return read_games(root / "examples" / "sample_league.json")[0]


def twin(model, processor, game) -> Twin:
    return Twin(model, {name: tensor[0] for name, tensor in processor([game]).items()})


def test_principal_components_are_the_eigenvectors_of_the_covariance():
    vectors = np.random.default_rng(0).normal(size=(40, 6)) * [5, 1, 3, 1, 1, 1] + 7
    values, axes = np.linalg.eigh(np.cov(vectors.T))
    points, shares = embeddings.principal(vectors)
    assert np.allclose(shares, values[::-1][:2] / values.sum())
    expected = (vectors - vectors.mean(0)) @ axes[:, ::-1][:, :2]
    assert np.allclose(np.abs(points), np.abs(expected))
    assert np.allclose(embeddings.principal(vectors[::-1])[0][::-1], points), "the order of rows does not matter"


def test_spread_and_closeness():
    points = np.array([[0.0, 0], [0, 1], [3, 0]])
    between = embeddings.distances(points)
    assert embeddings.spread(between, [0, 1]) == 1
    assert np.isclose(embeddings.spread(between, [0, 1, 2]), (1 + 3 + 10**0.5) / 3)
    random = np.random.default_rng(1)
    cloud = np.concatenate([random.normal(size=(90, 5)), 0.1 * random.normal(size=(10, 5))])
    close = embeddings.closeness(cloud, range(90, 100))
    assert close["ratio"] < 0.2 and close["chance"] == 1 / (1 + embeddings.DRAWS)
    assert embeddings.closeness(cloud, range(10))["chance"] > 0.05
    assert np.isclose(embeddings.closeness(cloud, range(100))["ratio"], 1)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"PTS": "20", "REB": "10"}, "double-double"),
        ({"PTS": "9", "REB": "10", "AST": "11"}, "double-double"),
        ({"PTS": "10", "REB": "9"}, "double digits"),
        ({"PTS": "9", "REB": "14"}, "other"),
        ({"PTS": "0"}, "other"),
        ({"PTS": None, "REB": None}, "did not play"),
    ],
)
def test_form_of_a_player(line, expected):
    assert embeddings.form(Entity("A", False, True, {**dict.fromkeys(DOUBLE_COLUMNS, "0"), **line})) == expected


def test_every_player_has_one_form(game):
    by_form = embeddings.groups(game)
    assert sorted(position for members in by_form.values() for position in members) == list(
        range(2, len(game.entities))
    )


def test_averages_leave_out_players_with_few_games():
    def played(points):
        return SimpleNamespace(
            entities=[SimpleNamespace(name="A", is_team=False, values={"PTS": points})]
            + [SimpleNamespace(name="B", is_team=False, values={"PTS": None})]
            + [SimpleNamespace(name="T", is_team=True, values={})]
        )

    least = embeddings.MIN_GAMES
    assert embeddings.averages([played("10")] * (least - 1)) == {}
    assert embeddings.averages([played("10")] * (least - 1) + [played("20"), played(None)]) == {"A": 10 + 10 / least}


def test_vectors_match_the_equations(model, processor, game):
    expected = torch.stack(twin(model, processor, game).e_bar).detach().numpy()
    assert np.allclose(embeddings.dynamic(model, processor, game), expected, atol=1e-5)
    names, vectors = embeddings.static(model, processor)
    ids = processor([game])["entity_ids"][0].tolist()
    for entity, index in zip(game.entities, ids, strict=True):
        if index:  # 0 is the unknown entity
            assert names[index - 1] == entity.name
            assert np.array_equal(vectors[index - 1], model.encoder.entity.weight[index].detach().numpy())


def test_saliency_matches_the_twin(model, processor, game):
    batch = processor([game])
    sequence = model.generate(**batch, max_new_tokens=40)[0]
    mentions = saliency.mentions(model, processor, game, sequence)
    step, expected, entities, texts, sentences = twin(model, processor, game), [], [], [], []
    ended = 0
    trace = processor.trace(sequence[None], [game])[0]
    for position, token in enumerate(sequence.tolist()):
        if token >= model.config.vocab_size:
            expected.append(step.e_logits().softmax(0).detach())
            entities.append(model.config.read_record_id(token)[0])
            texts.append(trace[position]["text"])
            sentences.append(ended)
        step.read(token)
        ended += token == model.config.period_token_id
    assert len(entities) > 4 and len(set(sentences)) > 1
    assert (mentions.entity, mentions.texts, mentions.sentence) == (entities, texts, sentences)
    assert np.allclose(mentions.probabilities, torch.stack(expected).numpy(), atol=1e-5)
    assert mentions.entity == mentions.probabilities.argmax(1).tolist(), "greedy decoding chooses the likeliest"


def test_duplicates_by_class():
    assert duplicates.shares([0, 0, 1, 1, 1, 2, 3, 4, 9, 0]) == {"1": 30, "2": 10, "3": 10, "4+": 20}


def test_duplicates_are_counted_per_text():
    class Extractor:
        def extract_batch(self, texts, games):
            return [
                [SimpleNamespace(key=("A", "PTS", int(word)), number_start=start) for start, word in enumerate(text)]
                for text in texts
            ]

    texts = [["1", "2"], ["1", "1", "1"], ["3", "4", "3"]] * 20
    assert duplicates.duplicated(Extractor(), texts, [None] * 60, "x") == [0, 2, 1] * 20


def relation(start, supported, entity="A", type="PLAYER-PTS", number=9):
    return SimpleNamespace(number_start=start, supported=supported, entity=entity, type=type, number=number)


def test_number_is_true_if_any_relation_is():
    verdicts = example.verdicts([relation(3, False), relation(3, True, "B"), relation(3, False), relation(7, False)])
    assert verdicts == {3: (True, "B · PLAYER-PTS = 9"), 7: (False, "A · PLAYER-PTS = 9")}


def test_marked_text_is_escaped_and_complete():
    tokens = ["<b>", "had", "12", "-", "of", "-", "13", "and", "`` ", "9", "points", "."]
    html = example.marked(tokens, {2: (True, "O'Neal's <x>"), 9: (False, "y")})
    assert html.startswith("&lt;b&gt; had <span class='true' title='O&#x27;Neal&#x27;s &lt;x&gt;'>12</span>-of-13 and")
    assert html.endswith("<span class='false' title='y'>9</span> points.")
    page = example.page("A < B", {"ours & theirs": tokens}, {"ours & theirs": [relation(2, True), relation(9, False)]})
    assert "A &lt; B" in page and "ours &amp; theirs" in page and "2 numbers read, 1 of them false" in page


def test_names_do_not_cover_each_other():
    points = np.array([[0.0, 0.0], [0.001, 0.0], [1, 1], [0.0, 0.001]])
    names, shares = ["aaaa", "bbbb", "cccc", "dddd"], np.array([0.5, 0.2])
    figure = drawing.static_entities(names, points, shares, ["aaaa", "bbbb"], "aaaa")
    texts = figure.axes[0].texts
    assert [text.get_text() for text in texts] == ["aaaa", "bbbb"]
    renderer = figure.canvas.get_renderer()
    assert not texts[0].get_window_extent(renderer).overlaps(texts[1].get_window_extent(renderer))


def test_command_draws_without_rotowire(run, tmp_path):
    code, shown = run("--only", "saliency", "example", "--output", tmp_path)
    assert code == 0, shown.err
    assert (tmp_path / "saliency.png").read_bytes().startswith(b"\x89PNG")
    numbers = json.loads((tmp_path / "saliency.json").read_text())
    assert numbers["model"] == "modeling_stg/no_writer" and 0.5 < numbers["mean_chance_of_the_chosen"] <= 1
    assert "<span class='true'" in (tmp_path / "example.html").read_text(encoding="utf-8")


def test_figures_that_need_rotowire_are_skipped_by_name(run, script, tmp_path, monkeypatch):
    def missing(split):
        raise DatasetError("rotowire_modified/default has not been built; build it with: X")

    monkeypatch.setattr(script, "rows", missing)
    monkeypatch.setattr(script, "games", missing)
    code, shown = run("--only", "static", "duplicates", "--output", tmp_path)
    assert code == 2 and "static: skipped; rotowire_modified/default has not been built" in shown.out
    assert not list(tmp_path.iterdir())


def test_stored_duplicates_are_those_of_the_results(root, load_script):
    results = load_script("results")
    measured = json.loads((root / "figures" / "duplicates.json").read_text(encoding="utf-8"))["measured"]
    for name, system in results.systems().items():
        total = sum(measured[system["title"]].values())
        assert np.isclose(total, results.scored(name, "validation")["scores"]["duplicate_ratio"], atol=1e-3), name


def test_stored_figures_are_of_the_shipped_model(root, script):
    for name in script.DRAW:
        about = json.loads((root / "figures" / f"{name}.json").read_text(encoding="utf-8"))
        assert f"--only {name}" in about["made_by"]
        assert about.get("model") == (None if name in script.OF_RESULTS else "modeling_stg/no_writer")
        assert [path for path in (root / "figures").glob(f"{name}.*") if path.suffix in (".png", ".html")]


@pytest.mark.rotowire
def test_embeddings_of_the_papers_two_games(root, script, rotowire_dir):
    with tarfile.open(rotowire_dir / "rotowire.tar.bz2") as archive:
        games = [Game.from_json(row) for row in json.load(archive.extractfile("rotowire/valid.json"))]
    teams, days = script.PAIR
    pair = [game for game in games if {game.home.name, game.visitor.name} == set(teams) and game.date in days]
    played, absent = sorted(pair, key=lambda game: game.date)
    model, processor = load_model(str(root / "modeling_stg" / "no_writer"))

    def others(game):
        """His own form, and the names and forms of the other players, nearest first."""
        shown = game.position(script.SHOWN)
        between = embeddings.distances(embeddings.dynamic(model, processor, game))[shown]
        near = [game.entities[position] for position in between.argsort() if position > 1 and position != shown]
        lines = [embeddings.form(entity) for entity in near]
        return embeddings.form(game.entities[shown]), [entity.name for entity in near], lines

    line, near, _ = others(played)
    assert (line, near[0]) == ("double-double", "Kevin Love")
    line, _, lines = others(absent)
    assert line == "did not play" and lines[:2] == ["did not play"] * 2
    by_form = embeddings.spread_by_form(model, processor, games[:40])
    assert all(by_form[name]["ratio"] < 0.9 for name in ("double-double", "double digits", "did not play"))
