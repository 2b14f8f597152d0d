"""Leagues: the teams of the NBA and the WNBA, what texts call them and their cities, and plausible totals."""

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
WNBA_TEAMS = frozenset(  # past and present
    (
        *("Atlanta Dream", "Chicago Sky", "Connecticut Sun", "Dallas Wings", "Golden State Valkyries"),
        *("Indiana Fever", "Las Vegas Aces", "Los Angeles Sparks", "Minnesota Lynx", "New York Liberty"),
        *("Phoenix Mercury", "Portland Fire", "Seattle Storm", "Toronto Tempo", "Washington Mystics"),
        *("Charlotte Sting", "Cleveland Rockers", "Detroit Shock", "Houston Comets", "Miami Sol", "Orlando Miracle"),
        *("Sacramento Monarchs", "San Antonio Silver Stars", "San Antonio Stars", "Tulsa Shock", "Utah Starzz"),
    )
)
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
_LATE_SEASON_ENDED = datetime.date(2020, 12, 1)  # the season of 2019-20 was finished in autumn
LONGEST_BREAK = 11  # days between two games of a team: the All-Star break
MOST_PLAYOFF_GAMES = 7  # in a series


def season_of(date: datetime.date) -> int:
    """The year in which the season of a date began."""
    if date < _LATE_SEASON_ENDED and date.year == _LATE_SEASON_ENDED.year:
        return date.year - 1
    return date.year if date.month > 7 else date.year - 1


def is_wnba(team: str) -> bool:
    """Whether a team, by city and name, plays in the WNBA."""
    city, _, name = team.rpartition(" ")
    return f"{FULL_CITY.get(city, city)} {name}" in WNBA_TEAMS or team in WNBA_TEAMS


def game_minutes(team: str) -> int:
    """The minutes of a game without overtime in the league of this team, by city and name; 0 if it is not known."""
    if is_wnba(team):
        return 40
    city, _, name = team.rpartition(" ")
    is_nba = team in TEAMS or f"{FULL_CITY.get(city, city)} {name}" in TEAMS or team == "Charlotte Bobcats"
    return 48 if is_nba else 0
