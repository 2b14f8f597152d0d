"""The paper's analyses (section 6), and comparisons of ways to choose and rewrite sampled texts."""
