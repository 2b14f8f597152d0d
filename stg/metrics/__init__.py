"""Scores of generated summaries: RG, CS, CO, BLEU, repetition and sanity; `evaluate.load("stg/metrics/rotowire")`."""
