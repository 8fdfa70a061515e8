"""A script in which an engine alone writes a file that breaks a rule.

The script compares the new file with `file.<format>`, which the engine wrote and the validator read: equal
bytes break the same rule. If the bytes differ, the script checks the rule itself where it can (`CHECKS`:
source text that defines `check(data)`, which returns a line for each place where the rule is broken; `THRIFT`
precedes it), and else prints that it cannot tell.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from corpora.tagged import Table
from harness.engines.errors import Unsupported
from harness.engines.registry import ENGINES
from harness.engines.scripts.rendering import SAY
from harness.engines.scripts.writing import Written

_STANDARD = ("base64", "decimal", "hashlib", "os", "sys")
_MAIN = """

def main():
    say(*ABOUT)
    say({expected})
    write()
    with open(FILE, "rb") as written, open(KNOWN, "rb") as known:
        data, before = written.read(), known.read()
    say(f"actual: {{len(data)}} bytes in {{FILE}}")
    if data == before:
        say("the same bytes as " + os.path.basename(KNOWN) + ": " + BROKEN)
        print("the bug shows")
        return 1
{otherwise}

if __name__ == "__main__":
    sys.exit(main())
"""
_CHECKED = """    found = check(data)
    say(*found or ["the rule is kept"])
    print("the bug shows" if found else "the bug does not show")
    return 1 if found else 0
"""
_MAIN_OF_FOLDER = """

def names(folder):
    visible = (path for path, _, files in os.walk(folder) if any(name[0] not in "_." for name in files))
    return sorted(os.path.relpath(path, folder).replace(os.sep, "/") for path in visible)


def main():
    say(*ABOUT)
    say({expected})
    write()
    written = names(FILE)
    say("actual: " + FILE + " has these folders:", *written)
    if written == names(KNOWN):
        say("the same folders as in " + os.path.basename(KNOWN) + ": " + BROKEN)
        print("the bug shows")
        return 1
    say("other folders than in " + os.path.basename(KNOWN) + ", in which " + BROKEN)
    print("this script cannot tell whether these hold the values that were written")
    return 2


if __name__ == "__main__":
    sys.exit(main())
"""
_UNKNOWN = """    say("other bytes than in " + os.path.basename(KNOWN) + ", where this is broken: " + BROKEN)
    print("this script cannot tell whether they break the rule, too; `colconf validate` can")
    return 2
"""


def source(engine: str, table: Table, options: Mapping[str, Any], format_: str) -> Written:
    """Return the source text that writes a table as the engine's adapter does; raises Unsupported."""
    module = ENGINES[engine].write_script if engine in ENGINES else ""
    if not module:
        raise Unsupported(f"no script writes with {engine}")
    written: Written = importlib.import_module(module).written(table, dict(options), format_)
    return written


def script(
    written: Written, format_: str, rule: tuple[str, str], broken: str, *, is_folder: bool = False
) -> str:
    """Return a script without its head; `broken` says how the file breaks the rule, an id and its text.

    Without a rule (two empty texts), the file holds other values than were written. Of a partitioned table,
    the script compares the names of the folders. Raises Unsupported for a rule that one of its files breaks.
    """
    number, text = rule
    if is_folder and number:
        raise Unsupported("the rule is broken by a file of a folder: see `colconf validate`")
    checked = CHECKS.get(number, "")
    standard = sorted(
        {
            "os",
            "sys",
            *(["shutil"] if is_folder else []),
            *(statement.split()[1] for statement in written.imports if _is_standard(statement)),
        }
    )
    others = [statement for statement in dict.fromkeys(written.imports) if not _is_standard(statement)]
    top = [
        *(f"import {statement}" for statement in standard),
        *(["import struct"] if checked else []),
        "",
        *others,
        "",
    ]
    folder = "os.path.dirname(os.path.abspath(__file__))"
    own, known = ("written", "files") if is_folder else (f"written.{format_}", f"file.{format_}")
    top += [f'FILE = os.path.join({folder}, "{own}")']
    top += [f'KNOWN = os.path.join({folder}, "{known}")', f"BROKEN = {broken!a}"]
    first = ["shutil.rmtree(FILE, ignore_errors=True)"] if is_folder else []
    body = "\n".join(f"    {line}" for line in [*first, *written.body])
    wanted = f"a file that keeps {number}: {text}" if number else "the values that were written"
    main = (_MAIN_OF_FOLDER if is_folder else _MAIN).format(
        expected=ascii(f"expected: {wanted}"),
        otherwise=_CHECKED if checked else _UNKNOWN,
    )
    checks = THRIFT + checked if checked else ""
    return "\n".join(top) + "\n" + SAY + written.helpers + f"\n\ndef write():\n{body}\n" + checks + main


