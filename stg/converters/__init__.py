"""Readers of other box-score formats."""
