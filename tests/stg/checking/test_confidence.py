"""Confidence: what is counted, what is borrowed, the modes, and the curve."""

import pytest

from modeling_stg.facts import Fact
from stg.checking.calibration import annotated_examples, count, curve, mutated_examples, thresholds
from stg.checking.confidence import MODES, Confidence, levels, shipped_confidence
from stg.checking.evaluation import AnnotatedText, Mistake
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding
from stg.checking.mutation import Mutation
from stg.checking.self_test import HERE, MISSED, Outcome, Placed, SelfTest


def finding(verdict=FALSE, at=0, rule="numbers.numbers", attribute="PTS", kind="number"):
    return Finding(at, at + 1, kind, verdict, "", fact=Fact(2, attribute, "7"), rule=rule)


def text(*mistakes, name="a"):
    return AnnotatedText(name, 0, [], [Mistake(at, at + 1, kind) for at, kind in mistakes])


def test_levels():
    assert levels(finding()) == ("false number", "false number numbers.numbers", "false number numbers.numbers PTS")
    assert levels(Finding(0, 1, "word", TRUE, "", rule="x"))[2] == "true word x -"


def test_rare_findings_borrow_from_the_level_above():
    counts = {"false number": (80.0, 100.0), "false number a": (0.0, 5.0)}
    confidence = Confidence(counts)
    of_kind = (80 + 5 * 0.5) / 105
    of_rule = (0 + 5 * of_kind) / 10
    assert confidence.suspicion(finding(rule="b")) == pytest.approx(of_kind)
    assert confidence.suspicion(finding(rule="a")) == pytest.approx(of_rule)
    assert confidence.of(finding(rule="a")) == confidence.suspicion(finding(rule="a"))
    assert confidence.of(finding(TRUE)) == 1 - confidence.suspicion(finding(TRUE)) == 0.5


def test_modes():
    counts = {"false number a": (9.0, 9.0), "false number b": (1.0, 2.0), "unknown number c": (3.0, 4.0)}
    confidence = Confidence(counts, {"strict": 0.8, "lenient": 0.4})
    surely, perhaps, suspect = finding(rule="a"), finding(rule="b"), finding(UNKNOWN, rule="c")
    flagged = {
        mode: [confidence.is_flagged(found, mode) for found in (surely, perhaps, suspect, finding(TRUE))]
        for mode in MODES
    }
    assert flagged["default"] == [True, True, False, False]
    assert flagged["strict"] == [True, False, False, False]
    assert flagged["lenient"][:3] == [True, True, True]


def test_shipped_table_knows_the_rules_and_orders_the_modes():
    confidence = shipped_confidence()
    assert confidence.thresholds["lenient"] < 0.5 < confidence.thresholds["strict"] < 1
    sure, unsure = finding(rule="outlook.next_game", kind="name"), finding(UNKNOWN)
    assert confidence.of(sure) > 0.9 and 0.5 < confidence.of(unsure) < 1
    assert confidence.of(finding(TRUE)) > 0.95


def test_annotated_examples():
    """A false finding may match any mistake, another one only a mistake of its kind."""
    found = [finding(FALSE, 1), finding(TRUE, 1), finding(TRUE, 2), finding(UNKNOWN, 3)]
    examples = annotated_examples(text((1, "word"), (2, "number")), found)
    assert [example.is_mistake for example in examples] == [True, False, True, False]


def test_mutations_of_a_recap_are_one_mistake_together():
    mutation = Mutation("number", 0, 1, "8", (0, 9))
    outcomes = [Outcome(mutation, HERE, [finding(), finding()]), Outcome(mutation, MISSED, [finding(TRUE)])]
    examples = mutated_examples(SelfTest([Placed(0, 1, finding(TRUE))], [*outcomes, Outcome(mutation, MISSED, [])]))
    counts = count(examples)
    assert counts["false number"] == (0.33, 0.33)
    assert counts["true number"] == (0.33, 1.33)


def test_curve_judges_a_text_by_the_others():
    """Rule a is right in the first two texts and wrong in the third, where the others make it look right."""
    judged = [
        (text((0, "number"), name="a"), [finding(rule="a")] * 1),
        (text((0, "number"), name="b"), [finding(rule="a")] * 1),
        (text(name="c"), [finding(rule="a")]),
    ]
    points = {point["threshold"]: point for point in curve(judged, [])}
    assert points[0.01] == {"threshold": 0.01, "precision": 0.6667, "recall": 1.0, "said": 3}
    high = Confidence(count(example for own in judged[:2] for example in annotated_examples(*own)))
    limit = int(100 * high.suspicion(finding(rule="a"))) / 100
    assert points[limit]["said"] == 1 and points[limit]["precision"] == 0.0  # only the third text's is still said


def test_thresholds_keep_their_promise_if_they_can():
    points = [
        {"threshold": 0.1, "precision": 0.7, "recall": 0.9},
        {"threshold": 0.2, "precision": 0.86, "recall": 0.8},
        {"threshold": 0.8, "precision": 0.94, "recall": 0.5},
        {"threshold": 0.9, "precision": 0.93, "recall": 0.3},
    ]
    assert thresholds(points) == {"strict": 0.8, "lenient": 0.2}
