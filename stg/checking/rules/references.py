"""Players whom a number belongs to although another name is nearer: "the latter", "matched James 's 30 points"."""

from collections.abc import Iterator
from itertools import pairwise

from modeling_stg.schema import COLUMN_OF_NOUN, number_attribute
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import EntitySpan, NumberSpan, SentenceSpans
from stg.extraction.roles import number_groups


_PARTS = frozenset("quarter half period final overtime".split())
_PAIR = ("former", "latter")


def subject_instead(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> int | None:
    """The player whom the numbers after a name are about, if the name is only compared with; else None."""
    if not recap.is_compared(span):
        return None
    before = [other.index for other in sentence.entities if not other.is_team and other.start < span.start]
    player = before[-1] if before else recap.previous_player(sentence.start)
    return player if player is not None and player != span.index else None


def respectively(recap: ParsedRecap, sentence: SentenceSpans) -> Iterator[tuple[NumberSpan, int, str]]:
    """ "Walker and Batum scored 22 and 18 points , respectively": a number for each of as many players, in order."""
    words = recap.words[sentence.start : sentence.end]
    if "respectively" not in words or _PARTS.intersection(words):
        return
    end = sentence.start + words.index("respectively")
    numbers = [number for number in sentence.numbers if number.start < end]
    spans = [span for span in sentence.entities if not span.is_team and span.start < end]
    listed = _last_list(recap, numbers)
    players = [span.index for span in spans if listed and span.start < listed[0].start][-len(listed) :]
    noun = recap.word(listed[-1].end) if listed else ""
    attribute = number_attribute(COLUMN_OF_NOUN.get(noun, "PTS"), is_team=False)
    is_points = noun in COLUMN_OF_NOUN or noun in (",", "respectively")
    if attribute is not None and len(listed) > 1 and len(set(players)) == len(listed) == len(spans) and is_points:
        yield from (
            (number, player, attribute) for number, player in zip(listed, players, strict=True) if player is not None
        )


def _last_list(recap: ParsedRecap, numbers: list[NumberSpan]) -> list[NumberSpan]:
    """The numbers of a list at the end: "22 , 21 and 18"."""
    listed = numbers[-1:]
    for number in reversed(numbers[:-1]):
        if not {",", "and"}.issuperset(recap.words[number.end : listed[0].start]):
            break
        listed.insert(0, number)
    return listed


def former_and_latter(recap: ParsedRecap, sentence: SentenceSpans) -> Iterator[tuple[NumberSpan, int, str]]:
    """Numbers after "the former" and "the latter", with the player and the attribute that they are of."""
    places = [at for at in range(sentence.start, sentence.end) if recap.word(at) in _PAIR]
    for place, end in pairwise([*places, sentence.end]):
        pair = _pair(recap, sentence, place)
        if pair is None or recap.word(place - 1) != "the":
            continue
        player = pair[_PAIR.index(recap.words[place])]
        numbers = [number for number in sentence.numbers if place < number.start < end]
        if any(place < span.start < end and not span.is_team for span in sentence.entities):
            continue
        for group in number_groups(recap.words, place, end, numbers):
            for number, column in zip(group.numbers, group.roles[0].columns, strict=True):
                attribute = number_attribute(column, is_team=False)
                if attribute is not None and not group.elliptic:
                    yield number, player, attribute


def _pair(recap: ParsedRecap, sentence: SentenceSpans, position: int) -> tuple[int, int] | None:
    """The two players that were named last before a position, in their order."""
    index = recap.sentence_index(sentence.start)
    for near in (sentence, *recap.sentences[max(0, index - 1) : index]):
        named = [span.index for span in near.entities if not span.is_team and span.start < position]
        players = list(dict.fromkeys(player for player in named if player is not None))
        if len(players) == 2 and None not in named:
            return players[0], players[1]
        if named:
            return None
    return None
