"""Sentences of a summary that say something no fact explains: runs, clock times, injuries, quotes, other teams.

A model that learns from them learns to invent; training can leave them out.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from modeling_stg.facts import Mention
from stg.checking.findings import FALSE, TRUE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import SentenceSpans


_RUN = frozenset("run runs spurt surge burst stretch".split())
_CLOCK = frozenset("left remaining remained mark clock seconds".split())
_TOPICS = {  # words by reason
    "injury": frozenset(
        "injury injuries injured ankle knee hamstring groin concussion illness sidelined surgery sore soreness sprain "
        "sprained strain questionable doubtful rehab rest rested".split()
    ),
    "quote": frozenset(["``", "''", '"', "said"]),
    "standings": frozenset("seed seeds standings conference division playoff playoffs eighth-place".split()),
    "history": frozenset("career franchise history historic rookie all-star mvp champions championship".split()),
}
_NEAR = 4  # words around a number that say what it counts


class Unexplained(NamedTuple):
    """A sentence, `tokens[start:end]`, and why facts do not explain it, such as ["run", "name"]."""

    start: int
    end: int
    reasons: list[str]

    def to_json(self) -> dict[str, Any]:
        return self._asdict()


def unexplained(recap: ParsedRecap, findings: Sequence[Finding], mentions: Sequence[Mention]) -> list[Unexplained]:
    """The sentences with a number, a name or a topic that no fact explains, or with a claim that one refutes.

    Args:
        recap: the summary.
        findings: the checker's verdicts on it.
        mentions: its mentions of cells and other facts.
    """
    explained = {at for mention in mentions for at in range(mention.position, mention.position + mention.length)}
    explained |= {at for finding in findings if finding.verdict == TRUE for at in range(finding.start, finding.end)}
    refuted = [finding.start for finding in findings if finding.verdict == FALSE]
    marked = []
    for sentence in recap.sentences:
        reasons = [_number(recap, number.start, number.end) for number in _numbers(sentence, explained)]
        reasons += [
            "name" for span in sentence.entities if span.index is None and not explained & set(range(*_bounds(span)))
        ]
        words = set(recap.words[sentence.start : sentence.end])
        reasons += [topic for topic, of_topic in _TOPICS.items() if of_topic & words]
        reasons += ["false" for start in refuted if sentence.start <= start < sentence.end]
        if reasons:
            marked.append(Unexplained(sentence.start, sentence.end, sorted(set(reasons))))
    return marked


def _numbers(sentence: SentenceSpans, explained: set[int]) -> list[Any]:
    """Numbers that nothing explains; "a" and "an" count only where a fact reads them as 1."""
    return [
        number
        for number in sentence.numbers
        if number.start not in explained and number.text.lower() not in ("a", "an", "one")
    ]


def _bounds(span: Any) -> tuple[int, int]:
    return span.start, span.end


def _number(recap: ParsedRecap, start: int, end: int) -> str:
    """Why a number is unexplained: it counts a run, a time on the clock, or something else."""
    near = {recap.word(at) for at in range(start - _NEAR, end + _NEAR)}
    return "run" if near & _RUN else "clock" if near & _CLOCK else "number"
