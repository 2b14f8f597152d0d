"""How a game went: who led at the breaks, quarters, halves and overtime. Sentences shared by the four writers."""

from dataset_script.league_recap import Recap, Slot, number
from modeling_stg.game import Entity


BREAKS = {"Q1": "after the first quarter", "H1": "at halftime", "Q3": "after three quarters"}
PERIODS = {"Q3": "third quarter", "Q4": "fourth quarter", "H2": "second half"}


def say_break(recap: Recap, team: Entity, name: str) -> bool:
    """By how much a team led or trailed at a break; False if the score was level."""
    when = BREAKS[name]
    if recap.value(team, f"LEAD_{name}"):
        recap.say(
            f"The {{T.name}} led by {{T.LEAD_{name}}} {when} .",
            f"The {{T.name}} had a lead of {{T.LEAD_{name}}} {when} .",
            T=team,
        )
    elif recap.value(team, f"DEFICIT_{name}"):
        recap.say(
            f"The {{T.name}} trailed by {{T.DEFICIT_{name}}} {when} .",
            f"The {{T.name}} were down by {{T.DEFICIT_{name}}} {when} .",
            T=team,
        )
    else:
        return False
    return True


def say_period(recap: Recap, team: Entity, name: str) -> bool:
    """By how much a team won or lost a quarter or the second half; False if it was even."""
    period = PERIODS[name]
    if recap.value(team, f"WON_BY_{name}"):
        recap.say(
            f"The {{T.name}} won the {period} by {{T.WON_BY_{name}}} .",
            f"The {{T.name}} outscored the {{O.name}} by {{T.WON_BY_{name}}} in the {period} .",
            T=team,
            O=recap.opponent(team),
        )
    elif recap.value(team, f"LOST_BY_{name}"):
        recap.say(
            f"The {{T.name}} lost the {period} by {{T.LOST_BY_{name}}} .",
            f"The {{T.name}} were outscored by {{T.LOST_BY_{name}}} in the {period} .",
            T=team,
        )
    else:
        return False
    return True


def say_after_half(recap: Recap) -> None:
    """What the winner won after halftime: the second half if both of its quarters, else the one it won."""
    won = [name for name in ("Q3", "Q4") if recap.value(recap.winner, f"WON_BY_{name}")]
    if won:
        say_period(recap, recap.winner, "H2" if len(won) == 2 else won[0])


def say_half(recap: Recap) -> None:
    """The score at halftime."""
    ahead, behind = sorted((recap.winner, recap.loser), key=lambda team: -recap.count(team, "PTS_H1"))
    slots: dict[str, Slot] = {"A": ahead, "B": behind, "score": "{A.PTS_H1#} - {B.PTS_H1#}"}
    if recap.value(ahead, "LEAD_H1"):
        recap.say(
            "At halftime the {A.name} led {score} .", "The {A.name} went into halftime ahead , {score} .", **slots
        )
    else:
        recap.say("The score at halftime was {score} .", **slots)


def say_quarter(recap: Recap, quarter: int) -> None:
    """The score of a quarter, the team with more points first."""
    name = ("first", "second", "third", "fourth")[quarter - 1]
    column = f"PTS_QTR{quarter}"
    ahead, behind = sorted((recap.winner, recap.loser), key=lambda team: -number(team, f"TEAM-{column}"))
    slots: dict[str, Slot] = {"A": ahead, "B": behind}
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


def say_overtimes(recap: Recap) -> None:
    """How many overtimes it took, if any."""
    if recap.value(recap.winner, "OVERTIMES"):
        recap.say(
            "It took {W.OVERTIMES} overtime period(s) to separate the teams .",
            "The {W.name} needed {W.OVERTIMES} overtime period(s) to win .",
        )


def say_margin(recap: Recap, team: Entity) -> None:
    """The final margin, as the winner or the loser would put it."""
    if team is recap.winner:
        recap.say("The {T.name} won by {T.WON_BY} .", "It was a(n) {T.WON_BY} - point win for {T.city} .", T=team)
    else:
        recap.say("The {T.name} lost by {T.LOST_BY} .", "It was a(n) {T.LOST_BY} - point loss for {T.city} .", T=team)
