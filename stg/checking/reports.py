"""From texts to reports: the JSON of `stg check`, of one recap or of many."""

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modeling_stg.game import as_game, read_games
from modeling_stg.game_facts import GameFacts
from modeling_stg.season import Season
from stg.checking.alignment import recap_tokens
from stg.checking.batches import in_processes
from stg.checking.checker import Checker
from stg.checking.report import check_report
from stg.converters.shipped import ShippedSeasons
from stg.extraction.loading import load_extractor


_BATCH = 8  # recaps that the network reads at once


def check_recap(text: str, game: Any, season: Season | None = None, mode: str = "default") -> dict[str, Any]:
    """Checks one recap; the extractor and the seasons are loaded by the first call.

    Args:
        text: plain text.
        game: a file with its game, the JSON of one, a `Game` or a `GameFacts`, whose own season is then used.
        season: other games; by default the shipped seasons, which know the games of 2013-14 to 2018-19.
        mode: what is flagged: "default", "strict" or "lenient".

    Returns:
        The report, as report.schema.json describes it.

    Example:
        >>> report = check_recap("The Bucks beat the Knicks, 105-101.", "examples/bucks_at_knicks.json")
        >>> [finding["truth"] for finding in report["findings"] if finding["flagged"]]
        ['104']
    """
    checker = _shipped_checker()
    if isinstance(game, (str, Path)):
        [game] = read_games(game)
    facts = game if isinstance(game, GameFacts) else GameFacts(as_game(game), season or checker.season)
    return next(check_recaps(checker, [text], [facts], mode=mode))


def check_recaps(
    checker: Checker, texts: Sequence[str], games: Sequence[GameFacts], processes: int = 1, mode: str = "default"
) -> Iterator[dict[str, Any]]:
    """The reports of many recaps, in their order.

    Args:
        checker: reads and judges them.
        texts: plain text or the dataset's tokens with spaces.
        games: the game of each, with its season.
        processes: how many work at once.
        mode: what is flagged.
    """
    if processes > 1:
        read_seasons(games)

    def work(batch: int) -> list[dict[str, Any]]:
        at = slice(batch * _BATCH, (batch + 1) * _BATCH)
        tokens = [recap_tokens(text) for text in texts[at]]
        found = checker.check_batch(tokens, games[at])
        return [
            check_report(facts.game, text, words, findings, mode)
            for facts, text, words, findings in zip(games[at], texts[at], tokens, found, strict=True)
        ]

    for reports in in_processes(work, -(-len(texts) // _BATCH), processes):
        yield from reports


def read_seasons(games: Sequence[GameFacts]) -> None:
    """Reads the shipped seasons of the games, so that processes forked later share them."""
    for facts in games:
        if facts.season is not None:
            facts.season.next(facts.game, 0)


@functools.cache
def _shipped_checker() -> Checker:
    return Checker(load_extractor(), ShippedSeasons())
