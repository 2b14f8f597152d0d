"""Grounded training texts: which sentences stay, and that their mentions still point at the same tokens."""

import pytest

from modeling_stg.fact_schema import FACT_KINDS
from modeling_stg.schema import STYLES, WRITER_LABELS
from modeling_stg.season import Season
from modeling_stg.text import sentences
from stg.training.data import facts_of
from stg.training.grounding import MIN_COUNT, ground, groundable_words, without_season
from stg.training.model_task import ModelTask
from tests.helpers import tiny_model


OPENING = "The Bucks defeated the Knicks .".split()


def mention(position: int, entity: str = "Bucks", attribute: str = "TEAM-NAME") -> dict:
    return {"position": position, "length": 1, "entity": entity, "attribute": attribute, "form": "text"}


def row(*sentences: str, names: tuple[str, ...] = (), unexplained: tuple[int, ...] = ()) -> dict:
    """A row that opens with OPENING; `names` are mentions, `unexplained` are the indices of marked sentences."""
    texts = [OPENING, *(sentence.split() for sentence in sentences)]
    summary = [token for text in texts for token in text]
    starts = [sum(map(len, texts[:index])) for index in range(len(texts))]
    return {
        "summary": summary,
        "mentions": [mention(at, token) for at, token in enumerate(summary) if token in ("Bucks", "Knicks", *names)],
        "unexplained": [
            {"start": starts[index], "end": starts[index] + len(texts[index]), "reasons": ["run"]}
            for index in unexplained
        ],
    }


def kept(*sentences: str, **options) -> list[str]:
    """The sentences after the opening that stay, in a corpus where all their words are common."""
    rows = [row(*sentences, **options)] * MIN_COUNT
    [first, *_] = ground(rows, groundable_words(rows))
    text = " ".join(first["summary"])
    assert text.startswith(" ".join(OPENING))
    return [f"{sentence} ." for sentence in text.removeprefix(" ".join(OPENING)).strip().split(" . ") if sentence]


def test_keeps_sentences_that_state_facts_in_common_words():
    assert kept("The Knicks were led by Parker", names=("Parker",)) == ["The Knicks were led by Parker ."]


def test_drops_what_annotation_could_not_explain():
    assert kept("The Knicks led after a run .", "The Bucks won .", unexplained=(1,)) == ["The Bucks won . ."]


def test_drops_sentences_without_a_fact():
    assert kept("It was a game to remember .") == []


def test_drops_free_numbers_but_not_three_pointers():
    assert kept("The Knicks made three three - pointers .") != []
    assert kept("The Knicks made 12 shots .") == kept("The Knicks made twelve shots .") == []


def test_drops_what_no_fact_decides():
    assert kept("The Knicks missed their veteran .") == []
    assert kept("The Knicks play on Friday .") == []


def test_drops_a_sentence_that_refers_to_a_dropped_one():
    pair = ("The Knicks led after a run .", "They beat the Bucks .")
    assert kept(*pair, unexplained=(1,)) == []
    assert kept(*pair) == []  # "run" is barred with or without the mark, and the second goes with it


def test_keeps_a_pronoun_beside_its_sentence():
    assert len(kept("They beat the Knicks .")) == 1


def test_drops_rare_words():
    rows = [row("The Knicks won .")] * MIN_COUNT + [row("The Knicks gambolled .")] * (MIN_COUNT - 1)
    words = groundable_words(rows)
    assert "won" in words and "gambolled" not in words
    assert len(ground(rows, words)[-1]["summary"]) == len(OPENING)


def test_leaves_out_texts_without_a_grounded_opening():
    rows = [row("The Knicks won .", unexplained=(0,))] + [row("The Knicks won .")] * MIN_COUNT
    assert len(ground(rows, groundable_words(rows))) == MIN_COUNT


def test_mentions_move_with_their_sentences():
    rows = [row("The Knicks led after a run .", "The Bucks beat the Knicks .", unexplained=(1,))] * MIN_COUNT
    [first, *_] = ground(rows, groundable_words(rows))
    assert len(first["mentions"]) == 4
    for stated in first["mentions"]:
        assert first["summary"][stated["position"]] == stated["entity"]
    assert len(rows[0]["mentions"]) == 5  # the row itself is unchanged


# our own recaps


