"""The relation extractor, and the annotation of summaries with the records that they state."""
