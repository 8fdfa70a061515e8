"""The parent's side of engine processes, and the worker that runs in them."""
