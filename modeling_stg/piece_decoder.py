"""A pretrained language model, one word or value at a time, for many texts at once.

All texts about a game share one key-value cache: the rows of a sentence search differ only in their last sentence, so
what stands before it is kept once. A mask says which columns of the cache a row can see; a row that goes on from
another sees what that one saw. Words and values have different numbers of pieces: in every step the pieces of all rows
are packed side by side, so that no row waits for another.
"""

import copy
from collections.abc import Mapping
from typing import Any

import torch
from transformers import DynamicCache

from .spelling import NO_PIECE


SPARE = 64  # unused columns of the cache, and
SPARE_SHARE = 1.3  # share of the columns in use, that are kept before the others are moved together


class PieceDecoder:
    """The state of the language model for R rows, with the methods of `LmDecoder`."""

    def __init__(self, model: Any, inputs: Mapping[str, torch.Tensor], game: torch.Tensor, context: torch.Tensor):
        """Reads <SoD> with `context` [G, C], once for every game, and starts rows about the games `game` [R]."""
        self.language, config = model.language, model.config
        self.record_ids, self.head = config.record_ids, model.language.word_head()
        self.surfaces, self.value_surfaces = inputs["surfaces"], inputs["value_surfaces"]
        self.reads = context.new_zeros(0, config.lm_size)  # h' does not depend on h_LM beyond what the model reads
        self.cache, self.is_lent = DynamicCache(), False
        games = torch.arange(len(context), device=context.device)
        self.game = self.group = games  # the game of each row, and its place in the cache
        self.groups = len(games)  # places
        self.context = context
        self.visible = torch.zeros(len(games), 0, dtype=torch.bool, device=games.device)  # [R, L]
        self.length = torch.zeros_like(games)  # [R]: pieces so far
        self.glued = torch.zeros_like(games, dtype=torch.bool)  # [R]: the next word follows without a space
        start = torch.full_like(games, config.bos_token_id)
        self._read(self.language.spelling[1, start], start)
        self.keep(game)

    def set_context(self, by_lm: torch.Tensor, by_ent: torch.Tensor, rows: torch.Tensor | None = None) -> torch.Tensor:
        """Keeps the projections of h_Ent and w for what is read next; returns the logits of Z and N, [K, 2]."""
        if rows is None:
            self.context = by_ent[:, 2:].clone()  # a refresh takes effect after its period
        else:
            self.context = self.context.index_copy(0, rows, by_ent[:, 2:])
        return by_lm + by_ent[:, :2]

    def word_logits(self) -> torch.Tensor:
        """Logits of Y_t, [R, W]."""
        return self.head(self.h_lm, self.glued)

    def feed(self, words: torch.Tensor, tokens: torch.Tensor) -> None:
        """Reads the words [R], or the values that `tokens` [R] state, in all their pieces."""
        is_record = tokens >= self.record_ids.vocab_size
        entity, slot, form = self.record_ids.decode(torch.where(is_record, tokens, self.record_ids.vocab_size))
        value = torch.where(is_record, self.value_surfaces[self.game, entity, slot, form], -1)
        self._read(self.language.pieces(words, value, self.surfaces, self.glued, self.game), words)

    def _read(self, pieces: torch.Tensor, words: torch.Tensor) -> None:
        """Runs the language model on pieces [R, P] of the words [R]."""
        groups, past = self.groups, self.cache.get_seq_length()
        is_piece = pieces != NO_PIECE
        count = is_piece.sum(1)
        by_group = torch.zeros(len(pieces), groups, dtype=torch.long, device=pieces.device)
        by_group.scatter_(1, self.group.unsqueeze(1), count.unsqueeze(1))
        start = (by_group.cumsum(0) - by_group).gather(1, self.group.unsqueeze(1)).squeeze(1)  # [R]
        width = int(by_group.sum(0).max())
        rows, order = is_piece.nonzero(as_tuple=True)
        group, column = self.group[rows], start[rows] + order
        ids = torch.zeros(groups, width, dtype=torch.long, device=pieces.device)
        ids[group, column] = pieces[rows, order]
        positions = torch.zeros_like(ids)
        positions[group, column] = self.length[rows] + order
        context = self.context.new_zeros(groups, width, self.context.shape[1])
        context[group, column] = self.context[rows]
        columns = torch.arange(width, device=pieces.device)
        own = (columns >= start.unsqueeze(1)) & (columns < (start + count).unsqueeze(1))  # [R, width]
        seen = torch.cat([self._visible(past)[rows], own[rows] & (columns <= column.unsqueeze(1))], dim=1)
        mask = torch.zeros(groups, width, past + width, dtype=torch.bool, device=pieces.device)
        mask[:, columns, past + columns] = True  # padding sees itself
        mask[group, column] = seen
        penalty = torch.zeros(mask.shape, dtype=context.dtype, device=mask.device)
        penalty.masked_fill_(~mask, torch.finfo(context.dtype).min)
        hidden = self.language.run(
            ids,
            context,
            position_ids=positions,
            attention_mask=penalty.unsqueeze(1),
            past_key_values=self.cache,
            use_cache=True,
        )
        self.visible = torch.cat([self._visible(past), own], dim=1)
        self.h_lm = hidden[self.group, start + count - 1]
        self.length, self.glued = self.length + count, self.language.opening[words]

    def _visible(self, columns: int) -> torch.Tensor:
        """The columns that each row can see, [R, columns]; others may have been added for other rows."""
        return torch.nn.functional.pad(self.visible, (0, columns - self.visible.shape[1]))

    def lend(self) -> "PieceDecoder":
        """A decoder of the same rows that goes on in the same cache, and may give rows back by `take_rows`."""
        other = copy.copy(self)
        other.is_lent = True
        return other

    def keep(self, rows: torch.Tensor) -> None:
        """Keeps only these rows; a row may be kept several times."""
        for name in ("game", "group", "context", "visible", "length", "glued", "h_lm"):
            setattr(self, name, getattr(self, name)[rows])
        if not self.is_lent and len(rows):
            self._compact()

    def take_rows(self, other: "PieceDecoder", rows: torch.Tensor, into: torch.Tensor) -> None:
        """Copies `rows` of another decoder to the rows `into`."""
        columns = self.cache.get_seq_length()
        self.visible = self._visible(columns).index_copy(0, into, other._visible(columns)[rows])
        for name in ("context", "length", "glued", "h_lm"):
            setattr(self, name, getattr(self, name).index_copy(0, into, getattr(other, name)[rows]))

    def _compact(self) -> None:
        """Drops the cache's games without rows, and its columns that no row sees, if there are many."""
        columns = self.cache.get_seq_length()
        groups, group = torch.unique(self.group, return_inverse=True)
        visible = self._visible(columns)
        seen_by = torch.zeros(len(groups), columns, dtype=torch.long, device=visible.device)
        in_use = seen_by.index_add_(0, group, visible.long()) > 0
        width = int(in_use.sum(1).max())
        kept = torch.argsort((~in_use).to(torch.int8), dim=1, stable=True)[:, :width]  # [G, width]
        if columns < SPARE + SPARE_SHARE * width and len(groups) == self.groups:
            return
        cache = DynamicCache()
        layers: Any = self.cache.layers
        for number, layer in enumerate(layers):
            keys, values = (
                part[groups].gather(2, kept[:, None, :, None].expand(-1, part.shape[1], -1, part.shape[3]))
                for part in (layer.keys, layer.values)
            )
            cache.update(keys, values, number)
        self.cache, self.visible = cache, visible.gather(1, kept[group])
        self.group, self.groups = group, len(groups)
