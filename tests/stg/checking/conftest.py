"""The paper's game, and a small season around it."""

import json

import pytest

from modeling_stg.game import Game
from stg.extraction.loading import load_extractor


BUCKS, KNICKS, WIZARDS, HAWKS = (
    ("Milwaukee", "Bucks"),
    ("New York", "Knicks"),
    ("Washington", "Wizards"),
    ("Atlanta", "Hawks"),
)


@pytest.fixture(scope="module")
def extractor():
    return load_extractor()


@pytest.fixture(scope="module")
def game(paper):
    return Game.from_json(paper)


def another(paper, day, home, visitor, records, points=("90", "100"), **stats) -> Game:
    """A game like the paper's with other teams or on another day; `stats` change Carmelo Anthony's line."""
    data = json.loads(json.dumps(paper)) | {"day": day, "game_id": f"{day}-{home}"}
    for side, (city, name), (wins, losses), score in zip(
        ("home", "vis"), (home, visitor), records, points, strict=True
    ):
        data |= {f"{side}_name": name, f"{side}_city": city}
        data[f"{side}_line"] |= {"TEAM-NAME": name, "TEAM-CITY": city, "TEAM-PTS": score}
        data[f"{side}_line"] |= {"TEAM-WINS": str(wins), "TEAM-LOSSES": str(losses)}
    box = data["box_score"]
    cities = {"New York": home[0], "Milwaukee": visitor[0]}
    box["TEAM_CITY"] = {key: cities[city] for key, city in box["TEAM_CITY"].items()}
    [melo] = [key for key, name in box["PLAYER_NAME"].items() if name == "Carmelo Anthony"]
    for column, value in stats.items():
        box[column][melo] = value
    return Game.from_json(data)


@pytest.fixture(scope="module")
def season(paper):
    """The Knicks beat the Wizards on Saturday, lost to them on Monday and play the Hawks on Friday."""
    return [
        another(paper, "01_06_17", KNICKS, HAWKS, ((16, 20), (20, 15))),
        another(paper, "01_02_17", KNICKS, WIZARDS, ((16, 18), (17, 17)), PTS="20"),
        another(paper, "12_31_16", KNICKS, WIZARDS, ((16, 17), (16, 17)), ("110", "100")),
        another(paper, "12_20_15", KNICKS, HAWKS, ((16, 20), (20, 15))),
        another(paper, "01_08_17", WIZARDS, BUCKS, ((18, 18), (18, 17))),
    ]
