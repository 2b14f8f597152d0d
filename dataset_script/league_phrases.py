"""Phrases shared by the four writers: lists of statistics, sentences about the teams, verbs that fit the score."""

from dataset_script.league_recap import Recap, Slot, listed, number
from modeling_stg.game import Entity


NOUNS = {
    "PTS": ("point(s)",),
    "REB": ("rebound(s)", "board(s)"),
    "AST": ("assist(s)", "dime(s)"),
    "STL": ("steal(s)",),
    "BLK": ("block(s)", "blocked shot(s)"),
}
SINGULAR = {"PTS": "a point", "REB": "a rebound", "AST": "an assist", "STL": "a steal", "BLK": "a block"}
ORDINALS = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}


def stat_list(recap: Recap, slot: str, player: Entity, *before: str, without: str = "") -> str:
    """The player's `before` columns, rebounds, assists, steals and blocks as a list; 1 is often "a steal"."""
    columns = [
        column for column in (*before, "REB", "AST", "STL", "BLK") if column != without and number(player, column)
    ]
    phrases = []
    for column in columns:
        noun = recap.choice(*NOUNS[column])
        if number(player, column) == 1 and recap.chance(0.8):
            phrases.append(SINGULAR[column])
        elif number(player, column) == 2 and column != "PTS" and recap.chance(0.25):
            phrases.append(f"a pair of {noun.removesuffix('(s)')}s")
        else:
            phrases.append(f"{{{slot}.{column}}} {noun}")
    return listed(phrases) if phrases else "plenty of effort"


def say_quarters(recap: Recap) -> None:
    """The first and the last quarter, sometimes one between, and overtime if there was one."""
    for quarter, name in ((1, "first"), (2, "second"), (3, "third"), (4, "fourth")):
        if quarter in (2, 3) and not recap.chance(0.35):
            continue
        column = f"PTS_QTR{quarter}"
        ahead, behind = sorted((recap.winner, recap.loser), key=lambda team: -number(team, f"TEAM-{column}"))
        slots: dict[str, Slot] = {"A": ahead, "B": behind, "name": name}
        score = f"{{A.{column}#}} - {{B.{column}#}}"
        if number(ahead, f"TEAM-{column}") == number(behind, f"TEAM-{column}"):
            recap.say(f"The {name} quarter was even , {score} .", f"Neither side won the {name} , {score} .", **slots)
        elif quarter == 1:
            recap.say(
                f"The {{A.name}} led {score} after the first quarter .",
                f"{{A.city}} was ahead {score} at the end of the first .",
                f"The first quarter went to the {{A.name}} , {score} .",
                **slots,
            )
        else:
            recap.say(
                f"The {{A.name}} outscored the {{B.name}} {score} in the {name} quarter .",
                f"{{A.city}} took the {name} quarter , {score} .",
                f"The {name} belonged to the {{A.name}} , {score} .",
                f"In the {name} it was {{A.city}} that had the upper hand , {score} .",
                f"The {{A.name}} won the {name} {score} .",
                **slots,
            )
    if recap.overtime:
        recap.say("Nothing was decided in regulation .", "The teams were level at the end of regulation .")


def say_percentages(recap: Recap) -> None:
    """Both teams' shooting percentages, the winner's first, then rebounds, assists or turnovers."""
    recap.say(
        "The {W.name} shot {W.FG_PCT} percent from the field and {W.FG3_PCT} percent from deep , while the {L.name} "
        "shot {L.FG_PCT} percent and {L.FG3_PCT} percent .",
        "{W.city} made {W.FG_PCT} percent of its shots and {W.FG3_PCT} percent of its threes , against "
        "{L.FG_PCT} percent and {L.FG3_PCT} percent for {L.city} .",
        "The {W.name} hit {W.FG_PCT} percent from the floor and {W.FG3_PCT} percent from beyond the arc ; "
        "the {L.name} hit {L.FG_PCT} percent and {L.FG3_PCT} percent .",
    )
    if recap.chance(0.4):
        recap.say(
            "From the line {W.city} was at {W.FT_PCT} percent and {L.city} at {L.FT_PCT} percent .",
            "The {W.name} made {W.FT_PCT} percent of their free throws and the {L.name} {L.FT_PCT} percent .",
        )
    if number(recap.winner, "TEAM-REB") > number(recap.loser, "TEAM-REB"):
        recap.say(
            "The {W.name} also won the battle of the boards , {W.REB#} - {L.REB#} .",
            "{W.city} had the better of the rebounding , {W.REB#} - {L.REB#} .",
        )
    recap.say(
        "The {L.name} committed {L.TOV} turnovers to {W.TOV} for the {W.name} .",
        "There were {L.TOV} turnovers by {L.city} and {W.TOV} by {W.city} .",
        "The {W.name} had {W.AST} assists and the {L.name} {L.AST} .",
    )


def say_absent(recap: Recap, team: Entity) -> None:
    """A player who dressed but did not play: a name without numbers."""
    absent = [player for player in recap.game.players if not player.did_play and player.is_home == team.is_home]
    recap.say(
        "{p} did not play for the {T.name} .",
        "{p} stayed on the bench all night for {T.city} .",
        "The {T.name} never called on {p} .",
        p=recap.generator.choice(absent),
        T=team,
    )


def say_close(recap: Recap) -> None:
    """A closing sentence without records."""
    sentences = [
        "The {L.name} will look to regroup before their next outing .",
        "The {W.name} will try to keep it going next time out .",
        "The {L.name} have work to do in practice .",
    ]
    if _margin(recap) >= 10:
        sentences += ["{L.city} never quite found an answer .", "{W.city} was simply the better side on the night ."]
    else:
        sentences += [
            "{L.city} stayed close but could not finish the job .",
            "It was in doubt for much of the night .",
        ]
    recap.say(*sentences)


def _margin(recap: Recap) -> int:
    return number(recap.winner, "TEAM-PTS") - number(recap.loser, "TEAM-PTS")


def beat(recap: Recap) -> str:
    """A verb for the win that fits the margin."""
    if _margin(recap) <= 4:
        return recap.choice("edged", "held off", "slipped past", "outlasted")
    if _margin(recap) >= 15:
        return recap.choice("routed", "cruised past", "rolled over", "overwhelmed")
    return recap.choice("defeated", "beat", "topped", "got past")


def streak(recap: Recap, streaks: tuple[int, int]) -> str:
    """A sentence about the winner's streak, which no record states; "" if there is none worth mentioning."""
    wins = max(streaks)
    return f"It was the {ORDINALS[wins]} straight win for the {{W.name}} ." if wins in ORDINALS else ""


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
