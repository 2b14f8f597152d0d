"""Grounded training texts: only the sentences that a model can know to be true from its facts.

About two fifths of the sentences in people's recaps say something that no input contains (injuries, runs, quotes,
standings). A model that learns from them learns to invent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from modeling_stg.fact_schema import FACT_KINDS, OF_SEASON
from modeling_stg.numbers import read_number
from modeling_stg.schema import WEEKDAY_WORDS
from modeling_stg.text import sentences


MIN_COUNT = 15  # rarer words tell of something particular: "alley-oop", a coach, a trade
# Words that claim what no fact decides, by subject
_UNKNOWABLE = {
    "how it was played": """buzzer clutch seconds clock foul fouls fouled fouling technical ejected jumper layup dunk
        rim basket baskets bucket possession tip pace crowd run runs stretch spurt surge momentum comeback rallied
        blew overcome push pushed fight fought battled responded remainder""",
    "how close it was": """wire blowout cruised cruise narrowly thriller lopsided tight tightly close closely
        competitive easily easy comfortable never throughout entire entirety whole contested decisive pivotal
        critical dominated dominate dominant dominating dominance control""",
    "who a player is": """veteran sophomore rookie young superstar former latter aforementioned elite talented talent
        center guard forward backcourt frontcourt power fellow favorite captain mate teammates hero man big""",
    "what happened before": """absence missed missing debut healthy shorthanded injured return returned lineup usual
        standards expected recent recently lately weeks year years day days times trend form slump struggles
        continued continues still again old new vintage rematch history slide turnaround disappointing promising
        former current regular typically always often since rare rarely""",
    "rankings beyond the game": "worst best league nba postseason playoff seed upset surprise surprising surprisingly",
    "groups": "respectively apiece duo trio lone single neither either others among rounded",
    "how well he shot": "efficient effective hot hottest scorching unstoppable perfect lights fire modest quiet",
    "nearly": "shy flirted nearly almost exactly",
    "teams by other names": """sixers cavs mavs blazers wolves okc philly la los angeles canada golden state gas apple
        barclay fedex forum arena fieldhouse city""",
}
UNKNOWABLE = frozenset(word for words in _UNKNOWABLE.values() for word in words.split()) | frozenset(WEEKDAY_WORDS)
_LINKS = frozenset("he his him it its that this they their them these those such".split())  # need the sentence before


def groundable_words(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The words that grounded sentences of annotated training rows may have beside their mentions."""
    counts = Counter(word for row in rows for word in _free_words(row, 0, len(row["summary"])))
    common = (word for word, count in counts.items() if count >= MIN_COUNT)
    return frozenset(word for word in common if word not in UNKNOWABLE and not _is_numeral(word))


def ground(rows: Sequence[Mapping[str, Any]], words: frozenset[str] | None = None) -> list[dict[str, Any]]:
    """Keeps the grounded sentences of annotated rows; rows whose opening is not grounded are left out.

    A sentence is grounded if `stg annotate` has explained all of it, it states a fact, and its other words are all
    among `words` (of `groundable_words`; None: all words). One that refers to a dropped sentence is dropped too.

    Example:
        >>> ground(rows, groundable_words(rows))[0]["summary"]
        ['The', 'Milwaukee', 'Bucks', 'defeated', ...]
    """
    kept = [(row, _kept_sentences(row, words)) for row in rows]
    return [_select(row, spans) for row, spans in kept if spans and spans[0][0] == 0]


def without_season(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Every third row without the sentences that state facts of the season, and marked so that they are not computed.

    A model that always knew the season would not know what to write without it. A text whose opening states such a
    fact stays as it is.
    """
    return [dict(row) if index % 3 else _forget_season(row) for index, row in enumerate(rows)]


def _forget_season(row: Mapping[str, Any]) -> dict[str, Any]:
    of_season = {
        mention["position"]
        for mention in row["mentions"]
        if mention["attribute"] in FACT_KINDS and FACT_KINDS[mention["attribute"]].group in OF_SEASON
    }
    spans = (span for span in sentences(row["summary"]) if not of_season.intersection(range(*span)))
    kept = _without_orphans(row, spans)
    return {**_select(row, kept), "has_season": False} if kept and kept[0][0] == 0 else dict(row)


def _kept_sentences(row: Mapping[str, Any], known: frozenset[str] | None) -> list[tuple[int, int]]:
    marked = {sentence["start"] for sentence in row["unexplained"]}
    stated = {mention["position"] for mention in row["mentions"]}
    return _without_orphans(
        row,
        (
            (start, end)
            for start, end in sentences(row["summary"])
            if start not in marked
            and stated.intersection(range(start, end))
            and (known is None or known.issuperset(_free_words(row, start, end)))
        ),
    )


def _without_orphans(row: Mapping[str, Any], spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Leaves out sentences that refer to one that is left out."""
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        follows = bool(kept) and kept[-1][1] == start
        if follows or row["summary"][start].lower() not in _LINKS:
            kept.append((start, end))
    return kept


def _free_words(row: Mapping[str, Any], start: int, end: int) -> Iterable[str]:
    """The lower-case words of `summary[start:end]` that are not part of a mention."""
    covered = {
        position
        for mention in row["mentions"]
        for position in range(mention["position"], mention["position"] + mention["length"])
    }
    return (row["summary"][position].lower() for position in range(start, end) if position not in covered)


def _is_numeral(word: str) -> bool:
    """Whether a word is a number other than "one" and the "three" of "three - pointers"."""
    return word not in ("one", "three") and read_number([word], 0) is not None


def _select(row: Mapping[str, Any], kept: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """The row with these sentences alone, its mentions moved along."""
    summary: list[str] = []
    mentions = []
    for start, end in kept:
        moved = len(summary) - start
        mentions += [
            {**mention, "position": mention["position"] + moved}
            for mention in row["mentions"]
            if start <= mention["position"] < end
        ]
        summary += row["summary"][start:end]
    return {**row, "summary": summary, "mentions": mentions, "unexplained": []}
