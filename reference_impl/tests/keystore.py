"""A Java keystore (JCEKS) of Hadoop's JavaKeyStoreProvider, as far as apache/orc's example needs it.

    magic 0xCECECECE | version 2 | count | entries | SHA-1 of password, "Mighty Aphrodite", and all before
    entry := 3 | alias, 2 bytes of length before it | date, 8 bytes | a SealedObject of Java

A sealed object is PBEWithMD5AndTripleDES: salt and count of rounds stand as DER in it, then the bytes. What
it seals is a javax.crypto.spec.SecretKeySpec, whose last field is the key, or metadata: only these are read.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = bytes.fromhex("cececece00000002")
DIGEST = 20
ENTRY = re.compile(rb"\x00\x00\x00\x03\x00.", re.DOTALL)
PARAMETERS = re.compile(rb"\x30\x0f\x04\x08(?P<salt>.{8})\x02\x03(?P<rounds>.{3})uq\x00~\x00\x05", re.DOTALL)
BYTES = re.compile(rb"ur\x00\x02\[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp(?P<length>....)", re.DOTALL)


def keys(path: Path, password: str) -> dict[str, bytes]:
    """Return the secret keys by alias, `name@version`."""
    data = path.read_bytes()
    told = hashlib.sha1(password.encode("utf-16-be") + b"Mighty Aphrodite" + data[:-DIGEST]).digest()
    assert data.startswith(MAGIC)
    assert told == data[-DIGEST:], "not this password, or not this file"
    out = {}
    for found in PARAMETERS.finditer(data):
        entry = max(one.start() for one in ENTRY.finditer(data, 0, found.start()))
        length = data[entry + 5]
        alias = data[entry + 6 : entry + 6 + length].decode()
        at = found.end() + 4
        size = int.from_bytes(data[found.end() : at], "big")
        rounds = int.from_bytes(found["rounds"], "big")
        plain = _unsealed(password, found["salt"], rounds, data[at : at + size])
        if b"SecretKeySpec" in plain:
            last = list(BYTES.finditer(plain))[-1]
            out[alias] = plain[last.end() :][: int.from_bytes(last["length"], "big")]
    return out


def _unsealed(password: str, salt: bytes, rounds: int, sealed: bytes) -> bytes:
    """Decrypt: key and vector are the MD5 of half the salt and the password, again and again, twice."""
    halves = [salt[:4], salt[4:]]
    if halves[0] == halves[1]:
        halves[0] = halves[0][::-1]
    derived = b""
    for half in halves:
        digest = half
        for _ in range(rounds):
            digest = hashlib.md5(digest + password.encode()).digest()
        derived += digest
    cipher = Cipher(TripleDES(derived[:24]), CBC(derived[24:])).decryptor()
    plain = cipher.update(sealed) + cipher.finalize()
    return plain[: -plain[-1]]
