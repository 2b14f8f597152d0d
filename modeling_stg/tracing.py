"""Decodes sequence ids into tokens, each with the fact that it states: the provenance of a text."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .configuration_stg import StgConfig
from .errors import StgError
from .fact_schema import is_number
from .facts import Token
from .game import Game
from .game_facts import GameFacts
from .nba import is_wnba
from .numbers import article, to_word
from .schema import PLURALS, SINGULARS


_SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
_SHE |= {he.capitalize(): she.capitalize() for he, she in _SHE.items()}


def read_ids(ids: Sequence[int], config: StgConfig, vocabulary: Mapping[int, str], facts: GameFacts) -> list[Token]:
    """The tokens of one sequence up to <EoD>, exactly as the model wrote them."""
    hidden = {config.pad_token_id, config.bos_token_id}
    tokens = []
    for token in ids:
        if token == config.eos_token_id:
            break
        if token >= config.vocab_size:
            tokens.append(_stated_record(token, config, facts))
        elif token not in hidden and token >= 0:
            tokens.append(Token(vocabulary[token]))
    return tokens


def _stated_record(token: int, config: StgConfig, facts: GameFacts) -> Token:
    entity, slot, as_word = config.read_record_id(token)
    attributes = config.team_attributes if entity < 2 else config.player_attributes
    fact = None
    if entity < len(facts.game.entities) and slot < len(attributes):
        fact = facts.get(entity, attributes[slot])
    if fact is None:
        raise StgError(
            f"sequences: id {token} is not a record of game {facts.game.game_id}; give the game it is about, and the "
            "season it was written with"
        )
    form = "text" if not is_number(fact.attribute) else "word" if as_word else "digits"
    return Token(to_word(fact.number) if form == "word" else fact.value, fact, form)


def fitted(tokens: Sequence[Token], game: Game) -> list[Token]:
    """The tokens as they are printed: what the model cannot know when it writes a word is fitted afterwards."""
    tokens = fit_nouns(fit_articles(tokens))
    return capitalize_openings(as_she(tokens) if is_wnba(game.home.full_name) else tokens)


def fit_nouns(tokens: Sequence[Token]) -> list[Token]:
    """Fits a noun to the number before it: "one block", "two blocks"."""
    fitted = list(tokens)
    for position, (token, following) in enumerate(itertools.pairwise(tokens), 1):
        if token.form in ("digits", "word") and token.fact is not None and following.fact is None:
            nouns = SINGULARS if token.fact.number == 1 else PLURALS
            fitted[position] = replace(following, text=nouns.get(following.text, following.text))
    return fitted


def as_she(tokens: Sequence[Token]) -> list[Token]:
    """Pronouns of a women's league; models have read only "he"."""
    return [replace(token, text=_SHE.get(token.text, token.text)) if token.fact is None else token for token in tokens]


def fit_articles(tokens: Sequence[Token]) -> list[Token]:
    """Fits "a" and "an" to the number that follows, which the model chooses only after the article."""
    fitted = list(tokens)
    for position, (token, following) in enumerate(itertools.pairwise(tokens)):
        is_article = token.fact is None and token.text.lower() in ("a", "an")
        if is_article and following.fact is not None and following.form in ("digits", "word"):
            fitted[position] = Token(token.text[0] + article(int(following.fact.value))[1:])
    return fitted


def capitalize_openings(tokens: Sequence[Token]) -> list[Token]:
    """Capitalises a number word at the beginning of a sentence: "Six players"."""
    return [
        replace(token, text=token.text[0].upper() + token.text[1:])
        if token.form == "word" and (position == 0 or tokens[position - 1].text == ".")
        else token
        for position, token in enumerate(tokens)
    ]


def words_of(tokens: Sequence[Token]) -> list[str]:
    """The dataset's tokenisation: values of several words ("Trail Blazers") are split again."""
    return [word for token in tokens for word in token.text.split(" ")]


def model_tokens(summary: Sequence[str], mentions: Sequence[Mapping]) -> Iterator[tuple[Mapping | None, str]]:
    """(mention or None, text) of every token inside the model, which joins the words that a mention spans."""
    starts: dict[int, Mapping] = {}
    end = 0
    for mention in sorted(mentions, key=lambda mention: mention["position"]):
        start, length = mention["position"], mention["length"]
        if start < end or length < 1 or start + length > len(summary):
            place = f"position {start}, length {length}"
            raise StgError(f"mentions: {place} is outside the {len(summary)} tokens, or within another mention")
        starts[start], end = mention, start + length
    position = 0
    while position < len(summary):
        stated = starts.get(position)
        end = position + (stated["length"] if stated else 1)
        yield stated, " ".join(summary[position:end])
        position = end
