"""Checks any recap against its box score: every number, and the names and words whose truth a box score decides."""
