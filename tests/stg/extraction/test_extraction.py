"""The relation extractor: candidates, networks against slow twins, loading, and published scores on real data."""

import json
import random
import subprocess
import sys
import tarfile

import pyarrow.parquet as pq
import pytest
import torch

from modeling_stg.errors import StgError
from modeling_stg.game import Game
from stg.extraction.candidates import NONE, TYPES, Names, candidates, entity_spans, labels, number_spans
from stg.extraction.configuration_extraction import ExtractionConfig
from stg.extraction.hub_folder import assemble
from stg.extraction.modeling_extraction import (
    PAIRS_AT_ONCE,
    ConvolutionMember,
    LstmMember,
    RelationExtractor,
)
from stg.extraction.reading import Reader, Vocabulary
from stg.training.extraction_labels import Document, read_tuples
from stg.training.extraction_task import possible_pairs, score


SMALL = {"word_size": 6, "distance_size": 4, "max_distance": 5, "filters": 5, "lstm_size": 4, "hidden_size": 7}
LOAD = """
import json, sys
from transformers import AutoModel
extractor = AutoModel.from_pretrained(sys.argv[1], trust_remote_code=True)
text, game = json.load(open("input.json"))
relations = [(each.entity, each.value, each.type, each.supported) for each in extractor.extract(text, game)]
print(json.dumps([relations, bool({"stg", "modeling_stg"} & set(sys.modules)), str(extractor.dtype)]))
"""


@pytest.fixture(scope="module")
def game(root) -> Game:
    return Game.from_json(json.loads((root / "examples" / "bucks_at_knicks.json").read_text()))


@pytest.fixture(scope="module")
def extractor(root) -> RelationExtractor:
    return RelationExtractor.from_pretrained(root / "stg" / "extraction")


@pytest.fixture(scope="module")
def sample(root) -> list[dict]:
    return pq.read_table(root / "rotowire_modified" / "sample" / "validation.parquet").slice(0, 12).to_pylist()


def spans(text: str, game: Game, names: Names | None = None) -> list[tuple[str, int | None]]:
    return [(span.text, span.index) for span in entity_spans(text.split(), game, names)]


def triples(relations) -> list[tuple[str, str, str]]:
    return [(relation.entity, relation.value, relation.type) for relation in relations]


# Candidates


def test_entities_are_matched_longest_first(game):
    position = game.position
    assert spans("The Milwaukee Bucks met New York .", game) == [("Milwaukee Bucks", 1), ("New York", 0)]
    assert spans("Giannis Antetokounmpo found Parker", game) == [
        ("Giannis Antetokounmpo", position("Giannis Antetokounmpo")),
        ("Parker", position("Jabari Parker")),
    ]
    assert spans("the Bucks' lead and Anthony's shot", game) == [
        ("Bucks", 1),
        ("Anthony", position("Carmelo Anthony")),
    ]
    assert spans("He and they won with it", game) == []


def test_shared_last_name_means_the_player_named_in_full(game):
    miles, marshall = game.position("Miles Plumlee"), game.position("Marshall Plumlee")
    assert spans("Plumlee sat .", game) == [("Plumlee", miles)], "the one who played"
    assert spans("Marshall Plumlee sat . Plumlee rose .", game)[1] == ("Plumlee", marshall)


def test_outsiders_have_no_position_in_the_game(game):
    names = Names(frozenset({"Kevin Love"}), frozenset({"Trail Blazers", "76ers"}), frozenset({"Portland"}))
    read = spans("Love , Kevin Love , the Sixers and the Portland Trail Blazers", game, names)
    assert read == [
        ("Love", None),
        ("Kevin Love", None),
        ("Sixers", None),
        ("Portland", None),
        ("Trail Blazers", None),
    ]


