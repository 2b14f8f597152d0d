"""What the page of `stg app` asks for: games and their box scores, recaps as they are written, checks."""

import base64
import json
import re
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from modeling_stg.errors import GameWarning, StgError
from modeling_stg.game import Game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.sentence_search import Candidate, SentenceJudge
from stg.app.box_score import box_score
from stg.app.links import Links
from stg.app.page import HINT, part, recap
from stg.checking.alignment import recap_tokens
from stg.checking.overtime import with_overtime
from stg.checking.report import check_report
from stg.converters.sources import Upload, read_any
from stg.files import shipped


EXAMPLES = shipped("examples")
EXAMPLE_FILES = ("bucks_at_knicks", "sample_league")
MAX_TEXT_LENGTH = 20_000  # characters of a recap to check
MAX_GAMES = 100  # of files; the latest ones
MAX_NAME = 200  # characters of a file's
MAX_NAMES = 50  # that a recap must mention
MAX_SEED = 2**31

Report = Callable[[dict[str, Any]], None]  # sends a part of the answer


class App:
    """Answers the page. Recaps are written and checked one at a time, because two at once would only share the CPU.

    Args:
        model: A model folder or Hub repository.
        season: Other games of the season, as `--season` names them; None for none.
        games: Files of games to choose from, beside the examples.
    """

    def __init__(self, model: str, season: str | None, games: Sequence[str] | None = None):
        from stg.checking.checker import Checker
        from stg.extraction.loading import load_extractor
        from stg.loading import load_model, load_season

        self.lock, self.reading = threading.Lock(), threading.Lock()
        own = {"Your games": sorted(read_any(games), key=lambda game: game.date, reverse=True)} if games else {}
        self.model, self.processor = load_model(model)
        self.checker, self.season = Checker(load_extractor()), load_season(season)
        examples = {"Examples": [game for name in EXAMPLE_FILES for game in read_games(EXAMPLES / f"{name}.json")]}
        self.groups = {**own, **examples}
        self.known = {
            f"{group}/{index}": json.dumps(game.to_json())
            for group, members in self.groups.items()
            for index, game in enumerate(members)
        }

    def page(self, nonce: str) -> str:
        """The page; only the style and the scripts that carry `nonce` work on it."""
        games = []
        for group, members in self.groups.items():
            options = [_option(f"{group}/{index}", _title(game)) for index, game in enumerate(members)]
            games.append(f"<optgroup label='{group}'>{''.join(options)}</optgroup>")
        names = [str(name) for name in self.processor.writers] if self.model.config.use_writer else []
        default = self.processor.default_writer
        writers = [] if default in names else [_option("", "any" if names else "the only one", True)]
        writers += [_option(name, name, name == default) for name in names]
        contents = {
            "style": part("facts.css") + part("app.css"),
            "script": part("facts.js") + part("app.js"),
            "hint": HINT,
            "games": "".join(games),
            "writers": "".join(writers),
            "nonce": nonce,
        }
        return re.sub(rf"\{{({'|'.join(contents)})\}}", lambda match: contents[match[1]], part("app.html"))

    def read(self, request: Mapping[str, Any], report: Report) -> None:
        """Reads the games of files, or of pasted text, which come in base64 with their names."""
        files = []
        for file in _field(request, "files", list):
            try:
                files.append((str(file["name"])[:MAX_NAME], base64.b64decode(file["content"], validate=True)))
            except (TypeError, KeyError, ValueError):
                raise StgError("files: are not names with contents in base64; reload the page") from None
        games = read_any([Upload(*file) for file in files])
        if len(games) > MAX_GAMES:
            games = sorted(games, key=lambda game: game.date, reverse=True)[:MAX_GAMES]
        report({"games": [{"title": _title(game), "game": json.dumps(game.to_json())} for game in games]})

    def box(self, request: Mapping[str, Any], report: Report) -> None:
        """The box score of the request's game, and what does not add up in it."""
        game, complaints = self._game(request)
        stars = sorted(game.players, key=lambda player: -(player.number("PTS") or 0))[:1]
        names = [*(player.name for player in stars), f"{game.home.name}:TEAM-REB"]
        html = box_score(Links(0, GameFacts(game, self.season)))
        report({"html": html, "complaints": complaints, "example": ", ".join(names)})

    def write(self, request: Mapping[str, Any], report: Report) -> None:
        """Writes a recap of the request's game, reporting it sentence by sentence, and checks it."""
        game, _ = self._game(request)
        facts = GameFacts(game, self.season)
        writer, seed = _field(request, "writer", str) or None, _field(request, "seed", int)
        must_mention = _field(request, "must_mention", list) or None
        if must_mention and len(must_mention) > MAX_NAMES:
            raise StgError(f"must_mention: {len(must_mention):,} names; the limit is {MAX_NAMES}")
        if not 0 <= seed < MAX_SEED:
            raise StgError(f"seed: {seed} is not between 0 and {MAX_SEED}; reload the page")
        options = {name: _field(request, name, bool) for name in ("grounded_only", "avoid_repeats")}
        is_checked = _field(request, "check", bool)
        batch = self.processor([facts], writers=[writer], must_mention=[must_mention])
        with self._turn(report):
            options |= self._decoding(facts, is_checked, report)
            import torch

            torch.manual_seed(seed)
            [ids] = self.model.generate(**batch, **options).tolist()
            if is_checked:
                [ids] = with_overtime([ids], self.processor, [facts])
            result = self._result(facts, ids)
            report({"html": recap(Links(0, facts), result, is_whole=False), "progress": "Checking it ..."})
            tokens = recap_tokens(result["text"])
            result |= check_report(game, result["text"], tokens, self.checker.check(tokens, facts))
        html = recap(Links(0, facts), result)
        style = writer or (self.processor.default_writer_of(game) if self.model.config.use_writer else "Recap")
        report({"html": html, "text": result["text"], "style": style, "done": True})

    def check(self, request: Mapping[str, Any], report: Report) -> None:
        """Checks the request's text against its game."""
        game, _ = self._game(request)
        facts, text = GameFacts(game, self.season), _field(request, "text", str).strip()
        if not text:
            raise StgError("text: is empty; paste a recap")
        if len(text) > MAX_TEXT_LENGTH:
            raise StgError(f"text: {len(text):,} characters is too long; the limit is {MAX_TEXT_LENGTH:,}")
        tokens = recap_tokens(text)
        with self._turn(report):
            findings = self.checker.check(tokens, facts)
        result = check_report(game, text, tokens, findings)
        report({"html": recap(Links(0, facts), result), "text": result["mended"], "done": True})

    def _decoding(self, facts: GameFacts, is_checked: bool, report: Report) -> dict[str, Any]:
        """The options of `generate`; a text that grows by sentences is reported as it grows."""
        from stg.checking.judge import CHECKED, Judge
        from stg.checking.sentence_judge import SentenceJudge as Checked

        stored = self.model.generation_config.to_dict()
        candidates = stored.get("sentence_candidates")
        if candidates:
            judge = Checked(self.checker, self.processor, [facts]) if is_checked else None

            def show(ids: Sequence[int], start: int) -> None:
                number = list(ids).count(self.model.config.period_token_id) + 1
                progress = f"Sentence {number}: choosing one of {candidates} candidates ..."
                if start > 1:
                    progress = f"Nothing more to say, so begun again (text {start}). {progress}"
                html = {"html": recap(Links(0, facts), self._result(facts, ids), is_whole=False)} if ids else {}
                report({"progress": progress} | html)

            return {"judge": _Watched(judge, show)}
        samples = CHECKED["consensus"] if is_checked else stored.get("consensus") or 1
        report({"progress": f"Writing {samples} recap{'s' * (samples != 1)} to choose from ..."})
        return CHECKED | {"judge": Judge(self.checker, self.processor, [facts])} if is_checked else {}

    def _result(self, facts: GameFacts, ids: Any) -> dict[str, Any]:
        """A text and its trace, as in the jsonl of `stg generate`."""
        [text], [tokens] = self.processor.batch_decode([ids], [facts]), self.processor.trace([ids], [facts])
        return {"text": text, "tokens": tokens}

    def _turn(self, report: Report) -> threading.Lock:
        """The lock to hold while working; says so if another recap has to be finished first."""
        if self.lock.locked():
            report({"progress": "Waiting for another recap to be finished ..."})
        return self.lock

    def _game(self, request: Mapping[str, Any]) -> tuple[Game, list[str]]:
        """The known or the sent game of a request, with the reader's complaints about it."""
        name = _field(request, "known", str) if "known" in request else None
        if name is not None and name not in self.known:
            raise StgError(f"game: {name!r:.60} does not exist; choose one from the list")
        text = _field(request, "game", str) if name is None else self.known[name]
        with self.reading, warnings.catch_warnings(record=True) as caught:  # which is not safe in several threads
            warnings.simplefilter("always", GameWarning)
            game = Game.from_json(parse(text, "game"))
        return game, [str(warning.message) for warning in caught if issubclass(warning.category, GameWarning)]


