"""What a team's players add up to: "the Celtics went 11 - of - 32 from long range"."""

from collections.abc import Iterator

from stg.checking.findings import Finding, judged
from stg.checking.outlook import is_outlook
from stg.checking.reading import Reading
from stg.extraction.candidates import SentenceSpans


_FROM = {
    "FG3": (
        *("long range", "three - point range", "three point range", "3 - point range", "three", "deep", "downtown"),
        *("beyond the arc", "behind the arc", "the three - point line", "distance", "long distance"),
    ),
    "FT": ("the free throw line", "the free - throw line", "the charity stripe", "the foul line", "the line"),
    "FG": ("the field", "the floor"),
}
# words by which a sentence is about some of the players, or a part of the game
_OTHERWISE = frozenset(
    "he his him combined pair duo trio two three four starters starter starting bench reserves reserve players player "
    "man center guard guards forward forwards backcourt frontcourt rookie quarter half period minutes stretch".split()
)


def team_shot_findings(reading: Reading) -> Iterator[Finding]:
    """In sentences that name a team and no player, where the box score is whole: its players' points add up."""
    if not all(_sum(reading, team, "PTS") == reading.value(team, "TEAM-PTS") > 0 for team in (0, 1)):
        return
    for number, sentence in enumerate(reading.sentences):
        if is_outlook(reading, number) or reading.is_elsewhere(sentence.start) or not _is_of_a_team(reading, sentence):
            continue
        for made, tried in zip(sentence.numbers, sentence.numbers[1:], strict=False):
            shots, team = _shots(reading, tried.end), reading.team(made.start)
            if reading.words[made.end : tried.start] not in (["-", "of", "-"], ["of"]) or None in (shots, team):
                continue
            columns = f"{shots}M", f"{shots}A"
            told, *totals = (made.value, tried.value), *([_sum(reading, each, c) for c in columns] for each in (0, 1))
            if list(told) == totals[1 - team]:
                continue  # the other team may be meant
            for span, column, total in zip((made, tried), columns, totals[team], strict=True):
                claim = f"{reading.name(team)}: {span.value} {column} of all players"
                yield judged("number", span.start, span.end, span.value == total, claim, str(total))


def _is_of_a_team(reading: Reading, sentence: SentenceSpans) -> bool:
    words = set(reading.words[sentence.start : sentence.end])
    return bool(sentence.entities) and all(span.is_team for span in sentence.entities) and not words & _OTHERWISE


def _shots(reading: Reading, place: int) -> str | None:
    """Which shots "from long range" and the like mean."""
    if reading.word(place) != "from":
        return None
    after = " ".join([*reading.words[place + 1 : place + 6], ""])
    return next((shots for shots, ways in _FROM.items() for way in ways if after.startswith(f"{way} ")), None)


def _sum(reading: Reading, team: int, column: str) -> int:
    players = [index for index, each in enumerate(reading.game.entities) if index > 1 and each.did_play]
    return sum(reading.value(index, column) for index in players if reading.game.team_of(index) == team)
