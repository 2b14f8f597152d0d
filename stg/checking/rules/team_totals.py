"""Team totals: a team's rebounds, and the shots that its players add up to."""

import re
from collections.abc import Iterator

from modeling_stg.fact_schema import edge
from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number, sentences_of_this_game
from stg.extraction.candidates import SentenceSpans


_FROM = {  # phrases after "from" by kind of shot
    "FG3": (
        *("long range", "three - point range", "three point range", "3 - point range", "three", "deep", "downtown"),
        *("beyond the arc", "behind the arc", "the three - point line", "distance", "long distance"),
    ),
    "FT": ("the free throw line", "the free - throw line", "the charity stripe", "the foul line", "the line"),
    "FG": ("the field", "the floor"),
}
_COUNTED = {
    **dict.fromkeys(("steals", "team steals"), "STL"),
    **dict.fromkeys(("blocks", "blocked shots", "team blocks"), "BLK"),
    **dict.fromkeys(("offensive rebounds", "offensive boards"), "OREB"),
    **dict.fromkeys(("made baskets", "made field goals", "made shots", "made field - goals"), "FGM"),
    **dict.fromkeys(
        ("three - pointers", "threes", "3 - pointers", "treys", "triples", "made threes", "three - point shots"),
        "FG3M",
    ),
    **dict.fromkeys(("free throws", "free - throws"), "FTM"),
    **dict.fromkeys(("free throw attempts", "free - throw attempts"), "FTA"),
}
# These words mean that a sentence is about some of the players, or part of the game.
_NOT_WHOLE_TEAM = frozenset(
    "he his him combined pair duo trio two three four starters starter starting bench reserves reserve players player "
    "man center guard guards forward forwards backcourt frontcourt rookie quarter half period minutes stretch".split()
)


def shots(recap: ParsedRecap) -> Iterator[Finding]:
    """ "the Celtics went 11 - of - 32 from long range": in sentences that name a team and no player."""
    for index, sentence in enumerate(recap.sentences):
        if recap.looks_ahead(index) or recap.mentions_other_game(sentence.start):
            continue
        if not _is_about_a_team(recap, sentence):
            continue
        for made, attempted in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            shot, team = _shot(recap, attempted.end), recap.team_at(made.start)
            is_pair = recap.words[made.end : attempted.start] in (["-", "of", "-"], ["of"])
            if not is_pair or shot is None or team is None:
                continue
            columns = f"{shot}M", f"{shot}A"
            others = [recap.facts.number(1 - team, f"TEAM-{column}") for column in columns]
            if [made.value, attempted.value] == others:
                continue  # the other team may be meant
            for span, column in zip((made, attempted), columns, strict=True):
                claim = f"{recap.name(team)}: {span.value} {column} of all players"
                yield from judge_number(recap, span, team, f"TEAM-{column}", claim)


def counts(recap: ParsedRecap) -> Iterator[Finding]:
    """ "recorded 11 steals and grabbed 15 offensive rebounds": in sentences that name a team and no player.

    A team may also have allowed or forced them, so a number that fits neither team is not called false.
    """
    for sentence in sentences_of_this_game(recap):
        if not _is_about_a_team(recap, sentence):
            continue
        for number in sentence.numbers:
            column, team = _counted(recap, number.end), recap.team_at(number.start)
            if column is None or team is None:
                continue
            attribute = f"TEAM-{column}"
            owner = next(
                (side for side in (team, 1 - team) if recap.facts.number(side, attribute) == number.value), None
            )
            if owner is not None:
                yield from judge_number(recap, number, owner, attribute)


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


def _is_about_a_team(recap: ParsedRecap, sentence: SentenceSpans) -> bool:
    words = {
        word
        for position, word in enumerate(recap.words[sentence.start : sentence.end], sentence.start)
        if not (word == "three" and recap.word(position + 1) == "-")  # "three - pointers"
    }
    return bool(sentence.entities) and all(span.is_team for span in sentence.entities) and not words & _NOT_WHOLE_TEAM


def _counted(recap: ParsedRecap, position: int) -> str | None:
    """The column of players that the words after a number mean, as a team's total."""
    after = " ".join([*recap.words[position : position + 4], ""])
    return next((column for phrase, column in _COUNTED.items() if after.startswith(f"{phrase} ")), None)


def _shot(recap: ParsedRecap, position: int) -> str | None:
    """The kind of shot that "from long range" and the like mean."""
    if recap.word(position) != "from":
        return None
    after = " ".join([*recap.words[position + 1 : position + 6], ""])
    return next(
        (shot for shot, phrases in _FROM.items() for phrase in phrases if after.startswith(f"{phrase} ")), None
    )
