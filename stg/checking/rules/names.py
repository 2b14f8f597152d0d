"""Wrong names of players and teams."""

from collections.abc import Iterator

from modeling_stg.nba import CITY_FORMS
from stg.checking.findings import Finding, decide
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules.comparisons import dashed_pairs
from stg.checking.rules.periods import scopes_at
from stg.checking.rules.subjects import owners_at
from stg.extraction.candidates import EntitySpan, SentenceSpans
from stg.extraction.claims import claimed_leaders, team_against_itself


_DONE_TO = frozenset(  # verbs that a team does to its opponent
    "outscored outscoring outscore outrebounded outrebounding outshot outshooting held holding limited limiting "
    "forced forcing force defeated topped routed".split()
)
_DONE_OUT = frozenset("score scored scoring rebounded rebounding".split())  # after "out -"


def absent_players(recap: ParsedRecap) -> Iterator[Finding]:
    """Players who are given numbers but did not play."""
    absent = {
        relation.start
        for relation in recap.relations
        if relation.fact.entity is None or not recap.game.entities[relation.fact.entity].did_play
    }
    for index, sentence in enumerate(recap.sentences):
        for span in sentence.entities if not recap.looks_ahead(index) else ():
            if not span.is_team and span.start in absent:
                yield decide("name", span.start, span.end, False, f"{span.text}: did not play in this game")


def opponents(recap: ParsedRecap) -> Iterator[Finding]:
    """A third team in the first sentence, unless it names both teams of the game, or the same team twice."""
    teams = [span for span in recap.sentences[0].entities if span.is_team] if recap.sentences else []
    own = {span.index for span in teams if span.index is not None}
    cities = {
        form
        for team in recap.game.entities[:2]
        for form in (team.text("TEAM-CITY"), *CITY_FORMS.get(team.text("TEAM-CITY"), ()))
    }
    for order, span in enumerate(teams):
        if not _is_opponent(recap, span.start):
            continue
        is_third = span.index is None and span.text not in cities and len(own) < 2
        is_repeated = order == 1 and span.index is not None and span.index == teams[0].index
        if is_third or is_repeated:
            named = span.index if span.index is not None else min(own, default=None)
            truth = None if named is None else recap.team_in_place_of(span, *recap.team_names(1 - named))
            fact = None if named is None else recap.facts.get(1 - named, "TEAM-NAME")
            yield decide("name", span.start, span.end, False, f"{span.text}: the opponent", truth, fact)


def leaders_team(recap: ParsedRecap) -> Iterator[Finding]:
    """The team that a player led, according to the text."""
    for sentence in recap.sentences:
        for player, team in claimed_leaders(recap.tokens, (sentence.start, sentence.end), list(sentence.entities)):
            assert player.index is not None  # claimed leaders are players of this game
            own = recap.game.team_of(player.index)
            claim = f"{recap.name(player.index)}: plays for {team.text}"
            truth = recap.team_in_place_of(team, *recap.team_names(own))
            fact = recap.facts.get(player.index, "TEAM_NAME")
            yield decide("name", team.start, team.end, own == team.index, claim, truth, fact)


def own_opponent(recap: ParsedRecap) -> Iterator[Finding]:
    """A team that plays against itself, according to the text."""
    for sentence in recap.sentences:
        span = team_against_itself(recap.tokens, (sentence.start, sentence.end), list(sentence.entities))
        if span is not None and span.index is not None:
            truth = recap.team_in_place_of(span, *recap.team_names(1 - span.index))
            fact = recap.facts.get(1 - span.index, "TEAM-NAME")
            yield decide("name", span.start, span.end, False, f"{span.text}: plays against itself", truth, fact)


def outdoes_itself(recap: ParsedRecap) -> Iterator[Finding]:
    """ "San Antonio outscored the Spurs 31 - 23 in the third": one name is wrong, the one that the score refutes.

    Likewise "they held the Spurs to 40 percent", where "they" are the Spurs.
    """
    for index, sentence in enumerate(recap.sentences):
        teams = [span for span in sentence.entities if span.is_team and span.index is not None]
        for span in teams if not recap.looks_ahead(index) else ():
            verb = _verb_before(recap, sentence, span)
            if verb is None or span.index is None:
                continue
            subjects = [other for other in teams if other.end <= verb]
            owners = owners_at(recap, sentence, verb).entities
            if not subjects or subjects[-1].index != span.index or owners != (span.index,):
                continue
            wrong = subjects[-1] if _leads(recap, sentence, span) is False else span
            claim = f"{recap.name(span.index)}: plays against itself"
            truth = recap.team_in_place_of(wrong, *recap.team_names(1 - span.index))
            fact = recap.facts.get(1 - span.index, "TEAM-NAME")
            yield decide("name", wrong.start, wrong.end, False, claim, truth, fact)


def _verb_before(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> int | None:
    """Where the verb begins whose object a team is: "outscored the", "able to force the"; None if there is none."""
    at = span.start - 1
    while recap.word(at) in ("the", "host", "visiting"):
        at -= 1
    if recap.word(at) in _DONE_TO:
        return at
    is_split = recap.word(at) in _DONE_OUT and recap.phrase(at - 2, at) == "out -"
    return at - 2 if is_split and at - 2 > sentence.start else None


def _leads(recap: ParsedRecap, sentence: SentenceSpans, span: EntitySpan) -> bool | None:
    """Whether a team won the period whose score follows; None if no score does."""
    for first, second in dashed_pairs(recap, sentence):
        if 0 <= first.start - span.end <= 7 and span.index is not None:
            for scope in scopes_at(recap, sentence, first.start, second.end):
                own, other = (recap.facts.number(team, scope.attribute) for team in (span.index, 1 - span.index))
                if own is not None and other is not None and own != other:
                    return own > other
    return None


def _is_opponent(recap: ParsedRecap, start: int) -> bool:
    """Whether a team is named as the other's opponent: "defeated the Hawks", "over the host Hawks"."""
    before = [word for word in recap.words[max(0, start - 4) : start] if word not in ("the", "visiting", "host")]
    return bool(before) and before[-1] not in (",", "(", ")", "at", "in", "'s", "former")
