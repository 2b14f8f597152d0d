"""The judge of sentence-wise decoding: what it rejects and why, and that it reads texts as the checker does."""

import random
from dataclasses import replace

import pytest
import torch

from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from modeling_stg.sentence_search import Candidate
from stg.checking import sentence_judge
from stg.checking.checker import Checker, findings_of
from stg.checking.findings import TRUE
from stg.checking.sentence_judge import POOR, SentenceJudge
from stg.dataset import open_dataset
from tests.helpers import tiny_model


FIRST = "The Milwaukee Bucks edged the New York Knicks , 105 - 104 , on Wednesday at Madison Square Garden ."
ANTHONY = "Carmelo Anthony led the Knicks with 30 points ."
THIRD = "The Knicks led by 14 after three quarters ."
SECOND = "The Knicks outscored the Bucks 27 - 25 in the second quarter ."
FOURTH = "The Bucks outscored the Knicks 32 - 17 in the fourth quarter ."
TOLD = f"{FIRST} {THIRD} {FOURTH}"  # how the game went; players may follow


class Words:
    """A processor whose ids are the tokens themselves."""

    @staticmethod
    def batch_tokens(sequences, games):
        assert len(sequences) == len(games) and all(isinstance(game, GameFacts) for game in games)
        return [list(ids) for ids in sequences]


def candidate(before: str, sentence: str, game: int = 0) -> Candidate:
    start = len(before.split())
    return Candidate(game, [*before.split(), *sentence.split()], start, -1.0)


@pytest.fixture(scope="module")
def judge(extractor, paper):
    return SentenceJudge(Checker(extractor), Words, [paper])


@pytest.fixture(scope="module")
def reason(judge):
    """Why a sentence after others is rejected; None if it is accepted. The call must agree."""

    def reason(before: str, sentence: str) -> str | None:
        asked = candidate(before, sentence)
        [recap] = judge.parse([asked.ids], [0])
        findings = sentence_judge.findings_of(recap)
        given, fault = judge.rejection(recap, asked.start, findings), judge.fault(recap, asked.start, findings)
        assert judge([asked]) == [None if given else POOR if fault else 0.0]
        return given or fault

    return reason


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("", FIRST),
        (TOLD, ANTHONY),
        (TOLD, "Carmelo Anthony had 30 points , 11 rebounds and seven assists ."),
        (f"{TOLD} {ANTHONY}", "He added 11 rebounds ."),  # about the player before
        (FIRST, THIRD),
        (f"{FIRST} {SECOND}", THIRD),
        (f"{FIRST} {SECOND} {THIRD}", FOURTH),
        (f"{FIRST} {FOURTH}", ANTHONY),  # of no period
        (SECOND, FIRST),
    ],
)
def test_accepts_what_is_true_and_new(reason, before, sentence):
    assert reason(before, sentence) is None


@pytest.mark.parametrize(
    ("before", "sentence", "expected"),
    [
        ("", FIRST.replace("105", "106"), "false: "),
        ("", FIRST.replace("Wednesday", "Thursday"), "false: "),
        (FIRST, ANTHONY.replace("30", "29"), "false: Carmelo Anthony: 29 PTS"),
        (FIRST, "Carmelo Anthony had 30 points and a triple - double .", "false: "),
        (f"{FIRST} {ANTHONY}", "He added 12 rebounds .", "false: "),
        (FIRST, "Carmelo Anthony had 30 points in two huge stretches .", "unknown: "),
        (FIRST, "Carmelo Anthony outplayed LeBron James with 30 points .", "from outside the game: LeBron James"),
        (FIRST, "The Knicks had lost to the Hawks and got 30 points from Carmelo Anthony .", "from outside the game"),
        (FIRST, "It was a game to remember .", "states nothing"),
        (FIRST, "The Knicks lost .", "states nothing"),
        (f"{FIRST} {ANTHONY}", "Carmelo Anthony had 30 points and 11 rebounds .", "repeats a number"),
        (FIRST, "The Bucks scored 105 points .", "repeats a number"),
        (TOLD, "Derrick Rose scored 15 points .", "Carmelo Anthony has more points"),
        (TOLD, "Anthony led the Knicks with 30 points .", "Anthony: introduced without his first name"),
        (FIRST, ANTHONY, "skips how the game turned"),
        (f"{FIRST} {THIRD}", ANTHONY, "skips how the game turned"),
        (f"{FIRST} {FOURTH}", THIRD, "goes back in time"),
        (f"{FIRST} {THIRD}", SECOND, "goes back in time"),
        (f"{FIRST} {THIRD} {ANTHONY}", SECOND, "goes back in time"),
    ],
)
def test_rejects_with_a_reason(reason, before, sentence, expected):
    assert (reason(before, sentence) or "").startswith(expected)


