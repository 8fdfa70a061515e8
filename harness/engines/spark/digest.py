"""Digests and rows of a file, made by Spark's executors: a task reads one split of one file.

A split is a range of a file's bytes, and its rows are the file's next ones, in their order. A first query
counts them, for which no column is read; then each task knows the row that its split begins with. What a task
digests are the batches that a collect would send (`Dataset.toArrowBatchRdd`, there since 2.3). Python workers
find these modules by `PYTHONPATH`, which the session sets for them (`session.start`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

from corpora.tagged import Table
from harness.engines.arrow import c_interface
from harness.engines.digests import blocks
from harness.engines.digests.batches import Arrow
from harness.engines.digests.blocks import Cut
from harness.engines.spark.versions import arrow_schema

_SPLIT = str(128 << 20)
# A file's opening is said to cost as much as a split: then no task takes two of them (`FilePartition`).
SETTINGS = {"spark.sql.files.maxPartitionBytes": _SPLIT, "spark.sql.files.openCostInBytes": _SPLIT}
_WAVE = 32  # splits whose cuts are held at once


class RowsChangeError(Exception):
    """A split had other rows each time that it was read."""

    __module__ = "harness.engines.spark_digest"  # as results have it; see harness/engines/errors.py


@dataclass
class Split:
    """The partition that reads a split, and how many rows it has."""

    partition: int
    rows: int


def count(frame: Any) -> list[Split]:
    """Return the splits of a frame that have rows, by file and by place in it."""
    from pyspark.sql import functions

    where = functions.spark_partition_id(), functions.input_file_name(), _block_start()
    columns = [column.alias(name) for column, name in zip(where, ("partition", "file", "start"))]
    result = frame.select(*columns).groupBy("partition", "file", "start").count().collect()
    by_place = sorted(((unquote(file), start, partition, rows) for partition, file, start, rows in result))
    splits = [Split(partition, rows) for _, _, partition, rows in by_place]
    if len({split.partition for split in splits}) < len(splits):
        raise RowsChangeError("Spark reads two splits in one task, although it was told not to")
    return splits


def _block_start() -> Any:
    from pyspark.sql import functions

    return functions.expr("input_file_block_start()")


def digest(frame: Any, splits: list[Split], block_rows: int) -> dict[str, Any]:
    """Return the digests of a frame; the rows of `splits` are set to what was read."""
    batches = _Batches(frame)
    result = blocks.Digests(c_interface.read(batches.schema.empty_table()).columns, block_rows)
    for begin in range(0, len(splits), _WAVE):
        wave = splits[begin : begin + _WAVE]
        for cut in _cuts(batches, wave, result.rows):
            result.add(cut)
    return result.to_json()


def _cuts(batches: _Batches, wave: Sequence[Split], first: int) -> Iterator[Cut]:
    """Yield the cuts of some splits in their order, the first of which begins with row `first`."""
    for _ in range(2):
        at, firsts = first, {}
        for split in wave:
            firsts[split.partition] = at
            at += split.rows
        held: dict[int, list[Cut]] = {split.partition: [] for split in wave}
        for partition, cut in batches.run(_Digest(batches.packed, firsts), list(firsts)):
            held[partition].append(cut)
        read = [sum(cut.rows for cut in held[split.partition]) for split in wave]
        if read == [split.rows for split in wave]:
            for split in wave:
                yield from held[split.partition]
            return
        for split, rows in zip(wave, read):
            split.rows = rows
    raise RowsChangeError(f"splits that had {sum(split.rows for split in wave)} rows have others now")


def rows(frame: Any, splits: Sequence[Split], first: int, count: int) -> Table:
    """Return the rows `first:first + count` of a frame."""
    import pyarrow as pa

    batches = _Batches(frame)
    at, wanted = 0, {}
    for split in splits:
        start, end = max(first, at), min(first + count, at + split.rows)
        if start < end:
            wanted[split.partition] = (start - at, end - at)
        at += split.rows
    sent = batches.run(_Rows(batches.packed, wanted), list(wanted)) if wanted else []
    by_split: dict[int, list[Any]] = {partition: [] for partition in wanted}
    for partition, data in sent:
        by_split[partition] += pa.ipc.open_stream(data).read_all().to_batches()
    result = [item for held in by_split.values() for item in held]
    return c_interface.read(pa.Table.from_batches(result, batches.schema))


class _Batches:
    """The batches of a frame, in its executors."""

    def __init__(self, frame: Any) -> None:
        from pyspark import RDD
        from pyspark.serializers import NoOpSerializer

        self.context = frame.rdd.context
        head = frame.limit(1)._collect_as_arrow()
        self.schema = head[0].schema if head else arrow_schema(frame.schema)
        self.packed = self.schema.serialize().to_pybytes()
        messages = frame._jdf.toArrowBatchRdd().toJavaRDD()
        self.messages = RDD(messages, self.context, NoOpSerializer())

    def run(self, task: Any, partitions: list[int]) -> list[tuple[int, Any]]:
        """Return what a task yields, of some partitions, each with the partition's number."""
        result = self.context.runJob(self.messages.mapPartitionsWithIndex(task), list, partitions)
        return sorted(result, key=itemgetter(0))


class _Task:
    """The function that executors run, with the schema, which messages do not repeat."""

    def __init__(self, packed: bytes, places: dict[int, Any]) -> None:
        self.packed, self.places = packed, places

    def __call__(self, partition: int, messages: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
        import pyarrow as pa

        schema = pa.ipc.read_schema(pa.py_buffer(self.packed))
        records = (pa.ipc.read_record_batch(pa.py_buffer(message), schema) for message in messages)
        for place in self.of(records, self.places[partition]):
            yield partition, place

    def of(self, records: Iterable[Any], place: Any) -> Iterator[Any]:
        """Yield what comes of the record batches of a split."""
        raise NotImplementedError


class _Digest(_Task):
    """Cuts the rows of a split, the first of which is row `place`."""

    def of(self, records: Iterable[Any], place: Any) -> Iterator[Cut]:
        """Yield cuts."""
        cutter = blocks.Cutter(place)
        for record in records:
            yield from cutter.add(Arrow(*c_interface.batch(record)))
        yield from cutter.end()


class _Rows(_Task):
    """Sends the rows of a split from `place[0]` to `place[1]`.

    It takes the others as well: Spark 3.5 fails a task that leaves some, for a leak of memory.
    """

    def of(self, records: Iterable[Any], place: Any) -> Iterator[bytes]:
        """Yield streams of Arrow."""
        import pyarrow as pa

        at = 0
        for record in records:
            start, end = max(place[0], at), min(place[1], at + record.num_rows)
            if start < end:
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, record.schema) as stream:
                    stream.write_batch(record.slice(start - at, end - start))
                yield sink.getvalue().to_pybytes()
            at += record.num_rows
