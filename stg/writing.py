"""The short way from a box score to a recap: the text, the fact behind every number, and what the checker says.

from stg.writing import RecapWriter

recap = RecapWriter().write("examples/bucks_at_knicks.json", style="story")
print(recap)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from modeling_stg.errors import StgError
from modeling_stg.game import as_game, read_games
from modeling_stg.game_facts import GameFacts, HasFacts, as_facts
from modeling_stg.schema import UNKNOWN_WRITER
from stg.files import project_path
from stg.loading import MODELS, load_checker, load_judge, load_model, load_season


@dataclass(frozen=True)
class Recap:
    """A written recap; `str(recap)` is its text.

    Args:
        game_id: the game it is about.
        writer: the style it is written in.
        text: the text for reading.
        tokens: its tokens, each with the fact that it states, as `processor.trace` gives them. A number that states no
            fact has the form "free".
        words: the tokens as the model wrote them, in the dataset's tokenisation.
        findings: the claims that the checker finds false or cannot decide, as in the jsonl of `stg check`; None if the
            text was not checked.
        unjudged: the sentences in which the checker found no claim that it can judge; None if not checked.
    """

    game_id: str
    writer: str
    text: str
    tokens: list[dict[str, Any]]
    words: list[str]
    findings: list[dict[str, Any]] | None = None
    unjudged: list[str] | None = None

    def __str__(self) -> str:
        return self.text


class RecapWriter:
    """Writes recaps of games with a trained model, every sentence read by the checker.

    Args:
        model: a model folder or Hub repository.
        season: other games, as `--season` names them, or a `Season`; they give streaks and next games. By default the
            NBA's seasons that come with the package; None for none.
        check: whether the checker takes part; by default it does for models that write sentence by sentence.

    Example:
        >>> writer = RecapWriter()
        >>> recap = writer.write(game, style="story")
        >>> recap.text, recap.findings
    """

    def __init__(self, model: str = "modeling_stg", season: Any = "nba", check: bool | None = None):
        self.model, self.processor = load_model(model, tuple(MODELS))
        self.season = load_season(season) if season is None or isinstance(season, str) else season
        self.options: dict[str, Any] = {}  # of `generate`, for all calls
        stored = self.model.generation_config.to_dict()
        by_sentence = bool(stored.get("sentence_candidates"))
        self.checks = by_sentence if check is None else check
        if self.checks and not by_sentence and not stored.get("consensus"):
            from stg.checking.judge import CHECKED

            self.options |= CHECKED
        self.judge_for = load_judge(self.processor, stored) if self.checks else None

    @cached_property
    def checker(self) -> Any:
        """The checker, for other texts too."""
        return self.judge_for([]).checker if self.judge_for else load_checker()

    def write(
        self,
        game: Any,
        style: str | int | None = None,
        must_mention: Sequence | None = None,
        plan: Sequence | None = None,
        seed: int = 0,
        **options: Any,
    ) -> Recap:
        """Writes one recap.

        Args:
            game: a `Game`, RotoWire's JSON, a row of the dataset, a `GameFacts`, or the path of a file with one game.
            style: the writer to imitate, such as "story"; by default the model's own, or one drawn for the game.
            must_mention: names or records that the text has to mention; see `docs/generation.md`.
            plan: the records to state, in order, and no others.
            seed: another seed gives another text.
            options: options of `generate`.

        Returns:
            The recap.
        """
        import torch

        if isinstance(game, (str, Path)):
            games = read_games(project_path(str(game)))
            if len(games) != 1:
                raise StgError(f"{game}: holds {len(games)} games; read them with read_games, and write each")
            [game] = games
        has_season = isinstance(game, HasFacts) and game.season is not None
        facts = as_facts(game) if has_season else GameFacts(as_game(game), self.season)
        if not self.model.config.use_writer:
            style = UNKNOWN_WRITER
        elif style is None:
            style = self.processor.default_writer_of(facts.game)
        torch.manual_seed(seed)
        controls = [must_mention], [plan]
        parts = self.model, self.processor, self.judge_for
        return write_batch(*parts, [facts], [style], *controls, **(self.options | options))[0]


def write_batch(
    model: Any,
    processor: Any,
    judge_for: Callable[..., Any] | None,
    games: Sequence[GameFacts],
    writers: Sequence[Any],
    must_mention: Sequence | None = None,
    plan: Sequence | None = None,
    outlook: bool = True,
    **options: Any,
) -> list[Recap]:
    """Writes a recap of each game, together: `writers`, `must_mention` and `plan` hold an entry for each.

    `judge_for` is of `load_judge`, or None to write without the checker; `outlook` is whether to tell of coming games.
    """
    batch = processor(games, writers=writers, must_mention=must_mention, plan=plan)
    judge = judge_for(games) if judge_for else None
    sequences = model.generate(**batch, **options, **({"judge": judge} if judge else {}))
    if not outlook:
        from stg.checking.outlook import without_outlook

        sequences = without_outlook(sequences, processor, games)
    if judge_for and not any(plan or ()):
        from stg.checking.overtime import with_overtime

        sequences = with_overtime(sequences, processor, games)
    names = [*processor.writers, "unknown"]
    rows = zip(
        games,
        [names[processor.writer_id(writer)] for writer in writers],
        processor.batch_decode(sequences, games),
        processor.trace(sequences, games),
        processor.batch_tokens(sequences, games),
        strict=True,
    )
    return [
        Recap(facts.game.game_id, *parts, *(_remaining(judge.checker, facts, parts[1]) if judge else ()))
        for facts, *parts in rows
    ]


def _remaining(checker: Any, facts: GameFacts, text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """What the checker still finds false or undecided in a text, and the sentences that it could not judge."""
    from stg.checking.alignment import recap_tokens
    from stg.checking.findings import TRUE
    from stg.checking.report import check_report

    tokens = recap_tokens(text)
    report = check_report(facts.game, text, tokens, checker.check(tokens, facts))
    return [finding for finding in report["findings"] if finding["verdict"] != TRUE], report["unjudged"]
