"""Games to tensors, ids to text and provenance."""

import json

import numpy as np
import pytest
import torch
from datasets import load_dataset
from huggingface_hub.errors import StrictDataclassError

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.errors import StgError
from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.game import Game
from modeling_stg.modeling_stg import StgForDataToText
from modeling_stg.numbers import has_word, to_word
from modeling_stg.processing_stg import StgProcessor
from modeling_stg.schema import ANY_STYLE, NUMBER_ATTRIBUTES, STYLES, WRITER_LABELS, WRITERS
from tests.helpers import tiny_model


@pytest.fixture(scope="module")
def rows(root):
    return load_dataset(str(root / "rotowire_modified"), "sample", split="train").select(range(60)).to_list()


@pytest.fixture(scope="module")
def processor(rows):
    return StgProcessor.from_dataset(rows)


def batch_of(processor, rows):
    columns = [[row[name] for row in rows] for name in ("summary", "mentions", "writer")]
    return processor(rows, *columns)


def test_labels_decode_to_the_dataset_tokens(processor, rows):
    batch = batch_of(processor, rows[:8])
    for tokens, row in zip(processor.batch_tokens(batch["labels"], rows[:8]), rows[:8], strict=True):
        expected = [token if text != "<UNK>" else text for token, text in zip(row["summary"], tokens, strict=True)]
        assert tokens == expected


def test_trace_names_the_record_behind_every_stated_value(processor, rows):
    row = rows[0]
    game = Game.from_json(row)
    traced = processor.trace(batch_of(processor, [row])["labels"], [row])[0]
    stated = [token for token in traced if token["entity"] is not None]
    assert [(token["entity"], token["attribute"], token["form"]) for token in stated] == [
        (mention["entity"], mention["attribute"], mention["form"])
        for mention in row["mentions"]
        if mention["attribute"] not in FACT_KINDS  # this processor reads none: they stay words
    ]
    for token in stated:
        assert game.entities[game.position(token["entity"])].values[token["attribute"]] == token["value"]


