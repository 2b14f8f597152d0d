"""Words as pieces of a pretrained language model's vocabulary.

A text is read as it is printed ("105-104, on Wednesday."): whether a word follows a space depends on the word and on
the one before it, so every word has two spellings.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch

from .base_model import open_tokenizer
from .text import detokenize, is_attached, opens


Spelling = tuple[list[int], list[int]]
SPACED, GLUED = 0, 1  # a word after a space; a word that continues what stands before it
NO_PIECE = -1


class Pieces(NamedTuple):
    """Texts of B documents, piece by piece, N at most."""

    ids: torch.Tensor  # [B, N]; what follows the last piece of a document is padding
    token: torch.Tensor  # [B, N]: the token that the piece belongs to
    last: torch.Tensor  # [B, T]: the last piece of each token


def line_up(pieces: torch.Tensor) -> Pieces:
    """Joins the pieces of tokens, [B, T, P] (NO_PIECE where there is none), into texts."""
    batch, _, width = pieces.shape
    is_piece = (pieces != NO_PIECE).flatten(1)
    count = is_piece.cumsum(1)
    ids = pieces.new_zeros(batch, int(count[:, -1].max()))
    token = torch.zeros_like(ids)
    rows, place = is_piece.nonzero(as_tuple=True)
    index = count[rows, place] - 1
    ids[rows, index] = pieces.flatten(1)[rows, place]
    token[rows, index] = place // width
    return Pieces(ids, token, count[:, width - 1 :: width] - 1)


class Speller:
    """Spells words and values with the tokenizer of a pretrained language model, which is opened when first needed."""

    def __init__(self, language_model: str, revision: str | None):
        self.source = language_model, revision
        self.known: dict[str, Spelling] = {}

    @cached_property
    def tokenizer(self) -> Any:
        return open_tokenizer(*self.source)

    def __call__(self, text: str) -> Spelling:
        """The pieces of a token, or of a value of several, after a space and without one."""
        if text not in self.known:
            printed = detokenize(text.split(" "))
            glued = self.tokenizer.encode(printed, add_special_tokens=False)
            spaced = glued if is_attached(text) else self.tokenizer.encode(f" {printed}", add_special_tokens=False)
            self.known[text] = spaced, glued
        return self.known[text]

    def surfaces(self, texts: Iterable[str]) -> np.ndarray:
        """The pieces + 1 of values, [N, 2, P]; 0 for none."""
        return _pad([self(text) for text in texts]) - NO_PIECE

    def vocabulary(
        self, words: Sequence[str], start: str, special: Collection[str]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The spellings [2, W, P] of words, and which ones [W] the next word follows without a space.

        `start` is the word before the first one, `special` are others that are no text, such as the one at the end.
        """
        end = [self.tokenizer.eos_token_id]
        first = end if self.tokenizer.bos_token_id is None else [self.tokenizer.bos_token_id]
        alone = {start: (first, first), **dict.fromkeys(special, (end, end))}
        spellings = [alone[word] if word in alone else self(word) for word in words]
        opening = [word == start or (word not in alone and opens(word)) for word in words]
        return torch.from_numpy(_pad(spellings)).transpose(0, 1).contiguous(), torch.tensor(opening)


def _pad(spellings: Sequence[Spelling]) -> np.ndarray:
    """Spellings as one array [N, 2, P]."""
    width = max(len(pieces) for pair in spellings for pieces in pair)
    padded = np.full((len(spellings), 2, width), NO_PIECE, dtype=np.int64)
    for index, pair in enumerate(spellings):
        for side, pieces in enumerate(pair):
            padded[index, side, : len(pieces)] = pieces
    return padded
