"""A folder for each finding: the file, its case, the answers of the engines, and a script without colconf.

scripts.py, heading.py ──► repro.py              expected.py: a tagged table as the lines that scripts print
collect.py, repro.py ──► folders.py ──► FOLDER/  replay.py: judges a folder, a case, a seed or a file again
"""
