"""The paper's analyses (section 6): what entities look like to the model, what it tracks, what it says twice."""
