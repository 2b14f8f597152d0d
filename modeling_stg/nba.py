"""The NBA from 2014 to 2019: teams, what texts call them and their cities, home courts, and plausible totals."""

import datetime


TEAMS = {  # full name -> city
    name: name.rsplit(" ", 2 if name.endswith("Trail Blazers") else 1)[0]
    for name in (
        *("Atlanta Hawks", "Boston Celtics", "Brooklyn Nets", "Charlotte Hornets", "Chicago Bulls"),
        *("Cleveland Cavaliers", "Dallas Mavericks", "Denver Nuggets", "Detroit Pistons", "Golden State Warriors"),
        *("Houston Rockets", "Indiana Pacers", "Los Angeles Clippers", "Los Angeles Lakers", "Memphis Grizzlies"),
        *("Miami Heat", "Milwaukee Bucks", "Minnesota Timberwolves", "New Orleans Pelicans", "New York Knicks"),
        *("Oklahoma City Thunder", "Orlando Magic", "Philadelphia 76ers", "Phoenix Suns", "Portland Trail Blazers"),
        *("Sacramento Kings", "San Antonio Spurs", "Toronto Raptors", "Utah Jazz", "Washington Wizards"),
    )
}
SHORT_NAMES = {
    "76ers": ("Sixers",),
    "Cavaliers": ("Cavs",),
    "Clippers": ("Clips",),
    "Grizzlies": ("Grizz",),
    "Mavericks": ("Mavs",),
    "Pelicans": ("Pels",),
    "Raptors": ("Raps",),
    "Timberwolves": ("Wolves", "T-Wolves"),
    "Trail Blazers": ("Blazers", "Trailblazers"),
    "Warriors": ("Dubs",),
}
CITY_FORMS = {"LA": ("Los Angeles", "L.A."), "Los Angeles": ("LA", "L.A."), "Oklahoma City": ("OKC",)}
FULL_CITY = {"LA": "Los Angeles"}  # box scores write "LA" for the Clippers and "Los Angeles" for the Lakers
# The least a team has in a whole game; a smaller number is a lead, a run or part of the total.
LEAST_TOTAL = {"TEAM-PTS": 60, "TEAM-REB": 20, "TEAM-AST": 7}
OTHER_NAMES = {  # players whom feeds list under two names
    "Charles Hayes": "Chuck Hayes",
    "Enes Kanter": "Enes Freedom",
    "Gigi Datome": "Luigi Datome",
    "Jeff Taylor": "Jeffery Taylor",
    "Jerome Jordan": "Jerome Adolphus Jordan",
    "Juan Hernangomez": "Juancho Hernangomez",
    "Marcelo Huertas": "Marcelinho Huertas",
    "Pierre Jackson": "Pierre Deshawn Jackson",
    "Robbie Hummel": "Robbie John Hummel",
    "Sheldon McClellan": "Sheldon Mac",
}
LONGEST_BREAK = 11  # days between two games of a team: the All-Star break
MOST_PLAYOFF_GAMES = 7  # in a series

# By team and first season (the year it began): names of the home court, the usual one first.
ARENAS: dict[str, dict[int, tuple[str, ...]]] = {
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
ARENA_NAMES = sorted({name for seasons in ARENAS.values() for names in seasons.values() for name in names})
LAST_KNOWN_SEASON = 2018
# Words of arena names that usually mean something else
AMBIGUOUS_ARENA_WORDS = {"Golden", "Harris", "Home", "King", "One", "State", "Time"}


def season_of(date: datetime.date) -> int:
    """The year in which the season of a date began."""
    return date.year if date.month > 7 else date.year - 1


def arenas(team: str, date: datetime.date) -> tuple[str, ...]:
    """The names of a team's home court on a date; empty if unknown."""
    season = season_of(date)
    known = {since: names for since, names in ARENAS.get(team, {}).items() if since <= season <= LAST_KNOWN_SEASON}
    return known[max(known)] if known else ()


def foreign_arena_words(team: str, date: datetime.date) -> list[str]:
    """Words that name an arena other than this team's home court, without generic ones such as "Arena" or "Center"."""
    own = {word for name in arenas(team, date) for word in name.split()}
    words = {word for name in ARENA_NAMES for word in (name.split()[:-1] or [name])}
    return sorted(word for word in words - own - AMBIGUOUS_ARENA_WORDS if len(word) > 1 and not word.islower())
