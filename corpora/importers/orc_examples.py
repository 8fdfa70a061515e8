"""The examples of apache/orc, with expectations from `orc_examples.toml` and the JSON next to the files.

An entry applies only while the file has the digest of the entry. Next to most files is the output of ORC's
own C++ tool: the expected values, where the output is exact (`orc_json.py`). The engines vote on files with
floats and on files without an entry. Encrypted files have the key of the keystore next to them; the notes
state their values without the key.
"""

from __future__ import annotations

from pathlib import Path

TABLE = Path(__file__).with_suffix(".toml")
NAMESPACE = "orc-examples"
EXPECTATIONS = ("accept", "refuse", "either", "vote")
WRITER = "writer:orc-contents@1"  # of ORC C++
_DECRYPTED_BY = "writer:spark@3.2.0"  # which printed the values of encrypted files (apache/orc#833)
