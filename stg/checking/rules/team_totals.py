"""Totals of teams: "was 11 - 29 from deep", "outrebounded the Hornets by 11", "winning that battle , 43 - 34"."""

import re
from collections.abc import Iterator

from modeling_stg.fact_schema import edge
from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number, sentences_of_this_game


_FROM = {
    "from deep": "FG3",
    "from three": "FG3",
    "from beyond the arc": "FG3",
    "from the line": "FT",
    "from the field": "FG",
}


def dashed_shots(recap: ParsedRecap) -> Iterator[Finding]:
    """ "Boston was 11 - 29 from deep"."""
    for sentence in sentences_of_this_game(recap):
        for made, attempted in dashed_pairs(recap, sentence):
            after = recap.phrase(attempted.end, attempted.end + 4)
            shot = next((shot for words, shot in _FROM.items() if after.startswith(words)), None)
            spans = [span for span in sentence.entities if span.end <= made.start - 1]
            if shot and spans and spans[-1].is_team and spans[-1].index is not None:
                if recap.word(made.start - 1) in ("was", "were", "went", "shot"):
                    yield from judge_number(recap, made, spans[-1].index, f"TEAM-{shot}M")
                    yield from judge_number(recap, attempted, spans[-1].index, f"TEAM-{shot}A")


def rebounding_edge(recap: ParsedRecap) -> Iterator[Finding]:
    """ "outrebounded the Hornets by 11"."""
    for sentence in sentences_of_this_game(recap):
        for number in sentence.numbers:
            before = " ".join(recap.words[sentence.start : number.start])
            after = recap.words[number.end : number.end + 2]
            is_part = recap.word(number.end) == "-" or {"offensive", "defensive", "percent"}.intersection(after)
            if re.search(r"\bout(?: - )?rebound\w* (?:\S+ ){0,6}by$", before) and not is_part:
                team = 0 if recap.facts.get(0, edge("TEAM-REB")) else 1
                yield from judge_number(recap, number, team, edge("TEAM-REB"))


def rebounding_battle(recap: ParsedRecap) -> Iterator[Finding]:
    """ "with the Jazz winning that battle , 43 - 34": on the boards."""
    for start, end in recap.find("winning that battle ,", "won that battle ,", "winning the battle ,"):
        sentence, team = recap.sentence_at(start), recap.team_at(start)
        words = recap.words[sentence.start : start]
        is_rebounding = any(word.startswith("rebound") for word in words)
        if team is None or not is_rebounding or {"defensive", "offensive"}.intersection(words):
            continue
        for score in dashed_pairs(recap, sentence):
            if score[0].start == end:
                for number, owner in zip(score, (team, 1 - team), strict=True):
                    yield from judge_number(recap, number, owner, "TEAM-REB")
