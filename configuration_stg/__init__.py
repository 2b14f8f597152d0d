"""Re-exports `StgConfig`; it is defined in `modeling_stg`, which has to stand alone on the Hub."""

from modeling_stg.configuration_stg import StgConfig


__all__ = ["StgConfig"]
