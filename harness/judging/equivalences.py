"""Documented differences between an engine's values and those in the file that users accept.

Each equivalence works at one node of the type tree, and is one of three sorts:

* of types: it rewrites the expected type and values into those that the engine documents;
* of values (`both`): it leaves the type alone and brings expected and actual values into a common form;
* of pairs (`pair`): it leaves the type alone and decides which actual values may stand for an expected value.

An adapter claims equivalences by name; which of them hold for a file and a configuration: `claims.py`.
Those of types may follow one another (nanoseconds to microseconds, then the UTC flag). After them, comparison
is exact.
"""

from __future__ import annotations

from harness.judging import (
    clock_rewrites,
    nested_rewrites,
    orc_rewrites,
    restored_rewrites,
    rewrites,
    variant_json,
    variants,
)
from harness.judging.clock_rewrites import rescaled
from harness.judging.rewrites import Equivalence, renamed

DEFAULTS = ("nan-payload", "variant-by-value", "small-int-out-of-range")  # held for every engine

_UNITS = ("s", "ms", "us", "ns")
_TEXTS = ("enum", "json", "string")

EQUIVALENCES: dict[str, Equivalence] = {
    equivalence.name: equivalence
    for equivalence in (
        # Integers and floats
        Equivalence(
            "uint64-as-decimal20",
            "Spark has no unsigned integers; DECIMAL(20, 0) holds every UINT_64 exactly"
            " (Spark, ParquetSchemaConverter; SPARK-34817).",
            rewrites.uint64_as_decimal,
        ),
        Equivalence(
            "unsigned-widened",
            "An engine without unsigned integers answers the next wider signed one, which holds every value"
            " (Spark, ParquetSchemaConverter; SPARK-34817).",
            rewrites.unsigned_widened,
        ),
        Equivalence(
            "int-widened",
            "An engine without small integers answers wider ones of the same sign: no value changes.",
            rewrites.int_widened,
        ),
        Equivalence(
            "small-int-out-of-range",
            'Of a number in INT32 that its 8 or 16 bits cannot hold "the behavior is not defined"'
            " (LogicalTypes.md, Signed Integers): any number is an answer.",
            rewrites.nothing,
            formats=("parquet",),
            pair=rewrites.out_of_range,
        ),
        Equivalence(
            "float16-as-float32",
            "Every half float is a single float (IEEE 754-2008 §3.6); engines without a half type answer that"
            " (DuckDB, Parquet: FLOAT16 becomes FLOAT).",
            rewrites.float16_as_float32,
        ),
        Equivalence(
            "float16-as-bytes",
            "An engine without a half type answers the 2 bytes that carry it (LogicalTypes.md, FLOAT16).",
            rewrites.float16_as_bytes,
        ),
        Equivalence(
            "float-widened",
            "Every float is a float of the wider formats (IEEE 754-2008 §3.6).",
            rewrites.float_widened,
        ),
        Equivalence(
            "nan-payload",
            "All NaN mean the same: IEEE 754-2008 §6.2 leaves sign and payload to the implementation, and"
            " moving a NaN through a register may change them.",
            rewrites.nan_payload,
            both=True,
        ),
        Equivalence(
            "null-as-nan",
            "pandas has no null among floats: a NaN stands for it (fastparquet, Usage notes, Nulls).",
            rewrites.nothing,
            pair=rewrites.nan_for_null,
            of_null=True,
        ),
        # Decimals
        Equivalence(
            "decimal-precision-widened",
            "Engines of fixed decimal widths answer their width's precision; scale and values stay"
            " (Arrow, Decimal128; Polars, Decimal).",
            rewrites.decimal_widened,
        ),
        Equivalence(
            "decimal-as-float64",
            "pandas and JavaScript have no decimals: fastparquet and hyparquet answer the nearest double"
            " (fastparquet, Usage notes, Data types; hyparquet, README).",
            rewrites.decimal_as_float64,
        ),
        Equivalence(
            "wide-decimal-as-float64",
            "Decimals of 128 bits hold 38 digits; DuckDB answers the nearest double for more"
            " (DuckDB, Numeric types, Fixed-point decimals).",
            rewrites.wide_decimal_as_float64,
        ),
        # Dates and times
        *(
            Equivalence(
                f"{kind}-unit-widened",
                f"A finer unit holds every count of the coarser one ({pages}). A count that is wrapped around"
                " in an int64 is another value; an engine whose type holds it is right.",
                rescaled(kind, toward_zero=None),
            )
            for kind, pages in (
                ("time", "Spark has microseconds of a time of day only, Polars nanoseconds"),
                ("timestamp", "Spark has microseconds of a timestamp only"),
                ("duration", "Polars has no seconds of a duration"),
            )
        ),
        Equivalence(
            "nanos-as-micros",
            "An engine of microseconds drops the nanoseconds, rounding down (floor): the later part of a"
            " microsecond belongs to it, also before 1970.",
            rescaled("timestamp", toward_zero=False),
        ),
        Equivalence(
            "nanos-as-micros-toward-zero",
            "As nanos-as-micros, but rounding toward zero: what integer division does before 1970.",
            rescaled("timestamp", toward_zero=True),
        ),
        Equivalence(
            "time-nanos-as-micros",
            "An engine of microseconds drops the nanoseconds of a time of day (Hyper, TIME).",
            rescaled("time", toward_zero=False),
        ),
        Equivalence(
            "nanos-as-int64",
            "Spark has no nanoseconds; spark.sql.legacy.parquet.nanosAsLong answers the count"
            " (Spark, SQL migration guide; SPARK-40819).",
            clock_rewrites.count_as_integer("timestamp", ("ns",)),
        ),
        Equivalence(
            "time-as-integer",
            "An engine without a time of day answers the count since midnight (LogicalTypes.md, TIME).",
            clock_rewrites.count_as_integer("time", _UNITS),
        ),
        Equivalence(
            "time-as-timestamp",
            "An engine without a time of day answers that time of the first day, 1970-01-01 (ClickHouse,"
            " Formats, Parquet, Data types matching: TIME becomes DateTime64).",
            clock_rewrites.time_as_timestamp,
        ),
        Equivalence(
            "time-as-duration",
            "pandas has no time of day: fastparquet answers the time since midnight"
            " (fastparquet, Usage notes, Data types).",
            clock_rewrites.time_as_duration,
        ),
        Equivalence(
            "time-utc-ignored",
            "A time of day without a date cannot be moved between zones; the types of Arrow and SQL have no"
            " such flag (Arrow C++, Reading and writing Parquet, Logical types).",
            clock_rewrites.utc_ignored("time"),
        ),
        Equivalence(
            "timestamp-utc-ignored",
            "The engine has one timestamp type and keeps the count; what the flag said is lost. Only for"
            " engines that document it (fastparquet, Usage notes, Data types).",
            clock_rewrites.utc_ignored("timestamp"),
        ),
        Equivalence(
            "int96-as-timestamp",
            "INT96 is deprecated and says neither unit nor zone: engines answer their own timestamp, rounding"
            " down (parquet.thrift, Type; Spark, spark.sql.parquet.int96AsTimestamp; Arrow,"
            " coerce_int96_timestamp_unit). A count that wraps around in an int64 is a different timestamp.",
            clock_rewrites.int96_as_timestamp(),
        ),
        Equivalence(
            "int96-as-timestamp-toward-zero",
            "As int96-as-timestamp, but rounding toward zero: what integer division does before 1970.",
            clock_rewrites.int96_as_timestamp(toward_zero=True),
        ),
        Equivalence(
            "date-as-timestamp",
            "pandas has no dates: fastparquet answers the midnight that begins the day (fastparquet, Usage"
            " notes, Data types).",
            clock_rewrites.date_as_timestamp,
        ),
        Equivalence(
            "interval-as-bytes",
            "Most engines have no type for months, days and milliseconds, and answer the 12 bytes"
            " (LogicalTypes.md, INTERVAL).",
            renamed("interval", "bytes", rewrites.interval_bytes),
        ),
        Equivalence(
            "interval-as-unknown",
            "parquet-java writes the LogicalType UNKNOWN beside the ConvertedType INTERVAL; LogicalTypes.md,"
            " Metadata, does not say which of two that contradict each other counts; by UNKNOWN, all is null",
            renamed("interval", "null", lambda _: None),
            formats=("parquet",),
        ),
        # Text and bytes
        *(
            Equivalence(
                f"{source}-as-string",
                f"{source.upper()} annotates UTF-8 text (LogicalTypes.md, {source.upper()});"
                " an engine without a type for it answers the text.",
                renamed(source, "string"),
            )
            for source in ("enum", "json")
        ),
        *(
            Equivalence(
                f"{source}-as-bytes",
                f"An engine without a type for {source.upper()} answers the bytes that carry it"
                f" (LogicalTypes.md, {source.upper()}).",
                renamed(source, "bytes", rewrites.text_to_hex if source in _TEXTS else rewrites.same),
            )
            for source in (*_TEXTS, "uuid", "bson", "geometry", "geography")
        ),
        Equivalence(
            "wkb-byte-order",
            "Each geometry of WKB says which byte order it is in; in the other it is the same one"
            " (OGC 06-103r4, 8.2; DuckDB and Spark answer little-endian).",
            rewrites.wkb_in_one_order,
            both=True,
            formats=("parquet",),
        ),
        Equivalence(
            "geoparquet-as-geometry",
            "GeoParquet 1.x names its columns of WKB in the key `geo` of the file's metadata, which needs no"
            " annotation (GeoParquet 1.1, Metadata; DuckDB answers GEOMETRY).",
            renamed("bytes", "geometry"),
            formats=("parquet",),
            feature="parquet/file/geoparquet",
        ),
        Equivalence(
            "uuid-as-string",
            "The canonical text 8-4-4-4-12 says the same 16 bytes (RFC 9562 §4; LogicalTypes.md, UUID).",
            renamed("uuid", "string", rewrites.uuid_text),
        ),
        Equivalence(
            "bytes-as-string",
            "The engine was told, or says, that it takes bytes without annotation as text, as old writers"
            " meant them (Spark, spark.sql.parquet.binaryAsString; DuckDB, binary_as_string).",
            renamed("bytes", "string", rewrites.hex_to_text),
        ),
        *restored_rewrites.EQUIVALENCES,
        *nested_rewrites.EQUIVALENCES,
        *orc_rewrites.EQUIVALENCES,
        # Variants
        Equivalence(
            "variant-by-value",
            "The same Variant may be written in many forms, and is put together anew where it was shredded;"
            " what is the same stands under Equivalence Class (VariantEncoding.md, Encoding types).",
            variants.by_value,
            both=True,
            formats=("parquet",),
        ),
        Equivalence(
            "variant-as-stored",
            "An engine without VARIANT answers the group of columns that a Variant is shredded into; put"
            " together, they are the Variant (VariantShredding.md, Reconstructing a Shredded Variant).",
            variants.stored_in_columns,
            formats=("parquet",),
            pair=variants.same,
        ),
        Equivalence(
            "variant-as-stored-without-nulls",
            "As variant-as-stored; groups and lists that are null are answered as what they are by default,"
            " and texts as bytes (ClickHouse, Nullable(T); String).",
            variants.stored_in_columns,
            formats=("parquet",),
            pair=variants.same_without_nulls,
        ),
        *(
            Equivalence(
                name,
                "Asked for a Variant's JSON, an engine answers one of the texts that say it: fields have no"
                f" order in JSON, numbers no form. {more}",
                variant_json.in_text,
                formats=("parquet",),
                pair=variant_json.compared(strict=strict),
            )
            for name, strict, more in (
                ("variant-as-json", True, "Dates and the like are texts (Spark, to_json of a Variant)."),
                (
                    "variant-as-duckdb-json",
                    False,
                    "Dates and the like are texts of DuckDB's types (DuckDB, VARIANT).",
                ),
            )
        ),
    )
}
