"""How a game went: who led at the breaks, quarters, halves and overtime. Sentences shared by the four writers.

The words that tell a lead from a deficit follow the number, because a model chooses the fact when it states it: after
"led by" it would be too late to find that there is no lead. The same holds in league_totals.py and league_outlook.py.
"""

from modeling_stg.game import Entity
from stg.dataset.league_recap import Recap, Slot, number


BREAKS = {"Q1": "after the first quarter", "H1": "at halftime", "Q3": "after three quarters"}
PERIODS = {"Q3": "third quarter", "Q4": "fourth quarter", "H2": "second half"}


def say_break(recap: Recap, team: Entity, name: str) -> bool:
    """By how much a team led or trailed at a break; False if the score was level."""
    for fact, noun in (("LEAD", "lead"), ("DEFICIT", "deficit")):
        if recap.value(team, f"{fact}_{name}"):
            recap.say(f"The {{T.name}} had a(n) {{T.{fact}_{name}}} - point {noun} {BREAKS[name]} .", T=team)
            return True
    return False


def say_period(recap: Recap, team: Entity, name: str) -> None:
    """By how much a team won or lost a quarter or the second half."""
    for fact, word in (("WON_BY", "more"), ("LOST_BY", "fewer")):
        if recap.value(team, f"{fact}_{name}"):
            recap.say(
                f"The {{T.name}} had {{T.{fact}_{name}}} point(s) {word} than the {{O.name}} in the {PERIODS[name]} .",
                T=team,
                O=recap.opponent(team),
            )


def say_after_half(recap: Recap) -> None:
    """What the winner did after halftime: the quarter it won, or the second half if it won both or none."""
    won = [name for name in ("Q3", "Q4") if recap.value(recap.winner, f"WON_BY_{name}")]
    say_period(recap, recap.winner, won[0] if len(won) == 1 else "H2")


def say_half(recap: Recap) -> None:
    """The score at halftime."""
    recap.say(
        "At halftime the {W.name} had {W.PTS_H1#} points and the {L.name} had {L.PTS_H1#} .",
        "At halftime the score was {W.PTS_H1#} for the {W.name} and {L.PTS_H1#} for the {L.name} .",
    )


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


def say_overtimes(recap: Recap) -> bool:
    """How many overtimes it took; False if there was none."""
    if not recap.value(recap.winner, "OVERTIMES"):
        return False
    recap.say("It took {W.OVERTIMES} overtime period(s) to separate the teams .")
    return True


def say_margin(recap: Recap, team: Entity) -> None:
    """The final margin, as the winner or the loser would put it."""
    if team is recap.winner:
        recap.say("It was a(n) {T.WON_BY} - point win for the {T.name} .", T=team)
    else:
        recap.say("It was a(n) {T.LOST_BY} - point loss for the {T.name} .", T=team)
