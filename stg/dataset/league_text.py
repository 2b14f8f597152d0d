"""The sample league's four writers, who differ in content selection, order, number style and length.

Everything they write is true of the game and of the season before it. Each tells how the game went, what players and
teams did, and how the season goes on.

writer  tokens   selects                                        order                        numbers
0       60-90    top scorers: points and minutes; a lead        winner, then loser           digits
1       100-140  points, shooting splits, averages; a deficit   loser, then winner           words up to ten
2       150-190  quarters, team percentages, points, rebounds   the star, teams, by points   words < ten, not points
3       200-250  reserves, rebounds, assists, steals, blocks    home team, then visitors     words up to twenty

All of them write scores, won-lost records, quarters and shooting splits in digits.
"""

import random

from modeling_stg.game import Entity
from modeling_stg.game_facts import GameFacts
from stg.dataset.league_outlook import (
    say_close,
    say_meeting,
    say_next,
    say_recent,
    say_record,
    say_streak,
)
from stg.dataset.league_phrases import beat, noun, ranked_by, say_absent, shooting_splits, stat_list, team_of
from stg.dataset.league_recap import Recap, Slot, number
from stg.dataset.league_story import (
    say_after_half,
    say_break,
    say_half,
    say_margin,
    say_overtimes,
    say_period,
    say_quarter,
)
from stg.dataset.league_totals import (
    say_boards,
    say_care,
    say_defense,
    say_depth,
    say_percentages,
    say_shooting,
)


WRITERS = ("0", "1", "2", "3")
LENGTHS = {"0": (60, 90), "1": (100, 140), "2": (150, 190), "3": (200, 250)}
NUMBER_STYLES = {
    "0": lambda attribute, value: False,
    "1": lambda attribute, value: value <= 10,
    "2": lambda attribute, value: value < 10 and attribute != "PTS",
    "3": lambda attribute, value: value <= 20,
}
ATTEMPTS = 400
COUNTS = ("REB", "AST", "STL", "BLK")


def write(facts: GameFacts, writer: str, generator: random.Random) -> tuple[list[str], list[dict]]:
    """Tokens and mentions of a recap."""
    low, high = LENGTHS[writer]
    for _ in range(ATTEMPTS):
        recap = Recap(facts, NUMBER_STYLES[writer], generator)
        _VOICES[writer](recap)
        if low <= len(recap.tokens) <= high:
            return recap.tokens, recap.mentions
    raise RuntimeError(f"game {facts.game.game_id}: no recap of {low} to {high} tokens by writer {writer}")


