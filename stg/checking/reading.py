"""A recap as the rules see it: words, sentences, who is named where, and which numbers say what of whom."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from modeling_stg.game import Entity, Game
from modeling_stg.schema import WEEKDAY_WORDS
from stg.extraction.candidates import EntitySpan, Names, SentenceSpans, sentence_spans
from stg.extraction.relations import Relation


_EARLIER = frozenset("last had previous previously earlier prior".split())


class Reading:
    def __init__(self, tokens: Sequence[str], game: Game, names: Names, relations: Sequence[Relation]):
        self.tokens, self.game, self.names = list(tokens), game, names
        self.words = [token.lower() for token in tokens]
        self.relations = relations
        self.sentences = [_joined(each) for each in sentence_spans(self.tokens, game, names, implicit_one=True)]

    @cached_property
    def told(self) -> dict[int, list[Relation]]:
        """Relations by the position of their number, the surest first."""
        told: dict[int, list[Relation]] = {}
        for relation in sorted(self.relations, key=lambda each: -each.confidence):
            told.setdefault(relation.number_start, []).append(relation)
        return told

    @cached_property
    def _running(self) -> list[tuple[int | None, int | None]]:
        """Before each sentence: the player and the team that were spoken of last."""
        running, player, team = [], None, None
        for sentence in self.sentences:
            running.append((player, team))
            told = [span.index for span in self._subjects(sentence) if span.index is not None]
            players = [index for index in told if index > 1]
            player = players[0] if players else player
            named = [span.index for span in sentence.entities if span.is_team and span.index is not None]
            if named:
                team = named[0]
            elif players:
                team = self.game.team_of(players[0])
        return running

    def _subjects(self, sentence: SentenceSpans) -> list[EntitySpan]:
        """Players of a sentence, those first of whom a number is told."""
        told = {relation.start for relation in self.relations if sentence.start <= relation.start < sentence.end}
        players = [span for span in sentence.entities if not span.is_team]
        return sorted(players, key=lambda span: span.start not in told)

    def number(self, position: int) -> int:
        """The number of the sentence that a position stands in."""
        return next(number for number, sentence in enumerate(self.sentences) if position < sentence.end)

    def sentence(self, position: int) -> SentenceSpans:
        return self.sentences[self.number(position)]

    def word(self, position: int) -> str:
        """The word at a position, "" outside the text."""
        return self.words[position] if 0 <= position < len(self.words) else ""

    def is_elsewhere(self, position: int) -> bool:
        """Whether a sentence tells of another game too: by a third team, another weekday or words such as "last"."""
        sentence = self.sentence(position)
        words = self.words[sentence.start : sentence.end]
        own = WEEKDAY_WORDS[self.game.date.weekday()]
        third = any(span.is_team and span.index is None for span in sentence.entities)
        return third or any(word in _EARLIER or (word in WEEKDAY_WORDS and word != own) for word in words)

    def player(self, position: int) -> int | None:
        """Of whom a word is said: the player named last before it in its sentence, the first one named after it, or
        the one whom the sentences before were about; None for one who did not play in this game."""
        number = self.number(position)
        players = [span for span in self.sentences[number].entities if not span.is_team]
        before = [span for span in players if span.start < position]
        player = (before[-1] if before else players[0]).index if players else self._running[number][0]
        return player if player is not None and self.game.entities[player].did_play else None

    def team(self, position: int) -> int | None:
        """The team spoken of at a position: named last before it in its sentence, or before that."""
        number = self.number(position)
        teams = [span for span in self.sentences[number].entities if span.is_team and span.index is not None]
        before = [span for span in teams if span.start < position]
        return before[-1].index if before else self._running[number][1]

    def before(self, position: int) -> int | None:
        """The player whom the sentences before were about."""
        return self._running[self.number(position)][0]

    def named(self, position: int) -> set[int]:
        """Players whom the text has named up to here."""
        return {
            span.index
            for sentence in self.sentences
            for span in sentence.entities
            if span.index is not None and span.index > 1 and span.start < position
        }

    def phrase(self, start: int, end: int) -> str:
        return " ".join(self.words[start:end])

    def find(self, *phrases: str) -> list[tuple[int, int]]:
        """Where any of the phrases stands, in any case: (start, end), longer phrases first."""
        wanted = sorted((phrase.split() for phrase in phrases), key=len, reverse=True)
        places, position = [], 0
        while position < len(self.words):
            end = next(
                (position + len(each) for each in wanted if self.words[position : position + len(each)] == each),
                None,
            )
            if end is not None:
                places.append((position, end))
            position = end or position + 1
        return places

    def teammates(self, player: int) -> list[int]:
        """Who played on a player's team, himself included."""
        return [
            index
            for index, each in enumerate(self.game.entities)
            if index > 1 and each.did_play and self.game.team_of(index) == self.game.team_of(player)
        ]

    def name(self, entity: int) -> str:
        return self.game.entities[entity].name

    def team_for(self, span: EntitySpan, team: Entity) -> str:
        """A team as it can stand in the place of another: city, name or both."""
        city, name = team.values["TEAM-CITY"], team.values["TEAM-NAME"]
        after_article = self.word(span.start - 1) in ("the", "host", "visiting")
        if not after_article:
            return city
        return f"{city} {name}" if span.end - span.start > 1 else name

    def value(self, entity: int, attribute: str) -> int:
        """A cell as a number; 0 where there is none."""
        return int(self.game.entities[entity].values[attribute] or 0)

    def points(self, player: int) -> int:
        return self.value(player, "PTS")

    def has(self, attribute: str) -> bool:
        """Whether both teams' cells are there."""
        return all(team.values[attribute] is not None for team in self.game.entities[:2])

    def has_won(self, team: int) -> bool:
        return self.value(team, "TEAM-PTS") > self.value(1 - team, "TEAM-PTS")

    @cached_property
    def has_positions(self) -> bool:
        """Whether the box score says who started."""
        return any(player.values["START_POSITION"] is not None for player in self.game.players)

    def is_starter(self, player: int) -> bool:
        return self.game.entities[player].values["START_POSITION"] is not None


def _joined(sentence: SentenceSpans) -> SentenceSpans:
    """ "Portland" and "Trail Blazers", which the extractor keeps apart, are one name here."""
    spans: list[EntitySpan] = []
    for span in sentence.entities:
        last = spans[-1] if spans else None
        if last and span.is_team and last.is_team and last.end == span.start:
            index = span.index if last.index in (None, span.index) else last.index
            spans[-1] = replace(last, end=span.end, text=f"{last.text} {span.text}", index=index)
        else:
            spans.append(span)
    return replace(sentence, entities=tuple(spans))
