"""Numbers of one cell: their entity, what they count, and whether the box score agrees.

The extractor finds the entity and what a number counts, without looking at values. The words around a number decide
what the extractor does not read ("He added eight rebounds"); the rest is unknown.
"""

import re
from collections.abc import Iterator

from modeling_stg.facts import Fact
from modeling_stg.nba import LEAST_TOTAL
from modeling_stg.numbers import read_number
from modeling_stg.schema import (
    ATTEMPTS,
    COLUMN_OF_NOUN,
    NOT_AVAILABLE,
    QUARTERS,
    WEEKDAY_WORDS,
    column_of,
    number_attribute,
)
from stg.checking.findings import FALSE, TRUE, Finding, decide, unknown
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import outdoing_team
from stg.checking.rules.judging import judge_number
from stg.checking.rules.references import former_and_latter, respectively, subject_instead
from stg.checking.rules.subjects import owners_at
from stg.extraction.annotation import annotate
from stg.extraction.candidates import NumberSpan, SentenceSpans
from stg.extraction.relations import Relation
from stg.extraction.roles import NumberGroup, number_groups


_PAIR_WORDS = frozenset("pair couple".split())
_PAIRED = frozenset("steals blocks rebounds boards assists turnovers".split())
_ROUNDED = frozenset(["MIN", "FG_PCT", "FG3_PCT", "FT_PCT"])  # writers round up or down
_PARTIAL_AFTER = frozenset(
    "quarter half halftime intermission period overtime mark plateau plus shy lead deficit stretch prior ago "
    "previously home road per between away".split()
)
_PARTIAL_BEFORE = frozenset(
    "least than within reach reached reaching surpassed down trailing trailed off previous over under not n't home "
    "road another first former latter teamed combined sub final missed average averages averaging averaged below "
    "failed".split()
)
_SOME_REBOUNDS = frozenset("defensive offensive".split())
_OUTDID = frozenset("outscored outscoring outrebounded outrebounding outshot".split())
_EACH = frozenset("each apiece piece".split())
_RECORD = ("TEAM-WINS", "TEAM-LOSSES")  # "( 33 - 34 )" belongs to the team before it, whatever the values
_HE, _THEY = frozenset("he his him".split()), frozenset("they their them".split())
_NOT_NUMBERS = re.compile(r"3-?(pt|point|pointer|ball)s?|[0-9]+(st|nd|rd|th)", re.IGNORECASE)
_SEVERAL_GAMES = re.compile(
    r"\b(?:in|over|through|across|during) (?:his|the|their|its) (?:last|past|previous|first|final) (?:\S+ )?"
    r"(?:games|contests|outings|matchups|starts|meetings|two|three|four|five|six)\b|\bto start the season\b|"
    r"\b(?:playoff averages|averages of|game (?:one|two|three|four|five|six|seven|[1-7])|the previous game|"
    r"straight and unanswered|rest of the game|before leaving)\b"
)
_PERIOD = re.compile(r"\b(?:first|second|third|fourth|opening|final) (?:quarter|half|period|frame)\b")
_ALLOWED = frozenset("allowed allowing allow surrendered surrendering conceded".split())
_PLACES = frozenset("home road trip arena center garden coliseum outside away started when without since".split())
_LATE = frozenset("key clutch late seconds remaining tying go".split())
_PLAYED = re.compile(r"\bplayed(?: just| only| about| over)?$")
_TRIPLES = frozenset("triples treys trifectas".split())
_OWN_COLUMNS = frozenset("PTS REB AST STL BLK TO".split())
_ONES = ("one", "a", "an")  # numbers only before a noun that they count


