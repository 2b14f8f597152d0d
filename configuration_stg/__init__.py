"""The model's configuration, under the name of its own that the project's card gives it."""

from modeling_stg.configuration_stg import StgConfig


__all__ = ["StgConfig"]
