"""Home courts of the NBA by season, and the words that name another team's."""

import datetime
import re

from .nba import season_of


# By team and first season (the year it began): names of the home court, the usual one first.
ARENAS: dict[str, dict[int, tuple[str, ...]]] = {
    "76ers": {2014: ("Wells Fargo Center",), 2025: ("Xfinity Mobile Arena",)},
    "Bobcats": {2014: ("Time Warner Cable Arena",)},  # renamed Hornets in 2014
    "Bucks": {2014: ("BMO Harris Bradley Center", "Bradley Center"), 2018: ("Fiserv Forum",)},
    "Bulls": {2014: ("United Center",)},
    "Cavaliers": {2014: ("Quicken Loans Arena",), 2019: ("Rocket Mortgage FieldHouse",), 2025: ("Rocket Arena",)},
    "Celtics": {2014: ("TD Garden",)},
    "Clippers": {
        2014: ("Staples Center",),
        2021: ("Staples Center",),
        2022: ("Crypto.com Arena",),
        2024: ("Intuit Dome",),
    },
    "Grizzlies": {2014: ("FedExForum", "FedEx Forum")},
    "Hawks": {2014: ("Philips Arena", "Phillips Arena"), 2018: ("State Farm Arena",)},
    "Heat": {
        2014: ("American Airlines Arena", "AmericanAirlines Arena"),
        2021: ("FTX Arena",),
        2023: ("Kaseya Center",),
    },
    "Hornets": {2014: ("Time Warner Cable Arena",), 2016: ("Spectrum Center", "Time Warner Cable Arena")},
    "Jazz": {
        2014: ("EnergySolutions Arena", "Energy Solutions Arena"),
        2015: ("Vivint Smart Home Arena", "Vivint Smart Home"),
        2020: ("Vivint Arena", "Vivint Smart Home Arena"),
        2023: ("Delta Center",),
    },
    "Kings": {2014: ("Sleep Train Arena",), 2016: ("Golden 1 Center",)},
    "Knicks": {2014: ("Madison Square Garden",)},
    "Lakers": {2014: ("Staples Center",), 2021: ("Staples Center",), 2022: ("Crypto.com Arena",)},
    "Magic": {2014: ("Amway Center",), 2023: ("Amway Center",), 2024: ("Kia Center",)},
    "Mavericks": {2014: ("American Airlines Center",)},
    "Nets": {2014: ("Barclays Center",)},
    "Nuggets": {2014: ("Pepsi Center",), 2020: ("Ball Arena",)},
    "Pacers": {2014: ("Bankers Life Fieldhouse",), 2021: ("Gainbridge Fieldhouse",)},
    "Pelicans": {2014: ("Smoothie King Center",)},
    "Pistons": {
        2014: ("Palace of Auburn Hills", "Palace at Auburn Hills"),
        2017: ("Little Caesars Arena",),
    },
    "Raptors": {
        2014: ("Air Canada Centre", "Air Canada Center"),
        2018: ("Scotiabank Arena",),
        2020: ("Amalie Arena",),
        2021: ("Scotiabank Arena",),
    },
    "Rockets": {2014: ("Toyota Center",)},
    "Spurs": {2014: ("AT & T Center", "AT&T Center"), 2023: ("Frost Bank Center",)},
    "Suns": {
        2014: ("US Airways Center", "Talking Stick Resort Arena"),
        2015: ("Talking Stick Resort Arena", "US Airways Center"),
        2020: ("Phoenix Suns Arena", "PHX Arena"),
        2021: ("Footprint Center",),
        2025: ("Mortgage Matchup Center",),
    },
    "Thunder": {2014: ("Chesapeake Energy Arena",), 2021: ("Paycom Center",)},
    "Timberwolves": {2014: ("Target Center",)},
    "Trail Blazers": {2014: ("Moda Center",)},
    "Warriors": {2014: ("Oracle Arena",), 2019: ("Chase Center",)},
    "Wizards": {2014: ("Verizon Center",), 2017: ("Capital One Arena",)},
}
ARENA_NAMES = sorted({name for seasons in ARENAS.values() for names in seasons.values() for name in names})
FIRST_KNOWN_SEASON, LAST_KNOWN_SEASON = 2014, 2025
# Courts that were renamed within a season
_RENAMED: dict[str, tuple[tuple[datetime.date, str], ...]] = {
    "Cavaliers": ((datetime.date(2025, 2, 18), "Rocket Arena"),),
    "Clippers": ((datetime.date(2021, 12, 25), "Crypto.com Arena"),),
    "Heat": ((datetime.date(2023, 1, 13), "Miami-Dade Arena"), (datetime.date(2023, 4, 4), "Kaseya Center")),
    "Lakers": ((datetime.date(2021, 12, 25), "Crypto.com Arena"),),
    "Magic": ((datetime.date(2023, 12, 20), "Kia Center"),),
    "Suns": ((datetime.date(2025, 2, 18), "PHX Arena"),),
}
# The season of 2019-20 was finished on one site, where nobody was at home
_ONE_SITE = (datetime.date(2020, 7, 1), datetime.date(2020, 11, 1))
_IN_PARENTHESES = re.compile(r"\s*\([^)]*\)$")  # ESPN: "Toyota Center (Houston)"
# Words of arena names that usually mean something else
AMBIGUOUS_ARENA_WORDS = {
    *("Golden", "Harris", "Home", "King", "One", "State", "Time"),
    *("Ball", "Chase", "Delta", "Frost", "Mobile", "Phoenix", "Rocket", "Suns"),
}


def arenas(team: str, date: datetime.date) -> tuple[str, ...]:
    """The names of a team's home court on a date, the usual one first; empty if unknown."""
    season = season_of(date)
    if not FIRST_KNOWN_SEASON <= season <= LAST_KNOWN_SEASON or _ONE_SITE[0] <= date < _ONE_SITE[1]:
        return ()
    renamed = [name for since, name in _RENAMED.get(team, ()) if since <= date and season_of(since) == season]
    return (renamed[-1],) if renamed else _of_season(team, season)


def courts(team: str, date: datetime.date, venue: str | None) -> tuple[str, ...]:
    """The names of the court that a team's home game was played on, the usual one first; empty if unknown.

    Feeds give a building's present name, also for old games: such a venue is replaced by its name on the day. Any
    other venue is where the team played for once, as in London or Las Vegas.
    """
    own = arenas(team, date)
    if not venue:
        return own
    venue = _IN_PARENTHESES.sub("", venue).removeprefix("The ")
    names = {name.lower().removeprefix("the ") for names in ARENAS.get(team, {}).values() for name in names}
    names |= {name.lower() for _, name in _RENAMED.get(team, ())}
    if venue.lower() not in names:
        return (venue,)
    first = _of_season(team, FIRST_KNOWN_SEASON) if season_of(date) < FIRST_KNOWN_SEASON else ()
    return own or first or (venue,)


def _of_season(team: str, season: int) -> tuple[str, ...]:
    known = {since: names for since, names in ARENAS.get(team, {}).items() if since <= season}
    return known[max(known)] if known else ()


def foreign_arena_words(team: str, date: datetime.date, venue: str | None = None) -> list[str]:
    """Words that name an arena other than the game's, without generic ones such as "Arena" or "Center"."""
    own = {word for name in courts(team, date, venue) for word in name.split()}
    words = {word for name in ARENA_NAMES for word in (name.split()[:-1] or [name])}
    return sorted(word for word in words - own - AMBIGUOUS_ARENA_WORDS if len(word) > 1 and not word.islower())
