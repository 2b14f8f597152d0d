"""The judge counts repeated, false and true claims of sampled texts and finds the first false sentence."""

from modeling_stg.game import Game
from stg.checking.checker import Checker
from stg.checking.judge import Judge, verdict


TEXTS = {
    "Carmelo Anthony had 30 points and 11 rebounds .": (0, 0, 2, None),
    "Carmelo Anthony had 30 points . The Knicks lost . Carmelo Anthony scored 30 points , and 11 rebounds .": (
        *(1, 0, 2),
        None,
    ),
    "The Knicks lost . Carmelo Anthony had 30 points . He had 12 rebounds .": (0, 1, 1, 2),  # by the checker alone
    "Carmelo Anthony had 29 points and 11 rebounds .": (0, 2, 1, 0),  # by the extractor and by the checker
    "Carmelo Anthony had 30 points and 11 rebounds on Thursday at Staples Center .": (0, 2, 2, 0),  # by the checker
    "Carmelo Anthony had 30 points and 11 rebounds on Wednesday at Madison Square Garden .": (0, 0, 2, None),
    "Carmelo Anthony had 30 points , 11 rebounds and a triple - double .": (0, 1, 2, 0),
}


def test_verdict_counts_repeated_false_and_true_claims(extractor, paper):
    game = Game.from_json(paper)
    sequences = list(range(len(TEXTS)))

    class Processor:
        def batch_tokens(self, ids, games):
            assert ids == sequences and games == [game] * len(TEXTS)
            return [text.split() for text in TEXTS]

    judge = Judge(Checker(extractor), Processor(), [None, game])
    assert judge(sequences, [1] * len(TEXTS)) == [*TEXTS.values()]


def test_outlook_sentences_do_not_count_if_left_out(extractor, paper):
    text = "Carmelo Anthony had 30 points . The Knicks will rest Carmelo Anthony , who had a triple - double ."

    class Processor:
        def batch_tokens(self, sequences, games):
            return [text.split()]

    assert Judge(Checker(extractor), Processor(), [paper])([None], [0]) == [(0, 1, 1, 1)]
    assert Judge(Checker(extractor), Processor(), [paper], outlook=False)([None], [0]) == [(0, 0, 1, None)]


def test_judge_accepts_json(extractor, paper):
    class Processor:
        def batch_tokens(self, sequences, games):
            return [text.split() for text in TEXTS]

    assert Judge(Checker(extractor), Processor(), [paper])([None] * len(TEXTS), [0] * len(TEXTS)) == [*TEXTS.values()]


def test_relations_are_counted_as_by_the_metrics(extractor, paper):
    """The checker also reads "a steal" as one, the metrics do not."""
    game, text = Game.from_json(paper), "Carmelo Anthony had 30 points , 11 rebounds , two steals and a block ."
    [recap] = Checker(extractor).parse([text.split()], [game])
    read = extractor.extract(text, game)
    assert len(recap.relations) > len(read)
    assert verdict(recap.tokens, recap.relations, ()) == (0, 0, len(read), None) == (0, 0, 3, None)