def other_teams_numbers(recap: ParsedRecap) -> Iterator[Finding]:
    """ "while the Raptors shot 38 percent from the field and 25 percent from long range", if all are the opponent's.

    Where two or more numbers of a team are all the other's, the name is false, not the numbers, unless the other team
    is named in the sentence too.
    """
    by_name: dict[int, list[Relation]] = {}
    for relation in recap.relations:
        is_surest = recap.relations_at[relation.number_start][0] is relation
        is_teams = relation.fact.entity in (0, 1) and relation.fact.attribute not in _RECORD
        if is_surest and is_teams and not relation.supported:
            by_name.setdefault(relation.start, []).append(relation)
    for start, relations in by_name.items():
        other = 1 if relations[0].fact.entity == 0 else 0
        if len(relations) < 2 or any(
            recap.facts.number(other, relation.fact.attribute) != relation.number for relation in relations
        ):
            continue
        entities = recap.sentence_at(start).entities
        if all(span.index != other for span in entities):
            first = relations[0]
            claim = f"{first.entity}: {first.number} {first.fact.attribute}"
            span = next(span for span in entities if span.start <= start < span.end)
            truth = recap.team_in_place_of(span, *recap.team_names(other))
            yield decide("name", span.start, span.end, False, claim, truth, recap.facts.get(other, "TEAM-NAME"))
        for relation in relations:
            number = NumberSpan(relation.number_start, relation.number_end, relation.value, relation.number)
            yield _judge(recap, number, other, relation.fact.attribute)


def pairs(recap: ParsedRecap) -> Iterator[Finding]:
    """ "a pair of steals"."""
    for sentence in recap.sentences:
        for position in range(sentence.start, sentence.end - 2):
            word, of, noun = recap.words[position : position + 3]
            if word in _PAIR_WORDS and of == "of" and noun in _PAIRED:
                player = recap.player_at(position)
                if player is not None:
                    number = NumberSpan(position, position + 1, recap.tokens[position], 2)
                    yield _judge(recap, number, player, COLUMN_OF_NOUN[noun])


def numbers(recap: ParsedRecap) -> Iterator[Finding]:
    """Every number, by the first of these that reads it: comparison, extractor, words, annotation."""
    annotated = _annotated(recap)
    for sentence in recap.sentences:
        compared = _compared(recap, sentence)
        for number, player, attribute in (*former_and_latter(recap, sentence), *respectively(recap, sentence)):
            for finding in judge_number(recap, number, player, attribute):
                compared[finding.start] = finding
        unread = []
        for number in sentence.numbers:
            if number.start in compared:
                yield compared[number.start]
            elif number.start in recap.relations_at:
                yield _extracted(recap, number, recap.relations_at[number.start])
            else:
                unread.append(number)
        by_words = {
            number.start: finding
            for group in number_groups(recap.words, sentence.start, sentence.end, unread)
            for number, finding in _by_words(recap, sentence, group)
        }
        for number in unread:
            if number.start in by_words:
                yield by_words[number.start]
            elif number.start in annotated:
                yield annotated[number.start]
            elif number.text.lower() not in _ONES:
                yield _unknown(number, f"{number.text}: no fact counts this")


def unreadable_numbers(recap: ParsedRecap) -> Iterator[Finding]:
    """Digits in unsupported forms, "27.5", "1,000", "27pts", except in names and kinds of shots."""
    named = {at for sentence in recap.sentences for span in sentence.entities for at in range(span.start, span.end)}
    for position, token in enumerate(recap.tokens):
        is_read = read_number([token], 0) is not None or position in named or _NOT_NUMBERS.fullmatch(token)
        if any(letter.isdigit() for letter in token) and not is_read:
            yield unknown(position, position + 1, f"{token}: cannot be read as a number")


def _judge(recap: ParsedRecap, number: NumberSpan, entity: int, attribute: str) -> Finding:
    """Compares a number with the cell it claims to be."""
    claim = f"{recap.name(entity)}: {number.value} {attribute}"
    fact = recap.facts.get(entity, attribute)
    if fact is None:
        empty = Fact(entity, attribute, NOT_AVAILABLE)
        return _unknown(number, f"{claim}, but the box score has no value", empty)
    is_true = abs(fact.number - number.value) <= (column_of(attribute) in _ROUNDED)
    if not is_true and (number.value < LEAST_TOTAL.get(attribute, 0) or _is_partial(recap, number, attribute)):
        return _unknown(number, f"{number.text}: no fact counts this")
    return decide("number", number.start, number.end, is_true, claim, fact.value, fact)


def _unknown(number: NumberSpan, claim: str, fact: Fact | None = None) -> Finding:
    return unknown(number.start, number.end, claim, fact=fact)


