"""Runs: stages, parts, nights and histories."""
