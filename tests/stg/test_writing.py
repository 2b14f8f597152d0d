"""`RecapWriter`: a game in, a recap out, with its trace and what the checker says of it."""

import json

import pytest

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.cli.render_recaps import render_check
from stg.writing import RecapWriter, _remaining
from tests.helpers import tiny_model


@pytest.fixture(scope="module")
def writer(tmp_path_factory) -> RecapWriter:
    """Writes forty tokens by beams of one, without a checker."""
    folder = tmp_path_factory.mktemp("model")
    model = tiny_model.random_model()
    model.generation_config.max_new_tokens = 40
    model.save_pretrained(folder)
    tiny_model.processor().save_pretrained(folder)
    return RecapWriter(str(folder), check=False)


@pytest.fixture(scope="module")
def game() -> Game:
    return Game.from_json(tiny_model.league()[0])


def test_recap_is_its_text_with_a_trace(writer, game):
    recap = writer.write(game, style="2")
    assert str(recap) == recap.text and recap.game_id == game.game_id and recap.writer == "2"
    batch = writer.processor([game], writers=["2"])
    sequences = writer.model.generate(**batch)
    assert recap.text == writer.processor.batch_decode(sequences, game)[0]
    assert recap.tokens == writer.processor.trace(sequences, game)[0]
    assert recap.words == writer.processor.batch_tokens(sequences, game)[0]
    assert recap.findings is None and recap.unjudged is None, "nothing has read it"


def test_all_kinds_of_games_are_the_same(writer, game, tmp_path):
    file = tmp_path / "game.json"
    file.write_text(json.dumps(game.to_json()), encoding="utf-8")
    text = writer.write(game).text
    for other in (tiny_model.league()[0], game.to_json(), GameFacts(game), file, str(file)):
        assert writer.write(other).text == text


def test_season_of_the_writer_or_of_the_facts_is_used(writer, game, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "stg.writing.write_batch", lambda *arguments, **_: seen.append(arguments[3][0].season) or [None]
    )
    own, given = Season([game]), Season([game])
    monkeypatch.setattr(writer, "season", given)
    writer.write(game)
    writer.write(GameFacts(game, own))
    assert seen == [given, own]


def test_options_and_seed_reach_generate(writer, game):
    assert len(writer.write(game, max_new_tokens=7, min_new_tokens=7).tokens) == 7
    samples = {seed: writer.write(game, seed=seed, do_sample=True, temperature=2.0).text for seed in (1, 2)}
    assert samples[1] != samples[2]
    assert samples[1] == writer.write(game, seed=1, do_sample=True, temperature=2.0).text


def test_file_with_several_games_is_refused(writer, tmp_path):
    file = tmp_path / "games.json"
    file.write_text(json.dumps([Game.from_json(row).to_json() for row in tiny_model.league()[:2]]), encoding="utf-8")
    with pytest.raises(StgError, match="holds 2 games; read them with read_games"):
        writer.write(file)


def test_what_the_checker_still_finds_is_kept_and_printed(writer, paper):
    text = "Carmelo Anthony had 31 points. It was a lovely evening. The Bucks scored 105 points."
    findings, unjudged = _remaining(writer.checker, GameFacts(Game.from_json(paper)), text)
    assert [(finding["text"], finding["truth"]) for finding in findings] == [("31", "30")]
    assert unjudged == ["It was a lovely evening."]
    result = {"game_id": "g", "text": text, "findings": findings, "unjudged": unjudged}
    first, last = render_check([result]).splitlines()
    assert first.startswith("  g  false") and first.endswith("(should be: 30)")
    assert last == "checked 3 sentences: 1 false; 1 without a claim that it can judge"
    clean = result | {"findings": [], "unjudged": []}
    assert "3 sentences: nothing refuted; 0 without a claim" in render_check([clean])


def test_numbers_without_a_fact_are_marked_in_the_trace(processor, paper):
    words = processor.tokenizer.get_vocab()
    points = processor.team_attributes.index("TEAM-PTS")
    ids = [words["three"], words["."], processor.layout.record_id(0, points, False), processor.layout.eos_token_id]
    forms = [token["form"] for token in processor.trace([ids], paper)[0]]
    assert forms == ["free", None, "digits"]