def _is_partial(recap: ParsedRecap, number: NumberSpan, attribute: str) -> bool:
    """Whether a number is part of a total, a limit, or another game's: "15 points by halftime", "at least 20"."""
    if attribute in QUARTERS:
        return recap.word(number.end) == "of"  # "missed 20 of 23 shots in the first quarter"
    sentence = recap.sentence_at(number.start)
    before = recap.words[max(sentence.start, number.start - 4) : number.start]
    if "missed" in recap.words[sentence.start : number.start] and recap.word(number.start - 1) == "by":
        return True
    if recap.word(number.start - 1) == "," == recap.word(number.end):
        return True  # an age: "Antetokounmpo , 22 , scored"
    if attribute in _RECORD and "series" in recap.words[sentence.start : sentence.end]:
        return True  # wins over one opponent
    after = recap.words[number.end : min(sentence.end, number.end + 5)]
    own_day = WEEKDAY_WORDS[recap.game.date.weekday()]
    if any(word in WEEKDAY_WORDS and word != own_day for word in after) and attribute not in _RECORD:
        return True  # "after a 107 - 77 loss on Friday"
    if attribute.endswith("_PCT") and _PERIOD.search(recap.phrase(number.end, min(sentence.end, number.end + 16))):
        return True
    if _SEVERAL_GAMES.search(recap.phrase(sentence.start, sentence.end)):
        return True
    near = recap.words[max(sentence.start, number.start - 8) : number.end + 8]
    if (
        attribute in _RECORD
        and recap.word(number.start - 1) != "("
        and _PLACES.intersection(near)
        and not (recap.word(number.end) == ")")
    ):
        return True  # "improving its record at the Oracle Arena to 33 - 2"
    if attribute in ("FTM", "FTA") and _LATE.intersection(recap.words[number.start - 2 : number.end + 8]):
        return True  # "hit two clutch free throws"
    if attribute == "TEAM-REB" and _SOME_REBOUNDS.intersection(recap.words[sentence.start : number.start]):
        return True
    third_teams = [span for span in sentence.entities if span.is_team and span.index is None]
    if any(abs(span.start - number.end) < 12 for span in third_teams) and attribute not in _RECORD:
        return True  # may be of the game against them: "scoring 35 in the loss to the Thunder"
    after = recap.words[number.end : min(sentence.end, number.end + 6)]
    stop = next((at for at, word in enumerate(after) if word in (",", "and", "while", ";")), len(after))
    return bool(_PARTIAL_BEFORE.intersection(before) or _PARTIAL_AFTER.intersection(after[:stop]))


def _extracted(recap: ParsedRecap, number: NumberSpan, relations: list[Relation]) -> Finding:
    """Judges by the extractor. One of several owners must have the number; with "each" or "apiece" all of them."""
    sentence = recap.sentence_at(number.start)
    is_each = bool(_EACH.intersection(recap.words[sentence.start : sentence.end]))
    best = next((relation for relation in relations if relation.supported != is_each), relations[0])
    entity, attribute = best.fact.entity, best.fact.attribute
    if entity is None:
        return _unknown(number, f"{best.entity}: {number.value} {attribute}, but is not in this game")
    noun = recap.word(number.end)
    before = recap.phrase(max(sentence.start, number.start - 3), number.start)
    if entity > 1 and _PLAYED.search(before) and noun in (",", ".", "and"):
        attribute = "MIN"  # "was the only one over 29 minutes, as Nowitzki played just 23"
    if (
        attribute == "TEAM-FG_PCT"
        and before.split()[-1:] == ["and"]
        and re.match(
            r"percent (?:\S+ ){0,5}?from the field and (?:three|beyond|long|deep|behind)",
            recap.phrase(number.end, number.end + 12),
        )
    ):
        attribute = "TEAM-FG3_PCT"  # "46 and 44 percent success rates from the field and three - point range"
    is_allowed = _ALLOWED.intersection(recap.words[max(sentence.start, number.start - 5) : number.start])
    if attribute == "TEAM-PTS" and (is_allowed or recap.phrase(number.end, number.end + 2) == "points allowed"):
        entity = 1 - entity
    if noun in _TRIPLES and not attribute.removeprefix("TEAM-").startswith("FG3"):
        attribute = number_attribute("FG3M", is_team=entity < 2) or attribute  # the extractor does not know "triples"
    finding = _judge(recap, number, entity, attribute)
    if finding.verdict == FALSE:
        for other_entity, other_attribute in _alternatives(recap, number, entity, attribute, best.entity):
            other = _judge(recap, number, other_entity, other_attribute)
            if other.verdict == TRUE:
                return other
        span = next((span for span in sentence.entities if span.start <= best.start < span.end), None)
        player = None if span is None or span.start > number.start else subject_instead(recap, sentence, span)
        if player is not None:
            return _judge(recap, number, player, attribute)
    return finding


