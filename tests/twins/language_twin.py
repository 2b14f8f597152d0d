"""The slow twin of the tracker over a pretrained language model: one game, no cache, no packing.

The tracker and the heads are those of `Twin`; the language model reads the whole text again for every token.
"""

import torch

from tests.twins.model_twin import Twin


class LanguageTwin(Twin):
    """Keeps the pieces of the text so far, each with the context it is read with."""

    def start_language(self):
        self.pieces, self.contexts, self.glued = [], [], False
        self.write_word(self.config.bos_token_id, self.context())

    @property
    def h_lm(self):
        return self.top

    def context(self):
        """The projections of h_Ent and of the writer."""
        projection = self.model.language.from_entity
        context = projection.weight @ self.h_ent + projection.bias
        if self.config.use_writer:
            context = context + self.model.from_writer.weight @ self.model.writer.weight[self.game["writer_ids"]]
        return context

    def write_word(self, word, context):
        self.write_pieces(self.model.language.spelling[int(self.glued), word], context)
        self.glued = bool(self.model.language.opening[word])

    def write_value(self, entity, slot, as_word, context):
        surface = self.game["value_surfaces"][entity, slot, int(as_word)]
        self.write_pieces(self.game["surfaces"][surface, int(self.glued)] - 1, context)
        self.glued = False  # no value ends in a hyphen or an opening parenthesis

    def write_pieces(self, pieces, context):
        pieces = [int(piece) for piece in pieces if piece >= 0]
        self.pieces += pieces
        self.contexts += [context] * len(pieces)
        self.top = self.model.language.run(
            torch.tensor([self.pieces]), torch.stack(self.contexts).unsqueeze(0), use_cache=False
        )[0, -1]

    def y_logits(self, context):
        """log p(first piece) + log p(word | first piece), word by word."""
        language = self.model.language
        of_pieces = language.base.get_output_embeddings().weight @ self.top
        rest = language.rest.weight @ self.top + language.rest.bias
        first = language.spelling[int(self.glued), :, 0].tolist()
        same = {piece: torch.tensor([other == piece for other in first]) for piece in set(first)}
        return torch.stack(
            [of_pieces[piece] + rest[word] - rest[same[piece]].logsumexp(0) for word, piece in enumerate(first)]
        )
