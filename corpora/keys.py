"""Keys of encrypted files of both formats, and the rules for printing them.

`Keys` opens one file. Parquet (Encryption.md): the footer key, column keys by dotted path, keys by the
`key_metadata` that a file stores (a key retriever), the AAD prefix where the file does not store it, and the
master keys of a key management service, which unwrap the keys in key material. ORC (ORCv1.md, "Column
Encryption"): master keys by name and version. A key has 16, 24 or 32 bytes.

As JSON, keys are hex; key metadata and the AAD prefix are text, or `hex:` and hex for bytes that are not
text:

    {"footer": "3031…", "columns": {"a.b": "3132…"}, "by_metadata": {"kf": "3031…"}, "aad_prefix": "tester",
     "master_keys": {"kc1": "3132…"}, "key_material": {"footerKey": "{…}"}, "orc": {"pii": {"0": "2f69…"}}}

A file of keys (`--keys FILE`) contains one such object, or `{"files": {GLOB: object, …}}`, where the first
glob that matches the end of a path selects the keys of that file. In a case, such keys are `{"file": FILE}`
or `{"file": FILE, "entry": GLOB}`: colconf writes out only keys of this suite and of the public examples
(`TEST_KEYS`). `to_json` refuses any other key without a file; `to_wire` is only for a child's pipe.

Runs in engine children: standard library only, Python 3.9.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

KEY_SIZES = (16, 24, 32)
REDACTED = "redacted"
_HEX = "hex:"


class KeysError(ValueError):
    """Keys do not have the form that this module documents; the message has one line and contains no key."""


@dataclass(frozen=True, repr=False)
class Keys:
    """The keys of one file; unknown keys are None or empty.

    `key_material`: the content of a `_KEY_MATERIAL_FOR_…json` next to the file, reference → JSON text (its
    keys are wrapped by master keys). `file` and `entry`: the origin of the keys. `repr` shows no bytes of
    keys.
    """

    footer: bytes | None = None
    columns: Mapping[str, bytes] = field(default_factory=dict)
    by_metadata: Mapping[bytes, bytes] = field(default_factory=dict)
    aad_prefix: bytes | None = None
    master_keys: Mapping[str, bytes] = field(default_factory=dict)
    key_material: Mapping[str, str] = field(default_factory=dict)
    orc: Mapping[str, Mapping[int, bytes]] = field(default_factory=dict)
    file: str | None = None
    entry: str | None = None

    def __post_init__(self) -> None:
        for key in self.secrets():
            if not isinstance(key, bytes) or len(key) not in KEY_SIZES:
                raise KeysError(f"a key is 16, 24 or 32 bytes, not {len(key)}")

    def __repr__(self) -> str:
        parts = [f"{name}={len(getattr(self, name))}" for name in _MAPPINGS if getattr(self, name)]
        if self.footer is not None:
            parts.insert(0, "footer")
        if self.aad_prefix is not None:
            parts.append("aad_prefix")
        if self.file is not None:
            parts.append(f"file={self.file!r}")
        return f"Keys({', '.join(parts)})"

    def __hash__(self) -> int:
        return hash((self.footer, tuple(self.columns), tuple(self.by_metadata), self.aad_prefix))

    def secrets(self) -> Iterator[bytes]:
        """Yield every key."""
        if self.footer is not None:
            yield self.footer
        yield from self.columns.values()
        yield from self.by_metadata.values()
        yield from self.master_keys.values()
        for versions in self.orc.values():
            yield from versions.values()

    def is_public(self) -> bool:
        """Return whether all keys are in `TEST_KEYS`, and so may be written out."""
        return all(key in TEST_KEYS for key in self.secrets())

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, for cases and results; raises KeysError for secret keys without a file."""
        if self.file is not None and not self.is_public():
            return {"file": self.file, **({} if self.entry is None else {"entry": self.entry})}
        if not self.is_public():
            raise KeysError(
                "colconf does not write out keys other than its own; put them into a file of keys"
            )
        return self.to_wire()

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form with all keys, only for a request to a child process."""
        return self._json(bytes.hex)

    def redacted(self) -> dict[str, Any]:
        """Return the JSON form for people: a key that is not public is `redacted`."""
        return self._json(lambda key: key.hex() if key in TEST_KEYS else REDACTED)

    def _json(self, spelled: Callable[[bytes], str]) -> dict[str, Any]:
        out: dict[str, Any] = {
            "footer": None if self.footer is None else spelled(self.footer),
            "columns": {path: spelled(key) for path, key in self.columns.items()},
            "by_metadata": {_text(name): spelled(key) for name, key in self.by_metadata.items()},
            "aad_prefix": None if self.aad_prefix is None else _text(self.aad_prefix),
            "master_keys": {name: spelled(key) for name, key in self.master_keys.items()},
            "key_material": dict(self.key_material),
            "orc": {
                name: {str(version): spelled(key) for version, key in versions.items()}
                for name, versions in self.orc.items()
            },
        }
        return {name: value for name, value in out.items() if value not in (None, {})}

    def with_material(self, text: str) -> Keys:
        """Return the keys with the key material of a `_KEY_MATERIAL_FOR_…json`; raises KeysError."""
        return replace(self, key_material=_texts("key material", _parsed("key material", text)))

    @staticmethod
    def from_json(data: Any, folder: Path | None = None) -> Keys:
        """Read the JSON form, and a `file` that it names (relative to `folder`); raises KeysError."""
        data = _object("keys", data)
        if "file" in data:
            return _from_reference(data, folder)
        if unknown := sorted(set(data) - {"footer", "aad_prefix", *_MAPPINGS}):
            raise KeysError(f"keys have unknown fields {', '.join(unknown)!r:.200}")
        orc = _object("orc", data.get("orc", {}))
        return Keys(
            footer=_key("footer", data["footer"]) if "footer" in data else None,
            columns=_keys("columns", data),
            by_metadata={_bytes(name): key for name, key in _keys("by_metadata", data).items()},
            aad_prefix=_bytes(data["aad_prefix"]) if "aad_prefix" in data else None,
            master_keys=_keys("master_keys", data),
            key_material=_texts("key_material", data.get("key_material", {})),
            orc={name: _versions(name, versions) for name, versions in orc.items()},
        )


_MAPPINGS = ("columns", "by_metadata", "master_keys", "key_material", "orc")


@dataclass(frozen=True)
class KeyRing:
    """The content of a file of keys: globs of paths, in order, and the keys of the files that match."""

    entries: tuple[tuple[str, Keys], ...]

    def for_file(self, path: str | Path) -> Keys | None:
        """Return the keys of the first glob that matches the path or its end, or None."""
        name = Path(path).as_posix()
        for glob, keys in self.entries:
            if fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name, f"*/{glob}"):
                return keys
        return None


def load(path: str | Path) -> KeyRing:
    """Return the content of a file of keys; raises KeysError, which names the file."""
    if Path(path).exists() and not (Path(path).is_file() or Path(path).is_dir()):
        raise KeysError(f"{path}: not a regular file")  # to open a FIFO may wait for ever
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise KeysError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    try:
        data = _object("a file of keys", _parsed("a file of keys", text))
        where = str(Path(path).absolute())
        if set(data) != {"files"}:
            return KeyRing((("*", replace(_plain(data), file=where)),))
        files = _object("files", data["files"])
        return KeyRing(
            tuple((glob, replace(_plain(keys), file=where, entry=glob)) for glob, keys in files.items())
        )
    except KeysError as error:
        raise KeysError(f"{path}: {error}") from None


def _plain(data: Any) -> Keys:
    if "file" in _object("keys", data):
        raise KeysError("a file of keys must not refer to another file")
    return Keys.from_json(data)


def _from_reference(data: dict[str, Any], folder: Path | None) -> Keys:
    if set(data) - {"file", "entry"} or not all(isinstance(value, str) for value in data.values()):
        raise KeysError("a reference to keys in a file has only `file` and `entry`")
    path = Path(data["file"]) if folder is None else folder / data["file"]
    for glob, keys in load(path).entries:
        if data.get("entry", "*") == glob:
            return keys
    raise KeysError(f"{path} has no entry {data.get('entry')!r:.80}")


def _versions(name: str, data: Any) -> dict[int, bytes]:
    out = {}
    for version, key in _object(f"orc key {name}", data).items():
        if not (version.isascii() and version.isdigit()):
            raise KeysError(f"a version of the orc key {name} is {version!r:.40}, not a number")
        out[int(version)] = _key(f"orc key {name}", key)
    return out


def _keys(name: str, data: dict[str, Any]) -> dict[str, bytes]:
    return {key: _key(name, value) for key, value in _object(name, data.get(name, {})).items()}


def _key(what: str, value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise KeysError(f"a key of {what} is not hex") from None


def _text(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace")
    plain = text.encode() == raw and text.isprintable() and not text.startswith(_HEX)
    return text if plain else _HEX + raw.hex()


def _bytes(text: Any) -> bytes:
    if not isinstance(text, str):
        raise KeysError("key metadata and the AAD prefix are text")
    return _key("metadata", text[len(_HEX) :]) if text.startswith(_HEX) else text.encode()


def _texts(what: str, data: Any) -> dict[str, str]:
    texts: dict[str, str] = _object(what, data)
    if not all(isinstance(value, str) for value in texts.values()):
        raise KeysError(f"{what} contains a value that is not text")
    return texts


def _object(what: str, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise KeysError(f"{what}: not an object")
    return data


def _parsed(what: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # json's message may contain a part of the text
        raise KeysError(f"{what}: not JSON") from None


def _example(footer: bytes, first: bytes, count: int) -> Keys:
    """Return keys of parquet-testing by key metadata: kf, and kc1 … with different last characters."""
    columns = [first[:-1] + b"%d" % (first[-1] - ord("0") + number) for number in range(count)]
    named = {b"kc%d" % (number + 1): key for number, key in enumerate(columns)}
    return Keys(footer=footer, by_metadata={b"kf": footer, **named})


# The public keys of apache/parquet-testing (data/README.md) and of its key material, whose master keys are
# those of the tests of Arrow C++ and parquet-java; and the key `pii` of apache/orc's example keystore.
PARQUET_TESTING = _example(b"0123456789012345", b"1234567890123450", 2)
PARQUET_TESTING_256 = _example(b"01234567890123456789012345678901", b"12345678901234567890123456789012", 8)
PARQUET_TESTING_MASTER = Keys(
    master_keys={
        "kf": b"0123456789012345",
        **{f"kc{number + 1}": b"123456789012345%d" % number for number in range(6)},
    }
)
ORC_EXAMPLES = Keys(
    orc={"pii": {0: bytes.fromhex("2f69f2d45e655936739d76de1f91baf174d53f584379e7602e5d1db913322c92")}}
)
PUBLISHED = {
    "parquet-testing": PARQUET_TESTING,
    "parquet-testing-prefix": replace(PARQUET_TESTING, aad_prefix=b"tester"),
    "parquet-testing-256": PARQUET_TESTING_256,
    "parquet-testing-256-prefix": replace(PARQUET_TESTING_256, aad_prefix=b"tester"),
    "parquet-testing-master": PARQUET_TESTING_MASTER,
    "orc-examples": ORC_EXAMPLES,
}


def suite_key(name: str, size: int = 16) -> bytes:
    """Return a key of the suite: `name`, repeated to `size` bytes, in readable letters."""
    return (f"{name} ".encode() * size)[:size]


SUITE_NAMES = (
    *("footer", "other footer", "master", "kek", "wrong"),
    *(f"column {number}" for number in range(16)),
)
TEST_KEYS = frozenset(
    key
    for keys in (PARQUET_TESTING, PARQUET_TESTING_256, PARQUET_TESTING_MASTER, ORC_EXAMPLES)
    for key in keys.secrets()
) | frozenset(suite_key(name, size) for name in SUITE_NAMES for size in KEY_SIZES)
