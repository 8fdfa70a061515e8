"""How a file's bytes and name tell its format. What reads and writes the formats: `corpora.build.formats`."""

from __future__ import annotations

PARQUET, ORC = "parquet", "orc"
MAGICS = {PARQUET: (b"PAR1", b"PARE"), ORC: (b"ORC",)}  # PARE: encrypted footer (Encryption.md, 5.3)
SUFFIXES = {PARQUET: (".parquet", ".parq", ".parquet.encrypted"), ORC: (".orc",)}
BY_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}
