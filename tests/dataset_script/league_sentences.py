"""Which words of the sample league's sentences go with which computed fact."""

import re
from collections.abc import Sequence

from modeling_stg.numbers import WORDS


BREAKS = {"Q1": "after the first quarter", "H1": "at halftime", "Q3": "after three quarters"}
PERIODS = {"Q3": "third quarter", "Q4": "fourth quarter", "H2": "second half"}
_FITTING = {  # attribute -> a pattern of its sentence, the fact itself as "|", other numbers in digits
    **{f"TEAM-LEAD_{name}": rf"(led by|a lead of) \| {when} " for name, when in BREAKS.items()},
    **{f"TEAM-DEFICIT_{name}": rf"(trailed|down) by \| {when} " for name, when in BREAKS.items()},
    **{
        f"TEAM-WON_BY_{name}": rf"(won the {period} by \| |outscored .* by \| in the {period} )"
        for name, period in PERIODS.items()
    },
    **{
        f"TEAM-LOST_BY_{name}": rf"(lost the {period} by \| |were outscored by \| in the {period} )"
        for name, period in PERIODS.items()
    },
    "TEAM-WON_BY": r"(won by \| \.|an? \| - point win )",
    "TEAM-LOST_BY": r"(lost by \| \.|an? \| - point loss )",
    "TEAM-OVERTIMES": r"\| overtime periods? ",
    "TEAM-PTS_H1": r"halftime ",
    "TEAM-FG3M": r"(made \| of \d+ threes|was \| - \d+ from deep)",
    "TEAM-FTM": r"(made \| of \d+ free throws|was \| - \d+ from the line)",
    "TEAM-OREB": r"(\| offensive rebounds|\| boards on the offensive end)",
    "TEAM-STL": r"\| steals? and",
    "TEAM-BLK": r"and \| blocks? ",
    "TEAM-PTS_BENCH": r"(\| points from their reserves|reserves of .* scored \| points)",
    "TEAM-DOUBLE_FIGURES": r"\| players in double figures",
    "TEAM-REB_EDGE": r"(outrebounded .* by \| |won the rebounding battle by \| )",
    "TEAM-TOV_EDGE": r"committed \| fewer turnovers than",
    "TEAM-AST_EDGE": r"\| more assists than",
    "TEAM-WIN_STREAK": r"have won \| straight games",
    "TEAM-LOSS_STREAK": r"have lost \| straight games",
    "TEAM-WIN_NTH": r"the \| straight win for",
    "TEAM-LOSS_NTH": r"the \| straight loss for",
    "TEAM-WIN_STREAK_BEFORE": r"loss ended an? \| - game winning streak",
    "TEAM-LOSS_STREAK_BEFORE": r"ended an? \| - game losing streak",
    "TEAM-WINS_LAST5": r"have won \| of their last",
    "TEAM-LOSSES_LAST5": r"have lost \| of their last",
    "TEAM-GAMES_LAST5": r"of their last \| games",
    "TEAM-HOME_WINS": r"are \| - \d+ at home this season",
    "TEAM-ROAD_WINS": r"are \| - \d+ on the road this season",
    "TEAM-HOME_LOSSES": r"are \d+ - \| at home this season",
    "TEAM-ROAD_LOSSES": r"are \d+ - \| on the road this season",
    "TEAM-MEETING_PTS": r"won the previous meeting (of the teams )?, .*\|",
    "TEAM-NEXT_OPPONENT": r"( next host | next visit | will be ).* \| on",
    "TEAM-NEXT_CITY": r"( next host | next visit | will be ).* \| ",
    "TEAM-NEXT_WEEKDAY": r"( next host | next visit | will be ).* on \| ",
    "TEAM-NEXT_PLACE": r"will be (at|on the) \| against",
    "TEAM-PLACE": r"((at|on the) \| |the \| crowd)",
    "AVG_PTS": r"(is averaging \| points this season|averages \| points per game this season)",
    "DOUBLE": r" a \| ",
    "DOUBLE_STREAK": r"He has done so in \| straight games",
    "TWENTY_STREAK": r"at least 20 points in \| straight games",
    "ROLE": r"off the \| ",
    "TEAM_HIGH_PTS": r" a \| \d+ points",
    "GAME_HIGH_PTS": r" a \| \d+ points",
    "TEAM-WEEKDAY": r" on \| ",
    "TEAM-FG3A": r"(made \d+ of \| threes|was \d+ - \| from deep)",
    "TEAM-FTA": r"(made \d+ of \| free throws|was \d+ - \| from the line)",
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
