"""Section 6.2: embeddings of teams and players, before a game (e) and in one (e-bar)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from modeling_stg.encoder import ENCODED
from modeling_stg.game import Entity, Game
from modeling_stg.schema import DOUBLE_FIGURES


FORMS = ("double-double", "double digits", "did not play", "other")  # how a player did in a game, as in the paper
DRAWS = 2000  # random groups to compare a group with
MIN_GAMES = 10  # for a player's average to count


def static(model, processor) -> tuple[list[str], np.ndarray]:
    """Names and e [N, D] of every team and player the model knows; the first row, the unknown entity, is left out."""
    return list(processor.entities), model.encoder.entity.weight[1:].detach().float().numpy()


@torch.inference_mode()
def dynamic(model, processor, game: Game | Mapping) -> np.ndarray:
    """e-bar of a game's teams and players, [E, D], in the game's order."""
    batch = processor([game])
    _, e_bar = model.encode(*(batch[name] for name in ENCODED))
    return e_bar[0].float().numpy()


def principal(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of vectors [N, D]: coordinates [N, 2] and shares of the variance [2].

    A component's sign is arbitrary; its largest loading is made positive, so that pictures are reproducible.
    """
    centred = vectors - vectors.mean(0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(1)])[:, None]
    return centred @ axes.T, sizes[:2] ** 2 / (sizes**2).sum()


def distances(vectors: np.ndarray) -> np.ndarray:
    """Distances between all pairs of vectors [N, D]: [N, N]."""
    return np.linalg.norm(vectors[:, None] - vectors[None], axis=2)


def spread(between: np.ndarray, members: Sequence[int]) -> float:
    """Mean distance between the members of a group, at least two of them."""
    within = between[np.ix_(members, members)]
    return float(within.sum() / (len(members) * (len(members) - 1)))


def closeness(vectors: np.ndarray, members: Sequence[int], seed: int = 0) -> dict[str, float]:
    """Tests whether a group is closer together than chance.

    "ratio" is its spread over that of all vectors, "chance" the share of random groups of its size that are as close,
    the group itself included, so at least 1 / (DRAWS + 1).
    """
    between, random = distances(vectors), np.random.default_rng(seed)
    observed = spread(between, members)
    drawn = [spread(between, random.choice(len(vectors), len(members), replace=False)) for _ in range(DRAWS)]
    as_close = sum(other <= observed for other in drawn)
    return {"ratio": observed / spread(between, range(len(vectors))), "chance": (1 + as_close) / (1 + DRAWS)}


def form(player: Entity) -> str:
    """How a player did, one of FORMS."""
    points = player.number("PTS")
    if points is None:
        return "did not play"
    return "double-double" if len(player.doubles()) >= 2 else "double digits" if points >= DOUBLE_FIGURES else "other"


def groups(game: Game) -> dict[str, list[int]]:
    """Positions of a game's players by form."""
    by_form = {name: [] for name in FORMS}
    for position, entity in enumerate(game.entities):
        if not entity.is_team:
            by_form[form(entity)].append(position)
    return by_form


def spread_by_form(model, processor, games: Iterable[Game]) -> dict[str, dict[str, float]]:
    """The spread of e-bar of the players of each form, relative to all players of their game, averaged over games.

    Games with fewer than two players of a form are left out.
    """
    ratios = defaultdict(list)
    for game in games:
        players = [position for position, entity in enumerate(game.entities) if not entity.is_team]
        between = distances(dynamic(model, processor, game))
        whole = spread(between, players)
        for name, members in groups(game).items():
            if len(members) >= 2:
                ratios[name].append(spread(between, members) / whole)
    return {name: {"ratio": float(np.mean(values)), "games": len(values)} for name, values in ratios.items()}


def averages(games: Iterable[Game]) -> dict[str, float]:
    """Points per game of players with at least MIN_GAMES games."""
    points = defaultdict(list)
    for game in games:
        for entity in game.entities:
            if not entity.is_team and entity.values["PTS"] is not None:
                points[entity.name].append(int(entity.values["PTS"]))
    return {name: float(np.mean(scored)) for name, scored in points.items() if len(scored) >= MIN_GAMES}