def _writer_0(recap: Recap) -> None:
    """Short and plain: the result, a lead, then points and minutes of the top scorers, the winners' first."""
    recap.say(
        "The {W.city} {W.name} {beat} the {L.city} {L.name} , {W.PTS} - {L.PTS} , {ot} {where} on {day} .",
        "The {W.city} {W.name} {beat} the {L.city} {L.name} {W.PTS} - {L.PTS} {ot} {where} on {day} night .",
        "The {W.city} {W.name} won {ot} {where} on {day} , as they {beat} the {L.city} {L.name} {W.PTS} - {L.PTS} .",
        beat=beat(recap),
        where=recap.choice("in a {W.PLACE} game", ""),
    )
    winner = recap.winner
    if say_overtimes(recap):
        pass
    elif recap.value(winner, "DEFICIT_Q3"):
        say_break(recap, winner, "Q3")
    elif recap.value(winner, "DEFICIT_H1"):
        say_break(recap, winner, "H1")
    elif recap.count(winner, "WON_BY") >= 12:
        say_margin(recap, winner)
    elif recap.count(winner, "LEAD_Q3") >= 8 or not say_break(recap, winner, "H1"):
        say_break(recap, winner, "Q3")
    for team, others in ((recap.winner, 2), (recap.loser, 1)):
        scorers = ranked_by(recap, "PTS", team)
        first, second, third = scorers[:3]
        if number(first, "PTS") > number(second, "PTS"):
            recap.say(
                "{p} led the {T.name} with {p.PTS} points in {p.MIN} minutes .",
                "{p} scored a {p.TEAM_HIGH_PTS} {p.PTS} points for {T.city} in {p.MIN} minutes .",
                "{p} had a {p.TEAM_HIGH_PTS} {p.PTS} points for the {T.name} in {p.MIN} minutes .",
                "{T.city} was led by {p} , who scored {p.PTS} points in {p.MIN} minutes .",
                p=first,
                T=team,
            )
            if others == 2 and number(second, "PTS") == number(third, "PTS"):
                recap.say(
                    "{p} and {q} each scored {q.PTS} points .",
                    "{p} and {q} added {q.PTS} points apiece .",
                    p=second,
                    q=third,
                )
            elif others == 2:
                recap.say(
                    "{p} {added} {p.PTS} points in {p.MIN} minutes .",
                    "{p} played {p.MIN} minutes and scored {p.PTS} points .",
                    p=second,
                    added=recap.choice("added", "had", "finished with", "chipped in with"),
                )
        else:
            recap.say(
                "{p} and {q} led the {T.name} with {q.PTS} points each .",
                "{p} and {q} each scored {q.PTS} points to lead {T.city} .",
                p=first,
                q=second,
                T=team,
            )
            recap.say("{q} played {q.MIN} minutes .", "{q} was on the floor for {q.MIN} minutes .", q=second)
    if not (say_streak(recap, recap.winner) or say_next(recap, recap.winner)):
        say_close(recap)


def _writer_1(recap: Recap) -> None:
    """Shooting splits for everyone, the losers first."""
    recap.say(
        "The {L.city} {L.name} {lost} to the {W.city} {W.name} , {W.PTS#} - {L.PTS#} , {ot} on {day} .",
        "The {L.city} {L.name} {lost} {ot} on {day} to the {W.city} {W.name} , {W.PTS#} - {L.PTS#} .",
        "The {L.city} {L.name} came up short {ot} on {day} , and the {W.city} {W.name} {beat} them {score} .",
        beat=beat(recap),
        score="{W.PTS#} - {L.PTS#}",
        lost=recap.choice("lost", "fell", "went down"),
    )
    if say_overtimes(recap):
        pass
    elif recap.value(recap.loser, "LEAD_H1") and recap.value(recap.loser, "LOST_BY_H2"):
        say_break(recap, recap.loser, "H1")
        say_period(recap, recap.loser, "H2")
    elif recap.value(recap.loser, "LEAD_Q1") or recap.chance(0.3):
        say_break(recap, recap.loser, "Q1")
    elif recap.chance(0.4):
        say_break(recap, recap.loser, "H1")
    else:
        say_margin(recap, recap.loser)
    for team in (recap.loser, recap.winner):
        ranked = ranked_by(recap, "PTS", team)
        for player in ranked[: 2 if recap.chance(0.2) else 1]:
            _shooter(recap, team, player, player is ranked[0] and number(player, "PTS") > number(ranked[1], "PTS"))
        if team is recap.loser and recap.chance(0.9):
            say_shooting(recap, team)
    if recap.chance(0.1):
        return
    if recap.chance(0.4):
        say_recent(recap, recap.loser)
    elif not say_streak(recap, recap.loser):
        say_next(recap, recap.loser)


