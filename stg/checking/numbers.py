"""Every number of a recap: which cell it claims to be, and whether it is.

The extractor says of whom a number is told and what it counts, without ever looking at the values. What it leaves
unread is read by the words around a number ("He added eight rebounds"), or cannot be decided by the box score.
"""

import re
from collections.abc import Iterator

from modeling_stg.nba import LEAST_TOTAL
from modeling_stg.numbers import read_number
from modeling_stg.schema import ATTEMPTS, attribute_of_type, number_attribute
from stg.checking.counts import outdoing
from stg.checking.findings import FALSE, TRUE, UNKNOWN, Finding, judged
from stg.checking.reading import Reading
from stg.extraction.annotation import annotate
from stg.extraction.candidates import NumberSpan, SentenceSpans
from stg.extraction.relations import Relation
from stg.extraction.roles import NumberGroup as Statement
from stg.extraction.roles import number_groups as statements


_PAIRS = frozenset("pair couple".split())
_NOUNS = {"steals": "STL", "blocks": "BLK", "rebounds": "REB", "boards": "REB", "assists": "AST", "turnovers": "TO"}
_ROUNDED = frozenset(["MIN", "FG_PCT", "FG3_PCT", "FT_PCT"])  # writers round up or down
_AFTER = frozenset(
    "quarter half halftime intermission period overtime mark plateau plus shy lead deficit stretch prior ago "
    "previously home road per between away".split()
)
_BEFORE = frozenset(
    "least than within reach reached reaching surpassed down trailing trailed off previous over under not n't home "
    "road another first former latter teamed combined sub final missed average averages averaging averaged".split()
)
_OUTDID = frozenset("outscored outscoring outrebounded outrebounding outshot".split())
_EACH = frozenset("each apiece piece".split())
_RECORD = ("TEAM-WINS", "TEAM-LOSSES")  # of which "( 33 - 34 )" is said, whatever team stands before it
_HE, _THEY = frozenset("he his him".split()), frozenset("they their them".split())
_SHOTS = re.compile(r"3-?(pt|point|pointer|ball)s?|[0-9]+(st|nd|rd|th)", re.IGNORECASE)
_ONES = ("one", "a", "an")  # a number only where it counts something


def number_findings(reading: Reading) -> Iterator[Finding]:
    yield from _of_the_other_team(reading)
    fitting = _fitting(reading)
    for sentence in reading.sentences:
        yield from _pairs(reading, sentence)
        unread = []
        compared = _compared(reading, sentence)
        for number in sentence.numbers:
            told = reading.told.get(number.start)
            if number.start in compared:
                yield compared[number.start]
            elif told:
                yield _verdict(reading, number, told)
            else:
                unread.append(number)
        by_words = {
            number.start: finding
            for statement in statements(reading.tokens, sentence.start, sentence.end, unread)
            for number, finding in _by_words(reading, sentence, statement)
        }
        for number in unread:
            if number.start in by_words:
                yield by_words[number.start]
            elif number.start in fitting:
                yield fitting[number.start]
            elif number.text.lower() not in _ONES:
                yield Finding(number.start, number.end, "number", UNKNOWN, f"{number.text}: counts no cell")
    yield from _unread(reading)


def _unread(reading: Reading) -> Iterator[Finding]:
    """Digits in forms that nothing here reads: "27.5", "1,000", "27pts"; not those of names and shots."""
    named = {place for each in reading.sentences for span in each.entities for place in range(span.start, span.end)}
    for place, token in enumerate(reading.tokens):
        is_read = read_number([token], 0) is not None or place in named or _SHOTS.fullmatch(token)
        if any(letter.isdigit() for letter in token) and not is_read:
            yield Finding(place, place + 1, "number", UNKNOWN, f"{token}: is not read")


def _fitting(reading: Reading) -> dict[int, Finding]:
    """Numbers that the annotation finds to state a cell: by the words around them, of the nearest whom they fit."""
    found = {}
    for mention in annotate(reading.tokens, reading.game, list(reading.relations), reading.names):
        if mention.form != "text":
            start, fact = mention.position, mention.fact
            claim = f"{reading.name(fact.entity)}: {reading.tokens[start]} {fact.attribute}"
            cell = (fact.entity, fact.attribute)
            found[start] = judged("number", start, start + mention.length, True, claim, None, cell)
    return found


def _verdict(reading: Reading, number: NumberSpan, told: list[Relation]) -> Finding:
    """Of those whom a number is told of together, one must bear it out, and with "each" or "apiece" all."""
    sentence = reading.sentence(number.start)
    all_of_them = _EACH.intersection(reading.words[sentence.start : sentence.end])
    best = next((relation for relation in told if relation.supported != bool(all_of_them)), told[0])
    attribute = attribute_of_type(best.type)
    finding = _finding(reading, number, best.fact.entity, attribute, best.entity)
    if finding.verdict != FALSE:
        return finding
    for entity, column in _alternatives(reading, number, best.fact.entity, attribute, best.entity):
        other = _finding(reading, number, entity, column, best.entity)
        if other.verdict == TRUE:
            return other
    return finding


def _alternatives(
    reading: Reading, number: NumberSpan, entity: int, attribute: str, name: str
) -> Iterator[tuple[int, str]]:
    """Whom else or what else a number may be said of: others of the same last name, attempts after "of"."""
    if entity > 1 and " " not in name:
        same = [
            index for index, other in enumerate(reading.game.entities) if index > 1 and other.name.endswith(f" {name}")
        ]
        yield from ((index, attribute) for index in same if index != entity)
    if reading.word(number.start - 1) == "of" and attribute in ATTEMPTS:
        yield entity, ATTEMPTS[attribute]