def _alternatives(
    recap: ParsedRecap, number: NumberSpan, entity: int, attribute: str, name: str
) -> Iterator[tuple[int, str]]:
    """Other readings of a number: players of the same last name, attempts after "of"."""
    if entity > 1 and " " not in name:
        for index, player in enumerate(recap.game.players, 2):
            if index != entity and player.name.endswith(f" {name}"):
                yield index, attribute
    if recap.word(number.start - 1) == "of" and attribute in ATTEMPTS:
        yield entity, ATTEMPTS[attribute]


def _compared(recap: ParsedRecap, sentence: SentenceSpans) -> dict[int, Finding]:
    """ "outscored by the Blazers 39 - 28", "16 turnovers to 15 for the Nets".

    A pair of both teams' numbers is true in either order, unless the text wrongly claims that one outdid the other.
    """
    findings: dict[int, Finding] = {}
    for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
        between = recap.words[first.end : second.start]
        if between != ["-"] and (between[-1:] != ["to"] or len(between) > 3):
            continue
        surest = [relation for number in (first, second) for relation in recap.relations_at.get(number.start, [])[:1]]
        attributes = {relation.fact.attribute for relation in surest if relation.fact.entity in (0, 1)}
        better = outdoing_team(recap, sentence, first.start, _OUTDID)
        for attribute in attributes.difference(_RECORD):
            for team in (0, 1):
                owners = ((first, team), (second, 1 - team))
                if all(recap.facts.number(owner, attribute) == number.value for number, owner in owners):
                    if better is not None and first.value != second.value:
                        owners = ((first, better), (second, 1 - better))
                    findings |= {number.start: _judge(recap, number, owner, attribute) for number, owner in owners}
    return findings


def _by_words(recap: ParsedRecap, sentence: SentenceSpans, group: NumberGroup) -> Iterator[tuple[NumberSpan, Finding]]:
    """Judges by the likeliest role, if "he" or "they" is the subject and the sentence names at most one entity."""
    role = group.roles[0]
    if role.compares_teams or group.elliptic or len({span.index for span in sentence.entities}) > 1:
        return
    words = set(recap.words[sentence.start : group.start])
    player, team = recap.player_at(group.start), recap.team_at(group.start)
    owners = owners_at(recap, sentence, group.start).entities
    is_player = len(owners) == 1 and owners[0] > 1 and recap.game.entities[owners[0]].did_play
    is_named = (
        is_player and not words & _THEY and _OWN_COLUMNS.issuperset(role.columns) and not _is_shared(recap, group)
    )
    subjects = (
        player if words & _HE else owners[0] if is_named else None,
        team if words & _THEY else None,
    )
    for number, column in zip(group.numbers, role.columns, strict=True):
        for entity in subjects:
            attribute = None if entity is None else number_attribute(column, is_team=entity < 2)
            if entity is not None and attribute is not None:
                yield number, _judge(recap, number, entity, attribute)
                break


def _is_shared(recap: ParsedRecap, group: NumberGroup) -> bool:
    """Whether a number is of both sides, or of another game: "tied at 113 points apiece", "the previous game"."""
    words = recap.words[group.end : group.end + 5]
    return bool({"apiece", "piece", "previous", "last", "flagrant"}.intersection(words))


def _annotated(recap: ParsedRecap) -> dict[int, Finding]:
    """Numbers that the annotation explains by a cell of that value."""
    findings = {}
    for mention in annotate(recap.tokens, recap.game, list(recap.relations), recap.names):
        start, fact = mention.position, mention.fact
        if mention.form != "text" and fact.entity is not None:
            claim = f"{recap.name(fact.entity)}: {recap.tokens[start]} {fact.attribute}"
            findings[start] = decide("number", start, start + mention.length, True, claim, fact=fact)
    return findings
