"""colconf in other projects' tests: the pytest plugin."""