def test_both_teams_of_one_city(root):
    data = json.loads((root / "examples" / "bucks_at_knicks.json").read_text())
    for side, city, name in (("home", "Los Angeles", "Lakers"), ("vis", "LA", "Clippers")):
        old = data[f"{side}_city"]
        data[f"{side}_city"] = data[f"{side}_line"]["TEAM-CITY"] = city
        data[f"{side}_name"] = data[f"{side}_line"]["TEAM-NAME"] = name
        cities = data["box_score"]["TEAM_CITY"]
        data["box_score"]["TEAM_CITY"] = {key: city if value == old else value for key, value in cities.items()}
    derby = Game.from_json(data)
    assert spans("Los Angeles Clippers , LA Lakers , LA , Los Angeles", derby) == [
        ("Los Angeles Clippers", 1),
        ("LA Lakers", 0),
        ("LA", 1),
        ("Los Angeles", 0),
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("20 - point", [20]),
        ("6 - of - 13 shooting", [6, 13]),
        ("( 18 - 16 )", [18, 16]),
        ("twenty - three points and eleven boards", [23, 11]),
        ("three three - pointers from three - point range", [3]),
        ("3 - pointers and 3 points", [3]),
        ("one hundred points", [100]),
        ("a steal and an assist", []),
    ],
)
def test_numbers(text, values):
    assert [span.value for span in number_spans(text.split())] == values


def test_implied_one_is_optional():
    assert [(span.text, span.value) for span in number_spans("a steal in a game".split(), implicit_one=True)] == [
        ("a", 1)
    ]


def test_pairs_stay_within_sentences_in_entity_order(game):
    tokens = "Parker and Rose scored 15 and 15 . Noah had 16 .".split()
    pairs = [(pair.entity.text, pair.number.start) for pair in candidates(tokens, game)]
    assert pairs == [("Parker", 4), ("Parker", 6), ("Rose", 4), ("Rose", 6), ("Noah", 10)]


def test_labels_are_all_types_of_equal_value(game):
    tokens = "Giannis Antetokounmpo had one and 99 .".split()
    one, none = candidates(tokens, game)
    assert labels(one, game) == ("PLAYER-FG3M", "PLAYER-OREB", "PLAYER-STL")
    assert labels(none, game) == (NONE,)


# Networks


