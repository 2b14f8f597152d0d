"""Phrases shared by the four writers: lists of statistics, shooting splits, verbs that fit the score."""

from modeling_stg.game import Entity
from stg.dataset.league_recap import Recap, listed, number


NOUNS = {
    "PTS": ("point(s)",),
    "REB": ("rebound(s)", "board(s)"),
    "AST": ("assist(s)", "dime(s)"),
    "STL": ("steal(s)",),
    "BLK": ("block(s)", "blocked shot(s)"),
}
SINGULAR = {"PTS": "a point", "REB": "a rebound", "AST": "an assist", "STL": "a steal", "BLK": "a block"}


def noun(recap: Recap, player: Entity, column: str) -> str:
    """A noun for a column; the plain one for a single rebound or assist."""
    return recap.choice(*NOUNS[column]) if number(player, column) != 1 else NOUNS[column][0]


def stat_list(recap: Recap, slot: str, player: Entity, *columns: str) -> str:
    """What the player has of these columns as a list; 1 is often "a steal"."""
    phrases = []
    for column in columns:
        if not number(player, column):
            continue
        counted = noun(recap, player, column)
        if number(player, column) == 1 and recap.chance(0.8):
            phrases.append(SINGULAR[column])
        elif number(player, column) == 2 and column != "PTS" and recap.chance(0.25):
            phrases.append(f"a pair of {counted.removesuffix('(s)')}s")
        else:
            phrases.append(f"{{{slot}.{column}}} {counted}")
    return listed(phrases) if phrases else "plenty of effort"


def say_absent(recap: Recap, team: Entity) -> None:
    """A player who dressed but did not play: a name without numbers."""
    absent = [player for player in recap.game.players if not player.did_play and player.is_home == team.is_home]
    recap.say(
        "{p} did not play for the {T.name} .",
        "{p} was not used by {T.city} .",
        "The {T.name} never called on {p} .",
        p=recap.generator.choice(absent),
        T=team,
    )


def beat(recap: Recap) -> str:
    """A verb for the win that fits the margin."""
    margin = number(recap.winner, "TEAM-PTS") - number(recap.loser, "TEAM-PTS")
    if margin <= 4:
        return recap.choice("edged", "held off", "slipped past", "outlasted")
    if margin >= 15:
        return recap.choice("routed", "cruised past", "rolled over", "overwhelmed")
    return recap.choice("defeated", "beat", "topped", "got past")


def ranked_by(recap: Recap, column: str, team: Entity | None = None) -> list[Entity]:
    """The players who played (for `team`), those with the most of `column` first."""
    players = [player for player in recap.game.players if player.did_play]
    if team is not None:
        players = [player for player in players if player.is_home == team.is_home]
    return sorted(players, key=lambda player: -number(player, column))


def team_of(recap: Recap, player: Entity) -> Entity:
    return recap.game.home if player.is_home else recap.game.visitor


def shooting_splits(player: Entity) -> str:
    """Splits such as "8 - 13 FG , 2 - 5 3Pt , 3 - 3 FT"; kinds without an attempt are left out."""
    kinds = (("FGM", "FGA", "FG"), ("FG3M", "FG3A", "3Pt"), ("FTM", "FTA", "FT"))
    splits = [f"{{p.{made}#}} - {{p.{tried}#}} {kind}" for made, tried, kind in kinds if number(player, tried)]
    return " , ".join(splits)
