"""Random games and documents as tensors, covering every case of the tracker."""

import torch

from modeling_stg.configuration_stg import StgConfig
from modeling_stg.fact_schema import GROUPS, attribute_lists


# With facts, teams have more slots than players; without, fewer.
FACTS = dict(zip(("team_attributes", "player_attributes"), attribute_lists(GROUPS), strict=True))
SMALL = {"embedding_size": 5, "hidden_size": 7, "context_size": 6, "writer_size": 4}


def small_config(**settings) -> StgConfig:
    return StgConfig(
        **{
            "vocab_size": 23,
            "num_entities": 9,
            "num_values": 11,
            "num_writers": 3,
            "unknown_rate": 0.0,
            **SMALL,
            **settings,
        }
    )


def random_game(config: StgConfig, players: int, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """A game's tensors, without a batch axis; some cells are N/A, and some players did not play at all."""
    entities, slots = players + 2, config.num_slots

    def draw(high, *shape):
        return torch.randint(high, shape, generator=generator)

    record_mask = draw(4, entities, slots) > 0
    record_mask[:2, len(config.team_attributes) :] = False
    record_mask[2:, len(config.player_attributes) :] = False
    record_mask[-1, 2:] = False  # did not play: only the name has a value
    record_mask[:, :2] = True
    return {
        "entity_ids": draw(config.num_entities, entities),
        "entity_mask": torch.ones(entities, dtype=torch.bool),
        "is_home": torch.cat([torch.tensor([1, 0]), draw(2, players)]),
        "value_ids": draw(config.num_values, entities, slots),
        "record_mask": record_mask,
        "has_word": record_mask & (draw(2, entities, slots) > 0),
        "value_words": draw(config.vocab_size, entities, slots, 2),
        "writer_ids": draw(config.num_writers + 1, 1)[0],
    }


def record(config, game, entity, generator, as_word=None) -> int:
    """A random record of an entity, in a form that it has."""
    slots = game["record_mask"][entity].nonzero().flatten()
    slot = int(slots[torch.randint(len(slots), (1,), generator=generator)])
    if as_word is None:
        as_word = bool(torch.randint(2, (1,), generator=generator))
    return config.record_id(entity, slot, as_word and bool(game["has_word"][entity, slot]))


def random_document(config, game, length: int, generator: torch.Generator) -> list[int]:
    """First and repeated mentions, returns, a mention after a period, two periods in a row, then noise and <EoD>."""
    period, word = config.period_token_id, 9

    def mention(entity):
        return record(config, game, entity, generator)

    last = len(game["entity_ids"]) - 1
    document = [
        word,
        mention(0),
        mention(0),
        word,
        mention(1),
        period,
        mention(0),
        word,
        mention(last),
        period,
        period,
        mention(last),
    ]
    while len(document) < length:
        choice = int(torch.randint(4, (1,), generator=generator))
        if choice == 0:
            document.append(period)
        elif choice == 1:
            document.append(mention(int(torch.randint(last + 1, (1,), generator=generator))))
        else:
            document.append(int(torch.randint(3, config.vocab_size, (1,), generator=generator)))
    return [*document[:length], config.eos_token_id]


def pad(examples: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Pads games and documents of different sizes into a batch."""
    batch = {}
    for name in examples[0]:
        tensors = [example[name] for example in examples]
        shape = [max(sizes) for sizes in zip(*(tensor.shape for tensor in tensors), strict=True)]
        padded = torch.full((len(tensors), *shape), -100 if name == "labels" else 0, dtype=tensors[0].dtype)
        for row, tensor in enumerate(tensors):
            padded[(row, *(slice(size) for size in tensor.shape))] = tensor
        batch[name] = padded
    return batch


def random_batch(config, games=((4, 25), (1, 13), (6, 40)), seed=0) -> dict[str, torch.Tensor]:
    """A batch of random games; `games` has the number of players and the document length of each."""
    generator = torch.Generator().manual_seed(seed)
    examples = []
    for players, length in games:
        game = random_game(config, players, generator)
        game["labels"] = torch.tensor(random_document(config, game, length, generator))
        examples.append(game)
    return pad(examples)
