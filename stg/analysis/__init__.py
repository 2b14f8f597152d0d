"""The paper's analyses (section 6): entity embeddings, saliency, duplicated relations, an example."""
