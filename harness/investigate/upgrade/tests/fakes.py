"""Fake versions of an engine that differ on purpose, for small and for large files."""

# ruff: noqa: D101, D102 - the classes are engines, named after what they do

import os
import time
from contextlib import contextmanager
from pathlib import Path

from corpora.answers import answer, take
from corpora.tagged import STRING, Field, Table, floating, integer, list_of
from harness.engines.base import Engine
from harness.engines.digests.batches import Stream, Values
from harness.engines.errors import Unsupported
from harness.tests.fakes import Healthy, Queried

BLOCK_ROWS, ROWS = 4_096, 10_000  # three blocks, the last of them cut short

NAN, ONE = "7ff8000000000000", "3ff0000000000000"

COLUMNS = (
    Field("id", integer(64)),
    Field("name", STRING),
    Field("ratio", floating(64)),
    Field("tags", list_of(STRING)),
)


class Modern(Healthy):
    """Reads files named wide… and no… other than `Healthy` does; with `mode=old`, as `Healthy` does."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        found = super().read(file, format, config)
        if config.get("mode") == "old":
            return found
        if Path(file).name.startswith("wide"):
            return Table.of([("name", STRING), ("number", integer(64))], [[Path(file).name], ["7"]])
        if Path(file).name.startswith("no"):
            raise ValueError(f"cannot read {file}")
        return found


class Quirky(Healthy):
    """Differs from `Healthy` in one mode only."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if config.get("mode") == "old":
            raise Unsupported("no such mode any more")
        return super().read(file, format, config)


class Lacking(Healthy):
    """Is a version without an option that files named no… need, and without a mode."""

    def read(self, file, format, config):  # noqa: A002 - the protocol's word
        if config.get("mode") == "old" and not Path(file).name.startswith("no"):
            raise Unsupported("this version has no mode")
        if Path(file).name.startswith("no"):
            raise Unsupported("this version scans folders without the option no")
        return super().read(file, format, config)


class LosesARow(Queried):
    """Pushes down a filter too far."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind == "filter" and config.get("pushdown") != "off":
            return answer(query, take(self.read(file, format, config), range(4)), self.float_order)
        return super().query_one(file, format, config, query)


class Sleepy(Healthy):
    """Takes its time."""

    def read(self, file, format, config):  # noqa: A002 - as in the base
        time.sleep(0.2)
        return super().read(file, format, config)


def healthy():
    """Return the rows of the file, as columns."""
    numbers = list(map(str, range(ROWS)))
    return [numbers, [f"n{one}" for one in numbers], [ONE, NAN] * (ROWS // 2), [[one] for one in numbers]]


class Steady(Engine):
    name = "steady"
    streams: tuple[str, ...] = ("parquet",)
    batch_rows = 1_250
    columns = COLUMNS

    def version(self):
        return "1"

    @contextmanager
    def stream(self, file, format, config, first=0):  # noqa: A002, ARG002 - the protocol's word
        with (Path(file).parent / "asked").open("a") as notes:
            notes.write(f"{type(self).__name__} {first}\n")
        found = self.rows_of()
        yield Stream(self.columns, 0, self.batches(found))

    def rows_of(self):
        return healthy()

    def batches(self, found):
        for start in range(0, ROWS, self.batch_rows):
            rows = [column[start : start + self.batch_rows] for column in found]
            yield Values(self.columns, rows, len(rows[0]))

    def read(self, file, format, config):  # noqa: A002, ARG002 - the protocol's word
        return Table.of(self.columns, self.rows_of())


class InOtherBatches(Steady):
    batch_rows = 195


class OneValue(Steady):
    def rows_of(self):
        found = healthy()
        found[0][8_250] = "-1"
        return found


class OneValueInAList(Steady):
    def rows_of(self):
        found = healthy()
        found[3][ROWS - 1] = ["9999", "x"]
        return found


class NullForNan(Steady):
    def rows_of(self):
        found = healthy()
        found[2] = [None if one == NAN else one for one in found[2]]
        return found


class SwapsRows(Steady):
    def rows_of(self):
        found = healthy()
        for column in found:
            column[4_095], column[4_096] = column[4_096], column[4_095]
        return found


class SwapsBlocks(Steady):
    def rows_of(self):
        cut = [slice(BLOCK_ROWS, 2 * BLOCK_ROWS), slice(0, BLOCK_ROWS), slice(2 * BLOCK_ROWS, None)]
        return [[value for one in cut for value in column[one]] for column in healthy()]


class SwapsAColumn(Steady):
    def rows_of(self):
        found = healthy()
        found[1][7], found[1][8] = found[1][8], found[1][7]
        found[3][6] = None
        return found


class LosesABatch(Steady):
    def batches(self, found):
        for number, batch in enumerate(super().batches(found)):
            if number != 3:
                yield batch


class RepeatsTheLastRow(Steady):
    def batches(self, found):
        yield from super().batches(found)
        yield Values(self.columns, [column[-1:] for column in found], 1)


class OtherType(Steady):
    columns = (Field("id", integer(32)), *COLUMNS[1:])


class OtherTypeAndValue(OtherType, SwapsAColumn):
    """Reads one column as another type, and values of others wrong."""


class OtherName(Steady):
    columns = (Field("ID", integer(64)), *COLUMNS[1:])


class RefusesLate(Steady):
    def batches(self, found):
        yield next(super().batches(found))
        raise ValueError("page 7 is bad")


class Dies(Steady):
    def batches(self, found):  # noqa: ARG002 - the base's
        os.abort()


class Hangs(Steady):
    def batches(self, found):  # noqa: ARG002 - the base's
        time.sleep(3600)


class OnlyOnce(OneValue):
    asked = 0

    def rows_of(self):
        self.asked += 1
        return super().rows_of() if self.asked == 1 else healthy()


class NotAgain(OneValue):
    asked = 0

    def rows_of(self):
        self.asked += 1
        if self.asked > 1:
            raise ValueError("not today")
        return super().rows_of()


class Whole(Steady):
    streams = ()


class WholeOtherwise(OneValue):
    streams = ()


class WholeWithOtherTypeAndValue(OtherTypeAndValue):
    streams = ()


class Unsorted(Queried):
    """Sorts nothing."""

    def query_one(self, file, format, config, query):  # noqa: A002 - the protocol's word
        if query.kind == "top":
            raise Unsupported("nothing is sorted")
        return super().query_one(file, format, config, query)
