"""A folder for each finding: the file, its case, what was said, and a script that shows it without colconf.

code_*.py ──► scripts.py ──► repro.py        expected.py: a tagged table as the lines that scripts print
gather.py ──► folders.py ──► FOLDER/         replay.py: judges a folder, a case, a seed or a file again
"""
