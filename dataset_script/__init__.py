"""RotoWire-Modified with writers: its schema, its builder, and the sample league."""
