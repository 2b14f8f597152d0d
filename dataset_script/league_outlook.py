"""The season around a game: streaks, recent games, records at home and on the road, other meetings, the next game."""

from dataset_script.league_recap import Recap, number
from modeling_stg.game import Entity


def place(team: str, attribute: str, is_home: bool) -> str:
    """ "at home" or "on the road", as a fact of the team in slot `team`."""
    return f"at {{{team}.{attribute}}}" if is_home else f"on the {{{team}.{attribute}}}"


def say_streak(recap: Recap, team: Entity) -> bool:
    """How many games in a row a team has won or lost, or the streak that ended; False if there is none."""
    if recap.value(team, "WIN_STREAK"):
        sentences = ["The {T.name} have won {T.WIN_STREAK} straight games ."]
        if recap.value(team, "WIN_NTH"):
            sentences.append("It was the {T.WIN_NTH} straight win for the {T.name} .")
    elif recap.value(team, "LOSS_STREAK"):
        sentences = ["The {T.name} have lost {T.LOSS_STREAK} straight games ."]
        if recap.value(team, "LOSS_NTH"):
            sentences.append("It was the {T.LOSS_NTH} straight loss for the {T.name} .")
    elif recap.value(team, "LOSS_STREAK_BEFORE"):
        sentences = ["The {T.name} ended a(n) {T.LOSS_STREAK_BEFORE} - game losing streak ."]
    elif recap.value(team, "WIN_STREAK_BEFORE"):
        sentences = ["The loss ended a(n) {T.WIN_STREAK_BEFORE} - game winning streak for the {T.name} ."]
    else:
        return False
    recap.say(*sentences, T=team)
    return True


def say_recent(recap: Recap, team: Entity) -> bool:
    """Most of the last five games, won or lost; False if the season is too young."""
    if recap.count(team, "WINS_LAST5") >= 3:
        recap.say("The {T.name} have won {T.WINS_LAST5} of their last {T.GAMES_LAST5} games .", T=team)
    elif recap.count(team, "LOSSES_LAST5") >= 3:
        recap.say("The {T.name} have lost {T.LOSSES_LAST5} of their last {T.GAMES_LAST5} games .", T=team)
    else:
        return False
    return True


def say_record(recap: Recap, team: Entity) -> None:
    """A team's record at home if it played there, else on the road; not before the third such game."""
    kind = "HOME" if team.is_home else "ROAD"
    if recap.count(team, f"{kind}_WINS") + recap.count(team, f"{kind}_LOSSES") < 3:
        return
    recap.say(
        f"The {{T.name}} are {{T.{kind}_WINS#}} - {{T.{kind}_LOSSES#}} {{where}} this season .",
        T=team,
        where=place("T", "PLACE", team.is_home),
    )


def say_meeting(recap: Recap) -> bool:
    """The score of the teams' previous game against each other; False if there was none."""
    if not recap.value(recap.winner, "MEETING_PTS"):
        return False
    first, second = sorted((recap.winner, recap.loser), key=lambda team: -recap.count(team, "MEETING_PTS"))
    recap.say(
        "The {A.name} won the previous meeting of the teams , {A.MEETING_PTS#} - {B.MEETING_PTS#} .",
        "The {A.name} had won the previous meeting , {A.MEETING_PTS#} - {B.MEETING_PTS#} .",
        A=first,
        B=second,
    )
    return True


def say_next(recap: Recap, team: Entity) -> bool:
    """A team's next game; False after its last one."""
    if not recap.value(team, "NEXT_OPPONENT"):
        return False
    is_home = recap.value(team, "NEXT_PLACE") == "home"
    verb = "host" if is_home else "visit"
    recap.say(
        f"The {{T.name}} next {verb} the {{T.NEXT_CITY}} {{T.NEXT_OPPONENT}} on {{T.NEXT_WEEKDAY}} .",
        "The {T.name} will be {where} against the {T.NEXT_CITY} {T.NEXT_OPPONENT} on {T.NEXT_WEEKDAY} .",
        T=team,
        where=place("T", "NEXT_PLACE", is_home),
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
