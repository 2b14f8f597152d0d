"""How surprising sentences are to a pretrained language model, which has no part in writing or judging them.

Nobody marks senseless sentences automatically with certainty. But a language model finds a sentence that slides from
one phrase into another surprising, whatever the box score says. The yardstick is people's sentences about the same
games: `odd_sentences` is the share of a system's sentences that surprise the model more than all but 1% of people's.

    surprise        mean surprise of a sentence's words in lower case, in nats, given all before them; names and
                    numbers, which nothing in the text explains, are read but not counted
    odd_sentences   share of sentences above the 99th percentile of people's
"""

import re
from collections.abc import Mapping, Sequence
from statistics import mean

import numpy as np
import torch
from tqdm import tqdm

from modeling_stg.errors import StgError
from modeling_stg.text import detokenize, sentences


SENSE = ("surprise", "odd_sentences")
ODD = 99  # percentile of people's sentences
LONGEST = 1024  # pieces that are read; later sentences are left out


class SenseMeter:
    """Reads texts with a causal language model.

    Args:
        folder: a model of `transformers`, a folder or a name on the Hub.

    Example:
        >>> meter = SenseMeter("smollm2")
        >>> meter.surprises(["The", "Bucks", "won", ".", "They", "won", "row", "."])
    """

    def __init__(self, folder: str):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        try:
            self.tokenizer = AutoTokenizer.from_pretrained(folder)
            self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise StgError(f"--sense {folder}: is no language model ({reason}); name a folder with one") from None

    @torch.inference_mode()
    def surprises(self, tokens: list[str]) -> list[float]:
        """The surprise of every sentence of a text, in nats per word in lower case."""
        spans = sentences(tokens)
        ends, text = [], ""
        for _, end in spans:
            text = detokenize(tokens[:end])
            ends.append(len(text))
        start = self.tokenizer.bos_token_id
        encoded = self.tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids = torch.tensor(
            [[self.tokenizer.eos_token_id if start is None else start, *encoded["input_ids"]][:LONGEST]]
        )
        log_probs = self.model(ids).logits[0, :-1].log_softmax(-1)
        costs = -log_probs.gather(1, ids[0, 1:, None])[:, 0].numpy()
        pieces = [range(*span) for span in encoded["offset_mapping"][: len(costs)]]
        words = [match.span() for match in re.finditer(r"(?<![\w-])[a-z][a-z'-]*", text)]
        of_word = {position: word for word, span in enumerate(words) for position in range(*span)}
        surprise = np.zeros(len(words))
        for cost, piece in zip(costs, pieces, strict=True):
            word = of_word.get(piece[-1]) if piece else None
            if word is not None:
                surprise[word] += cost
        of_sentence = np.searchsorted(ends, [last for _, last in words])
        return [float(surprise[of_sentence == index].mean()) for index in sorted(set(of_sentence.tolist()))]


def sense(systems: Mapping[str, Sequence[list[str]]], people: str, folder: str) -> dict[str, dict[str, float]]:
    """The scores of every system's texts; `people` is the system whose sentences are the yardstick."""
    meter = SenseMeter(folder)
    surprises = {
        name: [
            value for tokens in tqdm(texts, desc=f"reading {name}", unit="text") for value in meter.surprises(tokens)
        ]
        for name, texts in systems.items()
    }
    limit = float(np.percentile(surprises[people], ODD))
    return {
        name: {"surprise": mean(values), "odd_sentences": 100 * mean(value > limit for value in values)}
        for name, values in surprises.items()
    }