def parse(content: str | bytes, name: str) -> Any:
    if not content.strip():
        raise StgError(f"{name}: is empty; paste or open the RotoWire JSON of a game")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise StgError(f"{name}: is not JSON ({error}); paste or open the RotoWire JSON of a game") from None


class _Watched:
    """A judge of sentences that shows the text so far before it reads the candidates for the next one.

    Args:
        judge: the judge that decides; None accepts every candidate.
        show: receives the ids of the text so far, and which start it is: a text that got stuck is begun again. It is
            called once for each sentence. What it raises ends the writing.
    """

    def __init__(self, judge: SentenceJudge | None, show: Callable[[Sequence[int], int], None]):
        self.judge, self.show = judge, show
        self.shown: list[int] | None = None
        self.start = 0

    def __call__(self, candidates: Sequence[Candidate]) -> Sequence[float | None]:
        so_far = candidates[0].ids[: candidates[0].start]
        if so_far != self.shown:
            self.start += not so_far
            self.shown = so_far
            self.show(so_far, self.start)
        return [0.0] * len(candidates) if self.judge is None else self.judge(candidates)


def _title(game: Game) -> str:
    points = [team.values["TEAM-PTS"] or "?" for team in (game.visitor, game.home)]
    return f"{game.visitor.name} {points[0]}, {game.home.name} {points[1]} – {game.date.day} {game.date:%B %Y}"


def _option(value: str, title: str, is_chosen: bool = False) -> str:
    return f"<option value='{escape(value)}'{' selected' * is_chosen}>{escape(title)}</option>"


def _field(request: Mapping[str, Any], name: str, expected: type) -> Any:
    """The value of a field, if it has the expected type."""
    value = request.get(name)
    if not isinstance(value, expected) or isinstance(value, bool) != (expected is bool):
        raise StgError(f"{name}: {value!r:.60} is not a {expected.__name__}; reload the page")
    return value
