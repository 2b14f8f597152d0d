"""The sample league: consistent box scores, exact mentions, four distinct writers, reproducible from a seed."""

import random
import subprocess
import sys
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean

import datasets
import pytest

from modeling_stg.fact_schema import is_number
from modeling_stg.game import Game
from modeling_stg.game_facts import GameFacts
from modeling_stg.numbers import WORDS, to_word
from modeling_stg.schema import NUMBER_ATTRIBUTES, weekday
from modeling_stg.season import Season
from stg.dataset import league_names
from stg.dataset.league import SEED, SPLITS, league
from stg.dataset.league_recap import Recap
from stg.dataset.league_text import LENGTHS, WRITERS, write
from stg.dataset.schema import FEATURES


SAMPLE = Path(__file__).resolve().parents[3] / "rotowire_modified" / "sample"
SHOOTING_COLUMNS = (("FGM", "FGA", "FG_PCT"), ("FG3M", "FG3A", "FG3_PCT"), ("FTM", "FTA", "FT_PCT"))


@pytest.fixture(scope="module")
def splits() -> dict[str, list[dict]]:
    return league(SEED)


@pytest.fixture(scope="module")
def rows(splits) -> list[dict]:
    return [row for split in SPLITS for row in splits[split]]


@pytest.fixture(scope="module")
def games(rows) -> list[Game]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [Game.from_json(row) for row in rows]


@pytest.fixture(scope="module")
def by_writer(rows, games) -> dict[str, list[tuple[dict, Game]]]:
    return {
        writer: [(row, game) for row, game in zip(rows, games, strict=True) if row["writer"] == writer]
        for writer in WRITERS
    }


def test_seed_reproduces_the_committed_rows(splits):
    for split, rows in splits.items():
        committed = datasets.Dataset.from_parquet(str(SAMPLE / f"{split}.parquet"), keep_in_memory=True)
        assert committed.features == FEATURES
        assert committed.to_list() == datasets.Dataset.from_list(rows, features=FEATURES).to_list()


def test_committed_files_are_small():
    assert sum(path.stat().st_size for path in SAMPLE.glob("*.parquet")) < 2_000_000


def test_numbers_of_games_teams_and_players(splits, rows):
    assert {split: len(of_split) for split, of_split in splits.items()} == {"train": 400, "validation": 60, "test": 60}
    assert len({row["game_id"] for row in rows}) == 520
    assert {(row["home_city"], row["home_name"]) for row in rows} == set(league_names.TEAMS)
    assert len(league_names.TEAMS) == 12
    assert len({player["PLAYER_NAME"] for row in rows for player in row["box_score"]}) == 180
    for split, of_split in splits.items():
        assert [(row["source_split"], row["source_index"]) for row in of_split] == [
            (split, index) for index in range(len(of_split))
        ]
        writers = Counter(row["writer"] for row in of_split)
        assert set(writers) == set(WRITERS) and max(writers.values()) - min(writers.values()) <= 1


def test_team_plays_once_a_day_and_its_record_counts_its_games(rows):
    played, record = set(), {name: (0, 0) for _, name in league_names.TEAMS}
    for row in sorted(rows, key=lambda row: row["game_id"]):  # game_id begins with the date
        for side, other in (("home", "vis"), ("vis", "home")):
            name, line = row[f"{side}_name"], row[f"{side}_line"]
            assert (name, row["day"]) not in played
            played.add((name, row["day"]))
            won = int(line["TEAM-PTS"]) > int(row[f"{other}_line"]["TEAM-PTS"])
            record[name] = (record[name][0] + won, record[name][1] + (not won))
            assert (int(line["TEAM-WINS"]), int(line["TEAM-LOSSES"])) == record[name]


def test_player_lines_add_up(rows):
    for row in rows:
        for player in row["box_score"]:
            if player["MIN"] == "N/A":
                assert {player[column] for column in NUMBER_ATTRIBUTES if column in player} == {"N/A"}
                assert player["START_POSITION"] == "N/A"
                continue
            value = {column: int(player[column]) for column in NUMBER_ATTRIBUTES if column in player}
            threes = value["FG3M"]
            assert value["PTS"] == 2 * (value["FGM"] - threes) + 3 * threes + value["FTM"]
            assert value["REB"] == value["OREB"] + value["DREB"]
            assert value["FG3A"] - value["FG3M"] <= value["FGA"] - value["FGM"]
            assert value["PF"] <= 6 and value["MIN"] >= 1
            for made, tried, share in SHOOTING_COLUMNS:
                assert 0 <= value[made] <= value[tried]
                assert abs(value[share] * value[tried] - 100 * value[made]) <= value[tried] / 2


