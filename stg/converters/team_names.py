"""Which team an abbreviation, a nickname or a full name means."""

from modeling_stg.nba import FULL_CITY, TEAMS, WNBA_TEAMS


_NBA = {  # of the NBA, ESPN and basketball-reference
    **{"ATL": "Atlanta Hawks", "BOS": "Boston Celtics", "BKN": "Brooklyn Nets", "BRK": "Brooklyn Nets"},
    **{"CHA": "Charlotte Hornets", "CHO": "Charlotte Hornets", "CHI": "Chicago Bulls", "CLE": "Cleveland Cavaliers"},
    **{"DAL": "Dallas Mavericks", "DEN": "Denver Nuggets", "DET": "Detroit Pistons"},
    **{"GSW": "Golden State Warriors", "GS": "Golden State Warriors", "HOU": "Houston Rockets"},
    **{"IND": "Indiana Pacers", "LAC": "Los Angeles Clippers", "LAL": "Los Angeles Lakers"},
    **{"MEM": "Memphis Grizzlies", "MIA": "Miami Heat", "MIL": "Milwaukee Bucks", "MIN": "Minnesota Timberwolves"},
    **{"NOP": "New Orleans Pelicans", "NO": "New Orleans Pelicans", "NYK": "New York Knicks", "NY": "New York Knicks"},
    **{"OKC": "Oklahoma City Thunder", "ORL": "Orlando Magic", "PHI": "Philadelphia 76ers"},
    **{"PHX": "Phoenix Suns", "PHO": "Phoenix Suns", "POR": "Portland Trail Blazers", "SAC": "Sacramento Kings"},
    **{"SAS": "San Antonio Spurs", "SA": "San Antonio Spurs", "TOR": "Toronto Raptors", "UTA": "Utah Jazz"},
    **{"UTAH": "Utah Jazz", "WAS": "Washington Wizards", "WSH": "Washington Wizards"},
}
_WNBA_ONLY = {  # abbreviations that no NBA team has
    **{"CON": "Connecticut Sun", "CONN": "Connecticut Sun", "GSV": "Golden State Valkyries"},
    **{"LVA": "Las Vegas Aces", "LV": "Las Vegas Aces", "LAS": "Los Angeles Sparks", "NYL": "New York Liberty"},
    **{"SEA": "Seattle Storm"},
}
_FULL_NAMES = {name.lower(): name for name in (*TEAMS, *sorted(WNBA_TEAMS))}
_NICKNAMES = {name.removeprefix(city).strip().lower(): name for name, city in TEAMS.items()}
_NICKNAMES = {name.rpartition(" ")[2].lower(): name for name in sorted(WNBA_TEAMS)} | _NICKNAMES


def known_team(text: str) -> tuple[str, str] | None:
    """City and name of a team of the NBA or WNBA by abbreviation, nickname or full name; None for any other."""
    text = " ".join(text.split())
    city, _, rest = text.partition(" ")
    whole = f"{FULL_CITY.get(city, city)} {rest}".strip().lower()
    known = _NBA.get(text) or _WNBA_ONLY.get(text) or _FULL_NAMES.get(whole) or _NICKNAMES.get(text.lower())
    if known is None:
        return None
    city = TEAMS.get(known) or known.rsplit(" ", 2 if known.endswith("Silver Stars") else 1)[0]
    return city, known.removeprefix(city).strip()


def split_team(text: str) -> tuple[str, str] | None:
    """City and name of any team: a full name that is not known is split before its last word."""
    head, _, last = " ".join(text.split()).rpartition(" ")
    return known_team(text) or ((head, last) if head else None)
