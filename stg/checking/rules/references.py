"""Players whom a number belongs to although another name is nearer: "the latter", "matched James 's 30 points"."""

from collections.abc import Iterator
from itertools import pairwise

from modeling_stg.schema import number_attribute
from stg.checking.parsed_recap import ParsedRecap
from stg.extraction.candidates import EntitySpan, NumberSpan, SentenceSpans
from stg.extraction.roles import number_groups


_MATCHING = frozenset(
    "matched matching match matches tied tying tie equaled equaling followed replaced replacing versus supported "
    "joined joining complemented complementing backed spelled guarding outplayed outdueled on".split()
)
_MADE_UP = ("made up for", "making up for", "teamed with", "alongside", "in place of", "ahead of", "behind")
_PAIR = ("former", "latter")


def subject_instead(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> int | None:
    """The player whom the numbers after a name are about, if the name is only compared with; else None."""
    if span.is_team or not _is_compared(recap, sentence, span):
        return None
    before = [other.index for other in sentence.entities if not other.is_team and other.start < span.start]
    player = before[-1] if before else recap.previous_player(sentence.start)
    return player if player is not None and player != span.index else None


def _is_compared(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> bool:
    before = recap.phrase(max(sentence.start, span.start - 3), span.start)
    is_after_verb = recap.word(span.start - 1) in _MATCHING - {"on"} and span.start - 1 > sentence.start
    return is_after_verb or before.endswith(_MADE_UP)


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
        for group in number_groups(recap.tokens, place, end, numbers):
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
