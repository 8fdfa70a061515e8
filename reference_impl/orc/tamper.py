"""Hooks that change a file while it is written, to break a rule on purpose."""

# ruff: noqa: ARG002 - a hook gets what a fault that overrides it may need.

from __future__ import annotations

from typing import NamedTuple

from reference_impl.orc.plan import Row
from reference_impl.orc.schema import (
    BloomFilterIndex,
    Footer,
    Metadata,
    PostScript,
    RowIndex,
    StreamKind,
    StripeFooter,
    StripeInformation,
)
from reference_impl.orc.statistics_schema import ColumnStatistics


class Place(NamedTuple):
    """A stream: stripe, type id and kind. `kind` is None for a whole column, `stripe` for the file.

    `variant` is the number of the encrypted variant, None for columns that are not encrypted.
    """

    stripe: int | None
    column: int
    kind: StreamKind | None = None
    variant: int | None = None


class Tamper:
    """Changes nothing; a fault overrides the hooks that it needs. Hooks are called in this order."""

    def rows(self, stripe: int, rows: list[Row]) -> list[Row]:
        """Change the rows of a stripe; statistics, indexes and counts are computed from the result."""
        return rows

    def numbers(self, place: Place, values: list[int]) -> list[int]:
        """Change the numbers of a stream before encoding: of DATA, LENGTH or SECONDARY, ids, or tags.

        Positions are computed from the result; a stream of bits or bytes has no numbers.
        """
        return values

    def stream(self, place: Place, data: bytes) -> bytes:
        """Change a stream before compression; positions are those of the unchanged stream."""
        return data

    def stored(self, place: Place, data: bytes) -> bytes:
        """Change a stream as it is stored, headers of chunks included; its length follows."""
        return data

    def sealed(self, place: Place, data: bytes) -> bytes:
        """Change an encrypted stream as it is stored; its length follows.

        Statistics in the tail are STRIPE_STATISTICS and FILE_STATISTICS of no stripe.
        """
        return data

    def statistics(self, place: Place, group: int | None, message: ColumnStatistics) -> ColumnStatistics:
        """Change statistics of a row group, of a stripe (`group` None), or of the file (no stripe either)."""
        return message

    def positions(self, place: Place, group: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Change the positions of a row group: all streams of the column in one list."""
        return positions

    def row_index(self, place: Place, index: RowIndex) -> RowIndex | None:
        """Change the row index of a column, or leave it out."""
        return index

    def bloom(self, place: Place, index: BloomFilterIndex) -> BloomFilterIndex | None:
        """Change the Bloom filters of a column, or leave them out."""
        return index

    def stripe_footer(self, stripe: int, footer: StripeFooter) -> StripeFooter:
        """Change a stripe's footer; its streams stay."""
        return footer

    def stripe_footer_bytes(self, stripe: int, data: bytes) -> bytes:
        """Change a stripe's footer as it is stored; footer_length follows."""
        return data

    def stripe(self, number: int, data: bytes) -> bytes:
        """Change the stored streams of a stripe, without its footer."""
        return data

    def stripe_information(self, number: int, information: StripeInformation) -> StripeInformation:
        """Change a stripe's entry in the file's footer."""
        return information

    def metadata(self, metadata: Metadata) -> Metadata:
        """Change the statistics of stripes."""
        return metadata

    def metadata_bytes(self, data: bytes) -> bytes:
        """Change the stored statistics of stripes; metadata_length follows."""
        return data

    def footer(self, footer: Footer) -> Footer:
        """Change the footer."""
        return footer

    def footer_message(self, data: bytes) -> bytes:
        """Change the footer as a message, not yet compressed."""
        return data

    def footer_bytes(self, data: bytes) -> bytes:
        """Change the footer as it is stored; footer_length follows."""
        return data

    def postscript(self, postscript: PostScript) -> PostScript:
        """Change the postscript."""
        return postscript

    def postscript_bytes(self, data: bytes) -> bytes:
        """Change the postscript as it is stored, without its length, which follows."""
        return data

    def whole(self, data: bytes) -> bytes:
        """Change the file."""
        return data


NOTHING = Tamper()
