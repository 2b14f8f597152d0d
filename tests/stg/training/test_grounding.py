"""Grounded training texts: which sentences stay, and that their mentions still point at the same tokens."""

from stg.training.grounding import MIN_COUNT, ground, groundable_words


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
