"""Parquet modular encryption (Encryption.md): each module is encrypted on its own, bound to its place.

keys.py      which key opens the footer and which a column
material.py  keys that are stored wrapped by master keys
modules.py   the frame of a module, its AAD, and AES
opening.py   a file's and a column chunk's modules, opened
footers.py   encrypted footers, and signed ones
sealing.py   the mirror of opening, for the writer
"""