def test_without_words_any_word_may_stay():
    """Our own recaps: only what annotation did not explain, and what states nothing, is dropped."""
    texts = ("The Knicks gambolled , 12 times .", "They beat the Bucks .", "It was over .", "The Bucks ran .")
    [grounded] = ground([row(*texts, unexplained=(4,))])
    assert " ".join(grounded["summary"]) == " ".join([*OPENING, *texts[0].split(), *texts[1].split()])
    assert ground([row(*texts, unexplained=(0,))]) == []


@pytest.mark.parametrize(("writer", "stays"), [("wire", True), ("7", False), ("unknown", False)])
def test_only_peoples_texts_are_restricted_to_common_words(writer, stays):
    label = WRITER_LABELS.index(writer)
    rows = [{**row("The Knicks gambolled ."), "writer": label}]
    words = frozenset(word.lower() for word in OPENING)
    [grounded] = ModelTask._ground_part(rows, words)
    assert ("gambolled" in grounded["summary"]) == stays == (writer in STYLES)


# without the season

STREAK = next(name for name, kind in FACT_KINDS.items() if kind.group == "season" and kind.is_stated)
QUARTER = next(name for name, kind in FACT_KINDS.items() if kind.group == "line_score" and kind.is_stated)


def of_season(*texts: str, attribute: str = STREAK) -> dict:
    """A row in which the word "third" is a mention of an attribute."""
    made = row(*texts)
    places = [position for position, token in enumerate(made["summary"]) if token == "third"]
    return {**made, "mentions": made["mentions"] + [mention(at, "Bucks", attribute) for at in places]}


WON = ("The Bucks won their third straight .", "The Knicks were led by Parker .")


def test_sentences_of_the_season_are_dropped_and_the_row_marked():
    made = of_season(*WON)
    [forgotten] = without_season([made])
    assert " ".join(forgotten["summary"]) == " ".join([*OPENING, *WON[1].split()])
    assert forgotten["has_season"] is False and "has_season" not in made
    words = [forgotten["summary"][stated["position"]] for stated in forgotten["mentions"]]
    assert words == ["Bucks", "Knicks", "Knicks"]
    assert len(made["summary"]) == len([*OPENING, *WON[0].split(), *WON[1].split()])  # the row itself is unchanged


def test_other_facts_stay():
    made = of_season(*WON, attribute=QUARTER)
    [forgotten] = without_season([made])
    assert forgotten["summary"] == made["summary"] and forgotten["has_season"] is False


def test_every_third_row_forgets_the_season():
    made = of_season(*WON)
    rows = without_season([made] * 7)
    assert [changed.get("has_season", True) for changed in rows] == [False, True, True, False, True, True, False]
    assert all(rows[index] == made for index in (1, 2, 4, 5)) and rows[0] == rows[3] == rows[6]


def test_what_refers_to_a_dropped_sentence_goes_with_it():
    [forgotten] = without_season([of_season(WON[0], "They beat the Knicks .", WON[1])])
    assert " ".join(forgotten["summary"]) == " ".join([*OPENING, *WON[1].split()])


def test_a_text_that_opens_with_the_season_stays_as_it_is():
    """Without its opening it would begin in the middle, or be empty."""
    for texts in ((), WON[1:]):
        made = of_season(*texts)
        made["mentions"] = [mention(1, "Bucks", STREAK)]
        assert without_season([made]) == [made]


def test_facts_of_the_season_are_not_computed_for_marked_rows(paper):
    season = Season([])
    for known in (paper, {**paper, "has_season": True}):
        assert facts_of(known, season).season is season
    assert facts_of({**paper, "has_season": False}, season).season is None


def test_grounded_texts_of_the_sample_league_keep_their_mentions():
    """Property: what stays are whole sentences of the text, in order, and mentions still cover the same tokens."""
    rows = [{**made, "unexplained": made.get("unexplained") or []} for made in tiny_model.league()]
    for changed in (ground(rows), without_season(rows)):
        for after in changed:
            [before] = [made for made in rows if made["game_id"] == after["game_id"]]
            texts = [before["summary"][start:end] for start, end in sentences(before["summary"])]
            left = iter(texts)
            for start, end in sentences(after["summary"]):
                assert after["summary"][start:end] in left  # consumes the iterator: in order

            def stated(made: dict) -> list:
                return [
                    (item["entity"], item["attribute"], made["summary"][item["position"] :][: item["length"]])
                    for item in made["mentions"]
                ]

            remaining = iter(stated(before))
            assert all(item in remaining for item in stated(after))
    assert any(len(after["summary"]) < len(before["summary"]) for after, before in zip(changed, rows, strict=True))
