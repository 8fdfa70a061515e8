"""Judging: what engines returned for cases, held against what the cases mean; values in, rows out.

Nothing here knows of a run or its folder: whoever judges gives the cases, the answers and the known failures.
"""