def test_rejects_numbers_that_no_rule_judges(reason, monkeypatch):
    """Today the last rule judges every number; a sentence must not pass because a rule overlooks one."""

    def overlooking(recap):
        return [finding for finding in findings_of(recap) if finding.verdict == TRUE]

    monkeypatch.setattr(sentence_judge, "findings_of", overlooking)
    assert reason(FIRST, "Carmelo Anthony had 30 points in 7 stretches .") == "not judged: 7"
    assert reason(TOLD, "Carmelo Anthony had 30 points in a stretch .") is None


def test_the_opening_may_anticipate_any_period(reason):
    opening = "The Milwaukee Bucks won the fourth quarter 32 - 17 and beat the New York Knicks 105 - 104 ."
    assert reason(opening, SECOND) is None and reason(FIRST, SECOND) is None


def test_all_of_a_sentence_is_judged_even_if_it_has_an_exclamation_mark(reason):
    """The search ends sentences at full stops alone, the checker also at "!"."""
    assert reason(TOLD, "Carmelo Anthony had 30 points ! He had 11 rebounds .") is None
    assert reason(FIRST, "Carmelo Anthony had 29 points ! He had 11 rebounds .").startswith("false")
    assert reason(FIRST, "LeBron James watched ! Carmelo Anthony had 11 rebounds .").startswith("from outside")


def test_an_earlier_fault_does_not_condemn_what_follows(reason):
    """Texts with demands may contain rejected sentences."""
    faulty = f"{TOLD} {ANTHONY} {ANTHONY} Carmelo Anthony had 12 rebounds ."
    assert reason(faulty, "Derrick Rose scored 15 points .") is None
    assert reason(f"{faulty} Derrick Rose scored 15 points .", "Derrick Rose had 15 points .") == "repeats a number"


def test_games_and_sentences_are_kept_apart(extractor, paper):
    """The same sentence is true of one game and false of another; unseen sentences of a text are read too."""
    other = tiny_model.league()[0]
    judge = SentenceJudge(Checker(extractor), Words, [other, paper])
    line = "Carmelo Anthony had 30 points ."
    for _ in range(2):
        assert judge([candidate("", line, 1), candidate("", line, 0), candidate(ANTHONY, line, 1)]) == [
            0.0,
            None,
            None,
        ]


def test_uses_the_season_of_the_checker_or_of_the_game(extractor, paper, season):
    text = f"{FIRST} {ANTHONY}"
    sentence = "The Knicks host the Atlanta Hawks on Friday ."
    for checker, game, expected in (
        (Checker(extractor), paper, None),
        (Checker(extractor, Season(season)), paper, POOR),  # true, but players are still to come
        (Checker(extractor), GameFacts(paper, Season(season)), POOR),
    ):
        assert SentenceJudge(checker, Words, [game])([candidate(text, sentence)]) == [expected]


@pytest.fixture(scope="module")
def league():
    return list(open_dataset(config="sample", split="test"))[:25]


def plain(recap) -> list:
    """Relations without their confidence, which depends on the batch in its last digits."""
    return [replace(relation, confidence=0.0) for relation in recap.relations]


def test_relations_of_sentences_are_those_of_the_text(extractor, league):
    checker = Checker(extractor)
    judge = SentenceJudge(checker, Words, league)
    texts = [row["summary"] for row in league]
    stops = [[at + 1 for at, token in enumerate(text) if token == "."] for text in texts]
    cut = [text[: random.Random(at).choice(stops[at])] for at, text in enumerate(texts)]
    total = 0
    for part in (cut, texts):
        ours = judge.parse(part, range(len(league)))
        for recap, theirs in zip(ours, checker.parse(part, league), strict=True):
            assert plain(recap) == plain(theirs) and recap.tokens == theirs.tokens
            assert checker.findings(recap) == checker.findings(theirs)
            total += len(recap.relations)
    assert total > 500


def test_generated_texts_have_only_true_claims(extractor, processor, model):
    rows = tiny_model.league()[:4]
    checker = Checker(extractor)
    judge = SentenceJudge(checker, processor, rows)
    torch.manual_seed(0)
    sequences = model.generate(**processor(rows), sentence_candidates=8, max_new_tokens=80, judge=judge)
    texts = processor.batch_tokens(sequences, rows)
    findings = [finding for text, row in zip(texts, rows, strict=True) for finding in checker.check(text, row)]
    assert findings and {finding.verdict for finding in findings} == {TRUE}
