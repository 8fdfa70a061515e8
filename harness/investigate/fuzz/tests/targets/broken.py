"""A target that cannot be imported."""

raise ImportError("planted")
