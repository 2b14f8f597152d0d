"""Which words of the sample league's sentences go with which computed fact."""

import re
from collections.abc import Sequence

from modeling_stg.numbers import WORDS


BREAKS = {"Q1": "after the first quarter", "H1": "at halftime", "Q3": "after three quarters"}
PERIODS = {"Q3": "third quarter", "Q4": "fourth quarter", "H2": "second half"}
_FITTING = {  # attribute -> a pattern of its sentence, the fact itself as "|", other numbers in digits
    **{f"TEAM-LEAD_{name}": rf"had an? \| - point lead {when} " for name, when in BREAKS.items()},
    **{f"TEAM-DEFICIT_{name}": rf"had an? \| - point deficit {when} " for name, when in BREAKS.items()},
    **{f"TEAM-WON_BY_{name}": rf"had \| points? more than .* in the {period} " for name, period in PERIODS.items()},
    **{f"TEAM-LOST_BY_{name}": rf"had \| points? fewer than .* in the {period} " for name, period in PERIODS.items()},
    "TEAM-WEEKDAY": r" on \| ",
    "TEAM-PLACE": r" (in a \| game |in \| games this season |the \| crowd )",
    "TEAM-WON_BY": r"an? \| - point win for",
    "TEAM-LOST_BY": r"an? \| - point loss for",
    "TEAM-OVERTIMES": r"It took \| overtime periods? to",
    "TEAM-PTS_H1": r"At halftime .*( had \| | was \| for the .* for the | and \| for the )",
    "TEAM-FG3M": r"(made \| of \d+ threes|was \| - \d+ from deep)",
    "TEAM-FG3A": r"(made \d+ of \| threes|was \d+ - \| from deep)",
    "TEAM-FTM": r"(made \| of \d+ free throws|was \| - \d+ from the line)",
    "TEAM-FTA": r"(made \d+ of \| free throws|was \d+ - \| from the line)",
    "TEAM-OREB": r"finished with \| offensive rebounds",
    "TEAM-STL": r"finished with \| steals? and \d+ blocks? ",
    "TEAM-BLK": r"finished with \d+ steals? and \| blocks? ",
    "TEAM-PTS_BENCH": r"finished with \| points from their reserves",
    "TEAM-DOUBLE_FIGURES": r"finished with \| players in double figures",
    "TEAM-REB_EDGE": r"had \| more rebounds? than",
    "TEAM-TOV_EDGE": r"had \| fewer turnovers than",
    "TEAM-AST_EDGE": r"had \| more assists than",
    "TEAM-WIN_STREAK": r"have an? \| - game winning streak",
    "TEAM-LOSS_STREAK": r"have an? \| - game losing streak",
    "TEAM-WIN_NTH": r"It was the \| straight win for",
    "TEAM-LOSS_NTH": r"It was the \| straight loss for",
    "TEAM-WINS_LAST5": r"have won \| of their last 5 games",
    "TEAM-LOSSES_LAST5": r"have lost \| of their last 5 games",
    "TEAM-GAMES_LAST5": r"have (won|lost) \d of their last \| games",
    "TEAM-HOME_WINS": r"are \| - \d+ in home games this season",
    "TEAM-ROAD_WINS": r"are \| - \d+ in road games this season",
    "TEAM-HOME_LOSSES": r"are \d+ - \| in home games this season",
    "TEAM-ROAD_LOSSES": r"are \d+ - \| in road games this season",
    "TEAM-MEETING_PTS": r"previous meeting of the teams ended with (\| points|.* and \| for the )",
    "TEAM-NEXT_OPPONENT": r"game next , against the .* \| on ",
    "TEAM-NEXT_CITY": r"game next , against the \| ",
    "TEAM-NEXT_WEEKDAY": r"game next , against the .* on \| ",
    "TEAM-NEXT_PLACE": r"have a \| game next , against the ",
    "AVG_PTS": r"He now has \| points per game this season",
    "DOUBLE": r" (points|rebounds) for a \| ",
    "DOUBLE_STREAK": r"He has done so in \| straight games",
    "TWENTY_STREAK": r"He now has \| straight games with at least 20 points",
    "ROLE": r"off the \| ",
    "TEAM_HIGH_PTS": r" a \| \d+ points",
    "GAME_HIGH_PTS": r" a \| \d+ points",
}
_NUMBER = re.compile(rf"(?<= )({'|'.join(WORDS)})(?= )(?! quarters)")


def sentence(tokens: Sequence[str], start: int, length: int = 1) -> str:
    """The sentence around `tokens[start : start + length]`, with " | " for these tokens."""
    begin = max((at + 1 for at in range(start) if tokens[at] == "."), default=0)
    end = next((at for at in range(start, len(tokens)) if tokens[at] == "."), len(tokens))
    return " ".join([*tokens[begin:start], "|", *tokens[start + length : end + 1]])


def fits(text: str, attribute: str) -> bool:
    """Whether a sentence (see `sentence`) states this fact by the words of the league."""
    digits = _NUMBER.sub(lambda found: str(WORDS[found[1]]), text)
    return re.search(_FITTING[attribute], digits) is not None
