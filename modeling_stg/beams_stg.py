"""Beams."""


def search(model, batch, settings):
    raise NotImplementedError
