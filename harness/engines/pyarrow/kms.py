"""A key management service in this process: it wraps keys by master keys, and opens wrapped ones.

    wrapped = base64( nonce (12 bytes) | ciphertext | tag (16 bytes) ), AES GCM; AAD: the id of the master key

Engines ask it through their own interfaces. A wrapped key is two or three blocks of AES, and an adapter has
the standard library alone: hence AES here (FIPS 197, NIST SP 800-38D), which is neither fast nor of constant
time, and is for test keys. Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import inspect
import json
from collections.abc import Mapping

_NONCE, _TAG, _BLOCK = 12, 16, 16
_REDUCTION = 0xE1 << 120  # of the field of GCM, its bits reflected


class KmsError(Exception):
    """A wrapped key cannot be opened; the message shows no key."""

    __module__ = "harness.engines.kms"  # as results have it; see harness/engines/errors.py


def unwrap(master_keys: Mapping[str, bytes], wrapped: str, name: str) -> bytes:
    """Return the key in `wrapped`, by the master key of that name; raises KmsError."""
    if name not in master_keys:
        raise KmsError(f"the master key {name!r:.80} is not known here")
    try:
        if wrapped.startswith("{"):  # of a client that fetches master keys
            wrapped = json.loads(wrapped)["encryptedKey"]
        raw = base64.b64decode(wrapped, validate=True)
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise KmsError("a wrapped key that is not base64") from None
    if len(raw) < _NONCE + _TAG:
        raise KmsError("a wrapped key that is too short")
    schedule, nonce, sealed = _schedule(master_keys[name]), raw[:_NONCE], raw[_NONCE:-_TAG]
    if not hmac.compare_digest(_tag(schedule, nonce, sealed, name.encode()), raw[-_TAG:]):
        raise KmsError("a wrapped key that the master key does not open")
    return _enciphered(schedule, nonce, sealed)


def wrap(master_key: bytes, key: bytes, name: str) -> str:
    """Return a key wrapped by the master key of that name; equal keys are wrapped alike."""
    schedule = _schedule(master_key)
    nonce = hashlib.sha256(name.encode() + key).digest()[:_NONCE]
    sealed = _enciphered(schedule, nonce, key)
    return base64.b64encode(nonce + sealed + _tag(schedule, nonce, sealed, name.encode())).decode()


def source() -> str:
    """Return the source text of `wrap`, for scripts: it needs the modules base64 and hashlib."""
    functions = (_double, _made_box, _product, _schedule, _mixed, _block, _enciphered, _tag, wrap)
    parts = [inspect.getsource(function) for function in functions]
    parts.insert(2, "_BOX = _made_box()\n")
    constants = f"_NONCE, _BLOCK = {_NONCE}, {_BLOCK}\n_REDUCTION = 0xE1 << 120\n"
    return "\n\n".join(["\n\n" + constants, *parts])


def _tag(schedule: list[bytes], nonce: bytes, sealed: bytes, authentic: bytes) -> bytes:
    """Return the tag of a ciphertext (SP 800-38D, 7.1)."""
    subkey = int.from_bytes(_block(schedule, bytes(_BLOCK)), "big")
    lengths = (8 * len(authentic)).to_bytes(8, "big") + (8 * len(sealed)).to_bytes(8, "big")
    state = 0
    for data in (authentic, sealed, lengths):
        for at in range(0, len(data), _BLOCK):
            state ^= int.from_bytes(data[at : at + _BLOCK].ljust(_BLOCK, b"\0"), "big")
            state = _product(state, subkey)
    built = state ^ int.from_bytes(_block(schedule, nonce + b"\0\0\0\1"), "big")
    return built.to_bytes(_BLOCK, "big")


def _enciphered(schedule: list[bytes], nonce: bytes, data: bytes) -> bytes:
    """Return the ciphertext of data, and the other way round (SP 800-38D, 6.5, from the second block on)."""
    stream = b"".join(
        _block(schedule, nonce + (2 + number).to_bytes(4, "big")) for number in range(-(-len(data) // _BLOCK))
    )
    return bytes(byte ^ other for byte, other in zip(data, stream))


def _product(left: int, other: int) -> int:
    """Return the product in GF(2^128) (SP 800-38D, 6.3)."""
    result = 0
    for bit in range(127, -1, -1):
        if left >> bit & 1:
            result ^= other
        other = other >> 1 ^ (_REDUCTION if other & 1 else 0)
    return result


def _double(byte: int) -> int:
    """Return twice a byte in GF(2^8) (FIPS 197, 4.2)."""
    return (byte << 1 ^ 0x1B) & 0xFF if byte & 0x80 else byte << 1


def _made_box() -> bytes:
    """Return the S-box (FIPS 197, 5.1.1): the inverse of each byte, and then an affine map."""
    box = bytearray(256)
    byte = other = 1
    while True:
        byte ^= _double(byte)  # times 3
        for shift in (1, 2, 4):  # and divided by 3
            other ^= other << shift & 0xFF
        other ^= 0x09 if other & 0x80 else 0
        turned = 0
        for shift in range(5):
            turned ^= (other << shift | other >> (8 - shift)) & 0xFF
        box[byte] = turned ^ 0x63
        if byte == 1:
            break
    box[0] = 0x63
    return bytes(box)


_BOX = _made_box()


def _schedule(key: bytes) -> list[bytes]:
    """Return the round keys of a key of 16, 24 or 32 bytes (FIPS 197, 5.2)."""
    count = len(key) // 4
    words = [key[4 * at : 4 * at + 4] for at in range(count)]
    power = 1
    for at in range(count, 4 * (count + 7)):
        word = words[-1]
        if at % count == 0:
            word = bytes(_BOX[byte] for byte in word[1:] + word[:1])
            word = bytes((word[0] ^ power,)) + word[1:]
            power = _double(power)
        elif count > 6 and at % count == 4:
            word = bytes(_BOX[byte] for byte in word)
        words.append(bytes(byte ^ other for byte, other in zip(words[at - count], word)))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]


def _block(schedule: list[bytes], data: bytes) -> bytes:
    """Return a block enciphered (FIPS 197, 5.1)."""
    state = bytes(byte ^ other for byte, other in zip(data, schedule[0]))
    for key in schedule[1:]:
        state = bytes(_BOX[state[5 * at % _BLOCK]] for at in range(_BLOCK))
        if key is not schedule[-1]:
            state = b"".join(_mixed(state[at : at + 4]) for at in range(0, _BLOCK, 4))
        state = bytes(byte ^ other for byte, other in zip(state, key))
    return state


def _mixed(column: bytes) -> bytes:
    """Return a column mixed (FIPS 197, 5.1.3)."""
    all_ = column[0] ^ column[1] ^ column[2] ^ column[3]
    return bytes(byte ^ all_ ^ _double(byte ^ next_) for byte, next_ in zip(column, column[1:] + column[:1]))
