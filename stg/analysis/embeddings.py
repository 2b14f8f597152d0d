"""Section 6.2: how teams and players look to the model, before a game (e) and in one (e-bar)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from modeling_stg.game import Game
from modeling_stg.schema import DOUBLE_COLUMNS


FORMS = ("double-double", "double digits", "did not play", "other")  # of a player in a game, as in the paper
DRAWS = 2000  # random groups that a group is compared with
LEAST_GAMES = 10  # of a player whose average counts


def static(model, processor) -> tuple[list[str], np.ndarray]:
    """Names and e [N, D] of every team and player that the model knows; its first vector is the unknown one's."""
    return list(processor.entities), model.encoder.entity.weight[1:].detach().float().numpy()


@torch.inference_mode()
def dynamic(model, processor, game: Game | Mapping) -> np.ndarray:
    """e-bar of a game's teams and players, [E, D], in the game's order."""
    batch = processor([game])
    _, e_bar = model.encode(batch["entity_ids"], batch["is_home"], batch["value_ids"])
    return e_bar[0].float().numpy()


def principal(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of vectors [N, D]: coordinates [N, 2] and shares of the variance [2].

    A component's sign means nothing; here its largest loading is positive, so that a picture comes out again.
    """
    centred = vectors - vectors.mean(0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(1)])[:, None]
    return centred @ axes.T, sizes[:2] ** 2 / (sizes**2).sum()


def distances(vectors: np.ndarray) -> np.ndarray:
    """Between all pairs of vectors [N, D], in all their dimensions: [N, N]."""
    return np.linalg.norm(vectors[:, None] - vectors[None], axis=2)


def spread(between: np.ndarray, members: Sequence[int]) -> float:
    """How far the members of a group are from each other on average, [N, N] -> a number. It takes two of them."""
    within = between[np.ix_(members, members)]
    return float(within.sum() / (len(members) * (len(members) - 1)))


def closeness(vectors: np.ndarray, members: Sequence[int], seed: int = 0) -> dict[str, float]:
    """Whether a group lies closer together than chance would have it.

    ratio: its spread over that of all; chance: share of random groups of its size that are as close (at least
    1 / (DRAWS + 1), as one may not say "never").
    """
    between, random = distances(vectors), np.random.default_rng(seed)
    ours = spread(between, members)
    drawn = [spread(between, random.choice(len(vectors), len(members), replace=False)) for _ in range(DRAWS)]
    as_close = sum(other <= ours for other in drawn)
    return {"ratio": ours / spread(between, range(len(vectors))), "chance": (1 + as_close) / (1 + DRAWS)}


def form(values: Mapping[str, str | None]) -> str:
    """What a player's line is, one of FORMS."""
    if values["PTS"] is None:
        return "did not play"
    tens = sum(int(values[each] or 0) >= 10 for each in DOUBLE_COLUMNS)
    return "double-double" if tens >= 2 else "double digits" if int(values["PTS"]) >= 10 else "other"


def groups(game: Game) -> dict[str, list[int]]:
    """The players of a game by their form, as positions among its entities."""
    by_form = {name: [] for name in FORMS}
    for position, entity in enumerate(game.entities):
        if not entity.is_team:
            by_form[form(entity.values)].append(position)
    return by_form


def spread_by_form(model, processor, games: Iterable[Game]) -> dict[str, dict[str, float]]:
    """For each form: how close its players' e-bar are, as a share of all players' of their game, averaged over games.

    Games in which fewer than two players have the form do not count.
    """
    ratios = defaultdict(list)
    for game in games:
        players = [position for position, entity in enumerate(game.entities) if not entity.is_team]
        between = distances(dynamic(model, processor, game))
        whole = spread(between, players)
        for name, members in groups(game).items():
            if len(members) >= 2:
                ratios[name].append(spread(between, members) / whole)
    return {name: {"ratio": float(np.mean(found)), "games": len(found)} for name, found in ratios.items()}


def averages(games: Iterable[Game]) -> dict[str, float]:
    """Points a game of the players who played in LEAST_GAMES or more."""
    points = defaultdict(list)
    for game in games:
        for entity in game.entities:
            if not entity.is_team and entity.values["PTS"] is not None:
                points[entity.name].append(int(entity.values["PTS"]))
    return {name: float(np.mean(scored)) for name, scored in points.items() if len(scored) >= LEAST_GAMES}
