"""Judging: the answers of engines, compared with the expectations of cases; values in, rows out.

Nothing here depends on a run or its folder: the caller passes the cases, the answers and the known failures.
"""