def _shooter(recap: Recap, team: Entity, player: Entity, is_top: bool) -> None:
    """A player's points, shooting splits, and rebounds or assists; then how steadily he scores."""
    other = max(("REB", "AST"), key=lambda column: number(player, column))
    counted = noun(recap, player, other)
    stat = f"{{p.{other}}} {counted}" if number(player, other) else f"no {counted}"
    slots: dict[str, Slot] = {"p": player, "T": team, "shots": shooting_splits(player), "stat": stat}
    if is_top:
        recap.say(
            "{p} was the top scorer for {T.city} with {p.PTS} points ( {shots} ) and {stat} .",
            "For {T.city} , {p} led the way with {p.PTS} points ( {shots} ) and {stat} .",
            "Nobody on the {T.name} scored more than {p} , who had {p.PTS} points ( {shots} ) and {stat} .",
            "{p} carried the {T.name} with {p.PTS} points ( {shots} ) and {stat} .",
            **slots,
        )
    else:
        recap.say(
            "{p} {had} {p.PTS} points ( {shots} ) .",
            "{p} {had} {p.PTS} points ( {shots} ) for the {T.name} .",
            "{p} {had} {p.PTS} points ( {shots} ) to go with {stat} .",
            "{p} of the {T.name} {had} {p.PTS} points ( {shots} ) and {stat} .",
            had=recap.choice("had", "finished with", "tallied", "contributed", "posted"),
            **slots,
        )
    if is_top and recap.chance(0.2):
        return
    if is_top and recap.value(player, "TWENTY_STREAK"):
        recap.say("He now has {p.TWENTY_STREAK} straight games with at least 20 points .", p=player)
    elif is_top and recap.value(player, "AVG_PTS_LAST5"):  # five games at least
        recap.say("He now has {p.AVG_PTS} points per game this season .", p=player)
    elif number(player, "TO") >= 5:
        recap.say("He also turned the ball over {p.TO} times .", "He did commit {p.TO} turnovers .", p=player)
    elif number(player, "FG_PCT") >= 70:
        recap.say(
            "He made {p.FG_PCT} percent of his shots .",
            "He shot {p.FG_PCT} percent from the field .",
            p=player,
        )


def _writer_2(recap: Recap) -> None:
    """The star, then quarters and percentages of the teams, then the other scorers of both teams by points."""
    ranked = ranked_by(recap, "PTS")
    star = ranked[0]
    slots: dict[str, Slot] = {
        "p": star,
        "high": "a {p.GAME_HIGH_PTS}" if number(star, "PTS") > number(ranked[1], "PTS") else "",
        "winner": "the {W.city} {W.name} ( {W.WINS#} - {W.LOSSES#} )",
        "loser": "the {L.city} {L.name} ( {L.WINS#} - {L.LOSSES#} )",
        "beat": beat(recap),
    }
    if star.is_home == recap.winner.is_home:
        recap.say(
            "{p} scored {high} {p.PTS} points and {winner} {beat} {loser} , {W.PTS#} - {L.PTS#} , {ot} on {day} .",
            "{p} had {high} {p.PTS} points as {winner} {beat} {loser} {W.PTS#} - {L.PTS#} {ot} on {day} .",
            "Behind {p} and his {p.PTS} points , {winner} {beat} {loser} {ot} on {day} , {W.PTS#} - {L.PTS#} .",
            **slots,
        )
    else:
        recap.say(
            "{p} scored {high} {p.PTS} points , but {winner} {beat} {loser} , {W.PTS#} - {L.PTS#} , {ot} on {day} .",
            "{p} had {high} {p.PTS} points in vain , as {winner} {beat} {loser} {W.PTS#} - {L.PTS#} {ot} on {day} .",
            "Despite {p} and his {p.PTS} points , {loser} lost to {winner} {ot} on {day} , {W.PTS#} - {L.PTS#} .",
            **slots,
        )
    say_quarter(recap, 1)
    say_half(recap)
    say_after_half(recap)
    say_overtimes(recap)
    say_percentages(recap)
    say_boards(recap)
    if recap.chance(0.7):
        say_care(recap)
    rest = ranked[1 : recap.generator.choice((3, 4, 5))]
    while rest:
        player = rest.pop(0)
        team = team_of(recap, player)
        if rest and number(rest[0], "PTS") == number(player, "PTS"):
            recap.say(
                "{p} and {q} each had {q.PTS} points .",
                "{p} and {q} scored {q.PTS} points apiece .",
                "{p} and {q} both had {q.PTS} points .",
                p=player,
                q=rest.pop(0),
            )
            continue
        boards = number(player, "REB")
        if boards >= 10 and recap.value(player, "DOUBLE"):
            recap.say(
                "{p} of the {T.name} had {p.PTS} points and {p.REB} rebounds for a {p.DOUBLE} .", p=player, T=team
            )
            continue
        recap.say(
            "{p} {had} {p.PTS} points {boards} for the {T.name} .",
            "{p} of {T.city} {had} {p.PTS} points {boards} .",
            "For the {T.name} , {p} {had} {p.PTS} points {boards} .",
            p=player,
            T=team,
            had=recap.choice("had", "posted", "finished with", "put up", "totaled"),
            boards="and {p.REB} rebounds" if boards >= 4 else "",
        )
    if recap.chance(0.06):
        total = str(number(ranked[0], "PTS") + number(ranked[1], "PTS"))  # a sum, hence not a mention
        recap.say("{p} and {q} combined for {total} points .", p=ranked[0], q=ranked[1], total=total)
    if recap.chance(0.2):
        say_absent(recap, recap.generator.choice((recap.winner, recap.loser)))
    if not say_recent(recap, recap.winner):
        say_record(recap, recap.winner)
    if recap.chance(0.3):
        say_close(recap)