def small_batch(seed: int) -> dict[str, torch.Tensor]:
    """Sentences of several lengths, and more pairs than are pooled at once."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.tensor([9, 4, 7])
    input_ids = torch.randint(1, 20, (3, 9), generator=generator)
    input_ids[torch.arange(9) >= lengths.unsqueeze(1)] = 0
    sentence = torch.tensor([0, 0, 1, 2, 2, 0, 1, 1, 2, 0, 2])
    assert len(sentence) > PAIRS_AT_ONCE
    return {
        "input_ids": input_ids,
        "lengths": lengths,
        "sentence": sentence,
        "entity": torch.tensor([0, 8, 3, 2, 6, 4, 0, 1, 0, 7, 5]),
        "number": torch.tensor([5, 1, 0, 6, 3, 2, 3, 2, 1, 8, 0]),
    }


def distance_embeddings(module, anchor: int, length: int) -> torch.Tensor:
    """[length + 2 * width, size]: embeddings of the tokens at -width ... length + width - 1, distances clipped."""
    distances = torch.arange(-module.width, length + module.width) - anchor
    return module.embeddings(distances.clamp(-module.reach, module.reach) + module.reach)


def slow_distances(module, anchor: int, length: int) -> torch.Tensor:
    return module.convolution(distance_embeddings(module, anchor, length))[module.width : module.width + length]


def test_convolutions_equal_their_slow_twin():
    """The twin computes one pair at a time, words and distances at every token, straight from the definition."""
    torch.manual_seed(0)
    member = ConvolutionMember(ExtractionConfig(vocab_size=20, **SMALL)).eval()
    batch = small_batch(0)
    fast = member(batch["input_ids"], batch)
    for row, (sentence, entity, number) in enumerate(
        zip(batch["sentence"].tolist(), batch["entity"].tolist(), batch["number"].tolist(), strict=True)
    ):
        length = int(batch["lengths"][sentence])
        words = member.words(batch["input_ids"][sentence, :length])
        pooled = []
        for convolution, to_entity, to_number in zip(
            member.convolutions, member.to_entity, member.to_number, strict=True
        ):
            features = (
                convolution(words)
                + slow_distances(to_entity, entity, length)
                + slow_distances(to_number, number, length)
            )
            pooled.append(features.relu().max(0).values)
        slow = member.types(member.hidden(torch.cat([*pooled, words[entity], words[number]])).relu())
        torch.testing.assert_close(fast[row], slow, rtol=1e-4, atol=1e-5)


def test_lstms_equal_their_slow_twin():
    torch.manual_seed(0)
    member = LstmMember(ExtractionConfig(vocab_size=20, **SMALL)).eval()
    batch = small_batch(1)
    fast = member(batch["input_ids"], batch)
    for row, sentence in enumerate(batch["sentence"].tolist()):
        length = int(batch["lengths"][sentence])
        entity, number = int(batch["entity"][row]), int(batch["number"][row])
        words = member.words(batch["input_ids"][sentence, :length])
        states = torch.cat([member.forwards(words)[0], member.backwards(words.flip(0))[0].flip(0)], -1)
        features = member.states(states) + slow_distances(member.to_entity, entity, length)
        pooled = (features + slow_distances(member.to_number, number, length)).relu().max(0).values
        slow = member.types(member.hidden(torch.cat([pooled, states[entity], states[number]])).relu())
        torch.testing.assert_close(fast[row], slow, rtol=1e-4, atol=1e-5)


def test_loss_sums_the_probability_of_all_correct_types():
    torch.manual_seed(0)
    model = RelationExtractor(ExtractionConfig(vocab_size=20, convolutions=1, lstms=0, **SMALL)).eval()
    batch = small_batch(2)
    pairs = len(batch["sentence"])
    batch["allowed"] = torch.ones(pairs, len(TYPES), dtype=torch.bool)
    batch["labels"] = torch.zeros(pairs, len(TYPES), dtype=torch.bool)
    batch["labels"][:, 0] = batch["labels"][1, 5] = batch["labels"][2, 7] = True
    output = model(**batch)
    correct = (output.log_probs.exp() * batch["labels"]).sum(-1)
    torch.testing.assert_close(output.loss, -correct.log().sum())
    assert output.counts["type"] == pairs


def test_players_never_get_team_types(game):
    torch.manual_seed(0)
    vocabulary = Vocabulary.collect([("Parker and the Bucks had 15 .".split(), game)], Names(), least=1)
    model = RelationExtractor(ExtractionConfig(vocab_size=len(vocabulary), threshold=0.0, **SMALL), vocabulary)
    for relation in model.extract("Parker and the Bucks had 15 , Rose 18 and the Knicks 104 .", game):
        assert relation.type.startswith("TEAM-") == game.entities[relation.fact.entity].is_team


# The shipped extractor


def test_relations_and_their_support(extractor, game):
    text = (
        "Carmelo Anthony led the Knicks with 30 points, 11 rebounds and seven assists. Jabari Parker scored 40 points."
    )
    relations = extractor.extract(text, game)
    assert ("Carmelo Anthony", "30", "PLAYER-PTS") in triples(relations)
    assert ("Carmelo Anthony", "seven", "PLAYER-AST") in triples(relations)
    wrong = [relation for relation in relations if relation.entity == "Jabari Parker"]
    assert [(relation.value, relation.type, relation.supported) for relation in wrong] == [("40", "PLAYER-PTS", False)]
    assert all(relation.supported for relation in relations if relation not in wrong)
    first = next(relation for relation in relations if relation.value == "30")
    assert (first.start, first.end, first.number_start, first.number_end) == (0, 2, 6, 7)
    assert 0.0 < first.confidence <= 1.0 and first.number == 30


def test_plain_text_and_tokens_give_the_same_relations(extractor, game):
    plain = "The Milwaukee Bucks (18-16) beat the New York Knicks, 105-104."
    tokens = "The Milwaukee Bucks ( 18 - 16 ) beat the New York Knicks , 105 - 104 .".split()
    assert extractor.extract(plain, game) == extractor.extract(tokens, game)
    assert ("Milwaukee Bucks", "105", "TEAM-PTS") in triples(extractor.extract(plain, game))


def test_batch_size_does_not_change_relations(extractor, sample):
    games = [Game.from_json(row) for row in sample]
    texts = [row["summary"] for row in sample]
    together = extractor.extract_batch(texts, games, batch_size=12)
    assert sum(map(len, together)) > 100
    for size in (1, 5):
        for ours, theirs in zip(extractor.extract_batch(texts, games, batch_size=size), together, strict=True):
            assert triples(ours) == triples(theirs)


@pytest.mark.parametrize("text", ["", [], "Nobody scored .", ["."], "12 12 12"])
def test_text_without_relations(extractor, game, text):
    assert extractor.extract(text, game) == []


def test_invalid_text_is_refused_in_one_line(extractor, game):
    with pytest.raises(StgError, match="neither text nor a list of tokens") as error:
        extractor.extract([1, 2], game)
    assert "\n" not in str(error.value)


def test_weights_are_small(root):
    assert (root / "stg" / "extraction" / "model.safetensors").stat().st_size < 60e6


def test_loads_in_a_fresh_process_without_the_package(root, tmp_path, extractor, game):
    """The Hub folder is assembled in an empty directory."""
    folder = assemble(tmp_path / "hub")
    data = json.loads((root / "examples" / "bucks_at_knicks.json").read_text())
    text = "Joakim Noah grabbed 16 rebounds and Greg Monroe had 18 points."
    (tmp_path / "input.json").write_text(json.dumps([text, data]))
    run = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    relations, has_package, dtype = json.loads(run.stdout.strip().splitlines()[-1])
    assert not has_package and dtype == "torch.float32"
    expected = [
        [relation.entity, relation.value, relation.type, relation.supported]
        for relation in extractor.extract(text, game)
    ]
    assert relations == expected and ["Joakim Noah", "16", "PLAYER-REB", True] in relations


def test_saving_and_loading_keeps_everything(extractor, game, tmp_path):
    extractor.save_pretrained(tmp_path / "saved")
    again = RelationExtractor.from_pretrained(tmp_path / "saved")
    text = "Derrick Rose scored 15 points on 7 - of - 18 shooting ."
    assert triples(again.extract(text, game)) == triples(extractor.extract(text, game)) != []


def test_tuples_of_an_empty_document(tmp_path):
    path = tmp_path / "tuples.txt"
    path.write_text("\nRose|15|PLAYER-PTS\n\n\nNoah|16|PLAYER-REB\n")
    assert [len(document) for document in read_tuples(path)] == [1, 0, 1]


# On real data


@pytest.mark.rotowire
def test_reaches_published_scores_on_rotowire_modified_test(rotowire_dir, extractor):
    """Precision, recall, and agreement with the official extractor."""
    with tarfile.open(rotowire_dir / "rotowire.tar.bz2") as archive:
        splits = {name: json.load(archive.extractfile(f"rotowire/{name}.json")) for name in ("valid", "test")}
    gold = {name: read_tuples(rotowire_dir / "gold_tuples" / f"puduppully-{name}.txt") for name in ("valid", "test")}
    documents = []
    for line in (rotowire_dir / "rotowire-modified" / "test-lookup.txt").read_text().split():
        split, index, _ = map(int, line.split(","))
        name = ("train", "valid", "test")[split]
        row = splits[name][index]
        documents.append(Document(row["summary"], Game.from_json(row), gold[name][index]))
    random.Random(0).shuffle(documents)
    texts, games = zip(*((document.tokens, document.game) for document in documents), strict=True)
    scores = score(
        extractor.extract_batch(texts, games), documents, possible_pairs(documents, extractor.vocabulary), 0.0
    ).scores()
    assert len(documents) == 497
    assert scores["precision"] >= 0.94
    assert scores["recall"] >= 0.75
    assert scores["agreement_f1"] >= 0.92


def test_reader_masks_names_and_keeps_positions(game):
    vocabulary = Vocabulary.collect([("Derrick Rose had 15 points .".split(), game)], Names(), least=1)
    (sentence,) = Reader(vocabulary).read("Derrick Rose had 15 points for the Knicks .", game).sentences
    assert sentence.words == ["<player>", "had", "15", "points", "for", "the", "<team>", "."]
    assert sentence.entity == [0, 6] and sentence.number == [2, 2]
