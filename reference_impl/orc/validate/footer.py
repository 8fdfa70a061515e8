"""Checks of the tail and of stripe footers that a reader does not need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference_impl.errors import ReferenceError_
from reference_impl.orc.schema import Metadata, TypeKind
from reference_impl.orc.tail import MAGIC, stripe_end
from reference_impl.orc.validate.opened import LenientStripe, Opened, check_chunks
from reference_impl.orc.validate.statistics import UTF8, is_utf8

CONTENT, ITEM, WRITER, NO_ZONE = "ORC-FILE-010", "ORC-FILE-015", "ORC-FILE-017", "ORC-STRIPE-014"
_FIRST_OF_OTHERS = 6  # writer version


def check(file: Opened) -> Metadata | None:
    """Check the footer; return the statistics of stripes, if they can be read."""
    footer, report, at = file.footer, file.report, file.footer_at
    check_chunks(file.tail.footer_stream, ("footer",), report)
    _check_content(file)
    version = file.postscript.writer_version
    if footer.writer and (version is None or version < _FIRST_OF_OTHERS):
        message = f"writer {footer.writer} with writer version {version}"
        report.add(WRITER, ("postscript",), file.tail.postscript_start, message)
    for number, item in enumerate(footer.metadata):
        missing = [name for name in ("name", "value") if getattr(item, name) is None]
        if missing:
            where = ("footer", f"metadata[{number}]")
            report.add(ITEM, where, at, f"an item without {' and '.join(missing)}")
    for path, text in _texts(file):
        if text is not None and not is_utf8(text):
            report.add(UTF8, ("footer", path), at, f"{text.encode('utf-8', 'surrogateescape')[:60]!r}")
    if not check_chunks(file.tail.metadata_stream, ("metadata",), report):
        return None
    try:
        return file.tail.read_metadata()
    except ReferenceError_ as error:
        error.offset = file.tail.metadata_stream.base
        report.note(error)
        return None


def _check_content(file: Opened) -> None:
    """Check that contentLength ends behind the last stripe and before the tail."""
    length, stripes = file.footer.content_length, file.footer.stripes
    if len(file.sound) < len(stripes):
        return
    end = stripe_end(stripes[-1]) if stripes else len(MAGIC)
    if length is not None and not end <= length <= file.tail.body_end:
        message = f"contentLength is {length}, the last stripe ends at {end}"
        file.report.add(CONTENT, ("footer",), file.footer_at, message)


def _texts(file: Opened) -> Iterator[tuple[str, str | None]]:
    footer = file.footer
    for number, type_ in enumerate(footer.types):
        where = f"types[{number}]"
        yield from ((f"{where}.fieldNames", name) for name in type_.field_names)
        for pair in type_.attributes:
            yield from ((f"{where}.attributes", text) for text in (pair.key, pair.value))
        yield f"{where}.crs", type_.crs
    yield from ((f"metadata[{number}].name", item.name) for number, item in enumerate(footer.metadata))
    yield "softwareVersion", footer.software_version


def check_stripe(file: Opened, stripe: LenientStripe) -> None:
    """Check the footer of a stripe."""
    where: Any = (*stripe.path, "footer")
    stripe.check_kinds(file.root)
    check_chunks(stripe.footer_stream, where, file.report)
    zone = stripe.footer.writer_timezone
    if zone is not None and not is_utf8(zone):
        file.report.add(UTF8, where, stripe.footer_offset, "writerTimezone is no UTF-8")
    times = [node.id for node in file.root.walk() if node.kind == TypeKind.TIMESTAMP]
    if zone is None and times and stripe.rows:
        message = f"column {times[0]} is a TIMESTAMP, and there is no writerTimezone"
        file.report.add(NO_ZONE, where, stripe.footer_offset, message)