def test_team_lines_add_up(rows):
    overtimes = 0
    for row in rows:
        quarters = []
        for side in ("home", "vis"):
            line = {name: int(value) for name, value in row[f"{side}_line"].items() if name in NUMBER_ATTRIBUTES}
            players = [player for player in row["box_score"] if player["TEAM_CITY"] == row[f"{side}_city"]]
            playing = [player for player in players if player["MIN"] != "N/A"]
            total = {
                column: sum(int(player[column]) for player in playing)
                for column in playing[0]
                if column in "MIN PTS REB AST TO FGM FGA FG3M FG3A FTM FTA".split()
            }
            assert len(players) == 13 and 9 <= len(playing) <= 11
            assert [player["START_POSITION"] for player in players[:5]] == ["F", "F", "C", "G", "G"]
            assert {player["START_POSITION"] for player in players[5:]} == {"N/A"}
            assert line["TEAM-PTS"] == total["PTS"] and 70 <= line["TEAM-PTS"] <= 150
            assert (line["TEAM-REB"], line["TEAM-AST"], line["TEAM-TOV"]) == (total["REB"], total["AST"], total["TO"])
            for made, tried, share in SHOOTING_COLUMNS:
                assert abs(line[f"TEAM-{share}"] * total[tried] - 100 * total[made]) <= total[tried] / 2
            quarters.append(sum(line[f"TEAM-PTS_QTR{quarter}"] for quarter in range(1, 5)))
            overtime, rest = divmod(total["MIN"] - 240, 25)
            assert rest == 0 and overtime >= 0
            assert (line["TEAM-PTS"] > quarters[-1]) == (overtime > 0) and line["TEAM-PTS"] >= quarters[-1]
        assert (quarters[0] == quarters[1]) == (overtime > 0)
        overtimes += overtime > 0
    assert overtimes >= 5


def test_awkward_names_occur_in_texts(rows):
    names = {player["PLAYER_NAME"] for row in rows for player in row["box_score"]}
    assert {" ".join(name).strip() for name in league_names.AWKWARD} <= names
    stated = {
        (mention["entity"], mention["attribute"], mention["length"]) for row in rows for mention in row["mentions"]
    }
    assert {("Tavares Holt Jr.", "SECOND_NAME", 2), ("Xavi Torrens i Puig", "SECOND_NAME", 3)} <= stated
    assert {("Zico", "FIRST_NAME", 1), ("Émile Côté-Varga", "SECOND_NAME", 1)} <= stated
    assert {("Night Herons", "TEAM-CITY", 2), ("Night Herons", "TEAM-NAME", 2), ("Lanterns", "TEAM-CITY", 1)} <= stated
    shared = Counter(name.split(" ", 1)[-1] for name in names)
    assert sum(count > 1 for count in shared.values()) >= 20


def test_mentions_are_exact(rows, games):
    season = Season(games)
    for row, game in zip(rows, games, strict=True):
        end = 0
        for mention in row["mentions"]:
            assert mention["position"] >= end
            end = mention["position"] + mention["length"]
            tokens = row["summary"][mention["position"] : end]
            value = GameFacts(game, season).value(game.position(mention["entity"]), mention["attribute"])
            assert is_number(mention["attribute"]) == (mention["form"] != "text")
            assert tokens == ([to_word(int(value))] if mention["form"] == "word" else value.split(" "))
            assert mention["form"] != "word" or int(value) <= 20
        assert end <= len(row["summary"])


def test_every_name_and_number_word_is_a_mention(rows, games):
    """All names are marked, and all numerals except "three quarters", "at least 20 points" and sums of points."""
    sums = 0
    for row, game in zip(rows, games, strict=True):
        marked = {mention["position"] + offset for mention in row["mentions"] for offset in range(mention["length"])}
        names = {
            value
            for entity in game.entities
            for key in ("SECOND_NAME", "TEAM-NAME", "TEAM-CITY")
            if (value := entity.values.get(key))
        }
        for position, token in enumerate(row["summary"]):
            if token in names:
                assert position in marked, (row["game_id"], token)
            is_filler = row["summary"][position : position + 2] == ["three", "quarters"]
            assert position in marked or token not in WORDS or is_filler, (row["game_id"], token)
            if position not in marked and token.isdecimal():
                before = " ".join(row["summary"][position - 2 : position])
                assert before == "combined for" or (before == "at least" and token == "20"), row["game_id"]
                sums += before == "combined for"
    assert 1 <= sums <= 20


def test_last_name_alone_is_never_ambiguous(rows, games):
    for row, game in zip(rows, games, strict=True):
        before = {"position": -1, "length": 0, "attribute": "", "entity": ""}
        for mention in row["mentions"]:
            value = game.entities[game.position(mention["entity"])].values.get(mention["attribute"])
            after_first = before["attribute"] == "FIRST_NAME" and before["entity"] == mention["entity"]
            if mention["attribute"] == "SECOND_NAME" and not after_first:
                assert [player.values["SECOND_NAME"] for player in game.players].count(value) == 1
            before = mention


