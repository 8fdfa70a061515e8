"""Parquet modular encryption (Encryption.md): each module is encrypted on its own, bound to its place.

keys.py      the keys of the footer and of columns
material.py  keys that are stored wrapped by master keys
modules.py   the frame of a module, its AAD, and AES
opening.py   opening the modules of a file and of a column chunk
footers.py   encrypted footers, and signed ones
sealing.py   the inverse of opening, for the writer
"""
