"""Modules: frame, AAD and cipher (Encryption.md, 4.1, 4.4 and 5.1).

    | length (4 bytes LE) | nonce (12 bytes) | ciphertext | tag (16 bytes; not of a page in AES_GCM_CTR_V1) |

Both ciphers keep the length: byte i of the plaintext is byte `start + HEAD + i` of the file.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from reference_impl.errors import Malformed

LENGTH, NONCE, TAG = 4, 12, 16
HEAD = LENGTH + NONCE
MAX_ORDINAL = (1 << 15) - 1  # "2-byte short"
_COUNTER = b"\0\0\0\1"  # "The first 31 bits … are set to 0, the last bit is set to 1"


class ModuleKind(IntEnum):
    """The module types of 4.4.2."""

    FOOTER = 0
    COLUMN_METADATA = 1
    DATA_PAGE = 2
    DICTIONARY_PAGE = 3
    DATA_PAGE_HEADER = 4
    DICTIONARY_PAGE_HEADER = 5
    COLUMN_INDEX = 6
    OFFSET_INDEX = 7
    BLOOM_HEADER = 8
    BLOOM_BITSET = 9

    @property
    def title(self) -> str:
        """The module's name in messages."""
        return self.name.lower().replace("_", " ")

    @property
    def rule(self) -> str:
        """The rule that a module of this kind breaks if it is not authentic."""
        return _RULES[self]


_RULES = (
    *("PQ-CRYPT-020", "PQ-CRYPT-021", "PQ-CRYPT-022", "PQ-CRYPT-023", "PQ-CRYPT-024"),
    *("PQ-CRYPT-025", "PQ-CRYPT-026", "PQ-CRYPT-027", "PQ-CRYPT-028", "PQ-CRYPT-029"),
)
PAGES = (ModuleKind.DATA_PAGE, ModuleKind.DICTIONARY_PAGE)
_PAGED = (ModuleKind.DATA_PAGE, ModuleKind.DATA_PAGE_HEADER)


class Place(NamedTuple):
    """The place of a module: ordinals of row group, column and data page, as far as its kind has them."""

    row_group: int = 0
    column: int = 0
    page: int = 0


def aad(base: bytes, kind: ModuleKind, place: Place) -> bytes:
    """Return the AAD of a module; `base` is AAD prefix and file identifier.

    Raises Malformed (PQ-CRYPT-014) for an ordinal that does not fit 2 bytes.
    """
    ordinals: tuple[int, ...] = ()
    if kind is not ModuleKind.FOOTER:
        ordinals = place if kind in _PAGED else place[:2]
    if not all(0 <= ordinal <= MAX_ORDINAL for ordinal in ordinals):
        raise Malformed(f"ordinals {list(ordinals)} do not fit 2 bytes each", rule="PQ-CRYPT-014")
    return base + bytes([kind]) + b"".join(ordinal.to_bytes(2, "little") for ordinal in ordinals)


def has_tag(kind: ModuleKind, *, ctr: bool) -> bool:
    """Return whether a module is authenticated: all modules but pages in AES_GCM_CTR_V1."""
    return not (ctr and kind in PAGES)


class Frame(NamedTuple):
    """A module: its nonce, the bytes behind the nonce, and where the module ends in the buffer."""

    nonce: bytes
    sealed: bytes
    end: int


def frame(data: bytes, at: int, base: int, kind: ModuleKind, *, ctr: bool = False) -> Frame:
    """Return the module at `data[at:]`; raises Malformed (PQ-CRYPT-010) for an impossible length.

    `base` is the absolute offset of `data[0]`.
    """
    length = int.from_bytes(data[at : at + LENGTH], "little")
    least = NONCE + (TAG if has_tag(kind, ctr=ctr) else 0)
    left = len(data) - at - LENGTH
    if left < least or not least <= length <= left:
        message = f"a module ({kind.title}) of {length} bytes, where {max(left, 0)} are left"
        raise Malformed(message, offset=base + at, rule="PQ-CRYPT-010")
    begin, end = at + LENGTH, at + LENGTH + length
    return Frame(data[begin : begin + NONCE], data[begin + NONCE : end], end)


# Importing `cryptography` takes a tenth of a second, which only encrypted files should cost.


def gcm_open(key: bytes, nonce: bytes, sealed: bytes, authentic: bytes) -> bytes | None:
    """Return the plaintext of ciphertext and tag, None if the tag does not fit."""
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - see above
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - see above

    try:
        return AESGCM(key).decrypt(nonce, sealed, authentic)
    except InvalidTag:
        return None


def gcm_seal(key: bytes, nonce: bytes, plain: bytes, authentic: bytes) -> bytes:
    """Return ciphertext and tag."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - see above

    return AESGCM(key).encrypt(nonce, plain, authentic)


def ctr(key: bytes, nonce: bytes, data: bytes) -> bytes:
    """Return the ciphertext of a plaintext, or the plaintext of a ciphertext (4.2.2)."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - see above

    worker = Cipher(algorithms.AES(key), modes.CTR(nonce + _COUNTER)).encryptor()
    return worker.update(data) + worker.finalize()