def test_printed_article_fits_the_number(rows, paper):
    processor = StgProcessor.from_dataset([*rows, {**rows[0], "summary": ["A", "A", "An", "An"], "mentions": []}])
    game, layout = Game.from_json(paper), processor.layout
    seen = set()
    for position, entity in enumerate(game.entities):
        for slot in range(len(processor.team_attributes if position < 2 else processor.player_attributes)):
            attribute = layout.attribute(position, slot)
            value = entity.values.get(attribute)
            if attribute not in NUMBER_ATTRIBUTES or value is None:
                continue
            number = int(value)
            spoken = "one" if number >= 100 else to_word(number if has_word(number) else number // 10 * 10)
            fits, stated = "an" if spoken.startswith("e") else "a", layout.record_id(position, slot, False)
            seen.add(fits)
            for written in ("a", "an", "A", "An"):
                right = fits if written.islower() else fits.capitalize()
                ids = [[processor.tokenizer.convert_tokens_to_ids(written), stated]]
                assert processor.batch_tokens(ids, [paper]) == [[written, value]]
                assert processor.batch_decode(ids, [paper]) == [f"{right} {value}"]
                assert [token["text"] for token in processor.trace(ids, [paper])[0]] == [right, value]
    assert seen == {"a", "an"}


def test_name_is_not_taken_for_an_article(processor, paper):
    row = json.loads(json.dumps(paper))
    row["box_score"]["FIRST_NAME"]["0"] = "a"
    row["box_score"]["PTS"]["0"] = "18"
    position = Game.from_json(row).position(row["box_score"]["PLAYER_NAME"]["0"])
    slots = [processor.player_attributes.index(name) for name in ("FIRST_NAME", "PTS")]
    ids = [[processor.layout.record_id(position, slot, False) for slot in slots]]
    assert processor.batch_decode(ids, [row]) == ["a 18"]


def test_values_of_several_words_are_one_model_token(processor, rows):
    spans = [(row, mention) for row in rows for mention in row["mentions"] if mention["length"] > 1]
    assert spans
    row, mention = spans[0]
    value = " ".join(row["summary"][mention["position"] : mention["position"] + mention["length"]])
    labels = processor.encode_summary(Game.from_json(row), row["summary"], row["mentions"])
    assert len(labels) == len(row["summary"]) + 1 - sum(mention["length"] - 1 for mention in row["mentions"])
    assert value in [token["text"] for token in processor.trace([labels], [row])[0]]


def test_unseen_names_can_be_stated(processor, rows, paper):
    game = Game.from_json(paper)
    position = game.position("Giannis Antetokounmpo")
    slots = [processor.player_attributes.index(name) for name in ("FIRST_NAME", "SECOND_NAME", "PTS", "AST")]
    forms = [False, False, False, True]
    ids = [processor.layout.record_id(position, slot, form) for slot, form in zip(slots, forms, strict=True)]
    assert processor([paper])["entity_ids"][0, position] == 0
    assert processor.batch_decode([ids], [paper]) == ["Giannis Antetokounmpo 27 four"]


def test_decoded_text_is_detokenized(processor, rows):
    rows = [*rows[:20], {**rows[0], "summary": "The Gale 's reserves scored 12 .".split(), "mentions": []}]
    text = processor.batch_decode(batch_of(processor, rows)["labels"], rows)
    for line in text:
        assert " ," not in line and " ." not in line and " 's" not in line and "( " not in line and " - " not in line


def test_missing_records_cannot_be_chosen(processor, rows):
    batch = batch_of(processor, rows[:4])
    model = StgForDataToText(processor.config(embedding_size=4, hidden_size=4, context_size=4, writer_size=4)).eval()
    scores = model(**batch, return_scores=True).scores.a
    slots = (scores > float("-inf")).sum(2)
    assert slots.min() >= 1
    absent = [player for row in rows[:4] for player in row["box_score"] if player["MIN"] == "N/A"]
    assert absent
    for row, mask in zip(rows[:4], batch["record_mask"], strict=True):
        for player, cells in zip(row["box_score"], mask[2:], strict=False):
            named = {name for name, on in zip(processor.player_attributes, cells.tolist(), strict=True) if on}
            assert named == {name for name in processor.player_attributes if player[name] not in ("N/A", "")}


def test_writers_are_numbers_names_or_unknown(processor):
    assert processor.writer_id(7) == processor.writer_id("7") == 7
    assert processor.writer_id("unknown") == processor.writer_id(32) == 32
    assert processor.writer_id(np.int64(7)) == 7 and processor.writer_id(np.int64(32)) == 32


@pytest.fixture(scope="module")
def with_styles(rows):
    return StgProcessor.from_dataset(rows[:5], writers=(*WRITERS, *STYLES))


def test_styles_are_writers(with_styles):
    """The dataset's numbers go on after "unknown", but its embedding stays the last row."""
    assert with_styles.default_writer == ANY_STYLE and with_styles.layout.num_writers == len(WRITERS) + len(STYLES)
    for index, style in enumerate(STYLES):
        assert with_styles.writer_id(style) == with_styles.writer_id(33 + index) == 32 + index
    assert with_styles.writer_id("unknown") == with_styles.writer_id(32) == len(WRITERS) + len(STYLES)
    assert [with_styles.writer_id(number) for number in (0, 31)] == [0, 31]


def test_every_label_of_the_dataset_has_its_own_row(with_styles):
    used = [with_styles.writer_id(label) for label in range(len(WRITER_LABELS))]
    assert sorted(used) == list(range(with_styles.layout.num_writers + 1))
    batch = with_styles([tiny_model.league()[0]] * len(used), writers=torch.arange(len(used)))
    assert batch["writer_ids"].tolist() == used


def test_default_writer_is_used_and_saved(with_styles, processor, rows, tmp_path):
    alice = StgProcessor.from_dataset(rows[:5], writers=("alice",))
    wire = StgProcessor(with_styles.tokenizer, writers=STYLES, default_writer="wire")
    for made, default in ((wire, 0), (processor, 32), (alice, 1)):
        made.save_pretrained(tmp_path)
        for same in (made, StgProcessor.from_pretrained(tmp_path)):
            assert same.default_writer == made.default_writer and same.writers == made.writers
            assert same(rows[:2])["writer_ids"].tolist() == [default] * 2
            assert same(rows[:2], writers=[None, "unknown"])["writer_ids"].tolist() == [default, len(made.writers)]


def test_a_style_is_drawn_for_each_game(with_styles, rows):
    drawn = [with_styles.default_writer_of(Game.from_json(row)) for row in rows]
    assert set(drawn) == set(STYLES)
    assert with_styles(rows)["writer_ids"].tolist() == [with_styles.writer_id(style) for style in drawn]
    assert with_styles(rows[::-1])["writer_ids"].tolist()[::-1] == with_styles(rows)["writer_ids"].tolist()


def test_unknown_writers_are_named_with_the_known_ones(with_styles, processor, rows):
    others = StgProcessor.from_dataset(rows[:5], writers=("alice", "bob"))
    for made, writer, message in (
        (processor, 33, "writer: 'wire' is not known; writers are 0 to 31, or 'unknown'"),
        (processor, "story", "writer: 'story' is not known; writers are 0 to 31, or 'unknown'"),
        (with_styles, 39, "writer: 39 is not known; writers are 0 to 31, wire, story, "),
        (with_styles, -1, "writer: -1 is not known"),
        (others, 7, "writer: '7' is not known; writers are alice, bob, or 'unknown'"),
    ):
        with pytest.raises(StgError) as error:
            made.writer_id(writer)
        assert message in str(error.value)
    assert others.writer_id("bob") == 1


def test_number_words_are_capitalised_at_the_beginning_of_a_sentence(processor, paper):
    """In print alone: tokens stay as the model wrote them, and digits and names as they are."""
    game, layout = Game.from_json(paper), processor.layout
    player, slot = next(
        (position, slot)
        for position in range(2, len(game.entities))
        for slot, attribute in enumerate(processor.player_attributes)
        if attribute == "REB" and game.entities[position].values["REB"] not in (None, "N/A")
    )
    number = int(game.entities[player].values["REB"])
    word, digits = layout.record_id(player, slot, True), layout.record_id(player, slot, False)
    stop, after = layout.period_token_id, processor.tokenizer.convert_tokens_to_ids("and")
    ids = [word, after, word, stop, word, stop, digits, word, stop, after, word]
    spoken = to_word(number)
    big = spoken.capitalize()
    assert spoken != big
    expected = [big, "and", spoken, ".", big, ".", str(number), spoken, ".", "and", spoken]
    assert [token["text"] for token in processor.trace([ids], [paper])[0]] == expected
    assert processor.decode(ids, paper) == f"{big} and {spoken}. {big}. {number} {spoken}. and {spoken}"
    assert processor.batch_tokens([ids], [paper]) == [[text.lower() for text in expected]]
    stated = processor.trace([ids], [paper])[0][4]
    assert (stated["attribute"], stated["value"], stated["form"]) == ("REB", str(number), "word")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": []}, "games: an empty list"),
        ({"writers": [99]}, "writer: 99 is not known"),
        ({"writers": [1, 2]}, "writers: 2 for 1 games"),
        ({"return_tensors": "tf"}, "return_tensors: 'tf'"),
        ({"mentions": [[{"entity": "Nobody"}]]}, "'Nobody' is not in game"),
        ({"mentions": [[{"attribute": "POINTS"}]]}, "'POINTS' is unknown"),
        ({"mentions": [[{"form": "roman"}]]}, "'roman' is unknown"),
    ],
)
def test_errors_name_invalid_input_in_one_line(processor, rows, arguments, message):
    row = rows[0]
    if "mentions" in arguments:
        arguments = {
            "summaries": [row["summary"]],
            "mentions": [[{**row["mentions"][0], **arguments["mentions"][0][0]}]],
        }
    with pytest.raises(StgError, match=message.replace("(", r"\(")) as error:
        processor(**{"games": [row], **arguments})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hidden_size", 0),
        ("hidden_size", "512"),
        ("unknown_rate", 1.5),
        ("number_word_limit", 21),
        ("eos_token_id", 6000),
        ("team_attributes", ["TEAM-PTS", "TEAM-PTS"]),
        ("player_attributes", ["POINTS"]),
    ],
)
def test_invalid_configuration_names_the_field(field, value):
    with pytest.raises(Exception, match=field):
        StgConfig(**{field: value})


