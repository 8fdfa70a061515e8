"""Decimals of at most 18 digits in files of version 1.9999: integers of the type's scale (ORCv2.md)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.columns import to_python
from reference_impl.errors import UsageError
from reference_impl.orc.anatomy import assemble, dissect
from reference_impl.orc.anatomy.framing import with_codec
from reference_impl.orc.file import OrcFile
from reference_impl.orc.inspect import Selection, inspect
from reference_impl.orc.plan import Bloom, Column
from reference_impl.orc.pushdown import Test, candidates
from reference_impl.orc.schema import CompressionKind, StreamKind, Type
from reference_impl.orc.validate import validate
from reference_impl.orc.writer import write
from reference_impl.tests.orc_plans import K, of_values, read_rows, with_columns
from reference_impl.tests.test_orc_validate import tamper

SHORT = Type(kind=K.DECIMAL, precision=18, scale=2)
LONG = Type(kind=K.DECIMAL, precision=19, scale=2)
VALUES = [10**18 - 1, None, 1 - 10**18, (5, 1), (-700, 4), (1, 0), *range(40)]
STORED = [10**18 - 1, None, 1 - 10**18, 50, -7, 100, *range(40)]


def plan(type_, **choices):
    """Return a plan of decimals in version 1.9999, with row groups of 10 rows."""
    return of_values(type_, VALUES, version=(1, 9999), row_index_stride=10, **choices)


@pytest.mark.parametrize("type_", [SHORT, LONG])
@pytest.mark.parametrize("compression", [CompressionKind.NONE, CompressionKind.ZLIB])
def test_written_and_read(type_, compression):
    """Values of any scale are read as those of the type's scale, and no rule is broken."""
    data = write(plan(type_, compression=compression))
    assert read_rows(data) == [(value,) for value in STORED]
    assert validate(data) == []


def test_streams():
    """A short decimal has no stream of scales; a long one has."""
    for type_, has_scales in ((SHORT, False), (LONG, True)):
        stripe = OrcFile(write(plan(type_))).stripe(0)
        assert ((1, StreamKind.SECONDARY) in stripe.places) is has_scales


def test_positions():
    """`inspect` names the stream of each position."""
    for type_, streams in (
        (SHORT, {"PRESENT": 3, "DATA": 2}),
        (LONG, {"PRESENT": 3, "DATA": 1, "SECONDARY": 2}),
    ):
        report = inspect(write(plan(type_)), Selection(row_groups=True))
        (stripe,) = report["stripes"]
        for entry in stripe["columns"][1]["row_index"]:
            assert {name: len(numbers) for name, numbers in entry["positions"].items()} == streams


def test_another_codec():
    """Positions follow the streams into another codec."""
    data = assemble(with_codec(dissect(write(plan(SHORT))), CompressionKind.ZLIB))
    assert read_rows(data) == [(value,) for value in STORED]
    assert validate(data) == []


def test_runs_of_version_1():
    """The writer refuses runs that such decimals never have."""
    with pytest.raises(UsageError, match=r"version 1\.9999"):
        write(with_columns(plan(SHORT), Column(rle=1)))


def test_other_versions():
    """Only version 1.9999 stores them so: 0.12 has scales."""
    stripe = OrcFile(write(of_values(SHORT, VALUES))).stripe(0)
    assert (1, StreamKind.SECONDARY) in stripe.places


def test_bloom_filters():
    """The writer refuses filters that no page defines; those of others, who hash integers, skip nothing."""
    layout = Column(bloom=Bloom(words=16))
    with pytest.raises(UsageError, match="Bloom filters of decimals"):
        write(with_columns(plan(SHORT), Column(), layout))
    values = [12345, 678]
    as_long = of_values(Type(kind=K.LONG), values, version=(1, 9999))
    data = write(
        with_columns(as_long, Column(), layout),
        tamper(footer=lambda footer: replace(footer, types=(footer.types[0], SHORT), statistics=())),
    )
    assert read_rows(data) == [(value,) for value in values]
    file = OrcFile(data)
    test = Test(file.root.children[0], "=", values[:1], "ieee")
    assert candidates(file, 0, 1, test, frozenset({"bloom"})) == [(0, 2)]


@pytest.mark.parametrize("type_", [SHORT, LONG])
def test_rows_of_a_row_group(type_):
    """A row group is read from its own position."""
    file = OrcFile(write(plan(type_, compression=CompressionKind.ZLIB)))
    (column,) = file.read_rows(None, 0, 22, 45).columns
    assert to_python(column) == STORED[22:45]
