"""A connection to DuckDB: its settings, its optimizer's passes, keys, and what an internal error leaves."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from corpora.keys import Keys
from harness.children.links import Links
from harness.engines.base import Engine
from harness.engines.duckdb.inlined import connected
from harness.engines.duckdb.versions import UNLISTED
from harness.engines.duckdb.ways import Way
from harness.engines.errors import Unsupported

# What Arrow carries must not be less than what was read: no lossy types, no 2 GiB limit on text. A version
# sets those of them that it has.
_LOSSLESS = "arrow_lossless_conversion"
_SETTINGS = {
    "TimeZone": "'UTC'",
    _LOSSLESS: "true",
    "arrow_large_buffer_size": "true",
    "autoinstall_known_extensions": "false",
}
CRYPTO = "force_mbedtls_unsafe"
# The passes (`duckdb_optimizers()`) that move a filter into the scan, one of a join or of the first rows
# among them, skip by statistics, answer from them, or read the other columns of rows later.
SKIPPING = (
    *("filter_pushdown", "statistics_propagation", "row_group_pruner", "partial_aggregate_pushdown"),
    *("join_filter_pushdown", "top_n", "late_materialization"),
)


EXTENSION = "extension"  # the passes of extensions, none of which is installed
_HAS_OPTIMIZERS = "SELECT 1 FROM duckdb_functions() WHERE function_name = 'duckdb_optimizers'"


class Connected(Engine):
    """An engine with one connection in memory."""

    def __init__(self) -> None:
        import duckdb

        self.library = self.duckdb = duckdb
        self.links = Links()
        self.encrypted = ""
        self._connect()
        self.lossless = _LOSSLESS in self._names("duckdb_settings")
        self.equivalences = (*type(self).equivalences, *without_types(duckdb.__version__))
        self.optimizers = self._optimizers()
        self.skipping = ",".join(name for name in SKIPPING if name in self.optimizers)

    def _connect(self) -> None:
        self.connection = connected(self.duckdb)
        known = self._names("duckdb_settings")
        for name, value in _SETTINGS.items():
            if name in known:
                self.connection.execute(f"SET {name} = {value}")

    def _names(self, function: str) -> set[str]:
        return {name for (name,) in self.connection.execute(f"SELECT name FROM {function}()").fetchall()}  # noqa: S608 - ours

    def _optimizers(self) -> set[str]:
        """Return the passes of the optimizer that can be switched off; 0.10 and later list them."""
        if self.connection.execute(_HAS_OPTIMIZERS).fetchone() is None:
            return set(UNLISTED)
        return self._names("duckdb_optimizers")

    @contextmanager
    def _asking(self, file: str, disabled: str = "") -> Iterator[str]:
        """Give, for a while, the name to ask by, without the passes of the optimizer in `disabled`."""
        with self._mended(), self.links.to([file]) as names:
            self.connection.execute(f"SET disabled_optimizers = '{disabled}'")
            yield next(iter(names))

    @contextmanager
    def _mended(self) -> Iterator[None]:
        """Connect anew after an internal error, so that it is not answered to whatever is asked next.

        Such an error may invalidate the database: https://duckdb.org/docs/stable/dev/internal_errors.
        """
        try:
            yield
        except Exception as error:
            internal = self.duckdb.InternalException, self.duckdb.FatalException
            if isinstance(error, internal) or not self._answers():
                self._connect()
            raise

    def enter(self, keys: Keys | None) -> None:
        """Take the key of a footer: DuckDB has one for the footer and all columns, and no AAD prefix.

        https://duckdb.org/docs/stable/data/parquet/encryption. What a connection was told, it remembers:
        hence a new one for a request with keys, and for the next one without.
        """
        if keys is not None or self.encrypted:
            self._connect()
        self.encrypted = ""
        super().enter(keys)
        if keys is None or not any(keys.secrets()):
            return
        of_columns = keys.columns or keys.by_metadata
        if of_columns or keys.master_keys or keys.aad_prefix is not None or keys.footer is None:
            raise Unsupported("DuckDB takes the key of a footer, and no key of a column, KMS or AAD prefix")
        if CRYPTO in self._names("duckdb_settings"):
            # Else, without the extension httpfs, it finds another tag in any file whose modules have an AAD.
            self.connection.execute(f"SET {CRYPTO} = 'true'")
        self.connection.execute(f"PRAGMA add_parquet_key('colconf', '{key_text(keys.footer)}')")
        self.encrypted = ", encryption_config = {footer_key: 'colconf'}"

    def _answers(self) -> bool:
        """Return whether the connection still answers; batches tell an error of DuckDB's as text alone."""
        try:
            self.connection.execute("SELECT 1").fetchall()
        except self.duckdb.Error:
            return False
        return True

    @contextmanager
    def _set(self, way: Way) -> Iterator[None]:
        """Have the settings of a way for a while; raises Unsupported where this version lacks one."""
        lacking = {name for name, _ in way.settings} - self._names("duckdb_settings") if way.settings else ()
        if lacking:
            raise Unsupported(f"this DuckDB has no setting {min(lacking)}")
        for name, value in way.settings:
            self.connection.execute(f"SET {name} = {value}")
        try:
            yield
        finally:
            for name, _ in way.settings:
                self.connection.execute(f"RESET {name}")

    def _without(self, way: Way, disabled: str) -> str:
        """Return the passes of the optimizer to switch off; raises Unsupported for one that is not there."""
        if not way.disabled:
            return disabled
        if way.disabled == "*":
            return ",".join(sorted(self.optimizers - {EXTENSION}))
        if way.disabled not in self.optimizers:
            raise Unsupported(f"this DuckDB has no optimizer {way.disabled}")
        return ",".join(filter(None, (disabled, way.disabled)))


def without_types(version: str) -> tuple[str, ...]:
    """Return the equivalences of a version that lacks types, whose columns it returns as they are stored.

    https://duckdb.org/docs/stable/data/parquet/overview: VARIANT is read since 1.4 and GEOMETRY since 1.5
    (with `spatial` before). Of UNKNOWN parquet.thrift says that its physical type is a guess; 2 has a type
    of nulls.
    """
    number = tuple(map(int, version.split(".")[:2]))
    since = {
        (1, 4): ("variant-as-struct", "variant-as-stored"),
        (1, 5): ("geometry-as-bytes", "geography-as-bytes"),
        (2, 0): ("null-as-any",),
    }
    return tuple(name for release, names in since.items() if number < release for name in names)


def key_text(key: bytes) -> str:
    """Return a key as DuckDB takes it: text of as many bytes, else base64; raises Unsupported.

    The base64 of 16 and of 24 bytes has 24 and 32 characters, which DuckDB takes for a key that is text.
    """
    text = key.decode("latin-1")
    if text.isascii() and text.isprintable() and "'" not in text:
        return text
    if len(key) in (16, 24):
        raise Unsupported("DuckDB takes a key of 16 or 24 bytes as text alone")
    return base64.b64encode(key).decode()