def _writer_3(recap: Recap) -> None:
    """Long, numbers in words: the home team first, and of each team the reserves before the starters."""
    slots: dict[str, Slot] = {
        "home": "{H.city} {H.name} ( {H.WINS#} - {H.LOSSES#} )",
        "visitor": "the {V.city} {V.name} ( {V.WINS#} - {V.LOSSES#} )",
        "beat": beat(recap),
        "score": "{W.PTS#} - {L.PTS#}",
    }
    if recap.winner.is_home:
        recap.say(
            "The {home} {beat} {visitor} {score} {ot} on {day} , to the delight of the {H.PLACE} crowd .",
            "The {home} gave their own fans something to cheer {ot} on {day} , when they {beat} {visitor} , {score} .",
            "The {home} made good use of their own floor on {day} and {beat} {visitor} {ot} , {score} .",
            **slots,
        )
    else:
        recap.say(
            "The {home} could not defend their own floor on {day} , as {visitor} {beat} them {score} {ot} .",
            "The {home} disappointed the {H.PLACE} crowd on {day} , losing {ot} to {visitor} , {score} .",
            "The {home} were beaten {ot} in front of their own crowd by {visitor} on {day} , {score} .",
            **slots,
        )
    say_break(recap, recap.game.home, "Q3")
    say_overtimes(recap)
    for team in (recap.game.home, recap.game.visitor):
        _bench(recap, team)
        _boards_and_passes(recap, team)
        if recap.chance(0.15):
            _defense(recap, team)
        if recap.chance(0.15):
            say_absent(recap, team)
    say_depth(recap, recap.winner)
    if recap.chance(0.5):
        say_defense(recap, recap.winner)
    if not (recap.chance(0.5) and say_meeting(recap)):
        say_record(recap, recap.winner)
    if recap.chance(0.4):
        say_next(recap, recap.game.home)
    elif recap.chance(0.3):
        say_close(recap)


def _bench(recap: Recap, team: Entity) -> None:
    """The two or three reserves with the most points; ties are stated together."""
    bench = [player for player in ranked_by(recap, "PTS", team) if player.values["START_POSITION"] is None]
    first, second, third = bench[:3]
    if number(first, "PTS") == number(second, "PTS"):
        recap.say(
            "Among the reserves of the {T.name} , {p} and {q} scored {q.PTS} points apiece .",
            "{p} and {q} both came off the {q.ROLE} to score {q.PTS} points for {T.city} .",
            p=first,
            q=second,
            T=team,
        )
        recap.say(
            "{q} also had {stats} .", "{q} added {stats} .", q=second, stats=stat_list(recap, "q", second, *COUNTS)
        )
        if number(third, "PTS") and recap.chance(0.5):
            recap.say(
                "{p} , another reserve , had {stats} .", p=third, stats=stat_list(recap, "p", third, "PTS", *COUNTS)
            )
        return
    recap.say(
        "{p} was the best of the {T.name} 's reserves with {stats} .",
        "{p} came off the {p.ROLE} to give {T.city} {stats} .",
        "{p} was the spark off the {p.ROLE} for {T.city} with {stats} .",
        "{p} led the second unit of the {T.name} with {stats} .",
        p=first,
        T=team,
        stats=stat_list(recap, "p", first, "PTS", *COUNTS),
    )
    if number(second, "PTS") and recap.chance(0.7):
        recap.say(
            "{p} , another reserve , {had} {stats} .",
            "In the same unit {p} {had} {stats} .",
            "Fellow reserve {p} {had} {stats} .",
            p=second,
            had=recap.choice("had", "added", "contributed", "chipped in with"),
            stats=stat_list(recap, "p", second, "PTS", *COUNTS),
        )
    if number(third, "PTS") and recap.chance(0.2):
        recap.say("{p} also came off the {p.ROLE} for {p.PTS} point(s) .", p=third)


