"""`tokenize` and `detokenize` follow the dataset's conventions."""

import json
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling_stg.text import detokenize, sentences, tokenize


PAIRS = [
    ("The Hawks won 105-104.", "The Hawks won 105 - 104 ."),
    ("Wednesday's game wasn't close", "Wednesday 's game was n't close"),
    ("the Knicks' bench (16-19) shot 6-of-13", "the Knicks ' bench ( 16 - 19 ) shot 6 - of - 13"),
    ("An All-Star, he hit a three-point shot", "An All-Star , he hit a three - point shot"),
    ("Three-point shooting was 45%", "Three-point shooting was 45 %"),
    ("J.J. Redick and C.J. McCollum met on Dec. 3.", "J.J. Redick and C.J . McCollum met on Dec. 3 ."),
    (
        "Tim Hardaway Jr. (10 points) plays for the No. 3 seed",
        "Tim Hardaway Jr. ( 10 points ) plays for the No . 3 seed",
    ),
    ('a "Big Three" at the AT&T Center', "a `` Big Three '' at the AT & T Center"),
    ("D'Angelo had 1,600 points; he'll rest", "D'Angelo had 1,600 points ; he 'll rest"),
    ("back-and-forth, with 2:30 left", "back - and - forth , with 2:30 left"),
    ("a .500 team and a sub-.500 one", "a .500 team and a sub - .500 one"),
]


@pytest.mark.parametrize(("plain", "tokens"), PAIRS)
def test_tokenize_and_detokenize_are_inverse(plain: str, tokens: str) -> None:
    assert tokenize(plain) == tokens.split()
    assert detokenize(tokens.split()) == plain


@pytest.mark.parametrize("tokens", [tokens for _, tokens in PAIRS])
def test_tokenised_text_is_unchanged(tokens: str) -> None:
    assert tokenize(tokens) == tokens.split()


def test_dashes_keep_their_spaces() -> None:
    tokens = "They won - and the Hawks - who led 20 - 10 - rest".split()
    assert detokenize(tokens) == "They won - and the Hawks - who led 20-10-rest"
    assert tokenize("won 105–104 — again") == ["won", "105", "-", "104", "—", "again"]


def test_long_chain_of_hyphens_is_fast_and_round_trips() -> None:
    chain = " - ".join(["10"] * 400).split()
    assert detokenize(chain) == "-".join(["10"] * 400)
    assert tokenize(detokenize(chain)) == chain


def test_many_apostrophes() -> None:
    assert tokenize("The Bucks won" + "'" * 3000 + ".")[-1] == "."


def test_a_stray_period_does_not_make_text_tokenised() -> None:
    text = "The Bucks beat the Knicks 105-101 . Antetokounmpo had 99 points."
    assert tokenize(text) == "The Bucks beat the Knicks 105 - 101 . Antetokounmpo had 99 points .".split()


def test_empty_text_has_no_tokens() -> None:
    assert tokenize("") == tokenize("  \n ") == []
    assert detokenize([]) == ""
    assert sentences([]) == []


def test_sentences_end_at_full_stops_only() -> None:
    tokens = "C.J . McCollum , the No . 3 pick , beat J.J. Redick . He said `` yes . '' No . They left".split()
    spans = [" ".join(tokens[start:end]) for start, end in sentences(tokens)]
    assert spans == [
        "C.J . McCollum , the No . 3 pick , beat J.J. Redick .",
        "He said `` yes . ''",
        "No .",
        "They left",
    ]


WORDS = "Hawks won 20 point - , . ( ) 's n't the No All-Star `` '' & %".split()


@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_sentences_cover_every_token_once(tokens: list[str]) -> None:
    spans = sentences(tokens)
    assert [position for span in spans for position in range(*span)] == list(range(len(tokens)))


@given(st.text(max_size=80))
def test_any_text_can_be_tokenised(text: str) -> None:
    tokens = tokenize(text)
    assert all(token and not any(letter.isspace() for letter in token) for token in tokens)
    detokenize(tokens)


@pytest.mark.rotowire
@pytest.mark.parametrize("split", ["valid", "test"])
def test_rotowire_round_trips(rotowire_dir, split: str) -> None:
    with tarfile.open(rotowire_dir / "rotowire.tar.bz2") as archive:
        games = json.load(archive.extractfile(f"rotowire/{split}.json"))
    summaries = [game["summary"] for game in games]
    assert all(tokenize(" ".join(summary)) == summary for summary in summaries)
    same = sum(tokenize(detokenize(summary)) == summary for summary in summaries)
    assert same >= 0.995 * len(summaries)
