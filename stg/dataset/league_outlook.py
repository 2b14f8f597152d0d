"""The season around a game: streaks, recent games, records at home and on the road, other meetings, the next game."""

from modeling_stg.game import Entity
from stg.dataset.league_recap import Recap, number


def say_streak(recap: Recap, team: Entity) -> bool:
    """How many games in a row a team has won or lost; False if this is the first."""
    for kind, streak, noun in (("WIN", "winning", "win"), ("LOSS", "losing", "loss")):
        if recap.value(team, f"{kind}_STREAK"):
            sentences = [f"The {{T.name}} have a(n) {{T.{kind}_STREAK}} - game {streak} streak ."]
            if recap.value(team, f"{kind}_NTH") and recap.count(team, f"{kind}_STREAK") >= 3:
                sentences.append(f"It was the {{T.{kind}_NTH}} straight {noun} for the {{T.name}} .")
            recap.say(*sentences, T=team)
            return True
    return False


def say_recent(recap: Recap, team: Entity) -> bool:
    """The winner's wins, or the loser's losses, of the last five games; False if the season is too young."""
    if not recap.value(team, "GAMES_LAST5"):
        return False
    if team is recap.winner:
        recap.say("The {T.name} have won {T.WINS_LAST5} of their last {T.GAMES_LAST5} games .", T=team)
    else:
        recap.say("The {T.name} have lost {T.LOSSES_LAST5} of their last {T.GAMES_LAST5} games .", T=team)
    return True


def say_record(recap: Recap, team: Entity) -> None:
    """A team's record at home if it played there, else on the road; not before the third such game."""
    kind = "HOME" if team.is_home else "ROAD"
    if recap.count(team, f"{kind}_WINS") + recap.count(team, f"{kind}_LOSSES") >= 3:
        recap.say(
            f"The {{T.name}} are {{T.{kind}_WINS#}} - {{T.{kind}_LOSSES#}} in {{T.PLACE}} games this season .", T=team
        )


def say_meeting(recap: Recap) -> bool:
    """The score of the teams' previous game against each other; False if there was none."""
    if not recap.value(recap.winner, "MEETING_PTS"):
        return False
    recap.say(
        "The previous meeting of the teams ended with {H.MEETING_PTS#} points for the {H.name} and {V.MEETING_PTS#} "
        "for the {V.name} ."
    )
    return True


def say_next(recap: Recap, team: Entity) -> bool:
    """A team's next game; False after its last one."""
    if not recap.value(team, "NEXT_OPPONENT"):
        return False
    recap.say(
        "The {T.name} have a {T.NEXT_PLACE} game next , against the {T.NEXT_CITY} {T.NEXT_OPPONENT} on "
        "{T.NEXT_WEEKDAY} .",
        T=team,
    )
    return True


def say_close(recap: Recap) -> None:
    """A closing sentence without facts."""
    sentences = [
        "The {L.name} will look to regroup before their next outing .",
        "The {W.name} will try to keep it going next time out .",
        "The {L.name} have work to do in practice .",
    ]
    margin = number(recap.winner, "TEAM-PTS") - number(recap.loser, "TEAM-PTS")
    was_ahead = recap.count(recap.winner, "LEAD_Q3")
    if margin >= 10 and was_ahead:
        sentences += ["{L.city} never quite found an answer .", "{W.city} was simply the better side on the night ."]
    elif margin < 10 and was_ahead <= 10:
        sentences.append("It was in doubt for much of the night .")
    recap.say(*sentences)
