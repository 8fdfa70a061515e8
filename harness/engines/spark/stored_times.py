"""Dates and timestamps as Spark's writers store them: types, calendars and zones that options choose.

https://spark.apache.org/docs/latest/sql-data-sources-parquet.html: outputTimestampType, the rebase modes.
"""

from __future__ import annotations

from typing import Any

from corpora.tagged import INT96, NANOSECONDS, Table, Type, Value, timestamp
from harness.engines.writer_options import Chosen, changed
from harness.engines.zones import UTC, wall_clock_nanos

TIMESTAMP_TYPE = "spark.sql.parquet.outputTimestampType"
REBASE = "spark.sql.parquet.datetimeRebaseModeInWrite"
REBASE_INT96 = "spark.sql.parquet.int96RebaseModeInWrite"
ZONE = "spark.sql.session.timeZone"
LEGACY = "LEGACY"
_DAY = 86_400 * NANOSECONDS["s"]
_CUTOVER = -141_427  # days from 1970-01-01 to 1582-10-15, on which the Gregorian calendar begins
_LEFT_OUT = 10  # days before it, which the hybrid calendar leaves out
_ERA = 719_468  # days from 0000-03-01 to 1970-01-01
_CYCLE = 146_097  # days of 400 years


def in_parquet(table: Table, chosen: Chosen) -> Table:
    """Return the table that a Parquet file of a session in UTC holds."""
    int96 = chosen.get(TIMESTAMP_TYPE) == "INT96"
    unit = "ms" if chosen.get(TIMESTAMP_TYPE) == "TIMESTAMP_MILLIS" else "us"
    days_move = chosen.get(REBASE) == LEGACY
    times_move = chosen.get(REBASE_INT96 if int96 else REBASE) == LEGACY

    def change(type_: Type) -> Any:
        if type_.kind == "date":
            return type_, lambda value: _in_days(value, move=days_move)
        if type_.kind != "timestamp" or not type_.utc:
            return None  # TIMESTAMP_NTZ is always stored in microseconds
        scale = NANOSECONDS[str(type_.unit)]
        target = INT96 if int96 else timestamp(unit, utc=True)
        per_unit = 1 if int96 else NANOSECONDS[unit]
        return target, lambda value: _moment(int(str(value)) * scale, per_unit, move=times_move)

    return changed(table, change)


def _in_days(value: Value, *, move: bool) -> str:
    return str(hybrid(int(str(value)))) if move else str(value)


def _moment(nanoseconds: int, per_unit: int, *, move: bool) -> str:
    days, rest = divmod(nanoseconds, _DAY)
    return str(((hybrid(days) if move else days) * _DAY + rest) // per_unit)


def hybrid(day: int) -> int:
    """Return the day of the hybrid calendar with the date of a proleptic day, both counted from 1970-01-01.

    A date that the hybrid calendar leaves out becomes 1582-10-15, as in Spark's RebaseDateTime.
    """
    if day >= _CUTOVER - _LEFT_OUT:
        return max(day, _CUTOVER)
    cycle, rest = divmod(day + _ERA, _CYCLE)
    year = (rest - rest // 1_460 + rest // 36_524 - rest // 146_096) // 365 + 400 * cycle  # from 1 March
    return day + year // 100 - year // 400 - 2  # by so much is the Julian calendar behind


def on_the_wall(table: Table, zone: str) -> Table:
    """Return the table that an ORC file of a session in a zone holds: TIMESTAMP is the wall clock there.

    `table` has the wall clocks of UTC, in nanoseconds.
    """
    if zone == UTC:
        return table

    def clock(value: Value) -> str:
        return str(wall_clock_nanos(zone, int(str(value))))

    return changed(table, lambda type_: (type_, clock) if type_.kind == "timestamp" else None)
