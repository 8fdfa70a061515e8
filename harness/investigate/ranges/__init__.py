"""The versions of known failures, found by asking releases of an engine."""
