"""Which (entity, number) pairs a summary might relate: every entity span with every number of its sentence.

Entities are found by longest match over the game's own names and over the names of the training games, since
summaries speak of other teams and of absent players too: a number said of those can never be borne out. As in the
field's extractor, a city before a name of two words is an entity of its own ("Portland" and "Trail Blazers"),
pronouns are skipped, and a relation is never sought across sentences.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .game_stg import PLAYER_NUMBERS, TEAM_NUMBERS, Game
from .numbers_stg import read_number
from .text_stg import sentences


NONE = "NONE"
TYPES = (NONE, *TEAM_NUMBERS, *(f"PLAYER-{attribute}" for attribute in PLAYER_NUMBERS))
SHORT_FORMS = {
    "76ers": ("Sixers",),
    "Cavaliers": ("Cavs",),
    "Clippers": ("Clips",),
    "Grizzlies": ("Grizz",),
    "Mavericks": ("Mavs",),
    "Pelicans": ("Pels",),
    "Raptors": ("Raps",),
    "Timberwolves": ("Wolves", "T-Wolves"),
    "Trail Blazers": ("Blazers", "Trailblazers"),
    "Warriors": ("Dubs",),
}
SAME_CITIES = {"LA": ("Los Angeles", "L.A."), "Los Angeles": ("LA", "L.A."), "Oklahoma City": ("OKC",)}
_SUFFIXES = ("Jr.", "Jr", "Sr.", "Sr", "II", "III", "IV")
_LONGEST = 6
_SHOT_WORDS = ("point", "pointer", "pointers", "pt", "pter", "pters", "ball", "balls")
_COUNTED = ("assist", "block", "rebound", "steal", "turnover")


@dataclass(frozen=True)
class EntitySpan:
    """`text` is `tokens[start:end]` as written; `index` is the position in `game.entities`, None when not of this game."""

    start: int
    end: int
    text: str
    is_team: bool
    index: int | None


@dataclass(frozen=True)
class NumberSpan:
    start: int
    end: int
    text: str
    value: int


@dataclass(frozen=True)
class Candidate:
    """A pair that one sentence, `tokens[sentence[0]:sentence[1]]`, might relate."""

    entity: EntitySpan
    number: NumberSpan
    sentence: tuple[int, int]


@dataclass(frozen=True)
class Names:
    """The names of the training games: full names of players, team names, cities."""

    players: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    cities: frozenset[str] = frozenset()

    @classmethod
    def collect(cls, games: Iterable[Game]) -> "Names":
        players, teams, cities = set(), set(), set()
        for game in games:
            players.update(player.name for player in game.players)
            teams.update(team.values["TEAM-NAME"] for team in game.entities[:2])
            cities.update(team.values["TEAM-CITY"] for team in game.entities[:2])
        return cls(frozenset(players), frozenset(teams), frozenset(cities))


@dataclass
class _Lexicon:
    """Written form -> who it may be. Teams win over parts of a player's name ("Orlando" over Orlando Johnson)."""

    teams: dict[str, int | None] = field(default_factory=dict)
    full: dict[str, int | None] = field(default_factory=dict)
    last: dict[str, list[int]] = field(default_factory=dict)
    first: dict[str, list[int]] = field(default_factory=dict)

    def __contains__(self, form: str) -> bool:
        return form in self.teams or form in self.full or form in self.last or form in self.first


def team_forms(name: str, city: str | None = None) -> list[str]:
    """How a team is written: "Clippers", "LA Clippers", "LA", "Blazers", "Sixers"."""
    short = [name, *SHORT_FORMS.get(name, ())]
    if city is None:
        return short
    cities = [city, *SAME_CITIES.get(city, ())]
    joined = [f"{place} {form}" for place in cities for form in short if " " not in form]
    return short + joined + cities


def last_name(name: str) -> str:
    """ "Nance Jr." of "Larry Nance Jr."; all but the first word."""
    return " ".join(name.split()[1:])


def _lexicon(game: Game, names: Names) -> _Lexicon:
    lexicon = _Lexicon()
    for name in names.players:
        lexicon.full.setdefault(name, None)
        lexicon.last.setdefault(_plain_last(name), [])
        lexicon.first.setdefault(name.split()[0], [])
    for name in names.teams:
        for form in team_forms(name):
            lexicon.teams.setdefault(form, None)
        for city in names.cities:
            if " " not in name:
                lexicon.teams.setdefault(f"{city} {name}", None)
    for city in names.cities:
        for form in (city, *SAME_CITIES.get(city, ())):
            lexicon.teams.setdefault(form, None)
    for index, player in enumerate(game.players, 2):
        lexicon.full[player.name] = index
        lexicon.full[player.name.replace(".", "")] = index
        last = player.values["SECOND_NAME"]
        for form in {last, _plain_last(player.name)} - {None, ""}:
            lexicon.last.setdefault(form, []).append(index)
        lexicon.first.setdefault(player.values["FIRST_NAME"], []).append(index)
    # A form that both teams share ("Los Angeles" of two) goes to the one whose record holds it, else to neither.
    forms = [team_forms(team.values["TEAM-NAME"], team.values["TEAM-CITY"]) for team in game.entities[:2]]
    for index, own in enumerate(forms):
        city = game.entities[index].values["TEAM-CITY"]
        for form in own:
            if form not in forms[1 - index]:
                lexicon.teams[form] = index
            elif game.entities[1 - index].values["TEAM-CITY"] == city:
                lexicon.teams[form] = None
            elif form == city:
                lexicon.teams[form] = index
    for forms_of_players in (lexicon.last, lexicon.first):
        for form in ("", *lexicon.teams):
            forms_of_players.pop(form, None)
    return lexicon


