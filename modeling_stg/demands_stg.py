"""What the caller demands of a text: records that must be stated, a plan, no number twice."""


class Demands:
    @classmethod
    def read(cls, batch, settings, config, decoding):
        return None
