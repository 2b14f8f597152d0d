"""Team totals: a team's rebounds, and the shots that its players add up to."""

from collections.abc import Iterator

from stg.checking.findings import Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.judging import judge_number
from stg.extraction.candidates import SentenceSpans


_FROM = {  # phrases after "from" by kind of shot
    "FG3": (
        *("long range", "three - point range", "three point range", "3 - point range", "three", "deep", "downtown"),
        *("beyond the arc", "behind the arc", "the three - point line", "distance", "long distance"),
    ),
    "FT": ("the free throw line", "the free - throw line", "the charity stripe", "the foul line", "the line"),
    "FG": ("the field", "the floor"),
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


def rebounding_battle(recap: ParsedRecap) -> Iterator[Finding]:
    """ "with the Jazz winning that battle , 43 - 34": on the boards."""
    for start, end in recap.find("winning that battle ,", "won that battle ,", "winning the battle ,"):
        sentence, team = recap.sentence_at(start), recap.team_at(start)
        is_rebounding = any(word.startswith("rebound") for word in recap.words[sentence.start : start])
        if team is None or not is_rebounding:
            continue
        for score in dashed_pairs(recap, sentence):
            if score[0].start == end:
                for number, owner in zip(score, (team, 1 - team), strict=True):
                    yield from judge_number(recap, number, owner, "TEAM-REB")


def _is_about_a_team(recap: ParsedRecap, sentence: SentenceSpans) -> bool:
    words = set(recap.words[sentence.start : sentence.end])
    return bool(sentence.entities) and all(span.is_team for span in sentence.entities) and not words & _NOT_WHOLE_TEAM


def _shot(recap: ParsedRecap, position: int) -> str | None:
    """The kind of shot that "from long range" and the like mean."""
    if recap.word(position) != "from":
        return None
    after = " ".join([*recap.words[position + 1 : position + 6], ""])
    return next(
        (shot for shot, phrases in _FROM.items() for phrase in phrases if after.startswith(f"{phrase} ")), None
    )
