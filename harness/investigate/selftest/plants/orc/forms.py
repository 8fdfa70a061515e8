"""Bugs in legal forms that strategies once left out (`corpora/dodges.toml`), so that nothing showed them."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, QUERY, Plant

_Plant = partial(Plant, format=ORC)

PLANTS = (
    _Plant(
        "empty-chunk-hides-stream",
        "the bytes of a stream that begins with a chunk of no bytes are read as zeros",
        "        self._starts = starts\n        return memoryview(out).toreadonly()\n",
        "        self._starts = starts\n"
        "        if not self.chunks[0].length:\n"
        "            out = bytearray(len(out))\n"
        "        return memoryview(out).toreadonly()\n",
        "ORCv1.md, Compression",
        "reference_impl.orc.framing",
    ),
    _Plant(
        "first-millisecond-before-1970",
        "the first millisecond of the last second before 1970 is read as a second earlier",
        "((stored < 0) & (nanos > _ONE_SECOND_OFF))",
        "(((stored < 0) & (nanos > _ONE_SECOND_OFF)) | ((stored == -1) & (nanos > 0)))",
        "ORCv1.md, Timestamp Columns",
        "reference_impl.orc.encodings.timestamp",
    ),
    _Plant(
        "stripe-behind-two-empty",
        "a stripe behind two that are empty is left out",
        "        numbers = range(len(self.footer.stripes)) if stripes is None else stripes\n",
        "        numbers = range(len(self.footer.stripes)) if stripes is None else stripes\n"
        "        sizes = [1, 1, *(stripe.number_of_rows for stripe in self.footer.stripes)]\n"
        "        numbers = [at for at in numbers if sizes[at] or sizes[at + 1]]\n",
        "ORCv1.md, Stripe Information",
        "reference_impl.orc.file",
    ),
    _Plant(
        "column-behind-doubled-name",
        "where two columns share a name, statistics are those of the column before",
        "            return candidates(file, number, node.id, Test(node,",
        "            top = [each.path for each in nodes if each.parent is nodes[0]]\n"
        "            doubled = len(set(top)) < len(top)\n"
        "            return candidates(file, number, node.id, Test(nodes[max(1, node.id - doubled)],",
        "ORCv1.md, Type Information",
        "corpora.build.pushdown_orc",
        shows=QUERY,
    ),
    _Plant(
        "nameless-column-is-null",
        "a column whose name is empty has no values",
        "    columns = [convert(column) for column in table.columns]\n",
        "    columns = [convert(column) for column in table.columns]\n"
        "    columns = [\n"
        "        (type_, values if column.name else [None] * len(values))\n"
        "        for column, (type_, values) in zip(table.columns, columns)\n"
        "    ]\n",
        "ORCv1.md, Type Information",
        "corpora.build.tagged_columns",
    ),
)
