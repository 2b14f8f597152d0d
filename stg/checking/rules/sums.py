"""Sums over players: "combined for 45 points and 20 rebounds", "a combined 17 - of - 31", "scored 40 between them"."""

import re
from collections.abc import Iterator

from modeling_stg.facts import Fact
from modeling_stg.schema import COLUMN_OF_NOUN
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.judging import is_other_game
from stg.checking.rules.slots import PARTS
from stg.extraction.candidates import NumberSpan, SentenceSpans


_COMBINED = re.compile(r"\b(?:combined|combining|combine|teamed up|teaming up)\b|\bbetween (?:them|the two)\b")
_NOT_THEM = frozenset("bench reserves starters backcourt frontcourt teams rest else last past".split())
_COUNTED = frozenset("points rebounds boards assists steals blocks threes triples".split())
_ENDS = frozenset("while but ; as who which whose".split())
_THREES = frozenset("threes triples treys three".split())


def combined(recap: ParsedRecap) -> Iterator[Finding]:
    """Sums of the two or more players that a clause names."""
    for index, sentence in enumerate(recap.sentences):
        text = recap.phrase(sentence.start, sentence.end)
        match = _COMBINED.search(text)
        words = recap.words[sentence.start : sentence.end]
        if match is None or recap.looks_ahead(index) or is_other_game(recap, sentence):
            continue
        at = sentence.start + text[: match.start()].count(" ")
        if _NOT_THEM.intersection(recap.words[max(sentence.start, at - 3) : at]):
            continue
        is_after = match[0].startswith("between")
        players = _players(recap, sentence, at)
        if len(players) < 2 or (PARTS - {"combined"}).intersection(words):
            continue
        numbers = [number for number in sentence.numbers if (number.start < at) is is_after]
        for number, column in _counts(recap, sentence, numbers, at):
            cells = [recap.facts.get(player, column) for player in players]
            known = tuple(fact for fact in cells if fact is not None)
            if len(known) == len(players):
                total = sum(fact.number for fact in known)
                names = ", ".join(recap.name(player) for player in players)
                fact = Fact(players[0], column, str(total), known)
                claim = f"{names}: {number.value} {column} together"
                yield decide("number", number.start, number.end, number.value == total, claim, str(total), fact)


def _players(recap: ParsedRecap, sentence: SentenceSpans, at: int) -> list[int]:
    """The players of the clause before a word, else those of the sentence before if it names two."""
    start = max([sentence.start, *(place + 1 for place in range(sentence.start, at) if recap.words[place] in _ENDS)])
    spans = [span for span in sentence.entities if not span.is_team and start <= span.start]
    before = [span.index for span in spans if span.start < at]
    if not before and recap.word(start - 1) in ("who", "which"):  # "Young and Turner , who teamed up for"
        before = [span.index for span in sentence.entities if not span.is_team and span.start < at]
    named = before or [span.index for span in spans]
    if not named and recap.word(sentence.start) in ("they", "the"):
        index = recap.sentence_index(sentence.start)
        earlier = recap.sentences[index - 1].entities if index else ()
        named = [span.index for span in earlier if not span.is_team]
        named = named if len(set(named)) == 2 else []
    players = list(dict.fromkeys(player for player in named if player is not None))
    is_all = None not in named and all(recap.game.entities[player].did_play for player in players)
    return players if is_all else []


def _counts(
    recap: ParsedRecap, sentence: SentenceSpans, numbers: list[NumberSpan], at: int
) -> Iterator[tuple[NumberSpan, str]]:
    """Numbers with the columns that they count, up to the end of the clause."""
    end = next((place for place in range(at, sentence.end) if recap.words[place] in _ENDS), sentence.end)
    near = [number for number in numbers if number.end <= end]
    for number, following in zip(near, [*near[1:], None], strict=True):
        noun = recap.word(number.end)
        between = [] if following is None else recap.words[number.end : following.start]
        is_shots = len(between) <= 3 and {"of", "for"}.intersection(between)
        if noun in ("-", "of", "for") and following is not None and is_shots:
            after = recap.phrase(following.end, following.end + 6)
            kind = (
                "FG3" if re.match(r"(?:shooting )?(?:from (?:three|deep|beyond|long|down)|on threes)", after) else None
            )
            kind = "FT" if re.match(r"(?:from|at) the (?:free|line|foul|stripe)", after) else kind or "FG"
            yield number, f"{kind}M"
            yield following, f"{kind}A"
        elif noun == "of" and following is not None and len(between) < 6 and recap.word(following.end) in _COUNTED:
            yield number, COLUMN_OF_NOUN[recap.words[following.end]]  # "56 of the Cavaliers ' 99 points"
        elif noun in _COUNTED and "of" not in recap.words[max(at, number.start - 5) : number.start]:
            yield number, "FG3M" if noun in _THREES else COLUMN_OF_NOUN[noun]
