"""Geometries and their statistics: what the validators say of values, types and bounding boxes."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from reference_impl.orc.file import OrcFile
from reference_impl.orc.plan import Column as OrcColumn
from reference_impl.orc.plan import Index, Statistics
from reference_impl.orc.schema import Type as OrcType
from reference_impl.orc.schema import TypeKind
from reference_impl.orc.statistics_schema import GeospatialStatistics as OrcGeospatial
from reference_impl.orc.validate import validate as validate_orc
from reference_impl.orc.writer import write as write_orc
from reference_impl.parquet.file import ParquetFile
from reference_impl.parquet.plan import Column, FilePlan
from reference_impl.parquet.schema import (
    FieldRepetitionType,
    GeographyType,
    GeometryType,
    LogicalType,
    SchemaElement,
    Type,
)
from reference_impl.parquet.statistics_structs import GeospatialStatistics
from reference_impl.parquet.tamper import Tamper
from reference_impl.parquet.validate import validate
from reference_impl.parquet.writer import write
from reference_impl.tests.orc_plans import of_values, with_columns
from reference_impl.tests.test_orc_validate import tamper

POINT = struct.pack("<BI2d", 1, 1, 1.0, 2.0)
LINE = struct.pack("<BII4d", 1, 2, 2, 0.0, 7.0, 9.0, -7.0)
WITH_SRID = struct.pack("<BII2d", 1, 0x2000_0001, 4326, 1.0, 2.0)
OFF_THE_GLOBE = struct.pack("<BI2d", 1, 1, 1.0, 91.0)
GEOMETRY = LogicalType(GEOMETRY=GeometryType())
GEOGRAPHY = LogicalType(GEOGRAPHY=GeographyType())
TYPES = [
    ([POINT, LINE], [1, 2], True),
    ([POINT, None], [1], True),
    ([POINT], [], True),
    ([POINT], [1, 2], False),
    ([POINT, LINE], [1], False),
    ([None], [1], False),
]


class Types(Tamper):
    """Sets the geospatial types of a chunk."""

    def __init__(self, types):
        self.types = types

    def chunk(self, place, chunk):
        """Set them."""
        del place
        statistics = GeospatialStatistics(geospatial_types=self.types)
        return replace(chunk, meta_data=replace(chunk.meta_data, geospatial_statistics=statistics))


def geometries(values, logical=GEOMETRY, **column):
    """Return the plan of a Parquet file."""
    leaf = SchemaElement(
        type=Type.BYTE_ARRAY,
        repetition_type=FieldRepetitionType.OPTIONAL,
        name="x",
        logicalType=logical,
    )
    rows = tuple({"x": value} for value in values)
    return FilePlan((SchemaElement(name="schema", num_children=1), leaf), rows, (Column(**column),))


def orc_geometries(values, kind=TypeKind.GEOMETRY):
    """Return the plan of an ORC file with geospatial statistics at all levels."""
    statistics = Statistics(geospatial=True)
    plan = of_values(OrcType(kind=kind), values)
    return with_columns(plan, OrcColumn(statistics=statistics, index=Index(statistics)))


def _with_types(place, statistics, types):
    """Return the statistics of the geometries with these types."""
    if place.column != 1:
        return statistics
    return replace(statistics, geospatial_statistics=OrcGeospatial(geospatial_types=tuple(types)))


def rules(violations):
    """Return the broken rules."""
    return {violation.rule for violation in violations}


@pytest.mark.parametrize(("values", "types", "legal"), TYPES)
def test_types_are_those_that_occur(values, types, legal):
    """Parquet: "A list of multiple values indicates that multiple geospatial types are present"."""
    broken = rules(validate(write(geometries(values), Types(types))))
    assert broken == (set() if legal else {"PQ-GEO-005"})


@pytest.mark.parametrize(("values", "types", "legal"), TYPES)
def test_types_in_orc_are_those_that_occur(values, types, legal):
    """ORC, in the same words."""
    plan = orc_geometries(values)
    data = write_orc(plan, tamper(statistics=lambda place, _, message: _with_types(place, message, types)))
    broken = rules(validate_orc(data))
    assert broken == (set() if legal else {"ORC-STATS-022"})


def test_values_of_ewkb():
    """A value with an SRID is not of "the ISO variant", so that it breaks the rule of values."""
    assert rules(validate(write(geometries([POINT])))) == set()
    assert rules(validate(write(geometries([WITH_SRID])))) == {"PQ-VALUE-011"}


def test_a_written_box_lies_on_the_globe():
    """A GEOGRAPHY with an illegal point has types and no box, in both formats: only the value is wrong."""
    data = write(geometries([POINT, OFF_THE_GLOBE], GEOGRAPHY, geospatial_statistics=True))
    (chunk,) = ParquetFile(data).metadata.row_groups[0].columns
    assert chunk.meta_data.geospatial_statistics == GeospatialStatistics(geospatial_types=[1])
    assert rules(validate(data)) == {"PQ-VALUE-012"}
    orc = write_orc(orc_geometries([POINT, OFF_THE_GLOBE], TypeKind.GEOGRAPHY))
    statistics = OrcFile(orc).footer.statistics[-1].geospatial_statistics
    assert statistics == OrcGeospatial(geospatial_types=(1,))
