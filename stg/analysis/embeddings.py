"""Section 6.2: the embeddings of teams and players, before a game (e) and within one (e-bar)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from modeling_stg.game import Game
from modeling_stg.schema import DOUBLE_COLUMNS


FORMS = ("double-double", "double digits", "did not play", "other")  # of a player in a game, as in the paper
DRAWS = 2000  # random groups to compare a group with
MIN_GAMES = 10  # for a player's average


def static(model, processor) -> tuple[list[str], np.ndarray]:
    """Names and e [N, D] of every known team and player; the embedding's first row is for unknown ones."""
    return list(processor.entities), model.encoder.entity.weight[1:].detach().float().numpy()


@torch.inference_mode()
def dynamic(model, processor, game: Game | Mapping) -> np.ndarray:
    """e-bar of a game's teams and players, [E, D], in the game's order."""
    batch = processor([game])
    _, e_bar = model.encode(batch["entity_ids"], batch["is_home"], batch["value_ids"])
    return e_bar[0].float().numpy()


def principal(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two principal components of vectors [N, D]: coordinates [N, 2] and shares of the variance [2].

    The sign of a component is arbitrary; its largest loading is made positive, so that figures are reproducible.
    """
    centred = vectors - vectors.mean(0)
    _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2] * np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(1)])[:, None]
    return centred @ axes.T, sizes[:2] ** 2 / (sizes**2).sum()


def distances(vectors: np.ndarray) -> np.ndarray:
    """Euclidean distances between all pairs of vectors [N, D]: [N, N]."""
    return np.linalg.norm(vectors[:, None] - vectors[None], axis=2)


def spread(between: np.ndarray, members: Sequence[int]) -> float:
    """The mean distance between the members of a group, of two or more, given all distances [N, N]."""
    within = between[np.ix_(members, members)]
    return float(within.sum() / (len(members) * (len(members) - 1)))


def closeness(vectors: np.ndarray, members: Sequence[int], seed: int = 0) -> dict[str, float]:
    """Whether a group lies closer together than random groups do.

    Returns:
        "ratio": the group's spread over that of all vectors. "chance": the share of random groups of the same size
        that are as close, a permutation p-value and so at least 1 / (DRAWS + 1).
    """
    between, random = distances(vectors), np.random.default_rng(seed)
    ours = spread(between, members)
    drawn = [spread(between, random.choice(len(vectors), len(members), replace=False)) for _ in range(DRAWS)]
    as_close = sum(other <= ours for other in drawn)
    return {"ratio": ours / spread(between, range(len(vectors))), "chance": (1 + as_close) / (1 + DRAWS)}


def form(values: Mapping[str, str | None]) -> str:
    """The form of a player's line, one of FORMS."""
    if values["PTS"] is None:
        return "did not play"
    tens = sum(int(values[column] or 0) >= 10 for column in DOUBLE_COLUMNS)
    return "double-double" if tens >= 2 else "double digits" if int(values["PTS"]) >= 10 else "other"


def groups(game: Game) -> dict[str, list[int]]:
    """The players of a game by form, as positions among its entities."""
    by_form: dict[str, list[int]] = {name: [] for name in FORMS}
    for position, entity in enumerate(game.entities):
        if not entity.is_team:
            by_form[form(entity.values)].append(position)
    return by_form


def spread_by_form(model, processor, games: Iterable[Game]) -> dict[str, dict[str, float]]:
    """For each form, the spread of its players' e-bar relative to all players of the game, averaged over games.

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