def _is_standard(line: str) -> bool:
    return line.split()[1] in _STANDARD


"""Checks of single rules as source text, which imports neither an engine nor colconf.

Each check defines `check(data)`, which returns a line for each place where the rule is broken. `THRIFT`
precedes it in a script.
"""

THRIFT = '''

def number(data, at):  # ULEB128
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def signed(data, at):  # zigzag
    value, at = number(data, at)
    return (value >> 1) ^ -(value & 1), at


def thrift(data, at, kind=12):
    """A value of Thrift's compact protocol, and where it ends; a struct is its values by field id."""
    if kind in (1, 2):
        return kind == 1, at
    if kind == 3:
        return data[at], at + 1
    if kind in (4, 5, 6):
        return signed(data, at)
    if kind == 7:
        return struct.unpack_from("<d", data, at)[0], at + 8
    if kind == 8:
        size, at = number(data, at)
        return data[at : at + size], at + size
    if kind in (9, 10):
        count, kind, at = data[at] >> 4, data[at] & 15, at + 1
        if count == 15:
            count, at = number(data, at)
        found = []
        for _ in range(count):
            if kind in (1, 2):
                value, at = data[at] == 1, at + 1
            else:
                value, at = thrift(data, at, kind)
            found.append(value)
        return found, at
    fields, last = {}, 0
    while data[at]:
        delta, kind, at = data[at] >> 4, data[at] & 15, at + 1
        if delta:
            last += delta
        else:
            last, at = signed(data, at)
        fields[last], at = thrift(data, at, kind)
    return fields, at + 1


def footer(data):
    size = int.from_bytes(data[-8:-4], "little")
    return thrift(data, len(data) - 8 - size)[0]
'''

# SchemaElement: 4 name, 6 converted_type, 10 logicalType; LogicalType: 7 TIME, 8 TIMESTAMP, of each:
# 1 isAdjustedToUTC, 2 unit: 1 MILLIS, 2 MICROS, 3 NANOS.
_LOCAL_TIMES = """

def check(data):
    found = []
    for element in footer(data)[2]:
        logical = element.get(10, {})
        told = logical.get(7) or logical.get(8) or {}
        if told and not told[1] and 3 not in told[2] and 6 not in element:
            found.append(f"{element[4]}: logicalType {logical}, no converted_type")
    return found
"""

# RowGroup: 1 columns; ColumnChunk: 3 meta_data; ColumnMetaData: 3 path_in_schema, 7 total_compressed_size,
# 9 data_page_offset, 11 dictionary_page_offset, 13 encoding_stats; PageEncodingStats: 1 page_type,
# 2 encoding, 3 count; PageHeader: 1 type, 3 compressed_page_size, 5 and 8 the header of a data page (its
# encoding: 2, 4), 7 of a dictionary (its encoding: 2).
_ENCODING_STATS = """

def check(data):
    found = []
    for group in footer(data)[4]:
        for chunk in group[1]:
            meta = chunk[3]
            at = min((one for one in (meta[9], meta.get(11)) if one), default=0)
            end, counts = at + meta[7], {}
            while at < end:
                page, at = thrift(data, at)
                encoding = page[8][4] if 8 in page else page.get(5, page.get(7))[2]
                counts[page[1], encoding] = counts.get((page[1], encoding), 0) + 1
                at += page[3]
            told = {(one[1], one[2]): one[3] for one in meta.get(13, [])}
            if told and told != counts:
                found.append(f"{meta[3]}: encoding_stats {told}, pages by type and encoding {counts}")
    return found
"""

# ColumnChunk: 3 meta_data, 8 crypto_metadata; ColumnMetaData: 3 path_in_schema and the three below.
_STRIPPED = """

def check(data):
    found, names = [], {12: "statistics", 16: "size_statistics", 17: "geospatial_statistics"}
    for group in footer(data)[4]:
        for chunk in group[1]:
            kept = [names[number] for number in names if 8 in chunk and number in chunk[3]]
            if kept:
                found.append(f"{chunk[3][3]} is encrypted, but the plaintext footer has its {kept}")
    return found
"""

CHECKS = {"PQ-LOGICAL-010": _LOCAL_TIMES, "PQ-CHUNK-016": _ENCODING_STATS, "PQ-CRYPT-018": _STRIPPED}