def test_first_sentence_names_the_winner_and_the_score(rows, games):
    for row, game in zip(rows, games, strict=True):
        home_won = int(game.home.values["TEAM-PTS"]) > int(game.visitor.values["TEAM-PTS"])
        winner, loser = (game.home, game.visitor) if home_won else (game.visitor, game.home)
        end = row["summary"].index(".")
        first = [mention for mention in row["mentions"] if mention["position"] < end]
        stated = {(mention["entity"], mention["attribute"]) for mention in first}
        for team in (winner, loser):
            assert {(team.name, "TEAM-CITY"), (team.name, "TEAM-NAME"), (team.name, "TEAM-PTS")} <= stated
        text = " ".join(row["summary"][:end])
        assert f"{winner.values['TEAM-PTS']} - {loser.values['TEAM-PTS']}" in text
        assert weekday(game.date) in text
        names = [m["entity"] for m in first if m["attribute"] == "TEAM-NAME"]
        loser_first = {"lost", "fell", "went", "short", "losing", "beaten", "defend"} & set(row["summary"][:end])
        assert names[0] == (loser.name if loser_first else winner.name)


def test_claimed_leaders_lead(rows, games):
    checked = 0
    for row, game in zip(rows, games, strict=True):
        for mention in row["mentions"]:
            before = row["summary"][max(0, mention["position"] - 4) : mention["position"]]
            if mention["attribute"] == "PTS" and before[-3:] in (["team", "-", "high"], ["game", "-", "high"]):
                player = game.entities[game.position(mention["entity"])]
                rivals = [
                    int(other.values["PTS"] or 0)
                    for other in game.players
                    if other is not player and (before[-3] == "game" or other.is_home == player.is_home)
                ]
                assert int(player.values["PTS"]) > max(rivals)
                checked += 1
            if mention["attribute"] == "REB" and "the most on the boards" in " ".join(
                row["summary"][: mention["position"]][-9:]
            ):
                player = game.entities[game.position(mention["entity"])]
                starters = [
                    int(other.values["REB"])
                    for other in game.players
                    if other.values["START_POSITION"] and other is not player and other.is_home == player.is_home
                ]
                assert int(player.values["REB"]) > max(starters)
                checked += 1
    assert checked > 50


def test_writers_differ_in_length(by_writer):
    for writer, (low, high) in LENGTHS.items():
        assert all(low <= len(row["summary"]) <= high for row, _ in by_writer[writer])
    means = [mean(len(row["summary"]) for row, _ in by_writer[writer]) for writer in WRITERS]
    assert all(after - before > 25 for before, after in pairwise(means))


def test_writers_differ_in_content_selection(by_writer):
    share = {}
    for writer, pairs in by_writer.items():
        counts = Counter(mention["attribute"] for row, _ in pairs for mention in row["mentions"])
        share[writer] = {attribute: count / len(pairs) for attribute, count in counts.items()}
    habits = {"MIN": "0", "FGM": "1", "FG3A": "1", "FTM": "1", "TEAM-PTS_QTR1": "2", "TEAM-FG_PCT": "2", "STL": "3"}
    for attribute, writer in habits.items():
        assert [name for name in WRITERS if share[name].get(attribute, 0)] == [writer]
        assert share[writer][attribute] > 0.9
    assert all(share[writer].get("TEAM-WINS", 0) == (2 if writer in "23" else 0) for writer in WRITERS)
    reserves = {writer: mean(map(_share_of_reserves, pairs)) for writer, pairs in ((w, by_writer[w]) for w in WRITERS)}
    assert reserves["3"] > 0.4 and max(reserves[writer] for writer in "012") < 0.2


def _share_of_reserves(pair: tuple[dict, Game]) -> float:
    row, game = pair
    named = {mention["entity"] for mention in row["mentions"] if mention["attribute"] == "PTS"}
    return mean(game.entities[game.position(name)].values["START_POSITION"] is None for name in named)


def test_writers_differ_in_order(by_writer):
    for writer, pairs in by_writer.items():
        for row, game in pairs:
            home_won = int(game.home.values["TEAM-PTS"]) > int(game.visitor.values["TEAM-PTS"])
            teams = [m["entity"] for m in row["mentions"] if m["attribute"] == "TEAM-NAME"]
            scorers = [game.entities[game.position(m["entity"])] for m in row["mentions"] if m["attribute"] == "PTS"]
            sides = [player.is_home for player in scorers]
            points = [int(player.values["PTS"]) for player in scorers]
            if writer == "0":
                assert teams[0] == (game.home if home_won else game.visitor).name
                assert sides == sorted(sides, reverse=home_won)
            elif writer == "1":
                assert teams[0] == (game.visitor if home_won else game.home).name
                assert sides == sorted(sides, reverse=not home_won)
            elif writer == "2":
                assert row["mentions"][0]["attribute"] == "FIRST_NAME"
                assert points == sorted(points, reverse=True)
                assert points[0] == max(int(player.values["PTS"] or 0) for player in game.players)
            else:
                assert teams[0] == game.home.name
                assert sides == sorted(sides, reverse=True)