def _of_the_other_team(reading: Reading) -> Iterator[Finding]:
    """ "while the Raptors shot 38 percent from the field and 25 percent from long range": where two or more numbers of
    a team are all the other's, the name is false, and not the numbers; unless the other is named beside it."""
    by_name: dict[int, list[Relation]] = {}
    for relation in reading.relations:
        surest = reading.told[relation.number_start][0] is relation and relation.type not in _RECORD
        if surest and relation.fact.entity in (0, 1) and not relation.supported:
            by_name.setdefault(relation.start, []).append(relation)
    for start, relations in by_name.items():
        other = 1 - relations[0].fact.entity
        if len(relations) > 1 and all(reading.value(other, each.type) == each.number for each in relations):
            if all(span.index != other for span in reading.sentence(start).entities):
                claim = f"{relations[0].entity}: {relations[0].number} {relations[0].type}"
                span = next(span for span in reading.sentence(start).entities if span.start <= start < span.end)
                truth = reading.team_for(span, reading.game.entities[other])
                yield judged("name", span.start, span.end, False, claim, truth)
            for each in relations:
                number = NumberSpan(each.number_start, each.number_end, each.value, each.number)
                yield _finding(reading, number, other, each.type, "")


def _compared(reading: Reading, sentence: SentenceSpans) -> dict[int, Finding]:
    """ "outscored by the Blazers 39 - 28", "16 turnovers to 15 for the Nets": a pair that is both teams' is true in
    this or the other order, whomever it is read of; unless a team is said to have outdone the other, and did not."""
    found = {}
    for first, second in zip(sentence.numbers, sentence.numbers[1:], strict=False):
        between = reading.words[first.end : second.start]
        if between != ["-"] and (between[-1:] != ["to"] or len(between) > 3):
            continue
        told = [relation for number in (first, second) for relation in reading.told.get(number.start, ())[:1]]
        types = {relation.type for relation in told if relation.fact.entity in (0, 1)}
        better = outdoing(reading, sentence, first.start, _OUTDID)
        for attribute in types.difference(_RECORD):
            for team in (0, 1):
                owners = ((first, team), (second, 1 - team))
                if all(reading.value(owner, attribute) == number.value for number, owner in owners):
                    if better is not None and first.value != second.value:
                        owners = ((first, better), (second, 1 - better))
                    found |= {
                        number.start: _finding(reading, number, owner, attribute, "") for number, owner in owners
                    }
    return found


def _finding(reading: Reading, number: NumberSpan, entity: int | None, attribute: str, name: str) -> Finding:
    span = (number.start, number.end, "number")
    if entity is None:
        return Finding(*span, UNKNOWN, f"{name}: {number.value} {attribute}, but is not of this game")
    owner = reading.game.entities[entity]
    claim, value = f"{owner.name}: {number.value} {attribute}", owner.values[attribute]
    if value is None:
        return Finding(*span, UNKNOWN, f"{claim}, but the box score has none", None, entity, attribute)
    is_true = abs(int(value) - number.value) <= (attribute.removeprefix("TEAM-") in _ROUNDED)
    if not is_true and (number.value < LEAST_TOTAL.get(attribute, 0) or _is_partial(reading, number, attribute)):
        return Finding(*span, UNKNOWN, f"{number.text}: counts no cell")
    return judged("number", number.start, number.end, is_true, claim, value, (entity, attribute))


def _is_partial(reading: Reading, number: NumberSpan, attribute: str) -> bool:
    """Whether a part of a total is told, a limit, or another game: "15 points by halftime", "at least 20 points"."""
    if "QTR" in attribute:
        return False
    sentence = reading.sentence(number.start)
    before = reading.words[max(sentence.start, number.start - 4) : number.start]
    if "missed" in reading.words[sentence.start : number.start] and reading.word(number.start - 1) == "by":
        return True
    if reading.word(number.start - 1) == "," == reading.word(number.end):
        return True  # an age: "Antetokounmpo , 22 , scored"
    third = [span for span in sentence.entities if span.is_team and span.index is None]
    if any(abs(span.start - number.end) < 12 for span in third) and attribute not in _RECORD:
        return True  # perhaps of the game against them: "scoring 35 in the loss to the Thunder"
    after = reading.words[number.end : min(sentence.end, number.end + 6)]
    stop = next((place for place, word in enumerate(after) if word in (",", "and", "while", ";")), len(after))
    return bool(_BEFORE.intersection(before) or _AFTER.intersection(after[:stop]))


def _pairs(reading: Reading, sentence: SentenceSpans) -> Iterator[Finding]:
    """ "a pair of steals"."""
    for position in range(sentence.start, sentence.end - 2):
        noun = reading.words[position + 2]
        if reading.words[position] in _PAIRS and reading.words[position + 1] == "of" and noun in _NOUNS:
            player = reading.player(position)
            if player is not None:
                number = NumberSpan(position, position + 1, reading.tokens[position], 2)
                yield _finding(reading, number, player, _NOUNS[noun], "")


def _by_words(reading: Reading, sentence: SentenceSpans, statement: Statement) -> Iterator[tuple[NumberSpan, Finding]]:
    """By the likeliest reading of the words, said of the sentence's only subject or of the one before it."""
    first = statement.roles[0]
    if first.compares_teams or statement.elliptic or len({span.index for span in sentence.entities}) > 1:
        return
    words = set(reading.words[sentence.start : statement.start])
    player, team = reading.player(statement.start), reading.team(statement.start)
    subjects = (player if words & _HE else None, team if words & _THEY else None)
    for number, column in zip(statement.numbers, first.columns, strict=True):
        for entity in subjects:
            attribute = None if entity is None else number_attribute(column, entity < 2)
            if attribute is not None:
                yield number, _finding(reading, number, entity, attribute, "")
                break
