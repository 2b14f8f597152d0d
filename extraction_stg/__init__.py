"""The relation extractor and the annotation of Z, E, A and N: a package and a Hub folder at once."""
