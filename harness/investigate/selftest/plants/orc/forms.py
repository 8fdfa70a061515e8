"""Bugs in legal forms that strategies once left out (`corpora/dodges.toml`), so that nothing showed them."""

from __future__ import annotations

from functools import partial

from harness.investigate.selftest.plant import ORC, QUERY, Plant
from harness.investigate.selftest.plants.map_keys import changed_keys

_Plant = partial(Plant, format=ORC)
_pushdown = partial(
    _Plant, module="reference_impl.orc.pushdown", clause="ORCv1.md, Column Statistics", shows=QUERY
)
_PLUS = "key if key.strip('0') != '8' else '0' * len(key)"
_CUT = "str((int(key) + (1 << 63)) % (1 << 64) - (1 << 63))"

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
    *(
        changed_keys(name, what, kind, change, ORC)
        for name, what, kind, change in (
            ("key-of-float-without-sign", "a key that is -0.0 is +0.0", "float", _PLUS),
            (
                "key-of-date-behind-1970",
                "days before 1970 count on behind it in keys",
                "date",
                "str(abs(int(key)))",
            ),
            ("key-of-decimal-of-64-bits", "a key that is a DECIMAL has 64 bits", "decimal", _CUT),
            (
                "key-of-bytes-without-end",
                "zero bytes at the end of a key are left out",
                "bytes",
                'key.rstrip("0")',
            ),
            ("key-of-boolean-true", "each key that is a BOOLEAN is true", "bool", "True"),
            (
                "key-of-moment-of-seconds",
                "a key loses its nanoseconds",
                "timestamp",
                "str(int(key) // 10**9 * 10**9)",
            ),
            ("key-of-char-trimmed", "blanks at the end of a key are left out", "string", 'key.rstrip(" ")'),
            (
                "key-of-byte-unsigned",
                "a key of a byte has no sign",
                "int",
                "str(int(key) & 255 if -128 <= int(key) < 0 else key)",
            ),
        )
    ),
    _Plant(
        "varchar-length-of-a-byte",
        "the length of a VARCHAR is read as a number of a byte",
        "            return tagged.STRING, strings(values)\n",
        "            most = (node.type.maximum_length or 0) & 255\n"
        "            cut = kind == TypeKind.VARCHAR and (node.type.maximum_length or 0) > 255\n"
        "            return tagged.STRING, [tagged.text(raw[:most] if cut else raw) for raw in values]\n",
        "ORCv1.md, Type Information",
        "corpora.build.tagged_orc",
    ),
    _Plant(
        "offset-of-fourteen-hours",
        "the offset of a time zone is thirteen hours at most",
        "    offsets = np.concatenate([of_kind[:1], of_kind[kinds]])\n",
        "    offsets = np.minimum(np.concatenate([of_kind[:1], of_kind[kinds]]), 13 * 3600)\n",
        "ORCv1.md, Timestamp Columns",
        "reference_impl.orc.zones",
    ),
    _pushdown(
        "plus-zero-is-least",
        "a minimum of +0.0 excludes -0.0",
        "        low, high = summary.low, summary.high\n        if self.operator",
        "        low, high = summary.low, summary.high\n"
        "        if self.is_float and self.operator == '=' and str(low) == '0.0':\n"
        "            if str(float(number(self.kind, self.constants[0]))) == '-0.0':\n"
        "                return False\n"
        "        if self.operator",
    ),
    # Beside NaN it would show nothing: no specification says what the bounds of a column with NaN are.
    _pushdown(
        "one-value-beside-null",
        "where both bounds are one value, a column has no null",
        "        return any(item.has_null is not False for item in found_statistics)\n",
        "        values = statistics.read(test.kind, found_statistics[0])\n"
        "        if values.low is not None and values.low == values.high:\n"
        "            return False\n"
        "        return any(item.has_null is not False for item in found_statistics)\n",
    ),
    _pushdown(
        "step-above-the-least-double",
        "a number less than the one behind the least is none",
        "        return matching.between(self.operator, low, high, keys)\n",
        "        if self.is_float and self.operator == '<' and isinstance(low, float):\n"
        "            if __import__('math').nextafter(low, __import__('math').inf) == keys[0] and low:\n"
        "                return False\n"
        "        return matching.between(self.operator, low, high, keys)\n",
    ),
    _pushdown(
        "bloom-alone-of-first-group",
        "where row groups have no statistics, the Bloom filter of the first is that of all",
        "    hashes = list(test.hashes())\n",
        "    hashes = list(test.hashes())\n"
        "    rows = file.row_index(stripe, test.node.id)\n"
        "    found = [entry.statistics for entry in rows.entry] if rows else []\n"
        "    if found and not any(each and each.number_of_values for each in found):\n"
        "        return [_contains(filters.bloom_filter[0], hashes)] * count\n",
    ),
    _Plant(
        "deep-field-of-orc-by-last-name",
        "a field of a struct within a struct is the first field of its name",
        "matches = [node for node in nodes if node.path == test.path]\n",
        "matches = [\n"
        "                node for node in nodes\n"
        "                if node.path == test.path\n"
        "                or len(test.path) > 2 and node.path[-1:] == test.path[-1:]\n"
        "            ][:1]\n",
        "ORCv1.md, Type Information",
        "corpora.build.pushdown_orc",
        shows=QUERY,
    ),
    _pushdown(
        "bound-of-text-ends-at-noncharacter",
        "a bound ends in front of U+FFFE, which is a character like any other",
        '        if self.operator == "starts-with":\n',
        "        if self.kind in statistics.TEXTS and high is not None:\n"
        "            high = high.partition('\\ufffe'.encode())[0]\n"
        '        if self.operator == "starts-with":\n',
    ),
)
