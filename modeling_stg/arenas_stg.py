"""The home courts of the NBA, 2014 to 2019: where a game was played, and which words would place it elsewhere."""

import datetime

from .game_stg import Game


# By team: since when (a season's year of beginning) a place had these names, the usual one first.
ARENAS = {
    "76ers": {2014: ("Wells Fargo Center",)},
    "Bucks": {2014: ("BMO Harris Bradley Center", "Bradley Center"), 2018: ("Fiserv Forum",)},
    "Bulls": {2014: ("United Center",)},
    "Cavaliers": {2014: ("Quicken Loans Arena",)},
    "Celtics": {2014: ("TD Garden",)},
    "Clippers": {2014: ("Staples Center",)},
    "Grizzlies": {2014: ("FedExForum", "FedEx Forum")},
    "Hawks": {2014: ("Philips Arena", "Phillips Arena"), 2018: ("State Farm Arena",)},
    "Heat": {2014: ("American Airlines Arena", "AmericanAirlines Arena")},
    "Hornets": {2014: ("Time Warner Cable Arena",), 2016: ("Spectrum Center", "Time Warner Cable Arena")},
    "Jazz": {
        2014: ("EnergySolutions Arena", "Energy Solutions Arena"),
        2015: ("Vivint Smart Home Arena", "Vivint Smart Home"),
    },
    "Kings": {2014: ("Sleep Train Arena",), 2016: ("Golden 1 Center",)},
    "Knicks": {2014: ("Madison Square Garden",)},
    "Lakers": {2014: ("Staples Center",)},
    "Magic": {2014: ("Amway Center",)},
    "Mavericks": {2014: ("American Airlines Center",)},
    "Nets": {2014: ("Barclays Center",)},
    "Nuggets": {2014: ("Pepsi Center",)},
    "Pacers": {2014: ("Bankers Life Fieldhouse",)},
    "Pelicans": {2014: ("Smoothie King Center",)},
    "Pistons": {
        2014: ("Palace of Auburn Hills", "Palace at Auburn Hills"),
        2017: ("Little Caesars Arena",),
    },
    "Raptors": {2014: ("Air Canada Centre", "Air Canada Center"), 2018: ("Scotiabank Arena",)},
    "Rockets": {2014: ("Toyota Center",)},
    "Spurs": {2014: ("AT & T Center", "AT&T Center")},
    "Suns": {
        2014: ("US Airways Center", "Talking Stick Resort Arena"),
        2015: ("Talking Stick Resort Arena", "US Airways Center"),
    },
    "Thunder": {2014: ("Chesapeake Energy Arena",)},
    "Timberwolves": {2014: ("Target Center",)},
    "Trail Blazers": {2014: ("Moda Center",)},
    "Warriors": {2014: ("Oracle Arena",)},
    "Wizards": {2014: ("Verizon Center",), 2017: ("Capital One Arena",)},
}
NAMES = sorted({name for places in ARENAS.values() for names in places.values() for name in names})
LAST = 2018  # the last season that is known
SAID_OTHERWISE = {"Golden", "Harris", "Home", "King", "One", "State", "Time"}  # words of arenas, more often not of one


def arenas(team: str, date: datetime.date) -> tuple[str, ...]:
    """The names of a team's home court at a date; none where they are not known."""
    season = date.year if date.month > 7 else date.year - 1
    places = {since: names for since, names in ARENAS.get(team, {}).items() if since <= season <= LAST}
    return places[max(places)] if places else ()


def words_of_others(game: Game) -> list[str]:
    """Words by which a place is named that is not the home court of this game; "Arena" or "Center" is none."""
    own = {word for name in arenas(game.home.values["TEAM-NAME"], game.date) for word in name.split()}
    words = {word for name in NAMES for word in (name.split()[:-1] or [name])}
    return sorted(word for word in words - own - SAID_OTHERWISE if len(word) > 1 and not word.islower())
