"""Team numbers: percentages, shooting totals, rebounds, defense, the reserves, and advantages over the opponent."""

from modeling_stg.game import Entity
from stg.dataset.league_recap import Recap, number


def say_percentages(recap: Recap) -> None:
    """Both teams' shooting percentages, the winner's first."""
    recap.say(
        "The {W.name} shot {W.FG_PCT} percent from the field and {W.FG3_PCT} percent from deep , while the {L.name} "
        "shot {L.FG_PCT} percent from the field and {L.FG3_PCT} percent from deep .",
        "{W.city} made {W.FG_PCT} percent of its shots and {W.FG3_PCT} percent of its threes , and {L.city} made "
        "{L.FG_PCT} percent of its shots and {L.FG3_PCT} percent of its threes .",
        "The {W.name} hit {W.FG_PCT} percent from the floor and {W.FG3_PCT} percent from beyond the arc ; "
        "the {L.name} hit {L.FG_PCT} percent from the floor and {L.FG3_PCT} percent from beyond the arc .",
    )
    if recap.chance(0.2):
        recap.say(
            "{W.city} shot {W.FT_PCT} percent from the line and {L.city} shot {L.FT_PCT} percent from the line .",
            "The {W.name} made {W.FT_PCT} percent of their free throws and the {L.name} made {L.FT_PCT} percent of "
            "their free throws .",
        )


def say_boards(recap: Recap) -> None:
    """Rebounds: both teams', or by how many more; sometimes the winner's on offense."""
    ahead, behind = sorted((recap.winner, recap.loser), key=lambda team: -number(team, "TEAM-REB"))
    if recap.value(ahead, "REB_EDGE"):
        recap.say(
            "The {A.name} won the battle of the boards , {A.REB#} - {B.REB#} .",
            "The {A.name} had {A.REB_EDGE} more rebound(s) than the {B.name} .",
            A=ahead,
            B=behind,
        )
    if recap.count(recap.winner, "OREB") >= 12 and recap.chance(0.7):
        recap.say("The {W.name} finished with {W.OREB} offensive rebounds .")


def say_care(recap: Recap) -> None:
    """Turnovers or assists: both teams', or the advantage of one."""
    team = next((team for team in (recap.winner, recap.loser) if recap.value(team, "TOV_EDGE")), None)
    passing = next((team for team in (recap.winner, recap.loser) if recap.value(team, "AST_EDGE")), None)
    if team and recap.count(team, "TOV_EDGE") >= 4:
        other = recap.opponent(team)
        recap.say("The {T.name} had {T.TOV_EDGE} fewer turnovers than the {O.name} .", T=team, O=other)
    elif passing and recap.count(passing, "AST_EDGE") >= 5:
        other = recap.opponent(passing)
        recap.say("The {T.name} had {T.AST_EDGE} more assists than the {O.name} .", T=passing, O=other)
    else:
        recap.say(
            "The {L.name} committed {L.TOV} turnovers to {W.TOV} for the {W.name} .",
            "There were {L.TOV} turnovers by {L.city} and {W.TOV} by {W.city} .",
            "The {W.name} had {W.AST} assists and the {L.name} {L.AST} .",
        )


def say_shooting(recap: Recap, team: Entity) -> None:
    """A team's threes or free throws, made and taken."""
    recap.say(
        "As a team the {T.name} made {T.FG3M} of {T.FG3A} threes .",
        "As a team the {T.name} made {T.FTM} of {T.FTA} free throws .",
        "{T.city} was {T.FG3M#} - {T.FG3A#} from deep .",
        "{T.city} was {T.FTM#} - {T.FTA#} from the line .",
        T=team,
    )


def say_depth(recap: Recap, team: Entity) -> None:
    """The reserves' points, or how many players reached ten."""
    if recap.count(team, "DOUBLE_FIGURES") >= 6:
        recap.say("The {T.name} finished with {T.DOUBLE_FIGURES} players in double figures .", T=team)
    else:
        recap.say("The {T.name} finished with {T.PTS_BENCH} points from their reserves .", T=team)


def say_defense(recap: Recap, team: Entity) -> None:
    """A team's steals and blocks."""
    recap.say("The {T.name} finished with {T.STL} steal(s) and {T.BLK} block(s) .", T=team)