def test_record_ids_round_trip():
    config = StgConfig()
    for entity, slot, as_word in ((0, 0, False), (1, 14, True), (27, 22, True)):
        assert config.read_record_id(config.record_id(entity, slot, as_word)) == (entity, slot, as_word)


def test_tiny_model_overfits_ten_games(processor, rows):
    """Near-zero loss on ten games, and every decision about records is right."""
    torch.manual_seed(0)
    short = sorted(rows, key=lambda row: len(row["summary"]))[:10]
    batch = batch_of(processor, short)
    sizes = {"embedding_size": 32, "hidden_size": 96, "context_size": 48, "writer_size": 16, "unknown_rate": 0.0}
    model = StgForDataToText(processor.config(**sizes))
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3, amsgrad=True)
    for _ in range(150):
        optimizer.zero_grad()
        loss = model(**batch).loss / len(short)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    output = model.eval()(**batch, return_scores=True)
    decisions = sum(int(count) for count in output.counts.values())
    assert output.loss / decisions < 0.02
    stated = batch["labels"] >= model.config.vocab_size
    assert torch.equal((output.scores.z > 0) & (batch["labels"] != -100), stated)
    mention = output.scores.mention
    pointers = (batch["labels"][stated] - model.config.vocab_size) // 2
    assert torch.equal(output.scores.e[mention].argmax(1), pointers // model.config.num_slots)
    assert torch.equal(output.scores.a[mention].argmax(1), pointers % model.config.num_slots)


@pytest.mark.parametrize(
    "games", [[None], ["x"], "path.json", 5, iter([])], ids=["None", "text", "path", "5", "iterator"]
)
def test_non_game_is_refused(games, processor):
    with pytest.raises(StgError, match="games: .* is not a game"):
        processor(games)


def test_inputs_must_be_lists(processor):
    row = tiny_model.league()[0]
    for field, value in (("writers", 3), ("writers", "7"), ("summaries", "Hi there .")):
        with pytest.raises(StgError, match=f"{field}: {value!r} is not a list"):
            processor([row], **{field: value})


def test_ids_of_another_game_are_refused(processor):
    row = tiny_model.league()[0]
    slots = len(processor.player_attributes), len(processor.team_attributes)
    game = Game.from_json(row)
    idle = next(position for position, entity in enumerate(game.entities[2:], 2) if not entity.did_play)
    points = processor.player_attributes.index("PTS")
    for position, slot in ((99, 0), (idle, points), *([(0, slots[1])] if slots[0] > slots[1] else [(2, slots[0])])):
        foreign = processor.layout.vocab_size + 2 * (position * processor.layout.num_slots + slot)
        with pytest.raises(StgError, match=f"sequences: id {foreign} is not a record of game"):
            processor.trace([[foreign]], [row])
    with pytest.raises(StgError, match="sequences: is a single sequence"):
        processor.trace(torch.tensor([5, 6]), [row])


def test_number_word_limit_is_checked():
    with pytest.raises(StgError, match="number_word_limit: 50 is not within 0 to 20"):
        StgProcessor.from_dataset(tiny_model.league()[:1], number_word_limit=50)


@pytest.mark.parametrize("field", ["number_token_ids", "hyphen_token_id"])
def test_token_ids_beyond_the_vocabulary_are_refused(field):
    with pytest.raises(StrictDataclassError, match=f"{field}: 9999 is not a word id"):
        StgConfig(vocab_size=100, **{field: [9999] if field.endswith("s") else 9999})