def _plain_last(name: str) -> str:
    words = [word for word in name.split()[1:] if word not in _SUFFIXES]
    return " ".join(words)


def entity_spans(tokens: list[str], game: Game, names: Names | None = None) -> list[EntitySpan]:
    """Entities of a whole summary. A last name that two players share is whom the summary named in full last."""
    lexicon = _lexicon(game, names or Names())
    spans: list[EntitySpan] = []
    recent: dict[str, int] = {}
    position = 0
    while position < len(tokens):
        for length in range(min(_LONGEST, len(tokens) - position), 0, -1):
            form = " ".join(tokens[position : position + length])
            bare = form if form in lexicon else _without_possessive(form)
            if bare in lexicon:
                spans.append(_resolve(bare, form, position, position + length, lexicon, game, recent))
                position += length
                break
        else:
            position += 1
    return spans


def _resolve(
    form: str, text: str, start: int, end: int, lexicon: _Lexicon, game: Game, recent: dict[str, int]
) -> EntitySpan:
    if form in lexicon.full:
        index = lexicon.full[form]
        if index is not None:
            recent[_plain_last(form)] = recent[form.split()[0]] = index
        return EntitySpan(start, end, form, False, index)
    if form in lexicon.teams:
        return EntitySpan(start, end, form, True, lexicon.teams[form])
    if form in lexicon.last:
        owners = lexicon.last[form]
        played = [index for index in owners if game.entities[index].did_play] or owners
        index = recent[form] if recent.get(form) in owners else played[0] if played else None
        return EntitySpan(start, end, form, False, index)
    owners = lexicon.first[form]
    index = owners[0] if len(owners) == 1 else recent[form] if recent.get(form) in owners else None
    return EntitySpan(start, end, form, False, index)


def _without_possessive(form: str) -> str:
    for ending in ("'s", "’s", "'", "’"):
        if form.endswith(ending):
            return form[: -len(ending)].rstrip()
    return form


def number_spans(tokens: list[str], implicit_one: bool = False) -> list[NumberSpan]:
    """Numbers in digits or words; the three of "three - pointers" is none. `implicit_one` reads "a steal" as 1."""
    spans = []
    position = 0
    while position < len(tokens):
        found = read_number(tokens, position)
        if found and not _is_shot(tokens, position, found[0], found[1]):
            value, length = found
            spans.append(NumberSpan(position, position + length, " ".join(tokens[position : position + length]), value))
        elif implicit_one and tokens[position] in ("a", "an") and tokens[position + 1 : position + 2]:
            if tokens[position + 1] in _COUNTED:
                spans.append(NumberSpan(position, position + 1, tokens[position], 1))
        position += found[1] if found else 1
    return spans


def _is_shot(tokens: list[str], position: int, value: int, length: int) -> bool:
    if value != 3:
        return False
    rest = [token.lower() for token in tokens[position + length : position + length + 2]]
    if rest[:1] == ["-"]:
        rest = rest[1:]
    return bool(rest) and rest[0] in _SHOT_WORDS


def candidates(
    tokens: list[str], game: Game, names: Names | None = None, implicit_one: bool = False
) -> list[Candidate]:
    """All pairs, sentence by sentence; within one by entity, then by number: the order that content ordering counts."""
    entities = entity_spans(tokens, game, names)
    numbers = number_spans(tokens, implicit_one)
    pairs = []
    for start, end in sentences(tokens):
        inside = [number for number in numbers if start <= number.start < end]
        for entity in entities:
            if start <= entity.start < end:
                pairs.extend(
                    Candidate(entity, number, (start, end))
                    for number in inside
                    if number.end <= entity.start or number.start >= entity.end
                )
    return pairs


def labels(candidate: Candidate, game: Game) -> tuple[str, ...]:
    """Every relation type whose value equals the number for this entity; NONE alone when there is none."""
    if candidate.entity.index is None:
        return (NONE,)
    entity = game.entities[candidate.entity.index]
    value = str(candidate.number.value)
    prefix, attributes = ("", TEAM_NUMBERS) if entity.is_team else ("PLAYER-", PLAYER_NUMBERS)
    fitting = tuple(prefix + attribute for attribute in attributes if entity.values[attribute] == value)
    return fitting or (NONE,)
