"""The paper's game, a small season around it, and what the checker and single rules say about sentences.

Every module of `rules/` lists its sentences in CASES: (text, piece of the text, verdict, truth), where the verdict is
None if no rule judges the piece.
"""

import json
import warnings
from collections.abc import Callable, Iterable

import pytest

from modeling_stg.game import Game, GameWarning
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from modeling_stg.text import tokenize
from stg.checking.checker import Checker
from stg.checking.findings import FALSE, Finding
from stg.checking.parsed_recap import ParsedRecap
from stg.checking.rules import Rule
from stg.extraction.loading import load_extractor


FIRST = "The Milwaukee Bucks edged the New York Knicks, 105-104, on Wednesday at Madison Square Garden. "
ANTHONY, ROSE = "Carmelo Anthony led the Knicks with 30 points. ", "Derrick Rose scored 15 points. "
BUCKS, KNICKS, WIZARDS, HAWKS = (
    ("Milwaukee", "Bucks"),
    ("New York", "Knicks"),
    ("Washington", "Wizards"),
    ("Atlanta", "Hawks"),
)
Judgement = tuple[str, str, str | None]  # piece of text, verdict, truth


def changed_game(data: dict) -> Game:
    """A game whose cells were changed, without the warning that they disagree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GameWarning)
        return Game.from_json(data)


def without_cells(paper: dict, *columns: str, team: bool = False) -> Game:
    """The paper's game with some cells N/A."""
    data = json.loads(json.dumps(paper))
    if team:
        for side in ("home_line", "vis_line"):
            data[side] |= {name: "N/A" for name in data[side] if name not in ("TEAM-NAME", "TEAM-CITY")}
    for column in columns:
        data["box_score"][column] = dict.fromkeys(data["box_score"][column], "N/A")
    return changed_game(data)


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
    return changed_game(data)


@pytest.fixture(scope="session")
def extractor():
    return load_extractor()


@pytest.fixture(scope="session")
def game(paper):
    return Game.from_json(paper)


@pytest.fixture(scope="session")
def season(paper):
    """The Knicks beat the Wizards on Saturday, lost to them on Monday and play the Hawks on Friday."""
    return [
        another(paper, "01_06_17", KNICKS, HAWKS, ((16, 20), (20, 15))),
        another(paper, "01_02_17", KNICKS, WIZARDS, ((16, 18), (17, 17)), PTS="20"),
        another(paper, "12_31_16", KNICKS, WIZARDS, ((16, 17), (16, 17)), ("110", "100")),
        another(paper, "12_20_15", KNICKS, HAWKS, ((16, 20), (20, 15))),
        another(paper, "01_08_17", WIZARDS, BUCKS, ((18, 18), (18, 17))),
    ]


@pytest.fixture(scope="session")
def verdict_in_short_season(extractor, paper) -> Callable[[str, str], tuple[str | None, str | None]]:
    """The verdict on a piece of a text, and the truth, about the Knicks' seventh game, against the Hawks.

    All games of the season are known. The Knicks lost the first six to the Wizards, on Monday 26 December the last,
    and this one on Wednesday, all at home. Carmelo Anthony had 30 points, 11 rebounds and seven assists in it; 20
    points before, with 11 rebounds on Monday and nine in the others, and nine assists in the first.
    """
    before = [
        another(
            *(paper, f"12_{20 + day}_16", KNICKS, WIZARDS, ((0, day), (day, 0))),
            **{"PTS": "20", "REB": "11" if day == 6 else "9", "AST": "9" if day == 1 else "5"},
        )
        for day in range(1, 7)
    ]
    game = another(paper, "12_28_16", KNICKS, HAWKS, ((0, 7), (20, 7)))
    checker = Checker(extractor, Season(before))

    def verdict(text: str, piece: str) -> tuple[str | None, str | None]:
        judged = [
            (verdict, truth)
            for part, verdict, truth in judgements(tokenize(text), checker.check(text, game))
            if part == piece
        ]
        assert len(judged) <= 1
        return judged[0] if judged else (None, None)

    return verdict


@pytest.fixture(scope="session")
def check(extractor, game, season) -> Callable[..., list[Judgement]]:
    """Runs the checker on a text about the paper's game."""
    checkers = {True: Checker(extractor, Season(season)), False: Checker(extractor)}

    def check(text: str, with_season: bool = True) -> list[Judgement]:
        return judgements(tokenize(text), checkers[with_season].check(text, game))

    return check


@pytest.fixture(scope="session")
def verdict_on(check) -> Callable[[str, str], tuple[str | None, str | None]]:
    """The checker's verdict on a piece of a text, and the truth; None twice if it does not judge the piece."""

    def verdict_on(text: str, piece: str) -> tuple[str | None, str | None]:
        judged = [(verdict, truth) for part, verdict, truth in check(text) if part == piece]
        assert len(judged) <= 1
        return judged[0] if judged else (None, None)

    return verdict_on


@pytest.fixture(scope="session")
def false_parts(check) -> Callable[[str], list[str]]:
    """The pieces of a text that the checker finds false."""
    return lambda text: [part for part, verdict, _ in check(text) if verdict == FALSE]


@pytest.fixture(scope="session")
def judged_words(extractor) -> Callable[[str, Game], list[Finding]]:
    """The checker's findings on words, not numbers or names, of a text about any game."""
    checker = Checker(extractor)
    return lambda text, game: [finding for finding in checker.check(text, game) if finding.kind == "word"]


@pytest.fixture(scope="session")
def apply_rules(extractor, paper) -> Callable[..., list[Judgement]]:
    """Runs some rules, without a season or the extractor's relations, on a text about the paper's game or another."""

    def apply_rules(rules: Iterable[Rule], text: str, game: dict = paper) -> list[Judgement]:
        recap = ParsedRecap(tokenize(text), GameFacts(changed_game(game)), extractor.names, [])
        findings = [finding for rule in rules for finding in rule(recap)]
        return judgements(recap.tokens, sorted(findings, key=lambda finding: finding.start))

    return apply_rules


def judgements(tokens: list[str], findings: Iterable[Finding]) -> list[Judgement]:
    return [(" ".join(tokens[item.start : item.end]), item.verdict, item.truth) for item in findings]
