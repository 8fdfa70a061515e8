"""Queries that people write: a part of SQL, parsed, and typed by the columns of a file."""