def test_writers_differ_in_number_style(by_writer):
    forms = {writer: Counter() for writer in WRITERS}
    for writer, pairs in by_writer.items():
        for row, game in pairs:
            for mention in row["mentions"]:
                if mention["attribute"] in ("PTS", "REB", "AST"):
                    value = int(game.entities[game.position(mention["entity"])].values[mention["attribute"]])
                    column = "PTS" if mention["attribute"] == "PTS" else "count"
                    forms[writer][column, 1 + (value >= 10) + (value > 10) + (value > 20), mention["form"]] += 1
    below_ten, ten, up_to_twenty, above = 1, 2, 3, 4
    assert {form for _, _, form in forms["0"]} == {"digits"} and forms["0"]["PTS", up_to_twenty, "digits"] > 50
    for writer in "123":
        assert forms[writer]["count", below_ten, "word"] > 50 and not forms[writer]["count", below_ten, "digits"]
        assert not any(forms[writer][column, above, "word"] for column in ("PTS", "count"))
    assert forms["1"]["count", ten, "word"] and not forms["1"]["count", ten, "digits"]
    assert forms["2"]["count", ten, "digits"] and not forms["2"]["count", ten, "word"]
    for writer, form in (("1", "digits"), ("2", "digits"), ("3", "word")):
        other = "word" if form == "digits" else "digits"
        assert forms[writer]["PTS", up_to_twenty, form] > 50 and not forms[writer]["PTS", up_to_twenty, other]


def test_players_who_did_not_play_are_named_without_numbers(rows, games):
    named = 0
    for row, game in zip(rows, games, strict=True):
        absent = {player.name for player in game.players if not player.did_play}
        assert absent
        mentions = [mention for mention in row["mentions"] if mention["entity"] in absent]
        assert all(mention["form"] == "text" and row["writer"] in "23" for mention in mentions)
        named += bool(mentions)
    assert named > 20


def test_recaps_are_varied(rows, by_writer):
    """No two recaps are alike, and each writer has many distinct 4-grams."""
    assert len({" ".join(row["summary"]) for row in rows}) == len(rows)
    for pairs in by_writer.values():
        shapes = set()
        for row, _ in pairs:
            shape = list(row["summary"])
            for mention in row["mentions"]:
                shape[mention["position"]] = mention["attribute"]
            shapes |= {tuple(shape[start : start + 4]) for start in range(len(shape) - 3)}
        assert len(shapes) > 300
    words = " ".join(" ".join(row["summary"]) for row in rows)
    for phrase in (
        " He also ",
        " double - double ",
        " a steal ",
        " apiece ",
        " each ",
        " in overtime ",
        " straight win ",
    ):
        assert phrase in words
    assert not any(mark in words for mark in "{}#_") and "a(n)" not in words and "(s)" not in words


def test_tokens_are_well_formed(rows):
    for row in rows:
        assert all(token and token == token.strip() and " " not in token for token in row["summary"])
        assert row["summary"][-1] == "." and row["summary"].count("(") == row["summary"].count(")")
        assert not any(a == b and a in ", ." for a, b in pairwise(row["summary"]))


def test_missing_record_cannot_be_stated(games):
    absent = next(player for player in games[0].players if not player.did_play)
    facts = GameFacts(games[0])
    recap = Recap(facts, lambda attribute, value: False, random.Random(0))
    with pytest.raises(ValueError, match="has no PTS"):
        recap.say("{p.PTS}", p=absent)
    with pytest.raises(ValueError, match="has no TEAM-LOST_BY"):
        recap.say("The {W.name} lost by {W.LOST_BY} .")
    with pytest.raises(ValueError, match="has no TEAM-NEXT_CITY"):
        recap.say("The {W.name} travel to {W.NEXT_CITY} .")  # no season was given
    with pytest.raises(KeyError):
        write(facts, "4", random.Random(0))


def test_league_command_writes_another_seed(tmp_path, splits):
    script = SAMPLE.parent.parent / "scripts" / "league.py"
    command = [sys.executable, str(script), "--seed", "8", "--output", str(tmp_path / "other")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "train 400, validation 60, test 60" in done.stdout and "games" in done.stderr
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == [
        f"{split}.parquet" for split in sorted(SPLITS)
    ]
    other = datasets.Dataset.from_parquet(str(tmp_path / "other" / "test.parquet"), cache_dir=str(tmp_path / "cache"))
    assert other[0]["summary"] != splits["test"][0]["summary"]
