"""Optimisers and learning rates."""

import math

import torch

from stg.training.settings import Settings


ACCUMULATOR = 0.1  # of Adagrad's squared gradients at first, as in OpenNMT and so in Puduppully et al. (2019)


def build_optimizer(settings: Settings, model: torch.nn.Module) -> torch.optim.Optimizer:
    """AMSGrad is the paper's. Fused: one pass over memory, the fastest on CPUs and GPUs alike."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    common = {"lr": settings.learning_rate, "weight_decay": settings.weight_decay, "fused": True}
    if settings.optimizer == "sgd":
        return torch.optim.SGD(parameters, **common)
    if settings.optimizer == "adagrad":
        return torch.optim.Adagrad(parameters, initial_accumulator_value=ACCUMULATOR, **common)
    if settings.optimizer == "adamw":
        return torch.optim.AdamW(parameters, **common)
    return torch.optim.Adam(parameters, amsgrad=settings.optimizer == "amsgrad", **common)


def learning_rate(settings: Settings, step: int, epoch: int, part: float, factor: float) -> float:
    """At `step`, which lies `part` (0 to 1) into `epoch`; `factor` is what stalls have made of it."""
    done = min((epoch + part) / settings.epochs, 1.0)
    shape = {
        "exponential": settings.decay ** max(epoch + 1 - settings.decay_after, 0),
        "linear": 1 - done,
        "cosine": 0.5 * (1 + math.cos(math.pi * done)),
        "plateau": factor,
    }[settings.schedule]
    warm = min(1.0, (step + 1) / settings.warmup_steps) if settings.warmup_steps else 1.0
    return settings.learning_rate * shape * warm
