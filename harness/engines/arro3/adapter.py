"""The Rust `parquet` crate by arro3, which puts no query engine between."""

from __future__ import annotations

from corpora.tagged import Table
from harness.children.protocol import OPEN, ROWS
from harness.engines.arrow import c_interface
from harness.engines.base import Engine


class Arro3(Engine):
    """`arro3.io.read_parquet`, a reader of record batches."""

    name = "arro3"
    formats = ("parquet",)
    # https://docs.rs/parquet/latest/parquet/arrow/index.html and the crate's conversion of logical types.
    equivalences = (
        "int96-as-timestamp",
        "time-utc-ignored",
        "uuid-as-bytes",
        "json-as-string",
        "enum-as-bytes",
        "bson-as-bytes",
        "geometry-as-bytes",
        "geography-as-bytes",
        "map-as-list-of-keys",
        "variant-as-struct",
        "variant-as-stored",
        "arrow-schema-restored",
    )

    def __init__(self) -> None:
        import arro3.io

        self.library = arro3.io

    def version(self) -> str:
        """Return the version of the package."""
        from importlib.metadata import version

        return version("arro3-io")

    def read(self, file: str, format: str, config: dict[str, str]) -> Table:
        """Read a whole file."""
        self.step = OPEN
        reader = self.library.read_parquet(file)
        self.step = ROWS
        c_interface.check_names(reader.schema.names)
        return c_interface.read(reader)

    def classify(self, error: BaseException) -> str:
        """Return the kind of an exception; the crate names its kind of error at the front of the text."""
        text = str(error)
        lacking = "NYI:" in text or "NotImplemented" in text or "not implemented" in text.lower()
        return "unsupported" if lacking else super().classify(error)