def _defense(recap: Recap, team: Entity) -> None:
    """The leader in steals, or in blocks if those are more."""
    column = max(("STL", "BLK"), key=lambda column: number(ranked_by(recap, column, team)[0], column))
    first, second = ranked_by(recap, column, team)[:2]
    if number(first, column) > max(1, number(second, column)):
        recap.say(
            "Nobody did more on defense for the {T.name} than {p} , who had {stat} .",
            "On defense it was {p} who stood out for {T.city} with {stat} .",
            p=first,
            T=team,
            stat=f"{{p.{column}}} {noun(recap, first, column)}",
        )


def _boards_and_passes(recap: Recap, team: Entity) -> None:
    """The starters who lead the team in rebounds and in assists."""
    starters = [player for player in ranked_by(recap, "REB", team) if player.values["START_POSITION"] is not None]
    rebounder = starters[0]
    passer = max((player for player in starters if player is not rebounder), key=lambda player: number(player, "AST"))
    slots: dict[str, Slot] = {
        "p": rebounder,
        "T": team,
        "rest": stat_list(recap, "p", rebounder, "PTS", "AST", "STL", "BLK"),
    }
    if number(rebounder, "REB") >= 10 and number(rebounder, "PTS") >= 10:
        recap.say(
            "{p} grabbed {p.REB} rebounds and scored {p.PTS} points for a {p.DOUBLE} .",
            "Among the starters {p} pulled down {p.REB} boards and added {p.PTS} points for a {p.DOUBLE} .",
            **slots,
        )
        if recap.value(rebounder, "DOUBLE") == "double - double" and recap.value(rebounder, "DOUBLE_STREAK"):
            recap.say("He has done so in {p.DOUBLE_STREAK} straight games .", p=rebounder)
    else:
        recap.say(
            "{p} did {most} on the boards among the starters , with {p.REB} rebounds to go with {rest} .",
            "Among the starters {p} pulled down {p.REB} boards and added {rest} .",
            "{p} started and grabbed {p.REB} rebounds , along with {rest} .",
            most="the most" if number(rebounder, "REB") > number(starters[1], "REB") else "a lot",
            **slots,
        )
    if number(rebounder, "OREB") >= 4:
        recap.say("He also had {p.OREB} offensive rebounds .", "He got {p.OREB} boards on offense .", p=rebounder)
    slots = {"p": passer, "T": team, "rest": stat_list(recap, "p", passer, "PTS", "STL")}
    if number(passer, "AST") > 1:
        recap.say(
            "{p} ran the offense , handing out {p.AST} assists and adding {rest} .",
            "{p} set up his teammates with {p.AST} assists and had {rest} of his own .",
            "{p} {found} {p.AST} dimes for the {T.name} , and he had {rest} as well .",
            found=recap.choice("dished out", "dropped", "handed out"),
            **slots,
        )
    if number(passer, "PF") >= 5:
        recap.say("He was in foul trouble with {p.PF} fouls .", "He picked up {p.PF} fouls .", p=passer)


_VOICES = {"0": _writer_0, "1": _writer_1, "2": _writer_2, "3": _writer_3}
