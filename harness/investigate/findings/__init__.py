"""A folder for each finding: the file, its case, the answers of the engines, and a script without colconf.

code_*.py ──► scripts.py ──► repro.py        expected.py: a tagged table as the lines that scripts print
collect.py ─► folders.py ──► FOLDER/         replay.py: judges a folder, a case, a seed or a file again
"""
